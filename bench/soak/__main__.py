"""Use a memory as its users do for some minutes, with everything going on at once, and say whether a promise broke.

python -m bench.soak                  ten minutes
python -m bench.soak --minutes 1      one minute
python -m bench.soak --seed 7         the same texts and choices again; the order of threads and processes is chance

Ends with 1 when a promise broke, with 2 when there is no model.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
import threading
import time
from dataclasses import replace
from os import getpid
from pathlib import Path

import msgspec

from bench.report import Row, publish
from bench.soak.book import Book, Kept
from bench.soak.people import (
    A_SECOND,
    Caller,
    Console,
    Dropper,
    Forgetter,
    Importer,
    Keeper,
    Killer,
    McpCaller,
    Person,
    Reader,
    Sweeper,
    ask,
    go_on,
    holds,
)
from bench.soak.places import Server, command
from bench.soak.watch import Sample, growth, take
from muniment import Client, Memory
from muniment.model.errors import MunimentError, NotFound

MINUTES = 10.0
SAMPLES = 30
QUESTIONS = 60
PARTING_S = 900.0
MIND_WAIT_S = 600.0
"""The machine may be busy; a model that hangs is the business of other tests."""
OWN, SERVED = "library", "server"
MIB = 1024 * 1024

# Bounds that only a broken program exceeds, on a machine that does other work as well.
WAL_MAX_MIB = 128
READ_MAX_S = 60.0
STATEMENT_MAX = 4.0
HANDLES_MAX, THREADS_MAX = 60, 40
RECORD_MEMORY_MAX = 256 * 1024
MEMORY_SLACK = 200 * MIB
QUESTION_LEAST, MEANING_LEAST = 0.8, 0.9


class Soak:
    """The vault, those who use it, and what was found out."""

    def __init__(self, folder: Path, seed: str) -> None:
        self.vault, self.seed = folder / "vault", seed
        self.book = Book()
        self.samples: list[Sample] = []
        self.over = threading.Event()
        self.keeper = Keeper(self.vault, self.book)

    def run(self, seconds: float) -> list[Row]:
        with Memory.open(self.vault, embedder="auto", mind_wait=MIND_WAIT_S) as memory:
            if (state := memory.insight.searching()).model is None:
                raise LookupError(state.why)
            server = Server(self.vault)
            try:
                self._use(memory, server, seconds)
                rows = self._parting(memory, server)
            finally:
                code = server.stop()
        rows.append(Row("the server ended with", code, "", floor=0, most=True))
        return [*self._figures(), *rows, *self._afterwards()]

    def _use(self, memory: Memory, server: Server, seconds: float) -> None:
        """Everything at once, with a sample every so often."""
        with Client(server.url, timeout=PARTING_S) as client:
            threads = [
                threading.Thread(target=go_on, args=(person, self.book, self.over), name=person.name)
                for person in self._people(memory, client, server)
            ]
            for thread in threads:
                thread.start()
            until = time.monotonic() + seconds
            while (left := until - time.monotonic()) > 0:
                self.samples.append(self._sample(memory, server))
                self.over.wait(min(left, seconds / SAMPLES))
            self.over.set()
            for thread in threads:
                thread.join(PARTING_S)
                if thread.is_alive():
                    self.book.break_("stuck", f"{thread.name} does not end")

    def _people(self, memory: Memory, client: Client, server: Server) -> list[Person]:
        book, seed = self.book, self.seed
        return [
            Caller("library writer", memory, book, seed, pause_s=0.5),
            Caller("client writer", client, book, seed, pause_s=0.7),
            Importer(memory, book, seed),
            Reader("library reader", memory, book, seed, pause_s=0.3),
            Reader("client reader", client, book, seed, pause_s=0.5),
            McpCaller(server, book, seed),
            Console(server, book, seed),
            Dropper(memory, seed),
            Forgetter(memory, book, seed),
            Sweeper(memory),
            self.keeper,
            Killer(self.vault, memory, book, seed, self.over),
        ]

    def _sample(self, memory: Memory, server: Server) -> Sample:
        told = msgspec.to_builtins(memory.insight.stats())
        processes = {OWN: getpid(), SERVED: server.pid}
        statement = memory._session.tenant.store.marks  # one statement, and the way every read takes to it
        sample = take(len(self.book.kept), processes, self.vault, statement, told)
        trailing = memory.insight.searching().trailing or 0
        return replace(sample, trailing=max(sample.trailing, trailing))

    # What is asked when everybody has gone.

    def _parting(self, memory: Memory, server: Server) -> list[Row]:
        begun = time.monotonic()
        try:
            memory.flush(timeout=PARTING_S)
        except MunimentError as error:
            self.book.break_("trailing", f"vectors do not catch up: {error}")
        caught_up = time.monotonic() - begun
        time.sleep(A_SECOND)
        for kept in self.book.standing()[-QUESTIONS:]:
            ask(memory, self.book, kept)
        self._all_there(memory, "at the end")
        self._answers = self._asked_again(memory)
        return [Row("vectors caught up after", caught_up, "s")]

    def _all_there(self, memory: Memory, when: str) -> None:
        """Everything that was acknowledged and not forgotten is there, and nothing that was forgotten."""
        for kept in list(self.book.kept):
            try:
                content = memory.get(kept.record).record.content
            except NotFound:
                content = ""
            if kept.forgotten and content:
                self.book.break_("leaked", f"{when} {kept.record} is there although it was forgotten")
            if not kept.forgotten and content != kept.said.text:
                self.book.break_("lost", f"{when} {kept.record} of {kept.writer}, entry {kept.epoch}, is not there")

    def _asked_again(self, memory: Memory) -> dict[str, tuple[bool, bool]]:
        """Of the last records, which are found by their own word and which by a question."""
        last = self.book.standing()[-QUESTIONS:]
        return {one.record: (holds(memory, f'"{one.said.slip}"', one), _asked(memory, one)) for one in last}

    def _afterwards(self) -> list[Row]:
        """Everything is closed: verify, the bytes of what was forgotten, a restart, the backup."""
        verified = command(self.vault, "ledger", "verify", ok=(0, 1))
        with Memory.open(self.vault, embedder="auto", mind_wait=MIND_WAIT_S) as memory:
            memory.flush(timeout=PARTING_S)
            self._all_there(memory, "after a restart")
            again = self._asked_again(memory)
        otherwise = [record for record, found in self._answers.items() if again[record] != found]
        return [
            Row("verify: findings", len(verified["findings"]), "", floor=0, most=True),
            Row("answers that differ after a restart", len(otherwise), "", floor=0, most=True),
            Row("forgotten words in the files", self._words_left(), "", floor=0, most=True),
            Row("acknowledged and not in the backup", self._missing_in_backup(), "", floor=0, most=True),
            *self._counts(),
        ]

    def _words_left(self) -> int:
        files = [file.read_bytes() for file in self.vault.rglob("*") if file.is_file()]
        words = [kept.said.mark.encode() for kept in self.book.kept if kept.forgotten]
        return sum(any(word in raw for raw in files) for word in words)

    def _missing_in_backup(self) -> int:
        if self.keeper.backup is None:
            return 0
        restored = self.vault.parent / "restored"
        command(restored, "restore", str(self.keeper.backup), "--yes")
        with Memory.open(restored, embedder=None) as memory:
            there = {one.record.id for one in memory.insight.browse()}
        return sum(kept.record not in there for kept in self.keeper.before if not kept.forgotten)

    # The table.

    def _figures(self) -> list[Row]:
        """Ratios are of the last third of the run to the first."""
        samples = self.samples
        records = max(1, samples[-1].records - samples[len(samples) // 3].records)
        rows = [
            Row(
                "write-ahead log, largest",
                max(one.wal_bytes for one in samples) / MIB,
                "MiB",
                floor=WAL_MAX_MIB,
                most=True,
            ),
            Row("oldest open read", max(one.oldest_read_s for one in samples), "s", floor=READ_MAX_S, most=True),
            Row("vectors trailing, most", max(one.trailing for one in samples), "entries"),
            Row("vectors trailing, longest", longest_behind(samples), "s"),
            Row(
                "time of a statement, grown",
                growth([one.statement for one in samples]),
                "×",
                floor=STATEMENT_MAX,
                most=True,
            ),
        ]
        for name in (OWN, SERVED):
            grown = samples[-1].rss[name] - samples[len(samples) // 3].rss[name] - MEMORY_SLACK
            handles, threads = [one.handles[name] for one in samples], [one.threads[name] for one in samples]
            rows += [
                Row(f"{name}: memory", samples[-1].rss[name] / MIB, "MiB"),
                Row(
                    f"{name}: memory per record, beyond {MEMORY_SLACK // MIB} MiB",
                    max(0.0, grown / records / 1024),
                    "KiB",
                    floor=RECORD_MEMORY_MAX / 1024,
                    most=True,
                ),
                Row(f"{name}: handles, more than at first", grew(handles), "", floor=HANDLES_MAX, most=True),
                Row(f"{name}: threads, more than at first", grew(threads), "", floor=THREADS_MAX, most=True),
            ]
        return rows

    def _counts(self) -> list[Row]:
        book = self.book
        shares = {
            "exact words": 1.0,
            "question": QUESTION_LEAST,
            "meaning, once it had its vector": MEANING_LEAST,
            "meaning, as soon as it was asked": None,
        }
        rows = [
            Row(f"found by {kind}", book.asked[kind].share, "", floor=least)
            for kind, least in shares.items()
            if kind in book.asked
        ]
        rows += [Row(what, book.counts[f"broken: {kind}"], "", floor=0, most=True) for kind, what in _BROKEN.items()]
        rows += [Row(kind, book.counts[kind], "") for kind in sorted(book.counts) if not kind.startswith("broken")]
        return rows


_BROKEN = {
    "stale": "reads that did not see what was acknowledged",
    "lost": "acknowledged and not found",
    "leaked": "forgotten and told",
    "damaged": "verifications with findings",
    "stuck": "users that never ended",
    "trailing": "vectors that never came",
    "error": "unexpected errors",
}


def _asked(memory: Memory, kept: Kept) -> bool:
    return holds(memory, kept.said.question, kept, limit=10)


def grew(counts: list[int]) -> int:
    """How many more there are in the last third than there were at most in the first."""
    third = max(1, len(counts) // 3)
    return max(0, min(counts[-third:]) - max(counts[:third]))


def longest_behind(samples: list[Sample]) -> float:
    """For how long an entry was without its vectors at most, as far as the samples tell."""
    longest = 0.0
    for now in samples:
        reached = now.entries - now.trailing
        waiting = [one.at for one in samples if one.at <= now.at and one.entries > reached]
        longest = max(longest, now.at - min(waiting, default=now.at))
    return longest


def main() -> int:
    parser = argparse.ArgumentParser(description="Use a memory as its users do, with everything going on at once.")
    parser.add_argument("--minutes", type=float, default=MINUTES, help=f"how long to go on (default: {MINUTES:g})")
    parser.add_argument("--seed", type=int, help="of the texts and choices; one of its own choosing if not given")
    parser.add_argument("--json", type=Path, help="where the figures go (default: bench/out/soak.json)")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else secrets.randbelow(2**31)
    print(f"soak: {given.minutes:g} minutes, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="muniment-soak-") as folder:
        soak = Soak(Path(folder), str(seed))
        try:
            rows = soak.run(given.minutes * 60)
        except LookupError as missing:
            print(f"soak: there is no model: {missing}", file=sys.stderr)
            return 2
    publish("soak", rows, seed=seed, details=details(soak.samples), place=given.json)
    for what in soak.book.broken:
        print(f"BROKEN  {what}")
    return 1 if any(row.passed is False for row in rows) else 0


def details(samples: list[Sample]) -> dict[str, list[float]]:
    """Every sample, for whoever looks at the curve."""
    told: dict[str, list[float]] = {}
    for one in samples:
        for name, value in (("records", one.records), ("wal_bytes", one.wal_bytes), ("statement", one.statement)):
            told.setdefault(name, []).append(value)
        for name, of in (("rss", one.rss), ("handles", one.handles), ("threads", one.threads)):
            for process, number in of.items():
                told.setdefault(f"{process} {name}", []).append(number)
    return told


if __name__ == "__main__":
    sys.exit(main())
