"""What a call of each method needs, as data: the same rows are asked in process, awaited, and over HTTP.

A method without a row here fails the tests, so that nothing new is public before somebody thought about its walls.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Literal, get_type_hints

import msgspec

from muniment import Memory
from muniment.client.parts import PARTS
from muniment.engine.options import QueryOptions
from muniment.model.claim_options import ClaimOptions

Kind = Literal["record", "proposal", "conflict", "receipt", "hold", "batch"]
Given = dict[str, object]


class Own(msgspec.Struct, frozen=True):
    """Stands for the caller's own record."""


class Nowhere(msgspec.Struct, frozen=True):
    """Stands for the id of something that there is not."""

    kind: Kind


class Said(msgspec.Struct, frozen=True):
    """Stands for a claim; `place` is where it is put."""

    content: str = "the valve is new"
    place: tuple[tuple[str, object], ...] = ()


OWN = Own()
_WHY: Given = {"reason": "because"}

ROWS: dict[str, Given] = {
    "insight.activity": {},
    "review.alias": {"name": "pump", "means": "engine"},
    "review.announce": {"record_id": OWN, "scope": "agent_team", "scope_id": "beta"},
    "imports.apply": {"batch": Nowhere("batch"), **_WHY},
    "attune": {},
    "insight.browse": {},
    "erasure.certificates": {},
    "review.conflict": {"conflict_id": Nowhere("conflict")},
    "review.conflicts": {},
    "review.decide": {"proposal_id": Nowhere("proposal"), "accept": True, **_WHY},
    "review.detect": {"record_id": OWN},
    "insight.directory": {},
    "insight.diff": {"since": 0},
    "insight.entity": {"name": "pump"},
    "explain": {"receipt_id": Nowhere("receipt")},
    "flush": {"timeout": 1.0},
    "insight.foresee": {"record_id": OWN},
    "forget": {"record_id": Nowhere("record"), "dry_run": True, **_WHY},
    "get": {"record_id": OWN},
    "history": {"record_id": OWN},
    "erasure.hold": {"record_id": Nowhere("record"), **_WHY},
    "erasure.holds": {},
    "erasure.lift": {"hold_id": Nowhere("hold"), **_WHY},
    "insight.lineage": {"record_id": OWN},
    "insight.lookup": {"subject": "pump", "key": "state"},
    "insight.namespaces": {},
    "review.outcome": {"record_id": OWN, "result": "helpful"},
    "imports.preview": {"claims": Said()},
    "review.promote": {
        "record_id": OWN,
        "scope": "agent_team",
        "scope_id": "beta",
        "evidence": ["e:1"],
        "owner": "bob",
    },
    "propose": {"claim": Said()},
    "insight.quality": {},
    "review.quarantine": {"record_id": Nowhere("record"), **_WHY},
    "review.quarantined": {},
    "review.queue": {},
    "insight.receipts_of": {"record_id": OWN},
    "recall": {"query": "the pump leaks", "floor": 0.0, "limit": 100},
    "review.release": {"record_id": Nowhere("record"), **_WHY},
    "remember": {"content": "the valve is new"},
    "review.report": {"proposal_id": Nowhere("proposal")},
    "review.resolve": {"conflict_id": Nowhere("conflict"), "strategy": "last_write_wins", "rationale": "because"},
    "review.resolve_all": {"dry_run": True},
    "review.retire": {"record_id": Nowhere("record"), "becomes": "archived", **_WHY},
    "review.retract": {"record_id": Nowhere("record"), **_WHY},
    "revise": {"record_id": OWN, "content": "the pump leaks a little"},
    "review.rewind": {"to": 1, "dry_run": True},
    "imports.roll_back": {"batch": Nowhere("batch"), **_WHY},
    "insight.searching": {},
    "insight.stats": {},
    "review.sweep": {},
    "imports.take_in": {"batch": Nowhere("batch"), "newcomers": Said(), "contract": "omir", "preview": True},
    "erasure.tombstone": {"record_id": Nowhere("record"), **_WHY},
    "erasure.tombstones": {},
    "review.vouch": {"record_id": OWN, "origin": "person", **_WHY},
    "erasure.withdraw": {"by": "actor", "value": "bob", "dry_run": True, **_WHY},
    "ledger.chain": {},
    "ledger.checkpoint": {},
    "ledger.checkpoints": {},
    "ledger.entries": {},
    "ledger.head": {},
    "ledger.keys": {},
    "ledger.receipts": {},
    "ledger.replay": {},
    "ledger.trim": {"keep_bytes": 0, "dry_run": True},
    "ledger.verify": {},
}
APART = {
    "open": "names the tenant and the actor: its own test",
    "for_user": "names the user: its own test",
    "as_actor": "names the actor and the session: its own test",
    "close": "takes nothing and tells nothing",
    "insight.policy": "an attribute: whoever holds the object holds the vault",
    "actor": "the caller's own",
    "tenant": "the caller's own",
}
NAMES: dict[str, Kind] = {
    "record_id": "record",
    "target": "record",
    "supersedes": "record",
    "parent": "record",
    "derived_from": "record",
    "contradicts": "record",
    "relations": "record",
    "winner": "record",
    "proposal_id": "proposal",
    "conflict_id": "conflict",
    "receipt_id": "receipt",
    "hold_id": "hold",
    "batch": "batch",
}
"""The parameters that take an id, and of what."""
PLACES = {
    "scope": "team",
    "scope_id": "team",
    "scope_ids": "team",
    "scopes": "team",
    "namespace": "space",
    "places": "space",
    "session": "session",
    "session_id": "session",
    "actor": "actor",
    "authors": "actor",
    "owner": "actor",
    "access": "actor",
    "subject": "subject",
    "source": "source",
    "value": "actor",
    "name": "subject",
    "means": "subject",
    "about": "subject",
    "query": "subject",
    "purpose": "actor",
    "workflow_id": "workflow",
    "task_id": "task",
    "external_id": "external",
    "role": "subject",
    "task": "subject",
    "interests": "subject",
    "user": "subject",
    "after": "record",
    "claim": "team",
    "claims": "team",
    "newcomers": "team",
}
"""The parameters that say whose, where or about whom, and what of the hidden side is put there."""


def public_names() -> set[str]:
    """Every public method of the memory and of its parts."""
    parts = {f"{part}.{name}" for part, kind in PARTS.items() for name in dir(kind) if not name.startswith("_")}
    return parts | {name for name in dir(Memory) if not name.startswith("_")}


def parameters(name: str) -> dict[str, str]:
    """What a method takes, by name, with how it is annotated; options that are spread out count one by one."""
    kind, _, method = name.rpartition(".")
    found = inspect.signature(getattr(PARTS.get(kind, Memory), method)).parameters
    taken = {one.name: str(one.annotation) for one in found.values() if one.name not in ("self", "options")}
    if "options" in found:
        hints = QueryOptions if "QueryOptions" in str(found["options"].annotation) else ClaimOptions
        taken |= {option: str(hint) for option, hint in get_type_hints(hints).items()}
    return taken


def named_parameters(name: str) -> Iterator[tuple[str, Kind]]:
    """The parameters of a method that take an id."""
    return ((one, NAMES[one]) for one in parameters(name) if one in NAMES)


def placed_parameters(name: str) -> Iterator[tuple[str, str, bool]]:
    """The parameters of a method that say whose or where; and whether they take several."""
    for one, annotation in parameters(name).items():
        if one in PLACES:
            yield one, PLACES[one], "Sequence" in annotation
