"""What is answered where the engine's own values need a frame: lists with a name, pages of them, lines of a stream."""

from __future__ import annotations

from typing import Literal

from muniment.engine import ConflictView, Knower, QueueItem
from muniment.model.actor import Actor
from muniment.model.curation import Verdict
from muniment.model.entry import Entry
from muniment.model.erasure import LegalHold, SignedCertificate
from muniment.model.query import Disclosure
from muniment.model.receipt import Account, ReceiptEntry
from muniment.model.value import Value


class Caller(Value):
    """Who is calling, as the server knows them, and what their credential is good for."""

    actor: Actor
    tenant: str
    grants: tuple[str, ...]
    credential: str | None = None
    agents: tuple[str, ...] = ()


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


class Found(Value):
    """The ids of the conflicts that are new."""

    conflict_ids: tuple[str, ...]


class DirectoryPage(Value):
    """Who knows what, the most first; `next` is the cursor of the page that follows, null on the last."""

    about: str | None
    knowers: tuple[Knower, ...]
    teams: dict[str, int]
    next: str | None = None


class Names(Value):
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


class Namespaces(Value):
    """Every namespace that holds a current record the caller may see."""

    namespaces: tuple[str, ...]


class Entries(Value):
    """A stretch of the ledger; `next` is the cursor of the page that follows, null on the last."""

    entries: tuple[Entry, ...]
    next: str | None = None


class Told(Value):
    """One receipt: its entry in the log, and the account that the entry commits to."""

    entry: ReceiptEntry
    account: Account


class Receipts(Value):
    """What was told, oldest first; `next` is the cursor of the page that follows, null on the last."""

    receipts: tuple[Told, ...]
    next: str | None = None


class LooseLink(Value):
    """A link of a memory from elsewhere that could not be kept, and why."""

    type: str
    target: str
    why: str


class Line(Value):
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
