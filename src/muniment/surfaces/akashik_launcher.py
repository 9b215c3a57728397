"""Start Muniment servers for `akashik-conformance`: one JSON object per line in, one per line out.

Each server is a child process on a temporary vault. Fields with the same settings are tenants of one server; a Field
that asks to be alone has a server of its own. Everything ends when standard input closes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import IO, Annotated, Literal
from urllib.error import URLError
from urllib.request import urlopen
from uuid import uuid4
from zlib import crc32

import msgspec
from msgspec import Meta

from muniment.config import variables
from muniment.engine.memory import Memory
from muniment.engine.vault import default_policy_text
from muniment.model.decoding import decode_json
from muniment.model.errors import Malformed, MunimentError, NotFound, StoreUnavailable, TooManyRequests
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.principal import Grant
from muniment.surfaces.reception.server_context import system_now

START_S, END_S, HELLO_S = 60.0, 15.0, 5.0
SERVERS_MAX = 8
AUTHORITIES = range(11)
DIMENSIONS = 256
SYNONYMS = {
    "car": "automobile",
    "vehicle": "automobile",
    "purchase": "buy",
    "acquire": "buy",
    "broth": "soup",
    "briny": "salty",
}
KEYS_LAST_US = 3_600_000_000
UNKNOWN = "mnk_aaaaaaaaaaaa_" + "A" * 43
_ADDRESS = re.compile(rb"http://127\.0\.0\.1:\d+")
_PASSED_ON = frozenset({"MUNIMENT_MODELS", "MUNIMENT_EMBEDDER_KEY"})
"""Settings of this process that a launched server shares; all others are its own."""

Whole = Annotated[int, Meta(ge=0, le=2**53)]
Names = Annotated[tuple[str, ...], Meta(max_length=20)]


class LaunchWish(Value):
    """How a Field is to be set up. `alone` gives it a server that nobody else uses."""

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


class ModelEndpoint:
    """An embeddings endpoint on this machine that knows a few synonyms, and can be made to fail."""

    def __init__(self, *, works: bool) -> None:
        self.works = works
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _answering(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()

    @property
    def setting(self) -> str:
        """How the embedder is named in the settings of a server."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1#stand-in"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)


def _answering(endpoint: ModelEndpoint) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            vectors = [{"index": at, "embedding": word_counts(text)} for at, text in enumerate(asked["input"])]
            body = json.dumps({"data": vectors} if endpoint.works else {}).encode()
            # 422 is not tried again, so that a failure is known at once.
            self.send_response(200 if endpoint.works else 422)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Logs nothing: what is embedded is content."""

    return Answering


def word_counts(text: str) -> list[float]:
    """A text as counts of its words, a few synonyms counted as one word.

    >>> word_counts("Acquire a car") == word_counts("purchase a vehicle")
    True
    """
    found = [0.0] * DIMENSIONS
    for word in text.lower().split():
        plain = word.strip(".,;:!?()'\"")
        found[crc32(SYNONYMS.get(plain, plain).encode()) % DIMENSIONS] += 1.0
    return found


class LaunchedServer:
    """One child process with its vault."""

    def __init__(self, wish: LaunchWish) -> None:
        self.wish = wish
        self.folder = Path(tempfile.mkdtemp(prefix="muniment-launched-"))
        self._settings = self.folder / "settings.toml"
        with ExitStack() as undone:
            undone.callback(shutil.rmtree, self.folder, ignore_errors=True)
            self.model = ModelEndpoint(works=wish.enrichment != "failing") if wish.enrichment != "none" else None
            if self.model is not None:
                undone.callback(self.model.close)
            self._lay_out(self.model.setting if self.model is not None else "none")
            self.tenant("default")
            self._child, self.url = self._started()
            undone.pop_all()

    def _lay_out(self, embedder: str) -> None:
        """The vault with its policy, and the settings of its server."""
        self.vault.mkdir()
        (self.vault / "policy.yaml").write_text(_policy(self.wish), encoding="utf-8")
        self._settings.write_text(_toml(_told(self.wish, self.vault, embedder)), encoding="utf-8")

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    def tenant(self, name: str | None = None) -> str:
        """A tenant that was not there before."""
        made = name or f"field-{uuid4().hex}"
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
                [sys.executable, "-m", __spec__.name, str(self._settings)],
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
            raise StoreUnavailable("the server did not start")
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


def _told(wish: LaunchWish, vault: Path, embedder: str) -> Mapping[str, object]:
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


def _policy(wish: LaunchWish) -> str:
    text = default_policy_text()
    return text if wish.vote_quorum is None else text.replace("quorum: 3", f"quorum: {wish.vote_quorum}")


def _environment() -> dict[str, str]:
    return {
        name: value for name, value in variables().items() if not name.startswith("MUNIMENT_") or name in _PASSED_ON
    }


class Servers:
    """The servers that run. Fields with the same settings share one, unless they asked to be alone."""

    def __init__(self) -> None:
        self._users: dict[LaunchedServer, int] = {}

    def take(self, wish: LaunchWish) -> LaunchedServer:
        found = next((one for one in self._users if one.wish == wish and not (wish.private and self._users[one])), None)
        if found is None:
            self._make_room()
            found = LaunchedServer(wish)
            self._users[found] = 0
        if found.model is not None:
            found.model.works = wish.enrichment != "failing"
        self._users[found] += 1
        return found

    def give_back(self, server: LaunchedServer) -> None:
        """One user less. A server that nobody uses ends when its room is needed."""
        self._users[server] -= 1

    def close(self) -> None:
        for server in self._users:
            server.close()
        self._users.clear()

    def _make_room(self) -> None:
        if len(self._users) < SERVERS_MAX:
            return
        idle = next((one for one, users in self._users.items() if not users), None)
        if idle is None:
            raise TooManyRequests("launched servers", retry_after=1)
        del self._users[idle]
        idle.close()


class LaunchedField:
    """A tenant of a launched server, with a key for every authority, one that has expired and one nobody knows."""

    def __init__(self, server: LaunchedServer) -> None:
        self.id, self.server, self.tenant = uuid4().hex, server, server.tenant()
        now = system_now()
        wishes = [self._wish(str(number), number, Instant(now + KEYS_LAST_US)) for number in AUTHORITIES]
        wishes.append(self._wish("expired", 10, Instant(now - 1)))
        made = keys.create_many(server.vault, wishes, now=now)
        self._tokens = {wish.name: token for wish, (_, token) in zip(wishes, made, strict=True)}

    def _wish(self, name: str, authority: int, until: Instant) -> keys.KeyRequest:
        return keys.KeyRequest(
            name=name,
            tenant=self.tenant,
            actor=f"bearer-{name}",
            authority=authority,
            grants=tuple(Grant),
            agents=("*",),
            expires_at=until,
        )

    @property
    def told(self) -> dict[str, object]:
        url = self.server.url
        tokens = {**self._tokens, "unknown": UNKNOWN}
        return {"id": self.id, "url": url, "mcp_url": f"{url}/mcp?tools=field", "tokens": tokens}


class LaunchRequest(msgspec.Struct):
    """One line of input."""

    do: Literal["hello", "open", "restart", "rebuild", "heal", "close"]
    id: str = ""
    url: str = ""
    how: Literal["kill", "stop"] = "stop"
    settings: LaunchWish = LaunchWish()


class LauncherDesk:
    """Does what is asked, one line at a time."""

    def __init__(self) -> None:
        self._servers = Servers()
        self._fields: dict[str, LaunchedField] = {}

    def answer(self, line: bytes) -> dict[str, object]:
        try:
            return self._answer(decode_json(line, LaunchRequest))
        except (msgspec.DecodeError, MunimentError) as error:
            return {"error": str(error)}

    def _answer(self, asked: LaunchRequest) -> dict[str, object]:
        if asked.do == "hello":
            return {"name": "muniment", "version": version("muniment"), "same": same_server(asked.url)}
        if asked.do == "open":
            return self._open(asked.settings)
        field = self._fields.get(asked.id)
        if field is None:
            raise NotFound("field", asked.id)
        match asked.do:
            case "restart":
                _alone(field).restart(asked.how)
            case "rebuild":
                _alone(field).rebuild(field.tenant)
            case "heal":
                if field.server.model is not None:
                    field.server.model.works = True
            case "close":
                del self._fields[asked.id]
                self._servers.give_back(field.server)
        return field.told

    def _open(self, wish: LaunchWish) -> dict[str, object]:
        server = self._servers.take(wish)
        try:
            field = LaunchedField(server)
        except BaseException:
            self._servers.give_back(server)
            raise
        self._fields[field.id] = field
        return field.told

    def close(self) -> None:
        self._servers.close()


def _alone(field: LaunchedField) -> LaunchedServer:
    if not field.server.wish.alone:
        raise Malformed("alone", "true, when the field was opened: only then has it a server of its own")
    return field.server


def same_server(url: str) -> bool:
    """Whether a Muniment server of this version answers there."""
    try:
        with urlopen(f"{url}/openapi.json", timeout=HELLO_S) as answer:
            info = json.load(answer)["info"]
    except (OSError, URLError, ValueError, LookupError, TypeError):
        return False
    return (info.get("title"), info.get("version")) == ("Muniment", version("muniment"))


def launch() -> int:
    """Answer line by line until standard input closes."""
    desk = LauncherDesk()
    try:
        for line in sys.stdin.buffer:
            sys.stdout.buffer.write(json.dumps(desk.answer(line)).encode() + b"\n")
            sys.stdout.buffer.flush()
    finally:
        desk.close()
    return 0


def serve(settings: str) -> int:
    """Be one of the servers: the command `serve`, until whoever started it is gone."""
    from muniment.surfaces.cli import run

    threading.Thread(target=_end_with_input, daemon=True).start()
    return run(["serve", "--config", settings])


def _end_with_input() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        continue
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(serve(sys.argv[1]) if sys.argv[1:] else launch())
