"""The document says what the server does: every operation, every answer, no loose end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.operations.desk import Desk, opened

from muniment import __version__
from muniment.operations import OPERATIONS, Key
from muniment.surfaces.http.api.described import Json, JsonObject
from muniment.surfaces.http.api.openapi import field_document, native_document
from muniment.surfaces.reception.keys import KeyRequest


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


def at(node: Json, *steps: str) -> Json:
    for step in steps:
        assert isinstance(node, dict), step
        node = node[step]
    return node


def section(node: Json, *steps: str) -> JsonObject:
    found = at(node, *steps)
    assert isinstance(found, dict)
    return found


def references(node: Json) -> Iterator[str]:
    if isinstance(node, list):
        for part in node:
            yield from references(part)
    elif isinstance(node, dict):
        for name, part in node.items():
            if name == "$ref":
                assert isinstance(part, str)
                yield part
            else:
                yield from references(part)


DOCUMENT: JsonObject = msgspec.json.decode(msgspec.json.encode(native_document(anonymous=False)))
FIELD: JsonObject = msgspec.json.decode(msgspec.json.encode(field_document(anonymous=False)))


def test_the_document_is_told_to_anybody(desk: Desk) -> None:
    desk.caller(KeyRequest.everything("ana"))

    answer = desk.caller().get("/openapi.json")

    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert msgspec.json.decode(answer.content) == DOCUMENT
    assert (DOCUMENT["openapi"], at(DOCUMENT, "info", "version")) == ("3.1.0", __version__)


def test_a_server_that_asks_for_no_key_says_so(desk: Desk) -> None:
    open_ = msgspec.json.decode(desk.caller().get("/openapi.json").content)

    assert open_["security"] == [{"bearer": []}, {}]
    assert DOCUMENT["security"] == [{"bearer": []}]


def test_every_operation_of_the_table_is_described() -> None:
    for one in OPERATIONS:
        found = section(DOCUMENT, "paths", one.path, one.verb.lower())
        assert found["operationId"] == one.name
        assert f"`{one.grant.value}`" in str(found["description"])
        assert {str(status) for status in one.statuses} <= section(found, "responses").keys()
        assert ("requestBody" in found) == (one.body is not None or one.name == "import")


def test_the_other_surfaces_are_described_too() -> None:
    paths, field = section(DOCUMENT, "paths").keys(), section(FIELD, "paths").keys()

    assert {"/v1/register", "/v1/session", "/v1/field/status", "/v1/agents", "/v1/conflicts"} <= field
    assert {"/healthz", "/readyz", "/metrics", "/api"} <= paths
    assert {path for path in paths if path.startswith("/v1")} == set()


def test_every_reference_leads_somewhere() -> None:
    schemas = section(DOCUMENT, "components", "schemas")

    found = set(references(DOCUMENT))

    assert len(found) > 100
    assert {one.removeprefix("#/components/schemas/") for one in found} <= schemas.keys()


def test_headers_that_matter_are_described() -> None:
    revise = section(DOCUMENT, "paths", "/api/records/{record_id}/revisions", "post")
    get = section(DOCUMENT, "paths", "/api/records/{record_id}", "get")
    parameters = revise["parameters"]
    assert isinstance(parameters, list)
    named = {str(at(one, "name")): at(one, "required") for one in parameters}

    assert named == {
        "record_id": True,
        "If-Match": False,
        "Idempotency-Key": False,
        "Muniment-User": False,
        "Muniment-Form": False,
        "fields": False,
        "verbose": False,
    }
    assert {"412", "409"} <= section(revise, "responses").keys()
    assert section(get, "responses", "304", "headers").keys() == {"ETag"}
    keyed = [one for one in OPERATIONS if one.key is not Key.NONE]
    assert all("Idempotency-Key" in str(at(DOCUMENT, "paths", one.path, one.verb.lower())) for one in keyed)


def test_every_refusal_is_a_problem_document() -> None:
    for path, methods in section(DOCUMENT, "paths").items():
        if not path.startswith("/api"):
            continue
        for verb in section(methods):
            for status, answer in section(methods, verb, "responses").items():
                if status >= "400":
                    assert section(answer, "content").keys() == {"application/problem+json"}, (path, verb, status)


def test_what_stays_inside_is_in_no_schema() -> None:
    schemas = section(DOCUMENT, "components", "schemas")

    assert "rid" not in section(schemas, "Candidate", "properties")
    assert "pepper" not in section(schemas, "Entry", "properties")
    assert "opponents" not in section(schemas, "Account", "properties")


def test_a_field_that_is_no_field_is_refused_by_every_schema_that_is_sent() -> None:
    for one in OPERATIONS:
        if one.body is not None:
            assert at(DOCUMENT, "components", "schemas", one.body.__name__, "additionalProperties") is False


def test_what_is_usual_is_what_the_schema_takes() -> None:
    """A default that the schema itself refuses would mislead whoever reads one or the other."""
    schemas = section(DOCUMENT, "components", "schemas")
    kinds: dict[str, type | tuple[type, ...]] = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
    looked = 0
    for name in schemas:
        fields = section(schemas, name, "properties") if "properties" in section(schemas, name) else {}
        for field, said in fields.items():
            if isinstance(said, dict) and "default" in said and said.get("type") in kinds:
                looked += 1
                assert isinstance(said["default"], kinds[str(said["type"])]), (name, field)
    assert looked > 20


def test_headers_that_come_with_an_answer_are_described() -> None:
    def headers(path: str, verb: str, status: str) -> set[str]:
        return {*section(DOCUMENT, "paths", path, verb, "responses", status, "headers")}

    assert headers("/api/memories", "post", "201") == {"Location"}
    assert headers("/api/memories", "post", "401") == {"WWW-Authenticate"}
    assert headers("/api/memories", "post", "415") == {"Accept-Post"}
    assert headers("/api/memories", "post", "429") == headers("/api/memories", "post", "503") == {"Retry-After"}
    assert headers("/api/aliases", "post", "200") == {"Idempotency-Replayed"}
    assert headers("/api/records/{record_id}", "get", "200") == {"ETag"}
    assert headers("/api/export", "get", "200") == {"Link"}


def test_a_message_of_the_protocol_names_the_operation_of_its_path() -> None:
    body = section(FIELD, "paths", "/v1/record", "post", "requestBody", "content", "application/json", "schema")
    parts = body["allOf"]
    assert isinstance(parts, list)

    assert section(parts[1], "properties", "operation") == {"const": "RECORD"}
