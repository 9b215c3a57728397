"""What a reader asks and what a reader is told."""

from __future__ import annotations

from enum import StrEnum
from typing import cast

from muniment.model import checks
from muniment.model.errors import Malformed
from muniment.model.gate import Thresholds
from muniment.model.one_line import Parts, quoted, sure
from muniment.model.record import Hop, Record, RecordState
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.value import Json, Value, fold_defaults
from muniment.model.vocabulary import Contested, GateFlag, Kind, MemoryClass, Scope, Sensitivity, TrustLevel

LIMIT_DEFAULT = 10
LIMIT_MAX = 200
QUERY_BYTES_MAX = 65_536
DEFAULT_PURPOSE = "answer"


class Attunement(Value):
    """What an agent is about, when it asks for what it should know instead of putting a question: its role, its task,
    what it cares for, and the ledger position it knew of last. With `count` everything there is is looked at, so that
    it can be said how much each bound keeps out; with `others` the asker's own records are left out."""

    role: str | None = None
    task: str | None = None
    interests: tuple[str, ...] = ()
    since: int = 0
    count: bool = False
    others: bool = False

    def __post_init__(self) -> None:
        checks.flag("count", self.count)
        checks.flag("others", self.others)
        checks.optional_text("role", self.role)
        checks.optional_text("task", self.task)
        checks.texts("interests", self.interests)
        checks.whole("since", self.since, least=0, most=2**62)

    @property
    def topics(self) -> tuple[str, ...]:
        """What to search for, the most telling first."""
        return tuple(text for text in (self.task, *self.interests, self.role) if text)


class Listing(Value):
    """One page of everything there is instead of an answer to a question: the revisions after this one, in the order
    they were written, in these states and, if one is named, of this session. With `changed_after`, what was written or
    changed after that ledger position, in the order of the last change."""

    after: int = 0
    statuses: tuple[Status, ...] = (Status.ACTIVE, Status.CONTESTED)
    session: str | None = None
    changed_after: int | None = None

    def __post_init__(self) -> None:
        if self.changed_after is not None:
            checks.whole("changed_after", self.changed_after, least=0, most=2**62)
        checks.whole("after", self.after, least=0, most=2**62)
        checks.instances("statuses", self.statuses, Status)
        checks.optional_identifier("session", self.session)


class Query(Value):
    """An access request: what is sought, for which purpose, within which bounds. None means "no bound of mine".
    `asked_at` is the instant that "last week" is read against; `floor` is how likely something must fit to be
    told, and with 0 nothing is too weak; `min_fit` is how likely each record must answer by itself; with `precise` only
    what holds the name that the question is bound by is told; `namespace` is one with all below it, `places` are
    exactly these; `contested` says how disputes are told."""

    text: str
    purpose: str = DEFAULT_PURPOSE
    scopes: tuple[Scope, ...] | None = None
    scope_ids: tuple[str, ...] | None = None
    namespace: str | None = None
    classes: tuple[MemoryClass, ...] | None = None
    kinds: tuple[Kind, ...] | None = None
    authors: tuple[str, ...] | None = None
    places: tuple[str, ...] | None = None
    trust_min: TrustLevel | None = None
    sensitivity_max: Sensitivity | None = None
    max_age_days: float | None = None
    require_provenance: bool = False
    confidence_min: float | None = None
    gate_min: float | None = None
    gate_flag: float | None = None
    valid_at: Instant | None = None
    known_at: Instant | None = None
    limit: int = LIMIT_DEFAULT
    budget_tokens: int | None = None
    asked_at: Instant | None = None
    floor: float | None = None
    contested: Contested | None = None
    attuned: Attunement | None = None
    listing: Listing | None = None
    min_fit: float | None = None
    precise: bool = False

    def __post_init__(self) -> None:
        if (self.attuned is None and self.listing is None) or self.text:
            checks.text("query", self.text, limit=QUERY_BYTES_MAX)
        checks.instant("asked_at", self.asked_at)
        checks.optional_unit_interval("floor", self.floor)
        checks.optional_unit_interval("min_fit", self.min_fit)
        if self.contested is not None:
            checks.word("contested", self.contested, Contested)
        checks.flag("precise", self.precise)
        if self.attuned is not None and not isinstance(self.attuned, Attunement):
            raise Malformed("attuned", "an Attunement")
        if self.listing is not None and not isinstance(self.listing, Listing):
            raise Malformed("listing", "a Listing")
        checks.identifier("purpose", self.purpose)
        self._check_lists()
        if self.namespace is not None:
            checks.namespace("namespace", self.namespace)
        if self.trust_min is not None:
            checks.word("trust_min", self.trust_min, TrustLevel)
        if self.sensitivity_max is not None:
            checks.word("sensitivity_max", self.sensitivity_max, Sensitivity)
        if self.max_age_days is not None:
            checks.number("max_age_days", self.max_age_days)
            if not 0 <= self.max_age_days <= 4_000_000:
                raise Malformed("max_age_days", "a number of days from 0 to 4000000")
        checks.flag("require_provenance", self.require_provenance)
        checks.optional_unit_interval("confidence_min", self.confidence_min)
        checks.optional_unit_interval("gate_min", self.gate_min)
        checks.optional_unit_interval("gate_flag", self.gate_flag)
        if self.gate_min is not None and self.gate_flag is not None:
            Thresholds(min=self.gate_min, flag=self.gate_flag)
        checks.instant("valid_at", self.valid_at)
        checks.instant("known_at", self.known_at)
        checks.whole("limit", self.limit, least=0, most=LIMIT_MAX)
        if self.budget_tokens is not None:
            checks.whole("budget_tokens", self.budget_tokens, least=0, most=10_000_000)
        fold_defaults(self)

    def _check_lists(self) -> None:
        if self.scopes is not None:
            checks.instances("scopes", self.scopes, Scope)
        if self.scope_ids is not None:
            checks.identifiers("scope_ids", self.scope_ids)
        if self.classes is not None:
            checks.instances("classes", self.classes, MemoryClass)
        if self.kinds is not None:
            checks.instances("kinds", self.kinds, Kind)
        if self.authors is not None:
            checks.identifiers("authors", self.authors)
        if self.places is not None:
            checks.texts("places", self.places)


class Presented(StrEnum):
    """As what a record may be told. Only a reviewed or well-founded current claim is told as a claim."""

    CLAIM = "claim"
    HYPOTHESIS = "hypothesis"
    SUPPORT = "support"
    CONTESTED = "contested"


class Dispute(Value):
    """The other side of an open conflict, as it is told inside the record that it disputes. `content` is its beginning
    if it is long; `whole` says whether that is all of it."""

    conflict: str
    id: str
    revision: int
    actor: str
    confidence: float
    content: str
    whole: bool = True


class Binding(Value):
    """That a record binds its reader: a directive or constraint in force in a scope the reader belongs to, and by
    whose authority."""

    by: str
    authority: int
    scope: Scope
    scope_id: str


class Disclosure(Value):
    """A record that passed the gate, with why it is here. Only `read.gate` makes one. `parts` are what its score is the
    sum of; `passage` is the part of a long content that fits best, by its first and last character. `disputed_by` holds
    the other sides of its open conflicts that the reader may see, the latest conflicts first. Of what was passed on
    from another group, `origin` says who said it first and where, and `via` through whose hands it came; `binds` says
    whether and by whose authority it binds the reader."""

    record: Record
    standing: RecordState
    presented: Presented
    gate: GateFlag
    score: float = 0.0
    reasons: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    parts: tuple[tuple[str, float], ...] = ()
    passage: tuple[int, int] | None = None
    disputed_by: tuple[Dispute, ...] = ()
    origin: Hop | None = None
    via: tuple[Hop, ...] = ()
    binds: Binding | None = None

    def __rich_repr__(self) -> Parts:
        return [("record", self.record), ("gate", self.gate.value), ("score", round(self.score, 3))]

    def __repr__(self) -> str:
        return f"<Disclosure {self.record.id}@{self.record.revision} {quoted(self.text)}>"

    def __str__(self) -> str:
        belief, effective = self.record.claim.belief, self.standing.footing.effective
        told = f"{self.record.claim.nature.kind} by {self.record.actor}, {sure(effective, unstated=belief.unstated)}"
        flag = "" if self.gate is GateFlag.PASS else f", {self.gate}"
        return f"{quoted(self.text)} ({told}{flag}; {self.record.id}@{self.record.revision})"

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def content(self) -> str:
        """The whole content of the record."""
        return self.record.content

    def to_dict(self) -> dict[str, Json]:
        """The record, what it counts for and why it is here, as one flat object."""
        from muniment.model.form import disclosure_shape

        return cast("dict[str, Json]", disclosure_shape(self))

    @property
    def text(self) -> str:
        """What to show: the passage that matched if the record is long, else all of it."""
        return self.record.content if self.passage is None else self.record.content[slice(*self.passage)]


class Withdrawn(Value):
    """A record that the caller was told before and may no longer rely on: `why` (retracted, deprecated, superseded,
    fallen or erased) and `since` which entry of the ledger."""

    id: str
    why: str
    since: int


class Abstention(StrEnum):
    """Why nothing is returned."""

    NO_MATCH = "no_match"
    NO_SEARCHABLE_WORDS = "no_searchable_words"
    NOTHING_ELIGIBLE = "nothing_eligible"
    NOT_AUTHORIZED = "not_authorized"
    NOTHING_FITS = "nothing_fits"
    NOTHING_RELEVANT = "nothing_relevant"


class Searched(Value):
    """How an answer was sought. `model` made the vectors, None when only words and links were searched, and `why` says
    why. `trailing` is how many ledger entries the vectors are behind; `fit` is how likely anything here fits at all;
    `words` are the words that were searched, `left_out` those too common to search; `names` are the names the question
    speaks of, aliases included; `span` is the time it asks about."""

    words: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    span: tuple[Instant, Instant] | None = None
    model: str | None = None
    trailing: int = 0
    fit: float | None = None
    why: str | None = None
