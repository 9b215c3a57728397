"""Every document of the protocol by name, and the payload that belongs to each operation."""

from __future__ import annotations

from muniment.contracts.akashik import coordination, nouns, payloads
from muniment.contracts.akashik.words import FieldOperation

REQUESTS: dict[FieldOperation, type] = {
    FieldOperation.REGISTER: payloads.RegisterRequest,
    FieldOperation.DEREGISTER: payloads.DeregisterRequest,
    FieldOperation.RECORD: payloads.RecordRequest,
    FieldOperation.ATTUNE: payloads.AttuneRequest,
    FieldOperation.DETECT: payloads.DetectRequest,
    FieldOperation.MERGE: payloads.MergeRequest,
    FieldOperation.SUBSCRIBE: payloads.SubscribeRequest,
    FieldOperation.REPLAY: payloads.ReplayRequest,
    FieldOperation.COMPACT: payloads.CompactRequest,
    FieldOperation.COORDINATE: coordination.CoordinateRequest,
    FieldOperation.HANDOFF: coordination.HandoffRequest,
    FieldOperation.SESSION: coordination.SessionRequest,
}

RESPONSES: dict[FieldOperation, type] = {
    FieldOperation.REGISTER: payloads.RegisterResponse,
    FieldOperation.DEREGISTER: payloads.DeregisterResponse,
    FieldOperation.RECORD: payloads.RecordResponse,
    FieldOperation.ATTUNE: payloads.AttuneResponse,
    FieldOperation.DETECT: payloads.DetectResponse,
    FieldOperation.MERGE: payloads.MergeResponse,
    FieldOperation.SUBSCRIBE: payloads.SubscribeResponse,
    FieldOperation.REPLAY: payloads.ReplayResponse,
    FieldOperation.COMPACT: payloads.CompactResponse,
    FieldOperation.COORDINATE: coordination.CoordinateResponse,
    FieldOperation.HANDOFF: coordination.HandoffResponse,
    FieldOperation.SESSION: coordination.SessionResponse,
}

DOCUMENTS: dict[str, type] = {
    "memory_unit": nouns.MemoryUnit,
    "relation": nouns.UnitRelation,
    "agent": nouns.FieldAgent,
    "scope": nouns.AttuneScope,
    "conflict": nouns.Conflict,
    "message": payloads.Message,
    "scoped_memory_unit": nouns.ScopedMemoryUnit,
    "context_budget": nouns.ContextBudget,
    "field_capabilities": nouns.FieldCapabilities,
    "event": nouns.ReplayEvent,
    "subscription": nouns.Subscription,
    "notification": nouns.Notification,
    "error": nouns.Error,
    "task": coordination.FieldTask,
    "session": coordination.FieldSession,
    "handoff_package": coordination.HandoffPackage,
    **{f"{operation.lower()}_request": kind for operation, kind in REQUESTS.items()},
    **{f"{operation.lower()}_response": kind for operation, kind in RESPONSES.items()},
}
