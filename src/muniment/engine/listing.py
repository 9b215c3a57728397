"""Records in the order they were written, a page at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Unpack

import msgspec

from muniment.engine.asking import answer_query
from muniment.engine.options import QueryOptions, make_query
from muniment.engine.session import Session
from muniment.model import checks
from muniment.model.card import moved
from muniment.model.errors import Malformed
from muniment.model.query import LIMIT_MAX, Disclosure, Listing, Query
from muniment.model.status import CURRENT, Status
from muniment.model.times import Instant
from muniment.write.case import hidden
from muniment.write.facts import fetch

PAGE = LIMIT_MAX


def browse(
    asking: Session,
    *,
    statuses: Sequence[str] | None = None,
    session: str | None = None,
    after: str | None = None,
    changed_after: int | None = None,
    **options: Unpack[QueryOptions],
) -> Iterator[Disclosure]:
    """What `Insight.browse` says."""
    user = options.pop("user", None)
    if user is not None:
        return browse(
            asking.for_user(user),
            statuses=statuses,
            session=session,
            after=after,
            changed_after=changed_after,
            **options,
        )
    if isinstance(statuses, str):
        raise Malformed("statuses", "a list of statuses")
    words = sorted(CURRENT) if statuses is None else statuses
    listing = Listing(
        statuses=tuple(checks.read_word(f"statuses[{number}]", word, Status) for number, word in enumerate(words)),
        session=session,
        changed_after=changed_after,
    )
    limit = options.get("limit")
    query = make_query("", {**options, "limit": PAGE, "floor": 0.0}, listing=listing)
    if after is not None:
        listing = msgspec.structs.replace(listing, after=_number(asking, after, query.known_at))
    return _pages(asking, query, listing, limit)


def _number(session: Session, after: str, known_at: Instant | None) -> int:
    """Which revision a listing goes on behind. One that may not be seen, as it stood then, is none."""
    expected = "the id and revision of a record that was told, such as rec-1@2"
    name, _, revision = after.rpartition("@") if isinstance(after, str) else ("", "", "")
    if not name or not revision.isascii() or not revision.isdigit():
        raise Malformed("after", expected)
    with session.store.read() as snapshot:
        card = next((one for one in snapshot.catalogue.revisions(name) if str(one.revision) == revision), None)
        if card is not None and known_at is not None:
            then = snapshot.catalogue.standing_at(card.rid, snapshot.ledger.position_at(known_at))
            card = moved(card, then) if then is not None else None
        if card is None or hidden(session.policy, session.actor, fetch(snapshot, card)):
            raise Malformed("after", expected)
    return card.rid


def _pages(session: Session, query: Query, listing: Listing, limit: int | None) -> Iterator[Disclosure]:
    left = limit
    while left is None or left > 0:
        size = PAGE if left is None else min(PAGE, left)
        page = msgspec.structs.replace(query, limit=size, listing=listing)
        found = answer_query(session, page)
        yield from found.recall.records
        if len(found.account.candidates) < size or listing.changed_after is not None:
            return
        left = None if left is None else left - len(found.recall.records)
        listing = msgspec.structs.replace(listing, after=found.account.candidates[-1].rid)
