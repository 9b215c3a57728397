"""The other surfaces as OpenAPI describes them: Akashik under /v1 by its own wire types, and the pages of upkeep."""

from __future__ import annotations

import msgspec

from muniment.contracts.akashik.nouns import Error
from muniment.contracts.akashik.payloads import Message
from muniment.contracts.akashik.wire import REQUESTS, RESPONSES
from muniment.operations.kinds import SAYS
from muniment.surfaces.http.api.described import Json, JsonObject, plain_schemas

_PREFIX = "akashik."
_REF = "#/components/schemas/" + _PREFIX + "{name}"
_PLAIN = "application/json"
_VIEWS = {
    "/v1/field/status": ("STATUS", "Read where the field stands"),
    "/v1/agents": ("AGENTS", "List the registered agents"),
    "/v1/conflicts": ("CONFLICTS", "List the conflicts of the field"),
    "/v1/x/work": ("WORK", "List the sessions and tasks of the field"),
}
_EXTENSION = (
    ("/v1/x/retract", "RETRACT", ("agent_id", "memory_unit_id", "reason"), ("session_id",)),
    ("/v1/x/fail", "FAIL", ("agent_id", "reason"), ("failed_agent_id", "session_id")),
)
"""Operations of our own: where, by which name, and the texts that each needs and may have."""
_FAILED = {
    "400": "The message is not one of the protocol.",
    "401": "The caller does not prove who it is, or that it may speak for the agent.",
    "403": "The agent's authority is too low.",
    "404": "There is no such thing in the field.",
    "409": "Not as things stand.",
    "413": "Too much at once.",
    "415": "The body is not JSON.",
    "429": "More than the caller's share.",
    "500": "The server failed.",
    "501": "The field is not of that level.",
    "503": "The store cannot be used now.",
    "507": "There is no room left.",
}


def akashik_schemas() -> dict[str, Json]:
    """The wire types of the protocol, under a name of their own."""
    kinds = {*REQUESTS.values(), *RESPONSES.values(), Message, Error}
    _, found = msgspec.json.schema_components(sorted(kinds, key=lambda kind: kind.__qualname__), ref_template=_REF)
    return {f"{_PREFIX}{name}": schema for name, schema in plain_schemas(found).items()}


def akashik_paths() -> dict[str, Json]:
    """One path for each operation of the protocol, the three views, and the extension."""
    paths: dict[str, Json] = {}
    for operation, kind in REQUESTS.items():
        envelope: JsonObject = {
            "allOf": [
                _ref(Message.__name__),
                {"properties": {"payload": _ref(kind.__name__), "operation": {"const": operation.value}}},
            ],
        }
        answer = _ref(RESPONSES[operation].__name__)
        paths[f"/v1/{operation.lower()}"] = {"post": _operation(operation.value, envelope, answer)}
    for path, (name, summary) in _VIEWS.items():
        paths[path] = {"get": _view(name, summary)}
    for path, name, needed, more in _EXTENSION:
        body: JsonObject = {
            "type": "object",
            "properties": {one: {"type": "string", "pattern": SAYS} for one in (*needed, *more)},
            "required": [*needed],
            "additionalProperties": False,
        }
        paths[path] = {"post": _operation(name, body, {"type": "object"})}
    return paths


def _ref(name: str) -> JsonObject:
    return {"$ref": _REF.format(name=name)}


def _operation(name: str, schema: JsonObject, answer: JsonObject) -> JsonObject:
    return {
        "operationId": f"akashik.{name}",
        "summary": f"Send a message of the operation {name}",
        "tags": ["akashik"],
        "requestBody": {"required": True, "content": {_PLAIN: {"schema": schema}}},
        "responses": _answers(answer),
    }


def _view(name: str, summary: str) -> JsonObject:
    text: JsonObject = {"type": "string", "pattern": SAYS}
    return {
        "operationId": f"akashik.{name}",
        "summary": summary,
        "tags": ["akashik"],
        "parameters": [
            {"name": one, "in": "query", "required": False, "schema": dict(text)} for one in ("agent_id", "session_id")
        ],
        "responses": _answers({"type": "object"}),
    }


def _answers(answer: JsonObject) -> JsonObject:
    failed: JsonObject = {
        status: {"description": words, "content": {_PLAIN: {"schema": _ref(Error.__name__)}}}
        for status, words in _FAILED.items()
    }
    return {"200": {"description": "The answer.", "content": {_PLAIN: {"schema": answer}}}, **failed}


def upkeep_paths() -> dict[str, Json]:
    """Liveness, readiness and figures."""
    status: JsonObject = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
    told: JsonObject = {"content": {_PLAIN: {"schema": status}}}
    alive: JsonObject = {"description": "The process answers.", **told}
    ready: JsonObject = {"description": "It can be sent work.", **told}
    missing: JsonObject = {"description": "Not now; `missing` says what is.", **told}
    figures: JsonObject = {
        "description": "Figures in Prometheus text.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
    barred: JsonObject = {
        "description": "Not for this caller.",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}},
    }
    return {
        "/healthz": {"get": _page("alive", "Say that the process runs", {"200": alive}, open_=True)},
        "/readyz": {"get": _page("ready", "Say whether to send it work", {"200": ready, "503": missing}, open_=True)},
        "/metrics": {
            "get": _page(
                "metrics",
                "Read the figures of the server",
                {"200": figures, "401": barred, "403": barred, "404": barred, "429": barred},
                open_=False,
            )
        },
    }


def _page(name: str, summary: str, responses: JsonObject, *, open_: bool) -> JsonObject:
    found: JsonObject = {"operationId": name, "summary": summary, "tags": ["upkeep"], "responses": responses}
    if open_:
        found["security"] = []
    return found
