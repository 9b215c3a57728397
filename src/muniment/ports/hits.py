"""What a look into the word index gives back."""

from __future__ import annotations

from muniment.model.value import Value


class Hit(Value):
    """A revision the words matched, among those the caller may see, by its number. `failed` is the first bound it does
    not meet; for one that no longer speaks, the state it is in."""

    rid: int
    score: float
    failed: str | None


class Matches(Value):
    """All hits counted, the best of them at hand. `counts` says how many failed which bound."""

    hits: tuple[Hit, ...]
    passed: int
    counts: dict[str, int]


class Neighbour(Value):
    """A revision whose words are near to some text, and its own text."""

    rid: int
    text: str
