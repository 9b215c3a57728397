"""Reading what is posted to the Akashik binding: a whole envelope, or a bare payload whose envelope is in headers."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from urllib.parse import parse_qsl
from uuid import uuid4

from muniment.contracts.akashik.codes import ErrorCode
from muniment.contracts.akashik.nouns import EPOCH_MAX
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.reader import ReaderLimits, read_json
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import Malformed, Unreadable
from muniment.surfaces.http.akashik_answers import Refused

AGENT, SESSION, EPOCH, MESSAGE = "akashik-agent", "akashik-session", "akashik-epoch", "akashik-message-id"
PROTOCOL, VERSION = "akashik", "0.1.0"
_QUERY_MAX = 64
_SCORES = ("/payload/confidence/score", "/confidence/score")
_LIMITS = ReaderLimits(bytes=16_777_216, depth=32)


def read_message(body: bytes, headers: Mapping[str, str], operation: FieldOperation) -> JsonObject:
    """The envelope that was sent, or the one that headers describe. What is in it is the Field's to check, except that
    its operation must be the one of the path: which of the two was meant nobody can tell."""
    document = _object(_read(body, operation))
    if "protocol" not in document and AGENT in headers:
        return _enveloped(document, headers, operation)
    if "operation" in document and document["operation"] != operation.value:
        raise Refused(ErrorCode.INVALID_ENVELOPE, f"operation: expected {operation.value}, the operation of this path")
    return document


def _read(body: bytes, operation: FieldOperation) -> Json:
    """JSON, strictly read. A score that is no number at all is a wrong score, and the rest of the text a wrong one."""
    try:
        return read_json(body, limits=_LIMITS)
    except Unreadable as error:
        if operation is FieldOperation.RECORD and error.field in _SCORES:
            raise Refused(ErrorCode.INVALID_CONFIDENCE, f"{error.field}: expected a number from 0 to 1") from None
        raise


def read_object(body: bytes) -> JsonObject:
    """One JSON object, strictly read."""
    return _object(read_json(body, limits=_LIMITS))


def _object(value: Json) -> JsonObject:
    if not isinstance(value, dict):
        raise Refused(ErrorCode.INVALID_ENVELOPE, "body: expected a JSON object")
    return value


def _enveloped(payload: JsonObject, headers: Mapping[str, str], operation: FieldOperation) -> JsonObject:
    """A bare payload in its envelope. Without a message id of the caller's each call is a message of its own."""
    return {
        "protocol": PROTOCOL,
        "version": VERSION,
        "id": headers.get(MESSAGE) or f"wire-{uuid4().hex}",
        "operation": operation.value,
        "agent_id": headers[AGENT],
        "session_id": headers.get(SESSION),
        "epoch": whole(EPOCH, headers[EPOCH]) if EPOCH in headers else 0,
        "payload": payload,
    }


def whole(field: str, text: str) -> int:
    """An epoch in digits.

    >>> whole("after", "12")
    12
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 19) or int(text) > EPOCH_MAX:
        raise Malformed(field, f"a whole number from 0 to {EPOCH_MAX}")
    return int(text)


def query_of(text: str, names: AbstractSet[str], *, many: AbstractSet[str] = frozenset()) -> dict[str, tuple[str, ...]]:
    """What a query string says: only names that are known, and none twice but those that may be said `many` times.

    >>> query_of("agent_id=ana&status=detected&status=escalated", {"agent_id", "status"}, many={"status"})
    {'agent_id': ('ana',), 'status': ('detected', 'escalated')}
    """
    found: dict[str, tuple[str, ...]] = {}
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_QUERY_MAX, errors="strict")
    except ValueError:
        raise Malformed("query", f"at most {_QUERY_MAX} pairs of names and values, encoded as UTF-8") from None
    for name, value in pairs:
        if name not in names:
            raise Malformed("query", f"nothing but {', '.join(sorted(names))}")
        if name in found and name not in many:
            raise Malformed(name, "one value")
        if not value:
            raise Malformed(name, "text that says something")
        found[name] = (*found.get(name, ()), value)
    return found
