"""With a model, the first question after the first write is answered, over every transport."""

from __future__ import annotations

from pathlib import Path

from mcp import StdioServerParameters
from tests.surfaces.http.conftest import Serve
from tests.surfaces.mcp.talking import started, talking, talking_to

TOLD, ASKED = "The nightly build takes 40 minutes", "how long does the build take?"


def test_over_standard_input(vault: Path, standing: Path) -> None:
    plain = started(vault, "--tools", "core", standing=standing)
    server = StdioServerParameters(command=plain.command, args=plain.args, env={"MUNIMENT_EMBEDDER": "minilm"})
    with talking(server) as talk:
        assert not talk.call("remember", content=TOLD).failed
        assert TOLD in talk.call("recall", query=ASKED).text


def test_over_http(serve: Serve) -> None:
    with talking_to(f"{serve(embedder='minilm').url}/mcp?tools=core") as talk:
        assert not talk.call("remember", content=TOLD).failed
        assert TOLD in talk.call("recall", query=ASKED).text


def test_over_the_native_api(serve: Serve) -> None:
    with serve(embedder="minilm").client() as client:
        client.post("/api/records", json={"content": TOLD}).raise_for_status()
        found = client.post("/api/recall", json={"query": ASKED}).raise_for_status()
        assert TOLD in found.text
