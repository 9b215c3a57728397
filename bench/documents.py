"""One document of each contract there and back: decoded, and encoded again. `python -m bench.documents`.

CPU time of the best of many rounds, so that what else the machine does weighs little.
"""

from __future__ import annotations

import json
import sys
import time

from bench.report import Row, publish
from muniment.contracts.registry import ContractName, contract
from muniment.contracts.strict.values import JsonObject

MOST_US = 100
ROUNDS = 40
TIMES = 100

DOCUMENTS: dict[ContractName, JsonObject] = {
    ContractName.AKASHIK: {
        "id": "mu-0017",
        "mode": "committed",
        "type": "finding",
        "content": "The staging database moved to eu-west-2",
        "intent": {"purpose": "keep the team informed", "task_id": "move-17"},
        "confidence": {"score": 0.9, "reasoning": "read in the ticket", "evidence": ["ticket:OPS-7"]},
        "source": {
            "agent_id": "scout",
            "agent_role": "researcher",
            "session_id": None,
            "timestamp": "2026-05-01T10:00:00Z",
        },
        "relations": [{"type": "supports", "target_id": "mu-0009", "description": "the same ticket"}],
        "status": "active",
        "epoch": 12,
    },
    ContractName.MATM: {
        "schema_version": "llmwikis.matm.memory-event.v1",
        "event_id": "evt_0017",
        "emitted_at": "2026-06-23T17:00:00Z",
        "source_agent": {"agent_id": "tester"},
        "task": {"task_id": "move-17"},
        "project_id": "checkout",
        "artifact": {"artifact_type": "note", "summary": "The staging database moved to eu-west-2"},
        "memory_kind": "fact",
        "evidence_refs": [{"type": "ticket", "ref": "ticket:OPS-7"}],
        "provenance": {"sources": ["ticket:OPS-7"]},
        "confidence": 0.9,
        "suggested_scope": "project",
        "worker_write_mode": "proposal_only",
        "sensitivity": "internal",
        "review_hints": {},
    },
    ContractName.OMIR: {
        "resourceType": "Bundle",
        "omirVersion": "R1",
        "entry": [
            {
                "resourceType": "MemoryRecord",
                "id": "mem-0017",
                "content": "The staging database moved to eu-west-2",
                "createdAt": "2026-05-01T10:00:00Z",
                "kind": "memory",
                "experienceType": "discovery",
                "importance": 0.6,
                "confidence": {"alpha": 4, "beta": 1, "calibrated": 0.6125},
                "provenance": {"source": "ticket", "sourceType": "document", "externalId": "jira:OPS-7"},
            }
        ],
    },
    ContractName.RETRIEVAL: {
        "kind": "memory_record",
        "record_id": "mem-tenant-acme-017",
        "tenant_id": "tenant-acme",
        "memory_class": "long_term",
        "key": "staging_database",
        "value": "eu-west-2",
        "source": "trusted_service",
        "provenance": "validated_service_rule",
        "revision": 1,
        "trust_level": "high",
        "created_at": "2026-04-07T12:00:00Z",
        "retention": "long_term",
    },
    ContractName.MEMLEDGER: {
        "id": "5f0c2a54-6a1d-4a52-9a7d-0c1f0b8c8f17",
        "content": "The staging database moved to eu-west-2",
        "record_type": "semantic",
        "status": "active",
        "namespace": "/infra",
        "agent_id": "scout",
        "session_id": "s-1",
        "importance": 0.5,
        "metadata": {"ticket": "OPS-7"},
        "created_at": "2026-05-01T10:00:00Z",
        "derived_from": ["5f0c2a54-6a1d-4a52-9a7d-0c1f0b8c8f01"],
        "created_by": "scout",
        "confidence": 0.9,
        "hedged": False,
    },
}


def microseconds(name: ContractName, data: bytes) -> float:
    speaks = contract(name)
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(TIMES):
            speaks.encode(speaks.decode(data))
        best = min(best, time.process_time() - start)
    return best / TIMES * 1e6


def main() -> int:
    rows = []
    for name, document in DOCUMENTS.items():
        data = json.dumps(document).encode()
        assert not [one for one in contract(name).check(data) if one.severity == "error"], name
        assert json.loads(contract(name).encode(contract(name).decode(data)).data) == document, name
        rows.append(Row(f"{name}, {len(data)} bytes", microseconds(name, data), "µs", floor=MOST_US, most=True))
    publish("documents", rows, seed=0, details={})
    return 0


if __name__ == "__main__":
    sys.exit(main())
