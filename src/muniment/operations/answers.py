"""What is answered where the engine's own values need a frame: lists with a name, pages of them, lines of a stream."""

from __future__ import annotations

from typing import Literal

from muniment.engine import ChainLink, ConflictView, KnownActor, QueueItem, SigningKey, Telling
from muniment.model.actor import Actor
from muniment.model.curation import ConflictResult, Verdict
from muniment.model.entry import Entry, LedgerHead, SignedCheckpoint, VerifyFinding
from muniment.model.erasure import LegalHold, SignedCertificate, TombstoneAhead
from muniment.model.query import Disclosure
from muniment.model.receipt import Account, ReceiptEntry
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.operations.queries import ContractWord


class Caller(Value):
    """Who is calling, as the server knows them, and what their credential is good for. `may` names the review actions
    that the policy allows them somewhere: a hint of what is worth offering, never a promise for one record."""

    actor: Actor
    tenant: str
    grants: tuple[str, ...]
    credential: str | None = None
    agents: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


class Entrance(Value):
    """One operation in the index."""

    name: str
    verb: str
    path: str
    summary: str
    grant: str


class Index(Value):
    """What there is."""

    description: str
    operations: tuple[Entrance, ...]


class Verdicts(Value):
    """The verdicts on a batch, in its order."""

    verdicts: tuple[Verdict, ...]


class Queue(Value):
    """Proposals that wait; `next` is the cursor of the page that follows, null on the last."""

    proposals: tuple[QueueItem, ...]
    next: str | None = None


class Records(Value):
    """Records in the order they were written; `next` is the cursor of the page that follows, null on the last."""

    records: tuple[Disclosure, ...]
    next: str | None = None


class Conflicts(Value):
    """Disagreements; `next` is the cursor of the page that follows, null on the last."""

    conflicts: tuple[ConflictView, ...]
    next: str | None = None


class Loss(Value):
    """Something of a record that a contract cannot say. `path` points into the record; `kept` says whether the exact
    value travels in the contract's extension slot and comes back when it is read here."""

    path: str
    kept: bool


class Form(Value):
    """A record as a document of a contract, as an export would write it on one line, and what the contract cannot
    say."""

    contract: ContractWord
    media: str
    document: str
    losses: tuple[Loss, ...] = ()


class FoundConflicts(Value):
    """The ids of the conflicts that are new."""

    conflict_ids: tuple[str, ...]


class DirectoryPage(Value):
    """Who knows what, the most first; `next` is the cursor of the page that follows, null on the last."""

    about: str | None
    knowers: tuple[KnownActor, ...]
    teams: dict[str, int]
    next: str | None = None


class AliasNames(Value):
    """All names of a thing, the chief one first."""

    names: tuple[str, ...]


class Certificates(Value):
    """Certificates of what was erased, oldest first; `next` is the cursor of the page that follows, null on the
    last."""

    certificates: tuple[SignedCertificate, ...]
    next: str | None = None


class Holds(Value):
    """The holds that stand; `next` is the cursor of the page that follows, null on the last."""

    holds: tuple[LegalHold, ...]
    next: str | None = None


class Quarantine(Value):
    """Records that are kept apart; `next` is the cursor of the page that follows, null on the last."""

    records: tuple[Disclosure, ...]
    next: str | None = None


class ConflictResults(Value):
    """Where each conflict stands that was taken up."""

    conflicts: tuple[ConflictResult, ...]


class Tombstones(Value):
    """Deletions of what was never here, oldest first; `next` is the cursor of the page that follows, null on the
    last."""

    tombstones: tuple[TombstoneAhead, ...]
    next: str | None = None


class Occupants(Value):
    """The records that fill a slot now, the oldest first."""

    records: tuple[Disclosure, ...]


class Namespaces(Value):
    """Every namespace that holds a current record the caller may see."""

    namespaces: tuple[str, ...]


class Denied(Value):
    """A call that was denied, or several alike: `count` of them between `first` and `last`. `who` is null: nobody
    known."""

    what: str
    code: str
    peer: str
    first: Instant
    last: Instant
    count: int = 1
    who: str | None = None
    credential: str | None = None


class DeniedCalls(Value):
    """Denied calls, the newest first; `next` is the cursor of the page that follows, null on the last."""

    denials: tuple[Denied, ...]
    next: str | None = None


class Entries(Value):
    """A stretch of the ledger; `next` is the cursor of the page that follows, null on the last."""

    entries: tuple[Entry, ...]
    next: str | None = None


class Chain(Value):
    """A stretch of the ledger as it was hashed. `previous` is the hash before the first link, in hex; `next` is the
    cursor of the page that follows, null on the last."""

    previous: str
    links: tuple[ChainLink, ...]
    next: str | None = None


class Checkpoints(Value):
    """Signed checkpoints, the furthest first; `next` is the cursor of the page that follows, null on the last."""

    checkpoints: tuple[SignedCheckpoint, ...]
    next: str | None = None


class Keys(Value):
    """The keys a ledger was signed with, in the order they came into force."""

    keys: tuple[SigningKey, ...]


class Disclosures(Value):
    """One receipt: its entry in the log, and the account that the entry commits to."""

    entry: ReceiptEntry
    account: Account


class ReceiptPage(Value):
    """What was told, in the order that was asked; `next` is the cursor of the page that follows, null on the last."""

    receipts: tuple[Disclosures, ...]
    next: str | None = None


class ReceiptsOf(Value):
    """The receipts by which a record was told, the newest first, as far as they were looked for: `looked` of `of`
    receipts. `next` is the cursor with which the look goes on, `before` the position it goes on from; both null when
    all were looked at."""

    receipts: tuple[Telling, ...]
    looked: int
    of: int
    before: int | None = None
    next: str | None = None


class LooseLink(Value):
    """A link of a memory from elsewhere that could not be kept, and why."""

    type: str
    target: str
    why: str


class CheckedCount(Value):
    """One line of the answer to a verification that is told line by line.

    `progress` tells how many entries were checked, of how many; `result` is the last line of one that came to its end,
    and holds what the operation answers at once to those who wait; `failed` is the last line of one that did not.
    """

    what: Literal["progress", "result", "failed"]
    entries: int | None = None
    of: int | None = None
    ok: bool | None = None
    receipts: int | None = None
    findings: tuple[VerifyFinding, ...] = ()
    head: LedgerHead | None = None
    bound_since: int | None = None
    code: str | None = None
    detail: str | None = None
    field: str | None = None
    hint: str | None = None


class Changed(Value):
    """Where the ledger stands: what an event of the stream of changes carries."""

    epoch: int


class LedgerLine(Value):
    """One line of the answer to an import.

    `memory` tells what became of one memory, by the number of its line; `refused` that a line could not be read, so
    that nothing of its batch was taken in; `progress` how far it is; `summary` is the last line of an import that came
    to its end; `failed` the last line of one that did not.
    """

    what: Literal["memory", "refused", "progress", "summary", "failed"]
    line: int | None = None
    id: str | None = None
    batch: str | None = None
    verdict: Verdict | None = None
    loose: tuple[LooseLink, ...] = ()
    code: str | None = None
    detail: str | None = None
    field: str | None = None
    hint: str | None = None
    lines: int | None = None
    committed: int | None = None
    held: int | None = None
    refused: int | None = None
    errors: int | None = None
    batches: tuple[str, ...] | None = None
    tenants: tuple[str, ...] | None = None
    preview: bool | None = None
