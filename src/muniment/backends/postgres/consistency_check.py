"""What a store says of itself, compared: the form of its schema, what the tenant's row counts, the word index with the
texts, and the vectors with the revisions that are there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from muniment.backends.postgres import schema_check
from muniment.backends.postgres.postings import Postings
from muniment.backends.postgres.tenant_row import SETTLED, WORDS, HeadRow
from muniment.backends.postgres.tenant_scope import TenantScope
from muniment.backends.postgres.transaction import Row, Transaction
from muniment.model.errors import IntegrityError
from muniment.model.value import Value, read_canonical

_NONE = (0, bytes(32))
_Terms = dict[str, tuple[int, bytes]]
"""Of each term of a text, how many terms the whole text has, and where this one stands."""


class _Claim(Value, forbid_unknown_fields=False):
    content: str


class _Said(Value, forbid_unknown_fields=False):
    """Of a record as it is kept, what it says."""

    claim: _Claim


class _Words(Value):
    """What was found of the word index: how many texts and terms it has, and of how many revisions it says what they do
    not."""

    texts: int
    terms: int
    differing: int


def complaints(door: TenantScope) -> tuple[str, ...]:
    """Everything that does not fit together, at one moment."""
    with door.reading() as link:
        try:
            row = HeadRow.of(door.tenant, link.row("head_row"))
        except IntegrityError as error:
            return (str(error),)
        words = _examine_words(link)
        for setting in schema_check.SETTINGS:
            link.tell(setting, ())
        return (
            *schema_check.complaints(link.ask),
            *_of_ends(link, row),
            *_of_words(link, row, words),
            *_of_vectors(link),
        )


def _of_ends(link: Transaction, row: HeadRow) -> Iterator[str]:
    """Whether the tenant's row says where ledger, receipts, notes and erasures end."""
    entry = link.row("last_entry")
    if (row.seq, row.hash) != ((0, b"") if entry is None else (entry[0], bytes(entry[2]))):
        yield "the ledger does not end where the tenant's row says"
    receipt = link.row("examine_receipts")
    kept = _NONE if receipt is None else (receipt[0], bytes(receipt[1]))
    if ((row.receipts, row.receipts_hash) if row.receipts else _NONE) != kept:
        yield "the receipts do not end where the tenant's row says"
    if link.row("examine_notes") != (row.notes,):
        yield "the notes do not end where the tenant's row says"
    erasure = link.row("last_erasure")
    if row.erasure != (0 if erasure is None else erasure[0]):
        yield "the last erasure is not the one that the tenant's row names"


def _of_words(link: Transaction, row: HeadRow, words: _Words) -> Iterator[str]:
    """Whether the word index is the one of the texts. The number up to which revisions were ever indexed may be that of
    one that was erased."""
    if row.words not in (WORDS, SETTLED):
        yield "the word index was not made by the tokenizer of this engine"
    if words.differing:
        yield f"the word index does not have what {words.differing} revisions say"
    if (row.texts, row.terms) != (words.texts, words.terms):
        yield "the word index has not as many texts and terms as the tenant's row counts"
    (misnumbered,) = link.row("examine_numbers") or (0,)
    if misnumbered:
        yield f"the word index counts {misnumbered} terms wrong"
    live, gone = link.row("examine_born") or (0, 0)
    if not live <= row.last_text <= max(live, gone):
        yield "the last text of the word index is not the one that the tenant's row names"


def _examine_words(link: Transaction) -> _Words:
    """Compare the index with every text, both by rising revision, a part at a time."""
    postings, texts, terms, differing = Postings(link), 0, 0, 0
    indexed = _Indexed(link)
    for rid, written in link.stream("examine_said"):
        found = indexed.upto(rid)
        differing += found.passed + (found.terms != _expected(link, postings, rid, written))
        texts, terms = texts + found.texts, terms + found.size
    rest = indexed.upto(None)
    return _Words(texts=texts + rest.texts, terms=terms + rest.size, differing=differing + rest.passed)


class _Found(Value):
    """The postings of one revision, and of how many others before it that no card is of; the texts and terms of all."""

    terms: _Terms
    passed: int
    texts: int
    size: int


class _Indexed:
    """The word index, read revision by revision."""

    def __init__(self, link: Transaction) -> None:
        self._groups = groupby(link.stream("examine_postings"), key=_rid)
        self._next = self._read()

    def upto(self, rid: int | None) -> _Found:
        """What there is of a revision; None: to the end."""
        passed = texts = size = 0
        terms: _Terms = {}
        while self._next is not None and (rid is None or self._next[0] <= rid):
            number, found = self._next
            texts, size = texts + 1, size + next(iter(found.values()))[0]
            if number == rid:
                terms = found
            else:
                passed += 1
            self._next = self._read()
        return _Found(terms=terms, passed=passed, texts=texts, size=size)

    def _read(self) -> tuple[int, _Terms] | None:
        rid, rows = next(self._groups, (None, ()))
        return None if rid is None else (rid, {term: (size, bytes(spots)) for _, term, size, spots in rows})


def _rid(row: Row) -> int:
    return int(row[0])


def _expected(link: Transaction, postings: Postings, rid: int, written: bytes | None) -> _Terms | None:
    """What the index must have of a text; None for one that cannot be read, which is never what it has."""
    if written is None:
        return None
    try:
        said = read_canonical(link.seal.open(written, b"documents:%d" % rid), _Said).claim.content
    except IntegrityError:
        return None
    return {term: (size, spots) for term, _, size, spots in postings.made(rid, said)}


def _of_vectors(link: Transaction) -> Iterator[str]:
    """Whether there are vectors only of revisions that are there, all as wide as they are said to be."""
    reach = link.row("examine_reach")
    strange, unlike = link.row("examine_vectors", 0 if reach is None else reach[0]) or (0, 0)
    if strange:
        yield f"there are {strange} vectors of revisions that are not there"
    if unlike:
        yield f"there are {unlike} vectors that are not as wide as the tenant's are said to be"
