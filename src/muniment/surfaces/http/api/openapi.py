"""GET /openapi.json and /openapi-v1.json: the server as OpenAPI 3.1 describes it, made from the tables it answers by.

The shared field has a document of its own: its answers follow the Akashik protocol, which refuses in its own codes what
has the right shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from muniment.model.query import Disclosure
from muniment.model.value import Value
from muniment.operations import OPERATIONS, answers
from muniment.operations.wire import describe, flat_type, shape_of
from muniment.surfaces.http import doors
from muniment.surfaces.http.api.described import Json, JsonObject, described_paths, plain_schemas
from muniment.surfaces.http.api.described_others import akashik_paths, akashik_schemas, upkeep_paths
from muniment.surfaces.http.problems import ProblemDocument

VERSION = "3.1.0"
DOCUMENT, FIELD_DOCUMENT = "/openapi.json", "/openapi-v1.json"
_ABOUT_FIELD = """The Akashik protocol at `/v1`: one path for each operation, with its envelope, and three views. Errors
are the protocol's own objects, with a `code`."""
_ABOUT = """Agent memory that can prove itself.

`/api` is the native face: every operation is a method of the Python class `Memory`, with the same words. `/v1` speaks
Akashik and is described at `/openapi-v1.json`. A refusal by policy is an answer, no error: look at `outcome`. Errors
are RFC 9457 problem documents with a stable `code`. Any request may also be refused with 408 (too slow), 431 (too long
a head) and 421 (meant for another host). Lists come a page at a time; `next` is the cursor of the page that follows."""
_TAGS = {
    "write": "Put forward, decide, revise, take back.",
    "read": "Ask, look, trace.",
    "guard": "Erase, hold, withdraw, keep apart.",
    "audit": "The ledger, the receipts, what comes in and goes out.",
    "upkeep": "For whoever keeps the server running.",
}


async def document(request: Request) -> Response:
    """The document, for anybody: it describes the server and tells nothing of what it keeps."""
    field = request.url.path == FIELD_DOCUMENT
    reception = doors.reception_of(request)
    anonymous = await reception.run(lambda: reception.anonymous)
    found = spelled(anonymous=anonymous, field=field)
    return Response(found, media_type="application/json")


@cache
def spelled(*, anonymous: bool, field: bool) -> bytes:
    made = field_document(anonymous=anonymous) if field else native_document(anonymous=anonymous)
    return msgspec.json.encode(made, order="deterministic")


def native_document(*, anonymous: bool) -> JsonObject:
    """The native face and the pages of upkeep. `anonymous`: whether the server asks nobody for a credential."""
    schemas = _schemas()
    paths = {**described_paths(schemas), **upkeep_paths()}
    return _document(anonymous, "Muniment", _ABOUT, _TAGS, paths, schemas)


def field_document(*, anonymous: bool) -> JsonObject:
    """The shared field, by the Akashik protocol."""
    tags = {"akashik": "The shared field, by the Akashik protocol."}
    return _document(anonymous, "Muniment: the shared field", _ABOUT_FIELD, tags, akashik_paths(), akashik_schemas())


def _document(
    anonymous: bool, title: str, about: str, tags: Mapping[str, str], paths: JsonObject, schemas: JsonObject
) -> JsonObject:
    bearer: list[Json] = [{"bearer": []}]
    info: JsonObject = {
        "title": title,
        "version": version("muniment"),
        "summary": "Agent memory that can prove itself",
        "description": about,
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    }
    return {
        "openapi": VERSION,
        "info": info,
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": words} for name, words in tags.items()],
        "security": [*bearer, {}] if anonymous else bearer,
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key (`muniment keys create`) or a token of the configured issuer.",
                }
            },
        },
    }


def _schemas() -> dict[str, Json]:
    told: set[type[Value]] = {answers.Index, answers.CheckedCount, *(one.answer for one in OPERATIONS)}
    asked: set[type[Value]] = {kind for one in OPERATIONS for kind in (one.query, one.body) if kind is not None} - told
    twins = [
        flat_type(kind) if kind in told else shape_of(kind).twin
        for kind in sorted(told | asked, key=lambda kind: kind.__qualname__)
    ]
    _, found = msgspec.json.schema_components(
        [*twins, ProblemDocument], schema_hook=describe, ref_template="#/components/schemas/{name}"
    )
    named: dict[str, object] = {**found}
    for kind in told:
        if kind.__name__ not in named:
            named[kind.__name__] = _own_form(kind)
    return plain_schemas(named)


def _own_form(kind: type[Value]) -> dict[str, object]:
    """The schema of an answer that is no struct in its flat form."""
    return {"$ref": "#/components/schemas/RecordForm"} if kind is Disclosure else {"type": "object"}
