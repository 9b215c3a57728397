"""The native operations as OpenAPI describes them: parameters, bodies, answers, refusals and the ways between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import msgspec

from muniment.model import times
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.operations import OPERATIONS, Key, OperationSpec, Verb, answers
from muniment.operations.queries import ContractWord
from muniment.operations.table_audit import AUDITING
from muniment.operations.table_guard import GUARDING
from muniment.operations.table_write import WRITING
from muniment.operations.tags import TAGS_PATTERN
from muniment.operations.wire import describe, shape_of

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
JsonObject = dict[str, Json]

NDJSON = "application/x-ndjson"
_PLAIN = "application/json"
_PROBLEM: JsonObject = {
    "application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDocument"}},
}
_NAME: JsonObject = {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,128}$"}
_WORDS: dict[str, JsonObject] = {"contract": {"type": "string", "enum": [*get_args(ContractWord)]}}
_MATCH = 'The ETag of the record as it was read, one that names its revision alone (`"r3"`), several of them, or `*`.'
_TAGS: JsonObject = {"type": "string", "anyOf": [{"const": "*"}, {"pattern": f"^({TAGS_PATTERN})$"}]}
_FORM = "`flat` (usual), or `values`: nested as the library holds them, which our clients read back."
_FORMS: JsonObject = {"type": "string", "enum": ["flat", "values"]}
_SHOWN: list[Json] = [
    {
        "name": "fields",
        "in": "query",
        "required": False,
        "description": "The fields of a record that are told, with commas between them. Its `id` always is.",
        "schema": {"type": "string", "pattern": "^[a-z_]+(,[a-z_]+)*$", "maxLength": 512},
    },
    {
        "name": "verbose",
        "in": "query",
        "required": False,
        "description": "Tell all fields of a record, not only those that most readers need.",
        "schema": {"type": "boolean"},
    },
]
_USER = "The user whose memory the request is about, percent-encoded; without it, what all share."
_KEY = (
    "Names this request: sent again under the same key it is followed once and answered as the first time (a proposal "
    "that was decided meanwhile, as it stands)."
)
_HEADERS: dict[int, dict[str, str]] = {
    401: {"WWW-Authenticate": "How to prove who is calling."},
    415: {"Accept-Post": "Which kinds of body are taken."},
    429: {"Retry-After": "In how many seconds to come again."},
    503: {"Retry-After": "In how many seconds to try again."},
}
_PLACE = {"Location": "The record, or the proposal if there is none."}
_REPEATED = {"Idempotency-Replayed": "`true` if it is the first answer under this key once more."}
_TAGGED = {"ETag": "Which revision, and a digest of what was told."}
_ONWARD = {"Link": 'With a `limit`, the way to the next page (`rel="next"`), if there may be one.'}
_REFUSALS = {
    400: "The request does not have the shape described here.",
    401: "No credential, or none that counts.",
    403: "The credential or the policy does not allow it.",
    404: "Nothing there that the caller may know of.",
    406: "The answer cannot be of a kind the caller takes.",
    409: "Not as things stand; or the right shape, saying what cannot be; or a key that stands for another request.",
    412: "The record is no longer as it was when it was read.",
    413: "The body is too large.",
    414: "The address is too long.",
    415: "The body is of another kind than is taken.",
    429: "More than the caller's share; Retry-After says when to come again.",
    500: "The server failed; its log says where.",
    503: "The store cannot be used now; Retry-After says when to try again.",
    507: "There is no room left; reading goes on.",
}
_ANSWERS = {200: "The answer.", 201: "Committed: there is a record.", 202: "Held: it waits for a person."}
_STREAMS = {
    "import": ("Lines that tell what became of each memory.", NDJSON),
    "export": ("A document a line.", NDJSON),
    "changes": (
        "Events named `changed`, whose data is a `Changed` as JSON: one at once, and one whenever the ledger moved. "
        "A comment shows that the line lives; an event named `error`, with a problem document, is the last.",
        "text/event-stream",
    ),
}
"""Operations that answer with a stream: of what, and of which kind."""
_LINKS: dict[str, dict[str, tuple[tuple[str, str], ...]]] = {
    "record_id": {
        "get": (("record_id", "/record_id"),),
        "history": (("record_id", "/record_id"),),
        "insight.lineage": (("record_id", "/record_id"),),
        "revise": (("record_id", "/record_id"),),
        "review.outcome": (("record_id", "/record_id"),),
        "review.retract": (("record_id", "/record_id"),),
    },
    "proposal_id": {
        "review.report": (("proposal_id", "/proposal_id"),),
        "review.decide": (("proposal_id", "/proposal_id"),),
    },
    "receipt_id": {"explain": (("receipt_id", "/receipt_id"),)},
}


def described_paths(schemas: dict[str, Json]) -> dict[str, Json]:
    """Every path of the native surface, its index included. Of the other paths that an operation answers at, those are
    described that are another operation's too."""
    paths: dict[str, JsonObject] = {"/api": {"get": _index()}}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.verb.lower()] = _described(operation, schemas)
    for operation in OPERATIONS:
        for path in operation.aliases:
            if path in paths:
                same = {**_described(operation, schemas), "operationId": f"{operation.name}.again"}
                paths[path][operation.verb.lower()] = {**same, "summary": f"{operation.summary} (as {operation.path})"}
    return dict(paths)


def _index() -> JsonObject:
    return {
        "operationId": "index",
        "summary": "List the operations of the native face",
        "tags": ["read"],
        "responses": {"200": _answer(200, answers.Index), **refusals(400, 401, 406, 429)},
    }


def _described(operation: OperationSpec, schemas: dict[str, Json]) -> JsonObject:
    said: JsonObject = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"Needs a credential with the grant `{operation.grant}`; the policy decides the rest.",
        "tags": [_tag(operation)],
        "parameters": _parameters(operation, schemas),
        "responses": _responses(operation),
    }
    if operation.name == "import":
        said["requestBody"] = _imported()
    elif operation.body is not None:
        said["requestBody"] = _body(operation)
    return said


def _tag(operation: OperationSpec) -> str:
    if operation in AUDITING:
        return "audit"
    if operation in GUARDING:
        return "guard"
    return "write" if operation in WRITING else "read"


def _parameters(operation: OperationSpec, schemas: dict[str, Json]) -> list[Json]:
    found: list[Json] = [
        {"name": name, "in": "path", "required": True, "schema": dict(_WORDS.get(name, _NAME))}
        for name in operation.places
    ]
    if operation.query is not None:
        found += _queried(operation.query, schemas)
    if operation.matchable or operation.tagged:
        found.append(_header("If-Match", _MATCH, dict(_TAGS), required=False))
    if operation.tagged:
        found.append(_header("If-None-Match", "Tags of what the caller has.", {"type": "string"}))
    if operation.key is not Key.NONE:
        found.append(_header("Idempotency-Key", _KEY, {"type": "string", "pattern": "^[!-~]{1,255}$"}))
    found += [_header("Muniment-User", _USER, {"type": "string"}), _header("Muniment-Form", _FORM, _FORMS)]
    return [*found, *_SHOWN]


def _header(name: str, words: str, schema: JsonObject, *, required: bool = False) -> Json:
    return {"name": name, "in": "header", "description": words, "required": required, "schema": schema}


def _queried(kind: type[Value], schemas: dict[str, Json]) -> list[Json]:
    """The fields of a query as parameters. What may be null is what may be left out."""
    _, own = msgspec.json.schema_components(
        [shape_of(kind).twin], schema_hook=describe, ref_template="#/components/schemas/{name}"
    )
    made = plain_schemas(own)[kind.__name__]
    assert isinstance(made, dict)
    properties, required = made["properties"], made.get("required", [])
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _sayable(schema)}
        for name, schema in properties.items()
    ]


def _sayable(schema: Json) -> Json:
    """What of a schema a query string can say: no null, and no list without anything in it."""
    assert isinstance(schema, dict)
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        (told,) = (one for one in choices if one != {"type": "null"})
        assert isinstance(told, dict)
        schema = told
    if schema.get("type") == "array":
        return {**schema, "minItems": 1}
    return schema


def _body(operation: OperationSpec) -> JsonObject:
    assert operation.body is not None
    media: JsonObject = {"schema": {"$ref": f"#/components/schemas/{operation.body.__name__}"}}
    if operation.example is not None:
        media["example"] = msgspec.to_builtins(operation.example)
    return {"required": True, "content": {_PLAIN: media}}


def _imported() -> JsonObject:
    """What is imported. The example stands with the kind that every tool can write."""
    memory: JsonObject = {"id": "n-1", "record_type": "semantic", "content": "The nightly build takes 40 minutes"}
    return {
        "required": True,
        "description": "Documents of the contract, one a line, or one document (or a list of them) as JSON.",
        "content": {_PLAIN: {"schema": {"type": ["object", "array"]}, "example": [memory]}, NDJSON: {"schema": {}}},
    }


def _responses(operation: OperationSpec) -> JsonObject:
    found: JsonObject = {}
    for status in operation.statuses:
        found[str(status)] = _answered(operation, status)
    if operation.tagged:
        found["304"] = {"description": "The caller has it already.", "headers": _headers(_TAGGED)}
    return {**found, **refusals(*_statuses(operation))}


def _event(operation: OperationSpec) -> JsonObject:
    """One event of a stream of them: its name, and its data as text that is JSON."""
    content = _answer(200, operation.answer)["content"]
    assert isinstance(content, dict)
    whole = content["application/json"]
    assert isinstance(whole, dict)
    data: JsonObject = {"type": "string", "contentMediaType": "application/json", "contentSchema": whole["schema"]}
    return {"type": "object", "properties": {"event": {"type": "string"}, "data": data}, "required": ["data"]}


def _answered(operation: OperationSpec, status: int) -> JsonObject:
    if operation.name in _STREAMS:
        words, media = _STREAMS[operation.name]
        schema: JsonObject = {"type": "string"} if media == NDJSON else _event(operation)
        answer: JsonObject = {"description": words, "content": {media: {"schema": schema}}}
    else:
        answer = _answer(status, operation.answer)
    if operation.name == "ledger.verify":
        content = answer["content"]
        assert isinstance(content, dict)
        content[NDJSON] = {"schema": {"type": "string"}}
    headers = _headers_of(operation)
    if headers:
        answer["headers"] = headers
    links = _links(operation, status)
    if links:
        answer["links"] = links
    return answer


def _headers_of(operation: OperationSpec) -> JsonObject:
    found: dict[str, str] = {}
    found |= _TAGGED if operation.tagged else {}
    found |= _PLACE if len(operation.statuses) > 1 else {}
    found |= _REPEATED if operation.key is Key.ANSWER else {}
    found |= _ONWARD if operation.name == "export" else {}
    return _headers(found)


def _headers(words: Mapping[str, str]) -> JsonObject:
    return {name: {"description": said, "schema": {"type": "string"}} for name, said in words.items()}


def _answer(status: int, kind: type[Value]) -> JsonObject:
    schema: JsonObject = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {"description": _ANSWERS[status], "content": {_PLAIN: {"schema": schema}}}


def _links(operation: OperationSpec, status: int) -> JsonObject:
    """The ways on from an answer, for those who follow them."""
    field = {201: "record_id", 202: "proposal_id"}.get(status)
    if operation.name in ("recall", "attune"):
        field = "receipt_id"
    ways = _LINKS.get(field or "", {})
    return {
        name: {"operationId": name, "parameters": {place: f"$response.body#{at}" for place, at in places}}
        for name, places in ways.items()
    }


def _statuses(operation: OperationSpec) -> list[int]:
    """The refusals an operation can end in."""
    found = {400, 401, 403, 406, 409, 429, 500, 503, 507}
    if operation.query is not None:
        found.add(414)
    if operation.body is not None or operation.name == "import":
        found |= {413, 415}
    if operation.places or "not_found" in operation.codes:
        found.add(404)
    if {"stale", "undecided", "on_hold"} & set(operation.codes) or operation.key is not Key.NONE:
        found.add(409)
    if operation.matchable or operation.tagged:
        found.add(412)
    if operation.verb is Verb.POST and operation.body is None:
        found.add(413)
    return sorted(found)


def plain_schemas(found: Mapping[str, object]) -> dict[str, Json]:
    """Schemas as JSON, in the words of the edition that OpenAPI 3.1 takes: a pair of two kinds is a list with a prefix,
    and one of a kind a list of two; what an instant usually is, is spelled as instants are."""
    plain: dict[str, Json] = msgspec.json.decode(msgspec.json.encode(found))
    return {name: _prefixed(schema) for name, schema in plain.items()}


def _prefixed(schema: Json) -> Json:
    if isinstance(schema, list):
        return [_prefixed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _prefixed(one) for name, one in schema.items()}
    usual = found.get("default")
    if found.get("format") == "date-time" and isinstance(usual, int):
        found["default"] = times.show(Instant(usual))
    parts = found.get("prefixItems", found.get("items"))
    if isinstance(parts, list):
        alike = all(part == parts[0] for part in parts)
        found.pop("prefixItems", None)
        found.update({"items": parts[0]} if alike else {"prefixItems": parts, "items": False})
    return found


def refusals(*statuses: int) -> JsonObject:
    """Problem documents, by the status they come with."""
    return {str(status): _refusal(status) for status in statuses}


def _refusal(status: int) -> JsonObject:
    found: JsonObject = {"description": _REFUSALS[status], "content": dict(_PROBLEM)}
    headers = _headers(_HEADERS.get(status, {}))
    return {**found, "headers": headers} if headers else found
