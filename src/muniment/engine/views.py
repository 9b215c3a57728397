"""Looking without searching: a record, its history, the queue, conflicts, a receipt. Each asks the policy first."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import cast

import msgspec

from muniment.engine.tenant import Tenant, policies_of
from muniment.model import checks
from muniment.model.actor import Actor
from muniment.model.card import Card, standing_of
from muniment.model.curation import CurationReport
from muniment.model.entry import DocumentRole, Entry, Vote
from muniment.model.erasure import ERASED
from muniment.model.errors import IntegrityError, NotFound
from muniment.model.form import record_shape
from muniment.model.proposal import Proposal
from muniment.model.query import DEFAULT_PURPOSE, Disclosure
from muniment.model.receipt import Explanation
from muniment.model.record import Record, RecordState
from muniment.model.rows import ConflictRow, ProposalRow, VectorCoverage
from muniment.model.status import Status
from muniment.model.times import Instant, show
from muniment.model.value import Json, Value, read_canonical
from muniment.model.vocabulary import ActorType, ConflictStatus, ConflictStrength, ConflictType, Strategy
from muniment.policy.decide import decide_read, decide_review, walled
from muniment.policy.rules import Action, Policy
from muniment.ports.store import Snapshot, TenantStore
from muniment.read.explain import decide_again, differences, only_read, read_receipt, search_again, taken_from
from muniment.read.gate import pass_gate, without_exposure
from muniment.read.integrity import check_pinned
from muniment.read.pipeline import ReadContext
from muniment.read.redact import own_receipt, redacted_answer
from muniment.write.commit import rebuild
from muniment.write.facts import Held, fetch, look_up
from muniment.write.pipeline import report_of
from muniment.write.review import held_proposal


class Event(Value):
    """One thing that happened to a record, and how the revision stood after it: its state, its own `confidence` and
    how far it could be believed given what it stands on."""

    epoch: int
    at: Instant
    actor: str
    what: str
    reason: str
    status: Status | None = None
    confidence: float | None = None
    effective: float | None = None


class RevisionView(Value):
    """A revision with its present standing and everything that happened to it, oldest first."""

    record: Record
    standing: RecordState
    events: tuple[Event, ...]

    @property
    def content(self) -> str:
        return self.record.content

    def to_dict(self) -> dict[str, Json]:
        record = cast("dict[str, Json]", record_shape(self.record, self.standing))
        return {**record, "events": [one.to_dict() for one in self.events]}


class History(Value):
    """A record through time: its revisions, and the records it replaced or was replaced by."""

    id: str
    revisions: tuple[RevisionView, ...]
    replaced: tuple[str, ...]
    replaced_by: tuple[str, ...]


class QueueItem(Value):
    """A proposal that waits, with the report that made it wait. `actor_type` is what its author was when it came in."""

    proposal: Proposal
    actor: str
    epoch: int
    at: Instant
    report: CurationReport
    actor_type: ActorType

    @property
    def content(self) -> str:
        return self.proposal.claim.content

    def to_dict(self) -> dict[str, Json]:
        claim, report = self.proposal.claim, self.report
        return {
            "proposal_id": self.proposal.id,
            "actor": self.actor,
            "actor_type": self.actor_type.value,
            "at": show(self.at),
            "epoch": self.epoch,
            "content": claim.content,
            "kind": claim.nature.kind.value,
            "scope": claim.place.scope.value,
            "scope_id": claim.place.scope_id,
            "namespace": claim.place.namespace,
            "confidence": claim.belief.score,
            "confidence_stated": not claim.belief.unstated,
            "evidence": list(claim.belief.evidence),
            "source": claim.origin.source,
            "source_type": claim.origin.source_type,
            "target": self.proposal.target,
            "promotes": self.proposal.promotes,
            "rule": report.rule,
            "reason": report.reason,
            "redactions": [one.to_dict() for one in report.redactions],
            "steps": [one.to_dict() for one in report.steps],
        }


class Curated(Value):
    """A proposal as it was decided last: the report, who made it, when it was decided, and the record it became."""

    report: CurationReport
    actor: str
    epoch: int
    at: Instant
    record_id: str | None = None
    revision: int | None = None


class ConflictView(Value):
    """A disagreement with both its sides, and whether it is established or only suspected.

    `at` is when it was opened. A `winner` that is neither side, as a synthesis is, is named only to those who may see
    it."""

    id: str
    type: ConflictType
    status: ConflictStatus
    why: str
    strength: ConflictStrength
    opened: int
    at: Instant
    a: Disclosure
    b: Disclosure
    strategy: Strategy | None = None
    winner: str | None = None
    rationale: str | None = None
    resolved_by: str | None = None
    epoch_resolved: int | None = None
    settled_at: Instant | None = None
    ballots: tuple[Vote, ...] = ()

    @property
    def contests(self) -> bool:
        """Whether both sides are contested for it while it is open."""
        return self.strength is ConflictStrength.ESTABLISHED


def record_of(snapshot: Snapshot, actor: Actor, policy: Policy, record: str, revision: int | None) -> Disclosure:
    checks.identifier("id", record)
    if revision is not None:
        checks.whole("revision", revision, least=1, most=2**31)
    held = look_up(snapshot, record)
    if held is not None and revision is not None:
        cards = [card for card in snapshot.catalogue.revisions(record) if card.revision == revision]
        held = fetch(snapshot, cards[0]) if cards else None
    found = _as_it_stands(snapshot, held, actor, policy) if held is not None else None
    if found is None:
        raise NotFound("record", record)
    return found


def occupants_of(snapshot: Snapshot, actor: Actor, policy: Policy, slot: str) -> tuple[Disclosure, ...]:
    """What fills a slot now, the oldest first, of what the caller may see."""
    cards = sorted(snapshot.catalogue.occupants(slot), key=lambda card: card.rid)
    found = (_as_it_stands(snapshot, fetch(snapshot, card), actor, policy) for card in cards)
    return tuple(one for one in found if one is not None)


def _as_it_stands(snapshot: Snapshot, held: Held, actor: Actor, policy: Policy) -> Disclosure | None:
    found = disclose(snapshot, held.record, standing_of(held.card), actor, policy)
    if found is None:
        return None
    _check_pinned(snapshot, held.card)
    rows = (row for row in snapshot.desk.conflicts_of(held.card.rid) if row.status != ConflictStatus.RESOLVED)
    names = tuple(row.id for row in rows if conflict_view(snapshot, actor, policy, row) is not None)
    return msgspec.structs.replace(found, conflicts=names)


def disclose(
    snapshot: Snapshot, record: Record, standing: RecordState, actor: Actor, policy: Policy
) -> Disclosure | None:
    """A revision in one standing, as far as the caller may see it."""
    passed = pass_gate(record, standing, policy=policy, actor=actor, purpose=DEFAULT_PURPOSE, gates=policy.trust.gates)
    if not isinstance(passed, Disclosure):
        return None
    return msgspec.structs.replace(passed, standing=_known(snapshot, record, standing, actor, policy))


def _known(snapshot: Snapshot, record: Record, standing: RecordState, actor: Actor, policy: Policy) -> RecordState:
    """The standing as the caller may know it."""
    return redacted_answer(snapshot, record.id, standing, policy=policy, actor=actor, purpose=DEFAULT_PURPOSE)


def _check_pinned(snapshot: Snapshot, card: Card) -> None:
    """Refuse to tell a revision that is not what the ledger committed to."""
    document = snapshot.documents.get(card.rid)
    if document is not None:
        check_pinned(snapshot, document, card.seq)


def history_of(snapshot: Snapshot, actor: Actor, policy: Policy, record: str) -> History:
    checks.identifier("id", record)
    views = []
    for card in snapshot.catalogue.revisions(record):
        held = fetch(snapshot, card)
        standing = standing_of(card)
        label, status = standing.footing.label, standing.status
        if decide_read(policy, actor, DEFAULT_PURPOSE, held.record, label, status=status) is not None:
            _check_pinned(snapshot, card)
            known = _known(snapshot, held.record, standing, actor, policy)
            events = _events(snapshot, actor, policy, card)
            shown = without_exposure(held.record, policy, actor)
            views.append(RevisionView(record=shown, standing=known, events=events))
    if not views:
        raise NotFound("record", record)
    replaced = {card.id for card in snapshot.catalogue.superseded_by(record)} - {record}
    successors = [
        card.successor for card in snapshot.catalogue.revisions(record) if card.successor not in (None, record)
    ]
    return History(
        id=record,
        revisions=tuple(views),
        replaced=_visible(snapshot, actor, policy, sorted(replaced)),
        replaced_by=_visible(snapshot, actor, policy, [name for name in successors if name is not None]),
    )


def _visible(snapshot: Snapshot, actor: Actor, policy: Policy, names: list[str]) -> tuple[str, ...]:
    found = ((name, look_up(snapshot, name)) for name in names)
    return tuple(
        name
        for name, held in found
        if held is not None and disclose(snapshot, held.record, standing_of(held.card), actor, policy) is not None
    )


def _events(snapshot: Snapshot, actor: Actor, policy: Policy, card: Card) -> tuple[Event, ...]:
    rows = [row.standing for row in snapshot.catalogue.standings(card.rid)]
    steps = [(rows[0], f"committed as {rows[0].status}")]
    steps += [(after, _happened(before, after)) for before, after in pairwise(rows)]
    return tuple(
        _told(snapshot, actor, policy, card, _standing_after(_event(snapshot, standing.since, what), standing))
        for standing, what in steps
    )


def _standing_after(event: Event, standing: RecordState) -> Event:
    footing = standing.footing
    return msgspec.structs.replace(event, status=standing.status, confidence=footing.own, effective=footing.effective)


def _told(snapshot: Snapshot, actor: Actor, policy: Policy, card: Card, event: Event) -> Event:
    """The event as this caller may know it: who did what to another record, and why, is told to those who may see that
    record."""
    stored = snapshot.ledger.entry(event.epoch)
    assert stored is not None, "the event was read from it"
    entry = read_canonical(stored.body, Entry)
    filed = entry.filing.record if entry.filing is not None else None
    about = {filed} if filed is not None else {one.id for one in _sides(snapshot, entry)}
    if card.id in about or len(_visible(snapshot, actor, policy, sorted(about))) == len(about):
        return event
    return msgspec.structs.replace(event, actor="", reason="")


def _sides(snapshot: Snapshot, entry: Entry) -> list[Card]:
    rids = {rid for conflict in entry.conflicts for rid in (conflict.a, conflict.b)}
    return list(snapshot.catalogue.cards(rids).values())


def _happened(before: RecordState, after: RecordState) -> str:
    """What became of a revision, in words: every part of its standing that is another."""
    old, new = before.footing, after.footing
    parts = [f"became {after.status}"] if after.status is not before.status else []
    if new.helpful != old.helpful:
        parts.append(f"was helpful (+{new.helpful - old.helpful:g})")
    if new.misleading != old.misleading:
        parts.append(f"was misleading (+{new.misleading - old.misleading:g})")
    if new.effective != old.effective:
        parts.append(f"effective confidence {old.effective:.2f} to {new.effective:.2f}")
    if new.support is not old.support:
        parts.append(f"support {old.support} to {new.support}")
    if new.label is not old.label:
        parts.append(f"origin {old.label} to {new.label}")
    if after.vigour.tier is not before.vigour.tier:
        parts.append(f"tier {before.vigour.tier} to {after.vigour.tier}")
    return ", ".join(parts) or "was used"


def _event(snapshot: Snapshot, seq: int, what: str) -> Event:
    entry = _entry(snapshot, seq)
    report = next((ref.doc for ref in entry.documents if ref.role is DocumentRole.REPORT), None)
    document = snapshot.documents.get(report) if report is not None else None
    reason = read_canonical(document.body, CurationReport).reason if document is not None else ""
    return Event(epoch=seq, at=entry.at, actor=entry.actor, what=what, reason=reason)


def _entry(snapshot: Snapshot, seq: int) -> Entry:
    stored = snapshot.ledger.entry(seq)
    if stored is None:
        raise IntegrityError(f"entry {seq} is missing")
    return read_canonical(stored.body, Entry)


def queue_of(
    snapshot: Snapshot, actor: Actor, policy: Policy, *, after: str | None, limit: int
) -> tuple[QueueItem, ...]:
    found: list[QueueItem] = []
    while len(found) < limit:
        rows = snapshot.desk.held(after=after, limit=limit)
        for row in rows:
            item = _queue_item(snapshot, row)
            place = item.proposal.claim.place
            own = row.actor == actor.id and not walled(actor, place)
            if own or decide_review(policy, actor, Action.QUEUE, place, row.actor) is not None:
                told = _as_told(snapshot, actor, policy, item.report)
                found.append(msgspec.structs.replace(item, report=told))
        if len(rows) < limit:
            break
        after = rows[-1].id
    return tuple(found[:limit])


def _queue_item(snapshot: Snapshot, row: ProposalRow) -> QueueItem:
    admitted = held_proposal(snapshot, row)
    assert admitted is not None, "the queue lists held proposals"
    return QueueItem(
        proposal=admitted.proposal,
        actor=row.actor,
        epoch=row.seq,
        at=row.at,
        report=report_of(snapshot, row),
        actor_type=admitted.actor.type,
    )


def report_on(snapshot: Snapshot, actor: Actor, policy: Policy, proposal: str) -> Curated:
    row = snapshot.desk.proposal(proposal)
    if row is None or not _may_know(snapshot, actor, policy, row):
        raise NotFound("proposal", proposal)
    return Curated(
        report=_as_told(snapshot, actor, policy, report_of(snapshot, row)),
        actor=row.actor,
        epoch=row.seq,
        at=row.at,
        record_id=row.record,
        revision=row.revision,
    )


def _as_told(snapshot: Snapshot, actor: Actor, policy: Policy, report: CurationReport) -> CurationReport:
    """A report without the names of records that the caller may not see; those who audit see them all."""
    if decide_review(policy, actor, Action.AUDIT, None, None) is not None:
        return report
    names = {*report.contradicts, *report.echoes, *report.same_as, *filter(None, [report.duplicate_of])}
    unseen = names - set(_visible(snapshot, actor, policy, sorted(names)))
    blank = (step for step in report.steps if any(name in step.note for name in unseen))
    spoken = {step.step: msgspec.structs.replace(step, note="") for step in blank}
    return msgspec.structs.replace(
        report,
        steps=tuple(spoken.get(step.step, step) for step in report.steps),
        duplicate_of=None if report.duplicate_of in unseen else report.duplicate_of,
        contradicts=tuple(name for name in report.contradicts if name not in unseen),
        echoes=tuple(name for name in report.echoes if name not in unseen),
        same_as=tuple(name for name in report.same_as if name not in unseen),
    )


def _may_know(snapshot: Snapshot, actor: Actor, policy: Policy, row: ProposalRow) -> bool:
    """A report holds no content; still it is told only to those whose business it is."""
    if (row.actor == actor.id and not _beyond(snapshot, actor, row)) or decide_review(
        policy, actor, Action.AUDIT, None, None
    ) is not None:
        return True
    return row.record is not None and bool(_visible(snapshot, actor, policy, [row.record]))


def _beyond(snapshot: Snapshot, actor: Actor, row: ProposalRow) -> bool:
    """Whether a proposal is out of reach for one who acts for a user. What became no record and waits no more tells
    no place; it is out of reach too."""
    if actor.user is None:
        return False
    held = held_proposal(snapshot, row)
    return walled(actor, held.proposal.claim.place if held is not None else None)


def conflict_view(snapshot: Snapshot, actor: Actor, policy: Policy, row: ConflictRow) -> ConflictView | None:
    """A disagreement with both its sides, if the caller may see both."""
    sides = []
    for rid in (row.a, row.b):
        card = snapshot.catalogue.card(rid)
        if card is None:
            return None
        disclosed = disclose(snapshot, fetch(snapshot, card).record, standing_of(card), actor, policy)
        if disclosed is None:
            return None
        sides.append(disclosed)
    taken_up = _event(snapshot, row.changed, "") if row.strategy is not None else None
    over = row.status == ConflictStatus.RESOLVED
    return ConflictView(
        id=row.id,
        type=ConflictType(row.type),
        status=ConflictStatus(row.status),
        why=row.why,
        strength=row.strength,
        opened=row.opened,
        at=_entry(snapshot, row.opened).at,
        a=sides[0],
        b=sides[1],
        strategy=Strategy(row.strategy) if row.strategy is not None else None,
        winner=_winner(snapshot, actor, policy, row.winner, sides),
        rationale=taken_up.reason if taken_up is not None else None,
        resolved_by=taken_up.actor if taken_up is not None and over else None,
        epoch_resolved=row.changed if over else None,
        settled_at=_entry(snapshot, row.changed).at if over else None,
        ballots=row.ballots,
    )


def _winner(
    snapshot: Snapshot, actor: Actor, policy: Policy, winner: str | None, sides: list[Disclosure]
) -> str | None:
    """Who won, unless it is a record that the caller may not see."""
    if winner is None or any(side.record.id == winner for side in sides):
        return winner
    return next(iter(_visible(snapshot, actor, policy, [winner])), None)


_NO_WORDS = "it cannot be searched again, for its words were erased; the recorded candidates were decided again"


def explain(
    tenant: Tenant, actor: Actor, receipt: str, *, replay: bool, progress: Callable[[int], None] | None
) -> Explanation:
    """Decide a receipt again, for the one it was given to or for those who may audit."""
    checks.identifier("receipt_id", receipt)
    policy = tenant.bench.policy
    audits = decide_review(policy, actor, Action.AUDIT, None, None) is not None
    with tenant.store.read() as snapshot:
        stored = snapshot.receipts.get(receipt)
        if stored is None and tenant.aside is not None:
            stored = tenant.aside.get(receipt)
        if stored is None:
            raise NotFound("receipt", receipt)
        policies = policies_of(snapshot)
        read = read_receipt(stored, policies)
        account = read.account
        own = account.actor.id == actor.id and actor.user in (None, account.actor.user)
        if not own and not audits:
            raise NotFound("receipt", receipt)
        reading = ReadContext(actor=account.actor, policy=policies(account.policy), policy_doc=account.policy)
        if read.dropped:
            found = only_read(read)
        elif not replay:
            found = decide_again(snapshot, read, reading)
        elif account.query.text == ERASED:
            found = decide_again(snapshot, read, reading)
            found = msgspec.structs.replace(found, note=_NO_WORDS)
        else:
            with tenant.store.scratch() as scratch:
                told = progress or (lambda _: None)
                scratch.write(lambda unit: rebuild(unit, snapshot, upto=read.entry.epoch, progress=told))
                with scratch.read() as rebuilt:
                    _lend(tenant.store, scratch, account.plan.reach)
                    found = search_again(rebuilt, read, reading, tenant.indexer.ask)
        found = differences(snapshot, found, taken_from(snapshot, stored))
        return found if audits else msgspec.structs.replace(found, account=own_receipt(found.account))


def _lend(store: TenantStore, scratch: TenantStore, reach: VectorCoverage) -> None:
    """Give a rebuilt store the vectors as far as they reached then, if they are still there."""
    if reach.model is None or store.vectors.reach().model != reach.model:
        return
    rows = list(store.vectors.rows(reach.upto))
    if rows and scratch.vectors.claim():
        scratch.vectors.begin(reach.model, len(rows[0].vector) // 4)
        scratch.vectors.add(rows, upto=reach.upto)
