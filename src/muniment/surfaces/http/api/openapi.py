"""GET /openapi.json: the whole server as one OpenAPI 3.1 document, made from the tables it answers by."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from muniment.model.value import Value
from muniment.rest import OPERATIONS, answers
from muniment.rest.wire import describe, shape_of
from muniment.surfaces.http import doors
from muniment.surfaces.http.api.described import Json, JsonObject, described_paths, plain_schemas
from muniment.surfaces.http.api.described_others import akashik_paths, akashik_schemas, upkeep_paths
from muniment.surfaces.http.problems import ProblemDocument

VERSION = "3.1.0"
_ABOUT = """Agent memory that can prove itself.

`/api` is the native face: every operation is a method of the Python class `Memory`, with the same words. `/v1` speaks
Akashik. A refusal by policy is an answer, not an error: look at `outcome`. Errors are RFC 9457 problem documents with
a stable `code`. Any request may also be refused with 408 (too slow), 431 (too long a head) and 421 (meant for another
host). Lists come a page at a time; `next` is the cursor of the page that follows."""
_TAGS = {
    "write": "Put forward, decide, revise, take back, forget.",
    "read": "Ask, look, trace.",
    "audit": "The ledger, the receipts, what comes in and goes out.",
    "akashik": "The shared field, by the Akashik protocol.",
    "upkeep": "For whoever keeps the server running.",
}


async def document(request: Request) -> Response:
    """The document, for anybody: it describes the server and tells nothing of what it keeps."""
    return Response(spelled(anonymous=doors.reception_of(request).anonymous), media_type="application/json")


@cache
def spelled(*, anonymous: bool) -> bytes:
    return msgspec.json.encode(made(anonymous=anonymous), order="deterministic")


def made(*, anonymous: bool) -> JsonObject:
    """The document. `anonymous`: whether the server asks nobody for a credential."""
    schemas = _schemas()
    bearer: list[Json] = [{"bearer": []}]
    info: JsonObject = {
        "title": "Muniment",
        "version": version("muniment"),
        "summary": "Agent memory that can prove itself",
        "description": _ABOUT,
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    }
    return {
        "openapi": VERSION,
        "info": info,
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": words} for name, words in _TAGS.items()],
        "security": [*bearer, {}] if anonymous else bearer,
        "paths": {**described_paths(schemas), **akashik_paths(), **upkeep_paths()},
        "components": {
            "schemas": {**schemas, **akashik_schemas()},
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
    kinds: set[type[Value]] = {answers.Index}
    kinds.update(kind for one in OPERATIONS for kind in (one.answer, one.query, one.body) if kind is not None)
    twins = [shape_of(kind).twin for kind in sorted(kinds, key=lambda kind: kind.__qualname__)]
    _, found = msgspec.json.schema_components(
        [*twins, ProblemDocument], schema_hook=describe, ref_template="#/components/schemas/{name}"
    )
    return plain_schemas(found)
