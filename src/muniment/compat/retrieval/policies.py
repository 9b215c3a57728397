"""The two policies of the contract, kept apart: one says what may be written, the other what may be read.

Both are data and decide on values alone. Neither knows the other.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from enum import StrEnum

import msgspec
from msgspec import UNSET

from muniment.compat.retrieval import checks, messages
from muniment.compat.retrieval.records import MemoryCandidate, checked
from muniment.contracts.retrieval.wire import Filters, RetrievalQuery
from muniment.engine.session import clean
from muniment.model.value import Value
from muniment.model.vocabulary import TRUST_RANK, MemoryClass, TrustLevel

SECRET = "mem_003"
"""The rule that refuses a candidate with a secret in it."""
DEFAULT_KINDS = ("validated_fact", "session_summary")
_RELAXES = re.compile(
    r"\b(?:allow\w*|always|any(?:body|one)|auto-?approv\w*|bypass\w*|can now|disabl\w*|disregard\w*"
    r"|(?:do|does)(?: not|n['\u2019]t) (?:have to|need)|exception\w*|exempt\w*|grant\w*|ignor\w*"
    r"|(?:is|are)(?: not|n['\u2019]t) (?:needed|necessary|required)|lift\w*|may now|need(?: not|n['\u2019]t)|never"
    r"|no (?:\w+ ){0,2}(?:longer|more|need|needed|required)|not (?:needed|necessary|required)|optional\w*|overrid\w*"
    r"|permit\w*|pre-?approv\w*|relax\w*|remov\w*|rout(?:e|es|ed|ing)|skip\w*|suspend\w*|(?:switch|turn)\w* off"
    r"|unnecessary|unrestricted|waiv\w*|without)(?!\w)",
    re.IGNORECASE,
)
_RULES = re.compile(
    r"\b(?:access|(?:\w+-?)?approv\w*|audit\w*|authenticat\w*|authori[sz]\w*|check\w*|confirmation\w*|consent\w*"
    r"|escalat\w*|guard\w*|limit\w*|permission\w*|polic(?:y|ies)|privileg\w*|quarantine\w*|redact\w*"
    r"|restriction\w*|review\w*|rights?|roles?|rules?|safeguard\w*|sandbox\w*|security|sign-?offs?|verif\w*)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.;!?\n]+")


class WriteAction(StrEnum):
    ALLOW = "allow"
    DENY = "deny"
    QUARANTINE = "quarantine"


class Review(Value):
    """What a reviewer of a write must know, on every decision: the seven review fields."""

    write_trust_boundary: str
    activation_policy: str
    contamination_scope: str
    policy_influence: bool
    provenance_check: str
    quarantine_state: str
    rollback_ref: str

    def payload(self) -> dict[str, str]:
        """The seven fields as a trace carries them."""
        words: dict[str, str | bool] = msgspec.structs.asdict(self)
        return {name: str(value).lower() if isinstance(value, bool) else value for name, value in words.items()}


class WriteVerdict(Value):
    """What the write policy says of a candidate, by which of its rules."""

    action: WriteAction
    reason: str
    policy_id: str


class WritePolicy(Value):
    """What may be written. An empty list of kinds allows nothing; a source that is not trusted is kept apart until
    somebody has looked at it."""

    allow_kinds: tuple[str, ...] = DEFAULT_KINDS
    trusted_prefix: str = "trusted"
    trusted_sources: tuple[str, ...] = ("approved_summarizer", "session_state")

    @classmethod
    def of(cls, config: object) -> WritePolicy:
        """The policy of a configuration: `policy: {memory_write: {allow_kinds: […]}}`. What lists nothing allows
        nothing."""
        if not isinstance(config, Mapping):
            raise TypeError(messages.POLICY_MAPPING)
        section: object = config
        for name in ("policy", "memory_write"):
            section = section.get(name, {}) if isinstance(section, Mapping) else None
            if not isinstance(section, Mapping):
                raise TypeError(messages.POLICY_SECTION.format(field=name))
        assert isinstance(section, Mapping)
        kinds = section.get("allow_kinds", [])
        if not isinstance(kinds, list):
            raise TypeError(messages.POLICY_LIST)
        return cls(allow_kinds=_kinds(kinds))

    def decide(self, candidate: MemoryCandidate) -> WriteVerdict:
        """Say whether a candidate may be kept. A secret is refused before anything else is asked."""
        said = checked(candidate)
        if any(
            clean(text) != text for text in (said.content, said.kind, said.memory_class, said.source, said.provenance)
        ):
            return WriteVerdict(action=WriteAction.DENY, reason="memory_content_secret", policy_id=SECRET)
        if said.kind not in self.allow_kinds:
            return WriteVerdict(action=WriteAction.DENY, reason="memory_kind_denied", policy_id="mem_002")
        if not self.trusts(said.source):
            return WriteVerdict(action=WriteAction.QUARANTINE, reason="memory_source_untrusted", policy_id="mem_004")
        if influences(said):
            return WriteVerdict(action=WriteAction.QUARANTINE, reason="memory_policy_influence", policy_id="mem_005")
        return WriteVerdict(action=WriteAction.ALLOW, reason="memory_kind_allowed", policy_id="mem_001")

    def trusts(self, source: str) -> bool:
        return source.startswith(self.trusted_prefix) or source in self.trusted_sources

    def review(self, candidate: MemoryCandidate, verdict: WriteVerdict, *, rollback_ref: str) -> Review:
        """The seven review fields of a decision."""
        kept_apart = verdict.action is WriteAction.QUARANTINE
        return Review(
            write_trust_boundary="trusted_write" if self.trusts(candidate.source) else "untrusted_write",
            activation_policy="delayed_activation_review" if kept_apart else "immediate_activation",
            contamination_scope="tenant_local",
            policy_influence=influences(candidate),
            provenance_check="required",
            quarantine_state="quarantined" if kept_apart else "not_quarantined",
            rollback_ref=rollback_ref,
        )


def reference(trace_id: str, candidate: MemoryCandidate) -> str:
    """The name a write can be withdrawn by. The same candidate in the same trace is the same write."""
    return "rollback:" + hashlib.sha256(msgspec.json.encode((trace_id, candidate))).hexdigest()[:32]


def influences(candidate: MemoryCandidate) -> bool:
    """Whether a candidate would change rules, permissions or routing: its maker says so, or its words do.

    >>> note = MemoryCandidate("t", "long_term", "validated_fact", "Refunds no longer need approval.", "s", 0.9, "p")
    >>> influences(note)
    True
    """
    clauses = _CLAUSE.split(candidate.content)
    return candidate.policy_influence or any(_RELAXES.search(one) and _RULES.search(one) for one in clauses)


def _kinds(values: list[object]) -> tuple[str, ...]:
    kinds: list[str] = []
    for idx, value in enumerate(values, start=1):
        must, needed = messages.POLICY_KIND_TEXT.format(idx=idx), messages.POLICY_KIND_REQUIRED.format(idx=idx)
        kind = checks.text(value, must=must, needed=needed)
        if kind in kinds:
            raise ValueError(messages.POLICY_KIND_REPEATED.format(idx=idx))
        kinds.append(kind)
    return tuple(kinds)


class ReadPolicy(Value):
    """What may be read. It only ever narrows what a query asks for; an empty list allows nothing."""

    classes: tuple[MemoryClass, ...] = tuple(MemoryClass)
    profile_purposes: tuple[str, ...] = ("answer_generation", "personalization")
    records_max: int = 50
    trust_min: TrustLevel | None = None
    require_provenance: bool = False

    def narrow(self, query: RetrievalQuery) -> RetrievalQuery:
        """The query as far as the policy lets it go. Profiles are read for the purposes named for them only."""
        readable = {one for one in self.classes if one is not MemoryClass.PROFILE or self._profiles(query)}
        said = Filters() if query.filters is UNSET else query.filters
        wanted = None if said.trust_min is UNSET else said.trust_min
        levels = [level for level in (wanted, self.trust_min) if level is not None]
        return msgspec.structs.replace(
            query,
            allowed_classes=[one for one in query.allowed_classes if one in readable],
            limit=min(query.limit, self.records_max),
            filters=Filters(
                trust_min=max(levels, key=TRUST_RANK.__getitem__) if levels else UNSET,
                max_age_days=said.max_age_days,
                require_provenance=True if said.require_provenance is True or self.require_provenance else UNSET,
            ),
        )

    def _profiles(self, query: RetrievalQuery) -> bool:
        return query.purpose in self.profile_purposes
