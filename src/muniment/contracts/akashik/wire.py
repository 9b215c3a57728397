"""Every document of the protocol by name, and the payload that belongs to each operation."""

from __future__ import annotations

from muniment.contracts.akashik import coordination, nouns, payloads
from muniment.contracts.akashik.words import Operation

REQUESTS: dict[Operation, type] = {
    Operation.REGISTER: payloads.RegisterRequest,
    Operation.DEREGISTER: payloads.DeregisterRequest,
    Operation.RECORD: payloads.RecordRequest,
    Operation.ATTUNE: payloads.AttuneRequest,
    Operation.DETECT: payloads.DetectRequest,
    Operation.MERGE: payloads.MergeRequest,
    Operation.SUBSCRIBE: payloads.SubscribeRequest,
    Operation.REPLAY: payloads.ReplayRequest,
    Operation.COMPACT: payloads.CompactRequest,
    Operation.COORDINATE: coordination.CoordinateRequest,
    Operation.HANDOFF: coordination.HandoffRequest,
    Operation.SESSION: coordination.SessionRequest,
}

RESPONSES: dict[Operation, type] = {
    Operation.REGISTER: payloads.RegisterResponse,
    Operation.DEREGISTER: payloads.DeregisterResponse,
    Operation.RECORD: payloads.RecordResponse,
    Operation.ATTUNE: payloads.AttuneResponse,
    Operation.DETECT: payloads.DetectResponse,
    Operation.MERGE: payloads.MergeResponse,
    Operation.SUBSCRIBE: payloads.SubscribeResponse,
    Operation.REPLAY: payloads.ReplayResponse,
    Operation.COMPACT: payloads.CompactResponse,
    Operation.COORDINATE: coordination.CoordinateResponse,
    Operation.HANDOFF: coordination.HandoffResponse,
    Operation.SESSION: coordination.SessionResponse,
}

DOCUMENTS: dict[str, type] = {
    "memory_unit": nouns.MemoryUnit,
    "relation": nouns.Relation,
    "agent": nouns.Agent,
    "scope": nouns.Scope,
    "conflict": nouns.Conflict,
    "message": payloads.Message,
    "scoped_memory_unit": nouns.ScopedMemoryUnit,
    "context_budget": nouns.ContextBudget,
    "field_capabilities": nouns.FieldCapabilities,
    "event": nouns.ReplayEvent,
    "subscription": nouns.Subscription,
    "notification": nouns.Notification,
    "error": nouns.Error,
    "task": coordination.Task,
    "session": coordination.Session,
    "handoff_package": coordination.HandoffPackage,
    **{f"{operation.lower()}_request": kind for operation, kind in REQUESTS.items()},
    **{f"{operation.lower()}_response": kind for operation, kind in RESPONSES.items()},
}
