"""A record: one committed revision of a claim. Frozen for good; what happens to it later is its `Standing`."""

from __future__ import annotations

from muniment.model import checks
from muniment.model.claim import Claim
from muniment.model.entity import Entity
from muniment.model.errors import Malformed
from muniment.model.one_line import Parts, quoted, short, sure
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.value import Value, as_fraction, fold_defaults
from muniment.model.vocabulary import ActorType, Label, Scope, Support, Tier, TrustLevel


class TrustState(Value):
    """How far a revision can be believed now.

    `own` is what was declared, moved by outcomes since (`helpful`, `misleading`: their summed weights). `effective` is
    the lowest of `own` and everything the revision stands on, at any depth. `label` is where it comes from.
    """

    own: float
    effective: float
    label: Label
    support: Support = Support.STANDING
    helpful: float = 0.0
    misleading: float = 0.0

    def __post_init__(self) -> None:
        if not self._plain:
            self._check()
        fold_defaults(self)

    @property
    def _plain(self) -> bool:
        """Whether nothing needs a closer look. Every entry that is read makes one, so the usual case is quick."""
        return (
            type(self.own) is type(self.effective) is type(self.helpful) is type(self.misleading) is float
            and 0.0 < self.own <= 1.0
            and 0.0 < self.effective <= 1.0
            and 0.0 <= self.helpful < 1e15
            and 0.0 <= self.misleading < 1e15
            and type(self.label) is Label
            and type(self.support) is Support
        )

    def _check(self) -> None:
        for name in ("own", "effective"):
            checks.unit_interval(name, getattr(self, name))
        for name in ("helpful", "misleading"):
            checks.number(name, getattr(self, name))
            if getattr(self, name) < 0:
                raise Malformed(name, "a number that is not below 0")
        for name in ("own", "effective", "helpful", "misleading"):
            as_fraction(self, name)
        checks.word("label", self.label, Label)
        checks.word("support", self.support, Support)


class UsageState(Value):
    """How present a revision is. Only ever used to rank, never to decide what is true or allowed."""

    tier: Tier = Tier.WORKING
    accesses: int = 0
    last_access: Instant | None = None

    def __post_init__(self) -> None:
        checks.word("tier", self.tier, Tier)
        checks.whole("accesses", self.accesses, least=0, most=2**53)
        checks.instant("last_access", self.last_access)


_FRESH = UsageState()


class RecordState(Value):
    """What a revision counts for now, and since which ledger entry."""

    status: Status
    since: int
    footing: TrustState
    successor: str | None = None
    vigour: UsageState = _FRESH

    def __post_init__(self) -> None:
        checks.word("status", self.status, Status)
        checks.whole("since", self.since, least=0, most=2**63 - 1)
        checks.optional_identifier("successor", self.successor)
        if not isinstance(self.footing, TrustState):
            raise Malformed("footing", "a Footing")
        if not isinstance(self.vigour, UsageState):
            raise Malformed("vigour", "a Vigour")
        fold_defaults(self)


class Hop(Value):
    """Who said or passed on a record, in which group, and with how much authority."""

    actor: str
    scope: Scope
    scope_id: str
    authority: int

    def __post_init__(self) -> None:
        checks.identifier("actor", self.actor)
        checks.word("scope", self.scope, Scope)
        checks.identifier("scope_id", self.scope_id)
        checks.whole("authority", self.authority, least=0, most=10)


class Relay(Value):
    """Where a record that was passed on comes from: who said it first and in which group, and through whose hands it
    came, each with the group it was passed to."""

    origin: Hop
    via: tuple[Hop, ...]


class Record(Value):
    """One revision. `created_at` is when we were told; the claim's own times say when it holds; `echoes` are the
    records it only says again; `label` is where it came from when it was written; `barred` are the scopes that
    its own charter, or that of anything it stands on, keeps it out of; `mentions` is what its text names; `authority`
    is how much its author had, where that is not what the policy gives its name; `same_as` are records in the same
    words, by another author or of another occasion; `exposed_to` are records of low origin that its author had been
    told, those it shares content with first, and is for its author and auditors alone; `about` is what its text is
    about, its subject first, and empty where that is left open. None: written before subjects were read. `relay` tells
    where one comes from that was passed on from another group."""

    id: str
    tenant: str
    revision: int
    claim: Claim
    created_at: Instant
    proposal: str
    actor: str
    actor_type: ActorType
    label: Label
    trust: TrustLevel
    reviewer: str | None = None
    next_review_at: Instant | None = None
    echoes: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()
    about: tuple[str, ...] | None = None
    barred: tuple[Scope, ...] = ()
    mentions: tuple[Entity, ...] = ()
    authority: int | None = None
    exposed_to: tuple[str, ...] = ()
    relay: Relay | None = None

    def __rich_repr__(self) -> Parts:
        return [("id", self.id), ("revision", self.revision), ("content", short(self.content)), ("actor", self.actor)]

    def __repr__(self) -> str:
        return f"<Record {self.id}@{self.revision} {quoted(self.content)}>"

    def __str__(self) -> str:
        belief = self.claim.belief
        about = f"{self.claim.nature.kind} by {self.actor}, {sure(belief.score, unstated=belief.unstated)}"
        return f"{self.id}@{self.revision} {quoted(self.content)} ({about})"

    def __post_init__(self) -> None:
        checks.identifier("id", self.id)
        checks.identifier("tenant", self.tenant)
        checks.whole("revision", self.revision, least=1, most=2**31)
        if not isinstance(self.claim, Claim):
            raise Malformed("claim", "a Claim")
        if self.created_at is None:
            raise Malformed("created_at", "an instant")
        checks.instant("created_at", self.created_at)
        checks.word("actor_type", self.actor_type, ActorType)
        checks.identifier("proposal", self.proposal)
        checks.identifier("actor", self.actor)
        checks.word("label", self.label, Label)
        checks.word("trust", self.trust, TrustLevel)
        checks.optional_identifier("reviewer", self.reviewer)
        checks.instant("next_review_at", self.next_review_at)
        checks.identifiers("echoes", self.echoes)
        checks.identifiers("same_as", self.same_as)
        checks.texts("about", self.about or ())
        checks.instances("barred", self.barred, Scope)
        checks.identifiers("exposed_to", self.exposed_to)
        checks.instances("mentions", self.mentions, Entity)
        if self.authority is not None:
            checks.whole("authority", self.authority, least=0, most=10)
        if self.relay is not None and not isinstance(self.relay, Relay):
            raise Malformed("relay", "a Relay")

    @property
    def owner(self) -> str:
        """Who answers for it: whom the claim names, else who reviewed it, else who proposed it."""
        return self.claim.handling.owner or self.reviewer or self.actor

    @property
    def links(self) -> list[tuple[str, str]]:
        """Every link to another record, by type and target, each once, in a fixed order."""
        echoes, same = (("echoes", name) for name in self.echoes), (("same_as", name) for name in self.same_as)
        return sorted({*self.claim.lineage.links, *echoes, *same})

    @property
    def content(self) -> str:
        return self.claim.content

    @property
    def has_provenance(self) -> bool:
        """Whether anything beyond the proposer's word stands behind it."""
        source = self.claim.origin.source
        return bool(self.claim.belief.evidence) or (source is not None and source.strip().lower() != "unknown")
