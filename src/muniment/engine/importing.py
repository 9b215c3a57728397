"""`memory.imports`: batches of memories from elsewhere: preview, take in, apply, roll back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from muniment.engine.proposing import admit_arrival
from muniment.engine.session import Session, Sessioned
from muniment.engine.watched import watched
from muniment.model import checks
from muniment.model.arguments import checked
from muniment.model.claim import Claim
from muniment.model.curation import RollbackResult, Verdict
from muniment.model.errors import LimitExceeded, Malformed, NotFound, NotPermitted
from muniment.model.proposal import ImportContext, ReviewDecision, RollbackRequest
from muniment.model.rows import ProposalRow
from muniment.model.status import Status
from muniment.model.value import Value
from muniment.model.vocabulary import Outcome
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Unit
from muniment.write.admit import Admitted
from muniment.write.batch_rollback import batch_rows, batch_to_take, name_in, roll_back
from muniment.write.pipeline import propose_each
from muniment.write.review import rule

BATCH_MAX = 100_000


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
class Imports:
    """Take memories in, a batch at a time, and undo a batch."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def preview(self, claims: Iterable[Claim]) -> tuple[Verdict, ...]:
        """What would be decided on these claims, one after the other. Changes nothing; ids are not those that would be
        given."""
        if not isinstance(claims, Iterable):
            raise Malformed("claims", "a list of claims")
        admitted = [
            admit_arrival(self._session, claim, self._session.tenant.ids.fresh("prp"), None) for claim in claims
        ]
        return _previewed(self._session, admitted)

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
        self._session.screen.refuse("batch", batch)
        _refuse_import(self._session, "take memories in from elsewhere")
        if not isinstance(newcomers, Sequence) or not all(isinstance(one, Newcomer) for one in newcomers):
            raise Malformed("newcomers", "a list of newcomers")
        if len(newcomers) > BATCH_MAX:
            raise LimitExceeded("memories", limit=BATCH_MAX, unit="memories", sent=len(newcomers))
        admitted = []
        together = {one.record for one in newcomers}
        for number, one in enumerate(newcomers, start=first):
            self._session.screen.refuse("record_id", one.record)
            links = [name for _, name in one.claim.lineage.links]
            links += [one.revises] if one.revises is not None else []
            among = tuple(name for name in links if one.along or name in together)
            waits = hold or one.hold
            arrival = ImportContext(
                contract=contract, record=one.record, status=one.status, hold=waits, among=among, batch=batch
            )
            admitted.append(
                admit_arrival(self._session, one.claim, name_in(batch, number), arrival, revises=one.revises)
            )
        if preview:
            if first == 1:
                with self._session.store.read() as snapshot:
                    batch_to_take(snapshot, batch, again=False)
            return _previewed(self._session, admitted)
        bench = self._session.bench

        def job(unit: Unit) -> tuple[Verdict, ...]:
            if first == 1:  # it reads the whole batch, which the parts that follow do not need again
                batch_to_take(unit, batch, again=False)
            verdicts = []
            for number, verdict in enumerate(propose_each(unit, [(one, ()) for one in admitted], bench), start=1):
                verdicts.append(verdict)
                if number % 1_000 == 0:
                    progress(number)
            return tuple(verdicts)

        return _written(self._session, self._session.store.write(job))

    @watched("apply")
    def apply(self, batch: str, *, reason: str) -> tuple[Verdict, ...]:
        """Accept everything of a batch that waits, all or none."""
        checks.identifier("batch", batch)
        words = self._session.clean(reason)

        def job(unit: Unit) -> tuple[Verdict, ...]:
            rows = list(batch_rows(unit, batch))
            if not any(_may_know(self._session, row) for row in rows):
                raise NotFound("batch", batch)
            rulings = [
                ReviewDecision(proposal=row.id, accept=True, reason=words)
                for row in rows
                if row.outcome == Outcome.HELD
            ]
            return tuple(rule(unit, ruling, self._session.actor, self._session.bench) for ruling in rulings)

        return _written(self._session, self._session.store.write(job))

    @watched("roll_back")
    def roll_back(self, batch: str, *, reason: str) -> RollbackResult:
        """Undo a batch: what it brought is retracted, what it replaced or disputed is as it was, what waits is
        dismissed. Refused as stale if anything it touched has moved since."""
        request = RollbackRequest(batch=batch, reason=self._session.clean(reason))
        undone = self._session.store.write(
            lambda unit: roll_back(unit, request, self._session.actor, self._session.bench)
        )
        self._session.tenant.wrote(undone.epoch)
        return undone


def _previewed(session: Session, admitted: list[Admitted]) -> tuple[Verdict, ...]:
    bench = session.bench
    return session.rehearse(lambda unit: tuple(propose_each(unit, [(one, ()) for one in admitted], bench)))


def _written(session: Session, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    if verdicts:
        session.tenant.wrote(max(verdict.epoch for verdict in verdicts))
    return verdicts


def _may_know(session: Session, row: ProposalRow) -> bool:
    """Whether the caller may know that there is such a batch."""
    known = (Action.ACCEPT, Action.AUDIT)
    own = row.actor == session.actor.id and session.actor.user is None
    return own or any(
        decide_review(session.policy, session.actor, action, None, row.actor) is not None for action in known
    )


def _refuse_import(session: Session, what: str) -> None:
    if decide_review(session.policy, session.actor, Action.IMPORT, None, None) is None:
        raise NotPermitted(session.actor.id, what)


def batch_name(memory: Sessioned, batch: str, *, again: bool) -> str:
    """Under which name a batch is taken in now. One that was rolled back is refused; with `again` it gets a new name,
    and what it brings takes its ids up again. For those who build on the engine."""
    checks.identifier("batch", batch)
    checks.flag("again", again)
    with memory._session.store.read() as snapshot:
        return batch_to_take(snapshot, batch, again=again)
