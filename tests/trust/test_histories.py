"""Whatever happens, in whatever order, every record is worth what a fresh look at all it stands on would say."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.support.world import simulated_memory
from tests.trust.world import SetClock, kept, sentence, team_policy

from muniment import Memory
from muniment.model.errors import CallerError
from muniment.model.query import Disclosure
from muniment.model.status import CURRENT, Status
from muniment.model.times import DAY
from muniment.model.value import Value
from muniment.model.vocabulary import LABEL_RANK, STANDS_ON, ConflictStatus, Support

FLOOR = 0.2
GONE = (Status.RETRACTED, Status.DEPRECATED, Status.EXPIRED)
ACTORS = ("owner", "worker", "runner", "gauge", "curator")


class Looked(Value):
    """What a fresh look says of one record."""

    effective: float
    support: Support


def look(found: dict[str, Disclosure], name: str) -> Looked:
    """Judge a record by everything it stands on, from nothing but what is told of each. The plain and slow way."""
    here = found[name]
    effective, supports = here.standing.footing.own, []
    for type_, target in here.record.links:
        if type_ not in STANDS_ON:
            continue
        pillar, below = found[target], look(found, target)
        effective = min(effective, below.effective)
        supports.append(_bears(here, pillar, below.support))
        if supports[-1] is Support.FALLEN:
            effective = min(effective, FLOOR)
    if supports and all(support is Support.FALLEN for support in supports):
        return Looked(effective=effective, support=Support.FALLEN)
    shaken = any(support is not Support.STANDING for support in supports)
    return Looked(effective=effective, support=Support.FLAGGED if shaken else Support.STANDING)


def _bears(here: Disclosure, pillar: Disclosure, support: Support) -> Support:
    status = pillar.standing.status
    if pillar.standing.successor == here.record.id:
        return Support.STANDING
    if status in GONE or support is Support.FALLEN:
        return Support.FALLEN
    shaken = status in (Status.SUPERSEDED, Status.CONTESTED) or _moved(here, pillar)
    return Support.FLAGGED if shaken or support is Support.FLAGGED else Support.STANDING


def _moved(here: Disclosure, pillar: Disclosure) -> bool:
    """Whether what it stands on was revised after it was written."""
    return pillar.record.created_at > here.record.created_at


class Run:
    """A memory that things happen to, by drawn choices."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.clock = SetClock()
        self.memory = simulated_memory(policy=team_policy(), clock=self.clock)
        self.names: list[str] = []
        self.said = 0
        for _ in range(4):
            self.clock.forward(1_000)
            self.remember()

    def draw(self, options: tuple[str, ...] | list[str]) -> str:
        return self.data.draw(st.sampled_from(options))

    def actor(self) -> Memory:
        return self.memory.as_actor(self.draw(ACTORS))

    def words(self) -> str:
        self.said += 1
        return sentence(self.said)

    def some(self, least: int = 0) -> list[str]:
        """A few records, at least so many unless there are none yet."""
        if not self.names:
            return []
        return self.data.draw(st.lists(st.sampled_from(self.names), unique=True, min_size=least, max_size=least + 1))

    def score(self) -> float:
        return self.data.draw(st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9, 1.0]))

    def remember(self) -> None:
        links = self.some(1)
        others = [(self.draw(["depends_on", "contradicts", "supports", "informs"]), name) for name in self.some()[:1]]
        verdict = self.actor().remember(
            self.words(),
            derived_from=links,
            relations=others,
            confidence=self.score(),
            evidence=[f"log:{self.said}"],
            source_type=self.data.draw(st.sampled_from([None, "web"])),
            expires_at=self.data.draw(st.sampled_from([None, None, "2026-01-10"])),
        )
        if verdict.record_id is not None:
            self.names.append(verdict.record_id)

    def replace(self) -> None:
        verdict = self.actor().remember(
            self.words(),
            supersedes=self.draw(self.names),
            kind=self.draw(["observation", "deprecation"]),
            derived_from=self.some(),
            confidence=self.score(),
        )
        if verdict.record_id is not None:
            self.names.append(verdict.record_id)

    def revise(self) -> None:
        other = self.data.draw(st.booleans())
        links = self.some(1) if other else None
        self.actor().revise(self.draw(self.names), self.words(), confidence=self.score(), derived_from=links)

    def retract(self) -> None:
        self.memory.review.retract(self.draw(self.names), reason="wrong")

    def observe(self) -> None:
        self.actor().review.outcome(self.draw(self.names), self.draw(["helpful", "misleading"]))

    def vouch(self) -> None:
        self.memory.review.vouch(self.draw(self.names), origin="person", reason="seen")

    def settle(self) -> None:
        open_ = [view.id for view in self.memory.review.conflicts() if view.status is not ConflictStatus.RESOLVED]
        if not open_:
            return
        strategy = self.draw(["last_write_wins", "confidence_weighted", "human_escalation", "synthesis"])
        text = self.words() if strategy == "synthesis" else None
        settled = self.memory.review.resolve(self.draw(open_), strategy=strategy, rationale="looked", synthesis=text)
        if settled.synthesis is not None:
            self.names.append(settled.synthesis)

    def sweep(self) -> None:
        self.clock.forward(5 * DAY)
        self.memory.review.sweep()

    def step(self) -> None:
        """One thing that happens. What the caller got wrong is refused, and that must change nothing."""
        acts: list[Callable[[], None]] = [self.remember]
        if self.names:
            acts += [self.remember, self.replace, self.revise, self.retract, self.observe, self.vouch]
            acts += [self.settle, self.sweep]
        self.clock.forward(1_000)
        before = self.memory.ledger.head()
        try:
            acts[self.data.draw(st.integers(0, len(acts) - 1))]()
        except CallerError:
            assert self.memory.ledger.head() == before


def check(memory: Memory, names: list[str]) -> None:
    found = {name: memory.get(name) for name in names}
    for name, disclosed in found.items():
        footing = disclosed.standing.footing
        assert Looked(effective=footing.effective, support=footing.support) == look(found, name)
        revisions = memory.history(name).revisions
        assert sum(view.standing.status in CURRENT for view in revisions) <= 1
    contested = {name for name, one in found.items() if one.standing.status is Status.CONTESTED}
    open_ = [view for view in memory.review.conflicts() if view.contests and view.status is not ConflictStatus.RESOLVED]
    assert contested == {side.record.id for view in open_ for side in (view.a, view.b)}


@settings(phases=(Phase.explicit, Phase.reuse, Phase.generate))  # to shrink a history takes longer than to read it
@given(st.data())
def test_worth_support_and_disputes_are_what_a_fresh_look_says(data: st.DataObject) -> None:
    run = Run(data)
    for _ in range(data.draw(st.integers(6, 14))):
        run.step()
        check(run.memory, run.names)
    assert run.memory.ledger.verify().ok
    assert run.memory.ledger.replay().identical
    check(run.memory, run.names)


@given(st.data())
def test_no_record_is_born_above_what_it_stands_on(data: st.DataObject) -> None:
    """A label is fixed at birth from what everything below it counted for at that moment, and never higher."""
    run = Run(data)
    for _ in range(data.draw(st.integers(3, 10))):
        before = {name: run.memory.get(name).standing.footing.label for name in run.names}
        known = {name: run.memory.get(name).record.revision for name in run.names}
        run.step()
        for name in run.names:
            record = run.memory.get(name).record
            if known.get(name) == record.revision:
                continue
            for type_, target in record.links:
                if type_ in STANDS_ON and target in before:
                    assert LABEL_RANK[record.label] <= LABEL_RANK[before[target]]


def test_the_fresh_look_itself_sees_a_fall(team: Memory) -> None:
    """The judge of this module is tried on a case whose answer is known."""
    root = kept(team.remember(sentence(0), confidence=0.9))
    child = kept(team.remember(sentence(1), confidence=0.8, derived_from=[root]))
    before = {name: team.get(name) for name in (root, child)}
    assert look(before, child) == Looked(effective=0.8, support=Support.STANDING)
    team.review.retract(root, reason="wrong")
    after = {name: team.get(name) for name in (root, child)}
    assert look(after, child) == Looked(effective=FLOOR, support=Support.FALLEN)
