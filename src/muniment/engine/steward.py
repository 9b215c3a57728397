"""The steward's part of the face: answer for proposals, take records back, tell how they did, settle disputes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import msgspec

from muniment.engine.impact import Foreseen, foresee, judged_anew
from muniment.engine.look import record_of
from muniment.engine.seat import Seat
from muniment.engine.terms import UNCONDITIONAL, WriteTerms
from muniment.engine.watched import watched
from muniment.model import checks
from muniment.model.arguments import checked
from muniment.model.claim import Place
from muniment.model.claim_options import ClaimOptions, make_claim
from muniment.model.curation import ConflictResult, MaintenanceResult, Verdict
from muniment.model.errors import Malformed, NotPermitted, Stale
from muniment.model.proposal import (
    Objection,
    OutcomeReport,
    Proposal,
    ResolveRequest,
    RetractRequest,
    ReviewDecision,
    VouchRequest,
)
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
from muniment.write.resolve import REFUSED, settle
from muniment.write.review import observe, retract, rule, vouch

HELPFUL, MISLEADING = "helpful", "misleading"
WITHOUT_WINNER = frozenset({Strategy.SYNTHESIS, Strategy.HUMAN_ESCALATION, Strategy.PROMOTE, Strategy.REOPEN})


@checked
class Steward(Seat):
    """What people, and agents with the right to, do to proposals, records and conflicts."""

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
        self._screen.refuse("scope_id", scope_id)
        ruling = ReviewDecision(
            proposal=proposal_id,
            accept=accept,
            reason=self._clean(reason),
            kind=checks.read_word("kind", kind, Kind) if kind is not None else None,
            scope=checks.read_word("scope", scope, Scope) if scope is not None else None,
            scope_id=scope_id,
            contradicts=tuple(contradicts),
        )
        grounds, bench = self._grounds(objections), self._tenant.bench
        write = self._rehearse if dry_run else self._write
        return write(lambda unit: rule(unit, ruling, self.actor, bench, grounds))

    @watched("retract")
    def retract(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        """Take a record back. It stays in its history, no longer answers, and what stands on it falls with it."""
        retraction = RetractRequest(record=record_id, reason=self._clean(reason), expected_revision=expected_revision)
        return self._write(lambda unit: retract(unit, retraction, self.actor, self._tenant.bench))

    def detect(self, record_id: str) -> tuple[str, ...]:
        """Look for what a record disagrees with, where that was not done when it was proposed; return the ids of the
        conflicts that are new."""
        checks.identifier("id", record_id)
        return self._look_for_disputes(record_id)

    def _look_for_disputes(self, record_id: str, terms: WriteTerms = UNCONDITIONAL) -> tuple[str, ...]:
        bench = terms.bench(self._tenant.bench)
        verdict = self._tenant.store.write(lambda unit: look_for_disputes(unit, record_id, self.actor, bench))
        if verdict is None:
            return ()
        self._tenant.wrote(verdict.epoch)
        return verdict.conflict_ids

    @watched("foresee")
    def foresee(self, record_id: str, *, becomes: str = Status.RETRACTED.value) -> Foreseen:
        """What would follow if a record ended in this way: every record that stands on it, before and after. Changes
        nothing."""
        checks.identifier("id", record_id)
        status = checks.read_word("becomes", becomes, Status)
        with self._tenant.store.read() as snapshot:
            return foresee(snapshot, self.actor, self.policy, record_id, status)

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
            evidence=self._clean(evidence) if evidence is not None else None,
            expected_revision=expected_revision,
        )
        checks.optional_identifier("proposal_id", proposal_id)
        self._screen.refuse("proposal_id", proposal_id)
        name = proposal_id if proposal_id is not None else self._tenant.ids.fresh("prp")
        return self._write(lambda unit: observe(unit, report, self.actor, self._tenant.bench, proposal=name))

    @watched("vouch")
    def vouch(self, record_id: str, *, origin: str, reason: str, expected_revision: int | None = None) -> Verdict:
        """Answer, as a named reviewer, for where a record comes from. Nobody lends more than they have themselves."""
        request = VouchRequest(
            record=record_id,
            label=checks.read_word("origin", origin, Label),
            reason=self._clean(reason),
            expected_revision=expected_revision,
        )
        return self._write(lambda unit: vouch(unit, request, self.actor, self._tenant.bench))

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
            rationale=self._clean(rationale),
            winner=winner,
            synthesis=make_claim(self._clean(synthesis), self.actor, options) if synthesis is not None else None,
        )
        checks.optional_text("expected", expected)
        if dry_run:
            return self._rehearse(lambda unit: self._foreseen(unit, request))
        return self._settle(request) if expected is None else self._settle_as_shown(request, expected)

    def _foreseen(self, unit: Unit, request: ResolveRequest) -> ConflictResult:
        """How a conflict would be settled, told inside the transaction that does it."""
        head = unit.ledger.head()
        settled = settle(unit, request, self.actor, self._tenant.bench)
        winner = () if settled.winner in (None, settled.synthesis) else (settled.winner,)
        falls, rises = (
            judged_anew(unit, self.actor, self.policy, names, since=head.seq if head is not None else 0)
            for names in (settled.superseded, winner)
        )
        rises = tuple(name for name in rises if name not in {*falls, *settled.superseded})
        falls = tuple(name for name in falls if name not in winner)
        return settled.foretelling(falls, rises)

    def _settle_as_shown(self, request: ResolveRequest, expected: str) -> ConflictResult:
        """Do what a rehearsal told or nothing. A refusal is recorded as any other."""

        def job(unit: Unit) -> ConflictResult:
            settled = self._foreseen(unit, request)
            if settled.status != REFUSED and settled.digest != expected:
                raise Stale(
                    f"the outcome of conflict {request.conflict}", yours="the one you were shown", present="another"
                )
            return settled

        settled = self._tenant.store.write(job)
        self._tenant.wrote(settled.epoch)
        return settled

    def _settle(self, request: ResolveRequest, terms: WriteTerms = UNCONDITIONAL) -> ConflictResult:
        bench = terms.bench(self._tenant.bench)

        def job(unit: Unit) -> ConflictResult:
            terms.hold(unit)
            return settle(unit, request, self.actor, bench)

        settled = self._tenant.store.write(job)
        self._tenant.wrote(settled.epoch)
        return settled

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
        with self._tenant.store.read() as snapshot:
            present = record_of(snapshot, self.actor, self.policy, record_id, None).record
        claim = present.claim
        self._screen.refuse("scope_id", scope_id)
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
                claim.intent, purpose=self._clean(reason) if reason else claim.intent.purpose
            ),
        )
        self._screen.refuse("proposal_id", proposal_id)
        name = proposal_id if proposal_id is not None else self._tenant.ids.fresh("prp")
        proposal = Proposal(id=name, tenant=self.tenant, claim=promoted, promotes=record_id)
        admitted = admit(proposal, self.actor, self.policy.safety)
        return self._write(lambda unit: propose(unit, admitted, self._tenant.bench))

    @watched("alias")
    def alias(self, name: str, means: str) -> tuple[str, ...]:
        """Say that a name means the same as another, and return all names of the thing, the chief one first. Questions
        that use one of them find records that use another. A name that means itself stands alone again."""
        if decide_review(self.policy, self.actor, Action.NAME, None, None) is None:
            raise NotPermitted(self.actor.id, "give names")
        keys = []
        for field, text in (("name", name), ("means", means)):
            checks.text(field, text)
            self._screen.refuse(field, text)
            keys.append(entity_key(text))
            if not keys[-1]:
                raise Malformed(field, "a name")
        bench = self._tenant.bench
        names, epoch = self._tenant.store.write(lambda unit: give_name(unit, keys[0], keys[1], self.actor.id, bench))
        self._tenant.wrote(epoch)
        return names

    @watched("sweep")
    def sweep(self) -> MaintenanceResult:
        """Let time do its work: what is past its time expires with all that follows, use is counted, tiers move, and
        what is due for review is named. A second sweep at the same instant finds nothing to do."""
        if decide_review(self.policy, self.actor, Action.SWEEP, None, None) is None:
            raise NotPermitted(self.actor.id, "sweep the memory")
        tenant, now = self._tenant, self._tenant.clock.now()
        with tenant.store.read() as snapshot:
            rids = updated_usage(snapshot, now)
            over = snapshot.catalogue.expired(now)
            due = tuple(
                card.id
                for card in snapshot.catalogue.due(now)
                if not hidden(self.policy, self.actor, fetch(snapshot, card))
            )
        if not rids and not over:
            return MaintenanceResult(due=due)

        def job(unit: Unit) -> tuple[MaintenanceResult, int]:
            expired, fallen = expire(unit, tenant.bench, self.actor.id, now)
            moved = refresh(unit, tenant.bench, self.actor.id, now, rids)
            head = unit.ledger.head()
            return MaintenanceResult(
                expired=expired, fallen=fallen, moved=moved, due=due
            ), head.seq if head is not None else 0

        swept, epoch = tenant.store.write(job)
        tenant.wrote(epoch)
        return swept
