"""What we ask of a store. Small protocols, no defaults: a store that cannot do a thing does not pass for one that can.

A `Snapshot` reads one consistent moment. A `Unit` is a snapshot that may write: all of it lands, or none.
Only `write.commit` and the read path's receipt writing touch the writing halves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from muniment.model.card import Card
from muniment.model.entry import Document, LedgerHead, SignedCheckpoint, StoredEntry
from muniment.model.erasure import SignedCertificate, Target
from muniment.model.filter import EVERYTHING, Filter
from muniment.model.note import Note
from muniment.model.receipt import Plan, StoredReceipt
from muniment.model.record import RecordState
from muniment.model.rows import (
    ConflictRow,
    EdgeRow,
    ProposalRow,
    Row,
    StandingRow,
    Tally,
    ToldRow,
    TombstoneRow,
)
from muniment.model.times import Instant
from muniment.ports.facts import FactsAsked, FactsFound
from muniment.ports.health import StoreHealth
from muniment.ports.lexicon import Lexicon, Names
from muniment.ports.vectors import Vectors, VectorSearch

T = TypeVar("T")


class Ledger(Protocol):
    def head(self) -> LedgerHead | None:
        """The last entry's position, or None before genesis."""

    def entry(self, seq: int) -> StoredEntry | None: ...

    def entries(self, first: int, last: int) -> Iterator[StoredEntry]:
        """Entries `first` to `last`, both included, in the order the store holds them."""

    def position_at(self, instant: int) -> int:
        """The last position recorded at or before `instant`; 0 when there is none."""

    def checkpoints(self) -> Iterator[SignedCheckpoint]: ...

    def checkpoints_before(self, seq: int, *, limit: int) -> tuple[SignedCheckpoint, ...]:
        """The last checkpoints of entries before `seq`, the furthest first."""

    def last_checkpoint(self) -> SignedCheckpoint | None: ...

    def last_erasure(self) -> int:
        """The position of the last erasure; 0 when there was none."""

    def certificates(self) -> Iterator[SignedCertificate]:
        """The certificate of every erasure, by rising entry."""


class Documents(Protocol):
    def get(self, doc: int) -> Document | None: ...

    def many(self, docs: Iterable[int]) -> dict[int, Document]:
        """Those of these documents that are there, by number."""

    def all(self) -> Iterator[Document]:
        """Every document, by rising number."""


class Catalogue(Protocol):
    def card(self, rid: int) -> Card | None: ...

    def current(self, record: str) -> Card | None:
        """The revision of a record that speaks for now."""

    def revisions(self, record: str) -> tuple[Card, ...]:
        """All revisions of a record, oldest first."""

    def twin(self, fingerprint: bytes) -> Card | None:
        """The oldest current revision with this fingerprint."""

    def occupants(self, slot: str) -> tuple[Card, ...]:
        """The current revisions that answer this question."""

    def past_twins(self, fingerprint: bytes) -> tuple[Card, ...]:
        """Revisions with this fingerprint that were replaced, deprecated or taken back, oldest first."""

    def past_answers(self, slot: str, *, limit: int) -> tuple[Card, ...]:
        """The same for revisions that answered this question, newest first."""

    def cards(self, rids: Iterable[int]) -> dict[int, Card]: ...

    def latest(self, records: Iterable[str]) -> dict[str, Card]:
        """The revision of each record that no other revision of it has followed, in whatever state it is."""

    def expired(self, now: int) -> tuple[Card, ...]:
        """Current revisions whose time is over, by rising `rid`."""

    def due(self, now: int) -> tuple[Card, ...]:
        """Current revisions that are due for review, the longest overdue first."""

    def standings(self, rid: int) -> tuple[StandingRow, ...]:
        """Everything a revision ever counted for, its birth first."""

    def moves(self) -> Iterator[StandingRow]:
        """The same of every revision, by `rid` and then in order."""

    def standing_at(self, rid: int, seq: int) -> RecordState | None:
        """A revision's standing after entry `seq`; None when it was not born yet."""

    def superseded_by(self, record: str) -> tuple[Card, ...]:
        """Revisions whose standing names this record as successor."""

    def since(self, seq: int) -> Iterator[Card]:
        """Every card that was born or changed after entry `seq`, by rising `rid`."""

    def changed(self, seq: int) -> Iterator[Card]:
        """The same in the order of their last change, those of one entry by rising `rid`."""

    def beside(self, cards: Iterable[Card], *, reach: int, visible: Filter = EVERYTHING) -> dict[int, tuple[int, ...]]:
        """For each card that belongs to a session, the revisions written just before and just after it in the same
        session among those that pass `visible` now, up to `reach` on each side, the nearest first and the earlier of
        two first."""

    def newest(self, plan: Plan, *, keep: int, after: int = 0) -> tuple[Card, ...]:
        """The newest of what passes `plan.visible` and every bound of `plan.wanted` and was born or changed after
        entry `after`, the newest first."""

    def survey(self, visible: Filter) -> tuple[Tally, ...]:
        """Current revisions that pass, summed up by actor, kind and place, in that order."""

    def pace(self, actor: str, *, nth: int) -> Instant | None:
        """When the `nth` newest revision of an actor was written; None when there are fewer."""

    def heard(self, actor: str, *, below: int, keep: int) -> tuple[Card, ...]:
        """Revisions that an actor was told and whose label is below this, in any state, what was told last first. A
        store may leave out what is older than thousands of others that the actor was told."""

    def ended_for(self, actor: str, *, after: int, keep: int) -> tuple[tuple[int, Instant], ...]:
        """Revisions that an actor was told and that were retracted, deprecated or superseded or have lost their support
        in a standing they have had since after entry `after`, the latest first, and when each was told last. A store
        may leave out what ended before a thousand others."""

    def erased_for(self, actor: str, *, after: int, keep: int) -> tuple[tuple[TombstoneRow, Instant], ...]:
        """The same for revisions that were erased."""

    def contributed(self, target: Target) -> tuple[Card, ...]:
        """Every revision, in any state, that one source, actor or session brought, by rising `rid`."""

    def buried(self, record: str) -> bool:
        """Whether a record of this id, or a revision of it, was erased."""

    def tombstones(self) -> Iterator[TombstoneRow]:
        """What is left of every revision that was erased, by rising `rid`."""

    def all(self, *, after: int | None = None) -> Iterator[Card]:
        """Every card, or those whose `rid` is above `after`, by rising `rid`."""

    def count(self, visible: Filter = EVERYTHING) -> dict[str, int]:
        """How many revisions that pass there are of each status."""


class Links(Protocol):
    """The graph of what stands on, replaces and relates to what. A link leads from a revision to a record."""

    def of(self, rids: Iterable[int]) -> tuple[EdgeRow, ...]:
        """The links these revisions have."""

    def to(self, records: Iterable[str]) -> tuple[EdgeRow, ...]:
        """The links to these records, of revisions no other revision of the same record has followed."""

    def all(self) -> Iterator[EdgeRow]:
        """Every link, by `rid`, type and target."""


class Proposals(Protocol):
    def proposal(self, proposal: str) -> ProposalRow | None: ...

    def held(self, *, after: str | None, limit: int) -> tuple[ProposalRow, ...]:
        """Proposals that wait for a person, by rising id, beginning after `after`."""

    def proposals(self) -> Iterator[ProposalRow]:
        """Every proposal."""

    def conflict(self, conflict: str) -> ConflictRow | None: ...

    def conflicts(self) -> Iterator[ConflictRow]:
        """Every conflict, oldest first."""

    def conflicts_of(self, rid: int) -> tuple[ConflictRow, ...]: ...

    def conflicts_about(self, rids: Iterable[int]) -> dict[int, tuple[ConflictRow, ...]]:
        """The same of several revisions, each of which is in the answer."""


class Notes(Protocol):
    """What agents have agreed on beside what they know. The latest note of a key stands, unless it takes it away."""

    def get(self, topic: str, key: str) -> Note | None:
        """The note that stands under a key."""

    def present(self, topic: str) -> tuple[Note, ...]:
        """Every note of a topic that stands, in the order their keys first came up."""

    def since(self, seq: int) -> tuple[Note, ...]:
        """Every note made after entry `seq`, by rising document, those that no longer stand and removals included."""

    def all(self) -> Iterator[Note]:
        """Every note ever made, by rising document."""


class Receipts(Protocol):
    def head(self) -> tuple[int, bytes]:
        """Position and hash of the last receipt; (0, zero bytes) for none."""

    def get(self, receipt: str) -> StoredReceipt | None: ...

    def all(self) -> Iterator[StoredReceipt]: ...

    def since(self, seq: int) -> Iterator[StoredReceipt]:
        """Every receipt after position `seq`, in order."""

    def told(self, rid: int) -> tuple[ToldRow, ...]:
        """Whom a revision was told to."""

    def told_to(self, actor: str, rids: Iterable[int]) -> frozenset[int]:
        """Which of these revisions an actor was told."""

    def told_since(self, actor: str, rids: Iterable[int], since: Instant) -> frozenset[int]:
        """Which of these revisions an actor was told at this instant or later."""

    def all_told(self) -> Iterator[ToldRow]:
        """The same of every revision, by `rid` and actor."""


class Snapshot(Protocol):
    """One consistent moment of one tenant."""

    @property
    def ledger(self) -> Ledger: ...

    @property
    def documents(self) -> Documents: ...

    @property
    def catalogue(self) -> Catalogue: ...

    @property
    def links(self) -> Links: ...

    @property
    def desk(self) -> Proposals: ...

    @property
    def lexicon(self) -> Lexicon: ...

    @property
    def names(self) -> Names: ...

    @property
    def meanings(self) -> VectorSearch: ...

    @property
    def notes(self) -> Notes: ...

    @property
    def receipts(self) -> Receipts: ...

    def facts(self, asked: Sequence[FactsAsked]) -> Iterator[FactsFound]:
        """The facts of each proposal, in order. They are looked up together, and each answer is of the moment when it
        is taken: who decides a batch in a unit finds in it what those before have left."""

    def ahead(self, *asks: Callable[[], object]) -> None:
        """Hear what will be asked next. A store that is far away may fetch it all in one go; the answers are the same
        whether this is said or not, and whether what is said here is asked or not."""


class Unit(Snapshot, Protocol):
    """A snapshot that may write."""

    def append(self, entry: StoredEntry) -> None: ...

    def keep(self, *documents: Document) -> None: ...

    def drop(self, doc: int) -> None: ...

    def amend(self, document: Document) -> None:
        """Put another body, with another salt, in the place of a document's."""

    def reword(self, doc: int, body: str | None) -> None:
        """Put another body in the place of a note's."""

    def blank(self, seq: int, salt: bytes, account: bytes) -> None:
        """Put another account, with another salt, in the place of a receipt's."""

    def certify(self, signed: SignedCertificate) -> None: ...

    def erase(self, docs: Iterable[int]) -> None:
        """Take away the projections of these documents: a revision's card, standings, links, mentions and index terms,
        a name that was given. Comes before the documents are dropped. One that has none is passed over."""

    def project(self, rows: tuple[Row, ...], texts: dict[int, str]) -> None:
        """Write projections; `texts` are the contents to index for cards among `rows`."""

    def clear_projections(self) -> None: ...

    def append_receipt(self, receipt: StoredReceipt) -> None: ...

    def tell(self, rows: Sequence[ToldRow]) -> None:
        """Add to how often revisions were told to actors."""

    def checkpoint(self, signed: SignedCheckpoint) -> None: ...


class TenantStore(Protocol):
    """One tenant's memory. A second one cannot be reached from it."""

    @property
    def tenant(self) -> str: ...

    @property
    def vectors(self) -> Vectors: ...

    @property
    def read_only(self) -> bool:
        """Whether it lies where nothing can be written: every write is refused then."""

    def read(self) -> AbstractContextManager[Snapshot]: ...

    def write(self, job: Callable[[Unit], T]) -> T:
        """Run `job` in a transaction and return once it is durable. An exception undoes the job and is raised here.
        Jobs of many threads may share one transaction; each of them is whole or absent on its own. A job may be run
        more than once before one of its runs is kept, so it must not do anything but what it does to the unit."""

    def marks(self) -> tuple[int, int, int]:
        """The last position of the ledger, of the last note and of the last erasure; 0 for none. As cheap as a
        look can be."""

    def watching(self, wake: Callable[[], None]) -> AbstractContextManager[Callable[[], bool]]:
        """Have `wake` called, from any thread, when the ledger may have moved. It is a hint: `marks` says whether it
        has. The block is given a question that can be asked at any time: whether what other processes write is heard
        of at present. Where it is not, whoever waits for news looks now and then."""

    def scratch(self) -> AbstractContextManager[TenantStore]:
        """An empty store of the same make and tenant, gone when the block ends."""

    def integrity(self) -> tuple[str, ...]:
        """What the store's own checks complain about: its format, and its index compared with the records."""

    def scrub(self) -> bool:
        """Make sure that nothing taken away is left in any file of the store, however it was kept there. False while
        somebody else still reads an older state; what is left is then gone as soon as they have ended."""

    def size_bytes(self) -> int: ...

    def health(self) -> StoreHealth:
        """Figures for monitoring, cheap enough to be asked for every few seconds."""

    def close(self) -> None: ...


class Vault(Protocol):
    """All tenants of one place."""

    def tenants(self) -> tuple[str, ...]: ...

    def open(self, tenant: str, *, create: bool) -> TenantStore: ...

    def close(self) -> None: ...
