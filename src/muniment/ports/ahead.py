"""What a job is about to ask of its unit, said beforehand, so that a store far away can look it up together."""

from __future__ import annotations

from muniment.model.value import Value


class Hearing(Value):
    """What the catalogue will be asked about somebody's ear: the arguments of `heard`."""

    actor: str
    below: int
    keep: int


class Ahead(Value):
    """Who asks; the proposals, fingerprints, questions, records and keys of subjects that will be looked up, the words
    that neighbours will be looked for with, and whose ear will be asked about. It may name too much or too little: no
    answer depends on it."""

    actors: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()
    fingerprints: tuple[bytes, ...] = ()
    slots: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    words: tuple[tuple[str, ...], ...] = ()
    heard: tuple[Hearing, ...] = ()
