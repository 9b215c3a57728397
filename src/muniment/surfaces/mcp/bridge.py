"""A client's standard input and output joined to a server's `/mcp`: for clients that can only start a command.

Each line is posted as it is, with the key, and each answer is written as a line. Nothing is kept but the version of
the protocol that was agreed on; what a message says is the server's to judge.
"""

from __future__ import annotations

import os
import ssl

import anyio
import anyio.to_thread
import httpx
import msgspec

from muniment.model.decoding import decode_json
from muniment.model.errors import Malformed
from muniment.model.value import Value
from muniment.surfaces.mcp.stdin_lines import StdinLines, end_on_signal, suppress_gone

AT_ONCE = 16
ANSWER_SECONDS = 300.0
_INTERNAL = -32603
_VERSION = "mcp-protocol-version"


class RemoteServer(Value):
    """The server at the other end: where it is, the key it asks for, and which tools are wanted."""

    url: str
    key: str | None = None
    tools: str = "all"

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise Malformed("url", "an http or https address, such as http://127.0.0.1:8765")


class _Opening(msgspec.Struct):
    protocolVersion: str  # as the protocol spells it


class _Answered(msgspec.Struct):
    result: _Opening


class _Asked(msgspec.Struct):
    id: str | int | None = None
    method: str = ""


def join(far: RemoteServer) -> None:
    """Carry messages until standard input ends, nobody reads on, or somebody asks the process to end."""
    with suppress_gone():
        anyio.run(_join, far)


async def _join(far: RemoteServer) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if far.key is not None:
        headers["Authorization"] = f"Bearer {far.key}"
    address = httpx.URL(far.url.rstrip("/") + "/mcp", params={"tools": far.tools})
    trusted = _trusted(far.url)
    async with httpx.AsyncClient(headers=headers, timeout=ANSWER_SECONDS, verify=trusted, trust_env=False) as client:
        carrier = _Carrier(client, address)
        async with anyio.create_task_group() as signals:
            signals.start_soon(end_on_signal, signals.cancel_scope)
            async with anyio.create_task_group() as group:
                async for line in StdinLines():
                    if line.strip():
                        await carrier.room.acquire()
                        group.start_soon(carrier.carry, line)
            signals.cancel_scope.cancel()


def _trusted(url: str) -> ssl.SSLContext | bool:
    """Whose certificates count: those the library brings, and those of this machine. Proxies that the environment names
    are not used: the key goes to the server and to nobody else."""
    if not url.startswith("https://"):
        return True
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context


class _Carrier:
    """Posts lines and writes answers, many at once; an answer is one line whatever else is under way."""

    def __init__(self, client: httpx.AsyncClient, address: httpx.URL) -> None:
        self.room = anyio.Semaphore(AT_ONCE)
        self._client = client
        self._address = address
        self._writing = anyio.Lock()
        self._version: str | None = None

    async def carry(self, line: str) -> None:
        try:
            await self._carry(line)
        finally:
            self.room.release()

    async def _carry(self, line: str) -> None:
        asked = _asked(line)
        headers = {_VERSION: self._version} if self._version is not None else {}
        try:
            answer = await self._client.post(self._address, content=line.encode(), headers=headers)
        except httpx.HTTPError as error:
            await self._fail(asked, f"the server cannot be reached ({type(error).__name__})")
            return
        if answer.headers.get("content-type", "").startswith("application/json") and answer.content:
            if asked.method == "initialize":
                self._version = _agreed(answer.content)
            await self._write(answer.content)
        elif answer.status_code >= 400:
            await self._fail(asked, _problem(answer))

    async def _fail(self, asked: _Asked, words: str) -> None:
        """Answer a request that got no answer. A notification gets none."""
        if asked.id is not None:
            error = {"code": _INTERNAL, "message": words}
            await self._write(msgspec.json.encode({"jsonrpc": "2.0", "id": asked.id, "error": error}))

    async def _write(self, body: bytes) -> None:
        line = body.replace(b"\n", b" ") + b"\n"
        async with self._writing:
            await anyio.to_thread.run_sync(_write_all, line)


def _write_all(line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[os.write(1, left) :]


def _asked(line: str) -> _Asked:
    try:
        return decode_json(line, _Asked)
    except msgspec.DecodeError:
        return _Asked()


def _agreed(body: bytes) -> str | None:
    try:
        return decode_json(body, _Answered).result.protocolVersion
    except msgspec.DecodeError:
        return None


class _Told(msgspec.Struct):
    detail: str = "the server refused the message"
    hint: str = ""


def _problem(answer: httpx.Response) -> str:
    """What the server says is wrong, in its own words."""
    try:
        told = decode_json(answer.content, _Told)
    except msgspec.DecodeError:
        told = _Told()
    return f"{told.detail} ({answer.status_code}). {told.hint}".strip()
