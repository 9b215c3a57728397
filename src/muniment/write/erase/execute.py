"""Carry an erasure out: one decision, one entry, one transaction, one certificate."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from muniment.model.actor import Actor
from muniment.model.card import Card, standing_of
from muniment.model.change import ChangeSet, DocumentRedaction, NewDocument
from muniment.model.claim import Place
from muniment.model.curation import CurationReport, ErasureResult, Verdict
from muniment.model.entry import DocumentRole, EntryKind, ProposalStateChange, RevisionCreated, StateChange
from muniment.model.erasure import (
    DerivedPolicy,
    ErasureOutcome,
    ErasurePlan,
    ErasureRequest,
    HoldConflict,
    PlannedErasure,
    Target,
    TargetKind,
    Tombstone,
    digest_of,
)
from muniment.model.errors import NotFound, Stale
from muniment.model.record import Record
from muniment.model.rows import ProposalRow
from muniment.model.status import Status
from muniment.model.value import Value
from muniment.model.vocabulary import Disposition, Outcome, Scope
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.clock_and_ids import Signer
from muniment.ports.store import Snapshot, Unit
from muniment.write.cascade import become, with_cascade
from muniment.write.case import hidden
from muniment.write.commit import commit_certified
from muniment.write.corroborate import with_lapses
from muniment.write.erase.affected_records import (
    AffectedRecords,
    MatchedRecords,
    find,
    name_of,
    reach,
    records_of,
    with_redacted,
)
from muniment.write.erase.certificate import RemovedItems, make_certificate
from muniment.write.erase.holds import blocking, holds, refuse_held
from muniment.write.erase.pending_proposals import dismissing, held_rows, waiting_on
from muniment.write.erase.redact import redacted
from muniment.write.erase.traces import ErasureScope, FoundTraces, find_traces
from muniment.write.erase.words import ForbiddenWords, last_words
from muniment.write.facts import fetch, look_up
from muniment.write.pipeline import (
    Bench,
    WriteAction,
    act_report,
    decided,
    enact,
    next_place,
    verdict_of,
)
from muniment.write.review import held_proposal, visible

Signing = Callable[[Snapshot], Signer]
"""Who signs what a ledger says next."""
_NO_RIGHT = "it was derived from what is erased, which the one who asks may not do: somebody has to look at it"


class PreparedErasure(Value):
    """An erasure thought through: what is meant and reached, the texts that go, and the proposals that wait."""

    target: Target
    meant: MatchedRecords
    reached: AffectedRecords
    records: dict[int, Record]
    waiting: tuple[ProposalRow, ...]
    forced: frozenset[int] = frozenset()
    receipts: frozenset[int] = frozenset()


class RepeatedErasure(Value):
    """An erasure to be done again in a store that went back to before it: records and those that were `redacted` with
    them, waiting proposals by id, documents and receipts by their numbers there."""

    records: tuple[str, ...]
    redacted: tuple[str, ...]
    proposals: frozenset[str]
    documents: frozenset[int]
    receipts: frozenset[int]
    derived: DerivedPolicy
    reason: str


def plan_erasure(snapshot: Snapshot, oblivion: ErasureRequest, actor: Actor, bench: Bench) -> ErasurePlan:
    """What an erasure would do, as far as the actor may know, and which holds stand against it. Changes nothing."""
    prepared = _prepare(snapshot, oblivion, actor, bench)
    found = find_traces(snapshot, _erasing(prepared), _lost(snapshot, prepared))
    plan = _plan(snapshot, oblivion, prepared, found, actor, bench)
    return msgspec.structs.replace(plan, holds=_blocking(snapshot, prepared))


def may_erase(snapshot: Snapshot, target: Target, actor: Actor, bench: Bench) -> str | None:
    """Name the rule that lets the actor erase. Everything of somebody takes the right to erase anywhere."""
    if target.by is TargetKind.USER:
        return decide_review(bench.policy, actor, Action.FORGET, Place(scope=Scope.USER, scope_id=target.value), None)
    if target.by is not TargetKind.RECORD:
        return decide_review(bench.policy, actor, Action.FORGET, None, None)
    record = visible(snapshot, target.value, actor, bench).record
    return decide_review(bench.policy, actor, Action.FORGET, record.claim.place, record.actor)


def erase(unit: Unit, oblivion: ErasureRequest, actor: Actor, bench: Bench, signing: Signing) -> ErasureResult:
    """Take it all away, or record that the policy does not let this actor do so."""
    return decided(lambda: _erase(unit, oblivion, actor, bench, signing))


def _erase(unit: Unit, oblivion: ErasureRequest, actor: Actor, bench: Bench, signing: Signing) -> ErasureResult:
    rule_id = may_erase(unit, oblivion.target, actor, bench)
    opening = bench.ids.salt().hex()
    if rule_id is None:
        return ErasureResult(plan=_nothing(oblivion), verdict=_refused(unit, oblivion, opening, actor, bench))
    prepared = _prepare(unit, oblivion, actor, bench)
    refuse_held(_blocking(unit, prepared))
    return _carry_out(unit, oblivion, prepared, _Warrant(opening=opening, rule=rule_id, signing=signing), actor, bench)


def erase_again(
    unit: Unit, again: RepeatedErasure, actor: Actor, bench: Bench, signing: Signing
) -> ErasureResult | None:
    """Do an erasure again that the store has forgotten about. None when nothing of it is there. Asks nobody: it was
    decided before."""
    there = tuple(name for name in again.records if unit.catalogue.revisions(name))
    cut = tuple(name for name in again.redacted if unit.catalogue.revisions(name))
    meant = MatchedRecords(records=there)
    oblivion = ErasureRequest(
        target=Target(by=TargetKind.RECORD, value=there[0] if there else "restored"),
        reason=again.reason,
        derived=again.derived,
    )
    reached = with_redacted(unit, reach(unit, meant, TargetKind.RECORD, again.derived), cut)
    gone = [*reached.of(ErasureOutcome.ERASED), *reached.of(ErasureOutcome.REDACTED)]
    prepared = PreparedErasure(
        target=oblivion.target,
        meant=meant,
        reached=reached,
        records=records_of(unit, gone),
        waiting=_waiting_again(unit, again, oblivion.target, meant, reached),
        forced=again.documents,
        receipts=again.receipts,
    )
    warrant = _Warrant(opening=bench.ids.salt().hex(), rule="restored", signing=signing)
    try:
        return _carry_out(unit, oblivion, prepared, warrant, actor, bench)
    except NotFound:
        return None


def _waiting_again(
    unit: Unit, again: RepeatedErasure, target: Target, meant: MatchedRecords, reached: AffectedRecords
) -> tuple[ProposalRow, ...]:
    about = waiting_on(unit, target, meant, _gone(reached)) if meant.records else []
    named = [row for row in held_rows(unit) if row.id in again.proposals or row.held in again.documents]
    return tuple({row.id: row for row in (*named, *about)}.values())


def erase_each(
    unit: Unit, records: tuple[str, ...], reason: str, actor: Actor, bench: Bench, signing: Signing
) -> ErasureResult | None:
    """Erase those of these records that the actor may erase, and that no hold keeps, in one entry. None for none."""
    kept = {name for hold in holds(unit) for name in find(unit, hold.target).records}
    held = {name: found for name in records if (found := look_up(unit, name)) is not None and name not in kept}
    rules = {
        name: decide_review(bench.policy, actor, Action.FORGET, one.record.claim.place, one.record.actor)
        for name, one in held.items()
        if not hidden(bench.policy, actor, one)
    }
    there = tuple(name for name, rule_id in rules.items() if rule_id is not None)
    if not there:
        return None
    target = Target(by=TargetKind.RECORD, value=there[0])
    oblivion = ErasureRequest(target=target, reason=reason, derived=DerivedPolicy.REVIEW)
    prepared = _prepared(unit, target, MatchedRecords(records=there), DerivedPolicy.REVIEW, actor, bench)
    on_hold = {name for one in _blocking(unit, prepared) for name in one.proposals}
    waiting = tuple(row for row in prepared.waiting if row.id not in on_hold)
    prepared = msgspec.structs.replace(prepared, waiting=waiting)
    rule_id = next(rule_id for rule_id in rules.values() if rule_id is not None)
    warrant = _Warrant(opening=bench.ids.salt().hex(), rule=rule_id, signing=signing)
    return _carry_out(unit, oblivion, prepared, warrant, actor, bench)


class _Warrant(Value):
    """What an erasure is certified with: the opening, the rule that allows it, and who signs."""

    opening: str
    rule: str
    signing: Signing


def _carry_out(
    unit: Unit, oblivion: ErasureRequest, prepared: PreparedErasure, warrant: _Warrant, actor: Actor, bench: Bench
) -> ErasureResult:
    opening = warrant.opening
    lost, erasing = _lost(unit, prepared), _erasing(prepared)
    oblivion = msgspec.structs.replace(oblivion, reason=lost.cut(oblivion.reason))
    found = find_traces(unit, erasing, lost)
    plan = _plan(unit, oblivion, prepared, found, actor, bench)
    if oblivion.expected not in (None, plan.digest):
        raise Stale("the plan to forget this", yours="the one you were shown", present="another")
    report = _report(oblivion, opening, actor, warrant.rule, bench)
    change = _change(unit, prepared, found, lost, report, bench)
    if oblivion.target.by is TargetKind.RECORD and prepared.meant.records:
        change = _named(change, prepared)
    removed = RemovedItems(
        proposals=erasing.proposals,
        documents=frozenset({*change.dropped, *(one.doc for one in change.amended)}),
        receipts=tuple(one.id for one in change.receipts),
    )
    certificate = make_certificate(unit, change, plan, removed, oblivion, opening, bench)
    change = msgspec.structs.replace(change, certificate=certificate)
    entry, signed = commit_certified(
        unit, change, tenant=bench.tenant, pepper=bench.pepper, ids=bench.ids, signer=warrant.signing(unit)
    )
    verdict = verdict_of(report, entry.seq, change.filing.record if change.filing is not None else None)
    return ErasureResult(plan=plan, verdict=verdict, certificate=signed, opening=opening)


def _prepare(snapshot: Snapshot, oblivion: ErasureRequest, actor: Actor, bench: Bench) -> PreparedErasure:
    derived = oblivion.derived or bench.policy.erasure.derived
    meant = find(snapshot, oblivion.target, wide=oblivion.probable)
    return _prepared(snapshot, oblivion.target, meant, derived, actor, bench)


def _prepared(
    snapshot: Snapshot, target: Target, meant: MatchedRecords, derived: DerivedPolicy, actor: Actor, bench: Bench
) -> PreparedErasure:
    reached = _permitted(snapshot, reach(snapshot, meant, target.by, derived), actor, bench)
    gone = [*reached.of(ErasureOutcome.ERASED), *reached.of(ErasureOutcome.REDACTED)]
    waiting = tuple(waiting_on(snapshot, target, meant, _gone(reached)))
    return PreparedErasure(
        target=target, meant=meant, reached=reached, records=records_of(snapshot, gone), waiting=waiting
    )


def _permitted(snapshot: Snapshot, reached: AffectedRecords, actor: Actor, bench: Bench) -> AffectedRecords:
    """What was derived and the actor has no right to erase is kept back instead."""
    nodes: list[PlannedErasure] = []
    for node in reached.nodes:
        if node.under and node.fate in (ErasureOutcome.ERASED, ErasureOutcome.REDACTED):
            record = fetch(snapshot, reached.cards[node.id][-1]).record
            if decide_review(bench.policy, actor, Action.FORGET, record.claim.place, record.actor) is None:
                node = msgspec.structs.replace(node, fate=ErasureOutcome.REVIEWED, why=_NO_RIGHT)
        nodes.append(node)
    return msgspec.structs.replace(reached, nodes=tuple(nodes))


def _gone(reached: AffectedRecords) -> frozenset[str]:
    """The records that lose all or some of what they say."""
    return frozenset(
        {*(node.id for node in reached.nodes if node.fate in (ErasureOutcome.ERASED, ErasureOutcome.REDACTED))}
    )


def _blocking(snapshot: Snapshot, prepared: PreparedErasure) -> tuple[HoldConflict, ...]:
    return blocking(snapshot, _gone(prepared.reached), {row.id for row in prepared.waiting})


def _lost(snapshot: Snapshot, prepared: PreparedErasure) -> ForbiddenWords:
    """What nobody may read anywhere afterwards."""
    erased = [prepared.records[card.rid].content for card in prepared.reached.of(ErasureOutcome.ERASED)]
    besides = [prepared.records[card.rid].content for card in prepared.reached.of(ErasureOutcome.REDACTED)]
    held = [admitted.proposal.claim.content for row in prepared.waiting if (admitted := held_proposal(snapshot, row))]
    words = last_words(snapshot.lexicon, erased, held, besides)
    return ForbiddenWords(name_of(prepared.meant), words, [*erased, *held] if besides else ())


def _erasing(prepared: PreparedErasure) -> ErasureScope:
    named = (record.proposal for record in prepared.records.values())
    return ErasureScope(
        target=prepared.target,
        rids=frozenset(prepared.records),
        proposals=frozenset({*named, *(row.id for row in prepared.waiting)}),
        waiting=frozenset(row.id for row in prepared.waiting),
        records=_gone(prepared.reached),
        documents=prepared.meant.documents,
        forced=prepared.forced,
        receipts=prepared.receipts,
    )


def _plan(
    snapshot: Snapshot,
    oblivion: ErasureRequest,
    prepared: PreparedErasure,
    found: FoundTraces,
    actor: Actor,
    bench: Bench,
) -> ErasurePlan:
    """The plan as far as the actor may know: what they may not see is not in it."""
    everything = oblivion.target.by is not TargetKind.RECORD
    shown = [
        node
        for node in prepared.reached.nodes
        if everything
        or node.fate in (ErasureOutcome.ERASED, ErasureOutcome.REDACTED)
        or ((held := look_up(snapshot, node.id)) is not None and not hidden(bench.policy, actor, held))
    ]
    names = {node.id for node in shown}
    return ErasurePlan(
        by=oblivion.target.by,
        derived=oblivion.derived or bench.policy.erasure.derived,
        nodes=tuple(
            msgspec.structs.replace(node, under=tuple(name for name in node.under if name in names)) for node in shown
        ),
        traces=msgspec.structs.replace(
            found.traces, proposals=len(prepared.waiting), probable=_unsure(snapshot, prepared)
        ),
    )


def _unsure(snapshot: Snapshot, prepared: PreparedErasure) -> int:
    """How many proposals wait that stay, and hold the letters of the subject's name."""
    if prepared.target.by is not TargetKind.SUBJECT or prepared.meant.wide:
        return 0
    wide = msgspec.structs.replace(prepared.meant, wide=True)
    maybe = waiting_on(snapshot, prepared.target, wide, _gone(prepared.reached))
    return len({row.id for row in maybe} - {row.id for row in prepared.waiting})


def _nothing(oblivion: ErasureRequest) -> ErasurePlan:
    return ErasurePlan(by=oblivion.target.by, derived=oblivion.derived or DerivedPolicy.REVIEW, nodes=())


def _report(oblivion: ErasureRequest, opening: str, actor: Actor, rule_id: str | None, bench: Bench) -> CurationReport:
    """The report commits to what was asked for as the certificate does, and names it no more than that."""
    sealed = Target(by=TargetKind.SUBJECT, value=digest_of(oblivion.target, opening))
    return act_report(
        msgspec.structs.replace(oblivion, target=sealed),
        actor.id,
        rule_id,
        proposal=bench.ids.fresh("prp"),
        what="forgotten",
        reason=oblivion.reason,
        disposition=Disposition.DEPRECATE,
    )


def _refused(unit: Unit, oblivion: ErasureRequest, opening: str, actor: Actor, bench: Bench) -> Verdict:
    report = _report(oblivion, opening, actor, None, bench)
    return enact(unit, WriteAction(kind=EntryKind.FORGOTTEN, actor=actor.id, report=report, decided_on=()), bench)


def _change(
    unit: Unit,
    prepared: PreparedErasure,
    found: FoundTraces,
    lost: ForbiddenWords,
    report: CurationReport,
    bench: Bench,
) -> ChangeSet:
    at, head = next_place(unit, bench)
    erased, cut = prepared.reached.of(ErasureOutcome.ERASED), prepared.reached.of(ErasureOutcome.REDACTED)
    if not erased and not prepared.waiting and not (found.amended or found.receipts or found.dropped):
        raise _nothing_certain(prepared) if prepared.meant.probable else NotFound(prepared.target.by.value, "")
    change = ChangeSet(
        kind=EntryKind.FORGOTTEN,
        actor=report.actor,
        at=at,
        position=head.seq,
        policy=bench.policy_doc,
        decided_on=(),
        drafts=(NewDocument(doc=head.last_doc + 1, role=DocumentRole.REPORT, value=report),),
        changes=tuple(become(card, Status.ERASED) for card in erased),
        filing=ProposalStateChange(proposal=report.proposal, outcome=Outcome.COMMITTED, disposition=report.disposition),
    )
    whole = with_lapses(unit, with_cascade(unit, change, bench.policy))
    gone = {card.rid for card in (*erased, *cut)}
    judged = {one.rid: one for one in whole.changes}
    waiting = {row.report: row.held for row in prepared.waiting if row.held is not None}
    reborn = _reborn(prepared, cut, judged, lost, whole)
    return msgspec.structs.replace(
        whole,
        changes=tuple(one for one in whole.changes if one.rid not in gone),
        births=tuple(birth for birth, _ in reborn),
        drafts=(
            *whole.drafts,
            *(NewDocument(doc=birth.rid, role=DocumentRole.RECORD, value=record) for birth, record in reborn),
        ),
        dropped=tuple(sorted({*gone, *found.dropped, *waiting.values()})),
        erased=tuple(Tombstone(rid=card.rid, id=card.id, revision=card.revision) for card in (*erased, *cut)),
        amended=tuple(_dismissing(one, report) if one.doc in waiting else one for one in found.amended),
        refiled=found.refiled,
        reworded=found.reworded,
        receipts=found.receipts,
    )


def _dismissing(amendment: DocumentRedaction, report: CurationReport) -> DocumentRedaction:
    """What takes the place of the report on a proposal that waited."""
    assert isinstance(amendment.value, CurationReport), "the report of a proposal's row is a report"
    value = dismissing(amendment.value, report.reason, report.actor)
    return msgspec.structs.replace(amendment, value=value)


def _reborn(
    prepared: PreparedErasure, cut: list[Card], judged: dict[int, StateChange], lost: ForbiddenWords, whole: ChangeSet
) -> list[tuple[RevisionCreated, Record]]:
    """For each record that is redacted, the one revision that takes the place of all it had."""
    latest = {card.id: card for card in cut}
    found: list[tuple[RevisionCreated, Record]] = []
    for number, card in enumerate(latest.values(), start=whole.drafts[-1].doc + 1):
        record = redacted(prepared.records[card.rid], card.revision + 1, whole.at, lost)
        change = judged.get(card.rid)
        standing = standing_of(card)
        birth = RevisionCreated(
            rid=number,
            id=card.id,
            revision=record.revision,
            status=change.status if change is not None else standing.status,
            footing=change.footing if change is not None else standing.footing,
            vigour=standing.vigour,
        )
        found.append((birth, record))
    return found


def _nothing_certain(prepared: PreparedErasure) -> NotFound:
    error = NotFound(prepared.target.by.value, "")
    count = len(prepared.meant.probable)
    error.hint = (
        f"Nothing certainly speaks of it. The letters of the name stand in {count} more records: look at the plan "
        "(dry_run), and have them erased too with include_probable."
    )
    return error


def _named(change: ChangeSet, prepared: PreparedErasure) -> ChangeSet:
    """An erasure of one record is filed under it."""
    assert change.filing is not None
    record = prepared.meant.records[0]
    last = prepared.reached.cards[record][-1]
    filing = msgspec.structs.replace(change.filing, record=record, revision=last.revision)
    return msgspec.structs.replace(change, filing=filing)
