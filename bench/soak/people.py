"""Who takes part in a soak. Each has turns, which a thread of its own runs until it is told to stop."""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import httpx

from bench.soak.book import Book, Kept
from bench.soak.places import Server, Victim, command
from bench.soak.talk import Said, Talk
from muniment import Client, Memory
from muniment.model.claim_options import make_claim
from muniment.model.errors import NotFound, StoreBusy

MOST = 50
BATCH, MESSAGES, TRAILING_MAX = 90, 40, 20
A_SECOND = 1.0
PATIENCE_S = 900.0
"""So long a caller waits for an answer, on a machine that has other work."""
HEADERS = {"Accept": "application/json, text/event-stream"}
PAGES = (
    "/",
    "/api/stats",
    "/api/searching",
    "/api/records?limit=20",
    "/api/proposals?limit=20",
    "/api/conflicts",
    "/api/activity",
    "/api/directory",
    "/api/quality",
    "/api/ledger/head",
    "/api/receipts?newest=true&limit=10",
    "/metrics",
)


class Person(Protocol):
    name: str
    pause_s: float

    def turn(self) -> None: ...


def go_on(person: Person, book: Book, over: threading.Event) -> None:
    """One turn after another. An error that nobody expects is a broken promise, and the person goes on."""
    while not over.wait(person.pause_s):
        try:
            person.turn()
        except StoreBusy:
            book.count("store busy")
        except Exception as error:  # noqa: BLE001  the table tells it
            book.break_("error", f"{person.name}: {type(error).__name__}: {str(error)[:300]}")


class Caller:
    """Writes by the library or a client, and reads at once what it was acknowledged."""

    def __init__(self, name: str, memory: Memory | Client, book: Book, seed: str, *, pause_s: float) -> None:
        self.name, self.pause_s = name, pause_s
        self._memory, self._book = memory, book
        self._talk = Talk(f"{seed} {name}")

    def turn(self) -> None:
        said = self._talk.say()
        told = self._memory.remember(said.text)
        if not told.committed or told.record_id is None:
            self._book.count("not committed")
            return
        kept = self._book.keep(told.record_id, told.epoch, said, self.name)
        look(self.name, self._memory, self._book, kept)


class Importer:
    """Brings many long conversations in at once: more than gets its vectors in one go. Waits until they have them."""

    name, pause_s = "importer", 3.0

    def __init__(self, memory: Memory, book: Book, seed: str) -> None:
        self._memory, self._book = memory, book
        self._talk = Talk(f"{seed} importer")

    def turn(self) -> None:
        if (self._memory.insight.searching().trailing or 0) > TRAILING_MAX:
            return
        many = [self._talk.say(MESSAGES) for _ in range(BATCH)]
        told = self._memory.propose([make_claim(said.text, self._memory.actor, {}) for said in many])
        for verdict, said in zip(told, many, strict=True):
            if verdict.committed and verdict.record_id is not None:
                self._book.keep(verdict.record_id, verdict.epoch, said, self.name)
        self._book.count("imports")


class Reader:
    """Reads what others were acknowledged, and asks for what was written a second ago."""

    def __init__(self, name: str, memory: Memory | Client, book: Book, seed: str, *, pause_s: float) -> None:
        self.name, self.pause_s = name, pause_s
        self._memory, self._book = memory, book
        self._random = random.Random(f"{seed} {name}")

    def turn(self) -> None:
        if (newest := self._book.one_of_the_last(self._random)) is not None:
            look(self.name, self._memory, self._book, newest)
        if (older := self._book.one_of_the_last(self._random, older_than_s=A_SECOND)) is not None:
            ask(self._memory, self._book, older)


def look(name: str, memory: Memory | Client, book: Book, kept: Kept) -> None:
    """The head and the record itself, as a read that begins now sees them."""
    before = max(book.head(), kept.epoch)
    book.saw_head(name, before, memory.ledger.head().seq)
    try:
        content = memory.get(kept.record).record.content
    except NotFound:
        if not kept.forgotten:
            book.break_("stale", f"{name} does not see {kept.record} of {kept.writer}, entry {kept.epoch}")
        return
    if content != kept.said.text and not kept.forgotten:
        book.break_("stale", f"{name} sees {kept.record} in other words")


def ask(memory: Memory | Client, book: Book, kept: Kept) -> None:
    """By the one word that no other record holds; by a question; and by a question in other words."""
    exactly = holds(memory, f'"{kept.said.slip}"', kept)
    if not exactly and not kept.forgotten:
        book.break_("lost", f"{kept.record} of {kept.writer} is not found by its own word {kept.said.slip}")
    if kept.forgotten:
        return
    book.ask("exact words", exactly)
    book.ask("question", holds(memory, kept.said.question, kept, limit=10))
    if kept.said.other_words:
        ask_by_meaning(memory, book, kept)


def holds(memory: Memory | Client, question: str, kept: Kept, *, limit: int = MOST) -> bool:
    found = memory.recall(question, limit=limit, floor=0.0)
    return any(one.record.id == kept.record for one in found.records)


def ask_by_meaning(memory: Memory | Client, book: Book, kept: Kept) -> None:
    """Whether a search by meaning counted for it. How soon its vector is made is a matter of the machine, so that is
    counted apart; once an answer says that the vectors have come so far, it must be used."""
    found = memory.recall(kept.said.other_words, limit=200, floor=0.0)
    there = any(one.record.id == kept.record and dict(one.parts).get("meaning", 0.0) > 0.0 for one in found.records)
    reached = found.epoch - (found.searched.trailing or 0) if found.searched.model is not None else 0
    book.ask("meaning, as soon as it was asked", there)
    if kept.epoch <= reached and not kept.forgotten:
        book.ask("meaning, once it had its vector", there)


class McpCaller:
    """An MCP client over HTTP: it remembers, and recalls what it remembered."""

    name, pause_s = "mcp", 1.0

    def __init__(self, server: Server, book: Book, seed: str) -> None:
        self._client = httpx.Client(base_url=server.url, timeout=PATIENCE_S, headers=HEADERS)
        self._book, self._talk, self._count = book, Talk(f"{seed} mcp"), 0

    def turn(self) -> None:
        said = self._talk.say()
        told = self._called("remember", content=said.text)
        if told["outcome"] != "committed":
            self._book.count("not committed")
            return
        kept = self._book.keep(told["record_id"], told["epoch"], said, self.name)
        if not kept.forgotten and self._called("get", record_id=kept.record)["content"] != said.text:
            self._book.break_("stale", f"mcp sees {kept.record} in other words")
        found = {one["id"] for one in self._called("recall", query=f'"{said.slip}"')["records"]}
        if kept.record not in found and not kept.forgotten:
            self._book.break_("lost", f"mcp does not find {kept.record} by {said.slip}")

    def _called(self, tool: str, **arguments: object) -> Any:
        self._count += 1
        call = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": self._count, "method": "tools/call", "params": call}
        answer = self._client.post("/mcp?tools=memory", json=message)
        answer.raise_for_status()
        result = answer.json()["result"]
        if result.get("isError"):
            if "store_busy" in result["content"][0]["text"]:
                raise StoreBusy("the server says so")
            raise RuntimeError(f"{tool}: {result['content'][0]['text'][:300]}")
        return result["structuredContent"]


class Console:
    """A person at the console: page after page, and lists that are not read to their end."""

    name, pause_s = "console", 0.5

    def __init__(self, server: Server, book: Book, seed: str) -> None:
        self._client = httpx.Client(base_url=server.url, timeout=PATIENCE_S)
        self._book, self._random = book, random.Random(f"{seed} console")

    def turn(self) -> None:
        page = self._random.choice(PAGES)
        before = self._book.head()
        answer = self._client.get(page)
        if answer.status_code == 503 and answer.json().get("code") == StoreBusy.code:
            raise StoreBusy("the server says so")
        if answer.status_code >= 400:
            self._book.break_("error", f"console: {page} is answered {answer.status_code}: {answer.text[:200]}")
        elif page == "/api/ledger/head":
            self._book.saw_head("console", before, answer.json()["seq"])
        self._book.count("console pages")
        with self._client.stream("GET", "/api/export?contract=memledger") as export:
            for _ in islice(export.iter_bytes(1_000), 2):
                pass


class Dropper:
    """Reads a page or two of a list in the library and lets go of it, or keeps it open for a while."""

    name, pause_s = "dropper", 0.5

    def __init__(self, memory: Memory, seed: str) -> None:
        self._memory, self._random = memory, random.Random(f"{seed} dropper")
        self._open: list[Iterator[object]] = []

    def turn(self) -> None:
        made: tuple[Callable[[], Iterator[object]], ...] = (
            lambda: self._memory.insight.browse(),
            lambda: self._memory.ledger.receipts(newest=True),
        )
        stream = self._random.choice(made)()
        for _ in islice(stream, self._random.randrange(1, 60)):
            pass
        self._open = [*self._open[-2:], stream]


class Forgetter:
    """Erases a record now and then: no later read finds it."""

    name, pause_s = "forgetter", 2.0

    def __init__(self, memory: Memory, book: Book, seed: str) -> None:
        self._memory, self._book, self._random = memory, book, random.Random(f"{seed} forgetter")

    def turn(self) -> None:
        kept = self._book.to_forget(self._random)
        if kept is None:
            return
        done = self._memory.forget(kept.record, reason="asked to")
        if done.verdict is None or not done.verdict.committed:
            self._book.break_("error", f"{kept.record} is not forgotten: {done.verdict}")
            return
        self._book.count("forgotten")
        found = self._memory.recall(f'"{kept.said.slip}"', limit=MOST, floor=0.0)
        if any(one.record.id == kept.record for one in found.records):
            self._book.break_("leaked", f"{kept.record} was forgotten and is found by {kept.said.slip}")


class Keeper:
    """Backs the vault up and verifies it, in processes of their own, as a timer would."""

    name, pause_s = "keeper", 5.0

    def __init__(self, vault: Path, book: Book) -> None:
        self._vault, self._book = vault, book
        self._number = 0
        self.backup: Path | None = None
        self.before: list[Kept] = []

    def turn(self) -> None:
        self._number += 1
        before = self._book.standing()
        target = self._vault.parent / f"backup-{self._number}"
        command(self._vault, "backup", str(target))
        if self.backup is not None:
            shutil.rmtree(self.backup)
        self.backup, self.before = target, before
        self._book.count("backups")
        verified = command(self._vault, "ledger", "verify", ok=(0, 1))
        if not verified["ok"]:
            self._book.break_("damaged", f"verify: {verified['findings'][:3]}")
        self._book.count("verified")


class Sweeper:
    """Maintenance and signatures."""

    name, pause_s = "sweeper", 3.0

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def turn(self) -> None:
        self._memory.review.sweep()
        self._memory.ledger.checkpoint()


class Killer:
    """Has another process write, presses Ctrl-C there a few times, and ends it with kill -9."""

    name, pause_s = "killer", 0.2

    def __init__(self, vault: Path, memory: Memory, book: Book, seed: str, over: threading.Event) -> None:
        self._vault, self._memory, self._book, self._seed, self._over = vault, memory, book, seed, over
        self._random = random.Random(f"{seed} killer")
        self._number = 0
        self._told: list[Kept] = []

    def turn(self) -> None:
        self._number += 1
        victim = Victim(self._vault, f"{self._seed} victim {self._number}", self._hear)
        try:
            while not victim.ready.wait(1.0):
                if self._over.is_set() or not victim.alive:
                    return
            for _ in range(self._random.randrange(1, 6)):
                if self._over.wait(self._random.uniform(0.1, 1.0)):
                    return
                victim.interrupt()
                self._book.count("Ctrl-C")
            self._over.wait(self._random.uniform(0.3, 1.5))
        finally:
            victim.kill()
            self._book.count("kill -9")
        for kept in self._told[-10:]:
            look("the library", self._memory, self._book, kept)

    def _hear(self, words: list[Any]) -> None:
        match words:
            case ["ack", str(record), int(epoch), list(said)]:
                self._told.append(self._book.keep(record, epoch, Said(*said), "a killed writer"))
            case ["stale" | "error" as kind, str(what)]:
                self._book.break_(kind, f"a killed writer: {what}")
            case ["busy"]:
                self._book.count("store busy")
            case _:
                pass
