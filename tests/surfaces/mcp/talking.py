"""The SDK's client as the tests use it: one call after the other, from a thread of its own. Knows no expected value."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import msgspec
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client
from tests.patience import WAIT_S

MODERN, LEGACY = "auto", "legacy"
T = TypeVar("T")
Target = Any  # whatever the SDK's client connects to


class Answer(msgspec.Struct):
    """What a tool answered."""

    text: str
    document: Any  # a JSON document; what is in it is for the test to say
    failed: bool

    @property
    def code(self) -> str:
        assert self.failed, self.text
        return str(self.document["error"]["code"])


class Talk:
    """A conversation with one server."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self.client = client

    def run(self, call: Callable[[], Awaitable[T]]) -> T:
        return self._portal.call(call)

    def call(self, name: str, /, **arguments: object) -> Answer:
        found = self.run(lambda: self.client.call_tool(name, arguments))
        assert isinstance(found, types.CallToolResult)
        (block,) = found.content
        assert isinstance(block, types.TextContent)
        return Answer(text=block.text, document=found.structured_content, failed=found.is_error)

    def tools(self) -> list[types.Tool]:
        return self.run(lambda: self.client.list_tools()).tools

    def read(self, uri: str) -> Any:
        (content,) = self.run(lambda: self.client.read_resource(uri)).contents
        assert isinstance(content, types.TextResourceContents)
        assert content.mime_type == "application/json"
        return msgspec.json.decode(content.text)

    def prompt(self, name: str, **arguments: str) -> str:
        (message,) = self.run(lambda: self.client.get_prompt(name, arguments)).messages
        assert isinstance(message.content, types.TextContent)
        return message.content.text

    def refusal(self, call: Callable[[], object]) -> MCPError:
        try:
            call()
        except MCPError as error:
            return error
        raise AssertionError("nothing was refused")


@contextmanager
def talking(target: Target, mode: str = MODERN) -> Iterator[Talk]:
    with start_blocking_portal() as portal:
        client = Client(target, mode=mode, read_timeout_seconds=WAIT_S)
        with portal.wrap_async_context_manager(client) as entered:
            yield Talk(portal, entered)


def started(vault: Path, *words: str, standing: Path | None = None) -> StdioServerParameters:
    """A server on standard input and output, in a process of its own: a new one, or by a command that stands ready. It
    offers every tool unless the words say otherwise."""
    args = ["mcp", "--vault", str(vault), *words, *([] if "--tools" in words else ["--tools", "all"])]
    environment = {"MUNIMENT_EMBEDDER": "none"}
    if standing is not None:
        return StdioServerParameters(command=str(standing), args=args, env=environment)
    return StdioServerParameters(command=sys.executable, args=["-m", "muniment", *args], env=environment)


@contextmanager
def talking_to(url: str, key: str | None = None, mode: str = MODERN) -> Iterator[Talk]:
    """A conversation over HTTP, with a key if one is asked for, about every tool unless the address says otherwise."""
    url = url if "?" in url else f"{url}?tools=all"
    headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
    with start_blocking_portal() as portal:
        sender = portal.wrap_async_context_manager(httpx2.AsyncClient(headers=headers, timeout=WAIT_S))
        with sender as http_client:
            transport = streamable_http_client(url, http_client=http_client)
            client = Client(transport, mode=mode, read_timeout_seconds=WAIT_S)
            with portal.wrap_async_context_manager(client) as entered:
                yield Talk(portal, entered)
