"""The walls of the shared field: every operation, view and stream of it, and every MCP tool, prompt and resource."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from mcp import MCPError
from tests.surfaces.http.agents import events, message, record, sent, socket, socket_url, subscribe
from tests.surfaces.mcp.talking import Talk, talking_to
from tests.walls.asking import other_id, plain
from tests.walls.cells import PLACES, Property, told
from tests.walls.field_rows import ABOUT, PLAINLY, SITTING, about
from tests.walls.mcp_rows import APART, TOOLS, Row, given
from tests.walls.served import ServedWorld, said_back, served_world
from tests.walls.spellings import PLAIN, spellings
from tests.walls.world import ANA

from muniment.contracts.akashik.words import FieldOperation
from muniment.surfaces.mcp.prompts import PROMPTS
from muniment.surfaces.mcp.resources import FIXED, FORMS

CALLERS = ("bob", "nat", "eve")
POINTED_AT = "id of plain"


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedWorld]:
    with served_world(tmp_path_factory.mktemp("field")) as found:
        yield found


def _field_id(name: str) -> str:
    """An id of the same shape that nothing has."""
    return name[:-6] + other_id(f"x_{'0' * 32}")[-6:]


def test_every_operation_of_the_field_has_a_row() -> None:
    assert set(ABOUT) == set(PLAINLY) == set(FieldOperation)


@pytest.mark.parametrize("caller", CALLERS)
def test_no_operation_of_the_field_tells_what_is_hidden(
    around: ServedWorld, caller: str, record_property: Property
) -> None:
    client, leaks, cells = around.clients[caller], [], 0
    session = around.world.canaries.ids["session"]["field session"]
    asked = [message(one.value, caller, payload) for one in FieldOperation for payload in PLAINLY[one]]
    asked += [
        message(one.value, caller, payload, session=session) for one in FieldOperation for payload in PLAINLY[one]
    ]
    asked += [message("SESSION", caller, say(session)) for say in SITTING]
    answers = [(str(one["operation"]), sent(client, one)) for one in asked]
    queries: list[dict[str, str]] = [{}, {"session_id": session}, {"agent_id": caller}, {"agent_id": ANA}]
    views = [(view, query) for view in ("field/status", "agents", "conflicts", "x/work") for query in queries]
    answers += [(view, client.get(f"/v1/{view}", params=query)) for view, query in views]
    for what, answer in answers:
        cells += 1
        assert answer.status_code < 500, (what, answer.text)
        found = around.world.canaries.found_in(said_back(answer), asked=[session, ANA])
        leaks += [f"{caller} {what}: {one}" for one in found if one not in _KNOWN_IN_THE_FIELD]
    told(record_property, f"field, as it is, {caller}", cells, leaks)


_KNOWN_IN_THE_FIELD = frozenset({POINTED_AT, "actor", "agent/role", "agent/interest"})
"""Who is in a field, in which role and caring for what, is what a roster is for: told to everybody in that field."""


@pytest.mark.parametrize("caller", CALLERS)
def test_what_is_hidden_in_the_field_is_answered_like_what_is_not_there(
    around: ServedWorld, caller: str, record_property: Property
) -> None:
    client, leaks, cells = around.clients[caller], [], 0
    for operation in FieldOperation:
        for kind, say in about(operation):
            for what, name in around.world.canaries.ids[kind].items():
                cells += 1
                absent = _field_id(name)
                one, other = (sent(client, message(operation.value, caller, say(asked))) for asked in (name, absent))
                assert one.status_code < 500, (operation, one.text)
                if plain(said_back(one), name) != plain(said_back(other), absent):
                    leaks.append(f"{caller} {operation} {what}: {one.text[:200]} is not {other.text[:200]}")
                found = around.world.canaries.found_in(said_back(one), asked=[name])
                leaks += [f"{caller} {operation} {what}: {tell}" for tell in found if tell not in _KNOWN_IN_THE_FIELD]
    told(record_property, f"field, ids, {caller}", cells, leaks)


def test_no_stream_tells_of_a_session_that_the_listener_is_not_in(
    around: ServedWorld, record_property: Property
) -> None:
    """Each line is listened to until it has told everything up to what Ana did meanwhile."""
    cells = 0
    leaks: list[str] = []
    session = around.world.canaries.ids["session"]["field session"]
    for caller in ("nat", "eve"):
        client, key = around.clients[caller], around.keys[caller]
        began = subscribe(client, caller, "memory.recorded", "conflict.detected", "task.assigned")["epoch"]
        secret = around.world.canaries.word(f"stream/{caller}")
        hidden = record(around.clients[ANA], ANA, f"the pump of {secret} leaks again", session=session)
        around.world.canaries.hide("unit", f"heard by {caller}", hidden)
        last = around.served.reception.owner("rival" if caller == "eve" else "acme").ledger.head().seq
        with socket(socket_url(around.served.url, agent_id=caller, after=str(began)), key=key) as (line, _):
            cells, leaks = cells + 1, leaks + _overheard(around, line.until(last), str(line.heard))
        with events(client, f"/v1/events?agent_id={caller}&after={began}") as line:
            cells, leaks = cells + 1, leaks + _overheard(around, line.until(last), str(line.heard))
        stranger = client.get(f"/v1/events?agent_id={ANA}&after=0")
        cells, leaks = cells + 1, leaks + around.world.canaries.found_in(stranger.text, asked=[ANA])
        assert stranger.status_code in (401, 403)
    told(record_property, "streams", cells, leaks)


def _overheard(around: ServedWorld, units: list[str], text: str) -> list[str]:
    return around.world.canaries.found_in("\n".join([*units, text]))


@pytest.fixture(scope="module")
def talks(around: ServedWorld) -> Iterator[dict[str, Talk]]:
    url = f"{around.served.url}/mcp"
    with talking_to(url, around.keys["bob"]) as bob, talking_to(url, around.keys["eve"]) as eve:
        yield {"bob": bob, "eve": eve}


def test_every_tool_has_a_row(talks: dict[str, Talk]) -> None:
    assert {one.name for one in talks["bob"].tools()} == TOOLS.keys() | APART.keys()


def _said(talk: Talk, tool: str, arguments: dict[str, object]) -> str:
    answer = talk.call(tool, **arguments)
    return f"{answer.failed}\n{answer.text}\n{answer.document}"


@pytest.mark.parametrize("caller", ["bob", "eve"])
def test_no_tool_tells_what_is_hidden(
    around: ServedWorld, talks: dict[str, Talk], caller: str, record_property: Property
) -> None:
    leaks, cells, talk, canaries = [], 0, talks[caller], around.world.canaries
    for tool, row in TOOLS.items():
        cells += 1
        one = _said(talk, tool, given(around, caller, row))
        leaks += [f"{caller} {tool}: {tell}" for tell in canaries.found_in(one) if tell != POINTED_AT]
        for name, what, hidden in _named(around, row):
            cells += 1
            absent = other_id(hidden)
            one, other = (_said(talk, tool, given(around, caller, row, **{name: asked})) for asked in (hidden, absent))
            tells = [tell for tell in canaries.found_in(one, asked=[hidden]) if tell != POINTED_AT]
            tells += [] if plain(one, hidden) == plain(other, absent) else [f"{one[:200]} is not {other[:200]}"]
            leaks += [f"{caller} {tool}({name}: {what}): {tell}" for tell in tells]
    told(record_property, f"MCP tools, {caller}", cells, leaks)


def _named(around: ServedWorld, row: Row) -> Iterator[tuple[str, str, str]]:
    """What takes an id in a call, and a few ids of that kind."""
    for name, kind in row.names.items():
        for what, hidden in list(around.world.canaries.ids[kind].items())[:3]:
            yield name, what, hidden


@pytest.mark.parametrize("caller", ["bob", "eve"])
def test_no_resource_and_no_prompt_tells_what_is_hidden(
    around: ServedWorld, talks: dict[str, Talk], caller: str, record_property: Property
) -> None:
    leaks, cells, talk = [], 0, talks[caller]
    ids = around.world.canaries.ids
    for place in FIXED:
        cells += 1
        leaks += around.world.canaries.found_in(str(talk.read(place.address)))
    for place in FORMS:
        for name in list(ids[place.name].values())[:4]:
            cells += 1
            absent = other_id(name)
            one, other = (
                talk.refusal(partial(talk.read, place.address.replace("{id}", asked))) for asked in (name, absent)
            )
            leaks += [] if _words(one, name) == _words(other, absent) else [f"{place.name} {name}"]
    assert {one.name for one in PROMPTS} == {"what-do-we-know", "review-queue", "settle-conflict"}
    for text in (talk.prompt("what-do-we-know", topic="the pump"), talk.prompt("review-queue")):
        cells += 1
        leaks += [one for one in around.world.canaries.found_in(text) if one != POINTED_AT]
    for name in ids["conflict"].values():
        cells += 1
        absent = other_id(name)
        one, other = (
            talk.refusal(partial(talk.prompt, "settle-conflict", conflict_id=asked)) for asked in (name, absent)
        )
        leaks += [] if _words(one, name) == _words(other, absent) else [f"settle-conflict {name}"]
    told(record_property, f"MCP resources and prompts, {caller}", cells, leaks)


def _words(error: MCPError, name: str) -> str:
    return plain(str(error.error), name)


@pytest.mark.parametrize("caller", ["bob", "eve"])
def test_no_spelling_of_a_place_opens_it_to_a_tool(
    around: ServedWorld, talks: dict[str, Talk], caller: str, record_property: Property
) -> None:
    leaks, cells, talk = [], 0, talks[caller]
    for tool, row in TOOLS.items():
        for name, kind in row.places.items():
            for what, value in ((what, value) for what, value in spellings(PLACES[kind]) if what in PLAIN):
                cells += 1
                one = _said(talk, tool, given(around, caller, row, **{name: value}))
                found = around.world.canaries.found_in(one, asked=PLACES.values())
                leaks += [f"{caller} {tool}({name}: {what}): {tell}" for tell in found if tell != POINTED_AT]
    told(record_property, f"MCP places, {caller}", cells, leaks)


def test_whoever_may_see_it_is_told(around: ServedWorld) -> None:
    """The search finds what it is to find: Ana's own answers are full of it."""
    client = around.clients[ANA]
    session = around.world.canaries.ids["session"]["field session"]
    seen = sent(client, message("SESSION", ANA, {"action": "get", "session_id": session}))
    assert {"field session/goal", "id of field session"} <= set(around.world.canaries.found_in(said_back(seen)))
    with talking_to(f"{around.served.url}/mcp", around.keys[ANA]) as talk:
        name = around.world.canaries.ids["record"]["plain"]
        assert "plain/second" in around.world.canaries.found_in(_said(talk, "get", {"record_id": name}))
