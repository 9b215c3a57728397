"""How a memory was used over time: the sums follow from the logs, however and whenever they were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.support.world import START, TickingClock, simulated_memory

from muniment import Memory
from muniment.engine import Activity, Period, activity_log
from muniment.engine.activity import Bucket, CachedActivity
from muniment.engine.session import window
from muniment.model.actor import Actor
from muniment.model.errors import Malformed, NotPermitted
from muniment.model.status import CURRENT
from muniment.model.times import DAY, HOUR, Instant
from muniment.model.vocabulary import ActorType, ConflictStatus

SCOUT = Actor(id="scout", type=ActorType.AGENT, projects=("default",))


class World:
    """A memory in a simulated world, and what can be done in it. Each deed is its own number."""

    def __init__(self, memory: Memory, clock: TickingClock) -> None:
        self.memory = memory
        self.clock = clock
        self.records: list[str] = []
        self._count = 0

    def write(self) -> None:
        self._count += 1
        verdict = self.memory.remember(f"Cart {self._count} has arrived", confidence=0.4 + self._count % 6 / 10)
        self.records.append(verdict.record_id or "")

    def repeat(self) -> None:
        self.memory.remember(f"Cart {self._count} has arrived")

    def wait(self) -> None:
        self._count += 1
        scout = self.memory.as_actor(SCOUT)
        scout.remember(f"Cart {self._count} goes back", kind="decision", scope="project", scope_id="default")

    def accept(self) -> None:
        for waiting in self.memory.review.queue(limit=1):
            self.memory.review.decide(waiting.proposal.id, accept=True, reason="seen")

    def discard(self) -> None:
        for waiting in self.memory.review.queue(limit=1):
            self.memory.review.decide(waiting.proposal.id, accept=False, reason="not seen")

    def object(self) -> None:
        self._count += 1
        if self.records:
            said = f"No cart has come {self._count}"
            self.memory.remember(said, relations=[("contradicts", self.records[-1])])

    def settle(self) -> None:
        for view in self.memory.review.conflicts():
            if view.status is not ConflictStatus.RESOLVED:
                self.memory.review.resolve(view.id, strategy="last_write_wins", rationale="later")
                return

    def revise(self) -> None:
        if self.records:
            self._count += 1
            self.memory.revise(self.records[-1], f"Cart {self._count} has arrived late")

    def mislead(self) -> None:
        if self.records:
            self.memory.review.outcome(self.records[-1], "misleading")

    def retract(self) -> None:
        if self.records:
            self.memory.review.retract(self.records.pop(), reason="mistaken")

    def forget(self) -> None:
        if self.records:
            self.memory.forget(self.records.pop(), reason="asked for")

    def recall(self) -> None:
        self.memory.recall("has a cart arrived", floor=0.0, limit=2)

    def ask_in_vain(self) -> None:
        self.memory.recall("zebra")

    def list(self) -> None:
        for _ in self.memory.insight.browse(limit=2):
            continue

    def pause(self) -> None:
        self.clock.set(Instant(self.clock.now() + 5 * HOUR))

    def rest(self) -> None:
        self.clock.set(Instant(self.clock.now() + 40 * DAY))


DEEDS: tuple[Callable[[World], None], ...] = (
    World.write,
    World.write,
    World.repeat,
    World.wait,
    World.accept,
    World.discard,
    World.object,
    World.settle,
    World.revise,
    World.mislead,
    World.retract,
    World.forget,
    World.recall,
    World.ask_in_vain,
    World.list,
    World.pause,
    World.rest,
)


def begun() -> World:
    clock = TickingClock()
    return World(simulated_memory(clock=clock), clock)


def whole(memory: Memory, diary: CachedActivity, bucket: Bucket, count: int, now: Instant) -> Activity:
    """Ask until all is read."""
    while not (found := diary.activity(memory._session.tenant.store, bucket, count, now=now)).complete:
        continue
    return found


@given(
    deeds=st.lists(st.sampled_from(DEEDS), max_size=25),
    looks=st.sets(st.integers(0, 24)),
    at_once=st.integers(1, 7),
    count=st.integers(1, 40),
    bucket=st.sampled_from(Bucket),
)
def test_many_readings_come_to_what_one_comes_to(
    deeds: list[Callable[[World], None]], looks: set[int], at_once: int, count: int, bucket: Bucket
) -> None:
    world, diary = begun(), CachedActivity()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(activity_log, "ENTRIES_AT_ONCE", at_once)
        patched.setattr(activity_log, "RECEIPTS_AT_ONCE", at_once)
        for number, deed in enumerate(deeds):
            deed(world)
            if number in looks:
                diary.activity(world.memory._session.tenant.store, bucket, 1, now=START)
        now = world.clock.now()
        step_by_step = whole(world.memory, diary, bucket, count, now)
    at_one_go = whole(world.memory, CachedActivity(), bucket, count, now)

    assert step_by_step == at_one_go
    assert_sums(world.memory, whole(world.memory, diary, Bucket.DAY, 1_000, now))
    assert_present(world.memory, at_one_go)


def assert_sums(memory: Memory, found: Activity) -> None:
    """Everything that is in the logs is in a period, and in the right one."""
    written: Counter[tuple[int, str]] = Counter()
    for entry in memory.ledger.entries():
        if entry.kind in ("curated", "ruled") and entry.filing is not None:
            written[entry.at // DAY, entry.filing.outcome.value] += 1
        written[entry.at // DAY, "erased"] += len(entry.erased)
        written[entry.at // DAY, "conflicts_opened"] += sum(1 for one in entry.conflicts if not one.opened)
    for told, account in memory.ledger.receipts():
        day = told.at // DAY
        written[day, "recalls" if account.query.listing is None else "listings"] += 1
        written[day, "told"] += len(account.selected)
        written[day, "abstentions"] += account.abstained is not None and account.query.listing is None
        written[day, "kept_back"] += sum(account.excluded.values())
    for period in found.periods:
        day = period.start // DAY
        assert sum(period.kept_back.values()) == written[day, "kept_back"]
        for name in NUMBERS:
            assert getattr(period, name) == written[day, name], (name, day)
    assert {day for day, _ in written} <= {period.start // DAY for period in found.periods}


NUMBERS = (
    "committed",
    "held",
    "refused",
    "conflicts_opened",
    "erased",
    "recalls",
    "listings",
    "abstentions",
    "told",
)


def assert_present(memory: Memory, found: Activity) -> None:
    """What is open, and how things stand at the end, is what the store says."""
    with window(memory) as snapshot:
        cards = [card for card in snapshot.catalogue.all() if card.status in CURRENT]
        held = snapshot.desk.held(after=None, limit=1_000)
        disputes = [row for row in snapshot.desk.conflicts() if row.status != ConflictStatus.RESOLVED]
    last = found.periods[-1]
    assert (last.records, last.waiting) == (len(cards), len(held))
    mean = sum(card.effective for card in cards) / len(cards) if cards else None
    assert last.confidence == (None if mean is None else pytest.approx(mean, abs=1e-6))
    tiers = Counter(card.tier for card in cards)
    assert last.tiers == {name: tiers[name] for name in ("working", "session", "longterm", "archive")}
    assert (found.waiting, found.open_conflicts) == (len(held), len(disputes))
    assert found.oldest_waiting == min((row.at for row in held), default=None)


def story(memory: Memory, clock: TickingClock) -> tuple[Period, Period, Period]:
    """Three days, and a look at the last of them."""
    first = memory.remember("The mill stands still", confidence=0.8)
    memory.as_actor(SCOUT).remember("Close the mill", kind="decision", scope="project", scope_id="default")
    memory.remember("The mill stands still")
    clock.set(Instant(START + DAY + 3 * HOUR))
    memory.recall("the mill", floor=0.0)
    memory.recall("zebra")
    memory.remember("The mill turns", confidence=0.4, relations=[("contradicts", first.record_id or "")])
    clock.set(Instant(START + 2 * DAY))
    memory.review.resolve(memory.review.conflicts()[0].id, strategy="last_write_wins", rationale="later")
    memory.forget(first.record_id or "", reason="asked for")
    one, two, three = memory.insight.activity(bucket="day", buckets=3).periods
    return one, two, three


def test_each_day_tells_what_happened_in_it_and_how_it_ended() -> None:
    clock = TickingClock()
    one, two, three = story(simulated_memory(clock=clock), clock)

    assert [day.start for day in (one, two, three)] == [START, START + DAY, START + 2 * DAY]
    assert (one.committed, one.held, one.refused, one.recalls) == (1, 1, 1, 0)
    assert (two.committed, two.held, two.refused, two.recalls, two.told, two.abstentions) == (1, 0, 0, 2, 1, 1)
    assert (two.conflicts_opened, two.conflicts_resolved) == (1, 0)
    assert (three.conflicts_opened, three.conflicts_resolved, three.erased, three.committed) == (0, 1, 1, 0)
    assert [day.records for day in (one, two, three)] == [1, 2, 1]
    assert [day.confidence for day in (one, two, three)] == [pytest.approx(0.8), pytest.approx(0.6), pytest.approx(0.4)]
    assert [day.waiting for day in (one, two, three)] == [1, 1, 1]
    assert two.tiers == {"working": 2, "session": 0, "longterm": 0, "archive": 0}


def test_a_vault_sums_up_what_the_reference_store_does(vault: Path) -> None:
    clock, other = TickingClock(), TickingClock()
    with Memory.open(vault, clock=clock) as memory:
        found = story(memory, clock)

    assert found == story(simulated_memory(clock=other), other)


def test_hours_are_told_apart_and_carry_on_how_things_stood() -> None:
    world = begun()
    world.write()
    world.clock.set(Instant(START + 3 * HOUR))
    world.recall()

    hours = world.memory.insight.activity(bucket="hour", buckets=5).periods

    assert [(hour.start - START) // HOUR for hour in hours] == [-1, 0, 1, 2, 3]
    assert [hour.committed for hour in hours] == [0, 1, 0, 0, 0]
    assert [hour.recalls for hour in hours] == [0, 0, 0, 0, 1]
    assert [hour.records for hour in hours] == [0, 1, 1, 1, 1]


def test_what_is_long_past_is_kept_by_days_and_stays_countable() -> None:
    world = begun()
    for number in range(6):
        world.clock.set(Instant(START + number * HOUR))
        world.write()
    world.clock.set(Instant(START + 100 * DAY))
    world.write()

    found = world.memory.insight.activity(bucket="day", buckets=101)
    kept = world.memory._session.tenant.diary._chronicle

    assert (found.periods[0].committed, found.periods[0].records) == (6, 6)
    assert (found.periods[1].committed, found.periods[1].records, found.periods[100].records) == (0, 6, 7)
    assert (len(kept.counts), len(kept.days), len(kept.levels)) == (1, 1, 1)


def test_a_call_reads_so_much_and_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity_log, "ENTRIES_AT_ONCE", 3)
    monkeypatch.setattr(activity_log, "RECEIPTS_AT_ONCE", 2)
    world = begun()
    for _ in range(3):
        world.write()
        world.recall()

    found = [world.memory.insight.activity() for _ in range(4)]

    assert [(one.read, one.of, one.complete) for one in found] == [
        (3, 8, False),
        (7, 8, False),
        (8, 8, True),
        (8, 8, True),
    ]


def test_a_ledger_that_was_put_back_is_read_anew() -> None:
    longer, other = begun(), begun()
    for _ in range(5):
        longer.write()
    other.write()
    diary, now = CachedActivity(), Instant(START + HOUR)
    whole(longer.memory, diary, Bucket.DAY, 1, now)

    assert whole(other.memory, diary, Bucket.DAY, 1, now) == whole(other.memory, CachedActivity(), Bucket.DAY, 1, now)


def test_another_ledger_of_the_same_length_is_read_anew() -> None:
    one, other = begun(), begun()
    one.write()
    other.wait()
    diary, now = CachedActivity(), Instant(START + HOUR)
    whole(one.memory, diary, Bucket.DAY, 1, now)

    assert whole(other.memory, diary, Bucket.DAY, 1, now).waiting == 1


def test_receipts_that_are_others_are_read_anew() -> None:
    one, other = begun(), begun()
    for world in (one, other):
        world.write()
        world.recall()
    one.recall()
    other.ask_in_vain()
    other.ask_in_vain()
    diary, now = CachedActivity(), Instant(START + HOUR)
    whole(one.memory, diary, Bucket.DAY, 1, now)

    assert whole(other.memory, diary, Bucket.DAY, 1, now).periods[-1].recalls == 3
    assert whole(other.memory, diary, Bucket.DAY, 1, now) == whole(other.memory, CachedActivity(), Bucket.DAY, 1, now)


def test_an_erasure_changes_no_sum_of_what_was_told(vault: Path) -> None:
    with Memory.open(vault) as memory:
        mill = memory.remember("The mill stands still").record_id or ""
        memory.recall("the mill", floor=0.0)
        before = memory.insight.activity().periods[-1]
        memory.forget(mill, reason="asked for")
        after = memory.insight.activity().periods[-1]
    with Memory.open(vault) as memory:
        anew = memory.insight.activity().periods[-1]

    assert (before.recalls, before.told, before.records, before.erased) == (1, 1, 1, 0)
    assert (after.recalls, after.told, after.records, after.erased) == (1, 1, 0, 1)
    assert after == anew


def test_whoever_may_not_audit_is_told_nothing() -> None:
    with pytest.raises(NotPermitted):
        begun().memory.as_actor(SCOUT).insight.activity()


@each(("bucket", "buckets", "field"), [("week", 3, "bucket"), ("day", 0, "buckets"), ("day", 1_001, "buckets")])
def test_periods_that_there_are_not_are_refused(bucket: str, buckets: int, field: str) -> None:
    with pytest.raises(Malformed) as refused:
        begun().memory.insight.activity(bucket=bucket, buckets=buckets)

    assert refused.value.field == field
