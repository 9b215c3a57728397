"""`memory.review`: decide on proposals, settle conflicts, retract, vouch for and quarantine records."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Unpack

import msgspec

from muniment.engine.disputed import asked, conflict_of, conflicts_of
from muniment.engine.governing import announce, resolve_all, rewind
from muniment.engine.impact import judged_anew
from muniment.engine.listing import browse
from muniment.engine.session import Session
from muniment.engine.terms import UNCONDITIONAL, WriteTerms
from muniment.engine.views import ConflictView, Curated, QueueItem, queue_of, record_of, report_on
from muniment.engine.watched import watched
from muniment.model import checks
from muniment.model.arguments import checked
from muniment.model.claim import Place
from muniment.model.claim_options import ClaimOptions, make_claim
from muniment.model.curation import ConflictResult, MaintenanceResult, RewindResult, Verdict
from muniment.model.errors import Malformed, NotPermitted, Stale
from muniment.model.proposal import (
    Objection,
    OutcomeReport,
    Proposal,
    QuarantineRequest,
    ReleaseRequest,
    ResolveRequest,
    RetractRequest,
    ReviewDecision,
    VouchRequest,
)
from muniment.model.query import Disclosure
from muniment.model.status import Status
from muniment.model.vocabulary import Kind, Label, Scope, Strategy
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Unit
from muniment.text.entities import entity_key
from muniment.write.admit import admit
from muniment.write.case import hidden
from muniment.write.detect import look_for_disputes
from muniment.write.facts import fetch
from muniment.write.maintenance import expire, refresh, updated_usage
from muniment.write.naming import give_name
from muniment.write.pipeline import propose
from muniment.write.quarantine import quarantine, release
from muniment.write.resolve import REFUSED, settle
from muniment.write.review import observe, retract, rule, vouch

HELPFUL, MISLEADING = "helpful", "misleading"
WITHOUT_WINNER = frozenset({Strategy.SYNTHESIS, Strategy.HUMAN_ESCALATION, Strategy.PROMOTE, Strategy.REOPEN})


@checked
class Review:
    """Decide on proposals, settle conflicts, and change what is to be thought of a record."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @watched("queue")
    def queue(self, *, after: str | None = None, limit: int = 50) -> tuple[QueueItem, ...]:
        """What waits for a person: all of it for reviewers, their own for everybody else."""
        checks.whole("limit", limit, least=1, most=1_000)
        checks.optional_identifier("after", after)
        with self._session.store.read() as snapshot:
            return queue_of(snapshot, self._session.actor, self._session.policy, after=after, limit=limit)

    @watched("report")
    def report(self, proposal_id: str) -> Curated:
        """What was decided on a proposal and why: for who made it, for those who may see the record it became, and for
        those who may audit."""
        checks.identifier("proposal_id", proposal_id)
        with self._session.store.read() as snapshot:
            return report_on(snapshot, self._session.actor, self._session.policy, proposal_id)

    @watched("decide")
    def decide(
        self,
        proposal_id: str,
        *,
        accept: bool,
        reason: str,
        kind: str | None = None,
        scope: str | None = None,
        scope_id: str | None = None,
        objections: Sequence[Objection] = (),
        contradicts: Sequence[str] = (),
        dry_run: bool = False,
    ) -> Verdict:
        """Answer for a proposal that waits, correcting its kind or place on the way. Grounds to refuse it, after all or
        with the answer, are handed in as `objections`; records it `contradicts` in the reviewer's eyes are contested
        with it. With `dry_run` it is only said what the answer would come to, and nothing is changed: ids that it would
        give are not those that will be given."""
        self._session.screen.refuse("scope_id", scope_id)
        ruling = ReviewDecision(
            proposal=proposal_id,
            accept=accept,
            reason=self._session.clean(reason),
            kind=checks.read_word("kind", kind, Kind) if kind is not None else None,
            scope=checks.read_word("scope", scope, Scope) if scope is not None else None,
            scope_id=scope_id,
            contradicts=tuple(contradicts),
        )
        grounds, bench = self._session.grounds(objections), self._session.bench
        write = self._session.rehearse if dry_run else self._session.write
        return write(lambda unit: rule(unit, ruling, self._session.actor, bench, grounds))

    @watched("retract")
    def retract(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        """Take a record back. It stays in its history, no longer answers, and what stands on it falls with it."""
        retraction = RetractRequest(
            record=record_id, reason=self._session.clean(reason), expected_revision=expected_revision
        )
        return self._session.write(lambda unit: retract(unit, retraction, self._session.actor, self._session.bench))

    def detect(self, record_id: str) -> tuple[str, ...]:
        """Look for what a record disagrees with, where that was not done when it was proposed; return the ids of the
        conflicts that are new."""
        checks.identifier("id", record_id)
        return find_conflicts(self._session, record_id)

    @watched("outcome")
    def outcome(
        self,
        record_id: str,
        result: str,
        *,
        weight: float = 1.0,
        evidence: str | None = None,
        expected_revision: int | None = None,
        proposal_id: str | None = None,
    ) -> Verdict:
        """Tell how a record turned out, `helpful` or `misleading`. Its confidence moves, and all that stands on it. The
        same `proposal_id` again gets the same answer and counts once."""
        if result not in (HELPFUL, MISLEADING):
            raise Malformed("result", f"{HELPFUL} or {MISLEADING}")
        report = OutcomeReport(
            record=record_id,
            helpful=result == HELPFUL,
            weight=weight,
            evidence=self._session.clean(evidence) if evidence is not None else None,
            expected_revision=expected_revision,
        )
        checks.optional_identifier("proposal_id", proposal_id)
        self._session.screen.refuse("proposal_id", proposal_id)
        name = proposal_id if proposal_id is not None else self._session.tenant.ids.fresh("prp")
        return self._session.write(
            lambda unit: observe(unit, report, self._session.actor, self._session.bench, proposal=name)
        )

    @watched("vouch")
    def vouch(self, record_id: str, *, origin: str, reason: str, expected_revision: int | None = None) -> Verdict:
        """Answer, as a named reviewer, for where a record comes from. Nobody lends more than they have themselves."""
        request = VouchRequest(
            record=record_id,
            label=checks.read_word("origin", origin, Label),
            reason=self._session.clean(reason),
            expected_revision=expected_revision,
        )
        return self._session.write(lambda unit: vouch(unit, request, self._session.actor, self._session.bench))

    @watched("resolve")
    def resolve(
        self,
        conflict_id: str,
        *,
        strategy: str,
        rationale: str,
        winner: str | None = None,
        synthesis: str | None = None,
        expected: str | None = None,
        dry_run: bool = False,
        **options: Unpack[ClaimOptions],
    ) -> ConflictResult:
        """Settle a conflict by a declared strategy. In a vote `winner` is the caller's ballot; with `synthesis` one new
        record, described by `options`, takes the place of both. With `dry_run` it is only said where the conflict would
        stand and what would fall, and nothing is changed: the id of a synthesis is not the one that will be given. The
        `digest` of that answer as `expected` sees to it that just that is done: `Stale` if it would come out otherwise
        by now."""
        if synthesis is None and options:
            raise Malformed(min(options), "given together with synthesis")
        chosen = checks.read_word("strategy", strategy, Strategy)
        if synthesis is not None and chosen is not Strategy.SYNTHESIS:
            raise Malformed("synthesis", "given with the strategy synthesis only")
        if winner is not None and chosen in WITHOUT_WINNER:
            raise Malformed("winner", f"not given with the strategy {chosen}")
        request = ResolveRequest(
            conflict=conflict_id,
            strategy=chosen,
            rationale=self._session.clean(rationale),
            winner=winner,
            synthesis=make_claim(self._session.clean(synthesis), self._session.actor, options)
            if synthesis is not None
            else None,
        )
        checks.optional_text("expected", expected)
        if dry_run:
            return self._session.rehearse(lambda unit: _foreseen(self._session, unit, request))
        return (
            settle_conflict(self._session, request)
            if expected is None
            else _settle_as_shown(self._session, request, expected)
        )

    @watched("resolve_all")
    def resolve_all(
        self, *, strategy: str | None = None, rationale: str | None = None, dry_run: bool = False
    ) -> tuple[ConflictResult, ...]:
        """Settle every established conflict that is open and that the caller may settle, the oldest first, in one
        transaction: by one strategy, or by the rules of the policy. One that ends with another is passed over, and one
        that the strategy cannot decide is told as `undecided`. With `dry_run` nothing is changed."""
        return resolve_all(self._session, strategy=strategy, rationale=rationale, dry_run=dry_run)

    @watched("announce")
    def announce(self, record_id: str, *, scope: str, scope_id: str, proposal_id: str | None = None) -> Verdict:
        """Pass a record on to another group, with the caller's own rights there. The new record stands on it: it says
        who said it first and through whose hands it came, keeps kind and handling, and falls when the source does."""
        return announce(self._session, record_id, scope=scope, scope_id=scope_id, proposal_id=proposal_id)

    @watched("rewind")
    def rewind(
        self,
        to: int | str | datetime,
        *,
        scope: str | None = None,
        scope_id: str | None = None,
        reason: str | None = None,
        dry_run: bool = False,
    ) -> RewindResult:
        """Turn everything, or one scope, back to how it was after an entry of the ledger or at an instant, by a new
        entry. Nothing is deleted, and what was erased stays erased; policy, notes and what waits are left as they are.
        A rewind is undone by a rewind to the entry before it. The answer names the receipts since by which any of it
        was told. With `dry_run` nothing is changed."""
        return rewind(self._session, to, scope=scope, scope_id=scope_id, reason=reason, dry_run=dry_run)

    @watched("promote")
    def promote(
        self,
        record_id: str,
        *,
        scope: str,
        scope_id: str,
        evidence: Sequence[str],
        owner: str | None = None,
        reason: str | None = None,
        proposal_id: str | None = None,
    ) -> Verdict:
        """Propose that a record counts in a wider scope. It needs grounds and an owner, and waits for a reviewer with
        the right to promote."""
        if isinstance(evidence, str):
            raise Malformed("evidence", "a list of texts")
        with self._session.store.read() as snapshot:
            present = record_of(snapshot, self._session.actor, self._session.policy, record_id, None).record
        claim = present.claim
        self._session.screen.refuse("scope_id", scope_id)
        place = Place(scope=checks.read_word("scope", scope, Scope), scope_id=scope_id, namespace=claim.place.namespace)
        promoted = msgspec.structs.replace(
            claim,
            place=place,
            belief=msgspec.structs.replace(claim.belief, evidence=tuple(evidence)),
            handling=msgspec.structs.replace(claim.handling, owner=owner),
            lineage=msgspec.structs.replace(
                claim.lineage, derived_from=(record_id,), supersedes=None, parent=None, relations=()
            ),
            intent=msgspec.structs.replace(
                claim.intent, purpose=self._session.clean(reason) if reason else claim.intent.purpose
            ),
        )
        self._session.screen.refuse("proposal_id", proposal_id)
        name = proposal_id if proposal_id is not None else self._session.tenant.ids.fresh("prp")
        proposal = Proposal(id=name, tenant=self._session.tenant.name, claim=promoted, promotes=record_id)
        admitted = admit(proposal, self._session.actor, self._session.policy.safety)
        return self._session.write(lambda unit: propose(unit, admitted, self._session.bench))

    @watched("alias")
    def alias(self, name: str, means: str) -> tuple[str, ...]:
        """Say that a name means the same as another, and return all names of the thing, the chief one first. Questions
        that use one of them find records that use another. A name that means itself stands alone again."""
        if decide_review(self._session.policy, self._session.actor, Action.NAME, None, None) is None:
            raise NotPermitted(self._session.actor.id, "give names")
        keys = []
        for field, text in (("name", name), ("means", means)):
            checks.text(field, text)
            self._session.screen.refuse(field, text)
            keys.append(entity_key(text))
            if not keys[-1]:
                raise Malformed(field, "a name")
        bench = self._session.bench
        names, epoch = self._session.store.write(
            lambda unit: give_name(unit, keys[0], keys[1], self._session.actor.id, bench)
        )
        self._session.tenant.wrote(epoch)
        return names

    @watched("sweep")
    def sweep(self) -> MaintenanceResult:
        """Let time do its work: what is past its time expires with all that follows, use is counted, tiers move, and
        what is due for review is named. A second sweep at the same instant finds nothing to do."""
        if decide_review(self._session.policy, self._session.actor, Action.SWEEP, None, None) is None:
            raise NotPermitted(self._session.actor.id, "sweep the memory")
        tenant, now = self._session.tenant, self._session.tenant.clock.now()
        with tenant.store.read() as snapshot:
            rids = updated_usage(snapshot, now)
            over = snapshot.catalogue.expired(now)
            due = tuple(
                card.id
                for card in snapshot.catalogue.due(now)
                if not hidden(self._session.policy, self._session.actor, fetch(snapshot, card))
            )
        if not rids and not over:
            return MaintenanceResult(due=due)

        def job(unit: Unit) -> tuple[MaintenanceResult, int]:
            expired, fallen = expire(unit, tenant.bench, self._session.actor.id, now)
            moved = refresh(unit, tenant.bench, self._session.actor.id, now, rids)
            head = unit.ledger.head()
            return MaintenanceResult(
                expired=expired, fallen=fallen, moved=moved, due=due
            ), head.seq if head is not None else 0

        swept, epoch = tenant.store.write(job)
        tenant.wrote(epoch)
        return swept

    @watched("conflicts")
    def conflicts(
        self,
        *,
        record_id: str | None = None,
        status: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> tuple[ConflictView, ...]:
        """The disagreements whose both sides the caller may see, oldest first: all, or those in which a revision of one
        record is a side, or those in one state. With `after`, the position at which one was opened and its id
        (`12@cfl-1`), it goes on behind that one."""
        wanted = asked(record_id, status, after, limit)
        with self._session.store.read() as snapshot:
            return conflicts_of(snapshot, self._session.actor, self._session.policy, wanted)

    @watched("conflict")
    def conflict(self, conflict_id: str) -> ConflictView:
        """One disagreement, if the caller may see both its sides."""
        with self._session.store.read() as snapshot:
            return conflict_of(snapshot, self._session.actor, self._session.policy, conflict_id)

    @watched("retire")
    def retire(self, record_id: str, *, becomes: str, reason: str, expected_revision: int | None = None) -> Verdict:
        """Let a record no longer speak: `deprecated`, `expired`, `archived` or `retracted`. What is over already can
        still be archived."""
        retraction = RetractRequest(
            record=record_id,
            reason=self._session.clean(reason),
            expected_revision=expected_revision,
            becomes=checks.read_word("becomes", becomes, Status),
        )
        return self._session.write(lambda unit: retract(unit, retraction, self._session.actor, self._session.bench))

    @watched("quarantine")
    def quarantine(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        """Keep a record back until somebody has looked at it: it answers nothing, and what stands on it is flagged.
        Those who see the queue see it too."""
        request = QuarantineRequest(
            record=record_id, reason=self._session.clean(reason), expected_revision=expected_revision
        )
        return self._session.write(lambda unit: quarantine(unit, request, self._session.actor, self._session.bench))

    @watched("release")
    def release(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        """Let a record speak again that was in quarantine. What stands on it is judged anew, and disputes that ended
        when it fell silent go on."""
        request = ReleaseRequest(
            record=record_id, reason=self._session.clean(reason), expected_revision=expected_revision
        )
        return self._session.write(lambda unit: release(unit, request, self._session.actor, self._session.bench))

    def quarantined(self) -> tuple[Disclosure, ...]:
        """Every record in quarantine that the caller may review, in the order they were written."""
        return tuple(browse(self._session, statuses=[Status.HELD.value], purpose="review"))


def find_conflicts(session: Session, record_id: str, terms: WriteTerms = UNCONDITIONAL) -> tuple[str, ...]:
    bench = terms.bench(session.bench)
    verdict = session.store.write(lambda unit: look_for_disputes(unit, record_id, session.actor, bench))
    if verdict is None:
        return ()
    session.tenant.wrote(verdict.epoch)
    return verdict.conflict_ids


def _foreseen(session: Session, unit: Unit, request: ResolveRequest) -> ConflictResult:
    """How a conflict would be settled, told inside the transaction that does it."""
    head = unit.ledger.head()
    settled = settle(unit, request, session.actor, session.bench)
    winner = () if settled.winner in (None, settled.synthesis) else (settled.winner,)
    falls, rises = (
        judged_anew(unit, session.actor, session.policy, names, since=head.seq if head is not None else 0)
        for names in (settled.superseded, winner)
    )
    rises = tuple(name for name in rises if name not in {*falls, *settled.superseded})
    falls = tuple(name for name in falls if name not in winner)
    return settled.foretelling(falls, rises)


def _settle_as_shown(session: Session, request: ResolveRequest, expected: str) -> ConflictResult:
    """Do what a rehearsal told or nothing. A refusal is recorded as any other."""

    def job(unit: Unit) -> ConflictResult:
        settled = _foreseen(session, unit, request)
        if settled.status != REFUSED and settled.digest != expected:
            raise Stale(
                f"the outcome of conflict {request.conflict}", yours="the one you were shown", present="another"
            )
        return settled

    settled = session.store.write(job)
    session.tenant.wrote(settled.epoch)
    return settled


def settle_conflict(session: Session, request: ResolveRequest, terms: WriteTerms = UNCONDITIONAL) -> ConflictResult:
    bench = terms.bench(session.bench)

    def job(unit: Unit) -> ConflictResult:
        terms.hold(unit)
        return settle(unit, request, session.actor, bench)

    settled = session.store.write(job)
    session.tenant.wrote(settled.epoch)
    return settled
