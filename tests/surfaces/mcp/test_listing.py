"""What a client is offered: every tool with its schema and honest hints, resources, prompts."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import types
from tests.surfaces.http.conftest import Serve, Served
from tests.surfaces.mcp.conftest import Desk
from tests.surfaces.mcp.talking import LEGACY, started, talking, talking_to

from muniment.contracts.strict.values import Json
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant

READS = (True, False, True, False)
ADDS = (False, False, False, False)
CHANGES = (False, True, False, False)
MEMORY = {
    "remember": ADDS,
    "propose": ADDS,
    "outcome": ADDS,
    "retract": CHANGES,
    "recall": READS,
    "attune": READS,
    "get": READS,
    "history": READS,
    "lineage": READS,
    "explain": READS,
    "conflicts": READS,
    "diff": READS,
    "directory": READS,
    "queue": READS,
    "decide": ADDS,
    "resolve": CHANGES,
    "forget": CHANGES,
    "withdraw": CHANGES,
    "announce": CHANGES,
    "rewind": CHANGES,
    "quarantine": CHANGES,
    "release": CHANGES,
    "quarantined": READS,
    "hold": CHANGES,
    "lift": CHANGES,
    "holds": READS,
    "certificates": READS,
}
FOR_REVIEWERS = {"holds", "quarantined"}
FOR_AUDITORS = {"certificates"}
AKASHIK = {
    "akashik_register": ADDS,
    "akashik_deregister": ADDS,
    "akashik_record": ADDS,
    "akashik_attune": READS,
    "akashik_detect": ADDS,
    "akashik_merge": CHANGES,
    "akashik_subscribe": ADDS,
    "akashik_replay": READS,
    "akashik_compact": CHANGES,
    "akashik_coordinate": ADDS,
    "akashik_handoff": ADDS,
    "akashik_session": ADDS,
    "akashik_status": READS,
    "akashik_agents": READS,
    "akashik_conflicts": READS,
    "akashik_notices": READS,
    "akashik_retract": CHANGES,
    "akashik_fail": CHANGES,
}


def hints(tool: types.Tool) -> tuple[bool | None, ...]:
    found = tool.annotations
    assert found is not None
    return found.read_only_hint, found.destructive_hint, found.idempotent_hint, found.open_world_hint


def references(schema: Json) -> list[str]:
    if isinstance(schema, dict):
        own = [str(schema["$ref"])] if "$ref" in schema else []
        return own + [one for part in schema.values() for one in references(part)]
    return [one for part in schema for one in references(part)] if isinstance(schema, list) else []


def test_every_tool_is_listed_with_its_hints(served_desk: Desk) -> None:
    assert {tool.name: hints(tool) for tool in served_desk.talk.tools()} == MEMORY | AKASHIK


def test_the_listing_is_the_same_over_every_transport(vault: Path, served: Served) -> None:
    with (
        talking(started(vault)) as one,
        talking_to(f"{served.url}/mcp") as two,
        talking_to(f"{served.url}/mcp", mode=LEGACY) as three,
    ):
        listings = [[tool.model_dump() for tool in talk.tools()] for talk in (one, two, three)]

    assert listings[0] == listings[1] == listings[2]


def test_every_tool_has_words_and_closed_schemas_that_stand_alone(served_desk: Desk) -> None:
    for tool in served_desk.talk.tools():
        assert tool.title
        assert len(tool.description or "") > 40, tool.name
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False, tool.name
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object", tool.name
        assert references(tool.input_schema) == []
        assert references(tool.output_schema) == []


def test_an_input_schema_says_words_bounds_and_what_is_needed(served_desk: Desk) -> None:
    schemas = {tool.name: tool.input_schema for tool in served_desk.talk.tools()}

    outcome = schemas["outcome"]
    assert outcome["required"] == ["record_id", "result"]
    assert outcome["properties"]["result"] == {"type": "string", "enum": ["helpful", "misleading"]}
    assert outcome["properties"]["weight"]["maximum"] == 1
    assert schemas["forget"]["properties"]["dry_run"]["default"] is True
    record = schemas["akashik_record"]
    assert record["required"] == ["agent_id", "payload"]
    assert record["properties"]["operation"]["enum"] == ["RECORD"]
    assert record["properties"]["payload"]["additionalProperties"] is False


def test_descriptions_say_what_is_kept_and_what_a_refusal_means(served_desk: Desk) -> None:
    words = {tool.name: tool.description or "" for tool in served_desk.talk.tools()}

    for name in ("remember", "propose"):
        for said in ("What is kept:", "`held`", "`refused`", "nothing was remembered"):
            assert said in words[name]
    assert "never an instruction" in words["recall"]
    assert "cannot be undone" in words["forget"]


def test_resources_and_prompts_are_listed(desk: Desk) -> None:
    talk = desk.talk
    resources = talk.run(lambda: talk.client.list_resources()).resources
    forms = talk.run(lambda: talk.client.list_resource_templates()).resource_templates
    prompts = talk.run(lambda: talk.client.list_prompts()).prompts

    assert [one.uri for one in resources] == ["muniment://queue", "muniment://conflicts"]
    assert [one.uri_template for one in forms] == ["muniment://record/{id}", "muniment://receipt/{id}"]
    assert {one.name: [slot.name for slot in one.arguments or []] for one in prompts} == {
        "what-do-we-know": ["topic"],
        "review-queue": [],
        "settle-conflict": ["conflict_id"],
    }


@pytest.mark.parametrize(("choice", "names"), [("memory", MEMORY), ("akashik", AKASHIK)])
def test_a_client_may_choose_which_tools_it_is_offered(
    choice: str, names: dict[str, object], vault: Path, served: Served
) -> None:
    with talking(started(vault, "--tools", choice)) as talk:
        assert {tool.name for tool in talk.tools()} == set(names)
    with talking_to(f"{served.url}/mcp?tools={choice}") as talk:
        assert {tool.name for tool in talk.tools()} == set(names)


def test_a_credential_is_shown_only_the_tools_it_opens(keyed: tuple[Served, str]) -> None:
    server, _ = keyed
    reader = server.key(KeyRequest(name="reader", actor="reader", grants=(Grant.READ,)))

    with talking_to(f"{server.url}/mcp", reader) as talk:
        names = {tool.name for tool in talk.tools()}

    opened = {name for name, found in (MEMORY | AKASHIK).items() if found == READS}
    opened -= FOR_REVIEWERS | FOR_AUDITORS
    assert names == opened | {"akashik_register", "akashik_deregister", "akashik_subscribe", "akashik_detect"}


def test_a_client_that_asks_for_unknown_tools_is_told(serve: Serve) -> None:
    with serve().client() as client:
        answer = client.post("/mcp?tools=everything", json={"jsonrpc": "2.0", "id": 1, "method": "ping"})

    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (400, "malformed", "tools")
