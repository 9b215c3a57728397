"""What can be said in the shared field about something hidden: one row for each operation and each way to name it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.surfaces.http.agents import unit

from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import Json, JsonObject

Payload = Callable[[str], JsonObject]
_FOUND = ("supports", "contradicts", "depends_on", "supersedes", "elaborates", "informs")
_SETTLED: JsonObject = {"rationale": "because"}


def _linked(kind: str) -> Payload:
    def say(name: str) -> JsonObject:
        link: JsonObject = {"type": kind, "target_id": name, "description": "see there"}
        return {**unit("the sky is blue today"), "relations": [link]}

    return say


def _replayed(kind: str) -> Payload:
    return lambda name: {"target_type": kind, "target_id": name, "depth": "full_trace"}


def _task(action: str, **more: Json) -> Payload:
    return lambda name: {"action": action, "task": {"id": name, **more}}


def _handed(action: str) -> Payload:
    return lambda name: {"action": action, "task_id": name, "to_agent": "nat"}


def _sitting(action: str) -> Payload:
    return lambda name: {"action": action, "session_id": name}


ABOUT: dict[FieldOperation, dict[str, list[Payload]]] = {
    FieldOperation.REGISTER: {},
    FieldOperation.DEREGISTER: {},
    FieldOperation.RECORD: {"unit": [_linked(kind) for kind in _FOUND]},
    FieldOperation.ATTUNE: {
        "session": [lambda name: {"scope": {"role": "scout", "max_units": 50, "session_id": name}}]
    },
    FieldOperation.DETECT: {"unit": [lambda name: {"mode": "check", "target_id": name}]},
    FieldOperation.MERGE: {
        "dispute": [
            lambda name: {"conflict_id": name, "strategy": "last_write_wins", "resolution": _SETTLED},
            lambda name: {"conflict_id": name, "strategy": "human_escalation", "resolution": _SETTLED},
        ]
    },
    FieldOperation.SUBSCRIBE: {"subscription": [lambda name: {"action": "unsubscribe", "subscription": {"id": name}}]},
    FieldOperation.REPLAY: {
        "unit": [_replayed("memory_unit"), _replayed("decision")],
        "dispute": [_replayed("conflict")],
        "task": [_replayed("task")],
        "session": [_replayed("session")],
    },
    FieldOperation.COMPACT: {
        "session": [lambda name: {"strategy": "archive", "filter": {"session_id": name}}],
    },
    FieldOperation.COORDINATE: {
        "task": [
            *(_task(action) for action in ("get", "claim", "start", "complete", "block", "cancel")),
            _task("assign", assignee="nat"),
            lambda name: {"action": "create", "task": {"title": "t", "depends_on": [name]}},
        ],
        "session": [lambda name: {"action": "create", "task": {"title": "t", "session_id": name}}],
        "unit": [lambda name: {"action": "create", "task": {"title": "t", "result_unit_ids": [name]}}],
    },
    FieldOperation.HANDOFF: {"task": [_handed(action) for action in ("offer", "accept", "reject", "cancel")]},
    FieldOperation.SESSION: {},
}
"""By operation and by what is named."""
SITTING = [_sitting(action) for action in ("get", "leave", "pause", "resume", "end")]
"""A session is open to whoever may take part and knows its id, so that there is such a session is no secret from them;
what it is about is, until they have joined it."""

PLAINLY: dict[FieldOperation, list[JsonObject]] = {
    FieldOperation.REGISTER: [{"id": "bob", "role": "scout"}],
    FieldOperation.DEREGISTER: [{"agent_id": "nobody-of-that-name"}],
    FieldOperation.RECORD: [unit("the sky is grey today")],
    FieldOperation.ATTUNE: [
        {"scope": {"role": "scout", "max_units": 50}},
        {"scope": {"role": "scout", "max_units": 50, "since_epoch": 0}},
        {"scope": {"role": "scout", "max_units": 50}, "context_hint": "where does the pump leak?"},
    ],
    FieldOperation.DETECT: [{"mode": "list"}, {"mode": "scan"}],
    FieldOperation.MERGE: [],
    FieldOperation.SUBSCRIBE: [
        {"action": "list"},
        {"action": "subscribe", "subscription": {"events": ["memory.recorded"]}},
    ],
    FieldOperation.REPLAY: [],
    FieldOperation.COMPACT: [{"strategy": "archive"}, {"strategy": "summarize"}, {"strategy": "purge"}],
    FieldOperation.COORDINATE: [{"action": "list"}, {"action": "create", "task": {"title": "t"}}],
    FieldOperation.HANDOFF: [],
    FieldOperation.SESSION: [{"action": "list"}, {"action": "create", "goal": "g"}],
}


def about(operation: FieldOperation) -> Iterator[tuple[str, Payload]]:
    return ((kind, say) for kind, ways in ABOUT[operation].items() for say in ways)
