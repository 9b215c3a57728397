"""The word index as it is written: a posting for each term of a text; the last of a term tells how many there are.

A term is written as the seal of the link writes it; whoever asks here names terms as the tokenizer does.
"""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from muniment.backends.postgres.transaction import Row, Transaction
from muniment.backends.tokens import tokenize
from muniment.model.value import Value

_NOTHING = ""
"""What a text without any term is found under: the tokenizer never makes it of anything."""

Posting = tuple[str, int, int, bytes]
"""A term, the revision, how many places its text has, and at which of them this one stands."""


class PostingsChange(Value):
    """How many texts and terms came to an index or were taken away, and the highest revision that came."""

    texts: int = 0
    terms: int = 0
    last: int = 0


class Postings:
    """The postings of one tenant."""

    def __init__(self, link: Transaction) -> None:
        self._link = link

    def holding(self, terms: Iterable[str]) -> dict[str, int]:
        """How many revisions hold each of these terms; what none holds is left out."""
        spelled = {self._link.seal.term(term): term for term in terms}
        rows = self._link.rows("words_holding", list(spelled)) if spelled else []
        return {spelled[term]: number for term, number in rows}

    def latest(self, terms: Iterable[str], *, keep: int) -> dict[str, list[int]]:
        """The latest revisions that hold each of these terms, in the order they were born."""
        wanted = list(dict.fromkeys(terms))
        name, values = self.asking(wanted, keep=keep)
        return self.told(wanted, self._link.rows(name, *values) if wanted else ())

    def asking(self, terms: Sequence[str], *, keep: int) -> tuple[str, tuple[list[str], int]]:
        """How that is asked: the statement and its values."""
        return "words_latest", ([self._link.seal.term(term) for term in terms], keep)

    def told(self, terms: Sequence[str], rows: Iterable[Row]) -> dict[str, list[int]]:
        """How the answer to it is read."""
        spelled = {self._link.seal.term(term): term for term in terms}
        found: dict[str, list[int]] = {term: [] for term in terms}
        for term, rid in rows:
            found[spelled[term]].append(rid)
        return {term: sorted(rids) for term, rids in found.items()}

    def put(self, texts: Mapping[int, str], *, last: int) -> PostingsChange:
        """Index texts. `last` is the highest revision that is indexed already, or a higher one."""
        ordered = sorted(texts)
        made = [posting for rid in ordered for posting in self.made(rid, texts[rid])]
        late = sorted({term for term, rid, _, _ in made if rid <= last})
        known = self._numbered(late)
        self._link.put_postings([(str(rid), str(size), term, f"\\x{spots.hex()}") for term, rid, size, spots in made])
        self._number(Counter(known) + Counter(term for term, _, _, _ in made if term in known))
        sizes_of = {rid: size for _, rid, size, _ in made}
        return PostingsChange(texts=len(sizes_of), terms=sum(sizes_of.values()), last=ordered[-1] if ordered else 0)

    def take_away(self, texts: Mapping[int, str]) -> PostingsChange:
        """Take texts out of the index; one that is not in it is passed over.

        A revision whose postings do not add up to its size, or that has none, is looked for in the whole index: what
        it is said to say may not be what was indexed.
        """
        pairs = [(term, rid) for rid in sorted(texts) for term, _, _, _ in self.made(rid, texts[rid])]
        whole, left = self._drop(pairs)
        unsure = [rid for rid in texts if rid not in whole or left[rid]]
        if unsure:
            more, _ = self._drop([(term, rid) for term, rid in self._link.rows("postings_of", unsure)])
            whole |= more
        return PostingsChange(texts=len(whole), terms=sum(whole.values()))

    def clear(self) -> None:
        self._link.send("clear_postings")

    def made(self, rid: int, text: str) -> Iterator[Posting]:
        """The postings of a text, without their numbers."""
        text_places = tokenize(text)
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, terms in enumerate(text_places):
            for term in terms:
                places[self._link.seal.term(term)].append(place)
        if not places:
            yield self._link.seal.term(_NOTHING), rid, 0, b""
        for term, spots in places.items():
            yield term, rid, len(text_places), struct.pack(f"<{len(spots)}I", *spots)

    def _drop(self, pairs: Sequence[tuple[str, int]]) -> tuple[dict[int, int], Counter[int]]:
        """Drop postings; the size of each revision that had any, and how many of its places none of them was at."""
        known = self._numbered(sorted({term for term, _ in pairs}))
        gone: Counter[str] = Counter()
        whole: dict[int, int] = {}
        found: defaultdict[int, set[tuple[int, ...]]] = defaultdict(set)
        rows = self._link.rows("drop_postings", [term for term, _ in pairs], [rid for _, rid in pairs]) if pairs else []
        for term, rid, size, spots in rows:
            gone[term] += 1
            whole[rid] = size
            found[rid].update(struct.iter_unpack("<I", spots))
        self._number({term: known[term] - number for term, number in gone.items() if known[term] > number})
        return whole, Counter({rid: size - len(found[rid]) for rid, size in whole.items()})

    def _numbered(self, written: Sequence[str]) -> dict[str, int]:
        """The number of the last posting of each of these terms as they are written; 0 for none."""
        rows = self._link.rows("words_holding", list(written)) if written else []
        return {**dict.fromkeys(written, 0), **dict(rows)}

    def _number(self, counts: Mapping[str, int]) -> None:
        """Give the last posting of each term the number there are."""
        if counts:
            self._link.send("number_last_postings", list(counts), list(counts.values()))
