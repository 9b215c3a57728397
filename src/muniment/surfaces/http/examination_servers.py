"""Examined servers: child processes on vaults of their own, one for each way a field can be set up."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Annotated, Literal
from uuid import uuid4

import msgspec
from msgspec import Meta

from muniment.config import variables
from muniment.engine.memory import Memory
from muniment.engine.vault import default_policy_text
from muniment.model.errors import StoreUnavailable
from muniment.model.value import Value
from muniment.surfaces.http.examination_model import ModelEndpoint

START_S, END_S = 60.0, 15.0
_ADDRESS = re.compile(rb"http://127\.0\.0\.1:\d+")
_PASSED_ON = frozenset({"MUNIMENT_MODELS", "MUNIMENT_EMBEDDER_KEY"})
"""Settings of this process that an examined server shares; all others are its own."""

Whole = Annotated[int, Meta(ge=0, le=2**53)]
Names = Annotated[tuple[str, ...], Meta(max_length=20)]


class Wish(Value):
    """How an examined field is to be set up. `alone` gives it a server that nobody else uses."""

    level: Annotated[int, Meta(ge=0, le=3)] = 3
    detection_timeout_ms: Whole | None = None
    replay_limit: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    capacity_bytes: Whole | None = None
    cross_session: bool = False
    type_rules: Names = ()
    vote_quorum: Annotated[int, Meta(ge=1, le=100)] | None = None
    enrichment: Literal["none", "meaning", "failing"] = "none"
    alone: bool = False

    @property
    def private(self) -> bool:
        """Whether what is done to one field must not be felt by another."""
        return self.alone or self.enrichment == "failing"


class ExaminedServer:
    """One child process with its vault. `own_model` is what the examining server itself embeds with, if it does."""

    def __init__(self, wish: Wish, *, own_model: str | None) -> None:
        self.wish = wish
        self.folder = Path(tempfile.mkdtemp(prefix="muniment-examined-"))
        self._settings = self.folder / "settings.toml"
        with ExitStack() as undone:
            undone.callback(shutil.rmtree, self.folder, ignore_errors=True)
            self.model = ModelEndpoint(works=wish.enrichment != "failing") if _stands_in(wish, own_model) else None
            if self.model is not None:
                undone.callback(self.model.close)
            self._lay_out(self.model.setting if self.model is not None else own_model)
            self.tenant("default")
            self._child, self.url = self._started()
            undone.pop_all()

    def _lay_out(self, embedder: str | None) -> None:
        """The vault with its policy, and the settings of its server."""
        self.vault.mkdir()
        (self.vault / "policy.yaml").write_text(_policy(self.wish), encoding="utf-8")
        chosen = embedder if self.wish.enrichment != "none" and embedder is not None else "none"
        self._settings.write_text(_toml(_told(self.wish, self.vault, chosen)), encoding="utf-8")

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    def tenant(self, name: str | None = None) -> str:
        """A tenant that was not there before."""
        made = name or f"examined-{uuid4().hex}"
        Memory.open(self.vault, tenant=made, embedder=None).close()
        return made

    def restart(self, how: Literal["kill", "stop"]) -> None:
        """End the process, by force or in peace, and start it on the same vault."""
        self.end(how)
        self._child, self.url = self._started()

    def rebuild(self, tenant: str) -> None:
        """Make every table of a tenant anew from its ledger, while no server has it open."""
        self.end("stop")
        with Memory.open(self.vault, tenant=tenant, embedder=None) as memory:
            memory.ledger.replay()
        self._child, self.url = self._started()

    def end(self, how: Literal["kill", "stop"]) -> None:
        if how == "kill":
            self._child.kill()
        else:
            self._child.terminate()
        try:
            self._child.wait(timeout=END_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait(timeout=END_S)
        assert self._child.stdin is not None, "it was asked for"
        self._child.stdin.close()

    def close(self) -> None:
        """End the process and take its vault away."""
        self.end("kill")
        if self.model is not None:
            self.model.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _started(self) -> tuple[subprocess.Popen[bytes], str]:
        log = self.folder / "server.log"
        with log.open("ab") as told:
            child = subprocess.Popen(
                [sys.executable, "-m", "muniment.surfaces.http.examination_child", str(self._settings)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=told,
                env=_environment(),
                cwd=self.folder,
            )
        assert child.stdout is not None, "it was asked for"
        url = _address(child.stdout)
        if url is None:
            child.kill()
            child.wait(timeout=END_S)
            raise StoreUnavailable("the examined server did not start")
        return child, url


def _address(output: IO[bytes]) -> str | None:
    """The address that a server prints first. What it prints later is read and let go."""
    found: list[str] = []
    heard = threading.Event()

    def listen() -> None:
        with output:
            for line in output:
                if not found and (hit := _ADDRESS.search(line)) is not None:
                    found.append(hit[0].decode())
                    heard.set()
        heard.set()

    threading.Thread(target=listen, daemon=True).start()
    heard.wait(START_S)
    return found[0] if found else None


def _stands_in(wish: Wish, own_model: str | None) -> bool:
    return wish.enrichment == "failing" or (wish.enrichment == "meaning" and own_model is None)


def _told(wish: Wish, vault: Path, embedder: str) -> Mapping[str, object]:
    """The settings of the child: what is wished for, on this machine alone, with no bounds on how fast it is asked."""
    told: dict[str, object] = {
        "host": "127.0.0.1",
        "port": 0,
        "vault": str(vault),
        "embedder": embedder,
        "level": wish.level,
        "cross_session": wish.cross_session,
        "type_rules": wish.type_rules,
        "rate_per_second": 0,
        "failures_per_minute": 1_000_000,
        "streams_per_actor": 1_000,
        "threads": 8,
        "shutdown_seconds": 5,
        "watch_ms": 20,
        "examination": False,
        "log_level": "warning",
    }
    bounds = {
        "detection_timeout_ms": wish.detection_timeout_ms,
        "replay_limit": wish.replay_limit,
        "capacity": wish.capacity_bytes,
    }
    return told | {name: value for name, value in bounds.items() if value is not None}


def _toml(told: Mapping[str, object]) -> str:
    return "".join(f"{name} = {msgspec.json.encode(value).decode()}\n" for name, value in told.items())


def _policy(wish: Wish) -> str:
    text = default_policy_text()
    return text if wish.vote_quorum is None else text.replace("quorum: 3", f"quorum: {wish.vote_quorum}")


def _environment() -> dict[str, str]:
    return {
        name: value for name, value in variables().items() if not name.startswith("MUNIMENT_") or name in _PASSED_ON
    }


class Servers:
    """The examined servers there are. Fields that are set up alike share one, unless they asked to be alone."""

    def __init__(self, most: int, *, own_model: str | None) -> None:
        self._most = most
        self._own_model = own_model
        self._turn = threading.Lock()
        self._all: list[ExaminedServer] = []
        self._users: dict[int, int] = {}
        self._used: dict[int, float] = {}

    def take(self, wish: Wish) -> ExaminedServer | None:
        """A server that is set up so; None if there are too many already that somebody uses."""
        with self._turn:
            alike = [one for one in self._all if one.wish == wish and not (wish.private and self._busy(one))]
            if not alike and not self._room():
                return None
            found = alike[0] if alike else ExaminedServer(wish, own_model=self._own_model)
            if not alike:
                self._all.append(found)
            if found.model is not None:
                found.model.works = wish.enrichment != "failing"
            self._users[id(found)] = self._users.get(id(found), 0) + 1
            return found

    def give_back(self, server: ExaminedServer) -> None:
        """One user less. A server that nobody uses goes when its room is needed, or after a while."""
        with self._turn:
            if server in self._all:
                self._users[id(server)] -= 1
                self._used[id(server)] = time.monotonic()

    def drop_idle(self, seconds: float) -> None:
        """Let go of what nobody has used for so long."""
        with self._turn:
            before = time.monotonic() - seconds
            for server in [
                one for one in self._all if not self._busy(one) and self._used.get(id(one), before) <= before
            ]:
                self._drop(server)

    def close(self) -> None:
        with self._turn:
            for server in list(self._all):
                self._drop(server)

    def _busy(self, server: ExaminedServer) -> bool:
        return self._users.get(id(server), 0) > 0

    def _room(self) -> bool:
        if len(self._all) < self._most:
            return True
        idle = sorted((one for one in self._all if not self._busy(one)), key=lambda one: self._used.get(id(one), 0.0))
        if not idle:
            return False
        self._drop(idle[0])
        return True

    def _drop(self, server: ExaminedServer) -> None:
        self._all.remove(server)
        self._users.pop(id(server), None)
        self._used.pop(id(server), None)
        server.close()
