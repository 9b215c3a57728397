"""Die at every touch of the store, in every kind of write: all of it is there afterwards, or none."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from tests.crash.conftest import Places
from tests.support.faults import Crash, CrashingStore
from tests.support.world import SECOND, START, SeededIds, TickingClock, simulated_memory

from muniment.engine.memory import Memory
from muniment.model.claim import Belief, Claim, Nature
from muniment.model.errors import CallerError, Malformed, Stale
from muniment.model.times import Instant
from muniment.model.vocabulary import Kind
from muniment.ports.store import TenantStore
from muniment_store_conformance.contents import contents

Command = Callable[[Memory], object]
WAITING, TO_ACCEPT = "prp-waiting", "prp-to-accept"


def prepare(store: TenantStore) -> None:
    """A small history with something in every table. The same bytes each time."""
    memory = simulated_memory(store, seed=1)
    memory.remember("the build is green", proposal_id="prp-first", kind="fact")
    memory.remember("the door is red", proposal_id="prp-red", subject="door", key="colour", value="red")
    agent = memory.as_actor("bot")
    agent.remember("we deploy on fridays", proposal_id=WAITING, kind="decision")
    agent.remember("we never deploy on mondays", proposal_id=TO_ACCEPT, kind="procedure")
    agent.remember("the pump was loud at noon", proposal_id="prp-heard", evidence=["log:1"])
    ground = memory.remember("the north gate is locked", proposal_id="prp-ground", confidence=0.9).record_id
    for number, says in enumerate(("lorries wait outside", "unloading starts late", "shelves stay empty"), start=1):
        parents = [] if ground is None else [ground]
        ground = memory.remember(says, proposal_id=f"prp-{number}", confidence=0.8, derived_from=parents).record_id
    memory.remember("the window stood ajar", proposal_id="prp-ajar", subject="window", key="state", value="ajar")
    memory.remember("somebody shut that window", proposal_id="prp-shut", subject="window", key="state", value="shut")
    offer = memory.remember("apples cost half", proposal_id="prp-offer", expires_at=START + 1_800 * SECOND).record_id
    memory.remember("we sell more fruit", proposal_id="prp-follows", derived_from=[offer or ""])
    memory.recall("build")
    memory.ledger.checkpoint()


def named(memory: Memory, proposal: str) -> str:
    """The record a proposal became. Asking again for the same proposal writes nothing."""
    with memory._session.tenant.store.read() as snapshot:
        row = snapshot.desk.proposal(proposal)
    assert row is not None
    assert row.record is not None
    return row.record


def disputed(memory: Memory) -> str:
    """The conflict that is open from the beginning."""
    return memory.review.conflicts()[0].id


def batch(memory: Memory) -> object:
    grounds = Belief(evidence=("log:1",))
    claims = [
        (f"batch-{n}", Claim(content=f"batch note {n}", nature=Nature(kind=Kind.FACT), belief=grounds))
        for n in range(5)
    ]
    return memory.propose(claims)


COMMANDS: dict[str, Command] = {
    "append": lambda memory: memory.remember("the cache is warm", proposal_id="prp-new"),
    "hold": lambda memory: memory.as_actor("bot").remember("drop the table", proposal_id="prp-new", kind="decision"),
    "refuse": lambda memory: memory.as_actor("bot").remember("obey", proposal_id="prp-new", kind="directive"),
    "duplicate": lambda memory: memory.remember("The build is GREEN.", proposal_id="prp-new", kind="fact"),
    "revise": lambda memory: memory.revise(named(memory, "prp-first"), "the build is red", expected_revision=1),
    "supersede": lambda memory: memory.remember(
        "the build is amber", proposal_id="prp-new", kind="fact", supersedes=named(memory, "prp-first")
    ),
    "deprecate": lambda memory: memory.remember(
        "builds are gone", proposal_id="prp-new", kind="deprecation", supersedes=named(memory, "prp-first")
    ),
    "conflict": lambda memory: memory.remember(
        "the door is blue", proposal_id="prp-new", subject="door", key="colour", value="blue"
    ),
    "rule accept": lambda memory: memory.review.decide(TO_ACCEPT, accept=True, reason="agreed"),
    "rule discard": lambda memory: memory.review.decide(WAITING, accept=False, reason="no"),
    "retract": lambda memory: memory.review.retract(named(memory, "prp-first"), reason="wrong", expected_revision=1),
    "batch": batch,
    "build upon": lambda memory: memory.remember(
        "carts roll in", proposal_id="prp-new", derived_from=[named(memory, "prp-1"), named(memory, "prp-red")]
    ),
    "cascade": lambda memory: memory.review.retract(named(memory, "prp-ground"), reason="wrong", expected_revision=1),
    "revise below": lambda memory: memory.revise(
        named(memory, "prp-ground"), "the north gate is ajar", expected_revision=1, confidence=0.3
    ),
    "outcome": lambda memory: memory.review.outcome(named(memory, "prp-ground"), "misleading", proposal_id="prp-new"),
    "vouch": lambda memory: memory.review.vouch(named(memory, "prp-heard"), origin="person", reason="I heard it too"),
    "resolve": lambda memory: memory.review.resolve(disputed(memory), strategy="last_write_wins", rationale="newer"),
    "vote": lambda memory: memory.review.resolve(
        disputed(memory), strategy="vote", winner=named(memory, "prp-shut"), rationale="I looked"
    ),
    "synthesis": lambda memory: memory.review.resolve(
        disputed(memory), strategy="synthesis", rationale="both", synthesis="ajar in the morning, shut at night"
    ),
    "sweep": lambda memory: memory.review.sweep(),
    "receipt": lambda memory: memory.recall("door"),
    "receipt of many": lambda memory: memory.as_actor("bot").recall("north gate lorries unloading window"),
    "checkpoint": lambda memory: memory.ledger.checkpoint(),
    "replay": lambda memory: memory.ledger.replay(),
}
_CLOSED = ("revise", "rule accept", "rule discard", "retract", "cascade", "revise below", "resolve", "synthesis")
ONCE_ONLY: dict[str, type[CallerError]] = {**dict.fromkeys(_CLOSED, Stale), "vouch": Malformed}
"""Commands that carry no id of their own: a second one is told that the world has moved on."""

EACH = 4
"""After every so many deaths the same is tried again: what is left is the same each time, or the test has failed."""


def later(store: TenantStore, *, ids: int = 2) -> Memory:
    """The memory as it goes on after the preparation: later, and with names of its own."""
    clock = TickingClock(Instant(START + 3_600 * SECOND))
    return simulated_memory(store, seed=1, clock=clock, ids=SeededIds(ids))


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_death_at_any_touch_leaves_all_or_nothing(places: Places, kind: str) -> None:
    """Count the touches of one good run, then die at each of them in turn, and now and then try again afterwards."""
    command = COMMANDS[kind]
    prepare(places.fresh())
    store = places.copy()
    before = contents(store)
    rehearsal = CrashingStore(store)
    command(later(rehearsal))
    after, touches = contents(store), rehearsal.touches
    assert (after == before) == (kind == "replay"), "every other command leaves something behind"
    seen = set()
    for touch in places.deaths(touches):
        doomed = places.copy()
        with pytest.raises(Crash):
            command(later(CrashingStore(doomed, at=touch)))
        survivor = places.again()
        found = contents(survivor)
        assert found in (before, after), f"half of it was left at touch {touch} of {touches}"
        assert (found == after) == (touch == touches or kind == "replay"), "durable is what was committed"
        seen.add(found == before)
        memory = later(survivor, ids=2 if found == before else 3)
        assert memory.ledger.verify().findings == ()
        if touch % EACH and touch < touches - 1:
            continue
        again(command, memory, kind, lost=found == before)
        assert contents(survivor).cards == after.cards
        assert memory.ledger.verify().findings == ()
    assert seen == ({True} if kind == "replay" else {True, False})


def again(command: Command, memory: Memory, kind: str, *, lost: bool) -> None:
    """Send the same command again. If the first one was kept after all, it must change nothing."""
    if lost or kind not in ONCE_ONLY:
        command(memory)
        return
    with pytest.raises(ONCE_ONLY[kind]):
        command(memory)


def test_a_death_at_any_touch_of_the_beginning_leaves_a_store_that_can_begin(places: Places) -> None:
    rehearsal = CrashingStore(places.fresh())
    simulated_memory(rehearsal)
    assert rehearsal.touches > 10
    for touch in places.deaths(rehearsal.touches):
        doomed = CrashingStore(places.fresh(), at=touch)
        with pytest.raises(Crash):
            simulated_memory(doomed)
        survivor = places.again()
        assert len(contents(survivor).entries) == (2 if touch == rehearsal.touches else 0)
        memory = simulated_memory(survivor)
        assert memory.remember("the build is green").committed
        assert memory.ledger.verify().findings == ()


REACH: dict[str, dict[str, tuple[str, float, str]]] = {
    "cascade": {
        "prp-ground": ("retracted", 0.9, "standing"),
        "prp-1": ("active", 0.2, "fallen"),
        "prp-2": ("active", 0.2, "fallen"),
        "prp-3": ("active", 0.2, "fallen"),
    },
    "revise below": {
        "prp-1": ("active", 0.3, "flagged"),
        "prp-2": ("active", 0.3, "flagged"),
        "prp-3": ("active", 0.3, "flagged"),
    },
    "outcome": {"prp-ground": ("active", 0.72, "standing"), "prp-3": ("active", 0.72, "standing")},
    "resolve": {"prp-ajar": ("superseded", 0.7, "standing"), "prp-shut": ("active", 0.7, "standing")},
    "synthesis": {"prp-ajar": ("superseded", 0.7, "standing"), "prp-shut": ("superseded", 0.7, "standing")},
    "sweep": {"prp-offer": ("expired", 0.7, "standing"), "prp-follows": ("active", 0.2, "fallen")},
}
"""How far the commands above reach: state, effective confidence and support of what was there before."""


@pytest.mark.parametrize("kind", REACH)
def test_the_commands_above_reach_as_far_as_they_should(places: Places, kind: str) -> None:
    """A command that did less than it says would leave all or nothing too."""
    prepare(places.fresh())
    memory = later(places.copy())
    COMMANDS[kind](memory)
    found = {name: memory.get(named(memory, name)).standing for name in REACH[kind]}
    told = {name: (one.status, one.footing.effective, one.footing.support) for name, one in found.items()}
    assert told == REACH[kind]


def test_a_death_in_one_store_is_no_death_of_another(places: Places) -> None:
    doomed, bystander = places.fresh(), places.fresh()
    memory = simulated_memory(bystander)
    with suppress(Crash):
        simulated_memory(CrashingStore(doomed, at=3))
    assert memory.remember("still here").committed


def test_the_ledger_never_runs_backwards_when_the_clock_does(places: Places) -> None:
    clock = TickingClock()
    memory = simulated_memory(places.fresh(), clock=clock)
    memory.remember("told at noon")
    for hours in (-1, -24, -24 * 365 * 50):
        clock.set(Instant(START + hours * 3_600 * SECOND))
        memory.remember(f"told {-hours} hours earlier")
    clock.set(Instant(START + SECOND * 10))
    memory.remember("told later")
    entries = memory.ledger.entries()
    assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)
    assert entries[-1].at == START + 10 * SECOND
    assert memory.ledger.verify().findings == ()
    assert len(memory.recall("told", known_at=entries[2].at).records) == 4, "all recorded at the same instant"
