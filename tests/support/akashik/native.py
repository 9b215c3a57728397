"""Fields in this process, or in a child that can be killed: the native binding, on vaults of its own."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from akashik_conformance.binding import (
    TRANSPORT_ERROR,
    Answer,
    Binding,
    Ending,
    Examined,
    Json,
    JsonObject,
    Raw,
    Settings,
    Shut,
    Stage,
    Stream,
    Unobservable,
    View,
    Ways,
)
from akashik_conformance.polled import Polled
from akashik_conformance.say import part, parts, read_object, whole
from akashik_conformance.servers import LaunchedStage, Launcher
from muniment.compat.akashik import Credential, Field, FieldSettings, debounced
from muniment.contracts.akashik.codes import error_of
from muniment.contracts.akashik.notices import LastNotified
from muniment.contracts.akashik.sessions import TypeRule
from muniment.contracts.akashik.words import UnitType
from muniment.engine.memory import Memory
from muniment.engine.vault import default_policy_text
from muniment.model.actor import Actor
from muniment.model.errors import ModelUnavailable, MunimentError
from muniment.surfaces.akashik_launcher import word_counts

WAIT_S = 120.0
POLICY = "policy.yaml"
ROOT = Path(__file__).parents[3]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kits/akashik-conformance/src")])}


class StandIn:
    """An embedder that knows a few synonyms, and can be made to fail."""

    model = "stand-in@1"
    dimensions = 256

    def __init__(self, *, works: bool) -> None:
        self.works = works

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if not self.works:
            raise ModelUnavailable("the stand-in was told to fail")
        return [struct.pack(f"<{self.dimensions}f", *unit_vector(text)) for text in texts]


def unit_vector(text: str) -> list[float]:
    """A text as numbers: its words counted, synonyms as one word, to the length of one."""
    numbers = word_counts(text)
    length = sum(number * number for number in numbers) ** 0.5 or 1.0
    return [number / length for number in numbers]


def policy_text(settings: Settings) -> str:
    """The default policy, with the quorum that is asked for."""
    text = default_policy_text()
    return text if settings.vote_quorum is None else text.replace("quorum: 3", f"quorum: {settings.vote_quorum}")


def credential_of(token: str | None) -> Credential:
    """Whom a token stands for. What is no token of ours stands for somebody who may speak for nobody."""
    word, _, level = (token or "").partition("-")
    if word != "authority" or not level.isdigit():
        return Credential(actor=Actor(id="nobody", authority=10), agents=())
    actor = Actor(id=f"bearer-{level}", roles=("agent",), projects=("default",), authority=int(level))
    return Credential(actor=actor, agents=("*",))


class Opened:
    """A vault with its Field, and answers to whoever shows a token."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.embedder = StandIn(works=settings.enrichment != "failing")
        self.memory = Memory.open(
            folder / "vault",
            policy=folder / POLICY,
            embedder=None if settings.enrichment == "none" else self.embedder,
            capacity=settings.capacity_bytes,
        )
        rules = (one.partition("=") for one in settings.type_rules)
        self.field = Field(
            self.memory,
            FieldSettings(
                level=settings.level,
                replay_limit=settings.replay_limit or 10_000,
                detection_timeout_ms=settings.detection_timeout_ms,
                cross_session=settings.cross_session,
                rules=tuple(TypeRule(types=frozenset({UnitType(kind)}), least=int(n)) for kind, _, n in rules),
            ),
        )

    def send(self, message: Json, token: str | None) -> JsonObject:
        return self.field.send(message, credential_of(token))

    def view(self, name: View, token: str | None, agent: str | None, session: str | None) -> JsonObject:
        look = {"status": self.field.status, "agents": self.field.agents, "conflicts": self.field.conflicts}[name]
        return look(credential_of(token), agent, session)

    def retract(self, agent: str, unit: str, reason: str, token: str | None) -> JsonObject:
        return self.field.retract(credential_of(token), agent, unit, reason)

    def notices(self, agent: str, token: str | None, after: int) -> JsonObject:
        """The notices after an epoch, with how long each subscription waits; or why there are none to be had."""
        try:
            found = self.field.notices(agent, credential_of(token), after)
        except MunimentError as error:
            return error_of(error, "SUBSCRIBE")
        waits: JsonObject = dict(found.waits)
        return {"notices": list[Json](found.documents), "epoch": found.epoch, "waits": waits}

    def close(self) -> None:
        self.memory.close()


class Desk(Protocol):
    """Where a native binding puts its questions: a Field here, or one in a child."""

    def send(self, message: Json, token: str | None) -> JsonObject: ...
    def view(self, name: View, token: str | None, agent: str | None, session: str | None) -> JsonObject: ...
    def retract(self, agent: str, unit: str, reason: str, token: str | None) -> JsonObject: ...
    def notices(self, agent: str, token: str | None, after: int) -> JsonObject: ...
    def close(self) -> None: ...


class Piped:
    """The same in a child process, one question at a time. A child that is gone is told as a transport that failed."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        command = [
            sys.executable,
            "-m",
            "tests.support.akashik.piped",
            str(folder),
            msgspec.json.encode(settings).decode(),
        ]
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=ENVIRONMENT
        )
        self._turn = threading.Lock()
        assert self._asked({"do": "hello"}).get("status") == "ok", "the child answers"

    def send(self, message: Json, token: str | None) -> JsonObject:
        return self._asked({"do": "send", "message": message, "token": token})

    def view(self, name: View, token: str | None, agent: str | None, session: str | None) -> JsonObject:
        return self._asked({"do": "view", "name": name, "token": token, "agent": agent, "session": session})

    def retract(self, agent: str, unit: str, reason: str, token: str | None) -> JsonObject:
        return self._asked({"do": "retract", "agent": agent, "unit": unit, "reason": reason, "token": token})

    def notices(self, agent: str, token: str | None, after: int) -> JsonObject:
        return self._asked({"do": "notices", "agent": agent, "token": token, "after": after})

    def _asked(self, question: JsonObject) -> JsonObject:
        pipes = self._child.stdin, self._child.stdout
        assert pipes[0] is not None, "both were asked for"
        assert pipes[1] is not None, "both were asked for"
        with self._turn:
            try:
                pipes[0].write(msgspec.json.encode(question) + b"\n")
                pipes[0].flush()
                line = pipes[1].readline()
            except (OSError, ValueError):
                line = b""
        return read_object(line) if line else _gone()

    def end(self, how: Ending) -> None:
        """Kill the child, or let it close its vault."""
        if how == "kill":
            self._child.kill()
        with self._turn:
            for pipe in (self._child.stdin, self._child.stdout):
                assert pipe is not None, "both were asked for"
                with suppress(BrokenPipeError):
                    pipe.close()
        self._child.wait(timeout=WAIT_S)

    def close(self) -> None:
        self.end("stop")


def _gone() -> JsonObject:
    return {"code": TRANSPORT_ERROR, "message": "the process that had the Field is gone"}


class NativeBinding:
    """Questions put to a Field without a wire between."""

    way: Ways = "native"

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def send(self, message: Json, token: str | None) -> Answer:
        return Answer(document=self._desk.send(message, token))

    def view(self, name: View, token: str | None, *, agent: str | None, session: str | None = None) -> Answer:
        return Answer(document=self._desk.view(name, token, agent, session))

    def retract(self, agent: str, unit: str, reason: str, token: str | None) -> Answer | None:
        return Answer(document=self._desk.retract(agent, unit, reason, token))

    def follow(self, agent: str, token: str | None, *, after: int) -> Stream:
        told = LastNotified()

        def fetch(since: int) -> tuple[list[JsonObject], int]:
            nonlocal told
            answer = self._desk.notices(agent, token, since)
            if "code" in answer:
                raise Shut(str(answer["code"]))
            waits = {name: whole(part(answer, "waits"), name) for name in part(answer, "waits")}
            due, told = debounced(parts(answer, "notices"), waits, told, int(time.monotonic() * 1_000))
            return list(due), whole(answer, "epoch")

        fetch(after)
        told = LastNotified()
        return Polled(fetch, after=after)

    def close(self) -> None:
        """Nothing is held: the desk belongs to the Field."""


class NativeField:
    """One vault in a folder that goes with it."""

    shared = False

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = Path(tempfile.mkdtemp(prefix="muniment-field-"))
        with ExitStack() as undone:
            undone.callback(shutil.rmtree, self._folder, ignore_errors=True)
            (self._folder / POLICY).write_text(policy_text(settings), encoding="utf-8")
            self._desk = self._opened()
            undone.pop_all()

    def _opened(self) -> Opened | Piped:
        return (Piped if self._settings.alone else Opened)(self._folder, self._settings)

    def binding(self, way: Ways) -> Binding:
        if way != "native":
            raise Unobservable(f"a Field in this process is not reached over {way}")
        return NativeBinding(self._desk)

    def token(self, authority: int) -> str:
        return f"authority-{authority}"

    def bad_token(self, how: Literal["unknown", "expired"]) -> str:
        return how

    def http(self) -> Raw:
        raise Unobservable("a Field in this process speaks no HTTP")

    def tools(self) -> tuple[str, ...]:
        raise Unobservable("a Field in this process has no tools")

    def restart(self, how: Ending) -> None:
        if not isinstance(self._desk, Piped):
            raise Unobservable("only a Field in a process of its own can be restarted")
        self._desk.end(how)
        self._desk = self._opened()

    def rebuild(self) -> None:
        self._desk.close()
        with Memory.open(self._folder / "vault", policy=self._folder / POLICY, embedder=None) as memory:
            memory.ledger.replay()
        self._desk = self._opened()

    def heal(self) -> None:
        if not isinstance(self._desk, Opened):
            raise Unobservable("the embedder of a child cannot be mended")
        self._desk.embedder.works = True

    def close(self) -> None:
        self._desk.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class NativeStage:
    """Fields made in this process. What only a server has is asked of one that is started for it."""

    way: Ways = "native"

    def __init__(self) -> None:
        self._sisters: dict[Ways, Stage] = {}

    def field(self, settings: Settings) -> Examined:
        return NativeField(settings)

    def sister(self, way: Ways) -> Stage:
        if way == "native":
            return self
        if way not in self._sisters:
            launcher = Launcher([sys.executable, "-m", "muniment.surfaces.akashik_launcher"])
            self._sisters[way] = LaunchedStage(launcher, way)
        return self._sisters[way]

    def close(self) -> None:
        for stage in self._sisters.values():
            stage.close()
