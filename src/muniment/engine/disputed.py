"""Disagreements as far as the caller may see both sides: all of them, those of one record, or one by its id."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from muniment.engine.views import ConflictView, conflict_view
from muniment.model import checks
from muniment.model.actor import Actor
from muniment.model.errors import Malformed, NotFound
from muniment.model.rows import ConflictRow
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus
from muniment.policy.rules import Policy
from muniment.ports.store import Snapshot

LIMIT_MAX = 100_000
_DIGITS_MAX = 19


class ConflictQuery(Value):
    """Which disagreements: of one record, in one state, behind one that was told, and so many of them."""

    record: str | None = None
    status: ConflictStatus | None = None
    after: tuple[int, str] | None = None
    limit: int | None = None


def asked(record: str | None, status: str | None, after: str | None, limit: int | None) -> ConflictQuery:
    """What a caller asks for, once it is known to be well said."""
    checks.optional_identifier("id", record)
    if limit is not None:
        checks.whole("limit", limit, least=1, most=LIMIT_MAX)
    return ConflictQuery(
        record=record,
        status=checks.read_word("status", status, ConflictStatus) if status is not None else None,
        after=_place(after) if after is not None else None,
        limit=limit,
    )


def _place(after: str) -> tuple[int, str]:
    opened, _, name = after.partition("@") if isinstance(after, str) else ("", "", "")
    if not name or not opened.isascii() or not opened.isdigit() or len(opened) > _DIGITS_MAX:
        raise Malformed("after", "the position and the id of a conflict that was told, such as 12@cfl-1")
    return int(opened), name


def conflicts_of(snapshot: Snapshot, actor: Actor, policy: Policy, wanted: ConflictQuery) -> tuple[ConflictView, ...]:
    """The disagreements that are asked for, oldest first. Those that are not told cost no look at their sides."""
    rows = (
        row
        for row in _rows(snapshot, wanted.record)
        if (wanted.status is None or row.status == wanted.status)
        and (wanted.after is None or (row.opened, row.id) > wanted.after)
    )
    views = (conflict_view(snapshot, actor, policy, row) for row in rows)
    return tuple(islice((view for view in views if view is not None), wanted.limit))


def _rows(snapshot: Snapshot, record: str | None) -> Iterable[ConflictRow]:
    if record is None:
        return snapshot.desk.conflicts()
    cards = snapshot.catalogue.revisions(record)
    found = {row.id: row for card in cards for row in snapshot.desk.conflicts_of(card.rid)}
    return sorted(found.values(), key=lambda row: (row.opened, row.id))


def conflict_of(snapshot: Snapshot, actor: Actor, policy: Policy, conflict: str) -> ConflictView:
    checks.identifier("conflict_id", conflict)
    row = snapshot.desk.conflict(conflict)
    view = conflict_view(snapshot, actor, policy, row) if row is not None else None
    if view is None:
        raise NotFound("conflict", conflict)
    return view
