"""The MCP binding: tools called through the SDK's own client, notices polled."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import TypeVar

import anyio
import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, MCPError, types
from mcp.client.streamable_http import streamable_http_client

from akashik_conformance.binding import TRANSPORT_ERROR, WAIT_S, Answer, Json, JsonObject, Shut, Stream, View, Ways
from akashik_conformance.polled import Polled
from akashik_conformance.say import parts, whole

T = TypeVar("T")
FAILURES = (MCPError, httpx2.HTTPError, OSError, RuntimeError, TimeoutError, anyio.ClosedResourceError, ExceptionGroup)
"""What a conversation ends with when the other side refuses it or is gone."""


class McpBinding:
    """One server's tools. Each token has a conversation of its own."""

    way: Ways = "mcp"

    def __init__(self, url: str) -> None:
        self._url = url
        self._stack = ExitStack()
        self._portal: BlockingPortal = self._stack.enter_context(start_blocking_portal())
        self._clients: dict[str | None, Client] = {}
        self._turn = threading.Lock()

    def send(self, message: Json, token: str | None) -> Answer:
        if not isinstance(message, dict):
            return _failed("a tool takes an object")
        return self._called(f"akashik_{str(message.get('operation', 'record')).lower()}", message, token)

    def view(self, name: View, token: str | None, *, agent: str | None, session: str | None = None) -> Answer:
        asked: JsonObject = {"agent_id": agent, "session_id": session}
        return self._called(f"akashik_{name}", {key: value for key, value in asked.items() if value is not None}, token)

    def retract(self, agent: str, unit: str, reason: str, token: str | None) -> Answer | None:
        if "akashik_retract" not in self.tools(token):
            return None
        return self._called("akashik_retract", {"agent_id": agent, "memory_unit_id": unit, "reason": reason}, token)

    def follow(self, agent: str, token: str | None, *, after: int) -> Stream:
        def fetch(since: int) -> tuple[list[JsonObject], int]:
            answer = self._called("akashik_notices", {"agent_id": agent, "after_epoch": since}, token).document
            if "code" in answer:
                raise Shut(str(answer["code"]))
            return parts(answer, "notices"), whole(answer, "epoch")

        fetch(after)
        return Polled(fetch, after=after)

    def tools(self, token: str | None) -> tuple[str, ...]:
        """The names of the tools that are there."""
        try:
            client = self._client(token)
            return tuple(tool.name for tool in self._run(lambda: client.list_tools()).tools)
        except FAILURES as error:
            raise AssertionError(f"the tools cannot be listed: {type(error).__name__}") from error

    def close(self) -> None:
        try:
            self._stack.close()
        except FAILURES as error:
            raise_unless_gone(error)

    def _called(self, name: str, arguments: JsonObject, token: str | None) -> Answer:
        try:
            client = self._client(token)
            found = self._run(lambda: client.call_tool(name, arguments))
        except FAILURES as error:
            return _failed(f"{type(error).__name__}: {error}")
        if isinstance(found, types.CallToolResult) and isinstance(found.structured_content, dict):
            return Answer(document=found.structured_content)
        return _failed("the tool answered without a document")

    def _client(self, token: str | None) -> Client:
        with self._turn:
            if token not in self._clients:
                self._clients[token] = self._connected(token)
            return self._clients[token]

    def _connected(self, token: str | None) -> Client:
        headers = {} if not token else {"Authorization": f"Bearer {token}"}
        wrap = self._portal.wrap_async_context_manager
        sender = httpx2.AsyncClient(headers=headers, timeout=WAIT_S * 2, trust_env=False)
        http_client = self._stack.enter_context(wrap(sender))
        client = Client(streamable_http_client(self._url, http_client=http_client), read_timeout_seconds=WAIT_S * 2)
        return self._stack.enter_context(wrap(client))

    def _run(self, call: Callable[[], Awaitable[T]]) -> T:
        return self._portal.call(call)


def _failed(words: str) -> Answer:
    return Answer(document={"code": TRANSPORT_ERROR, "message": words})


def raise_unless_gone(error: Exception) -> None:
    """A conversation whose server is gone ends badly, and that is all there is to it; anything else is raised."""
    if isinstance(error, RuntimeError):
        raise error
