"""What we ask of an index of words and of an index of names. Both are looked at under one moment of a store."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Protocol

from muniment.model.receipt import Plan, Terms
from muniment.model.rows import AliasRow, MentionRow
from muniment.ports.hits import Matches, Neighbour

Place = tuple[str, ...]
"""The terms at one place of a text, the plainest first."""
Places = tuple[Place, ...]


def holds(held: Collection[str], places: Places) -> bool:
    """Whether a text under these terms has each place of a word, wherever they stand."""
    return all(any(term in held for term in place) for place in places)


class Lexicon(Protocol):
    def tokens(self, text: str) -> list[str]:
        """The terms a text is indexed under."""

    def places(self, words: Iterable[str]) -> dict[str, Places]:
        """What words and phrases are looked for under: for each its places, and at each the terms of which a text must
        hold one, as far as any text holds them."""

    def prune(self, terms: Terms, *, spare: bool = True) -> Terms:
        """Move words that too many records hold to `common`, unless nothing would be left. Without `spare` nothing may
        be left: one word that very many records hold tells nothing apart, and whoever asks for it has other ways to be
        told."""

    def count(self) -> int:
        """How many revisions are indexed."""

    def holding(self, terms: Iterable[str]) -> dict[str, int]:
        """How many revisions hold each of these terms, spelled as `tokens` spells them; what none holds is left out."""

    def weights(self, words: tuple[str, ...]) -> dict[str, float]:
        """How rare each word is: ln((records − holding + ½) / (holding + ½)), and never less than next to nothing."""

    def close(self, pairs: tuple[tuple[str, str], ...], *, gap: int, keep: int) -> dict[int, float]:
        """The revisions that hold two words of a pair with at most `gap` others between them, and how much that is
        worth by the same formula as a match of words; the `keep` best. A look at the index, under no filter: it adds to
        the score of what was found under one, and finds nothing."""

    def score(self, terms: Terms, rids: Iterable[int]) -> dict[int, float]:
        """What a search for these terms would score each of these revisions with; one that does not match is left out.
        A look at the index, under no filter: it tells of what was found under one, and finds nothing."""

    def held(self, rid: int, words: tuple[str, ...]) -> frozenset[str]:
        """Which of these words a revision holds, wherever in its text."""

    def near(self, words: tuple[str, ...], *, keep: int) -> tuple[Neighbour, ...]:
        """Revisions, in any state, that hold the most of these words, rare ones counting for more, the most alike
        first. The work is bounded whatever the size of the store: of a common word only the latest holders count."""

    def search(self, plan: Plan, *, keep: int) -> Matches:
        """Rank what the words match under `plan.visible`, keeping the `keep` best that pass and the best that
        were superseded, and counting all."""


class Names(Protocol):
    """What revisions speak of by name. Keys, not spellings: all names of a thing are one group."""

    def groups(self, keys: Iterable[str], *, as_of: int) -> dict[str, tuple[str, ...]]:
        """For each key that has other names, as known after entry `as_of`, all names of the same thing, the chief one
        first."""

    def mentions(self, rids: Iterable[int]) -> tuple[MentionRow, ...]:
        """What these revisions speak of, by `rid` and entity."""

    def latest(self, entity: str, *, upto: int, keep: int) -> tuple[MentionRow, ...]:
        """The latest revisions up to `upto` that speak of an entity, the newest first."""

    def holders(self, entities: Iterable[str], *, upto: int, keep: int) -> dict[str, tuple[int, ...]]:
        """The same for several entities at once, the revisions by their numbers; nothing for one nobody speaks of."""

    def all_mentions(self) -> Iterator[MentionRow]:
        """Every mention, by `rid` and entity."""

    def all_aliases(self) -> Iterator[AliasRow]:
        """Every name that was ever given, by entry."""
