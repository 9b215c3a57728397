"""What a reader was told before and may no longer rely on: ids and reasons, for who was told and still may see it.

A withdrawal is told once, and again to whoever asks about it or for everything since a position.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from muniment.model.actor import Actor
from muniment.model.card import Card, standing_of
from muniment.model.entry import Document
from muniment.model.packed_receipt import receipt_summary
from muniment.model.query import DEFAULT_PURPOSE, Query, Withdrawn
from muniment.model.receipt import Plan
from muniment.model.record import RecordState
from muniment.model.status import CURRENT, Status
from muniment.model.times import MAX, Instant
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import Support
from muniment.policy.decide import decide_read
from muniment.policy.rules import Policy
from muniment.ports.store import Snapshot
from muniment.read.fetch import record_of

KEPT_MAX = 64
RELATED_MAX = 32
"""So many of the latest withdrawals are held against the words of a question."""
RELATED_SHARE = 0.5
"""What holds this share of the question's words is what the question is about."""
RECEIPTS_MAX = 5_000
"""So many of the last receipts are looked through for who was told of what has been erased since."""
FALLEN, ERASED = "fallen", "erased"
_ENDED = frozenset({Status.RETRACTED, Status.DEPRECATED, Status.SUPERSEDED})
_FALLEN = frozenset({Support.FALLEN, Support.DEPRECATED})


class News(Value):
    """A withdrawal that is told, with the number of the revision."""

    told: Withdrawn
    rid: int


def withdrawn_for(snapshot: Snapshot, plan: Plan, query: Query, actor: Actor, policy: Policy) -> tuple[News, ...]:
    """What the asker was told and may no longer rely on, the latest first. Nothing of the past is news."""
    if query.listing is not None or not plan.at_head or not plan.grants:
        return ()
    since = query.attuned.since if query.attuned is not None else 0
    found = [*_ended(snapshot, plan, query.purpose, actor, policy, since), *_erased(snapshot, actor, since)]
    found.sort(key=lambda news: (-news.told.since, -news.rid))
    return tuple({news.told.id: news for news in reversed(found)}.values())[::-1]


def foretell_withdrawn(snapshot: Snapshot, plan: Plan) -> None:
    """Tell the store what is asked for that when a question is answered."""
    if plan.at_head and plan.asker is not None:
        asks = (snapshot.catalogue.ended_for, snapshot.catalogue.erased_for)
        snapshot.ahead(*(partial(ask, plan.asker, after=0, keep=KEPT_MAX) for ask in asks))


def withdrawn_since(
    snapshot: Snapshot, actor: Actor, policy: Policy, since: int, *, purpose: str = DEFAULT_PURPOSE
) -> tuple[Withdrawn, ...]:
    """The same for whoever listens: everything of it that ended after an entry, in the order it did."""
    found = [*_ended(snapshot, None, purpose, actor, policy, since), *_erased(snapshot, actor, since)]
    found.sort(key=lambda news: (news.told.since, news.rid))
    return tuple({news.told.id: news.told for news in found}.values())


def _ended(
    snapshot: Snapshot, plan: Plan | None, purpose: str, actor: Actor, policy: Policy, since: int
) -> Iterator[News]:
    rows = dict(snapshot.catalogue.ended_for(actor.id, after=since, keep=KEPT_MAX))
    if not rows:
        return
    cards = snapshot.catalogue.cards(rows)
    ends = {rid: end for rid, card in cards.items() if (end := _end_of(snapshot, card)) is not None}
    fresh = {rid for rid, (_, seq) in ends.items() if seq > since and (since or rows[rid] <= _at(snapshot, seq))}
    asked_about = (
        _related(snapshot, plan, [rid for rid in ends if rid not in fresh])
        if not since and plan is not None
        else set[int]()
    )
    told = [rid for rid in rows if rid in fresh | asked_about]
    known = _followed_knowingly(snapshot, actor, [cards[rid] for rid in told])
    documents = snapshot.documents.many(told)
    for rid in told:
        if rid not in known and rid in documents and _may_see(documents[rid], cards[rid], purpose, actor, policy):
            why, seq = ends[rid]
            yield News(told=Withdrawn(id=cards[rid].id, why=why, since=seq), rid=rid)


def _end_of(snapshot: Snapshot, card: Card) -> tuple[str, int] | None:
    """Why a revision may no longer be relied on, and since which entry; None if it may."""
    end: tuple[str, int] | None = None
    for row in snapshot.catalogue.standings(card.rid):
        why = _why(row.standing)
        if why is None:
            end = None
        elif end is None or end[0] != why:
            end = (why, row.standing.since)
    return end


def _why(standing: RecordState) -> str | None:
    if standing.status in _ENDED:
        return standing.status.value
    return FALLEN if standing.status in CURRENT and standing.footing.support in _FALLEN else None


class _When(Value, forbid_unknown_fields=False):
    at: Instant


def _at(snapshot: Snapshot, seq: int) -> Instant:
    stored = snapshot.ledger.entry(seq)
    return read_canonical(stored.body, _When).at if stored is not None else MAX


def _related(snapshot: Snapshot, plan: Plan, rids: list[int]) -> set[int]:
    """Those of these revisions that the question is about, by its words."""
    words = tuple(dict.fromkeys([*plan.terms.words, *(word for phrase in plan.terms.phrases for word in phrase)]))
    least = RELATED_SHARE * len(words)
    return {rid for rid in rids[:RELATED_MAX] if words and len(snapshot.lexicon.held(rid, words)) >= least}


def _followed_knowingly(snapshot: Snapshot, actor: Actor, cards: list[Card]) -> set[int]:
    """Those whose next revision the reader has been told already: they know what holds now."""
    revised = {card.rid: card.id for card in cards if card.successor == card.id}
    present = snapshot.catalogue.latest(revised.values()) if revised else {}
    told = snapshot.receipts.told_to(actor.id, [card.rid for card in present.values()])
    return {rid for rid, name in revised.items() if name in present and present[name].rid in told}


def _may_see(document: Document, card: Card, purpose: str, actor: Actor, policy: Policy) -> bool:
    """Whether the reader may know of it today. What was kept for a user is news in that user's memory alone."""
    record, standing = record_of(document.body), standing_of(card)
    if record.claim.place.user != actor.user:
        return False
    grant = decide_read(policy, actor, purpose, record, standing.footing.label, status=standing.status)
    return grant is not None


def _erased(snapshot: Snapshot, actor: Actor, since: int) -> Iterator[News]:
    """What was erased. Nothing is left to ask the policy about, so it is told to those alone who were told of it as the
    same reader: the receipts say in whose behalf they asked."""
    rows = snapshot.catalogue.erased_for(actor.id, after=since, keep=KEPT_MAX)
    stones = [stone for stone, last in rows if since or last <= _at(snapshot, stone.seq)]
    told = _told_as(snapshot, actor, {stone.id for stone in stones}) if stones else set[str]()
    for stone in stones:
        if stone.id in told:
            yield News(told=Withdrawn(id=stone.id, why=ERASED, since=stone.seq), rid=stone.rid)


def _told_as(snapshot: Snapshot, actor: Actor, names: set[str]) -> set[str]:
    """Which of these records the last receipts tell of to this very reader."""
    found: set[str] = set()
    for stored in snapshot.receipts.since(max(0, snapshot.receipts.head()[0] - RECEIPTS_MAX)):
        if any(f'"{name}"'.encode() in stored.account for name in names - found):
            gist = receipt_summary(stored.account)
            if (gist.actor.id, gist.actor.user) == (actor.id, actor.user):
                found |= names & {one.id for one in gist.told()}
    return found
