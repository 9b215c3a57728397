"""The receipt of one recall: who asked, why, under which rules, what was looked at, what was told."""

from __future__ import annotations

from enum import StrEnum

from muniment.model.actor import Actor
from muniment.model.filter import Filter
from muniment.model.gate import Gates
from muniment.model.query import Abstention, Query, Searched, Withdrawn
from muniment.model.rows import VectorCoverage
from muniment.model.times import MAX, Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Contested
from muniment.model.weights import USUAL_WEIGHTS, Weights

STATUS = "status"
"""The bound on what a revision counts for. What it keeps out is counted under the state it is in, not this name."""


class Terms(Value):
    """The words a query was searched with: single words, exact phrases, and the words left out as too common. `names`
    are the keys of what it speaks of by name, aliases included; `pairs` are words that stand close to each other;
    `codes` are ids, versions, paths, addresses and the like as they were spelled."""

    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    common: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    codes: tuple[str, ...] = ()


class Plan(Value):
    """One query as the store and the gate run it. `visible` is what policy lets the caller see at all;
    `wanted` are the caller's own bounds and the standing rules, each under the name it is counted by. `reach` says
    which vectors were used, `span` which time the question is about, `asked` when it is asked and `asker` by whom;
    `floor`, `min_fit` and `precise` say what is too weak to be told, `contested` how disputes are told."""

    terms: Terms
    visible: Filter
    wanted: tuple[tuple[str, Filter], ...]
    grants: tuple[str, ...]
    now: Instant
    as_of: int
    at_head: bool
    limit: int
    budget_tokens: int | None
    gates: Gates
    weights: Weights = USUAL_WEIGHTS
    floor: float = 0.0
    asked: Instant = MAX
    asker: str | None = None
    span: tuple[Instant, Instant] | None = None
    reach: VectorCoverage = VectorCoverage()
    min_fit: float | None = None
    precise: bool = False
    contested: Contested = Contested.BOTH


class Candidate(Value):
    """A revision that was looked at: how it scored and of which parts that is the sum, how it came in, and the rule
    that kept it from a place of its own, if one did. `inside` says that it was told as the other side of a dispute,
    inside the record that it disputes."""

    rid: int
    id: str
    revision: int
    score: float
    via: str | None = None
    excluded: str | None = None
    parts: tuple[tuple[str, float], ...] = ()
    passage: tuple[int, int] | None = None
    inside: bool = False

    @property
    def disclosed(self) -> bool:
        """Whether the reader was told what it says."""
        return self.excluded is None or self.inside


class Account(Value):
    """The body of a receipt. A document, so that it can be taken away; the log commits to it.

    `policy` is the number of the policy document the decision was taken under; `notified` are the numbers of the
    revisions that the reader was told to be `withdrawn`."""

    actor: Actor
    query: Query
    policy: int
    plan: Plan
    candidates: tuple[Candidate, ...]
    opponents: tuple[tuple[str, int, int], ...]
    excluded: dict[str, int]
    considered: int
    selected: tuple[str, ...]
    abstained: Abstention | None
    searched: Searched = Searched()
    withdrawn: tuple[Withdrawn, ...] = ()
    notified: tuple[int, ...] = ()


class ReceiptEntry(Value):
    """One link of the receipt log. `epoch` is the ledger position the recall was answered at."""

    v: int
    tenant: str
    seq: int
    id: str
    at: Instant
    epoch: int
    digest: str


class StoredReceipt(Value):
    """A receipt as the store holds it."""

    seq: int
    id: str
    body: bytes
    hash: bytes
    salt: bytes
    account: bytes


class ReceiptState(StrEnum):
    """How much of a receipt is there. `whole`: all of it. `erased`: words of it, or records it tells of, were erased.
    `dropped`: retention took it away except for who was told what. `altered`: it is not what the log commits to."""

    WHOLE = "whole"
    ERASED = "erased"
    DROPPED = "dropped"
    ALTERED = "altered"


class Explanation(Value):
    """A receipt read back, and decided again. `again` are the ids the second decision gave; `note` says what could not
    be done as it was then. Where the `state` is not whole, `by` names what took from it: certificates of erasure, or
    the ledger entry that dropped it; `lost` are the ids of records that were told and have been erased since.
    `consistent` says that nothing but what was taken makes a difference: it is `same_ids` for a whole receipt, and
    false for an altered one."""

    receipt_id: str
    at: Instant
    epoch: int
    account: Account
    grants: tuple[str, ...]
    again: tuple[str, ...]
    same_ids: bool
    replayed: bool
    note: str | None = None
    state: ReceiptState = ReceiptState.WHOLE
    consistent: bool = True
    by: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
