"""The desk where events are handed in and answered for. Workers only propose here; curators and stewards answer.

There is no way to delete: what is over is deprecated, and stays in its history.
"""

from __future__ import annotations

import json
import time
from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Iterator
from importlib.resources import files

from muniment.compat.matm import retrieval
from muniment.compat.matm.curator import CuratorAnswer, CuratorOpinion, WaitingEvent, for_a_steward, opinion
from muniment.compat.matm.emission import Emission, EventCounter, event_of, prepare
from muniment.compat.matm.grounds import GROUND_STEP, RefusalGround
from muniment.compat.matm.hazards import texts
from muniment.compat.matm.sources import Sources
from muniment.contracts.interchange import InterchangeRecord, carry
from muniment.contracts.matm.contract import CONTRACT, write_document
from muniment.contracts.matm.documents import DecisionContext as Routed
from muniment.contracts.matm.documents import (
    DirectoryExpert,
    QueueState,
    directory_document,
    report_document,
    ticket_document,
)
from muniment.contracts.strict.values import JsonObject
from muniment.engine import Memory
from muniment.engine.directory import KnownActor
from muniment.engine.views import Curated, QueueItem
from muniment.model.actor import Actor
from muniment.model.curation import CurationReport, Routing, Verdict
from muniment.model.errors import ConfigurationError, NotFound, NotPermitted, Stale
from muniment.model.proposal import Objection
from muniment.model.query import Disclosure
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ActorType, Kind, Outcome, Scope, Sensitivity, Step
from muniment.policy.decide import decide_review, resolve
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Action, Policy
from muniment.ports.clock_and_ids import Clock

PAGE = 200
_DURABLE = (Scope.PROJECT, Scope.AGENT_TEAM, Scope.AGENT_REPO)

POLICY_FILE = "policy.yaml"


def policy_text() -> str:
    """The policy of the profile as it ships."""
    return files("muniment.compat.matm").joinpath(POLICY_FILE).read_text(encoding="utf-8")


def matm_policy() -> Policy:
    return parse_policy(policy_text(), place=POLICY_FILE)


class WallClock:
    """The time of the machine."""

    def now(self) -> Instant:
        return Instant(time.time_ns() // 1_000)


class Filed(Value):
    """An event as it was answered: the verdict, and the curation report as its document."""

    event: str
    verdict: Verdict
    report: JsonObject

    @property
    def document(self) -> bytes:
        return spell(self.report)


def curator_of(policy: Policy) -> str:
    """The machine that keeps the queue: the first actor of the policy with the role."""
    found = next((name for name, one in policy.actors.items() if "curator" in one.roles), None)
    if found is None:
        raise ConfigurationError("policy", "a policy that names a curator; `muniment matm policy` shows one")
    return found


def steward_of(policy: Policy) -> str | None:
    """Who answers for what names no owner: the first steward of the policy, if there is one."""
    return next((name for name, one in policy.actors.items() if "steward" in one.roles), None)


def spell(document: JsonObject) -> bytes:
    """The one spelling of a document: its fields in their order, in UTF-8."""
    return json.dumps(document, ensure_ascii=False).encode()


class MatmHandler:
    """One tenant's desk. `memory` is seen by somebody who may look at the queue and audit: an owner or a curator."""

    def __init__(
        self,
        memory: Memory,
        *,
        curator: str | Actor,
        steward: str | None = None,
        sources: Sources | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._memory = memory
        self._curator = memory.as_actor(curator)
        self._steward = steward if steward is not None else self._curator.actor.id
        self._sources = sources if sources is not None else Sources()
        self._clock = clock if clock is not None else WallClock()

    def emit(self, data: bytes, *, actor: str | Actor, session: str | None = None) -> Filed:
        """Take an event from a worker. It waits or is refused; nothing is remembered by emitting. The same event again
        gets the answer it has by now."""
        seat = self._memory.as_actor(actor, session=session)
        emission = prepare(data, seat.actor, self.counter(seat, known=self._knows(actor)))
        return self._filed(_proposed(seat, emission))

    def tickets(self) -> tuple[JsonObject, ...]:
        """What waits, oldest first, each event wrapped for the person who has to look at it."""
        return tuple(self._ticket(one) for one in self._queue())

    def curate(self) -> tuple[Filed, ...]:
        """Let the machine curator answer for everything it may; the rest goes on waiting for a steward."""
        answered = []
        for one in self._queue():
            found = opinion(self._waiting(one), self._memory.insight.policy)
            if found.answer is CuratorAnswer.LEAVE:
                continue
            verdict = self._rule(self._curator, one, found)
            answered.append(self._filed(verdict))
        return tuple(answered)

    def decide(
        self,
        event: str,
        *,
        actor: str | Actor,
        accept: bool,
        reason: str,
        ground: RefusalGround | None = None,
        kind: Kind | None = None,
        scope: Scope | None = None,
        scope_id: str | None = None,
    ) -> Filed:
        """Answer for a waiting event. What is sensitive, public, or for more than one project, a person answers for. A
        refusal names one of six grounds and is recorded at the step that asks for it."""
        seat = self._memory.as_actor(actor)
        held = self._find(event)
        matters = for_a_steward(self._waiting(held))
        if scope not in (None, Scope.SESSION, held.proposal.claim.place.scope):
            matters = (*matters, "it would move to another scope")
        if accept and matters and seat.actor.type is not ActorType.PERSON:
            raise NotPermitted(seat.actor.id, f"accept {event}, which waits for a person: {'; '.join(matters)}")
        if not accept and ground is not None:
            verdict = self._refuse(seat, held, ground, reason)
        else:
            answer = CuratorAnswer.ACCEPT if accept else CuratorAnswer.DISCARD
            found = CuratorOpinion(answer=answer, reason=reason, kind=kind, scope=scope, scope_id=scope_id)
            verdict = self._rule(seat, held, found)
        return self._filed(verdict)

    def report(self, report_id: str, *, actor: str | Actor | None = None) -> JsonObject:
        """The curation report of an event, for whoever may know of it."""
        seat = self._memory if actor is None else self._memory.as_actor(actor)
        return self._told(seat.review.report(report_id))

    def retrieve(self, data: bytes, *, actor: str | Actor, session: str | None = None) -> JsonObject:
        """Answer a retrieval request of this consumer. It grants nothing but reading."""
        request = retrieval.read_request(data)
        seat = self._memory.as_actor(actor, session=session)
        return retrieval.retrieve(seat, request, known=self._knows(actor), now=self._clock.now())

    def audit(self, receipt_id: str, *, actor: str | Actor | None = None) -> JsonObject:
        """What the receipt of a retrieval proves, for the consumer it was given to and for those who may audit."""
        return retrieval.audit(self._memory if actor is None else self._memory.as_actor(actor), receipt_id)

    def directory(self, *, actor: str | Actor, about: str | None = None) -> JsonObject:
        """Who knows what, of what this reader may see."""
        seat = self._memory.as_actor(actor)
        records: dict[str, list[Disclosure]] = defaultdict(list)
        for one in seat.insight.browse():
            records[one.record.actor].append(one)
        found = seat.insight.directory(about)
        return directory_document(
            [_expert(one, records[one.actor]) for one in found.knowers],
            viewer=seat.actor.id,
            at=self._clock.now(),
            about=found.about,
            tenant=seat.tenant,
        )

    def export(self, *, actor: str | Actor, max_sensitivity: Sensitivity = Sensitivity.INTERNAL) -> bytes:
        """Everything reviewed and lasting up to a sensitivity, as record documents. Notes of sessions, what waits, what
        was refused and what is more sensitive stay here."""
        seat = self._memory.as_actor(actor)
        found = seat.insight.browse(scopes=list(_DURABLE), sensitivity_max=max_sensitivity)
        carried = [carry(one.record, one.standing) for one in found if one.record.reviewer is not None]
        return CONTRACT.encode(carried).data if len(carried) != 1 else b"[" + CONTRACT.encode(carried).data + b"]"

    def _knows(self, actor: str | Actor) -> bool:
        return isinstance(actor, Actor) or actor in self._memory.insight.policy.actors

    def counter(self, seat: Memory, *, known: bool = True) -> EventCounter:
        """What an event of this actor is looked at with. It is told of records only as far as it may see them."""
        return EventCounter(
            known=known,
            policy=self._memory.insight.policy,
            tenant=self._memory.tenant,
            sources=self._sources,
            steward=self._steward,
            now=self._clock.now(),
            record_of=lambda name: _record_of(seat, name),
            marks_of=lambda name: _marks_of(seat, name),
            holder_of=lambda mark: self._holder_of(mark, seat),
        )

    def _holder_of(self, mark: str, seat: Memory) -> str | None:
        """The oldest current record this actor may see that was made of an artifact, or took the place of one."""
        names = reversed(self._curator.insight.entity(mark, limit=PAGE).records)
        return next((name for name in names if mark in _marks_of(seat, name)), None)

    def _queue(self) -> list[QueueItem]:
        """Everything that waits, in the order it came."""
        return sorted(self._pages(), key=lambda one: one.epoch)

    def _pages(self) -> Iterator[QueueItem]:
        after: str | None = None
        while page := self._curator.review.queue(after=after, limit=PAGE):
            yield from page
            after = page[-1].proposal.id

    def _find(self, event: str) -> QueueItem:
        for one in self._pages():
            if one.proposal.id == event:
                return one
        raise NotFound("waiting event", event)

    def _waiting(self, held: QueueItem) -> WaitingEvent:
        document = event_document(held)
        hints = document.get("review_hints")
        return WaitingEvent(
            event=held.proposal.id,
            claim=held.proposal.claim,
            report=held.report,
            producer=resolve(self._memory.insight.policy, held.actor),
            words=texts(document),
            asked=isinstance(hints, dict) and hints.get("human_review_required") is True,
            promotes=held.proposal.promotes is not None,
            arrived=held.proposal.arrival is not None,
        )

    def _refuse(self, seat: Memory, held: QueueItem, ground: RefusalGround, reason: str) -> Verdict:
        """Refuse at the step that asks for the ground. Walking the steps takes the right to accept there; who may only
        discard dismisses the event as a whole, in the same words."""
        words = f"{ground.value}: {reason}"
        said = Objection(step=GROUND_STEP[ground], rule=ground.value, reason=words)
        place, policy = held.proposal.claim.place, self._memory.insight.policy
        if decide_review(policy, seat.actor, Action.ACCEPT, place, held.actor) is None:
            return seat.review.decide(held.proposal.id, accept=False, reason=words)
        return seat.review.decide(held.proposal.id, accept=True, reason=reason, objections=(said,))

    def _rule(self, seat: Memory, held: QueueItem, found: CuratorOpinion) -> Verdict:
        claim = held.proposal.claim
        mark = claim.origin.external_id
        producer = self._memory.as_actor(resolve(self._memory.insight.policy, held.actor))
        holder = self._holder_of(mark, producer) if mark is not None and found.answer is CuratorAnswer.ACCEPT else None
        objections: tuple[Objection, ...] = ()
        if holder is not None and holder not in claim.lineage.replaced:
            reason = f"redundant: the same artifact is remembered as {holder}"
            objections = (Objection(step=Step.DEDUPE, rule="same-artifact", reason=reason, duplicate_of=holder),)
        return seat.review.decide(
            held.proposal.id,
            accept=found.answer is CuratorAnswer.ACCEPT,
            reason=found.reason,
            kind=found.kind,
            scope=found.scope,
            scope_id=found.scope_id,
            objections=objections,
        )

    def _ticket(self, held: QueueItem) -> JsonObject:
        why = for_a_steward(self._waiting(held))
        queued = QueueState(
            ticket_id=held.proposal.id,
            opened_at=held.at,
            opened_by=held.actor,
            due_at=held.report.next_review_at,
            reason="; ".join(why) or held.report.reason,
        )
        return ticket_document(event_document(held), queued)

    def _filed(self, verdict: Verdict) -> Filed:
        curated = self._curator.review.report(verdict.proposal_id)
        return Filed(event=event_of(verdict.proposal_id), verdict=verdict, report=self._told(curated))

    def _told(self, curated: Curated) -> JsonObject:
        report = curated.report
        route = _route(report)
        routed = Routed(
            event_id=event_of(report.proposal),
            curated_at=curated.at,
            curator=self._curator.actor.id,
            scope=route.scope,
            kind=route.kind,
            record_id=curated.record_id,
        )
        return report_document(report, routed)


def _record_of(seat: Memory, name: str) -> str:
    """The record an event became; any other name, and one the actor may not know of, stays what it is."""
    try:
        return seat.review.report(name).record_id or name
    except NotFound:
        return name


def _marks_of(seat: Memory, record: str) -> tuple[str, ...]:
    """What the artifacts behind a record are known by; nothing if there is no such record to be seen."""
    try:
        return seat.get(record).record.claim.lineage.entities
    except NotFound:
        return ()


def _proposed(seat: Memory, emission: Emission) -> Verdict:
    """Propose what an event says. One that would change what has moved on already is refused for it, on record."""
    try:
        return seat.propose(emission.claim, proposal_id=emission.proposal, objections=emission.objections)
    except Stale:
        reason = "unsupported: what it would take the place of is no longer current"
        objection = Objection(step=Step.PROVENANCE, rule="stale-target", reason=reason)
        grounds = (*emission.objections, objection)
        return seat.propose(emission.claim, proposal_id=emission.proposal, objections=grounds)


def _route(report: CurationReport) -> Routing:
    """Where an event went, waits, or would have gone, as the steps of its report say: they end in the scope and its
    name, and in the kind. A refused one says what was suggested."""
    if report.suggested is not None and report.outcome is Outcome.REFUSED:
        return report.suggested
    notes = {one.step: one.note.rpartition(" to ")[2] for one in report.steps}
    scope, _, scope_id = notes[Step.SCOPE].partition(" ")
    return Routing(kind=Kind(notes[Step.KIND]), scope=Scope(scope), scope_id=scope_id)


def event_document(held: QueueItem) -> JsonObject:
    """The event behind what waits, as its producer would write it now that it was cleaned."""
    memory = InterchangeRecord(
        id=held.proposal.id,
        claim=held.proposal.claim,
        status=Status.PROPOSED,
        actor=held.actor,
        created_at=held.at,
    )
    return write_document(memory)[0]


def _expert(knower: KnownActor, records: list[Disclosure]) -> DirectoryExpert:
    weight = knower.helpful + knower.misleading
    return DirectoryExpert(
        agent=knower.actor,
        statuses=dict(sorted(Tally(one.standing.status.value for one in records).items())),
        kinds=knower.kinds,
        roles=knower.roles,
        teams=knower.teams,
        topics=tuple(knower.topics),
        scopes=tuple(knower.scopes),
        records=tuple(one.record.id for one in records),
        count=knower.records,
        reliability=knower.helpful / weight if weight else 0.5,
        outcomes=weight,
        last=knower.last,
    )
