"""Take back everything that one actor, source or session contributed, and say who was told of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from muniment.graph.walk import dependents
from muniment.model.actor import Actor
from muniment.model.card import Card
from muniment.model.change import DependencyKey, SeenVersion
from muniment.model.curation import AffectedReceipt, Verdict, WithdrawalResult, digest_of_parts
from muniment.model.entry import EntryKind, StateChange
from muniment.model.erasure import Target, TargetKind
from muniment.model.errors import Stale
from muniment.model.packed_receipt import receipt_summary
from muniment.model.proposal import Proposal, ReviewDecision, WithdrawRequest
from muniment.model.receipt import ReceiptEntry, StoredReceipt
from muniment.model.rows import ProposalRow
from muniment.model.status import CURRENT, Status
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import Disposition
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Snapshot, Unit
from muniment.write.cascade import become, follow
from muniment.write.case import hidden
from muniment.write.facts import fetch
from muniment.write.pipeline import Bench, WriteAction, act_report, decided, enact
from muniment.write.review import held_proposal, rule

_ALL = 2**31
_IN_FORCE = CURRENT | {Status.HELD, Status.DRAFT}


class _Contribution(Value):
    """What an origin brought: every revision of it, those that are still in force, and the proposals that wait."""

    cards: tuple[Card, ...]
    live: tuple[Card, ...]
    waiting: tuple[ProposalRow, ...]


def may_withdraw(target: Target, actor: Actor, bench: Bench) -> str | None:
    """Name the rule that lets the actor withdraw: whoever may take back anything, and everybody what is their own."""
    author = target.value if target.by is TargetKind.ACTOR else None
    return decide_review(bench.policy, actor, Action.RETRACT, None, author)


def plan_withdrawal(snapshot: Snapshot, request: WithdrawRequest, actor: Actor, bench: Bench) -> WithdrawalResult:
    """What a withdrawal would do, as far as the actor may know. Changes nothing."""
    return _plan(snapshot, request.target, _contributed(snapshot, request.target), actor, bench)


def withdraw(
    unit: Unit, request: WithdrawRequest, actor: Actor, bench: Bench, expected: str | None = None
) -> WithdrawalResult:
    """Take it all back in one transaction, or record that the policy does not let this actor do so. `expected` is the
    digest of the plan that may be carried out, and no other."""
    return decided(lambda: _withdraw(unit, request, actor, bench, expected))


def _withdraw(
    unit: Unit, request: WithdrawRequest, actor: Actor, bench: Bench, expected: str | None
) -> WithdrawalResult:
    allowed = may_withdraw(request.target, actor, bench)
    if allowed is None:
        return WithdrawalResult(target=request.target, verdict=_enacted(unit, request, actor, bench, None, ()))
    found = _contributed(unit, request.target)
    plan = _plan(unit, request.target, found, actor, bench)
    if expected not in (None, plan.digest):
        raise Stale("the plan to withdraw this", yours="the one you were shown", present="another")
    dismissed = tuple(_dismissed(unit, row, request, actor, bench) for row in _mine(unit, found.waiting, actor, bench))
    verdict = _enacted(unit, request, actor, bench, allowed, found.live)
    return msgspec.structs.replace(plan, dismissed=dismissed, verdict=verdict)


def _enacted(
    unit: Unit, request: WithdrawRequest, actor: Actor, bench: Bench, allowed: str | None, cards: tuple[Card, ...]
) -> Verdict:
    report = act_report(
        request,
        actor.id,
        allowed,
        proposal=bench.ids.fresh("prp"),
        what=f"everything of one {request.target.by} withdrawn",
        reason=request.reason,
        disposition=Disposition.DEPRECATE,
    )
    act = WriteAction(
        kind=EntryKind.WITHDRAWN,
        actor=actor.id,
        report=report,
        decided_on=tuple(SeenVersion(key=DependencyKey.RECORD, name=card.id, version=card.since) for card in cards),
        changes=_taken_back(cards),
    )
    return enact(unit, act, bench)


def _taken_back(cards: Iterable[Card]) -> tuple[StateChange, ...]:
    ends = ((card, Status.DISCARDED if card.status == Status.DRAFT else Status.RETRACTED) for card in cards)
    return tuple(become(card, status) for card, status in ends)


def _contributed(snapshot: Snapshot, target: Target) -> _Contribution:
    cards = snapshot.catalogue.contributed(target)
    return _Contribution(
        cards=cards,
        live=tuple(card for card in cards if card.status in _IN_FORCE),
        waiting=tuple(
            row
            for row in snapshot.desk.held(after=None, limit=_ALL)
            if target.value == _origin(snapshot, row, target.by)
        ),
    )


def _origin(snapshot: Snapshot, row: ProposalRow, by: TargetKind) -> str | None:
    """Who or what brought a proposal that waits."""
    if by is TargetKind.ACTOR:
        return row.actor
    claim = _waiting(snapshot, row).claim
    return claim.origin.source if by is TargetKind.SOURCE else claim.place.session_id


def _waiting(snapshot: Snapshot, row: ProposalRow) -> Proposal:
    admitted = held_proposal(snapshot, row)
    assert admitted is not None, "the queue lists held proposals"
    return admitted.proposal


def _plan(snapshot: Snapshot, target: Target, found: _Contribution, actor: Actor, bench: Bench) -> WithdrawalResult:
    own = {card.rid for card in found.cards}
    falls = [fall.card for fall in follow(snapshot, _taken_back(found.live), bench.policy).falls]

    def told(cards: Iterable[Card]) -> dict[str, int]:
        shown = (card for card in cards if not hidden(bench.policy, actor, fetch(snapshot, card)))
        return {card.id: card.revision for card in shown}

    records = told(found.live)
    judged = told(card for card in falls if card.rid not in own)
    followed = told(_followed(snapshot, found.cards))
    replaced = told(
        card for live in found.live for card in snapshot.catalogue.superseded_by(live.id) if card.rid not in own
    )
    dismissed = tuple(row.id for row in _mine(snapshot, found.waiting, actor, bench))
    lists = (records, judged, followed, replaced)
    reached = [[f"{name}@{revision}" for name, revision in one.items()] for one in lists]
    return WithdrawalResult(
        target=target,
        records=tuple(records),
        judged=tuple(judged),
        followed=tuple(followed),
        replaced=tuple(replaced),
        dismissed=dismissed,
        digest=digest_of_parts([(target.by, target.value), *reached, dismissed]),
    )


def _followed(snapshot: Snapshot, cards: tuple[Card, ...]) -> list[Card]:
    """What others put in the place of what the origin brought, as far as it still speaks."""
    own = {card.rid for card in cards}
    names = {card.successor for card in cards if card.status not in _IN_FORCE and card.successor is not None}
    latest = snapshot.catalogue.latest(names)
    return [card for _, card in sorted(latest.items()) if card.rid not in own and card.status in CURRENT]


def _mine(snapshot: Snapshot, rows: tuple[ProposalRow, ...], actor: Actor, bench: Bench) -> Iterator[ProposalRow]:
    """Those of the proposals that the actor may dismiss."""
    for row in rows:
        place = _waiting(snapshot, row).claim.place
        if decide_review(bench.policy, actor, Action.DISCARD, place, row.actor) is not None:
            yield row


def _dismissed(unit: Unit, row: ProposalRow, request: WithdrawRequest, actor: Actor, bench: Bench) -> str:
    rule(unit, ReviewDecision(proposal=row.id, accept=False, reason=request.reason), actor, bench)
    return row.id


def uses(snapshot: Snapshot, target: Target, actor: Actor, bench: Bench) -> tuple[AffectedReceipt, ...]:
    """The receipts by which anything was told that the origin brought, or that stands on it, the oldest first: all of
    them to those who may audit, to others their own. Reads the whole log, so it is not for a transaction."""
    cards = snapshot.catalogue.contributed(target)
    names = {card.id for card in cards}
    reached = {card.rid: card.id for card in (*cards, *_standing_on(snapshot, names))}
    if not any(snapshot.receipts.told(rid) for rid in reached):
        return ()
    all_of_them = decide_review(bench.policy, actor, Action.AUDIT, None, None) is not None
    found = (_used(stored, reached) for stored in snapshot.receipts.all())
    return tuple(one for one in found if one is not None and (all_of_them or one.actor == actor.id))


def _standing_on(snapshot: Snapshot, names: set[str]) -> list[Card]:
    """Every record that stands on these, at any depth."""
    known, frontier, found = set(names), set(names), []
    while frontier:
        cards = snapshot.catalogue.cards({row.rid for row in dependents(snapshot, sorted(frontier))})
        fresh = [card for card in cards.values() if card.id not in known]
        frontier = {card.id for card in fresh}
        known |= frontier
        found += fresh
    return found


def _used(stored: StoredReceipt, reached: dict[int, str]) -> AffectedReceipt | None:
    gist = receipt_summary(stored.account)
    told = [one.rid for one in gist.told() if one.rid in reached]
    if not told:
        return None
    return AffectedReceipt(
        receipt=stored.id,
        at=read_canonical(stored.body, ReceiptEntry).at,
        actor=gist.actor.id,
        purpose=gist.query.purpose,
        records=tuple(dict.fromkeys(reached[rid] for rid in told)),
    )
