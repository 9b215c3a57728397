"""What a writer remembers of the word index, so that looking for neighbours seldom has to ask it.

Only what the index would answer is kept: the latest revisions that hold a term, and texts. It is true for the one
connection that writes, as long as nobody else has written, nothing was undone and nothing was erased; whoever makes one
of these happen says so with `clear`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

TERMS_MAX = 32_768
TEXTS_MAX = 16_384
TEXT_LENGTH_MAX = 1_000
"""So many terms and texts are remembered, those asked for last. A long text is read again rather than kept."""


class Latest:
    """The latest revisions of terms, at most `keep` of each, and the texts of revisions."""

    def __init__(self, *, keep: int) -> None:
        self._keep = keep
        self._terms: OrderedDict[str, list[int]] = OrderedDict()
        self._texts: OrderedDict[int, str] = OrderedDict()

    def clear(self) -> None:
        self._terms.clear()
        self._texts.clear()

    def holding(self, term: str) -> list[int] | None:
        """The latest revisions that hold a term, in the order they were born; None if that is not known here."""
        held = self._terms.get(term)
        if held is not None:
            self._terms.move_to_end(term)
        return held

    def learn(self, term: str, rids: list[int]) -> None:
        """Take note of what the index said."""
        self._terms[term] = rids
        if len(self._terms) > TERMS_MAX:
            self._terms.popitem(last=False)

    def born(self, rid: int, text: str, terms: Iterable[str]) -> None:
        """Take note of a revision that was just indexed under these terms."""
        for term in set(terms):
            held = self._terms.get(term)
            if held is None:
                continue
            if held and held[-1] >= rid:  # not the latest after all: the index knows better where it belongs
                del self._terms[term]
                continue
            held.append(rid)
            if len(held) > self._keep:
                del held[0]
        self.read(rid, text)

    def text(self, rid: int) -> str | None:
        return self._texts.get(rid)

    def read(self, rid: int, text: str) -> None:
        """Take note of what a revision says."""
        if len(text) <= TEXT_LENGTH_MAX:
            self._texts[rid] = text
            if len(self._texts) > TEXTS_MAX:
                self._texts.popitem(last=False)
