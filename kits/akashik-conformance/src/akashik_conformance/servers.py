"""Fields to examine: a server as it is, or servers that a launcher starts with the settings an assertion needs."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import entry_points
from typing import Literal

import msgspec

from akashik_conformance.binding import (
    Binding,
    Ending,
    Examined,
    Json,
    JsonObject,
    Raw,
    Settings,
    SetupError,
    Stage,
    Unobservable,
    Ways,
)
from akashik_conformance.http_binding import HttpBinding

LAUNCHERS = "akashik_conformance.launchers"
"""The entry points under which an implementation names the module that launches it."""
END_S = 30.0
AUTHORITIES = tuple(str(authority) for authority in range(11))


class Launched(msgspec.Struct, frozen=True, kw_only=True):
    """Where a launched Field is, and the tokens for it by authority."""

    id: str
    url: str
    mcp_url: str
    tokens: Mapping[str, str]


class Bindings:
    """The bindings to one server, each made when it is first asked for."""

    def __init__(self, url: str, mcp_url: str) -> None:
        self._urls: dict[Ways, str] = {"http": url, "mcp": mcp_url}
        self._made: dict[Ways, Binding] = {}

    def binding(self, way: Ways) -> Binding:
        if way not in self._made:
            self._made[way] = self._new(way)
        return self._made[way]

    def _new(self, way: Ways) -> Binding:
        match way:
            case "http":
                return HttpBinding(self._urls["http"])
            case "mcp":
                from akashik_conformance.mcp_binding import McpBinding

                return McpBinding(self._urls["mcp"])
            case _:
                raise Unobservable("a server is not reached natively")

    def raw(self) -> Raw:
        found = self.binding("http")
        assert isinstance(found, HttpBinding)
        return found

    def tools(self, token: str) -> tuple[str, ...]:
        from akashik_conformance.mcp_binding import McpBinding

        found = self.binding("mcp")
        assert isinstance(found, McpBinding)
        return found.tools(token)

    def close(self) -> None:
        for one in self._made.values():
            one.close()


class Launcher:
    """A command that starts servers for the suite: one JSON object per line in, one per line out."""

    def __init__(self, command: list[str], *, name: str | None = None) -> None:
        self.name = name or shlex.join(command)
        self._turn = threading.Lock()
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise SetupError("launcher", f"the command cannot be started ({error.strerror})") from None

    def ask(self, do: str, **more: Json) -> JsonObject:
        """Ask for one thing. A launcher that cannot do it says why, and that makes the assertion unobservable."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None, "it was asked for"
        assert answers is not None, "it was asked for"
        with self._turn, suppress(OSError, ValueError):
            asked.write(json.dumps({"do": do, **more}).encode() + b"\n")
            asked.flush()
            answer = json.loads(answers.readline() or b"null")
            if isinstance(answer, dict) and "error" not in answer:
                return answer
            raise Unobservable(f"the launcher did not {do}: {answer['error'] if answer else 'it has ended'}")
        raise Unobservable(f"the launcher did not {do}: its answer is no JSON object on one line")

    def knows(self, url: str) -> bool:
        """Whether the server at this address is what this launcher starts."""
        with suppress(Unobservable):
            return self.ask("hello", url=url).get("same") is True
        return False

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None, "both were asked for"
            with suppress(BrokenPipeError):
                pipe.close()
        try:
            self._process.wait(timeout=END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def launcher_of(said: str) -> Launcher:
    """The launcher of an installed implementation by its name, or else a command."""
    for one in entry_points(group=LAUNCHERS, name=said):
        return Launcher([sys.executable, "-m", one.value], name=said)
    command = shlex.split(said)
    if not command:
        raise SetupError("launcher", "expected a command, or the name of an installed implementation")
    return Launcher(command)


def launcher_for(url: str) -> Launcher | None:
    """The installed launcher that says the server at this address is what it starts, if there is one."""
    for one in entry_points(group=LAUNCHERS):
        launcher = launcher_of(one.name)
        if launcher.knows(url):
            return launcher
        launcher.close()
    return None


class LaunchedField:
    """A Field that was launched for one assertion."""

    shared = False

    def __init__(self, launcher: Launcher, settings: Settings) -> None:
        self._launcher = launcher
        asked = msgspec.to_builtins(settings)
        self._told = _launched(launcher.ask("open", settings=asked))
        self._ends = Bindings(self._told.url, self._told.mcp_url)

    def binding(self, way: Ways) -> Binding:
        return self._ends.binding(way)

    def token(self, authority: int) -> str:
        return _token(self._told.tokens, str(authority))

    def bad_token(self, how: Literal["unknown", "expired"]) -> str:
        return _token(self._told.tokens, how)

    def http(self) -> Raw:
        return self._ends.raw()

    def tools(self) -> tuple[str, ...]:
        return self._ends.tools(self.token(4))

    def restart(self, how: Ending) -> None:
        self._again("restart", how=how)

    def rebuild(self) -> None:
        self._again("rebuild")

    def heal(self) -> None:
        self._launcher.ask("heal", id=self._told.id)

    def close(self) -> None:
        self._ends.close()
        self._launcher.ask("close", id=self._told.id)

    def _again(self, do: str, **more: Json) -> None:
        self._told = _launched(self._launcher.ask(do, id=self._told.id, **more))
        self._ends.close()
        self._ends = Bindings(self._told.url, self._told.mcp_url)


def _launched(answer: JsonObject) -> Launched:
    try:
        return msgspec.convert(answer, Launched)
    except msgspec.ValidationError as error:
        raise Unobservable(f"the launcher's answer is not understood: {error}") from None


def _token(tokens: Mapping[str, str], name: str) -> str:
    if name not in tokens:
        raise Unobservable(f"no token for {name} was given")
    return tokens[name]


class LaunchedStage:
    """Every Field is launched with the settings its assertion needs."""

    def __init__(self, launcher: Launcher, way: Ways) -> None:
        self._launcher, self._way = launcher, way

    @property
    def way(self) -> Ways:
        return self._way

    def field(self, settings: Settings) -> Examined:
        return LaunchedField(self._launcher, settings)

    def sister(self, way: Ways) -> Stage:
        return LaunchedStage(self._launcher, way)

    def close(self) -> None:
        self._launcher.close()


class SharedField:
    """A Field as it is, which others may use: nothing can be done to it from outside."""

    shared = True

    def __init__(self, ends: Bindings, tokens: Mapping[str, str]) -> None:
        self._ends, self._tokens = ends, tokens

    def binding(self, way: Ways) -> Binding:
        return self._ends.binding(way)

    def token(self, authority: int) -> str:
        if str(authority) not in self._tokens:
            raise Unobservable(f"no token of authority {authority} was given")
        return self._tokens[str(authority)]

    def bad_token(self, how: Literal["unknown", "expired"]) -> str:
        if how == "unknown":
            return "no-such-token"
        if how not in self._tokens:
            raise Unobservable(f"no {how} token was given")
        return self._tokens[how]

    def http(self) -> Raw:
        return self._ends.raw()

    def tools(self) -> tuple[str, ...]:
        return self._ends.tools(self.token(4))

    def restart(self, how: Ending) -> None:
        raise Unobservable("the server cannot be restarted from here")

    def rebuild(self) -> None:
        raise Unobservable("the server cannot be made to rebuild its state from here")

    def heal(self) -> None:
        raise Unobservable("the server's enrichment cannot be mended from here")

    def close(self) -> None:
        """The Field was there before, and stays."""


class SharedStage:
    """One server as it is for every assertion. What needs other settings comes from a launcher, if there is one."""

    def __init__(
        self, url: str, way: Ways, tokens: Mapping[str, str], *, level: int = 3, launcher: Launcher | None = None
    ) -> None:
        self._url, self._way, self._tokens, self._level = url.rstrip("/"), way, tokens, level
        self._launcher = launcher
        self._ends = Bindings(self._url, f"{self._url}/mcp?tools=field")

    @property
    def way(self) -> Ways:
        return self._way

    def field(self, settings: Settings) -> Examined:
        if settings == Settings(level=self._level):
            return SharedField(self._ends, self._tokens)
        if self._launcher is not None:
            return LaunchedField(self._launcher, settings)
        raise Unobservable("it takes a Field with other settings, and no launcher was given")

    def sister(self, way: Ways) -> Stage:
        return SharedStage(self._url, way, self._tokens, level=self._level, launcher=self._launcher)

    def close(self) -> None:
        self._ends.close()
        if self._launcher is not None:
            self._launcher.close()
