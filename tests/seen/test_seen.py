"""Read your writes, monotonic reads: what was acknowledged is in every later read, by every face, whatever happens."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
import pytest
from anyio.from_thread import start_blocking_portal
from tests.crash.test_kill import Victims
from tests.docs.standing import stand
from tests.patience import WAIT_S, until
from tests.scope import LONG
from tests.seen.day import Day
from tests.seen.faces import Akashik, Awaited, Called, Face, Shell, Tools, awaited
from tests.seen.seen import Seen
from tests.seen.speech import Speech
from tests.support.unreliable import Mood, UnreliableEmbedder
from tests.surfaces.http.conftest import serving
from tests.surfaces.mcp.talking import talking_to

from muniment import Client, Memory, aio
from muniment.config import ServerSettings

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""Python drops an interrupt that arrives in a finaliser, and warns of a connection that an interrupted caller lost."""

TURNS = 400 if LONG else 8
DAYS = 12 if LONG else 1


@pytest.fixture(scope="module")
def victims() -> Iterator[Victims]:
    parent = Victims()
    yield parent
    parent.end()


@contextmanager
def served_faces(place: Path | str) -> Iterator[list[Face]]:
    """A server on the place, and its callers."""
    plain = {"vault": str(place), "port": 0, "embedder": "none", "shutdown_seconds": 5.0, "log_level": "error"}
    settings = msgspec.convert({**plain, "rate_per_second": 0}, ServerSettings)
    with ExitStack() as stack:
        served = stack.enter_context(serving(settings))
        client = stack.enter_context(served.client())
        caller = Client(served.url, timeout=WAIT_S)
        stack.callback(caller.close)
        talk = stack.enter_context(talking_to(f"{served.url}/mcp"))
        yield [Called("client", caller), Tools(talk), Akashik(client, "scout")]


@contextmanager
def library_faces(place: Path | str, memory: Memory) -> Iterator[list[Face]]:
    """The library, and the library for async callers in an opening of its own."""
    with start_blocking_portal() as portal:
        waiting = awaited(portal, lambda: aio.Memory.open(place, embedder=None))
        yield [Called("library", memory), Awaited(waiting, portal)]
        portal.call(waiting.close)


@pytest.mark.parametrize("day", range(DAYS))
def test_what_was_acknowledged_is_in_every_later_read(place: Path | str, seed: str, day: int, victims: Victims) -> None:
    embedder = UnreliableEmbedder()
    with (
        Memory.open(place, embedder=embedder, mind_wait=0.3) as memory,
        library_faces(place, memory) as library,
        served_faces(place) as served,
    ):
        memory.remember("The first lamp was lit")
        memory.flush()
        memory.recall("lamp")  # what a search by meaning imports is imported before anybody is interrupted
        told = Day(memory, embedder, f"{seed} {day}")
        users = [
            told.user("ana", [library[0]], TURNS, own=True),
            told.user("ben", [library[0]], TURNS, own=True),
            told.user("chloe", library, TURNS),
            told.user("dan", served, TURNS),
        ]
        failure = told.run(
            users,
            [
                told.moods,
                told.upkeep,
                told.breaking_off,
                told.interrupts,
                told.killed_writers(victims, place),
            ],
        )
        if failure is None:
            assert_catches_up(memory)
            assert memory.ledger.verify().findings == ()
    if failure is not None:
        raise failure
    assert told.seen.reads > TURNS


def assert_catches_up(memory: Memory) -> None:
    """Vectors come once the embedder is well again, although nobody writes here."""
    until(
        lambda: memory.insight.searching().trailing == 0 and memory.insight.searching().why is None,
        "vectors for everything",
    )


@pytest.mark.sampled(1)
def test_vectors_follow_an_outage_and_another_process_although_nobody_writes_here(
    place: Path | str, victims: Victims
) -> None:
    embedder = UnreliableEmbedder()
    embedder.feel(Mood.FAILING)
    with Memory.open(place, embedder=embedder, mind_wait=5.0) as memory:
        memory.remember("The keeper lights the lamp at dusk")
        until(lambda: memory.insight.searching().why is not None, "the outage is told")
        embedder.feel(Mood.WELL)
        assert_catches_up(memory)
        victims.kill_one(place, "single", "elsewhere", after=6)
        assert_catches_up(memory)


@pytest.mark.sampled(1)
def test_a_write_is_seen_while_many_texts_wait_for_their_vectors(place: Path | str) -> None:
    """A few long texts are more passages than are made at once."""
    embedder = UnreliableEmbedder(slow_s=0.5)
    with Memory.open(place, embedder=None) as before:
        for number in range(14):
            before.remember(f"The log of day {number}. " + "The lamp was lit at dusk and nobody came by. " * 700)
    embedder.feel(Mood.SLOW)
    with Memory.open(place, embedder=embedder) as memory:
        seen = Seen("the process")
        for number in range(12):
            told = memory.remember(f"Afterwards {number}")
            seen.saw_head("head", told.epoch, memory.ledger.head().seq)
            assert told.record_id is not None
            assert memory.get(told.record_id).record.revision == 1
            threading.Event().wait(0.1)  # the background work goes on


@pytest.mark.sampled(1)
def test_every_face_sees_what_any_other_was_acknowledged(place: Path | str, seed: str, tmp_path: Path) -> None:
    """Library, aio, a client, MCP, Akashik and the command line, each in turn the writer."""
    speech, missing = Speech(f"{seed} faces"), list[str]()
    with (
        Memory.open(place, embedder=None) as memory,
        library_faces(place, memory) as library,
        served_faces(place) as served,
        stand(tmp_path) as folder,
    ):
        faces: list[Face] = [*library, *served, Shell(folder / "muniment", place)]
        for writer in faces:
            word, text = speech.say()
            told = writer.write(f"{text[:3_000]} {word}")
            assert told is not None, writer.name
            for reader in faces:
                if (head := reader.head()) is not None and head < told.epoch:
                    missing.append(f"{writer.name} wrote entry {told.epoch}, {reader.name} does not know of it")
                if told.record not in reader.find(word):
                    missing.append(f"{writer.name} wrote, {reader.name} does not find it")
    assert missing == []
