"""Every way to reach a memory, reduced to what the promise is about: write a text, get it, find it, read the head."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import httpx
from anyio.from_thread import BlockingPortal
from tests.patience import WAIT_S
from tests.surfaces.http import agents
from tests.surfaces.mcp.talking import Talk

from muniment import Client, Memory, aio
from muniment.contracts.strict.values import JsonObject
from muniment.model.curation import Verdict

T = TypeVar("T")
MOST = 200


class Written(NamedTuple):
    record: str
    revision: int
    epoch: int


class Face(Protocol):
    name: str

    def write(self, text: str) -> Written | None:
        """Have a text kept; None when it was not committed, such as a text that says the same as another."""

    def head(self) -> int | None:
        """Where the ledger stands; None where the face does not tell."""

    def get(self, record: str) -> tuple[int, str]:
        """The revision that speaks for a record, and its text."""

    def find(self, word: str) -> set[str]:
        """The records that hold a word."""


def written(verdict: Verdict) -> Written | None:
    if not verdict.committed or verdict.record_id is None:
        return None
    assert verdict.revision is not None
    return Written(verdict.record_id, verdict.revision, verdict.epoch)


class Called:
    """A `Memory` or a `Client`: they have the same methods."""

    def __init__(self, name: str, memory: Memory | Client) -> None:
        self.name, self.memory = name, memory

    def write(self, text: str) -> Written | None:
        return written(self.memory.remember(text))

    def head(self) -> int:
        return self.memory.ledger.head().seq

    def get(self, record: str) -> tuple[int, str]:
        found = self.memory.get(record).record
        return found.revision, found.content

    def find(self, word: str) -> set[str]:
        return {one.record.id for one in self.memory.recall(f'"{word}"', limit=MOST, floor=0.0).records}


class Awaited:
    """`muniment.aio` on an event loop of its own."""

    name = "aio"

    def __init__(self, memory: aio.Memory, portal: BlockingPortal) -> None:
        self._memory, self._portal = memory, portal

    def write(self, text: str) -> Written | None:
        return written(self._portal.call(lambda: self._memory.remember(text)))

    def head(self) -> int:
        return self._portal.call(self._memory.ledger.head).seq

    def get(self, record: str) -> tuple[int, str]:
        found = self._portal.call(lambda: self._memory.get(record)).record
        return found.revision, found.content

    def find(self, word: str) -> set[str]:
        found = self._portal.call(lambda: self._memory.recall(f'"{word}"', limit=MOST, floor=0.0))
        return {one.record.id for one in found.records}


class Tools:
    """An MCP client. No tool tells the head."""

    name = "mcp"

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def write(self, text: str) -> Written | None:
        told = self._asked("remember", content=text)
        return Written(told["record_id"], told["revision"], told["epoch"]) if told["outcome"] == "committed" else None

    def head(self) -> None:
        return None

    def get(self, record: str) -> tuple[int, str]:
        told = self._asked("get", record_id=record)
        return int(told["revision"]), str(told["content"])

    def find(self, word: str) -> set[str]:
        return {one["id"] for one in self._asked("recall", query=f'"{word}"', limit=50)["records"]}

    def _asked(self, name: str, **arguments: object) -> Any:
        answer = self._talk.call(name, **arguments)
        assert not answer.failed, answer.text
        return answer.document


class Akashik:
    """Two agents of the Field over HTTP: one records, the other attunes, for nobody is told of their own units."""

    name = "akashik"

    def __init__(self, client: httpx.Client, agent: str) -> None:
        self._client, self._agent, self._reader = client, agent, f"{agent}-reader"
        agents.register(client, agent, self._reader)

    def write(self, text: str) -> Written | None:
        told = agents.answered(self._client, agents.message("RECORD", self._agent, agents.unit(text)))
        return Written(agents.text_at(told, "memory_unit_id"), 1, agents.number_at(told, "epoch"))

    def head(self) -> int:
        return agents.number_at(self._attuned("anything"), "epoch")

    def get(self, record: str) -> tuple[int, str]:
        raise NotImplementedError("the Field has no operation for one unit")

    def find(self, word: str) -> set[str]:
        units = self._attuned(word)["record"]
        assert isinstance(units, list)
        return {agents.text_at(one, "memory_unit", "id") for one in units}

    def _attuned(self, word: str) -> Any:
        scope: JsonObject = {"role": "scout", "interests": [word], "max_units": MOST, "max_tokens": 10_000_000}
        return agents.answered(self._client, agents.message("ATTUNE", self._reader, {"scope": scope}))


class Shell:
    """The command line, a process for each command."""

    name = "cli"

    def __init__(self, command: Path, vault: Path | str) -> None:
        self._command = [str(command), "--vault", str(vault)]

    def write(self, text: str) -> Written | None:
        told = self._run("remember", text)
        return Written(told["record_id"], told["revision"], told["epoch"]) if told["outcome"] == "committed" else None

    def head(self) -> None:
        return None

    def get(self, record: str) -> tuple[int, str]:
        told = self._run("get", record)
        return int(told["revision"]), str(told["content"])

    def find(self, word: str) -> set[str]:
        told = self._run("recall", f'"{word}"', "--limit", str(MOST))
        return {one["record"]["id"] if "record" in one else one["id"] for one in told["records"]}

    def _run(self, *words: str) -> Any:
        done = subprocess.run([*self._command, *words, "--json"], capture_output=True, timeout=WAIT_S, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)


def awaited(portal: BlockingPortal, opening: Callable[[], Any]) -> aio.Memory:
    """A memory opened on the portal's event loop."""
    memory = portal.call(opening)
    assert isinstance(memory, aio.Memory)
    return memory


__all__ = ["Akashik", "Awaited", "Called", "Face", "Shell", "Tools", "Written", "awaited"]
