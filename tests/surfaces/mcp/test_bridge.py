"""`muniment mcp --url`: the same tools through a server, for clients that can only start a command."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
from mcp import StdioServerParameters
from tests.surfaces.http.conftest import Served
from tests.surfaces.mcp.talking import LEGACY, MODERN, talking
from tests.surfaces.shell import outside

from muniment.surfaces.reception.keys import KeyRequest

PROXY = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"), "http://127.0.0.1:9")
"""Somebody who must not be told the key."""


def through(url: str, key: str | None, *words: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "muniment", "mcp", "--url", url, *words, *([] if "--tools" in words else ["--tools", "all"])],
        env={**PROXY, "MUNIMENT_KEY": key} if key is not None else {},
    )


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_a_bridge_speaks_in_the_name_of_its_key(mode: str, keyed: tuple[Served, str]) -> None:
    server, _ = keyed
    token = server.key(KeyRequest(name="ada", actor="ada"))

    with talking(through(server.url, token, "--tools", "memory"), mode) as talk:
        said = talk.call("remember", content="The nightly build takes 40 minutes", confidence=0.9)
        found = talk.call("recall", query="nightly build")
        wrong = talk.call("recall", query="x", tenant="other")
        names = {tool.name for tool in talk.tools()}

    assert server.memory.get(said.document["record_id"]).record.actor == "ada"
    assert [one["id"] for one in found.document["records"]] == [said.document["record_id"]]
    assert wrong.code == "malformed"
    assert "recall" in names
    assert not names & {"forget", "akashik_record"}


def test_a_bridge_without_its_key_tells_why(keyed: tuple[Served, str]) -> None:
    server, _ = keyed
    message = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
    found = outside("mcp", "--url", server.url, cwd=Path.cwd(), stdin=msgspec.json.encode(message) + b"\n")
    answer = msgspec.json.decode(found.stdout)

    assert (found.returncode, answer["id"]) == (0, 7)
    assert "(401)" in answer["error"]["message"]


def test_a_server_that_is_not_there_is_told_for_every_request_and_no_notification(tmp_path: Path) -> None:
    lines = [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
    ]
    sent = b"".join(msgspec.json.encode(one) + b"\n" for one in lines)
    found = outside("mcp", "--url", "http://127.0.0.1:9", cwd=tmp_path, stdin=sent)
    (answer,) = [msgspec.json.decode(line) for line in found.stdout.splitlines()]

    assert (found.returncode, answer["id"]) == (0, "a")
    assert "cannot be reached" in answer["error"]["message"]
    assert not (tmp_path / "muniment-data").exists()


def test_an_address_that_is_none_is_refused(tmp_path: Path) -> None:
    found = outside("mcp", "--url", "localhost:8765", "--json", cwd=tmp_path)

    assert (found.returncode, found.stdout) == (2, b"")
    assert msgspec.json.decode(found.stderr)["error"]["field"] == "url"
