"""Lists, a page at a time. A full page may be the last: then the next one is empty."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TypeVar, cast

import msgspec

from muniment.engine import ConflictView, Memory
from muniment.engine.options import OPTIONS, QueryOptions
from muniment.model.decoding import convert
from muniment.model.errors import Malformed
from muniment.model.query import Disclosure
from muniment.model.receipt import Account, ReceiptEntry
from muniment.model.value import Value
from muniment.operations import answers, queries
from muniment.operations.cursor import seal, unseal
from muniment.operations.kinds import PAGE_USUAL
from muniment.surfaces.http.api.asking import ReadRequest, said_of
from muniment.surfaces.reception.denials import denied_before

Options = dict[str, object]
Q = TypeVar(
    "Q",
    queries.PageQuery,
    queries.Browse,
    queries.ConflictsQuery,
    queries.Knowing,
    queries.Back,
    queries.Stretch,
    queries.Logged,
)
V = TypeVar("V", bound=Value)
_END = 2**62
ZERO = bytes(32)
"""The hash before the first entry."""
_TRAIL = 4


def queue(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.PageQuery)
    found = asked.memory.review.queue(after=_position(asked, page), limit=page.limit)
    last = found[-1].proposal.id if len(found) == page.limit else None
    return answers.Queue(proposals=found, next=_next(asked, page, last))


def browse(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.Browse)
    trail = _position(asked, page)
    found = listed(asked.memory, page, trail=trail, changed_after=page.changed_after, limit=page.limit)
    last = trail_of(trail, found) if len(found) == page.limit and page.changed_after is None else None
    return answers.Records(records=found, next=_next(asked, page, last))


def listed(
    memory: Memory, chosen: queries.Chosen, *, trail: str | None, limit: int, changed_after: int | None = None
) -> tuple[Disclosure, ...]:
    """So many of the chosen records, behind where a trail ends, in the order they were written."""
    for after in [None] if trail is None else reversed(trail.split(" ")):
        try:
            return _listed(memory, chosen, after, limit, changed_after)
        except Malformed as error:
            if error.field != "after":
                raise
    raise Malformed("cursor", "one whose record is still there", hint="Leave the cursor out to start over.")


def _listed(
    memory: Memory, chosen: queries.Chosen, after: str | None, limit: int, changed_after: int | None
) -> tuple[Disclosure, ...]:
    bounds = {name: value for name, value in said_of(chosen).items() if name in OPTIONS}
    statuses = None if chosen.statuses is None else [status.value for status in chosen.statuses]
    options = cast(QueryOptions, {**bounds, "limit": limit})
    return tuple(
        memory.insight.browse(
            statuses=statuses, session=chosen.session, after=after, changed_after=changed_after, **options
        )
    )


def trail_of(before: str | None, told: Sequence[Disclosure]) -> str:
    """The last few records of a list so far. Where the last was forgotten meanwhile, the list goes on behind the one
    before it: nothing that is still there stood between them."""
    names = [*(before.split(" ") if before is not None else []), *(_named(one) for one in told)]
    return " ".join(names[-_TRAIL:])


def _named(told: Disclosure) -> str:
    return f"{told.record.id}@{told.record.revision}"


def conflicts(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.ConflictsQuery)
    status = page.status.value if page.status is not None else None
    left = asked.memory.review.conflicts(
        record_id=page.record_id, status=status, after=_position(asked, page), limit=page.limit + 1
    )
    found = left[: page.limit]
    last = _place(found[-1]) if len(left) > page.limit else None
    return answers.Conflicts(conflicts=found, next=_next(asked, page, last))


def _place(view: ConflictView) -> str:
    """Where a conflict stands among the others: those found first come first."""
    return f"{view.opened}@{view.id}"


def directory(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.Knowing)
    start = _number(_position(asked, page), 0)
    whole = asked.memory.insight.directory(page.about, limit=min(10_000, start + page.limit + 1))
    found = whole.knowers[start : start + page.limit]
    last = str(start + page.limit) if len(whole.knowers) > start + page.limit else None
    return answers.DirectoryPage(about=whole.about, knowers=found, teams=whole.teams, next=_next(asked, page, last))


def certificates(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.PageQuery)
    found, last = _slice(asked, page, asked.memory.erasure.certificates())
    return answers.Certificates(certificates=found, next=last)


def holds(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.PageQuery)
    found, last = _slice(asked, page, asked.memory.erasure.holds())
    return answers.Holds(holds=found, next=last)


def tombstones(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.PageQuery)
    found, last = _slice(asked, page, asked.memory.erasure.tombstones())
    return answers.Tombstones(tombstones=found, next=last)


def quarantined(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.PageQuery)
    found, last = _slice(asked, page, asked.memory.review.quarantined())
    return answers.Quarantine(records=found, next=last)


def _slice(asked: ReadRequest, page: queries.PageQuery, whole: tuple[V, ...]) -> tuple[tuple[V, ...], str | None]:
    """A page of a list that is told whole, and where the next one begins."""
    start = _number(_position(asked, page), 0)
    end = start + page.limit
    return whole[start:end], _next(asked, page, str(end) if len(whole) > end else None)


def entries(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.Stretch)
    first, last = _stretch(asked, page)
    found = asked.memory.ledger.entries(first, last)
    return answers.Entries(entries=found, next=_next(asked, page, _following(page, len(found), last)))


def chain(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.Stretch)
    first, last = _stretch(asked, page)
    found = asked.memory.ledger.chain(first - 1, last)
    before, links = (found[0], found[1:]) if found and found[0].seq < first else (None, found)
    onward = _next(asked, page, _following(page, len(links), last))
    return answers.Chain(previous=before.hash if before is not None else ZERO.hex(), links=links, next=onward)


def checkpoints(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.Back)
    before = _number(_position(asked, page), _END if page.before is None else page.before)
    found = asked.memory.ledger.checkpoints(before=before, limit=page.limit)
    last = str(found[-1].checkpoint.seq) if len(found) == page.limit else None
    return answers.Checkpoints(checkpoints=found, next=_next(asked, page, last))


def denied(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.PageQuery)
    found, last = denied_before(asked.memory, _position(asked, page), page.limit)
    told = tuple(convert(one, answers.Denied, from_attributes=True) for one in found)
    return answers.DeniedCalls(denials=told, next=_next(asked, page, last))


def receipts(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.Logged)
    if page.newest:
        return _newest(asked, page)
    first, last = _stretch(asked, page)
    told = tuple(_told(*one) for one in asked.memory.ledger.receipts(first, last))
    return answers.ReceiptPage(receipts=told, next=_next(asked, page, _following(page, len(told), last)))


def _newest(asked: ReadRequest, page: queries.Logged) -> Value:
    last = _number(_position(asked, page), _END if page.last is None else page.last)
    found = islice(asked.memory.ledger.receipts(page.first, last, newest=True), page.limit)
    told = tuple(_told(*one) for one in found)
    more = len(told) == page.limit and told[-1].entry.seq > max(page.first, 1)
    return answers.ReceiptPage(receipts=told, next=_next(asked, page, str(told[-1].entry.seq - 1) if more else None))


def receipts_of(asked: ReadRequest, _: Options) -> Value:
    page = _page(asked, queries.Back)
    before = _number(_position(asked, page), _END if page.before is None else max(page.before, 1))
    found = asked.memory.insight.receipts_of(asked.places["record_id"], before=before, limit=page.limit)
    return answers.ReceiptsOf(
        receipts=found.receipts,
        looked=found.looked,
        of=found.of,
        before=found.before,
        next=_next(asked, page, str(found.before) if found.before is not None else None),
    )


def _told(entry: ReceiptEntry, account: Account) -> answers.Disclosures:
    return answers.Disclosures(entry=entry, account=account)


def _stretch(asked: ReadRequest, page: queries.Stretch) -> tuple[int, int]:
    first = max(1, _number(_position(asked, page), page.first))
    return first, min(_END if page.last is None else page.last, first + page.limit - 1)


def _following(page: queries.Stretch, count: int, last: int) -> str | None:
    full = count == page.limit and last < (_END if page.last is None else page.last)
    return str(last + 1) if full else None


def _page(asked: ReadRequest, kind: type[Q]) -> Q:
    assert isinstance(asked.query, kind)
    return asked.query


def _bounds(page: Q) -> Q:
    """What must stay the same from page to page."""
    return msgspec.structs.replace(page, cursor=None, limit=PAGE_USUAL)


def _position(asked: ReadRequest, page: Q) -> str | None:
    return None if page.cursor is None else unseal(asked.operation.name, _bounds(page), page.cursor)


def _next(asked: ReadRequest, page: Q, position: str | None) -> str | None:
    return None if position is None else seal(asked.operation.name, _bounds(page), position)


def _number(position: str | None, first: int) -> int:
    if position is None:
        return first
    if not position.isascii() or not position.isdigit() or len(position) > 19:
        raise Malformed("cursor", "the `next` of a page of this very list")
    return int(position)
