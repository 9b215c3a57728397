"""The closed word lists of the protocol, spelled as it spells them."""

from __future__ import annotations

from enum import StrEnum


class FieldOperation(StrEnum):
    REGISTER = "REGISTER"
    DEREGISTER = "DEREGISTER"
    RECORD = "RECORD"
    ATTUNE = "ATTUNE"
    DETECT = "DETECT"
    MERGE = "MERGE"
    SUBSCRIBE = "SUBSCRIBE"
    REPLAY = "REPLAY"
    COMPACT = "COMPACT"
    COORDINATE = "COORDINATE"
    HANDOFF = "HANDOFF"
    SESSION = "SESSION"


class Mode(StrEnum):
    DRAFT = "draft"
    COMMITTED = "committed"


class UnitType(StrEnum):
    FINDING = "finding"
    DECISION = "decision"
    OBSERVATION = "observation"
    INTENTION = "intention"
    ASSUMPTION = "assumption"
    CONSTRAINT = "constraint"
    QUESTION = "question"
    CONTRADICTION = "contradiction"
    SYNTHESIS = "synthesis"
    CORRECTION = "correction"
    HUMAN_DIRECTIVE = "human_directive"


class UnitStatus(StrEnum):
    ACTIVE = "active"
    DRAFT = "draft"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    CONTESTED = "contested"
    PENDING_ENRICHMENT = "pending_enrichment"


class LinkType(StrEnum):
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    DEPENDS_ON = "depends_on"
    SUPERSEDES = "supersedes"
    CAUSED_BY = "caused_by"
    ELABORATES = "elaborates"
    ANSWERS = "answers"
    BLOCKS = "blocks"
    INFORMS = "informs"


class AgentStatus(StrEnum):
    IDLE = "idle"
    WORKING = "working"
    WAITING = "waiting"
    OFFLINE = "offline"
    FAILED = "failed"


class Layer(StrEnum):
    PAST = "past"
    PRESENT = "present"
    FUTURE = "future"


class DisputeType(StrEnum):
    FACTUAL = "factual"
    INTERPRETIVE = "interpretive"
    STRATEGIC = "strategic"
    PRIORITY = "priority"


class DisputeStatus(StrEnum):
    DETECTED = "detected"
    RESOLVING = "resolving"
    RESOLVED = "resolved"
    ESCALATED = "escalated"


class Detection(StrEnum):
    EXPLICIT = "explicit"
    SEMANTIC = "semantic"
    LOGICAL = "logical"
    TEMPORAL = "temporal"


class MergeStrategy(StrEnum):
    LAST_WRITE_WINS = "last_write_wins"
    CONFIDENCE_WEIGHTED = "confidence_weighted"
    AUTHORITY = "authority"
    EVIDENCE_COUNT = "evidence_count"
    SYNTHESIS = "synthesis"
    HUMAN_ESCALATION = "human_escalation"
    VOTE = "vote"


class AttuneFormat(StrEnum):
    FULL = "full"
    SUMMARY = "summary"
    IDS_ONLY = "ids_only"


class DetectMode(StrEnum):
    CHECK = "check"
    SCAN = "scan"
    LIST = "list"


class SubscribeAction(StrEnum):
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"
    LIST = "list"


class EventName(StrEnum):
    MEMORY_RECORDED = "memory.recorded"
    MEMORY_SUPERSEDED = "memory.superseded"
    MEMORY_CONTESTED = "memory.contested"
    CONFLICT_DETECTED = "conflict.detected"
    CONFLICT_RESOLVED = "conflict.resolved"
    TASK_STATE_CHANGED = "task.state_changed"
    TASK_ASSIGNED = "task.assigned"
    TASK_COMPLETED = "task.completed"
    HANDOFF_INCOMING = "handoff.incoming"
    AGENT_JOINED = "agent.joined"
    AGENT_FAILED = "agent.failed"
    SESSION_PAUSED = "session.paused"
    SESSION_ENDED = "session.ended"


class ReplayTarget(StrEnum):
    TASK = "task"
    MEMORY_UNIT = "memory_unit"
    DECISION = "decision"
    CONFLICT = "conflict"
    SESSION = "session"


class Depth(StrEnum):
    SUMMARY = "summary"
    DETAILED = "detailed"
    FULL_TRACE = "full_trace"


class CompactStrategy(StrEnum):
    SUMMARIZE = "summarize"
    ARCHIVE = "archive"
    PURGE = "purge"


class TaskStatus(StrEnum):
    PENDING = "pending"
    ASSIGNED = "assigned"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class SessionStatus(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    ENDED = "ended"


class TaskAction(StrEnum):
    CREATE = "create"
    ASSIGN = "assign"
    CLAIM = "claim"
    START = "start"
    BLOCK = "block"
    UNBLOCK = "unblock"
    COMPLETE = "complete"
    FAIL = "fail"
    RETRY = "retry"
    CANCEL = "cancel"
    RELEASE = "release"
    GET = "get"
    LIST = "list"


class HandoffAction(StrEnum):
    OFFER = "offer"
    ACCEPT = "accept"
    REJECT = "reject"
    CANCEL = "cancel"


class SessionAction(StrEnum):
    CREATE = "create"
    JOIN = "join"
    LEAVE = "leave"
    PAUSE = "pause"
    RESUME = "resume"
    END = "end"
    SET_POLICY = "set_policy"
    GET = "get"
    LIST = "list"
