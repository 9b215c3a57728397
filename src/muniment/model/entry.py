"""What the ledger keeps: entries that name what changed and commit to documents they do not contain.

An entry holds ids, states and salted commitments. Content, reasons and policies are documents beside the
ledger; a document can be taken away and the chain still verifies.
"""

from __future__ import annotations

from enum import StrEnum

from muniment.model.erasure import Tombstone
from muniment.model.record import TrustState, UsageState
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus, ConflictType, Disposition, Outcome, Strategy

_FRESH = UsageState()


class EntryKind(StrEnum):
    GENESIS = "genesis"
    POLICY = "policy"
    CURATED = "curated"
    RULED = "ruled"
    RETRACTED = "retracted"
    UNDONE = "undone"
    OBSERVED = "observed"
    VOUCHED = "vouched"
    RESOLVED = "resolved"
    SWEPT = "swept"
    NAMED = "named"
    NOTED = "noted"
    FORGOTTEN = "forgotten"
    DETECTED = "detected"
    QUARANTINED = "quarantined"
    RELEASED = "released"
    WITHDRAWN = "withdrawn"
    KEYED = "keyed"
    TRIMMED = "trimmed"
    REWOUND = "rewound"


class DocumentRole(StrEnum):
    """What a document is to its entry."""

    RECORD = "record"
    REPORT = "report"
    HELD = "held"
    POLICY = "policy"
    ALIAS = "alias"
    NOTE = "note"


class DocumentRef(Value):
    """A document by its number, with the commitment that pins its bytes: SHA-256 over salt and body, in hex."""

    doc: int
    role: DocumentRole
    digest: str


class ReceiptRef(Value):
    """A receipt by its place in the log, with the commitment that pins its account from this entry on."""

    seq: int
    digest: str


class RevisionCreated(Value):
    """A revision came to be. Its record is the document of the same number. One that lost a dispute as it came has a
    `successor` from the start."""

    rid: int
    id: str
    revision: int
    status: Status
    footing: TrustState
    vigour: UsageState = _FRESH
    successor: str | None = None


class StateChange(Value):
    """A revision's standing became another. All of the new standing is told, not only what differs."""

    rid: int
    status: Status
    footing: TrustState
    successor: str | None = None
    vigour: UsageState = _FRESH


class ProposalStateChange(Value):
    """Where a proposal stands after this entry."""

    proposal: str
    outcome: Outcome
    disposition: Disposition
    record: str | None = None
    revision: int | None = None


class Vote(Value):
    """One voice in a vote on a conflict: who, and for which record."""

    actor: str
    winner: str


class ConflictChange(Value):
    """A disagreement between two revisions was found (`opened` 0: in this entry), or its state changed. One that does
    not contest is on record, and leaves its sides as they are."""

    id: str
    status: ConflictStatus
    a: int
    b: int
    why: str
    type: ConflictType = ConflictType.CONTRADICTION
    contests: bool = True
    opened: int = 0
    strategy: Strategy | None = None
    winner: str | None = None
    ballots: tuple[Vote, ...] = ()


class Handover(Value):
    """One signing key gives way to another: in which ledger, by which entry, after which hash. So bound to its place it
    says nothing anywhere else."""

    tenant: str
    seq: int
    after: str
    old: str
    new: str


class SignedHandover(Value):
    """A handover signed by the key that goes and by the key that comes: neither can be taken over without the other."""

    handover: Handover
    by_old: str
    by_new: str


class ReceiptBinding(Value):
    """What an entry binds beside the ledger: how many receipts there were when it was made, the hash of the last of
    them, and the entry of a checkpoint, the last as far as its writer knew; each leads to all before it."""

    receipts: int = 0
    receipts_head: str = ""
    checkpoint: int = 0


class Entry(Value):
    """One link of a tenant's chain. `at` never runs backwards; `actor` is who caused it; `last_doc` is the
    highest document number ever given, so that a number is never given twice, even after its document was dropped;
    `policy` is the document of the policy it was decided under. `erased` are revisions whose content left the store,
    `amended` documents and `receipts` accounts that lost words and are pinned anew. Entries of a release that did not
    bind receipts have nothing `bound`."""

    v: int
    tenant: str
    seq: int
    at: Instant
    kind: EntryKind
    actor: str
    last_doc: int = 0
    documents: tuple[DocumentRef, ...] = ()
    dropped: tuple[int, ...] = ()
    erased: tuple[Tombstone, ...] = ()
    amended: tuple[DocumentRef, ...] = ()
    receipts: tuple[ReceiptRef, ...] = ()
    births: tuple[RevisionCreated, ...] = ()
    changes: tuple[StateChange, ...] = ()
    filing: ProposalStateChange | None = None
    conflicts: tuple[ConflictChange, ...] = ()
    policy: int = 0
    pepper: str | None = None
    key: str | None = None
    handover: SignedHandover | None = None
    bound: ReceiptBinding | None = None


class StoredEntry(Value):
    """An entry as the store holds it: the canonical bytes and the hash that links them to what came before."""

    seq: int
    body: bytes
    hash: bytes


class LedgerHead(Value):
    """The end of a chain, and which checkpoint was the last there. Exported and kept elsewhere, with the end of the
    receipts' chain, it betrays a store that was rolled back or has lost any of it."""

    tenant: str
    seq: int
    hash: bytes
    at: Instant
    last_doc: int = 0
    policy: int = 0
    checkpoint: int = 0
    receipts: int = 0
    receipts_head: str = ""


class Checkpoint(Value):
    """A signed statement of where the ledger and the receipt log stood, and after which other statement it was made:
    one that is taken away is missed by the next."""

    tenant: str
    seq: int
    head: str
    root: str
    receipts: int
    receipts_head: str
    at: Instant
    key: str
    previous: int = 0


class SignedCheckpoint(Value):
    """A checkpoint with its signature, and the peaks of its Merkle tree so that the next one can go on from it."""

    checkpoint: Checkpoint
    signature: str
    peaks: tuple[str, ...]


class VerifyFinding(Value):
    """One thing `verify` found wrong: a stable code, where, and words for a person."""

    code: str
    message: str
    seq: int | None = None
    record: str | None = None


class Document(Value):
    """A document as the store holds it."""

    doc: int
    salt: bytes
    body: bytes
