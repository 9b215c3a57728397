"""One message of each operation that any Field can read, whatever it then answers."""

from __future__ import annotations

from akashik_conformance.binding import JsonObject
from akashik_conformance.say import finding, scope

PAYLOADS: dict[str, JsonObject] = {
    "REGISTER": {"id": "newcomer", "role": "researcher"},
    "RECORD": finding("The tide turns at noon"),
    "ATTUNE": scope(),
    "DEREGISTER": {"agent_id": "nobody-at-all"},
    "DETECT": {"mode": "list"},
    "SUBSCRIBE": {"action": "list"},
    "MERGE": {
        "conflict_id": "no-conflict",
        "strategy": "last_write_wins",
        "resolution": {"rationale": "newer"},
    },
    "REPLAY": {"target_type": "memory_unit", "target_id": "no-unit", "depth": "summary"},
    "COMPACT": {"strategy": "archive", "filter": {"types": []}},
    "HANDOFF": {"action": "accept", "task_id": "no-task"},
    "COORDINATE": {"action": "list"},
    "SESSION": {"action": "list"},
}
"""What each operation is asked. Those that name something name what is not there."""

LEVELS: dict[str, int] = {
    "REGISTER": 0,
    "RECORD": 0,
    "ATTUNE": 0,
    "DEREGISTER": 0,
    "DETECT": 1,
    "SUBSCRIBE": 1,
    "MERGE": 2,
    "REPLAY": 2,
    "COMPACT": 2,
    "HANDOFF": 2,
    "COORDINATE": 3,
    "SESSION": 3,
}
"""From which level on a Field has an operation. DEREGISTER may be there before its level, and is not asked about."""

OPERATIONS: tuple[str, ...] = tuple(LEVELS)


def asked(operation: str, agent: str) -> JsonObject:
    """The payload of an operation, in which an agent that registers names itself."""
    return {**PAYLOADS[operation], "id": agent} if operation == "REGISTER" else PAYLOADS[operation]


def known_at(level: int) -> list[str]:
    return [operation for operation in OPERATIONS if LEVELS[operation] <= level]
