"""What a client is offered that asks for nothing in particular: five tools that cost little and answer once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.surfaces.http.conftest import Served
from tests.surfaces.mcp.talking import Talk, started, talking, talking_to

from muniment import Memory

CORE = ["remember", "recall", "revise", "forget", "explain"]
TOKENS_MAX = 1_500
BYTES_PER_TOKEN = 4
LOADED = """
import sys
from muniment.surfaces.mcp.tool_profiles import ToolProfile, chosen
chosen(ToolProfile.CORE)
heavy = ("muniment.compat", "muniment.contracts.akashik", "numpy", "onnxruntime")
print(sorted(name for name in sys.modules if name.startswith(heavy)))
"""


@pytest.fixture
def core(vault: Path, standing: Path) -> Iterator[Talk]:
    with talking(started(vault, "--tools", "core", standing=standing)) as talk:
        yield talk


def test_five_tools_are_offered_within_their_budget(core: Talk) -> None:
    tools = core.tools()
    assert [tool.name for tool in tools] == CORE
    wire = msgspec.json.encode([tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools])
    assert len(wire) / BYTES_PER_TOKEN <= TOKENS_MAX / 2


def test_nothing_said_means_the_core_and_a_server_still_answers_who_knows_more(served: Served) -> None:
    with talking_to(f"{served.url}/mcp?tools=core") as talk:
        assert [tool.name for tool in talk.tools()] == CORE
    with served.client() as client:
        ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        head = {"Accept": "application/json, text/event-stream"}
        told = client.post("/mcp", json=ask, headers=head).json()["result"]["tools"]
        assert [tool["name"] for tool in told] == CORE
        call = {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "akashik_status", "arguments": {}},
        }
        assert client.post("/mcp", json=call, headers=head).json()["result"].get("isError") is not True


def test_only_what_is_offered_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


def test_a_day_with_the_core(core: Talk, vault: Path) -> None:
    """Two users, a correction, a question why, and one who wants to be forgotten. Each answer comes once."""
    said = core.call("remember", content="The user takes the 7:40 train", user="ana@example.com")
    assert said.document is None
    assert said.text.startswith("Committed: rec_")
    record = said.text.split()[1].partition("@")[0]
    core.call("remember", content="The user drives to work", user="bo")

    found = core.call("recall", query="how does the user get to work?", user="ana@example.com")
    assert found.document is None
    assert "7:40 train" in found.text
    assert "drives" not in found.text
    assert f"[1] {record}@1" in found.text
    receipt = found.text.rsplit("Receipt ", 1)[1].strip()

    revised = core.call("revise", record_id=record, content="The user takes the 8:10 train", user="ana@example.com")
    assert f"{record}@2" in revised.text
    assert receipt in core.call("explain", receipt_id=receipt).text

    planned = core.call("forget", user="ana@example.com").text
    with Memory.open(vault, embedder=None) as memory:
        assert len(list(memory.insight.browse(user="ana@example.com"))) == 1
        plan = memory.forget(user="ana@example.com", dry_run=True).plan.digest
    assert plan in planned
    core.call("forget", user="ana@example.com", plan=plan)
    assert "nothing to tell" in core.call("recall", query="train", user="ana@example.com").text
    assert "drives" in core.call("recall", query="how does the user get to work?", user="bo").text


def test_what_is_only_probable_goes_when_the_person_says_so(core: Talk, vault: Path) -> None:
    for text in ("Ann signed the lease", "Annabel waters the plants"):
        core.call("remember", content=text)
    first = core.call("forget", subject="Ann").text
    assert "Only probably about the subject, and kept (1)" in first
    wish = {"subject": "Ann", "include_probable": True}
    planned = core.call("forget", **wish).text
    assert "Only probably" not in planned
    done = core.call("forget", **wish, plan=planned.rsplit('plan "', 1)[1].split('"', 1)[0])
    assert not done.failed
    with Memory.open(vault, embedder=None) as memory:
        assert list(memory.insight.browse()) == []


def test_a_mistake_is_told_with_what_to_do(core: Talk) -> None:
    nothing = core.call("forget")
    assert nothing.failed
    assert "Name record_id, subject or user." in nothing.text
    unknown = core.call("recall", query="x", user_id="ana")
    assert unknown.failed
    assert "user" in unknown.text


def test_a_server_may_be_started_for_one_user(vault: Path, standing: Path) -> None:
    with talking(started(vault, "--tools", "core", "--user", "ana", standing=standing)) as talk:
        talk.call("remember", content="The user plays the cello")
        assert "cello" in talk.call("recall", query="cello").text
        assert talk.call("recall", query="cello", user="bo").failed
    with Memory.open(vault, embedder=None) as memory:
        assert [one.record.content for one in memory.insight.browse(user="ana")] == ["The user plays the cello"]


def test_a_client_says_where_words_come_from(core: Talk, vault: Path) -> None:
    told = core.call(
        "remember", content="The page says the gate is open", source="https://example.com", source_type="Web page"
    )
    record = told.text.split()[1].partition("@")[0]
    with Memory.open(vault) as memory:
        found = memory.get(record).record
    assert (found.claim.origin.source, found.claim.origin.source_type) == ("https://example.com", "web_page")
    assert found.label == "external"
