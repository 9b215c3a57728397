"""A policy: rules as data. What no rule allows is refused; an empty list allows nothing.

Write rules are asked in order and the first that fits decides. Read rules are grants: a record may be seen when
some grant covers it. Review rules say who may answer for others. An absent field puts no bound.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from muniment.model import checks
from muniment.model.erasure import DerivedPolicy
from muniment.model.errors import Malformed
from muniment.model.gate import USUAL, Gates, Thresholds
from muniment.model.value import Value, as_fraction
from muniment.model.vocabulary import (
    LABEL_RANK,
    ActorType,
    ConflictStrength,
    Consequence,
    Contested,
    Kind,
    Label,
    MemoryClass,
    Scope,
    Sensitivity,
    Suspicion,
    TrustLevel,
)
from muniment.model.weights import USUAL_WEIGHTS, Weights

ANYONE = "*"


class WriteDecision(StrEnum):
    COMMIT = "commit"
    HOLD = "hold"
    REFUSE = "refuse"


class Action(StrEnum):
    """What a review rule can allow."""

    ACCEPT = "accept"
    DISCARD = "discard"
    RETRACT = "retract"
    QUEUE = "queue"
    AUDIT = "audit"
    OBSERVE = "observe"
    VOUCH = "vouch"
    RESOLVE = "resolve"
    VOTE = "vote"
    PROMOTE = "promote"
    SWEEP = "sweep"
    NAME = "name"
    IMPORT = "import"
    ARCHIVE = "archive"
    FORGET = "forget"
    HOLD = "hold"
    REWIND = "rewind"


class SecretsPolicy(StrEnum):
    REDACT = "redact"
    DISCARD = "discard"


class PersonalDataPolicy(StrEnum):
    """What becomes of personal data in a proposal: it stays, it is taken out, it stays and a person decides, or it is
    taken out and the proposal is refused."""

    ALLOW = "allow"
    REDACT = "redact"
    HOLD = "hold"
    DISCARD = "discard"


class DoubtPolicy(StrEnum):
    """What becomes of a proposal whose words give cause for doubt: it waits for a person, it is refused, the doubt is
    noted, or nobody looks at it."""

    HOLD = "hold"
    REFUSE = "refuse"
    NOTE = "note"
    IGNORE = "ignore"


class DetectorEffect(StrEnum):
    """What follows when two records are found to disagree by their words alone: both are contested, the conflict is
    only noted, or nobody looks at it."""

    CONTEST = "contest"
    NOTE = "note"
    IGNORE = "ignore"


class SettleBy(StrEnum):
    """What decides an established conflict without a person. `hold` decides nothing: it waits for somebody."""

    AUTHORITY = "authority"
    CONFIDENCE = "confidence"
    EVIDENCE = "evidence"
    LAST_WRITE_WINS = "last_write_wins"
    HOLD = "hold"


class PolicyMember(Value):
    """What the policy knows of a named actor."""

    type: ActorType = ActorType.AGENT
    roles: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    authority: int = 4


class WriteRule(Value):
    """Who may have what committed, or must wait, or is refused. `member`: the scope must (not) be the actor's own;
    `authority_min`: only those who have that much; `word`: their word is enough where evidence is asked for."""

    id: str
    decision: WriteDecision
    reason: str
    actors: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    types: tuple[ActorType, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    scope_ids: tuple[str, ...] | None = None
    member: bool | None = None
    namespaces: tuple[str, ...] | None = None
    kinds: tuple[Kind, ...] | None = None
    classes: tuple[MemoryClass, ...] | None = None
    sensitivity_max: Sensitivity | None = None
    confidence_min: float | None = None
    evidence_min: int | None = None
    review_days: int | None = None
    authority_min: int | None = None
    word: bool = False


class ReadRule(Value):
    """A grant: who may see what, for which purposes. By default only scopes the actor belongs to."""

    id: str
    actors: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    types: tuple[ActorType, ...] | None = None
    purposes: tuple[str, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    scope_ids: tuple[str, ...] | None = None
    member: bool = True
    namespaces: tuple[str, ...] | None = None
    kinds: tuple[Kind, ...] | None = None
    classes: tuple[MemoryClass, ...] | None = None
    sensitivity_max: Sensitivity | None = None
    trust_min: TrustLevel | None = None
    label_min: Label | None = None


class ReviewRule(Value):
    """Who may answer for others, and for what. With `own` only for what they proposed themselves; with
    `authority_min` only those who have that much."""

    id: str
    actions: tuple[Action, ...]
    actors: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    types: tuple[ActorType, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    scope_ids: tuple[str, ...] | None = None
    own: bool = False
    authority_min: int | None = None
    namespaces: tuple[str, ...] | None = None


class DraftPolicy(Value):
    """Who may keep drafts, which are their authors' alone: everybody of this much authority, in places of their own
    and where they may commit."""

    authority_min: int = 2

    def __post_init__(self) -> None:
        checks.whole("authority_min", self.authority_min, least=0, most=10)


class SuspectPolicy(Value):
    """What becomes of a suspect: `low` where it comes from an origin below `below`, else `high`."""

    below: Label = Label.PERSON
    low: DoubtPolicy = DoubtPolicy.HOLD
    high: DoubtPolicy = DoubtPolicy.NOTE


class DirectiveWeights(Value):
    """What each thing that a text does to its reader weighs: from `least` on, together, they are a reason for doubt.
    It gives an order; wants to rule over talks to come; says who its reader is; asks for silence; for haste; calls on
    an authority; points out of here; is to hold for all time; wants to get round a check; takes a part in the
    conversation; plays back a key of a memory; has a link that carries data."""

    order: float = 0.4
    trigger: float = 0.6
    persona: float = 0.7
    secrecy: float = 0.6
    urgency: float = 0.3
    authority: float = 0.4
    outward: float = 0.3
    always: float = 0.3
    bypass: float = 0.6
    part: float = 0.7
    replay: float = 1.0
    carrier: float = 0.7
    least: float = 1.0

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            checks.number(name, getattr(self, name))
            if not 0 <= getattr(self, name) <= 100:
                raise Malformed(name, "a number from 0 to 100")
            as_fraction(self, name)


class PoisonPolicy(Value):
    """What becomes of text that may be meant to steer whoever reads it, for each reason to think so. Too many from one
    actor are `burst_count` within `burst_seconds`."""

    injection: SuspectPolicy = SuspectPolicy()
    instruction: SuspectPolicy = SuspectPolicy(below=Label.AGENT)
    hidden: SuspectPolicy = SuspectPolicy()
    encoded: SuspectPolicy = SuspectPolicy()
    authority: SuspectPolicy = SuspectPolicy()
    standing: SuspectPolicy = SuspectPolicy()
    burst: SuspectPolicy = SuspectPolicy(low=DoubtPolicy.NOTE, high=DoubtPolicy.IGNORE)
    burst_count: int = 600
    burst_seconds: int = 60
    marks: DirectiveWeights = DirectiveWeights()

    def __post_init__(self) -> None:
        checks.whole("burst_count", self.burst_count, least=2, most=100_000)
        checks.whole("burst_seconds", self.burst_seconds, least=1, most=86_400)

    def answer(self, family: Suspicion, label: Label, *, trusted: bool = False) -> DoubtPolicy:
        """What becomes of one reason for doubt, by where the text comes from. `trusted`: whoever wrote it may answer
        for it."""
        guard = self._guards[family]
        low = not trusted and LABEL_RANK[label] < LABEL_RANK[guard.below]
        return guard.low if low else guard.high

    @property
    def _guards(self) -> dict[Suspicion, SuspectPolicy]:
        return {
            Suspicion.INJECTION: self.injection,
            Suspicion.INSTRUCTION: self.instruction,
            Suspicion.HIDDEN: self.hidden,
            Suspicion.ENCODED: self.encoded,
            Suspicion.AUTHORITY: self.authority,
            Suspicion.STANDING: self.standing,
            Suspicion.BURST: self.burst,
        }


class CredentialsPolicy(Value):
    """Sorts of secrets that are treated otherwise than `secrets` says. None of them can be allowed."""

    private_key: SecretsPolicy | None = None
    cloud_access_key: SecretsPolicy | None = None
    code_host_token: SecretsPolicy | None = None
    build_token: SecretsPolicy | None = None
    chat_token: SecretsPolicy | None = None
    payment_key: SecretsPolicy | None = None
    mail_key: SecretsPolicy | None = None
    package_token: SecretsPolicy | None = None
    api_key: SecretsPolicy | None = None
    app_token: SecretsPolicy | None = None
    memory_key: SecretsPolicy | None = None
    signed_token: SecretsPolicy | None = None
    service_account: SecretsPolicy | None = None
    authorization_header: SecretsPolicy | None = None
    password_in_url: SecretsPolicy | None = None
    connection_string: SecretsPolicy | None = None
    credential: SecretsPolicy | None = None


class PersonalDataRules(Value):
    """What becomes of personal data, by its sort. Numbers that open accounts or name a citizen are taken out; how
    people are reached, and when they were born, is what many keep a memory for."""

    card_number: PersonalDataPolicy = PersonalDataPolicy.REDACT
    bank_account: PersonalDataPolicy = PersonalDataPolicy.REDACT
    national_id: PersonalDataPolicy = PersonalDataPolicy.REDACT
    email: PersonalDataPolicy = PersonalDataPolicy.ALLOW
    phone: PersonalDataPolicy = PersonalDataPolicy.ALLOW
    ip_address: PersonalDataPolicy = PersonalDataPolicy.ALLOW
    birth_date: PersonalDataPolicy = PersonalDataPolicy.ALLOW


class SafetyPolicy(Value):
    """What happens to secrets and personal data, and to text that may be meant to steer its reader."""

    secrets: SecretsPolicy = SecretsPolicy.REDACT
    credentials: CredentialsPolicy = CredentialsPolicy()
    personal: PersonalDataRules = PersonalDataRules()
    poison: PoisonPolicy = PoisonPolicy()


class EvidencePolicy(Value):
    """Kinds that must not become durable on an agent's word alone, and what happens to them then. `word`: whether a
    person's or a reviewer's word stands in for evidence; what is believed less than `session_below` is kept in a
    session or not at all."""

    required_for: tuple[Kind, ...] = (Kind.FACT, Kind.DECISION, Kind.PROCEDURE)
    otherwise: WriteDecision = WriteDecision.HOLD
    word: bool = True
    session_below: float | None = None

    def __post_init__(self) -> None:
        checks.optional_unit_interval("session_below", self.session_below)


class ConfidencePriors(Value):
    """How far a claim is believed that says nothing of its own confidence, by where it comes from: what a person says
    is above the usual flag, what an agent says is at it, and what comes from outside is below."""

    person: float = 0.7
    tool: float = 0.7
    system: float = 0.6
    agent: float = 0.6
    imported: float = msgspec.field(default=0.5, name="import")
    external: float = 0.5
    unknown: float = 0.5

    def __post_init__(self) -> None:
        for label in Label:
            checks.unit_interval(f"priors.{label}", self.of(label))

    def of(self, label: Label) -> float:
        return float(getattr(self, "imported" if label is Label.IMPORT else label.value))


class UnsharedPolicy(StrEnum):
    """What becomes of a claim of somebody who was lately told something of low origin and shares no content with it:
    it keeps its origin and carries what its author was told, it counts as what was told until a reviewer vouches for
    it, or it waits for a reviewer."""

    KEEP = "keep"
    LOWER = "lower"
    HOLD = "hold"


class ExposurePolicy(Value):
    """For how many hours somebody writes under the impression of what they were told, and what becomes of a claim that
    shares nothing with it. What shares content is derived from it, however long ago it was told."""

    hours: float = 24.0
    unshared: UnsharedPolicy = UnsharedPolicy.KEEP

    def __post_init__(self) -> None:
        checks.number("hours", self.hours)
        if not 0 <= self.hours <= 87_600:
            raise Malformed("hours", "a number from 0 to 87600")
        checks.word("unshared", self.unshared, UnsharedPolicy)
        as_fraction(self, "hours")


class TrustPolicy(Value):
    """How far records are believed: the gate's thresholds for everything and for single namespaces, what a missing or
    fallen pillar still bears, which purposes only inform, how low an origin may be for every other purpose, and what
    it means to have been told something of low origin."""

    gate: Thresholds = USUAL
    namespaces: dict[str, Thresholds] = msgspec.field(default_factory=dict)
    missing_floor: float = 0.2
    priors: ConfidencePriors = ConfidencePriors()
    inform: tuple[str, ...] = ("answer", "curation", "review", "audit", "summary", "research")
    steer_label_min: Label = Label.AGENT
    exposure: ExposurePolicy = ExposurePolicy()

    @property
    def gates(self) -> Gates:
        return Gates(engine=self.gate, namespaces=tuple(sorted(self.namespaces.items())))


class CascadePolicy(Value):
    """What becomes of a record when something it stands on ends, by how it ended."""

    retracted: Consequence = Consequence.FLAG
    deprecated: Consequence = Consequence.FLAG
    superseded: Consequence = Consequence.FLAG
    expired: Consequence = Consequence.FLAG
    contested: Consequence = Consequence.FLAG
    erased: Consequence = Consequence.FLAG


class ErasurePolicy(Value):
    """What becomes of records that were derived from what somebody asks to forget, unless they say so themselves."""

    derived: DerivedPolicy = DerivedPolicy.ERASE

    def __post_init__(self) -> None:
        checks.word("derived", self.derived, DerivedPolicy)


class SettleRule(Value):
    """Which conflicts are settled without a person, and what decides: the first of `by` that tells the two sides apart.
    It fits when both sides do. Only an established conflict is ever settled so."""

    by: tuple[SettleBy, ...]
    id: str = ""
    strength: ConflictStrength = ConflictStrength.ESTABLISHED
    kinds: tuple[Kind, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    scope_ids: tuple[str, ...] | None = None
    namespaces: tuple[str, ...] | None = None


class DisputePolicy(Value):
    """How disagreement is found and settled: what the detector and a judge may cause, how many voices a vote needs, and
    what is settled without a person: a list of rules, or of words as one rule for every established conflict."""

    detector: DetectorEffect = DetectorEffect.CONTEST
    judge: DetectorEffect = DetectorEffect.NOTE
    quorum: int = 3
    settle: tuple[SettleRule | SettleBy, ...] = ()

    def __post_init__(self) -> None:
        for number, rule in enumerate(self.settle_rules):
            if rule.strength is not ConflictStrength.ESTABLISHED and set(rule.by) - {SettleBy.HOLD}:
                raise Malformed(
                    f"settle[{number}].by", "hold, where the strength is suspected: no machine settles that"
                )
        if {type(one) for one in self.settle} == {SettleRule, SettleBy}:
            raise Malformed("settle", "a list of rules, or a list of words, and not both")

    @property
    def settle_rules(self) -> tuple[SettleRule, ...]:
        """The rules in order, each with a name."""
        words = tuple(one for one in self.settle if isinstance(one, SettleBy))
        rules = (SettleRule(id="settle", by=words),) if words else ()
        given = (one for one in self.settle if isinstance(one, SettleRule))
        named = (
            one if one.id else msgspec.structs.replace(one, id=f"settle-{number}")
            for number, one in enumerate(given, start=1)
        )
        return (*rules, *named)


class ReadingPolicy(Value):
    """How readers who are no persons are told of disputes unless they say so themselves: one word, or a word for each
    purpose, where `*` stands for every other one. People are told both sides."""

    contested: Contested | dict[str, Contested] = Contested.BOTH

    def of(self, purpose: str) -> Contested:
        if isinstance(self.contested, Contested):
            return self.contested
        return self.contested.get(purpose, self.contested.get(ANYONE, Contested.BOTH))


class RecallPolicy(Value):
    """How answers are ranked: what each reason to tell a record counts, and how likely a fit must be to be told."""

    weights: Weights = USUAL_WEIGHTS
    floor: float = 0.017

    def __post_init__(self) -> None:
        checks.unit_interval("floor", self.floor)


class Policy(Value):
    version: int
    name: str
    actors: dict[str, PolicyMember] = msgspec.field(default_factory=dict)
    write: tuple[WriteRule, ...] = ()
    read: tuple[ReadRule, ...] = ()
    review: tuple[ReviewRule, ...] = ()
    drafts: DraftPolicy = DraftPolicy()
    safety: SafetyPolicy = SafetyPolicy()
    evidence: EvidencePolicy = EvidencePolicy()
    trust: TrustPolicy = TrustPolicy()
    cascade: CascadePolicy = CascadePolicy()
    erasure: ErasurePolicy = ErasurePolicy()
    disputes: DisputePolicy = DisputePolicy()
    reading: ReadingPolicy = ReadingPolicy()
    recall: RecallPolicy = RecallPolicy()
