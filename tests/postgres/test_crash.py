"""A killed writer, a broken wire, a dead server: what was acknowledged is there, what is there is whole."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote, unquote

import pytest
from tests.crash.test_kill import SEED, Victims, assert_whole
from tests.patience import WAIT_S
from tests.postgres.cutting import Wire
from tests.postgres.server import Schemas
from tests.support.postgres import SMALL, Server, started

from muniment import Memory
from muniment.model.errors import OperationalError, StoreUnavailable

KILLS = int(os.environ.get("MUNIMENT_TEST_KILLS", "6"))
WRITERS = 4


@pytest.fixture
def victims() -> Iterator[Victims]:
    parent = Victims()
    yield parent
    parent.end()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", ["single", "batches", "threads"])
def test_a_killed_writer_loses_nothing_it_was_told_and_leaves_nothing_half(
    victims: Victims, dsn: str, mode: str
) -> None:
    rng = random.Random(f"{SEED} {mode}")
    told: list[str] = []
    Memory.open(dsn).close()
    for kill in range(KILLS):
        after = rng.choice((1, 2, 3)) if kill % 3 == 0 else rng.randrange(4, 60)
        told += victims.kill_one(dsn, mode, f"0-{kill}", after=after)
        assert_whole(dsn, mode, told, f"seed {SEED}, kill {kill} after {after} lines")
    assert told, "some of the writers lived long enough to write"


@pytest.fixture
def wire(schemas: Schemas) -> Iterator[tuple[Wire, str]]:
    """A wire to the server and a DSN that goes through it."""
    place = schemas.lend()
    folder = place.partition("host=")[2].partition("&")[0]
    with TemporaryDirectory(prefix="mw-") as near, Wire(Path(near), Path(unquote(folder))) as made:
        yield made, place.replace(f"host={folder}", f"host={quote(near, safe='')}")
    schemas.take_back(place)


def remembering(memory: Memory, number: int) -> Callable[[], object]:
    return lambda: memory.remember(f"broken after message {number}", proposal_id=f"p-{number}")


def retracting(memory: Memory, number: int) -> Callable[[], object]:
    record = memory.remember(f"retracted after message {number}").record_id
    assert record is not None
    return lambda: memory.review.retract(record, reason="wrong", expected_revision=1)


DEEDS = {"remember": remembering, "retract": retracting}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", DEEDS)
def test_a_wire_that_breaks_after_any_message_of_a_deed_loses_nothing_and_does_nothing_twice(
    wire: tuple[Wire, str], name: str
) -> None:
    """The server does everything up to the break and nobody hears of it: after the commit, the deed is done."""
    (cut, place), prepare = wire, DEEDS[name]
    with Memory.open(place) as memory:
        messages = counted(cut, prepare(memory, -1))
        for number in range(messages + 1):
            deed, (entries, receipts) = prepare(memory, number), left(memory)
            cut.break_after(number)
            deed()
            cut.mend()
            assert left(memory) == (entries + 1, receipts), f"broken after {number} of {messages}"
        assert cut.broken > messages // 2, "most breaks were met"
        assert memory.ledger.verify().findings == ()


def test_a_wire_that_breaks_in_a_recall_gives_the_answer_with_its_receipt_or_an_error_without(
    wire: tuple[Wire, str],
) -> None:
    """A recall that may wait asks again; one that may not says so."""
    cut, place = wire
    with Memory.open(f"{place}&patience=0") as memory:
        memory.remember("the pump is loud", proposal_id="p-first")
        messages = counted(cut, lambda: memory.recall("pump"))
        outcomes = set()
        for number in range(messages + 1):
            entries, receipts = left(memory)
            cut.break_after(number)
            try:
                told = [one.record.claim.content for one in memory.recall("pump").records]
            except StoreUnavailable:
                told = []
            cut.mend()
            assert told in ([], ["the pump is loud"])
            assert left(memory) == (entries, receipts + len(told)), f"broken after {number} of {messages}"
            outcomes.add(len(told))
        assert outcomes == {0, 1}
        assert memory.ledger.verify().findings == ()


def counted(cut: Wire, deed: Callable[[], object]) -> int:
    """How many messages a deed takes."""
    before = cut.passed
    deed()
    assert cut.passed - before > 5
    return cut.passed - before


def left(memory: Memory) -> tuple[int, int]:
    """How many entries and receipts there are."""
    with memory._session.tenant.store.read() as snapshot:
        return memory.ledger.head().seq, snapshot.receipts.head()[0]


@pytest.mark.slow
def test_a_server_that_dies_under_load_keeps_what_was_acknowledged_and_is_found_again() -> None:
    with started(settings=SMALL) as server, Memory.open(server.dsn(patience="60")) as memory:
        told: list[str] = []
        enough = threading.Semaphore(0)
        over = threading.Event()
        threads = [
            threading.Thread(target=_write, args=(memory, f"w{number}", told, enough, over))
            for number in range(WRITERS)
        ]
        for thread in threads:
            thread.start()
        for _ in range(3):
            _wait_for(enough, 25)
            _die(server)
        _wait_for(enough, 25)
        over.set()
        for thread in threads:
            thread.join(WAIT_S)
            assert not thread.is_alive()
        with memory._session.tenant.store.read() as snapshot:
            kept = [row.id for row in snapshot.desk.proposals()]
        assert sorted(set(kept)) == sorted(kept)
        assert set(told) <= set(kept), "acknowledged and lost"
        assert memory.ledger.verify().findings == ()


def _write(memory: Memory, name: str, told: list[str], enough: threading.Semaphore, over: threading.Event) -> None:
    """Write until it is over. What fails is sent again under the same name: it happens once."""
    number = 0
    while not over.is_set():
        proposal = f"p-{name}-{number}"
        try:
            memory.remember(f"note {number} of {name}", proposal_id=proposal)
        except OperationalError:
            continue
        told.append(proposal)
        number += 1
        enough.release()


def _wait_for(enough: threading.Semaphore, count: int) -> None:
    for _ in range(count):
        assert enough.acquire(timeout=WAIT_S), "nobody can write any more"


def _die(server: Server) -> None:
    server.kill()
    server.start()
