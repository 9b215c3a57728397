"""A policy: rules as data. What no rule allows is refused; an empty list allows nothing.

Write rules are asked in order and the first that fits decides. Read rules are grants: a record may be seen when
some grant covers it. Review rules say who may answer for others. An absent field puts no bound.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from muniment.model import checks
from muniment.model.erasure import Derived
from muniment.model.errors import Malformed
from muniment.model.gate import USUAL, Gates, Thresholds
from muniment.model.value import Value, as_fraction
from muniment.model.vocabulary import (
    LABEL_RANK,
    ActorType,
    Consequence,
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


class Secrets(StrEnum):
    REDACT = "redact"
    DISCARD = "discard"


class Treatment(StrEnum):
    """What becomes of personal data in a proposal: it stays, it is taken out, it stays and a person decides, or it is
    taken out and the proposal is refused."""

    ALLOW = "allow"
    REDACT = "redact"
    HOLD = "hold"
    DISCARD = "discard"


class Answer(StrEnum):
    """What becomes of a proposal whose words give cause for doubt: it waits for a person, it is refused, the doubt is
    noted, or nobody looks at it."""

    HOLD = "hold"
    REFUSE = "refuse"
    NOTE = "note"
    IGNORE = "ignore"


class Detector(StrEnum):
    """What follows when two records are found to disagree by their words alone: both are contested, the conflict is
    only noted, or nobody looks at it."""

    CONTEST = "contest"
    NOTE = "note"
    IGNORE = "ignore"


class Member(Value):
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
    own: bool = False
    authority_min: int | None = None
    namespaces: tuple[str, ...] | None = None


class Drafts(Value):
    """Who may keep drafts, which are their authors' alone: everybody of this much authority, in places of their own
    and where they may commit."""

    authority_min: int = 2

    def __post_init__(self) -> None:
        checks.whole("authority_min", self.authority_min, least=0, most=10)


class Guard(Value):
    """What becomes of a suspect: `low` where it comes from an origin below `below`, else `high`."""

    below: Label = Label.PERSON
    low: Answer = Answer.HOLD
    high: Answer = Answer.NOTE


class Marks(Value):
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


class Poison(Value):
    """What becomes of text that may be meant to steer whoever reads it, for each reason to think so. Too many from one
    actor are `burst_count` within `burst_seconds`."""

    injection: Guard = Guard()
    instruction: Guard = Guard(below=Label.AGENT)
    hidden: Guard = Guard()
    encoded: Guard = Guard()
    authority: Guard = Guard()
    standing: Guard = Guard()
    burst: Guard = Guard(low=Answer.NOTE, high=Answer.IGNORE)
    burst_count: int = 600
    burst_seconds: int = 60
    marks: Marks = Marks()

    def __post_init__(self) -> None:
        checks.whole("burst_count", self.burst_count, least=2, most=100_000)
        checks.whole("burst_seconds", self.burst_seconds, least=1, most=86_400)

    def answer(self, family: Suspicion, label: Label, *, trusted: bool = False) -> Answer:
        """What becomes of one reason for doubt, by where the text comes from. `trusted`: whoever wrote it may answer
        for it."""
        guard = self._guards[family]
        low = not trusted and LABEL_RANK[label] < LABEL_RANK[guard.below]
        return guard.low if low else guard.high

    @property
    def _guards(self) -> dict[Suspicion, Guard]:
        return {
            Suspicion.INJECTION: self.injection,
            Suspicion.INSTRUCTION: self.instruction,
            Suspicion.HIDDEN: self.hidden,
            Suspicion.ENCODED: self.encoded,
            Suspicion.AUTHORITY: self.authority,
            Suspicion.STANDING: self.standing,
            Suspicion.BURST: self.burst,
        }


class Credentials(Value):
    """Sorts of secrets that are treated otherwise than `secrets` says. None of them can be allowed."""

    private_key: Secrets | None = None
    cloud_access_key: Secrets | None = None
    code_host_token: Secrets | None = None
    build_token: Secrets | None = None
    chat_token: Secrets | None = None
    payment_key: Secrets | None = None
    mail_key: Secrets | None = None
    package_token: Secrets | None = None
    api_key: Secrets | None = None
    app_token: Secrets | None = None
    memory_key: Secrets | None = None
    signed_token: Secrets | None = None
    service_account: Secrets | None = None
    authorization_header: Secrets | None = None
    password_in_url: Secrets | None = None
    connection_string: Secrets | None = None
    credential: Secrets | None = None


class Personal(Value):
    """What becomes of personal data, by its sort. Numbers that open accounts or name a citizen are taken out; how
    people are reached, and when they were born, is what many keep a memory for."""

    card_number: Treatment = Treatment.REDACT
    bank_account: Treatment = Treatment.REDACT
    national_id: Treatment = Treatment.REDACT
    email: Treatment = Treatment.ALLOW
    phone: Treatment = Treatment.ALLOW
    ip_address: Treatment = Treatment.ALLOW
    birth_date: Treatment = Treatment.ALLOW


class Safety(Value):
    """What happens to secrets and personal data, and to text that may be meant to steer its reader."""

    secrets: Secrets = Secrets.REDACT
    credentials: Credentials = Credentials()
    personal: Personal = Personal()
    poison: Poison = Poison()


class Evidence(Value):
    """Kinds that must not become durable on an agent's word alone, and what happens to them then. `word`: whether a
    person's or a reviewer's word stands in for evidence; what is believed less than `session_below` is kept in a
    session or not at all."""

    required_for: tuple[Kind, ...] = (Kind.FACT, Kind.DECISION, Kind.PROCEDURE)
    otherwise: WriteDecision = WriteDecision.HOLD
    word: bool = True
    session_below: float | None = None

    def __post_init__(self) -> None:
        checks.optional_unit_interval("session_below", self.session_below)


class Priors(Value):
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


class Unshared(StrEnum):
    """What becomes of a claim of somebody who was lately told something of low origin and shares no content with it:
    it keeps its origin and carries what its author was told, it counts as what was told until a reviewer vouches for
    it, or it waits for a reviewer."""

    KEEP = "keep"
    LOWER = "lower"
    HOLD = "hold"


class Exposed(Value):
    """For how many hours somebody writes under the impression of what they were told, and what becomes of a claim that
    shares nothing with it. What shares content is derived from it, however long ago it was told."""

    hours: float = 24.0
    unshared: Unshared = Unshared.KEEP

    def __post_init__(self) -> None:
        checks.number("hours", self.hours)
        if not 0 <= self.hours <= 87_600:
            raise Malformed("hours", "a number from 0 to 87600")
        checks.word("unshared", self.unshared, Unshared)
        as_fraction(self, "hours")


class Trust(Value):
    """How far records are believed: the gate's thresholds for everything and for single namespaces, what a missing or
    fallen pillar still bears, which purposes only inform, how low an origin may be for every other purpose, and what
    it means to have been told something of low origin."""

    gate: Thresholds = USUAL
    namespaces: dict[str, Thresholds] = msgspec.field(default_factory=dict)
    missing_floor: float = 0.2
    priors: Priors = Priors()
    inform: tuple[str, ...] = ("answer", "curation", "review", "audit", "summary", "research")
    steer_label_min: Label = Label.AGENT
    exposure: Exposed = Exposed()

    @property
    def gates(self) -> Gates:
        return Gates(engine=self.gate, namespaces=tuple(sorted(self.namespaces.items())))


class Cascade(Value):
    """What becomes of a record when something it stands on ends, by how it ended."""

    retracted: Consequence = Consequence.FLAG
    deprecated: Consequence = Consequence.FLAG
    superseded: Consequence = Consequence.FLAG
    expired: Consequence = Consequence.FLAG
    contested: Consequence = Consequence.FLAG
    erased: Consequence = Consequence.FLAG


class Erasure(Value):
    """What becomes of records that were derived from what somebody asks to forget, unless they say so themselves."""

    derived: Derived = Derived.ERASE

    def __post_init__(self) -> None:
        checks.word("derived", self.derived, Derived)


class Disputes(Value):
    """How disagreement is found and settled: what the detector and a judge may cause, and how many voices a vote
    needs."""

    detector: Detector = Detector.CONTEST
    judge: Detector = Detector.NOTE
    quorum: int = 3


class Recalling(Value):
    """How answers are ranked: what each reason to tell a record counts, and how likely a fit must be to be told."""

    weights: Weights = USUAL_WEIGHTS
    floor: float = 0.017

    def __post_init__(self) -> None:
        checks.unit_interval("floor", self.floor)


class Policy(Value):
    version: int
    name: str
    actors: dict[str, Member] = msgspec.field(default_factory=dict)
    write: tuple[WriteRule, ...] = ()
    read: tuple[ReadRule, ...] = ()
    review: tuple[ReviewRule, ...] = ()
    drafts: Drafts = Drafts()
    safety: Safety = Safety()
    evidence: Evidence = Evidence()
    trust: Trust = Trust()
    cascade: Cascade = Cascade()
    erasure: Erasure = Erasure()
    disputes: Disputes = Disputes()
    recall: Recalling = Recalling()
