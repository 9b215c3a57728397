"""The configurations that the guide prints, used exactly as they are printed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import httpx
import msgspec
from mcp import StdioServerParameters
from tests.docs.pages import ROOT, samples
from tests.surfaces.http.conftest import Served
from tests.surfaces.mcp.talking import talking, talking_to

from muniment import Memory

GUIDE = ROOT / "docs" / "guides" / "mcp.md"


def printed(number: int) -> Any:
    blocks = [one.body for one in samples(GUIDE) if one.language == "json"]
    return msgspec.json.decode(blocks[number])["mcpServers"]["muniment"]


def test_the_configuration_of_a_client_that_starts_it_works_as_printed(tmp_path: Path) -> None:
    found = printed(0)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    assert set(found) == {"command", "args"}
    server = StdioServerParameters(
        command=found["command"],
        args=found["args"],
        cwd=tmp_path,
        env={"PATH": path, "HOME": str(tmp_path), "MUNIMENT_EMBEDDER": "none"},
    )

    with talking(server) as talk:
        said = talk.call("remember", content="The nightly build takes 40 minutes")
        assert not [tool.name for tool in talk.tools() if tool.name.startswith("akashik")]

    with Memory.open(tmp_path / "muniment-data", create=False) as memory:
        assert memory.get(said.text.split()[1].partition("@")[0]).record.content == "The nightly build takes 40 minutes"


def test_the_configuration_of_a_shared_server_works_as_printed(keyed: tuple[Served, str]) -> None:
    server, key = keyed
    found = printed(1)
    address = httpx.URL(found["url"])
    assert (address.host, address.port) == ("127.0.0.1", 8765)
    assert found["headers"] == {"Authorization": "Bearer ${MUNIMENT_KEY}"}

    with talking_to(str(address.copy_with(port=server.address[1])), key) as talk:
        assert not talk.call("recall", query="anything").failed


def test_every_tool_is_in_the_guide(served: Served) -> None:
    words = GUIDE.read_text()
    with talking_to(f"{served.url}/mcp?tools=all") as talk:
        assert [tool.name for tool in talk.tools() if f"`{tool.name}`" not in words] == []
