"""What a payload says, read as it was meant: a null says nothing, a whole number is one however it is spelled, and a
SESSION means the session of its message unless it names one."""

from __future__ import annotations

from muniment.contracts.akashik.words import FieldOperation, SessionAction
from muniment.contracts.strict.values import Json, JsonObject

EXACT = 2**53
"""Beyond this a number with a point need not be the whole number it looks like."""
_SCORE = "score"
"""A score of null is no number, which is told as such."""
_UNNAMED = frozenset({SessionAction.CREATE.value, SessionAction.LIST.value})


def meant(operation: FieldOperation, payload: JsonObject, session: str | None) -> JsonObject:
    """A payload as it was meant.

    >>> meant(FieldOperation.ATTUNE, {"scope": {"role": "r", "max_units": 5.0, "interests": None}}, None)
    {'scope': {'role': 'r', 'max_units': 5}}
    >>> meant(FieldOperation.SESSION, {"action": "pause"}, "s-1")
    {'action': 'pause', 'session_id': 's-1'}
    """
    found = _object(payload)
    return _of_session(found, session) if operation is FieldOperation.SESSION else found


def _object(value: JsonObject) -> JsonObject:
    return {name: _plain(part) for name, part in value.items() if part is not None or name == _SCORE}


def _plain(value: Json) -> Json:
    if isinstance(value, dict):
        return _object(value)
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return int(value)
    return value


def _of_session(payload: JsonObject, session: str | None) -> JsonObject:
    """A SESSION may say what it says of a session in an object of that name, as a COORDINATE does of a task."""
    inner = payload.get("session")
    if isinstance(inner, dict) and inner.keys() <= {"id", "goal", "policies"}:
        flat = {"session_id" if name == "id" else name: part for name, part in inner.items()}
        payload = {**flat, **{name: part for name, part in payload.items() if name != "session"}}
    action = payload.get("action")
    unnamed = isinstance(action, str) and action in _UNNAMED
    if session is not None and not unnamed and "session_id" not in payload:
        return {**payload, "session_id": session}
    return payload
