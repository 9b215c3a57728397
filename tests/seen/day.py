"""A day of one memory: users in threads, all background work, and everything that goes wrong while they work."""

from __future__ import annotations

import ctypes
import faulthandler
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest
from tests.crash.test_kill import Victims
from tests.patience import WAIT_S
from tests.seen.faces import Face, Written, written
from tests.seen.seen import Broken, Expectation, Life, Seen
from tests.seen.speech import Speech
from tests.support.unreliable import Mood, UnreliableEmbedder

from muniment import Memory
from muniment.compat.exchange import write_out
from muniment.contracts.registry import ContractName
from muniment.model.errors import NotFound

_INTERRUPT = ctypes.py_object(KeyboardInterrupt)


class Enough(Exception):
    """Breaks an iteration off."""


class Day:
    """Threads that share one `Seen`. The first broken promise, or error that nobody provoked, ends the day."""

    def __init__(self, memory: Memory, embedder: UnreliableEmbedder, seed: str) -> None:
        self.memory, self.embedder, self.seed = memory, embedder, seed
        self.seen = Seen("the process")
        self.speech = Speech(seed)
        self.over = threading.Event()
        self.broken: list[BaseException] = []
        self._interruptible: set[int] = set()
        self._guard = threading.Lock()

    def run(self, users: list[Callable[[], None]], beside: list[Callable[[], None]]) -> BaseException | None:
        """Users have so many things to do; what is beside them goes on until they are done. What went wrong first."""
        threads = [threading.Thread(target=self._kept, args=(work,)) for work in users]
        others = [threading.Thread(target=self._kept, args=(work,)) for work in beside]
        with self._no_interrupt_in_a_new_thread():
            for thread in (*threads, *others):
                thread.start()
            return self._ended(threads, others)

    def _ended(self, threads: list[threading.Thread], others: list[threading.Thread]) -> BaseException | None:
        for thread in threads:
            thread.join(WAIT_S)
        stuck = [thread for thread in threads if thread.is_alive()]
        if stuck:
            faulthandler.dump_traceback(all_threads=True)
        self.over.set()
        self.embedder.feel(Mood.WELL)
        for thread in others:
            thread.join(WAIT_S)
        if not self.broken and stuck:
            return Broken("a user waits for ever")
        if not self.broken and any(thread.is_alive() for thread in others):
            return Broken("background work does not end")
        return self.broken[0] if self.broken else None

    @contextmanager
    def _no_interrupt_in_a_new_thread(self) -> Iterator[None]:
        """For a moment CPython gives a new thread the number of the one that starts it. An exception sent to that
        number ends the new thread before it says that it runs, and the other waits for ever. Ctrl-C cannot do that."""
        start = threading.Thread.start

        def guarded(thread: threading.Thread) -> None:
            with self._guard:
                start(thread)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(threading.Thread, "start", guarded)
            yield

    def _kept(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  the day tells it
            self.broken.append(error)
            self.over.set()

    # Users.

    def user(self, name: str, faces: list[Face], turns: int, *, own: bool = False) -> Callable[[], None]:
        """Writes and reads by the faces it has. With `own` it is a caller of the library: it revises and takes back
        what it wrote, and may be interrupted at any moment."""

        def work() -> None:
            rng, mine = random.Random(f"{self.seed} {name}"), list[Life]()
            for _ in range(turns):
                if self.over.is_set():
                    return
                face, act = rng.choice(faces), rng.random()
                if own and mine and act < 0.15:
                    self._interruptibly(lambda: self._change(rng, mine))
                elif act < 0.4:
                    self._interruptibly(lambda: self._write(face, mine), own=own)  # noqa: B023  called at once
                for _ in range(2):
                    self._interruptibly(lambda: self.read(rng, face), own=own)  # noqa: B023  called at once
                if own:
                    self.read_listing(rng)

        return work

    def _interruptibly(self, act: Callable[[], None], *, own: bool = True) -> None:
        """An interrupt may come at any instruction of `act`, and belongs to nothing else."""
        if not own:
            act()
            return
        me = threading.get_ident()
        try:
            with self._guard:
                self._interruptible.add(me)
            act()
        except KeyboardInterrupt:
            return
        finally:
            while me in self._interruptible:
                try:
                    with self._guard:
                        self._interruptible.discard(me)
                except KeyboardInterrupt:
                    continue

    def _write(self, face: Face, mine: list[Life]) -> None:
        word, text = self.speech.say()
        told = face.write(text)
        if told is not None:
            mine.append(self.seen.acknowledge(told.record, word, text, told.revision, told.epoch))
            expected = self.seen.expectation(random.Random(0), mine[-1])
            assert expected is not None
            self.find(face, expected)

    def _change(self, rng: random.Random, mine: list[Life]) -> None:
        life = rng.choice(mine)
        if life.ending:
            return
        if rng.random() < 0.5:
            word, text = self.speech.say()
            life.ending = True  # until it is known which revision speaks
            told: Written | None = written(self.memory.revise(life.record, text))
            if told is not None:
                self.seen.revised(life, word, text, told.revision, told.epoch)
                life.ending = False
        else:
            life.ending = True
            if rng.random() < 0.5:
                verdict = self.memory.review.retract(life.record, reason="not so")
            else:
                found = self.memory.forget(life.record, reason="asked to").verdict
                assert found is not None
                verdict = found
            if verdict.committed:
                self.seen.taken_back(life, verdict.epoch)

    # Reads.

    def read(self, rng: random.Random, face: Face) -> None:
        expected = self.seen.expectation(rng)
        before = self.seen.head()
        if (head := face.head()) is not None:
            self.seen.saw_head(face.name, before, head)
        if expected is None:
            return
        if rng.random() < 0.5 or face.name == "akashik":
            self.find(face, expected)
        else:
            self.get(face, expected)

    def get(self, face: Face, expected: Expectation) -> None:
        try:
            revision, content = face.get(expected.life.record)
        except NotFound as error:
            if not expected.life.ending:
                raise Broken(f"{face.name} says that {expected.life.record} is not there") from error
            return
        self.seen.saw_record(face.name, expected, revision, content)

    def find(self, face: Face, expected: Expectation) -> None:
        if len(expected.word) > 1:
            self.seen.saw_found(face.name, expected, face.find(expected.word))

    def read_listing(self, rng: random.Random) -> None:
        """Listings of the library: what changed since, a history, and how many entries there are."""
        expected = self.seen.expectation(rng)
        if expected is None:
            return
        life, what = expected.life, rng.randrange(3)
        if what == 0:
            found = {one.record.id for one in self.memory.insight.browse(changed_after=life.epoch - 1, limit=MANY)}
            if len(found) < MANY:
                self.seen.saw_found("browse", expected, found)
        elif what == 1:
            try:
                latest = max(one.record.revision for one in self.memory.history(life.record).revisions)
            except NotFound as error:
                if not life.ending:
                    raise Broken(f"history says that {life.record} is not there") from error
                return
            self.seen.saw_record("history", expected, latest, life.content)
        else:
            self.seen.saw_head("stats", expected.head, self.memory.insight.stats().entries or 0)

    # Beside.

    def moods(self) -> None:
        """The embedder is slow, fails and hangs by turns."""
        rng = random.Random(f"{self.seed} moods")
        while not self.over.wait(0.2):
            self.embedder.feel(rng.choice((Mood.SLOW, Mood.SLOW, Mood.FAILING, Mood.HANGING, Mood.WELL)))

    def upkeep(self) -> None:
        """The sweeper, checkpoints, and the question how searches go."""
        while not self.over.wait(0.05):
            self.memory.review.sweep()
            self.memory.ledger.checkpoint()
            self.memory.insight.searching()

    def breaking_off(self) -> None:
        """Streams and exports that are not read to their end: dropped, closed, or ended by an exception."""
        rng = random.Random(f"{self.seed} breaking")
        kept: list[object] = []
        while not self.over.wait(0.03):
            stream = rng.choice(
                (self.memory.insight.browse(limit=20), self.memory.ledger.receipts(newest=rng.random() < 0.5))
            )
            for _ in islice(stream, rng.randrange(3)):
                pass
            kept = [*kept[-3:], stream]  # some of them stay open while others come and go
            try:
                write_out(self.memory, ContractName.MEMLEDGER)
                self.memory.ledger.verify(progress=_enough)
            except Enough:
                pass

    def interrupts(self) -> None:
        """KeyboardInterrupt in a thread that said that it may be interrupted."""
        rng = random.Random(f"{self.seed} interrupts")
        while not self.over.wait(0.02 + rng.random() * 0.1):
            with self._guard:
                if self._interruptible:
                    thread = rng.choice(sorted(self._interruptible))
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), _INTERRUPT)

    def killed_writers(self, victims: Victims, place: Path | str) -> Callable[[], None]:
        """Other processes that write and are killed; what they were acknowledged is seen here."""

        def work() -> None:
            rng, number = random.Random(f"{self.seed} victims"), 0
            while not self.over.is_set():
                number += 1
                seed = f"{self.seed}-{number}".replace(" ", "-")
                told = victims.kill_one(place, rng.choice(("single", "batches")), seed, after=rng.randrange(4, 24))
                for proposal in told[-2:]:
                    record = self.memory.review.report(proposal).record_id
                    if record is None:
                        raise Broken(f"what another process was acknowledged as {proposal} is not here")
                    self.memory.get(record)

        return work


MANY = 200


def _enough(_: int) -> None:
    raise Enough
