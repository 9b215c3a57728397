"""What a call of each MCP tool needs. A tool without a row here fails the tests."""

from __future__ import annotations

import msgspec
from tests.walls.asking import nowhere
from tests.walls.served import ServedWorld

_OWN = "own record"
_WHY: dict[str, object] = {"reason": "because"}


class Row(msgspec.Struct, frozen=True):
    """The arguments of a call, and which of them take an id or say whose or where."""

    takes: dict[str, object] = {}
    names: dict[str, str] = {}
    places: dict[str, str] = {}


_RECORD = {"record_id": "record"}
_PLACED = {"scope_id": "team", "namespace": "space", "session_id": "session"}
_BOUNDS = {"namespace": "space"}
_WHOSE = {"subject": "subject", "source": "source", "actor": "actor", "session": "session"}

TOOLS: dict[str, Row] = {
    "remember": Row({"content": "the valve is new"}, places=_PLACED),
    "propose": Row({"content": "the valve is new"}, {"target": "record", "supersedes": "record"}, _PLACED),
    "outcome": Row({"record_id": _OWN, "result": "helpful"}, _RECORD),
    "retract": Row({"record_id": "record", **_WHY}, _RECORD),
    "recall": Row({"query": "the pump leaks", "floor": 0.0}, places={**_BOUNDS, "query": "subject"}),
    "attune": Row({}, places=_BOUNDS),
    "get": Row({"record_id": _OWN}, _RECORD),
    "history": Row({"record_id": _OWN}, _RECORD),
    "lineage": Row({"record_id": _OWN}, _RECORD),
    "explain": Row({"receipt_id": "receipt"}, {"receipt_id": "receipt"}),
    "conflicts": Row({"all": True}),
    "directory": Row({}, places={"about": "subject"}),
    "diff": Row({"since": "0"}),
    "queue": Row({}, {"after": "proposal"}),
    "decide": Row({"proposal_id": "proposal", "answer": "accept", **_WHY}, {"proposal_id": "proposal"}),
    "resolve": Row(
        {"conflict_id": "conflict", "strategy": "last_write_wins", "rationale": "because"}, {"conflict_id": "conflict"}
    ),
    "forget": Row({"record_id": "record", **_WHY}, _RECORD, _WHOSE),
    "withdraw": Row({"by": "actor", "value": "bob", **_WHY}, places={"value": "actor"}),
    "announce": Row({"record_id": "record", "scope": "agent_team", "scope_id": "beta"}, _RECORD),
    "rewind": Row({"to": 1, **_WHY}),
    "quarantine": Row({"record_id": "record", **_WHY}, _RECORD),
    "release": Row({"record_id": "record", **_WHY}, _RECORD),
    "quarantined": Row(),
    "hold": Row({"record_id": "record", **_WHY}),
    "lift": Row({"hold_id": "hold", **_WHY}, {"hold_id": "hold"}),
    "holds": Row(),
    "certificates": Row(),
}
_FIELD = "an operation of the field, which is asked over HTTP: both hand the same message to the same Field"
APART = {
    f"akashik_{name}": _FIELD
    for name in (
        *("register", "deregister", "record", "attune", "detect", "merge", "subscribe", "replay", "compact"),
        *("coordinate", "handoff", "session", "status", "agents", "conflicts", "notices", "retract", "fail"),
    )
}


def given(around: ServedWorld, caller: str, row: Row, **more: object) -> dict[str, object]:
    """The arguments of a call, filled in. One record and everything of somebody are not said together."""
    found: dict[str, object] = {}
    for name, one in row.takes.items():
        if one == _OWN:
            found[name] = around.world.open.get(caller, nowhere(around.world, "record"))
        elif name in row.names or name == "record_id":
            found[name] = nowhere(around.world, str(one))
        else:
            found[name] = one
    if more.keys() & _WHOSE.keys():
        found.pop("record_id", None)
    return {**found, **more}
