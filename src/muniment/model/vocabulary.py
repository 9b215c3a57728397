"""The closed word lists of the record: one word per idea, ordered where order has a meaning."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What a record claims to be."""

    FACT = "fact"
    DECISION = "decision"
    PREFERENCE = "preference"
    RISK = "risk"
    PROCEDURE = "procedure"
    HYPOTHESIS = "hypothesis"
    EVIDENCE = "evidence"
    DEPRECATION = "deprecation"
    CONFLICT = "conflict"
    OBSERVATION = "observation"
    INTENTION = "intention"
    ASSUMPTION = "assumption"
    CONSTRAINT = "constraint"
    QUESTION = "question"
    SYNTHESIS = "synthesis"
    CORRECTION = "correction"
    DIRECTIVE = "directive"


class MemoryType(StrEnum):
    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"


class MemoryClass(StrEnum):
    """Working note, lasting fact, or a person's standing preference."""

    SHORT_TERM = "short_term"
    LONG_TERM = "long_term"
    PROFILE = "profile"


class Scope(StrEnum):
    """Whose memory it is. `session` ends with its session; the others last. `user` is what is kept for one user of a
    program, behind a wall of its own. Those that begin with `x_` speak of people or cross a border, and are kept only
    under a charter."""

    SESSION = "session"
    PROJECT = "project"
    AGENT_TEAM = "agent_team"
    AGENT_REPO = "agent_repo"
    USER = "user"
    X_USER_IDENTITY = "x_user_identity"
    X_ORGANIZATION = "x_organization"
    X_CROSS_ORGANIZATION = "x_cross_organization"


class Sensitivity(StrEnum):
    """How far a record may travel, from everywhere to nowhere."""

    PUBLIC = "public"
    INTERNAL = "internal"
    PRIVATE = "private"
    CONFIDENTIAL = "confidential"
    SECRET = "secret"


class TrustLevel(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Label(StrEnum):
    """Where a record came from, from what may steer least to what may steer most."""

    UNKNOWN = "unknown"
    EXTERNAL = "external"
    IMPORT = "import"
    AGENT = "agent"
    SYSTEM = "system"
    TOOL = "tool"
    PERSON = "person"


class Suspicion(StrEnum):
    """Why a text may be meant to steer whoever reads it: it gives orders against orders, speaks to its reader, hides
    what it says, is spelled in a code, vouches for itself, says who rules or what somebody may do, or comes with too
    many others."""

    INJECTION = "injection"
    INSTRUCTION = "instruction"
    HIDDEN = "hidden"
    ENCODED = "encoded"
    AUTHORITY = "authority"
    STANDING = "standing"
    BURST = "burst"


class ActorType(StrEnum):
    """What an actor is. A `tool` is one whose word was verified: it reports what it measured and nothing else."""

    PERSON = "person"
    TOOL = "tool"
    SERVICE = "service"
    AGENT = "agent"


class Support(StrEnum):
    """Whether what a record stands on still stands."""

    STANDING = "standing"
    FLAGGED = "flagged"
    FALLEN = "fallen"
    DEPRECATED = "deprecated"


class GateFlag(StrEnum):
    """What the gate says of a record's effective confidence: told, told with a warning, or kept back."""

    PASS = "PASS"
    FLAG = "FLAG"
    FILTER = "FILTER"


class Consequence(StrEnum):
    """What becomes of a record when something it stands on ends."""

    DEPRECATE = "deprecate"
    FLAG = "flag"
    LEAVE = "leave"


class Tier(StrEnum):
    WORKING = "working"
    SESSION = "session"
    LONGTERM = "longterm"
    ARCHIVE = "archive"


class RelationType(StrEnum):
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    DEPENDS_ON = "depends_on"
    SUPERSEDES = "supersedes"
    CAUSED_BY = "caused_by"
    ELABORATES = "elaborates"
    ANSWERS = "answers"
    BLOCKS = "blocks"
    INFORMS = "informs"


class Disposition(StrEnum):
    """What curation decided to do with a proposal."""

    APPEND = "append"
    UPDATE = "update"
    DEPRECATE = "deprecate"
    CONFLICT = "conflict"
    DISCARD = "discard"
    HOLD = "hold"


class Outcome(StrEnum):
    """What became of a proposal: a record, a place in the queue, or nothing."""

    COMMITTED = "committed"
    HELD = "held"
    REFUSED = "refused"


class Step(StrEnum):
    """The nine curation steps, in the order they are taken."""

    ADMISSION = "schema_admission"
    SAFETY = "safety_redaction"
    PROVENANCE = "source_provenance"
    SCOPE = "scope_routing"
    KIND = "kind_classification"
    EVIDENCE = "evidence_sufficiency"
    DEDUPE = "dedupe_idempotency"
    CONFLICT = "conflict_analysis"
    DISPOSITION = "disposition_audit"


class StepResult(StrEnum):
    PASSED = "passed"
    CHANGED = "changed"
    FLAGGED = "flagged"
    REFUSED = "refused"
    NOT_RUN = "not_run"


class ConflictStatus(StrEnum):
    DETECTED = "detected"
    RESOLVING = "resolving"
    RESOLVED = "resolved"
    ESCALATED = "escalated"


class ConflictType(StrEnum):
    """How two records stand to each other: the same said twice, a newer state of the same thing, or one denies the
    other. The last two cannot both hold, so they make both sides contested; the first does not."""

    DUPLICATE = "duplicate"
    UPDATE = "update"
    CONTRADICTION = "contradiction"


class ConflictStrength(StrEnum):
    """How sure a conflict is. An established one contests both sides; a suspected one is shown and changes nothing."""

    ESTABLISHED = "established"
    SUSPECTED = "suspected"


class Contested(StrEnum):
    """How a reader is told of two records that dispute each other: both, only the newest among those of the most
    authority, or neither."""

    BOTH = "both"
    NEWEST = "newest"
    NEITHER = "neither"


class Strategy(StrEnum):
    """How a conflict is taken up. `promote` settles nothing: it makes a suspicion an established conflict. Nor does
    `reopen`: it takes a settlement back, so that both sides are contested again."""

    LAST_WRITE_WINS = "last_write_wins"
    CONFIDENCE_WEIGHTED = "confidence_weighted"
    AUTHORITY = "authority"
    EVIDENCE_COUNT = "evidence_count"
    VOTE = "vote"
    SYNTHESIS = "synthesis"
    HUMAN_ESCALATION = "human_escalation"
    PROMOTE = "promote"
    REOPEN = "reopen"


EXTENSION_SCOPES = frozenset({Scope.X_USER_IDENTITY, Scope.X_ORGANIZATION, Scope.X_CROSS_ORGANIZATION})
CORE_SCOPES = tuple(scope for scope in Scope if scope not in EXTENSION_SCOPES and scope is not Scope.USER)
"""What a rule of a policy is about that names no scope."""
SHARED_SCOPES = tuple(scope for scope in Scope if scope is not Scope.USER)
"""Everything but the memory of single users."""
STANDS_ON = frozenset({"derived_from", "parent", "depends_on", "echoes"})
"""The links that carry trust: a record is no better than what it reaches by them."""
SENSITIVITY_RANK = {word: rank for rank, word in enumerate(Sensitivity)}
TRUST_RANK = {word: rank for rank, word in enumerate(TrustLevel)}
LABEL_RANK = {word: rank for rank, word in enumerate(Label)}
