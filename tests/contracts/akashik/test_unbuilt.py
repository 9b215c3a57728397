"""What the protocol asks for and we do not do, or not yet: each stated as it is meant, so that it is noticed when it
comes true."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.contracts.akashik.field import BUILT, POLICY_TEXT, Field, an_object, attune, contents, finding
from tests.contracts.akashik.test_conflicts import disputed, merge
from tests.contracts.cites import diverges

from muniment import Memory
from muniment.contracts.akashik.codes import code_of
from muniment.contracts.akashik.roster import SETTLING
from muniment.contracts.akashik.words import EventName, Operation
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import StoreUnavailable
from muniment.policy.rules import ReadRule

COORDINATION = "muniment.coordination"
HTTP = "muniment.surfaces.http"
MCP = "muniment.surfaces.mcp"


def built(name: str) -> bool:
    return find_spec(name) is not None


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
def test_every_operation_leaves_an_event_in_the_log() -> None:
    field = Field()
    before = field.memory.ledger.head().seq
    field.join("scout")
    assert field.memory.ledger.head().seq > before


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


@diverges("AKAS-069")
def test_the_author_of_what_lost_hears_of_it() -> None:
    field, name, old, _ = disputed()
    answer = merge(field, name, "last_write_wins")
    assert an_object(answer["side_effects"])["superseded_units"] == [old]
    wish: JsonObject = {"action": "subscribe", "subscription": {"events": ["memory.superseded"]}}
    stream = field.ask("SUBSCRIBE", "scout", wish).get("stream_url")
    assert stream, "nothing carries a notice to its agent"


@diverges("AKAS-071")
@pytest.mark.parametrize("event", [word.value for word in EventName])
def test_each_event_is_pushed_to_who_subscribed(event: str) -> None:
    wish: JsonObject = {"action": "subscribe", "subscription": {"events": [event]}}
    assert ask("SUBSCRIBE", wish).get("stream_url"), "there is no stream to push to"


@diverges("AKAS-072")
def test_what_comes_too_often_is_not_pushed() -> None:
    wish: JsonObject = {
        "action": "subscribe",
        "subscription": {"events": ["memory.recorded"], "min_relevance": 0.5, "debounce_ms": 100},
    }
    assert ask("SUBSCRIBE", wish).get("stream_url"), "there is no stream to hold anything back from"


@diverges("AKAS-080")
def test_a_task_is_handed_over() -> None:
    assert ask("HANDOFF", {"action": "offer", "task_id": "t-1", "to_agent": "scout"}).get("status") == "offered"


@diverges("AKAS-081")
def test_without_a_token_nothing_is_served() -> None:
    assert built(HTTP), "there is no transport that could ask for a token"


@diverges("AKAS-082")
def test_a_task_goes_through_its_life() -> None:
    assert ask("COORDINATE", {"action": "create", "task": {"title": "t", "goal": "g"}}).get("status") == "ok"


@diverges("AKAS-083")
def test_an_unfinished_dependency_holds_a_task_back() -> None:
    assert built(COORDINATION), "nothing runs tasks"


@diverges("AKAS-084")
def test_cancelling_takes_the_creator_or_authority_8() -> None:
    assert ask("COORDINATE", {"action": "cancel", "task": {"id": "t-1"}}).get("code") == "TASK_NOT_FOUND"


@diverges("AKAS-085")
def test_an_agent_that_leaves_has_its_tasks_flagged() -> None:
    field = Field().join("chief", "scout")
    field.ask("COORDINATE", "chief", {"action": "create", "task": {"title": "t", "goal": "g", "assignee": "scout"}})
    answer = field.ask("DEREGISTER", "chief", {"agent_id": "scout"})
    assert an_object(answer["cleanup"])["tasks_reassigned"] == 1


@diverges("AKAS-086")
def test_a_session_is_made() -> None:
    assert ask("SESSION", {"action": "create", "goal": "find out"}).get("status") == "ok"


@diverges("AKAS-087")
def test_outside_a_session_nothing_of_it_is_seen() -> None:
    field = Field().join("scout", "analyst")
    answer = field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")
    assert contents(field.ask("ATTUNE", "analyst", attune())) == []
    target: JsonObject = {"target_type": "memory_unit", "target_id": answer["memory_unit_id"], "depth": "full_trace"}
    assert field.ask("REPLAY", "analyst", target).get("code") == "UNIT_NOT_FOUND"
    assert built(HTTP), "there are no views and no pushes to look at"


@diverges("AKAS-088")
def test_the_creator_of_a_session_says_which_types_a_role_is_shown() -> None:
    rules: JsonObject = {"visibility_rules": [{"role": "researcher", "types": ["finding"]}]}
    asked: JsonObject = {"action": "set_policy", "session_id": "s-1", "policies": rules}
    assert ask("SESSION", asked).get("status") == "ok"


@diverges("AKAS-089")
def test_some_types_are_kept_from_agents_of_little_authority() -> None:
    assert "authority_min" in ReadRule.__struct_fields__


@diverges("AKAS-097")
def test_a_purge_takes_authority_10_and_leaves_the_content_nowhere() -> None:
    field = Field().join("human", "chief")
    field.ask("RECORD", "chief", finding("The harbour is deep"))
    assert field.ask("COMPACT", "chief", {"strategy": "purge"})["code"] == "INSUFFICIENT_AUTHORITY"
    assert field.ask("COMPACT", "human", {"strategy": "purge"}).get("status") == "ok"


@diverges("AKAS-098")
def test_two_bindings_pass_the_same_suite() -> None:
    assert built(HTTP) + built(MCP) == 2


@diverges("AKAS-099")
def test_the_http_paths_are_there() -> None:
    assert built(HTTP)


@diverges("AKAS-100")
def test_the_mcp_tools_are_there() -> None:
    assert built(MCP)


@diverges("AKAS-101")
def test_an_agent_that_can_only_poll_follows_a_field_over_mcp() -> None:
    assert built(MCP)


@diverges("AKAS-102")
def test_a_store_without_room_says_so() -> None:
    assert code_of(StoreUnavailable("vault.db: the disk is full; nothing was written")) == "STORAGE_FULL"


@diverges("AKAS-107")
def test_the_views_of_a_field_ask_who_is_there() -> None:
    assert built(HTTP)


@diverges("AKAS-108")
def test_the_capabilities_of_level_3_are_what_can_be_observed() -> None:
    assert set(BUILT) == set(Operation), "a Field of level 3 knows every operation"
    assert set(SETTLING) == {0, 1, 2, 3}
