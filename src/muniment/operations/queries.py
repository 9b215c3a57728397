"""What requests carry in their query strings. A list is a parameter that is said more than once."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from muniment.engine import Bucket
from muniment.graph.walk import Direction
from muniment.model.erasure import DerivedPolicy
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus, Contested, Kind, MemoryClass, Scope, Sensitivity, TrustLevel
from muniment.operations.kinds import (
    PAGE_USUAL,
    Age,
    Cursor,
    Digest,
    FewNames,
    FewPlaces,
    Name,
    Namespace,
    PageSize,
    Position,
    Revision,
    Share,
    Short,
    Tokens,
)
from muniment.trust.quality import QualityFormula

LinkType = Literal[
    "answers",
    "blocks",
    "caused_by",
    "contradicts",
    "depends_on",
    "derived_from",
    "echoes",
    "elaborates",
    "informs",
    "parent",
    "same_as",
    "supersedes",
    "supports",
]
ContractWord = Literal["akashik", "matm", "memledger", "omir", "retrieval"]


class PageQuery(Value):
    """Where a list goes on (`cursor`, the `next` of the page before) and how much of it to tell at once."""

    cursor: Cursor | None = None
    limit: PageSize = PAGE_USUAL


class Chosen(Value):
    """Which records: bounds of what they are, not of how they answer."""

    user: Short | None = None
    statuses: tuple[Status, ...] | None = None
    session: Name | None = None
    purpose: Name | None = None
    scopes: tuple[Scope, ...] | None = None
    scope_ids: FewNames | None = None
    namespace: Namespace | None = None
    classes: tuple[MemoryClass, ...] | None = None
    kinds: tuple[Kind, ...] | None = None
    authors: FewNames | None = None
    places: FewPlaces | None = None
    trust_min: TrustLevel | None = None
    sensitivity_max: Sensitivity | None = None
    max_age_days: Age | None = None
    require_provenance: bool | None = None
    confidence_min: Share | None = None


class Browse(Chosen):
    """A page of the records in these bounds, in the order they were written; with `changed_after` what was written or
    changed after that ledger position, in the order of the changes, one page of it."""

    changed_after: Position | None = None
    gate_min: Share | None = None
    gate_flag: Share | None = None
    valid_at: Instant | None = None
    known_at: Instant | None = None
    asked_at: Instant | None = None
    budget_tokens: Tokens | None = None
    floor: Share | None = None
    min_fit: Share | None = None
    contested: Contested | None = None
    precise: bool | None = None
    cursor: Cursor | None = None
    limit: PageSize = PAGE_USUAL


class Get(Value):
    """Which revision; the present one if none is named."""

    revision: Revision | None = None


class Slot(Value):
    """What a slot asks about, and in which scope."""

    subject: Short
    key: Short
    scope: Scope | None = None
    scope_id: Name | None = None


class LineageQuery(Value):
    """Which way, how far, by which links, and how many records at most."""

    direction: Direction | None = None
    depth: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    types: Annotated[tuple[LinkType, ...], Meta(max_length=32)] | None = None
    limit: Annotated[int, Meta(ge=1, le=1_000)] | None = None


class Foresee(Value):
    """As what the record would end."""

    becomes: Literal["archived", "contested", "deprecated", "expired", "retracted", "superseded"] | None = None


class Forget(Value):
    """Why a record is to be erased, and what becomes of what was derived from it. With `dry_run` it only is said what
    would go; the digest of that plan as `expected` sees to it that just that is done."""

    reason: Short
    cascade: DerivedPolicy | None = None
    expected: Digest | None = None
    dry_run: bool | None = None


class Explain(Value):
    """With `replay` a store is rebuilt to that moment and searched again."""

    replay: bool | None = None


class ConflictsQuery(Value):
    """A page of the conflicts: of all, of those in which a revision of one record is a side, or of one state."""

    record_id: Name | None = None
    status: ConflictStatus | None = None
    cursor: Cursor | None = None
    limit: PageSize = PAGE_USUAL


class Knowing(Value):
    """A page of the directory; with `about`, of those who know about these words."""

    about: Short | None = None
    cursor: Cursor | None = None
    limit: PageSize = PAGE_USUAL


class Named(Value):
    """A thing by one of its names."""

    name: Short
    limit: Annotated[int, Meta(ge=1, le=1_000)] | None = None


class Worth(Value):
    """Of which part of the memory, and by whose formulas."""

    namespace: Namespace | None = None
    session: Name | None = None
    profile: QualityFormula | None = None


class Stretch(Value):
    """A page of a log between two positions, both included."""

    first: Position = 1
    last: Position | None = None
    cursor: Cursor | None = None
    limit: PageSize = PAGE_USUAL


class Back(PageQuery):
    """A page of a list that leads back in time, of all of it or of what is before a position."""

    before: Position | None = None


class Logged(Stretch):
    """A page of the receipts between two positions, the oldest first or the `newest`."""

    newest: bool | None = None


class Used(Value):
    """Of how many of the last hours or days."""

    bucket: Bucket | None = None
    buckets: Annotated[int, Meta(ge=1, le=1_000)] | None = None


class Import(Value):
    """What is brought: by which contract it is to be read, whether all of it waits for a person, whether it is only
    asked what would become of it, and whether it is taken in again after it was rolled back."""

    contract: ContractWord
    hold: bool | None = None
    preview: bool | None = None
    again: bool | None = None


class ExportQuery(Chosen):
    """What is given out, and by which contract. With a `limit` it is one page, and the answer's `Link` leads on."""

    contract: ContractWord
    since: Instant | None = None
    cursor: Cursor | None = None
    limit: PageSize | None = None
