"""Carry one tenant over: follow its ledger until little is left, then the rest while nobody writes, then compare."""

from __future__ import annotations

from contextlib import ExitStack

from muniment.engine.moving.follow_ledger import LedgerFollower, LedgerPosition, Told, place_of, silent
from muniment.engine.moving.store_comparison import check_alike, same_by_meaning
from muniment.engine.moving.vectors import asked_by_meaning, bring_vectors
from muniment.engine.tenant import policy_of
from muniment.model.actor import OWNER
from muniment.model.errors import OperationalError, StoreBusy
from muniment.model.rows import VectorCoverage
from muniment.model.value import Value
from muniment.policy.decide import resolve
from muniment.ports.clock_and_ids import Clock
from muniment.ports.store import Snapshot, TenantStore, Unit
from muniment.read.pipeline import ReadContext

LITTLE = 64
"""So many entries and receipts may be left for the last pass, in which the source takes no write."""
LAPS_MAX = 8
TOO_MUCH = 2_000
"""After so many times that the target has caught up, so much must not be left: the source is written too fast."""


class CopiedTenant(Value):
    """One tenant at the target: where its ledger stands, how many entries came in this run, whether all of it was
    compared and how many questions both ends answered alike, with which model its vectors were made and how far they
    reach. `behind` is how many entries the source has written since; `scrubbed` is False when files of the target may
    still hold what was erased on the way."""

    tenant: str
    seq: int
    hash: str
    receipts: int
    entries: int
    compared: bool
    questions: int
    model: str | None
    vectors_upto: int
    behind: int
    scrubbed: bool


class TenantCopy:
    """One tenant on its way."""

    def __init__(self, source: TenantStore, target: TenantStore, *, clock: Clock, progress: Told = silent) -> None:
        self._source, self._target = source, target
        self._clock, self._progress = clock, progress
        self._first = target.marks()[0]
        self._follower = LedgerFollower(source, target, progress=self._told)

    @property
    def wrote(self) -> bool:
        return self._follower.wrote

    def catch_up(self) -> CopiedTenant:
        """Bring the target up to date, and no more."""
        self._follow()
        with self._source.read() as moment:
            while not self._follower.step(moment):
                continue
        with self._target.read() as here:
            place = place_of(here)
        return self._account(place, questions=None, reach=VectorCoverage(), scrubbed=self._scrubbed())

    def finish(self, keys: frozenset[str]) -> CopiedTenant:
        """Bring everything, compare everything."""
        self._follow()
        with ExitStack() as held:
            moment = self._last_pass(held)
            place, reading = place_of(moment), _reading(moment)
            questions = check_alike(moment, self._target, reading, keys, self._clock.now(), self._told)
            reach = bring_vectors(self._source, self._target, upto=place.seq, progress=self._told)
            self._check_meanings(moment, reading, reach)
        return self._account(place, questions=questions, reach=reach, scrubbed=self._scrubbed())

    def _follow(self) -> None:
        """Follow the source until little is left; refuse one that is written faster than it can be followed."""
        laps = 0
        while True:
            with self._source.read() as moment:
                left = self._follower.behind(moment)
                if left <= LITTLE:
                    return
                if laps >= LAPS_MAX and left > TOO_MUCH:
                    raise _too_fast()
                laps += self._follower.step(moment)
                if laps > 2 * LAPS_MAX:
                    return  # what is left is bounded, and written in one go while nobody else writes

    def _last_pass(self, held: ExitStack) -> Snapshot:
        """Bring the rest while the source takes no write, and hold on to that moment of it: others may go on."""
        moments: list[Snapshot] = []

        def job(_: Unit) -> None:
            moments.append(held.enter_context(self._source.read()))
            while not self._follower.step(moments[-1]):
                continue

        self._source.write(job)
        return moments[-1]

    def _check_meanings(self, moment: Snapshot, reading: ReadContext, reach: VectorCoverage) -> None:
        if reach.model is None or moment.meanings.reach() != reach:
            return  # none are there, or the source makes more of them just now
        asked = asked_by_meaning(self._source, moment, reach)
        with self._target.read() as here:
            same_by_meaning(moment, here, reading, asked, self._clock.now(), self._target.tenant)

    def _scrubbed(self) -> bool:
        """Let nothing of what was erased on the way stay in any file of the target."""
        if not self._target.marks()[2]:
            return True
        try:
            return self._target.scrub()
        except OperationalError:
            return False  # the store keeps in mind that its files are still to be cleaned

    def _account(
        self, place: LedgerPosition, *, questions: int | None, reach: VectorCoverage, scrubbed: bool
    ) -> CopiedTenant:
        return CopiedTenant(
            tenant=self._target.tenant,
            seq=place.seq,
            hash=place.hash.hex(),
            receipts=place.receipts,
            entries=place.seq - self._first,
            compared=questions is not None,
            questions=questions or 0,
            model=reach.model,
            vectors_upto=reach.upto,
            behind=max(0, self._source.marks()[0] - place.seq),
            scrubbed=scrubbed,
        )

    def _told(self, what: str, done: int, whole: int) -> None:
        self._progress(f"{self._target.tenant}: {what}", done, whole)


def _reading(moment: Snapshot) -> ReadContext:
    """Who asks when both are asked: the owner, under the policy that the ledger was last decided under."""
    head = moment.ledger.head()
    assert head is not None, "a ledger begins with its genesis"
    policy = policy_of(moment, head.policy)
    return ReadContext(actor=resolve(policy, OWNER), policy=policy, policy_doc=head.policy)


def _too_fast() -> StoreBusy:
    busy = StoreBusy("the source is written to faster than it can be followed")
    busy.hint = "Stop its writers, or some of them, and run the same command again: it goes on where it was."
    return busy
