"""Fields of a server that is known by its address: through the examination extension, or just as they are."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import httpx
import msgspec

from muniment.contracts.strict.values import JsonObject
from muniment.model.decoding import decode_json
from muniment.model.errors import ConfigurationError
from muniment.model.value import Value
from muniment.testing.akashik.binding import (
    Binding,
    Ending,
    Examined,
    Raw,
    Settings,
    Stage,
    Unobservable,
    Ways,
)
from muniment.testing.akashik.http_binding import HttpBinding

PATH = "/v1/examination"
WAIT_S = 120.0
CREATED = 201
_ADDRESS = re.compile(rb"http://127\.0\.0\.1:\d+")


class Told(Value):
    """What the extension answers."""

    id: str
    url: str
    mcp_url: str
    tokens: Mapping[str, str]
    expires_at: str


class Ends:
    """The bindings to one server, made when they are asked for."""

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
                from muniment.testing.akashik.mcp_binding import McpBinding

                return McpBinding(self._urls["mcp"])
            case _:
                raise Unobservable("a server is not reached natively")

    def raw(self) -> Raw:
        found = self.binding("http")
        assert isinstance(found, HttpBinding)
        return found

    def tools(self, token: str) -> tuple[str, ...]:
        from muniment.testing.akashik.mcp_binding import McpBinding

        found = self.binding("mcp")
        assert isinstance(found, McpBinding)
        return found.tools(token)

    def close(self) -> None:
        for one in self._made.values():
            one.close()


class ExaminedField:
    """A field that the extension opened for one assertion."""

    shared = False

    def __init__(self, stage: ExaminedStage, told: Told) -> None:
        self._stage, self._told = stage, told
        self._ends = Ends(told.url, told.mcp_url)

    def binding(self, way: Ways) -> Binding:
        return self._ends.binding(way)

    def token(self, authority: int) -> str:
        return self._told.tokens[str(authority)]

    def bad_token(self, how: Literal["unknown", "expired"]) -> str:
        return self._told.tokens["expired"] if how == "expired" else "mnk_aaaaaaaaaaaa_" + "A" * 43

    def http(self) -> Raw:
        return self._ends.raw()

    def tools(self) -> tuple[str, ...]:
        return self._ends.tools(self.token(4))

    def restart(self, how: Ending) -> None:
        self._again("restart", {"how": how})

    def rebuild(self) -> None:
        self._again("rebuild", {})

    def heal(self) -> None:
        self._stage.asked("POST", f"{PATH}/{self._told.id}/enrichment", {"works": True})

    def close(self) -> None:
        self._ends.close()
        self._stage.asked("DELETE", f"{PATH}/{self._told.id}", None)

    def _again(self, what: str, body: JsonObject) -> None:
        answer = self._stage.asked("POST", f"{PATH}/{self._told.id}/{what}", body)
        self._told = _told(answer)
        self._ends.close()
        self._ends = Ends(self._told.url, self._told.mcp_url)


class ExaminedStage:
    """A server with the extension. It may own the process that it examines."""

    def __init__(self, url: str, way: Ways, *, key: str | None = None, owned: Started | None = None) -> None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._client = httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=WAIT_S, trust_env=False)
        self._url, self._way, self._key, self._owned = url, way, key, owned
        self._sisters: dict[Ways, ExaminedStage] = {}

    @property
    def way(self) -> Ways:
        return self._way

    def field(self, settings: Settings) -> Examined:
        answer = self._answered("POST", PATH, msgspec.json.encode(settings))
        if answer.status_code != CREATED:
            raise Unobservable(f"the server opens no field for examination (HTTP {answer.status_code})")
        return ExaminedField(self, _told(answer.content))

    def sister(self, way: Ways) -> Stage:
        if way == self._way:
            return self
        if way not in self._sisters:
            self._sisters[way] = ExaminedStage(self._url, way, key=self._key)
        return self._sisters[way]

    def asked(self, verb: str, path: str, body: JsonObject | None) -> bytes:
        answer = self._answered(verb, path, None if body is None else msgspec.json.encode(body))
        if answer.status_code >= 300 and not (verb == "DELETE" and answer.status_code == 404):
            raise Unobservable(f"{verb} {path.removeprefix(PATH)} of the examination: HTTP {answer.status_code}")
        return answer.content

    def _answered(self, verb: str, path: str, body: bytes | None) -> httpx.Response:
        headers = {} if body is None else {"Content-Type": "application/json"}
        try:
            return self._client.request(verb, path, content=body, headers=headers)
        except httpx.HTTPError as error:
            raise Unobservable(f"the server does not answer ({type(error).__name__})") from error

    def close(self) -> None:
        for stage in self._sisters.values():
            stage.close()
        self._client.close()
        if self._owned is not None:
            self._owned.close()


def _told(answer: bytes) -> Told:
    try:
        return decode_json(answer, Told)
    except msgspec.DecodeError as error:
        raise Unobservable("the server answers an examination in other words than the extension's") from error


class SharedField:
    """A Field as it is, which others may use: nothing can be done to it from outside."""

    shared = True

    def __init__(self, ends: Ends, tokens: Mapping[str, str]) -> None:
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
    """A server without the extension: one Field for every assertion, and the tokens that were given."""

    def __init__(self, url: str, way: Ways, tokens: Mapping[str, str], *, level: int = 3) -> None:
        self._url, self._way, self._tokens, self._level = url.rstrip("/"), way, tokens, level
        self._ends = Ends(self._url, f"{self._url}/mcp?tools=field")

    @property
    def way(self) -> Ways:
        return self._way

    def field(self, settings: Settings) -> Examined:
        if settings != Settings(level=self._level):
            raise Unobservable("the server opens no field with other settings (it has no examination extension)")
        return SharedField(self._ends, self._tokens)

    def sister(self, way: Ways) -> Stage:
        return SharedStage(self._url, way, self._tokens, level=self._level)

    def close(self) -> None:
        self._ends.close()


def stage_of(url: str, way: Ways, *, key: str | None, tokens: Mapping[str, str] | None, level: int) -> Stage:
    """The stage for a server: through the extension if it has one and no tokens were given, else as it is."""
    if tokens is not None:
        return SharedStage(url, way, tokens, level=level)
    try:
        httpx.get(url, timeout=WAIT_S, trust_env=False)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ConfigurationError("url", f"nobody answers there ({type(error).__name__})") from error
    stage = ExaminedStage(url, way, key=key)
    try:
        stage.field(Settings(level=level)).close()
    except Unobservable:
        stage.close()
        return SharedStage(url, way, {}, level=level)
    return stage


class Started:
    """A server that was started to be examined, on an empty vault."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="muniment-served-"))
        command = [sys.executable, "-m", "muniment", "--vault", str(self._folder / "vault"), "serve", "--port", "0"]
        self._child = subprocess.Popen(
            [*command, "--embedder", "none", "--log-level", "warning"], stdout=subprocess.PIPE
        )
        assert self._child.stdout is not None, "it was asked for"
        line = self._child.stdout.readline()
        found = _ADDRESS.search(line)
        if found is None:
            self.close()
            raise Unobservable("a server could not be started here")
        self.url = found[0].decode()

    def close(self) -> None:
        self._child.terminate()
        self._child.wait(timeout=30)
        assert self._child.stdout is not None, "it was asked for"
        self._child.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def started(way: Ways) -> ExaminedStage:
    """A server of our own, started here, and the stage that examines it."""
    server = Started()
    return ExaminedStage(server.url, way, owned=server)
