"""Ctrl-C at any instruction: whole or absent, and nobody is held up afterwards, in this process or another."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.scope import LONG
from tests.seen.interrupts import Place, interrupted, places
from tests.support.unreliable import UnreliableEmbedder
from tests.support.world import TickingClock

from muniment import Memory
from muniment.engine.witness import EVERY, Witness
from muniment.model.errors import NotFound

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""Python drops an interrupt that arrives in a finaliser, and warns of a connection that an interrupted caller lost."""

MANY = 400 if LONG else 12
ROOM = "backends/"
NEAR = ("store.py", "group_commit.py", "writer_lock.py", "tenant_scope.py", "transaction.py", "pipeline.py", "pools.py")
"""Where transactions begin and end. Of the places chosen for a call, two thirds are there."""
_NUMBERS = count(1)


_USED = """
import sys, tempfile
from muniment import Memory
with tempfile.TemporaryDirectory() as folder, Memory.open(folder, embedder=None) as memory:
    before = set(sys.modules)
    memory.remember("The lamp was lit on 3 May 2024 by Anna Berg for 30 euros")
    memory.recall("what happened on 3 May 2024, and what last week?")
    memory.attune(interests=["lamp"]), list(memory.insight.browse())
    memory.insight.stats(), memory.review.sweep(), memory.ledger.checkpoint()
    print(sorted(set(sys.modules) - before))
"""


class Calls:
    """What is interrupted. Each call writes or reads something of its own."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.proposals: list[str] = []

    def remember(self) -> None:
        number = next(_NUMBERS)
        self.proposals.append(f"prp-{number}")
        self.memory.remember(f"The keeper of lamp {number} came home", proposal_id=self.proposals[-1])

    def remember_many(self) -> None:
        """All or none, and in one transaction."""
        number = next(_NUMBERS)
        claim = self.memory.get(self.first).record.claim
        names = [f"prp-{number}-{part}" for part in range(3)]
        self.proposals += names
        self.memory.propose([(name, claim.__class__(content=f"Lamp {name} is lit")) for name in names])

    def recall(self) -> None:
        self.memory.recall("who keeps the lamp?", limit=3)

    def browse(self) -> None:
        for _ in self.memory.insight.browse(limit=3):
            pass

    def ask_anew(self) -> None:
        """A question that was never asked is read by the model."""
        self.memory.recall(f"who keeps lamp {next(_NUMBERS)}?", limit=3)

    def flush(self) -> None:
        self.remember()
        self.memory.flush()

    def forget(self) -> None:
        told = self.memory.remember(f"Lamp {next(_NUMBERS)} is to be forgotten")
        assert told.record_id is not None
        self.memory.flush()
        self.memory.forget(told.record_id, reason="asked to")

    def verify(self) -> None:
        assert self.memory.ledger.verify().findings == ()

    def sweep(self) -> None:
        self.memory.review.sweep()

    def checkpoint(self) -> None:
        self.memory.ledger.checkpoint()

    @property
    def first(self) -> str:
        return next(iter(self.memory.insight.browse(limit=1))).record.id


def test_a_write_and_a_question_import_nothing() -> None:
    """An import that is interrupted keeps its lock, and every other thread that gets there waits for ever."""
    done = subprocess.run([sys.executable, "-c", _USED], capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")


CALLS: tuple[Callable[[Calls], None], ...] = (
    Calls.remember,
    Calls.recall,
    Calls.remember_many,
    Calls.browse,
    Calls.checkpoint,
    *((Calls.sweep, Calls.verify) if LONG else ()),
)


def chosen(found: list[Place], rng: random.Random) -> list[Place]:
    near = [one for one in found if one.file in NEAR]
    others = [one for one in found if one.file not in NEAR]
    near = rng.sample(near, min(len(near), MANY * 2 // 3))
    return sorted(near + rng.sample(others, min(len(others), MANY - len(near))))


@contextmanager
def others_at_work(memory: Memory) -> Iterator[None]:
    """Threads of the same process, whose writes share commits with the interrupted one. Nobody interrupts them."""
    stop, failed = threading.Event(), list[BaseException]()

    def work(name: str) -> None:
        try:
            while not stop.is_set():
                told = memory.remember(f"Note {next(_NUMBERS)} of {name}")
                assert told.record_id is not None
                assert memory.get(told.record_id).record.revision == 1
                assert memory.ledger.head().seq >= told.epoch
        except BaseException as error:  # noqa: BLE001  the test tells it
            failed.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("ana", "ben")]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(WAIT_S)
        assert not any(thread.is_alive() for thread in threads), "a thread waits for ever"
    if failed:
        raise AssertionError("a thread that nobody interrupted failed") from failed[0]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: str(call.__name__))
def test_an_interrupted_call_is_whole_or_absent_and_holds_nobody_up(
    call: Callable[[Calls], None], place: Path | str, seed: str
) -> None:
    rng = random.Random(f"{seed} {call.__name__}")
    with Memory.open(place, embedder=None) as memory, Memory.open(place, embedder=None) as other:
        calls = Calls(memory)
        calls.remember()
        call(calls)
        points = chosen(places(lambda: call(calls)), rng)
        head, struck = memory.ledger.head().seq, 0
        for number, point in enumerate(points):
            begun = len(calls.proposals)
            if number % 4 == 3:
                with others_at_work(memory):
                    struck += interrupted(lambda: call(calls), point)
            else:
                struck += interrupted(lambda: call(calls), point)
            for member in (other, memory):
                told = member.remember(f"Afterwards {next(_NUMBERS)}")
                assert told.record_id is not None
                for reader in (memory, other):
                    assert reader.get(told.record_id).record.revision == 1, f"after {point}"
                    now = reader.ledger.head().seq
                    assert now >= max(head, told.epoch), f"after {point}"
                    head = now
            assert_whole_or_absent(memory, other, calls.proposals[begun:], point)
        assert struck, "no call was interrupted"
        assert memory.ledger.verify().findings == ()


BEHIND = ("vector_indexer.py", "model_timeout.py", "threading.py", "lock.py", "witness.py")
"""What stands behind a memory with a model and a witness, and takes locks in the thread of the caller."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "call", [Calls.remember, Calls.ask_anew, Calls.flush, Calls.forget], ids=lambda one: one.__name__
)
def test_an_interrupt_leaves_the_model_the_vectors_and_the_witness_at_work(
    call: Callable[[Calls], None], tmp_path: Path, seed: str
) -> None:
    rng = random.Random(f"{seed} behind {call.__name__}")
    (tmp_path / "witness").mkdir()
    witness = Witness(tmp_path / "witness", "default")
    with (
        Memory.open(
            tmp_path / "vault",
            embedder=UnreliableEmbedder(),
            mind_wait=WAIT_S,
            witness=tmp_path / "witness",
            clock=TickingClock(step=EVERY),
        ) as memory,
        Memory.open(tmp_path / "vault", embedder=UnreliableEmbedder(), mind_wait=WAIT_S) as other,
    ):
        calls = Calls(memory)
        calls.remember()
        memory.flush()
        call(calls)
        points = [one for one in places(lambda: call(calls)) if one.file in BEHIND]
        assert points, "none of it was passed"
        for point in rng.sample(points, min(len(points), MANY)):
            interrupted(lambda: call(calls), point)
            in_time(lambda: use_all(memory, witness), f"after {point}")
            in_time(other.flush, f"another opening after {point}")


def use_all(memory: Memory, witness: Witness) -> None:
    """A write gets its vector and is found by meaning, and the witness is told of it."""
    told = memory.remember(f"Afterwards {next(_NUMBERS)}")
    memory.flush(timeout=WAIT_S)
    found = memory.recall(f"what came afterwards, asked {next(_NUMBERS)} times?")
    assert (found.searched.why, found.searched.trailing) == (None, 0)
    memory.ledger.checkpoint()
    sight = witness.remembered()
    assert sight is not None
    assert sight.seq >= told.epoch


def in_time(work: Callable[[], object], what: str) -> None:
    """Run something that a lock left behind would hold up for ever."""
    found: list[BaseException | None] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  the test tells it
            found.append(error)
        else:
            found.append(None)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(WAIT_S)
    assert found, f"{what}: it waits for ever"
    if found[0] is not None:
        raise AssertionError(what) from found[0]


def assert_whole_or_absent(memory: Memory, other: Memory, proposals: list[str], point: Place) -> None:
    """An interrupted caller does not know whether its write was kept; all of it was, or nothing."""
    fates = {fate_of(reader, name) for reader in (memory, other) for name in proposals}
    assert len(fates) <= 1, f"after {point}"


def fate_of(memory: Memory, proposal: str) -> bool:
    try:
        record = memory.review.report(proposal).record_id
    except NotFound:
        return False
    assert record is not None
    memory.get(record)
    return True
