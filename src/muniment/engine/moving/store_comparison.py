"""Whether two stores hold the same and answer the same: row by row, and by asking both the same questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, zip_longest

from muniment.engine.audit import verify_store
from muniment.engine.moving.follow_ledger import Told, place_of, silent
from muniment.model.errors import IntegrityError
from muniment.model.query import Query
from muniment.model.recall import Recall
from muniment.model.record import Record
from muniment.model.times import Instant
from muniment.model.value import Value, read_canonical
from muniment.ports.store import Snapshot, TenantStore
from muniment.read.pipeline import ReadContext, answer
from muniment.read.question import Ask, QuestionVector

QUESTIONS = 50
"""How many questions both are asked, each in the words of a record."""
_WORDS_MAX = 16
_CHARACTERS_MAX = 400
_SAME = 1e-9
_SAME_NEARNESS = 1e-6
"""Nearness in meaning is a sum of hundreds of products: in which order they are added is the store's own affair."""
_EVERY = 1_000
_LAST = 2**63 - 1
Rows = Callable[[Snapshot], Iterable[Value]]
_TABLES: dict[str, Rows] = {
    "entries": lambda one: one.ledger.entries(1, _LAST),
    "documents": lambda one: one.documents.all(),
    "cards": lambda one: one.catalogue.all(),
    "standings": lambda one: one.catalogue.moves(),
    "tombstones": lambda one: one.catalogue.tombstones(),
    "links": lambda one: one.links.all(),
    "mentions": lambda one: one.names.all_mentions(),
    "aliases": lambda one: one.names.all_aliases(),
    "notes": lambda one: one.notes.all(),
    "proposals": lambda one: one.desk.proposals(),
    "conflicts": lambda one: sorted(one.desk.conflicts(), key=lambda row: row.id),
    "receipts": lambda one: one.receipts.all(),
    "tellings": lambda one: one.receipts.all_told(),
    "checkpoints": lambda one: one.ledger.checkpoints(),
    "certificates": lambda one: one.ledger.certificates(),
}


def check_alike(
    source: Snapshot,
    target: TenantStore,
    reading: ReadContext,
    keys: frozenset[str],
    now: Instant,
    progress: Told = silent,
) -> int:
    """Refuse a target that differs in anything from a moment of the source, or does not verify; how many questions both
    answered alike."""
    head = source.ledger.head()
    whole = head.seq if head is not None else 0
    found = verify_store(target, keys, progress=lambda done: progress("verified", done, whole))
    if not found.ok:
        raise _differs(target.tenant, f"its ledger does not verify: {found.findings[0].message}")
    with target.read() as here:
        if place_of(here) != place_of(source):
            raise _differs(target.tenant, "its ledger ends elsewhere than the source's")
        if here.catalogue.count() != source.catalogue.count():
            raise _differs(target.tenant, "it has other numbers of revisions by status")
        for name, rows in _TABLES.items():
            _same_rows(name, rows(source), rows(here), target.tenant, progress)
        return _same_answers(source, here, reading, now, target.tenant, progress)


def _same_rows(name: str, source: Iterable[Value], target: Iterable[Value], tenant: str, progress: Told) -> None:
    for number, (there, here) in enumerate(zip_longest(source, target), start=1):
        if there != here:
            raise _differs(tenant, f"its {name} differ from the {number}. on")
        if number % _EVERY == 0:
            progress(f"{name} compared", number, 0)


def _same_answers(
    source: Snapshot, target: Snapshot, reading: ReadContext, now: Instant, tenant: str, progress: Told
) -> int:
    """Ask both in the words of records. Nothing is written down of it: it is not a reading."""
    questions, by_words = list(sample(source)), _given(QuestionVector(why="compared by words"))
    for number, text in enumerate(questions):
        progress("questions asked", number, len(questions))
        query = Query(text=text)
        there, here = (_asked(one, query, reading, by_words, now) for one in (source, target))
        if not alike(there, here, within=_SAME):
            raise _differs(tenant, f"it answers question {number + 1} of {len(questions)} differently")
    return len(questions)


def same_by_meaning(
    source: Snapshot,
    target: Snapshot,
    reading: ReadContext,
    asked: list[tuple[str, QuestionVector]],
    now: Instant,
    tenant: str,
) -> None:
    """Ask both with vectors beside words."""
    for number, (text, vector) in enumerate(asked, start=1):
        query, ask = Query(text=text), _given(vector)
        there, here = (_asked(one, query, reading, ask, now) for one in (source, target))
        if not alike(there, here, within=_SAME_NEARNESS):
            raise _differs(tenant, f"it answers question {number} of {len(asked)} by meaning differently")


def _given(vector: QuestionVector) -> Ask:
    """Read any question as this vector."""
    return lambda _: vector


def _asked(snapshot: Snapshot, query: Query, reading: ReadContext, ask: Ask, now: Instant) -> Recall:
    return answer(snapshot, query, reading, ask, now=now, receipt_id="compared").recall


def alike(one: Recall, other: Recall, *, within: float) -> bool:
    """Whether two answers tell the same records in the same order, with the same scores, or abstain alike."""
    if one.abstained is not other.abstained or len(one.records) != len(other.records):
        return False
    return all(
        (a.record.id, a.record.revision) == (b.record.id, b.record.revision)
        and math.isclose(a.score, b.score, rel_tol=0.0, abs_tol=within)
        for a, b in zip(one.records, other.records, strict=True)
    )


def sample(snapshot: Snapshot, count: int = QUESTIONS) -> Iterator[str]:
    """The first words of records spread evenly over all there are."""
    whole = sum(snapshot.catalogue.count().values())
    stride = max(1, whole // count)
    for card in islice(snapshot.catalogue.all(), 0, stride * count, stride):
        text = text_of(snapshot, card.rid)
        if text:
            yield text


def text_of(snapshot: Snapshot, rid: int) -> str | None:
    """A question in the words of a revision; None when nothing is left of it."""
    document = snapshot.documents.get(rid)
    if document is None:
        return None
    words = read_canonical(document.body, Record).content.split()[:_WORDS_MAX]
    return " ".join(words)[:_CHARACTERS_MAX].strip() or None


def _differs(tenant: str, what: str) -> IntegrityError:
    error = IntegrityError(f"tenant {tenant} at the target is not what it is at the source: {what}")
    error.hint = (
        "The source was not changed, and the target stays closed. Run `muniment ledger verify` at the source; "
        "take away what is at the target and move again."
    )
    return error
