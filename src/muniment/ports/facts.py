"""What a decision on a proposal asks of a store, as one question, and what the store answers."""

from __future__ import annotations

from muniment.model.card import Card
from muniment.model.rows import ProposalRow
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.ports.hits import Neighbour


class Hearing(Value):
    """A question about what an actor was told: the arguments of `Catalogue.heard`."""

    actor: str
    below: int
    keep: int


class FactsAsked(Value):
    """What is looked up for one proposal: whether its id was used, who has its fingerprint, who answers its question,
    the revisions of the records it names, the texts nearest to its words, who is about the same subjects, when its
    actor wrote the `burst`-th newest revision, and what its actor was told. What is left out is not looked up."""

    actor: str
    fingerprint: bytes
    proposal: str | None = None
    slot: str | None = None
    answers_max: int = 0
    records: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    subjects_max: int = 0
    words: tuple[str, ...] = ()
    near_max: int = 0
    burst: int | None = None
    hearing: Hearing | None = None


class FactsFound(Value):
    """The answer: each part is what the method of the same name would say. `about` are the numbers of revisions, for
    each subject the newest first."""

    filed: ProposalRow | None
    twin: Card | None
    past_twins: tuple[Card, ...]
    occupants: tuple[Card, ...]
    past_answers: tuple[Card, ...]
    revisions: dict[str, tuple[Card, ...]]
    buried: frozenset[str]
    near: tuple[Neighbour, ...]
    about: tuple[int, ...]
    pace: Instant | None
    heard: tuple[Card, ...]
