"""The receipt of one recall: who asked, why, under which rules, what was looked at, what was told."""

from __future__ import annotations

from muniment.model.actor import Actor
from muniment.model.filter import Filter
from muniment.model.gate import Gates
from muniment.model.query import Abstention, Query, Searched
from muniment.model.rows import Reach
from muniment.model.times import MAX, Instant
from muniment.model.value import Value
from muniment.model.weights import USUAL_WEIGHTS, Weights

STATUS = "status"
"""The bound on what a revision counts for. What it keeps out is counted under the state it is in, not this name."""


class Terms(Value):
    """The words a query was searched with: single words, exact phrases, and the words left out as too common. `names`
    are the keys of what it speaks of by name, aliases included; `pairs` are words that stand close to each other."""

    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    common: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()


class Plan(Value):
    """One query as the store and the gate run it. `visible` is what policy lets the caller see at all;
    `wanted` are the caller's own bounds and the standing rules, each under the name it is counted by. `reach` says
    which vectors were used, `span` which time the question is about, `asked` when it is asked and `asker` by whom."""

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
    reach: Reach = Reach()


class Candidate(Value):
    """A revision that was looked at: how it scored and of which parts that is the sum, how it came in, and the rule
    that kept it out, if one did."""

    rid: int
    id: str
    revision: int
    score: float
    via: str | None = None
    excluded: str | None = None
    parts: tuple[tuple[str, float], ...] = ()
    passage: tuple[int, int] | None = None


class Account(Value):
    """The body of a receipt. A document, so that it can be taken away; the log commits to it.

    `policy` is the number of the policy document the decision was taken under."""

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


class Explanation(Value):
    """A receipt read back, and decided again. `again` are the ids the second decision gave; `note` says what could not
    be done as it was then."""

    receipt_id: str
    at: Instant
    epoch: int
    account: Account
    grants: tuple[str, ...]
    again: tuple[str, ...]
    same_ids: bool
    replayed: bool
    note: str | None = None
