"""What the protocol asks for and we do not do, or not yet: each stated as it is meant, so that it is noticed when it
comes true."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.contracts.akashik.field import POLICY_TEXT, Field, attune, contents, finding
from tests.contracts.akashik.test_levels import PAYLOADS
from tests.contracts.cites import cites, diverges

from muniment import Memory
from muniment.backends.sqlite.store import SqliteTenant
from muniment.contracts.akashik.codes import code_of
from muniment.contracts.akashik.words import MergeStrategy, Operation
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import StoreFull

HTTP = "muniment.surfaces.http"
MCP = "muniment.surfaces.mcp"
POSTED = ("register", "deregister", "record", "attune", "detect", "merge", "replay", "compact", "subscribe")
VIEWS = ("/v1/field/status", "/v1/agents", "/v1/conflicts")
TOOLS = ("register", "record", "attune", "detect", "merge", "replay", "compact")


def source(name: str) -> str:
    """The whole source of a surface, be it one module or a package; nothing if it is not there."""
    found = find_spec(name)
    if found is None or found.origin is None:
        return ""
    origin = Path(found.origin)
    files = sorted(origin.parent.rglob("*.py")) if origin.name == "__init__.py" else [origin]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def ask(operation: str, payload: JsonObject) -> JsonObject:
    return Field().join("chief").ask(operation, "chief", payload)


@diverges("AKAS-033")
def test_agents_are_there_again_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY_TEXT)
    with Memory.open(tmp_path / "vault", policy=file) as memory:
        Field(memory).join("scout")
    with Memory.open(tmp_path / "vault", policy=file) as memory:
        assert [one.id for one in Field(memory).roster.members] == ["scout"]


@diverges("AKAS-035")
@pytest.mark.parametrize("operation", ["REGISTER", "SUBSCRIBE", "COORDINATE", "SESSION"])
def test_every_operation_leaves_an_event_in_the_log(operation: str) -> None:
    field = Field().join("chief")
    before = field.epoch
    assert field.ask(operation, "chief", PAYLOADS[Operation(operation)])["status"] in ("registered", "ok")
    assert field.epoch > before


@diverges("AKAS-038")
def test_a_message_of_a_later_epoch_moves_the_clock_past_it() -> None:
    field = Field().join("scout")
    answer = field.send(field.message("RECORD", "scout", finding("The harbour is deep"), epoch=1_000))
    assert int(str(answer["epoch"])) > 1_000


def test_a_message_of_an_earlier_epoch_never_moves_the_clock_back() -> None:
    field = Field().join("scout")
    first = field.ask("RECORD", "scout", finding("The harbour is deep"))
    second = field.send(field.message("RECORD", "scout", finding("The orchard is large"), epoch=0))
    assert int(str(second["epoch"])) > int(str(first["epoch"]))


@diverges("AKAS-064")
def test_detection_that_takes_too_long_is_deferred() -> None:
    field = Field().join("scout", "analyst")
    field.ask("RECORD", "scout", finding("The market grows at 23 percent a year"))
    answer = field.ask("RECORD", "analyst", finding("The market grows at 14 percent a year"))
    assert answer.get("conflict_detection") == "deferred"


@diverges("AKAS-081")
def test_without_a_token_nothing_is_served() -> None:
    assert "UNAUTHENTICATED" in source(HTTP), "there is no transport that could ask for a token"


@diverges("AKAS-087")
def test_no_view_shows_what_belongs_to_a_session_of_others() -> None:
    field = Field().join("scout", "analyst", "chief").meet("s-1", "chief", "scout")
    field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")
    assert contents(field.ask("ATTUNE", "analyst", attune())) == []
    assert [view for view in VIEWS if view not in source(HTTP)] == [], "there are no views to look at"


@diverges("AKAS-097")
def test_a_purge_takes_authority_10_and_leaves_the_content_nowhere() -> None:
    field = Field().join("human", "chief")
    field.ask("RECORD", "chief", finding("The harbour is deep"))
    assert field.ask("COMPACT", "human", {"strategy": "purge"}).get("status") == "ok"


def test_a_purge_is_refused_by_authority_first() -> None:
    field = Field().join("human", "chief")
    assert field.ask("COMPACT", "chief", {"strategy": "purge"})["code"] == "INSUFFICIENT_AUTHORITY"
    assert field.ask("COMPACT", "human", {"strategy": "purge"})["code"] == "UNSUPPORTED_STRATEGY"


@diverges("AKAS-098")
def test_two_bindings_pass_the_same_suite() -> None:
    served = [name for name in (HTTP, MCP) if "akashik" in source(name)]
    assert served == [HTTP, MCP]


@diverges("AKAS-099")
def test_the_http_paths_are_there() -> None:
    wanted = [*(f"/v1/{word}" for word in POSTED), *VIEWS]
    assert [path for path in wanted if path not in source(HTTP)] == []


@diverges("AKAS-100")
def test_the_mcp_tools_are_there() -> None:
    assert [word for word in TOOLS if f"akashik_{word}" not in source(MCP)] == []


@diverges("AKAS-101")
def test_an_agent_that_can_only_poll_follows_a_field_over_mcp() -> None:
    text = source(MCP)
    assert [word for word in ("akashik_attune", "since_epoch") if word not in text] == []


@cites("AKAS-102")
def test_a_store_without_room_says_so_and_still_answers_reads(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "vault") as memory:
        kept = memory.remember("Herons nest in March").record_id
        assert kept is not None
        store = memory._tenant.store
        assert isinstance(store, SqliteTenant)
        store._connection.pragma("max_page_count", 1)  # what is there stays, and not a page more
        with pytest.raises(StoreFull) as full:
            memory.remember("Herons wade. " * 50_000)
        assert code_of(full.value) == "STORAGE_FULL"
        assert memory.get(kept).record.content == "Herons nest in March"
        store._connection.pragma("max_page_count", 2**30)
        assert [one.record.content for one in memory.recall("herons").records] == ["Herons nest in March"]
        assert memory.ledger.verify().ok


@diverges("AKAS-107")
def test_the_views_of_a_field_ask_who_is_there() -> None:
    text = source(HTTP)
    assert [view for view in VIEWS if view not in text] == []
    assert "UNAUTHENTICATED" in text


@pytest.mark.parametrize("level", range(4))
def test_the_operations_and_strategies_that_are_told_are_those_that_are_there(level: int) -> None:
    field = Field(level=level).join("human")
    told = field.roster.capabilities
    observed = [
        operation.value
        for operation in Operation
        if field.ask(operation.value, "human", PAYLOADS[operation]).get("code") != "UNSUPPORTED_OPERATION"
    ]
    assert told["supported_operations"] == observed
    resolution: JsonObject = {"rationale": "r", "winner_id": "m"}
    refusals = ("UNSUPPORTED_OPERATION", "UNSUPPORTED_STRATEGY")
    settled = [
        word.value
        for word in MergeStrategy
        if field.ask("MERGE", "human", {"conflict_id": "c", "strategy": word.value, "resolution": resolution})["code"]
        not in refusals
    ]
    assert told["conflict_strategies"] == settled


@diverges("AKAS-108")
def test_the_level_that_is_told_is_the_level_that_can_be_observed() -> None:
    field = Field().join("human")
    assert field.roster.capabilities["conformance_level"] == 3
    compacted = {word: field.ask("COMPACT", "human", {"strategy": word}) for word in ("archive", "summarize", "purge")}
    assert [word for word, answer in compacted.items() if answer.get("status") != "ok"] == []


@cites("AKAS-050")
def test_a_strategy_above_the_level_is_refused() -> None:
    field = Field(level=2).join("human")
    merge: JsonObject = {"conflict_id": "c", "strategy": "vote", "resolution": {"rationale": "r", "winner_id": "m"}}
    assert field.ask("MERGE", "human", merge)["code"] == "UNSUPPORTED_STRATEGY"
