"""One file of each contract as its own users would write it: two memories, of which the second builds on the first
where the contract can say so."""

from __future__ import annotations

import json

from muniment.contracts.registry import ContractName
from muniment.contracts.strict.values import Json

FIRST, SECOND = "The nightly build takes 40 minutes", "Caching the wheels makes the nightly build shorter"

_MATM: Json = [
    {
        "schema_version": "llmwikis.matm.memory-record.v1",
        "record_id": "mem-1",
        "kind": "fact",
        "scope": "project",
        "scope_ref": {"project_id": "atlas"},
        "statement": FIRST,
        "status": "reviewed",
        "owner": "build-team",
        "sensitivity": "internal",
        "evidence_refs": ["ci:1042"],
        "source_refs": ["log:nightly"],
        "curation_report_ids": ["rep-1"],
        "reviewer": "maria",
        "reviewed_at": "2026-02-02T08:00:00Z",
        "confidence": 0.9,
        "created_at": "2026-02-01T08:00:00Z",
        "x_ticket": {"queue": "ops"},
    },
    {
        "schema_version": "llmwikis.matm.memory-record.v1",
        "record_id": "mem-2",
        "kind": "decision",
        "scope": "project",
        "scope_ref": {"project_id": "atlas"},
        "statement": SECOND,
        "status": "reviewed",
        "owner": "build-team",
        "sensitivity": "internal",
        "evidence_refs": ["ci:1043"],
        "source_refs": ["log:nightly"],
        "curation_report_ids": ["rep-2"],
        "reviewer": "maria",
        "decision": {"owner": "build-team", "decided_at": "2026-02-03T08:00:00Z"},
        "created_at": "2026-02-03T08:00:00Z",
    },
]
_OMIR: Json = {
    "resourceType": "Bundle",
    "omirVersion": "R1",
    "entry": [
        {
            "resourceType": "MemoryRecord",
            "id": "mem-1",
            "meta": {"omirVersion": "R1", "maturity": 4, "lastUpdated": "2026-02-01T08:00:00Z"},
            "content": FIRST,
            "experienceType": "observation",
            "createdAt": "2026-02-01T10:00:00+02:00",
            "eventTime": "2026-01-31T23:00:00Z",
            "importance": 0.7,
            "confidence": {"calibrated": 0.9},
            "provenance": {"source": "ci"},
            "extension": [{"url": "urn:example:ticket", "valueString": "OPS-7"}],
        },
        {
            "resourceType": "MemoryRecord",
            "id": "mem-2",
            "meta": {"omirVersion": "R1", "maturity": 4, "lastUpdated": "2026-02-03T08:00:00Z"},
            "content": SECOND,
            "experienceType": "decision",
            "createdAt": "2026-02-03T08:00:00Z",
            "parentId": "mem-1",
            "confidence": {"calibrated": 0.6},
            "provenance": {"source": "ci"},
        },
    ],
}
_RETRIEVAL: Json = [
    {
        "kind": "memory_record",
        "record_id": "mem-1",
        "tenant_id": "default",
        "memory_class": "long_term",
        "key": "fact",
        "value": FIRST,
        "source": "planner",
        "provenance": "ci:1042",
        "revision": 1,
        "trust_level": "medium",
        "created_at": "2026-02-01T08:00:00+00:00",
        "retention": "long_term",
    },
    {
        "kind": "memory_record",
        "record_id": "mem-2",
        "tenant_id": "default",
        "memory_class": "long_term",
        "key": "decision",
        "value": SECOND,
        "source": "planner",
        "provenance": "log:nightly",
        "revision": 2,
        "trust_level": "low",
        "created_at": "2026-02-03T08:00:00Z",
        "retention": "permanent",
    },
]
_MEMLEDGER: Json = [
    {
        "id": "mem-1",
        "content": FIRST,
        "record_type": "semantic",
        "namespace": "/builds",
        "agent_id": "planner",
        "created_by": "planner",
        "importance": 0.7,
        "metadata": {"ticket": "OPS-7"},
        "confidence": 0.9,
        "source": "ci",
        "created_at": "2026-02-01T10:00:00+02:00",
        "access_count": 3,
        "last_accessed_at": "2026-02-02T00:00:00Z",
    },
    {
        "id": "mem-2",
        "content": SECOND,
        "record_type": "procedural",
        "namespace": "/builds",
        "created_by": "planner",
        "derived_from": ["mem-1"],
        "confidence": 0.6,
        "hedged": True,
        "steps": ["cache the wheels"],
        "created_at": "2026-02-03T08:00:00Z",
    },
]
_AKASHIK: Json = [
    {
        "id": "mem-1",
        "mode": "committed",
        "type": "finding",
        "content": FIRST,
        "intent": {"purpose": "plan the release", "question": "how long does a build take?"},
        "confidence": {"score": 0.9, "reasoning": "measured", "evidence": ["ci:1042"]},
        "source": {
            "agent_id": "planner",
            "agent_role": "planning",
            "session_id": "s-1",
            "timestamp": "2026-02-01T08:00:00Z",
        },
        "status": "active",
        "epoch": 7,
    },
    {
        "id": "mem-2",
        "mode": "committed",
        "type": "decision",
        "content": SECOND,
        "intent": {"purpose": "plan the release"},
        "confidence": {"score": 0.6, "reasoning": "tried once"},
        "source": {
            "agent_id": "planner",
            "agent_role": "planning",
            "session_id": "s-1",
            "timestamp": "2026-02-03T08:00:00Z",
        },
        "status": "active",
        "epoch": 8,
        "relations": [{"type": "depends_on", "target_id": "mem-1"}],
    },
]
_SAMPLES: dict[ContractName, Json] = {
    ContractName.MATM: _MATM,
    ContractName.OMIR: _OMIR,
    ContractName.RETRIEVAL: _RETRIEVAL,
    ContractName.MEMLEDGER: _MEMLEDGER,
    ContractName.AKASHIK: _AKASHIK,
}


def sample(name: ContractName) -> bytes:
    return json.dumps(_SAMPLES[name]).encode()
