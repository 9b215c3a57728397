"""What a payload needs because of something else it says: an action that names a task, a check that has a target."""

from __future__ import annotations

from collections.abc import Callable

from muniment.contracts.akashik.words import (
    DetectMode,
    FieldOperation,
    HandoffAction,
    MergeStrategy,
    SessionAction,
    SubscribeAction,
    TaskAction,
)
from muniment.contracts.strict.values import Json, JsonObject


def needed(operation: FieldOperation, payload: Json) -> tuple[str, ...]:
    """What is missing from a payload whose shape is right, each in words; nothing for most operations.

    >>> needed(FieldOperation.DETECT, {"mode": "check"})
    ('target_id is missing: a check has a target',)
    """
    if operation not in _NEEDS or not isinstance(payload, dict):
        return ()
    words = _NEEDS[operation](payload)
    return (words,) if words is not None else ()


def _detect(payload: JsonObject) -> str | None:
    lacks = payload["mode"] == DetectMode.CHECK and not _says(payload, "target_id")
    return "target_id is missing: a check has a target" if lacks else None


def _merge(payload: JsonObject) -> str | None:
    lacks = payload["strategy"] == MergeStrategy.VOTE and not _says(_part(payload, "resolution"), "winner_id")
    return "resolution.winner_id is missing: in a vote it is the ballot" if lacks else None


def _subscribe(payload: JsonObject) -> str | None:
    wish = _part(payload, "subscription")
    match payload["action"]:
        case SubscribeAction.SUBSCRIBE if not wish.get("events"):
            return "subscription.events is missing or empty: say what you want to be told"
        case SubscribeAction.UNSUBSCRIBE if not _says(wish, "id"):
            return "subscription.id is missing: say which subscription ends"
    return None


def _coordinate(payload: JsonObject) -> str | None:
    task = _part(payload, "task")
    match payload["action"]:
        case TaskAction.LIST:
            return None
        case TaskAction.CREATE:
            return None if _says(task, "title") else "task.title is missing: a task has one"
        case TaskAction.ASSIGN if not _says(task, "assignee"):
            return "task.assignee is missing: say who shall have it"
    return None if _says(task, "id") else "task.id is missing: say which task"


def _handoff(payload: JsonObject) -> str | None:
    lacks = payload["action"] == HandoffAction.OFFER and not (_says(payload, "to_agent") or _says(payload, "to_role"))
    return "to_agent or to_role is missing: say who shall have it" if lacks else None


def _session(payload: JsonObject) -> str | None:
    match payload["action"]:
        case SessionAction.LIST:
            return None
        case SessionAction.CREATE:
            return None if _says(payload, "goal") else "goal is missing: a session has one"
        case SessionAction.SET_POLICY if "policies" not in payload:
            return "policies is missing: say which"
    return None if _says(payload, "session_id") else "session_id is missing: say which session"


def _says(payload: JsonObject, name: str) -> bool:
    found = payload.get(name)
    return isinstance(found, str) and bool(found.strip())


def _part(payload: JsonObject, name: str) -> JsonObject:
    found = payload.get(name)
    return found if isinstance(found, dict) else {}


_NEEDS: dict[FieldOperation, Callable[[JsonObject], str | None]] = {
    FieldOperation.DETECT: _detect,
    FieldOperation.MERGE: _merge,
    FieldOperation.SUBSCRIBE: _subscribe,
    FieldOperation.COORDINATE: _coordinate,
    FieldOperation.HANDOFF: _handoff,
    FieldOperation.SESSION: _session,
}
