"""What a proposal puts forward and a record keeps: the claim, made of small frozen values.

Each value is one row of the record table in ARCHITECTURE.md. Defaults are the quiet choice: nothing
asserted, nothing shared further than the project.
"""

from __future__ import annotations

import msgspec

from muniment.model import checks
from muniment.model.errors import Malformed
from muniment.model.times import Instant
from muniment.model.value import Value, as_fraction, fold_defaults
from muniment.model.vocabulary import (
    Kind,
    MemoryClass,
    MemoryType,
    RelationType,
    Scope,
    Sensitivity,
    Tier,
)

DEFAULT_SCOPE_ID = "default"


class Slot(Value):
    """A question with one answer at a time: `key` of `subject` is `value`."""

    subject: str
    key: str
    value: str

    def __post_init__(self) -> None:
        checks.text("subject", self.subject)
        checks.text("key", self.key)
        checks.text("value", self.value)


class Nature(Value):
    """What sort of memory it is."""

    kind: Kind = Kind.OBSERVATION
    memory_type: MemoryType = MemoryType.SEMANTIC
    memory_class: MemoryClass = MemoryClass.LONG_TERM
    experience: str | None = None
    lifecycle: str | None = None

    def __post_init__(self) -> None:
        checks.word("kind", self.kind, Kind)
        checks.word("memory_type", self.memory_type, MemoryType)
        checks.word("memory_class", self.memory_class, MemoryClass)
        checks.optional_text("experience", self.experience)
        checks.optional_text("lifecycle", self.lifecycle)


class Place(Value):
    """Where it belongs: whose it is (`scope`, `scope_id`) and under which heading (`namespace`)."""

    scope: Scope = Scope.PROJECT
    scope_id: str = DEFAULT_SCOPE_ID
    namespace: str = "/"
    session_id: str | None = None
    workflow_id: str | None = None
    task_id: str | None = None

    def __post_init__(self) -> None:
        checks.word("scope", self.scope, Scope)
        checks.identifier("scope_id", self.scope_id)
        checks.namespace("namespace", self.namespace)
        checks.optional_identifier("session_id", self.session_id)
        checks.optional_identifier("workflow_id", self.workflow_id)
        checks.optional_identifier("task_id", self.task_id)
        fold_defaults(self)

    @property
    def user(self) -> str | None:
        """The user whose memory it is, if it is one user's."""
        return self.scope_id if self.scope is Scope.USER else None


class Intent(Value):
    """Why it was written down."""

    purpose: str | None = None
    question: str | None = None

    def __post_init__(self) -> None:
        checks.optional_text("purpose", self.purpose)
        checks.optional_text("question", self.question)


class Origin(Value):
    """Where it came from, as the proposer tells it. Who proposed it is not told but known: `Proposal.actor`."""

    source: str | None = None
    source_type: str | None = None
    credibility: float | None = None
    external_id: str | None = None
    triggered_by: str | None = None

    def __post_init__(self) -> None:
        checks.optional_text("source", self.source)
        checks.optional_text("source_type", self.source_type)
        checks.optional_unit_interval("credibility", self.credibility)
        checks.optional_text("external_id", self.external_id)
        checks.optional_text("triggered_by", self.triggered_by)


_ONE = 1.0


class Belief(Value):
    """How sure the proposer is, and on what grounds. `reasoning` is a public rationale, never private thought. A score
    that nobody gave is `unstated`: it is what the policy grants to whoever says it."""

    score: float = 0.5
    reasoning: str | None = None
    evidence: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    alpha: float = _ONE
    beta: float = _ONE
    hedged: bool = False
    unstated: bool = False

    def __post_init__(self) -> None:
        checks.flag("unstated", self.unstated)
        checks.unit_interval("confidence", self.score)
        checks.optional_text("reasoning", self.reasoning)
        checks.texts("evidence", self.evidence)
        checks.texts("assumptions", self.assumptions)
        checks.flag("hedged", self.hedged)
        as_fraction(self, "score")
        if self.alpha is not _ONE or self.beta is not _ONE:
            for name in ("alpha", "beta"):
                checks.positive(name, getattr(self, name))
                as_fraction(self, name)
        fold_defaults(self)


class Times(Value):
    """When it happened and when it holds. When we were told is the ledger's to say."""

    event_time: Instant | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    expires_at: Instant | None = None

    def __post_init__(self) -> None:
        checks.instant("event_time", self.event_time)
        checks.instant("valid_from", self.valid_from)
        checks.instant("valid_until", self.valid_until)
        checks.instant("expires_at", self.expires_at)
        if self.valid_from is not None and self.valid_until is not None and self.valid_until < self.valid_from:
            raise Malformed("valid_until", "an instant that is not before valid_from")


class Relation(Value):
    """A typed link from this claim to a record."""

    type: RelationType
    target: str
    description: str | None = None

    def __post_init__(self) -> None:
        checks.word("relation.type", self.type, RelationType)
        checks.identifier("relation.target", self.target)
        checks.optional_text("relation.description", self.description)


class Lineage(Value):
    """What it stands on, what it replaces, what it relates to."""

    derived_from: tuple[str, ...] = ()
    supersedes: str | None = None
    parent: str | None = None
    relations: tuple[Relation, ...] = ()
    entities: tuple[str, ...] = ()

    @property
    def replaced(self) -> tuple[str, ...]:
        """The records it takes the place of, however that was said."""
        if self.supersedes is None and not self.relations:
            return ()
        said = [relation.target for relation in self.relations if relation.type is RelationType.SUPERSEDES]
        return tuple(dict.fromkeys([*([self.supersedes] if self.supersedes is not None else []), *said]))

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Every link to another record, by type and target, each once, in a fixed order."""
        if not (self.derived_from or self.relations or self.supersedes or self.parent):
            return ()
        found = [("derived_from", name) for name in self.derived_from]
        found += [(relation.type.value, relation.target) for relation in self.relations]
        if self.supersedes is not None:
            found.append(("supersedes", self.supersedes))
        if self.parent is not None:
            found.append(("parent", self.parent))
        return tuple(sorted(set(found)))

    def __post_init__(self) -> None:
        checks.identifiers("derived_from", self.derived_from)
        checks.optional_identifier("supersedes", self.supersedes)
        checks.optional_identifier("parent", self.parent)
        checks.instances("relations", self.relations, Relation)
        checks.texts("entities", self.entities)


class Handling(Value):
    """How it asks to be handled: how far it may travel, who answers for it, when to look at it again."""

    sensitivity: Sensitivity = Sensitivity.INTERNAL
    owner: str | None = None
    next_review_at: Instant | None = None

    def __post_init__(self) -> None:
        checks.word("sensitivity", self.sensitivity, Sensitivity)
        checks.optional_identifier("owner", self.owner)
        checks.instant("next_review_at", self.next_review_at)


class Charter(Value):
    """What memory about people, or across a border, needs before it may be kept: on which lawful ground, who may read
    it, how it is erased, how long it is kept, how good its source is, who reviews it, which scopes never see it.
    Its owner is named where every record's is."""

    lawful_basis: str | None = None
    access: tuple[str, ...] = ()
    erasure: str | None = None
    retention_days: int | None = None
    source_quality: str | None = None
    reviewer: str | None = None
    barred: tuple[Scope, ...] = ()

    def __post_init__(self) -> None:
        checks.optional_text("lawful_basis", self.lawful_basis)
        checks.identifiers("access", self.access)
        checks.optional_text("erasure", self.erasure)
        if self.retention_days is not None:
            checks.whole("retention_days", self.retention_days, least=1, most=36_500)
        checks.optional_text("source_quality", self.source_quality)
        checks.optional_identifier("reviewer", self.reviewer)
        checks.instances("barred", self.barred, Scope)

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of what is not said."""
        names = ("lawful_basis", "access", "erasure", "retention_days", "source_quality", "reviewer", "barred")
        return tuple(name for name in names if not getattr(self, name))


class Strength(Value):
    """How present it is. Only ever used to rank, never to decide what is true or allowed."""

    importance: float = 0.5
    tier: Tier = Tier.WORKING
    half_life_hours: float | None = None
    anchored: bool = False

    def __post_init__(self) -> None:
        checks.unit_interval("importance", self.importance)
        checks.word("tier", self.tier, Tier)
        if self.half_life_hours is not None:
            checks.positive("half_life_hours", self.half_life_hours)
        checks.flag("anchored", self.anchored)
        as_fraction(self, "importance")
        fold_defaults(self)


class Extension(Value):
    """What has no place in our record, kept as the JSON text it came as, under the name of its contract."""

    name: str
    body: str

    def __post_init__(self) -> None:
        checks.text("extension.name", self.name)
        checks.plain_text("extension.body", self.body, limit=checks.CONTENT_BYTES_MAX)
        try:
            msgspec.json.decode(self.body)
        except (msgspec.DecodeError, RecursionError):
            raise Malformed("extension.body", "JSON text, not nested too deeply") from None


_NATURE, _PLACE, _INTENT, _ORIGIN, _BELIEF = Nature(), Place(), Intent(), Origin(), Belief()
_TIMES, _LINEAGE, _HANDLING, _STRENGTH = Times(), Lineage(), Handling(), Strength()
_PARTS: tuple[tuple[str, type[Value], Value], ...] = (
    ("nature", Nature, _NATURE),
    ("place", Place, _PLACE),
    ("intent", Intent, _INTENT),
    ("origin", Origin, _ORIGIN),
    ("belief", Belief, _BELIEF),
    ("times", Times, _TIMES),
    ("lineage", Lineage, _LINEAGE),
    ("handling", Handling, _HANDLING),
    ("strength", Strength, _STRENGTH),
)


class Claim(Value):
    """Everything said in one proposal, or kept in one revision of a record. `content` is never changed."""

    content: str
    slot: Slot | None = None
    nature: Nature = _NATURE
    place: Place = _PLACE
    intent: Intent = _INTENT
    origin: Origin = _ORIGIN
    belief: Belief = _BELIEF
    times: Times = _TIMES
    lineage: Lineage = _LINEAGE
    handling: Handling = _HANDLING
    strength: Strength = _STRENGTH
    charter: Charter | None = None
    extensions: tuple[Extension, ...] = ()

    def __post_init__(self) -> None:
        checks.text("content", self.content, limit=checks.CONTENT_BYTES_MAX)
        for name, kind, default in _PARTS:
            if getattr(self, name) is not default and not isinstance(getattr(self, name), kind):
                raise Malformed(name, f"a {kind.__name__}")
        if self.slot is not None and not isinstance(self.slot, Slot):
            raise Malformed("slot", "a Slot")
        if self.charter is not None and not isinstance(self.charter, Charter):
            raise Malformed("charter", "a Charter")
        checks.instances("extensions", self.extensions, Extension)
        fold_defaults(self)
