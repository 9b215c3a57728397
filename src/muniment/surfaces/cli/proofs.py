"""Proofs as JSON: an explanation, the ledger's entries, heads, checkpoints and findings, a policy. Decides nothing."""

from __future__ import annotations

from typing import TypedDict, assert_never

import msgspec

from muniment.engine import RebuildResult, TrimResult, VerificationResult
from muniment.model.entry import Entry, LedgerHead, SignedCheckpoint, VerifyFinding
from muniment.model.filter import (
    AtLeast,
    AtMost,
    Believed,
    Both,
    Chartered,
    Either,
    Filter,
    LiveAt,
    OneOf,
    Others,
    Sourced,
    Under,
    ValidAt,
)
from muniment.model.gate import Gates
from muniment.model.receipt import Explanation, Plan
from muniment.model.times import MAX, MIN, Instant, show
from muniment.surfaces.cli.shapes_recall import (
    AttunementShape,
    SearchedShape,
    SpanShape,
    attunement_shape,
    searched_shape,
    span_shape,
)

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


class CandidateShape(TypedDict):
    rank: int
    id: str
    revision: int
    score: float
    via: str | None
    excluded: str | None
    parts: dict[str, float]


class TermsShape(TypedDict):
    words: list[str]
    phrases: list[list[str]]
    common: list[str]
    names: list[str]


class ThresholdsShape(TypedDict):
    min: float
    flag: float


class GatesShape(ThresholdsShape):
    namespaces: dict[str, ThresholdsShape]


class QueryPlanShape(TypedDict):
    terms: TermsShape
    grants: list[str]
    gate: GatesShape
    visible: Json
    now: str
    as_of: int
    at_head: bool
    limit: int
    budget_tokens: int | None
    weights: dict[str, float]
    floor: float
    span: SpanShape | None
    model: str | None
    vectors_upto: int


class ExplanationShape(TypedDict):
    receipt_id: str
    same_ids: bool
    state: str
    consistent: bool
    by: list[str]
    lost: list[str]
    replayed: bool
    at: str
    epoch: int
    actor: str
    purpose: str
    query: str
    attuned: AttunementShape | None
    plan: QueryPlanShape
    searched: SearchedShape
    filters: dict[str, Json]
    candidates: list[CandidateShape]
    ranks: dict[str, int]
    considered: int
    excluded: dict[str, int]
    selected: list[str]
    again: list[str]
    abstained: str | None
    note: str | None


def explanation_shape(told: Explanation) -> ExplanationShape:
    account = told.account
    return {
        "receipt_id": told.receipt_id,
        "same_ids": told.same_ids,
        "state": told.state.value,
        "consistent": told.consistent,
        "by": list(told.by),
        "lost": list(told.lost),
        "replayed": told.replayed,
        "at": show(told.at),
        "epoch": told.epoch,
        "actor": account.actor.id,
        "purpose": account.query.purpose,
        "query": account.query.text,
        "attuned": None if account.query.attuned is None else attunement_shape(account.query.attuned),
        "plan": _plan_shape(account.plan),
        "searched": searched_shape(account.searched, account.plan.floor),
        "filters": {rule: condition_shape(condition) for rule, condition in account.plan.wanted},
        "candidates": [
            {
                "rank": rank,
                "id": one.id,
                "revision": one.revision,
                "score": one.score,
                "via": one.via,
                "excluded": one.excluded,
                "parts": dict(one.parts),
            }
            for rank, one in enumerate(account.candidates, start=1)
        ],
        "ranks": {name: rank for rank, name in enumerate(account.selected, start=1)},
        "considered": account.considered,
        "excluded": dict(sorted(account.excluded.items())),
        "selected": list(account.selected),
        "again": list(told.again),
        "abstained": None if account.abstained is None else account.abstained.value,
        "note": told.note,
    }


def _plan_shape(plan: Plan) -> QueryPlanShape:
    return {
        "terms": {
            "words": list(plan.terms.words),
            "phrases": [list(phrase) for phrase in plan.terms.phrases],
            "common": list(plan.terms.common),
            "names": list(plan.terms.names),
        },
        "grants": list(plan.grants),
        "gate": _gates_shape(plan.gates),
        "visible": condition_shape(plan.visible),
        "now": show(plan.now),
        "as_of": plan.as_of,
        "at_head": plan.at_head,
        "limit": plan.limit,
        "budget_tokens": plan.budget_tokens,
        "weights": msgspec.structs.asdict(plan.weights),
        "floor": plan.floor,
        "span": span_shape(plan.span),
        "model": plan.reach.model,
        "vectors_upto": plan.reach.upto,
    }


def _gates_shape(gates: Gates) -> GatesShape:
    spaces: dict[str, ThresholdsShape] = {
        space: {"min": found.min, "flag": found.flag} for space, found in gates.namespaces
    }
    return {"min": gates.engine.min, "flag": gates.engine.flag, "namespaces": spaces}


def condition_shape(condition: Filter) -> Json:
    """A condition as an object with one key, which names it.

    >>> condition_shape(Both(parts=(Sourced(), Under(namespaces=("/hr",)))))
    {'all': [{'sourced': True}, {'under': ['/hr']}]}
    """
    match condition:
        case OneOf(field=field, words=words):
            return {"one_of": {field: [str(word) for word in words]}}
        case AtLeast(field=field, value=value):
            return {"at_least": {field: _bound(field, value)}}
        case AtMost(field=field, value=value):
            return {"at_most": {field: _bound(field, value)}}
        case Under(namespaces=namespaces):
            return {"under": list(namespaces)}
        case Sourced():
            return {"sourced": True}
        case ValidAt(instant=moment):
            return {"valid_at": show(Instant(moment))}
        case LiveAt(instant=moment):
            return {"live_at": show(Instant(moment))}
        case Believed(least=least, namespaces=spaces):
            return {"believed": {"at_least": least, "namespaces": dict(spaces)}}
        case Chartered(names=names):
            return {"chartered": list(names)}
        case Others(actor=actor):
            return {"not_by": actor}
        case Both(parts=parts):
            return {"all": [condition_shape(part) for part in parts]}
        case Either(parts=parts):
            return {"any": [condition_shape(part) for part in parts]}
        case _:
            assert_never(condition)


def _bound(field: str, value: float) -> Json:
    """A bound on a time is an instant like any other; one before our first year is our first year."""
    return show(Instant(int(min(max(value, MIN), MAX)))) if field == "created_at" else value


class HeadShape(TypedDict):
    tenant: str
    seq: int
    hash: str
    at: str
    receipts: int
    receipts_head: str
    checkpoint: int


def head_shape(head: LedgerHead) -> HeadShape:
    return {
        "tenant": head.tenant,
        "seq": head.seq,
        "hash": head.hash.hex(),
        "at": show(head.at),
        "receipts": head.receipts,
        "receipts_head": head.receipts_head,
        "checkpoint": head.checkpoint,
    }


class FindingShape(TypedDict):
    code: str
    message: str
    seq: int | None
    record: str | None


class VerifiedShape(TypedDict):
    ok: bool
    state: str
    entries: int
    receipts: int
    findings: list[FindingShape]
    head: HeadShape | None
    bound_since: int | None


def verified_shape(verified: VerificationResult) -> VerifiedShape:
    return {
        "ok": verified.ok,
        "state": verified.state.value,
        "entries": verified.entries,
        "receipts": verified.receipts,
        "findings": [finding_shape(one) for one in verified.findings],
        "head": None if verified.head is None else head_shape(verified.head),
        "bound_since": verified.bound_since,
    }


def finding_shape(finding: VerifyFinding) -> FindingShape:
    return {"code": finding.code, "message": finding.message, "seq": finding.seq, "record": finding.record}


class CheckpointShape(TypedDict):
    tenant: str
    seq: int
    head: str
    root: str
    receipts: int
    receipts_head: str
    at: str
    key: str
    previous: int
    signature: str


def checkpoint_shape(signed: SignedCheckpoint) -> CheckpointShape:
    point = signed.checkpoint
    return {
        "tenant": point.tenant,
        "seq": point.seq,
        "head": point.head,
        "root": point.root,
        "receipts": point.receipts,
        "receipts_head": point.receipts_head,
        "at": show(point.at),
        "key": point.key,
        "previous": point.previous,
        "signature": signed.signature,
    }


class EntryShape(TypedDict):
    seq: int
    at: str
    kind: str
    actor: str
    proposal_id: str | None
    outcome: str | None
    disposition: str | None
    record_id: str | None
    revision: int | None
    policy: int
    documents: Json
    dropped: list[int]
    births: Json
    changes: Json
    conflicts: Json


class EntriesShape(TypedDict):
    entries: list[EntryShape]


def entries_shape(entries: tuple[Entry, ...]) -> EntriesShape:
    return {"entries": [_entry_shape(entry) for entry in entries]}


def _entry_shape(entry: Entry) -> EntryShape:
    """An entry without its pepper: that one is for the index alone."""
    filing = entry.filing
    return {
        "seq": entry.seq,
        "at": show(entry.at),
        "kind": entry.kind.value,
        "actor": entry.actor,
        "proposal_id": None if filing is None else filing.proposal,
        "outcome": None if filing is None else filing.outcome.value,
        "disposition": None if filing is None else filing.disposition.value,
        "record_id": None if filing is None else filing.record,
        "revision": None if filing is None else filing.revision,
        "policy": entry.policy,
        "documents": msgspec.to_builtins(entry.documents),
        "dropped": list(entry.dropped),
        "births": msgspec.to_builtins(entry.births),
        "changes": msgspec.to_builtins(entry.changes),
        "conflicts": msgspec.to_builtins(entry.conflicts),
    }


class ReplayShape(TypedDict):
    entries: int
    identical: bool


def replay_shape(rebuilt: RebuildResult) -> ReplayShape:
    return {"entries": rebuilt.entries, "identical": rebuilt.identical}


class TrimmedShape(TypedDict):
    receipts: int
    saved_bytes: int
    dry_run: bool


def trimmed_shape(trimmed: TrimResult, *, dry_run: bool) -> TrimmedShape:
    return {"receipts": trimmed.receipts, "saved_bytes": trimmed.saved_bytes, "dry_run": dry_run}


class PolicyCheckShape(TypedDict):
    ok: bool
    file: str
    name: str
    write: int
    read: int
    review: int


class PolicyShape(TypedDict):
    source: str
    policy: Json
