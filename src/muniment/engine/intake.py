"""The part of the face where memories come in from elsewhere and are told in full: batches, listings, reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Unpack

import msgspec

from muniment.engine.asking import Asking
from muniment.engine.look import Curated, report_on
from muniment.engine.options import QueryOptions, make_query
from muniment.engine.seat import bound
from muniment.engine.watched import watched
from muniment.model import checks
from muniment.model.arguments import checked
from muniment.model.card import moved
from muniment.model.claim import Claim
from muniment.model.curation import RollbackResult, Verdict
from muniment.model.errors import LimitExceeded, Malformed, ModelUnavailable, NotFound, NotPermitted
from muniment.model.proposal import ImportContext, Proposal, RetractRequest, ReviewDecision, RollbackRequest
from muniment.model.query import LIMIT_MAX, Disclosure, Listing, Query
from muniment.model.rows import ProposalRow
from muniment.model.status import CURRENT, Status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Outcome
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Unit
from muniment.write.admit import Admitted, admit, unheard
from muniment.write.batch_rollback import batch_rows, batch_to_take, name_in, roll_back
from muniment.write.case import hidden
from muniment.write.facts import fetch
from muniment.write.pipeline import propose_each
from muniment.write.review import retract, rule

BATCH_MAX = 100_000
PAGE = LIMIT_MAX


class Newcomer(Value):
    """A memory from elsewhere: what it claims, and, if it had them there, its id and the state it was in. With `hold`
    it waited there for a person, and does so here. With `revises` it is the next revision of a record that is here or
    came before it; with `along` what it refers to came with it, in an earlier part of the batch, and may be waiting."""

    claim: Claim
    record: str | None = None
    status: Status = Status.ACTIVE
    hold: bool = False
    revises: str | None = None
    along: bool = False


@checked
class Intake(Asking):
    """Taking memories in, a batch at a time, and giving them out, a page at a time."""

    def preview(self, claims: Iterable[Claim]) -> tuple[Verdict, ...]:
        """What would be decided on these claims, one after the other. Changes nothing; ids are not those that would be
        given."""
        if not isinstance(claims, Iterable):
            raise Malformed("claims", "a list of claims")
        admitted = [self._newcomer(claim, self._tenant.ids.fresh("prp"), None) for claim in claims]
        return self._foresee(admitted)

    @watched("take_in")
    def take_in(
        self,
        batch: str,
        newcomers: Sequence[Newcomer],
        *,
        contract: str,
        hold: bool = False,
        preview: bool = False,
        first: int = 1,
        progress: Callable[[int], None] = lambda _: None,
    ) -> tuple[Verdict, ...]:
        """Propose a batch of memories that were read from elsewhere, all or none. Their origin is an import whatever
        they say; each keeps the id it had if no record here has it. With `hold` all wait for a person; with `preview`
        nothing is changed. The proposals are named after the batch and counted from 1: the same batch again gets the
        same answers and changes nothing. One that was rolled back is refused: `RolledBack`. A large batch can be
        proposed in parts: `first` is the number of the first proposal of this part."""
        checks.identifier("batch", batch)
        checks.whole("first", first, least=1, most=2**31)
        self._screen.refuse("batch", batch)
        self._refuse_import("take memories in from elsewhere")
        if not isinstance(newcomers, Sequence) or not all(isinstance(one, Newcomer) for one in newcomers):
            raise Malformed("newcomers", "a list of newcomers")
        if len(newcomers) > BATCH_MAX:
            raise LimitExceeded("memories", limit=BATCH_MAX, unit="memories", sent=len(newcomers))
        admitted = []
        together = {one.record for one in newcomers}
        for number, one in enumerate(newcomers, start=first):
            self._screen.refuse("record_id", one.record)
            links = [name for _, name in one.claim.lineage.links]
            links += [one.revises] if one.revises is not None else []
            among = tuple(name for name in links if one.along or name in together)
            waits = hold or one.hold
            arrival = ImportContext(
                contract=contract, record=one.record, status=one.status, hold=waits, among=among, batch=batch
            )
            admitted.append(self._newcomer(one.claim, name_in(batch, number), arrival, revises=one.revises))
        if preview:
            if first == 1:
                with self._tenant.store.read() as snapshot:
                    batch_to_take(snapshot, batch, again=False)
            return self._foresee(admitted)
        bench = self._tenant.bench

        def job(unit: Unit) -> tuple[Verdict, ...]:
            if first == 1:  # it reads the whole batch, which the parts that follow do not need again
                batch_to_take(unit, batch, again=False)
            verdicts = []
            for number, verdict in enumerate(propose_each(unit, [(one, ()) for one in admitted], bench), start=1):
                verdicts.append(verdict)
                if number % 1_000 == 0:
                    progress(number)
            return tuple(verdicts)

        return self._written(self._tenant.store.write(job))

    @watched("apply")
    def apply(self, batch: str, *, reason: str) -> tuple[Verdict, ...]:
        """Accept everything of a batch that waits, all or none."""
        checks.identifier("batch", batch)
        words = self._clean(reason)

        def job(unit: Unit) -> tuple[Verdict, ...]:
            rows = list(batch_rows(unit, batch))
            if not any(self._may_know(row) for row in rows):
                raise NotFound("batch", batch)
            rulings = [
                ReviewDecision(proposal=row.id, accept=True, reason=words)
                for row in rows
                if row.outcome == Outcome.HELD
            ]
            return tuple(rule(unit, ruling, self.actor, self._tenant.bench) for ruling in rulings)

        return self._written(self._tenant.store.write(job))

    @watched("roll_back")
    def roll_back(self, batch: str, *, reason: str) -> RollbackResult:
        """Undo a batch: what it brought is retracted, what it replaced or disputed is as it was, what waits is
        dismissed. Refused as stale if anything it touched has moved since."""
        request = RollbackRequest(batch=batch, reason=self._clean(reason))
        undone = self._tenant.store.write(lambda unit: roll_back(unit, request, self.actor, self._tenant.bench))
        self._tenant.wrote(undone.epoch)
        return undone

    @watched("retire")
    def retire(self, record_id: str, *, becomes: str, reason: str, expected_revision: int | None = None) -> Verdict:
        """Let a record no longer speak: `deprecated`, `expired`, `archived` or `retracted`. What is over already can
        still be archived."""
        retraction = RetractRequest(
            record=record_id,
            reason=self._clean(reason),
            expected_revision=expected_revision,
            becomes=checks.read_word("becomes", becomes, Status),
        )
        return self._write(lambda unit: retract(unit, retraction, self.actor, self._tenant.bench))

    def browse(
        self,
        *,
        statuses: Sequence[str] | None = None,
        session: str | None = None,
        after: str | None = None,
        changed_after: int | None = None,
        **options: Unpack[QueryOptions],
    ) -> Iterator[Disclosure]:
        """Every record the caller may see, in the order it was written, as it stands: what speaks for now, or what is
        in these `statuses`. Bounds as for `recall`, except that nothing is kept back for being weak or over. Each page
        leaves a receipt before it is told. With `known_at` it is what was known then, each record as it stood then.
        With `after`, the id and revision of a record that was told (`rec-1@2`), it goes on behind that one; with
        `changed_after`, what was written or changed after that ledger position, in the order of the last change, of
        which as much as one page holds."""
        user = options.pop("user", None)
        if user is not None:
            seat = type(self)(self._tenant, bound(self.actor, user))
            return seat.browse(statuses=statuses, session=session, after=after, changed_after=changed_after, **options)
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
            listing = msgspec.structs.replace(listing, after=self._number(after, query.known_at))
        return self._pages(query, listing, limit)

    def _number(self, after: str, known_at: Instant | None) -> int:
        """Which revision a listing goes on behind. One that may not be seen, as it stood then, is none."""
        expected = "the id and revision of a record that was told, such as rec-1@2"
        name, _, revision = after.rpartition("@") if isinstance(after, str) else ("", "", "")
        if not name or not revision.isascii() or not revision.isdigit():
            raise Malformed("after", expected)
        with self._tenant.store.read() as snapshot:
            card = next((one for one in snapshot.catalogue.revisions(name) if str(one.revision) == revision), None)
            if card is not None and known_at is not None:
                then = snapshot.catalogue.standing_at(card.rid, snapshot.ledger.position_at(known_at))
                card = moved(card, then) if then is not None else None
            if card is None or hidden(self.policy, self.actor, fetch(snapshot, card)):
                raise Malformed("after", expected)
        return card.rid

    def _pages(self, query: Query, listing: Listing, limit: int | None) -> Iterator[Disclosure]:
        left = limit
        while left is None or left > 0:
            size = PAGE if left is None else min(PAGE, left)
            page = msgspec.structs.replace(query, limit=size, listing=listing)
            found = self._ask(page)
            yield from found.recall.records
            if len(found.account.candidates) < size or listing.changed_after is not None:
                return
            left = None if left is None else left - len(found.recall.records)
            listing = msgspec.structs.replace(listing, after=found.account.candidates[-1].rid)

    @watched("report")
    def report(self, proposal_id: str) -> Curated:
        """What was decided on a proposal and why: for who made it, for those who may see the record it became, and for
        those who may audit."""
        checks.identifier("proposal_id", proposal_id)
        with self._tenant.store.read() as snapshot:
            return report_on(snapshot, self.actor, self.policy, proposal_id)

    def _newcomer(
        self, claim: Claim, name: str, arrival: ImportContext | None, *, revises: str | None = None
    ) -> Admitted:
        if not isinstance(claim, Claim):
            raise Malformed("claims", "a list of claims")
        proposal = Proposal(id=name, tenant=self.tenant, claim=claim, target=revises, arrival=arrival)
        return self._extracted(admit(proposal, self.actor, self.policy.safety))

    def _extracted(self, admitted: Admitted) -> Admitted:
        """Ask the extractor, if there is one, about the text as it was cleaned. One that cannot be heard is noted."""
        extractor = self._tenant.extractor
        if extractor is None:
            return admitted
        try:
            found = extractor.extract(admitted.proposal.claim.content)
        except ModelUnavailable as error:
            return unheard(admitted, error)
        safe = tuple(one for one in found if (self._clean(one.text), self._clean(one.key)) == (one.text, one.key))
        return msgspec.structs.replace(admitted, extracted=safe)

    def _foresee(self, admitted: list[Admitted]) -> tuple[Verdict, ...]:
        bench = self._tenant.bench
        return self._rehearse(lambda unit: tuple(propose_each(unit, [(one, ()) for one in admitted], bench)))

    def _written(self, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        if verdicts:
            self._tenant.wrote(max(verdict.epoch for verdict in verdicts))
        return verdicts

    def _may_know(self, row: ProposalRow) -> bool:
        """Whether the caller may know that there is such a batch."""
        known = (Action.ACCEPT, Action.AUDIT)
        own = row.actor == self.actor.id and self.actor.user is None
        return own or any(
            decide_review(self.policy, self.actor, action, None, row.actor) is not None for action in known
        )

    def _refuse_import(self, what: str) -> None:
        if decide_review(self.policy, self.actor, Action.IMPORT, None, None) is None:
            raise NotPermitted(self.actor.id, what)


def batch_name(seat: Intake, batch: str, *, again: bool) -> str:
    """Under which name a batch is taken in now. One that was rolled back is refused; with `again` it gets a new name,
    and what it brings takes its ids up again. For those who build on the engine."""
    checks.identifier("batch", batch)
    checks.flag("again", again)
    with seat._tenant.store.read() as snapshot:
        return batch_to_take(snapshot, batch, again=again)
