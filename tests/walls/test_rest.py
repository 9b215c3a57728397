"""The walls of the native surface: every operation of the table, asked over HTTP with a key of each outsider."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import httpx
import msgspec
import pytest
from tests.walls.asking import nowhere, other_id, plain, row
from tests.walls.cells import PLACES, Property, told, wrapped
from tests.walls.rows import NAMES, ROWS, Given, Nowhere, Own, Said
from tests.walls.rows import PLACES as PLACED
from tests.walls.served import ServedWorld, said_back, served_world
from tests.walls.spellings import PLAIN, spellings

from muniment.model.value import Value
from muniment.operations import OPERATIONS, OperationSpec
from muniment.operations.operation import Verb

CALLERS = ("bob", "nat", "guest", "eve")
FEW = 3
OTHERS: dict[str, Given] = {
    "caller": {},
    "changes": {},
    "denied": {},
    "forget_record": {"record_id": Nowhere("record"), "dry_run": True, "reason": "because"},
    "import": {"contract": "omir", "preview": True},
    "export": {"contract": "omir"},
    "propose_many": {"claims": Said()},
    "form": {"record_id": Own(), "contract": "omir"},
}
"""Operations that are no method of the memory."""
POINTED_AT = "id of plain"


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedWorld]:
    with served_world(tmp_path_factory.mktemp("served")) as found:
        yield found


def test_every_operation_has_a_row() -> None:
    assert sorted({one.name for one in OPERATIONS} - ROWS.keys() - OTHERS.keys()) == []


def _row(operation: OperationSpec, **more: object) -> Given:
    return {**OTHERS[operation.name], **more} if operation.name in OTHERS else row(operation.name, **more)


def _fields(kind: type[Value] | None) -> tuple[str, ...]:
    return kind.__struct_fields__ if kind is not None else ()


def _takes(operation: OperationSpec) -> tuple[str, ...]:
    """Everything that can be said in a request, by name."""
    return (*operation.places, *_fields(operation.query), *_fields(operation.body))


def _json(around: ServedWorld, caller: str, name: str, one: object) -> object:
    """A keyword of a row as a request spells it."""
    match one:
        case Own():
            return around.world.open.get(caller) or nowhere(around.world, "record")
        case Nowhere():
            return nowhere(around.world, one.kind)
        case Said():
            claim = {"content": one.content, "place": {"scope": "project", "scope_id": "shared", **dict(one.place)}}
            return {"claim": claim, "proposals": [{"claim": claim}]}.get(name, [claim])
        case _:
            return one


def _asked(around: ServedWorld, caller: str, operation: OperationSpec, given: Given, path: str = "") -> str:
    """Send a request, and keep all that came back."""
    said = {"claims": "proposals"} if operation.name == "propose_many" else {}
    spelled = {said.get(name, name): one for name, one in given.items()}
    values = {name: _json(around, caller, name, one) for name, one in spelled.items()}
    places = {name: quote(str(values[name]), safe="") for name in operation.places}
    address = (path or operation.path).format(**places)
    query: list[tuple[str, str | int | float | bool | None]] = [
        (name, one if isinstance(one, str) else msgspec.json.encode(one).decode())
        for name in _fields(operation.query)
        for one in _several(values.get(name))
        if one is not None
    ]
    body = {name: values[name] for name in _fields(operation.body) if name in values}
    content = msgspec.json.encode(body) if operation.verb is Verb.POST and operation.body is not None else None
    heads = {"Content-Type": "application/json"} if content is not None else {}
    client = around.clients[caller]
    try:
        if operation.name == "changes":
            return _first_event(client, address)
        answer = client.request(operation.verb.value, address, params=query, content=content, headers=heads)
    except (httpx.InvalidURL, UnicodeEncodeError):
        return ""  # what no client can send
    assert answer.status_code < 500, (operation.name, given, answer.text)
    return said_back(answer)


def _first_event(client: httpx.Client, address: str) -> str:
    """What a line that does not end says at first."""
    with client.stream("GET", address) as answer:
        found = []
        for text in answer.iter_lines():
            found.append(text)
            if text.startswith("data:"):
                break
        return "\n".join([str(answer.status_code), *found])


def _several(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _id_cells(around: ServedWorld) -> Iterator[tuple[OperationSpec, str, str, str]]:
    for operation in OPERATIONS:
        for parameter in _takes(operation):
            chosen = parameter == "proposal_id" and parameter not in operation.places
            if parameter in NAMES and not chosen:
                for about, name in list(around.world.canaries.ids[NAMES[parameter]].items())[:FEW]:
                    yield operation, parameter, about, name


@pytest.mark.parametrize("caller", CALLERS)
def test_no_operation_tells_what_is_hidden(around: ServedWorld, caller: str, record_property: Property) -> None:
    leaks, cells = [], 0
    for operation in OPERATIONS:
        for path in (operation.path, *operation.aliases):
            cells += 1
            found = around.world.canaries.found_in(_asked(around, caller, operation, _row(operation), path))
            leaks += [f"{caller} {operation.name}: {one}" for one in found if one != POINTED_AT]
    told(record_property, f"REST, as it is, {caller}", cells, leaks)


@pytest.mark.parametrize("caller", CALLERS)
def test_what_is_hidden_is_answered_like_what_is_not_there(
    around: ServedWorld, caller: str, record_property: Property
) -> None:
    """To the byte: status, code, heads and body."""
    leaks, cells = [], 0
    for operation, parameter, about, name in _id_cells(around):
        cells += 1
        absent = other_id(name)
        one, other = (
            _asked(around, caller, operation, _row(operation, **{parameter: wrapped(parameter, asked)}))
            for asked in (name, absent)
        )
        if _still(one, name) != _still(other, absent):
            leaks.append(f"{caller} {operation.name}({parameter}: {about}): {one[:300]} is not {other[:300]}")
        found = around.world.canaries.found_in(one, asked=[name])
        leaks += [f"{caller} {operation.name}({parameter}: {about}): {one}" for one in found if one != POINTED_AT]
    told(record_property, f"REST, ids, {caller}", cells, leaks)


def _still(text: str, name: str) -> str:
    head, _, body = text.partition("\n\n")
    return plain(head, name) + "\n" + plain(body, name)


@pytest.mark.parametrize("caller", ["bob", "eve"])
def test_no_spelling_of_a_place_opens_it(around: ServedWorld, caller: str, record_property: Property) -> None:
    leaks, cells = [], 0
    for operation in OPERATIONS:
        for parameter in _takes(operation):
            if parameter not in PLACED:
                continue
            for about, value in spellings(PLACES[PLACED[parameter]]):
                if about not in PLAIN:
                    continue
                cells += 1
                one = (
                    [value]
                    if parameter in ("scope_ids", "authors", "places", "scopes", "access", "interests")
                    else value
                )
                put = Said(place=(("scope_id", value),)) if parameter in ("claim", "claims") else one
                answer = _asked(around, caller, operation, _row(operation, **{parameter: put}))
                found = around.world.canaries.found_in(answer, asked=PLACES.values())
                leaks += [
                    f"{caller} {operation.name}({parameter}: {about}): {one}" for one in found if one != POINTED_AT
                ]
    told(record_property, f"REST, places, {caller}", cells, leaks)


def test_figures_that_a_key_may_read_are_of_its_own_tenant(around: ServedWorld) -> None:
    for caller in CALLERS:
        page = around.clients[caller].get("/metrics", headers={"X-Forwarded-For": "192.0.2.1"}).text
        assert around.world.canaries.found_in(page) == []
        assert ('tenant="acme"' in page) is (caller != "eve")
