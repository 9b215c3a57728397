"""The projections: what a store keeps beside ledger and documents, and can lose without losing anything."""

from __future__ import annotations

from muniment.model.card import Card
from muniment.model.entry import Vote
from muniment.model.note import Note
from muniment.model.record import RecordState
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStrength


class StandingRow(Value):
    """What a revision counted for from one entry on, its birth included. The card follows; the row stays, so that the
    past can be asked about."""

    rid: int
    standing: RecordState


class ProposalRow(Value):
    """Where a proposal stands, and which documents say why."""

    id: str
    seq: int
    at: Instant
    actor: str
    outcome: str
    disposition: str
    digest: str
    report: int
    held: int | None
    record: str | None
    revision: int | None


class ConflictRow(Value):
    """Two revisions that disagree or repeat each other, and how far the matter has got."""

    id: str
    type: str
    status: str
    a: int
    b: int
    why: str
    contests: bool
    opened: int
    changed: int
    strategy: str | None = None
    winner: str | None = None
    ballots: tuple[Vote, ...] = ()

    @property
    def strength(self) -> ConflictStrength:
        return ConflictStrength.ESTABLISHED if self.contests else ConflictStrength.SUSPECTED


class EdgeRow(Value):
    """A link of one revision to a record: what it stands on, replaces or relates to."""

    rid: int
    type: str
    target: str


class MentionRow(Value):
    """A revision speaks of something by name. `entity` is the key that all spellings of it share."""

    rid: int
    entity: str
    kind: str


class AliasRow(Value):
    """Another name for the same thing, and the entry that said so."""

    alias: str
    entity: str
    seq: int
    doc: int


class ToldRow(Value):
    """How often a revision was told to an actor, and when last. Counted from the receipts."""

    rid: int
    actor: str
    count: int
    last: Instant


class Tally(Value):
    """Current revisions of one actor, kind and place, summed up: how many, the sums of what they are worth and how they
    turned out, and when the last was written."""

    actor: str
    kind: str
    scope: str
    scope_id: str
    namespace: str
    records: int
    effective: float
    helpful: float
    misleading: float
    last: Instant


class VectorRow(Value):
    """What one passage of a revision means to a model: where in the text it stands, and its vector."""

    rid: int
    start: int
    end: int
    vector: bytes


class VectorCoverage(Value):
    """How far vectors reach: which model made them, and the ledger position up to which every revision has them."""

    model: str | None = None
    upto: int = 0


class NearbyText(Value):
    """A revision near in meaning: the cosine of its nearest passage, and where that stands in the text."""

    rid: int
    cosine: float
    start: int
    end: int


class TombstoneRow(Value):
    """A revision that was erased, and the entry that did it."""

    rid: int
    id: str
    revision: int
    seq: int


Row = Card | StandingRow | ProposalRow | ConflictRow | EdgeRow | MentionRow | AliasRow | Note | TombstoneRow
