"""Turn a curated case into a change set: which documents, births, changes and conflicts one decision amounts to."""

from __future__ import annotations

import msgspec

from muniment.model.card import card_of, standing_of
from muniment.model.change import ChangeSet, DependencyKey, NewDocument, SeenVersion
from muniment.model.claim import Claim
from muniment.model.curation import CurationReport, Routing, StepOutcome
from muniment.model.entity import ENTITIES_MAX, ENTITY_LENGTH_MAX, Entity, EntityKind
from muniment.model.entry import (
    ConflictChange,
    DocumentRole,
    EntryKind,
    ProposalStateChange,
    RevisionCreated,
    StateChange,
)
from muniment.model.erasure import TombstoneAhead
from muniment.model.record import Record, RecordState, TrustState, UsageState
from muniment.model.rows import ProposalRow
from muniment.model.source import source_label
from muniment.model.status import Status
from muniment.model.times import DAY, Instant
from muniment.model.value import Value
from muniment.model.vocabulary import (
    STANDS_ON,
    ActorType,
    ConflictStatus,
    Disposition,
    Kind,
    Label,
    Outcome,
    Scope,
    TrustLevel,
)
from muniment.policy.decide import listed_authority
from muniment.policy.rules import UnsharedPolicy, WriteDecision
from muniment.text.entities import entities, entity_key
from muniment.text.features import text_features
from muniment.text.identity import about
from muniment.text.similarity import echoes
from muniment.trust.outcomes import calibrated
from muniment.trust.support import lowest, support_of
from muniment.write.admit import Admitted
from muniment.write.announce import relay_of
from muniment.write.cascade import NewRevision, become, pillar_of, support_terms
from muniment.write.case import Case
from muniment.write.facts import Held
from muniment.write.poison import unreadable
from muniment.write.similarity import Rival
from muniment.write.tombstones import note_of

BORN_LABEL = {
    ActorType.PERSON: Label.PERSON,
    ActorType.TOOL: Label.TOOL,
    ActorType.SERVICE: Label.SYSTEM,
    ActorType.AGENT: Label.AGENT,
}
EXPOSED_MAX = 16
"""So many of the records that its author had been told are named in a record."""
_OUTCOME = {
    WriteDecision.COMMIT: Outcome.COMMITTED,
    WriteDecision.HOLD: Outcome.HELD,
    WriteDecision.REFUSE: Outcome.REFUSED,
}


class HeldProposal(Value):
    """What waits for a person: the proposal as it was cleaned, and who made it."""

    admitted: Admitted


class PlanMoment(Value):
    """When and where in the numbering a decision is taken."""

    at: Instant
    last_doc: int
    record_id: str
    conflict_ids: tuple[str, ...]
    policy: int
    position: int


class PlannedChange(Value):
    """A decision as a change set, the report on it, and the revision it would commit with its card."""

    change: ChangeSet
    report: CurationReport
    born: NewRevision | None = None
    record: Record | None = None


def new_record(admitted: Admitted, case: Case, *, record_id: str, revision: int, at: Instant) -> Record:
    """The record a proposal becomes."""
    proposal, actor, claim = admitted.proposal, admitted.actor, case.claim
    return Record(
        id=record_id,
        tenant=proposal.tenant,
        revision=revision,
        claim=claim,
        created_at=at,
        proposal=proposal.id,
        actor=actor.id,
        actor_type=actor.type,
        authority=_authority(case),
        label=origin_label(case),
        trust=_trust(case),
        reviewer=case.reviewer,
        next_review_at=claim.handling.next_review_at or _next_review(case, at),
        echoes=tuple(held.card.id for held in case.echoes),
        same_as=tuple(held.card.id for held in case.same_as if held not in case.echoes),
        about=about(claim.content),
        barred=_barred(case),
        mentions=_mentions(claim, admitted.extracted),
        exposed_to=case.exposure.names[:EXPOSED_MAX],
        relay=relay_of(case),
    )


def _authority(case: Case) -> int | None:
    """How much authority its author had, where the policy alone would not tell."""
    listed = listed_authority(case.policy, case.actor.id)
    return case.actor.authority if case.actor.authority != listed else None


def _mentions(claim: Claim, extracted: tuple[Entity, ...]) -> tuple[Entity, ...]:
    """What the text names, what its author says it is about, and what an extractor found besides; each thing once."""
    named = (Entity(kind=EntityKind.NAME, text=name, key=entity_key(name)) for name in claim.lineage.entities)
    found: dict[str, Entity] = {}
    for entity in (*named, *entities(claim.content), *extracted):
        if entity.key and max(len(entity.key), len(entity.text)) <= ENTITY_LENGTH_MAX:
            found.setdefault(entity.key, entity)
    return tuple(found.values())[:ENTITIES_MAX]


def _barred(case: Case) -> tuple[Scope, ...]:
    """The scopes the record may never flow into, by its own charter or by one it stands under."""
    own = case.claim.charter.barred if case.claim.charter is not None else ()
    inherited = (scope for held in _pillars(case) if held is not None for scope in held.record.barred)
    return tuple(sorted({*own, *inherited}))


def _next_review(case: Case, at: Instant) -> Instant | None:
    return Instant(at + case.review_days * DAY) if case.review_days is not None else None


def origin_label(case: Case) -> Label:
    """The lowest of who proposed it, where they had it from, and everything it stands on. A reviewer answers for the
    proposal, not for its sources, so a ruling raises nothing. To revise a record is to derive from it, unless a person
    puts it right in words of their own. What has no words to compare cannot be known for the actor's own; what shares
    content with something low that its author was told counts as that. An id that is given as evidence is a source."""
    labels = [BORN_LABEL[case.actor.type], source_label(case.claim.origin.source_type, case.actor.type)]
    if case.arrival is not None:
        labels.append(Label.IMPORT)
    if case.actor.type is not ActorType.PERSON and unreadable(case.claim.content):
        labels.append(Label.EXTERNAL)
    revised = case.facts.links[case.target] if case.target is not None else None
    puts_right = case.actor.type is ActorType.PERSON and case.repeats is None
    inputs = [*_pillars(case), *([] if puts_right else [revised])]
    labels += case.exposure.labels
    if case.exposure.idle and case.policy.trust.exposure.unshared is UnsharedPolicy.LOWER:
        labels += (standing_of(held.card).footing.label for held in case.exposure.lately)
    return lowest([*labels, *(standing_of(held.card).footing.label for held in inputs if held is not None)])


def _pillars(case: Case) -> list[Held | None]:
    """What the claim stands on: what it says it does, and what it only echoes."""
    named = [case.facts.links[name] for type_, name in case.claim.lineage.links if type_ in STANDS_ON]
    return [*named, *case.echoes]


def _footing(case: Case, record: Record, rid: int) -> TrustState:
    """How far the new record can be believed, given its pillars as they are. What changes with it is looked at next."""
    found = [pillar_of(held.card, rid, record.id) if held is not None else None for held in _pillars(case)]
    helpful, misleading = _observed(case)
    own = calibrated(record.claim.belief.score, helpful, misleading)
    verdict = support_of(own, found, support_terms(case.policy))
    return TrustState(
        own=own,
        effective=verdict.effective,
        label=record.label,
        support=verdict.support,
        helpful=helpful,
        misleading=misleading,
    )


def _observed(case: Case) -> tuple[float, float]:
    """What was observed of a record goes on counting while its revisions say the same."""
    revised = case.facts.links[case.target] if case.target is not None else None
    if revised is None or not echoes(text_features(case.claim.content), text_features(revised.record.content)):
        return 0.0, 0.0
    footing = standing_of(revised.card).footing
    return footing.helpful, footing.misleading


def _trust(case: Case) -> TrustLevel:
    """A reviewer's word, or a person's own; to bring in somebody else's is neither."""
    if case.reviewer is not None or (case.actor.type is ActorType.PERSON and case.arrival is None):
        return TrustLevel.HIGH
    belief = case.claim.belief
    return TrustLevel.MEDIUM if belief.evidence and belief.score >= 0.75 else TrustLevel.LOW


def plan_curation(
    admitted: Admitted,
    case: Case,
    steps: tuple[StepOutcome, ...],
    moment: PlanMoment,
    *,
    waiting: ProposalRow | None,
) -> PlannedChange:
    """The change set of a curated case, without what follows from it. `waiting` is the queue's row when a person
    answered for it."""
    report = _report(admitted, case, steps, moment.at)
    drafts = [NewDocument(doc=moment.last_doc + 1, role=DocumentRole.REPORT, value=report)]
    seen = (
        *case.facts.seen,
        SeenVersion(key=DependencyKey.PROPOSAL, name=admitted.proposal.id, version=waiting.seq if waiting else 0),
    )
    base = ChangeSet(
        kind=EntryKind.CURATED if waiting is None else EntryKind.RULED,
        actor=case.reviewer or admitted.actor.id,
        at=moment.at,
        position=moment.position,
        decided_on=seen,
        policy=moment.policy,
        dropped=(waiting.held,) if waiting is not None and waiting.held is not None else (),
        filing=ProposalStateChange(
            proposal=admitted.proposal.id, outcome=report.outcome, disposition=report.disposition
        ),
    )
    arrival = case.arrival
    if case.facts.tombstone is not None and arrival is not None and arrival.record is not None:
        stone = note_of(TombstoneAhead(by="id", value=arrival.record, reason=case.facts.tombstone))
        drafts.append(NewDocument(doc=moment.last_doc + 2, role=DocumentRole.NOTE, value=stone))
    if report.outcome is Outcome.REFUSED:
        return PlannedChange(change=msgspec.structs.replace(base, drafts=tuple(drafts)), report=report)
    if report.outcome is Outcome.HELD:
        held = NewDocument(doc=moment.last_doc + 2, role=DocumentRole.HELD, value=HeldProposal(admitted=admitted))
        return PlannedChange(change=msgspec.structs.replace(base, drafts=(*drafts, held)), report=report)
    change, born, record = _commitment(base, admitted, case, moment, drafts)
    return PlannedChange(change=change, report=report, born=born, record=record)


def _commitment(
    base: ChangeSet, admitted: Admitted, case: Case, moment: PlanMoment, drafts: list[NewDocument]
) -> tuple[ChangeSet, NewRevision | None, Record]:
    target = case.facts.links[case.target] if case.target is not None else None
    before = case.facts.links[moment.record_id] if case.facts.returns else target
    record = new_record(
        admitted,
        case,
        record_id=target.card.id if target is not None else moment.record_id,
        revision=case.facts.last_revision + 1 if before is not None else 1,
        at=moment.at,
    )
    rid = moment.last_doc + 2
    contested = any(rival.contests for rival in case.rivals)
    status = case.arrival.status if case.arrival is not None else Status.ACTIVE
    if case.draft:
        status = Status.DRAFT
    if contested:
        status = Status.CONTESTED
    footing, vigour = _footing(case, record, rid), UsageState(tier=record.claim.strength.tier)
    birth = RevisionCreated(
        rid=rid, id=record.id, revision=record.revision, status=status, footing=footing, vigour=vigour
    )
    changes = _replaced(case, record.id)
    changes += (
        become(rival.held.card, Status.CONTESTED)
        for rival in case.rivals
        if rival.contests
        and rival.held.card.status == Status.ACTIVE
        and all(rival.held.card.rid != change.rid for change in changes)
    )
    conflicts = [opened(name, rival, rid) for name, rival in zip(moment.conflict_ids, case.rivals, strict=True)]
    filing = base.filing
    assert filing is not None
    change = msgspec.structs.replace(
        base,
        drafts=(*drafts, NewDocument(doc=rid, role=DocumentRole.RECORD, value=record)),
        births=(birth,),
        changes=tuple(changes),
        filing=msgspec.structs.replace(filing, record=record.id, revision=record.revision),
        conflicts=tuple(conflicts),
    )
    if not changes and record.revision == 1 and not record.claim.lineage.relations:
        return change, None, record  # nothing changes with it, so nothing follows from it
    return change, newborn(record, birth, base.position + 1), record


def newborn(record: Record, birth: RevisionCreated, seq: int) -> NewRevision:
    """A revision about to be committed in entry `seq`."""
    standing = RecordState(
        status=birth.status, since=seq, footing=birth.footing, successor=birth.successor, vigour=birth.vigour
    )
    names = frozenset(name for type_, name in record.links if type_ in STANDS_ON)
    return NewRevision(card=card_of(record, standing, rid=birth.rid, pepper=None), pillars=names)


def opened(name: str, rival: Rival, rid: int) -> ConflictChange:
    """A disagreement that was found, the older revision first."""
    return ConflictChange(
        id=name,
        status=ConflictStatus.DETECTED,
        type=rival.type,
        a=min(rival.held.card.rid, rid),
        b=max(rival.held.card.rid, rid),
        why=rival.why,
        contests=rival.contests,
    )


def _replaced(case: Case, successor: str) -> list[StateChange]:
    """What the new revision takes the place of."""
    status = Status.DEPRECATED if case.claim.nature.kind is Kind.DEPRECATION else Status.SUPERSEDED
    found = (case.facts.links[name] for name in case.replaced)
    return [
        become(held.card, Status.DISCARDED if held.card.status == Status.DRAFT else status, successor=successor)
        for held in found
        if held is not None
    ]


def _report(admitted: Admitted, case: Case, steps: tuple[StepOutcome, ...], at: Instant) -> CurationReport:
    claim, original = case.claim, admitted.proposal.claim
    moved = claim.place != original.place or claim.nature != original.nature
    outcome = _OUTCOME[case.decision]
    # What was refused is told by kind and place, unless a name in it is not to be told at all.
    named = moved or (outcome is Outcome.REFUSED and not case.unsafe_ids)
    suggested = Routing(kind=original.nature.kind, scope=original.place.scope, scope_id=original.place.scope_id)
    return CurationReport(
        proposal=admitted.proposal.id,
        digest=admitted.digest,
        actor=admitted.actor.id,
        disposition=case.disposition if outcome is not Outcome.REFUSED else Disposition.DISCARD,
        outcome=outcome,
        rule=case.rule,
        reason=case.reason,
        steps=steps,
        reviewer=case.reviewer,
        next_review_at=claim.handling.next_review_at or _next_review(case, at),
        redactions=case.redactions,
        suggested=suggested if named else None,
        duplicate_of=case.duplicate_of,
        contradicts=tuple(rival.held.card.id for rival in case.rivals if rival.contests),
        echoes=tuple(held.card.id for held in case.echoes),
        same_as=tuple(held.card.id for held in case.same_as),
        read_from=case.arrival.contract if case.arrival is not None else None,
    )
