"""Lists, a page at a time. A full page may be the last: then the next one is empty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

import msgspec

from muniment.engine import ConflictView, Memory
from muniment.engine.options import OPTIONS, QueryOptions
from muniment.model.errors import Malformed
from muniment.model.query import Disclosure
from muniment.model.value import Value
from muniment.rest import answers, queries
from muniment.rest.cursor import seal, unseal
from muniment.rest.kinds import PAGE_USUAL
from muniment.surfaces.http.api.asking import Asked, said_of

Options = dict[str, object]
Q = TypeVar("Q", queries.Page, queries.Browse, queries.Disputes, queries.Knowing, queries.Stretch)
V = TypeVar("V", bound=Value)
_END = 2**62
_TRAIL = 4


def queue(asked: Asked, _: Options) -> Value:
    page = _page(asked, queries.Page)
    found = asked.memory.queue(after=_position(asked, page), limit=page.limit)
    last = found[-1].proposal.id if len(found) == page.limit else None
    return answers.Queue(proposals=found, next=_next(asked, page, last))


def browse(asked: Asked, _: Options) -> Value:
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
        memory.browse(statuses=statuses, session=chosen.session, after=after, changed_after=changed_after, **options)
    )


def trail_of(before: str | None, told: Sequence[Disclosure]) -> str:
    """The last few records of a list so far. Where the last was forgotten meanwhile, the list goes on behind the one
    before it: nothing that is still there stood between them."""
    names = [*(before.split(" ") if before is not None else []), *(_named(one) for one in told)]
    return " ".join(names[-_TRAIL:])


def _named(told: Disclosure) -> str:
    return f"{told.record.id}@{told.record.revision}"


def conflicts(asked: Asked, _: Options) -> Value:
    page = _page(asked, queries.Disputes)
    position = _position(asked, page)
    views = sorted(asked.memory.conflicts(), key=_place)
    left = [
        view
        for view in views
        if (page.status is None or view.status is page.status) and (position is None or _place(view) > position)
    ]
    found = tuple(left[: page.limit])
    last = _place(found[-1]) if len(left) > page.limit else None
    return answers.Conflicts(conflicts=found, next=_next(asked, page, last))


def _place(view: ConflictView) -> str:
    """Where a conflict stands among the others: those found first come first."""
    return f"{view.opened:019d} {view.id}"


def directory(asked: Asked, _: Options) -> Value:
    page = _page(asked, queries.Knowing)
    start = _number(_position(asked, page), 0)
    whole = asked.memory.directory(page.about, limit=min(10_000, start + page.limit + 1))
    found = whole.knowers[start : start + page.limit]
    last = str(start + page.limit) if len(whole.knowers) > start + page.limit else None
    return answers.DirectoryPage(about=whole.about, knowers=found, teams=whole.teams, next=_next(asked, page, last))


def certificates(asked: Asked, _: Options) -> Value:
    page = _page(asked, queries.Page)
    found, last = _slice(asked, page, asked.memory.certificates())
    return answers.Certificates(certificates=found, next=last)


def holds(asked: Asked, _: Options) -> Value:
    page = _page(asked, queries.Page)
    found, last = _slice(asked, page, asked.memory.holds())
    return answers.Holds(holds=found, next=last)


def quarantined(asked: Asked, _: Options) -> Value:
    page = _page(asked, queries.Page)
    found, last = _slice(asked, page, asked.memory.quarantined())
    return answers.Quarantine(records=found, next=last)


def _slice(asked: Asked, page: queries.Page, whole: tuple[V, ...]) -> tuple[tuple[V, ...], str | None]:
    """A page of a list that is told whole, and where the next one begins."""
    start = _number(_position(asked, page), 0)
    end = start + page.limit
    return whole[start:end], _next(asked, page, str(end) if len(whole) > end else None)


def entries(asked: Asked, _: Options) -> Value:
    page = _page(asked, queries.Stretch)
    first, last = _stretch(asked, page)
    found = asked.memory.ledger.entries(first, last)
    return answers.Entries(entries=found, next=_next(asked, page, _following(page, len(found), last)))


def receipts(asked: Asked, _: Options) -> Value:
    page = _page(asked, queries.Stretch)
    first, last = _stretch(asked, page)
    told = tuple(
        answers.Told(entry=entry, account=account) for entry, account in asked.memory.ledger.receipts(first, last)
    )
    return answers.Receipts(receipts=told, next=_next(asked, page, _following(page, len(told), last)))


def _stretch(asked: Asked, page: queries.Stretch) -> tuple[int, int]:
    first = max(1, _number(_position(asked, page), page.first))
    return first, min(_END if page.last is None else page.last, first + page.limit - 1)


def _following(page: queries.Stretch, count: int, last: int) -> str | None:
    full = count == page.limit and last < (_END if page.last is None else page.last)
    return str(last + 1) if full else None


def _page(asked: Asked, kind: type[Q]) -> Q:
    assert isinstance(asked.query, kind)
    return asked.query


def _bounds(page: Q) -> Q:
    """What must stay the same from page to page."""
    return msgspec.structs.replace(page, cursor=None, limit=PAGE_USUAL)


def _position(asked: Asked, page: Q) -> str | None:
    return None if page.cursor is None else unseal(asked.operation.name, _bounds(page), page.cursor)


def _next(asked: Asked, page: Q, position: str | None) -> str | None:
    return None if position is None else seal(asked.operation.name, _bounds(page), position)


def _number(position: str | None, first: int) -> int:
    if position is None:
        return first
    if not position.isascii() or not position.isdigit() or len(position) > 19:
        raise Malformed("cursor", "the `next` of a page of this very list")
    return int(position)
