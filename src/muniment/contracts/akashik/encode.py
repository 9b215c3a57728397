"""From what the engine answers to the documents of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from muniment.contracts.akashik.codes import CODES, ErrorCode, error_document
from muniment.contracts.akashik.commands import AttuneCommand, DetectCommand, FieldCaller
from muniment.contracts.akashik.extra_fields import told_again
from muniment.contracts.akashik.nouns import EPOCH_MAX
from muniment.contracts.akashik.relevance import Relevant, weigh
from muniment.contracts.akashik.tables import DETECTED_BY, DISPUTE_OF, STRATEGIC_KINDS
from muniment.contracts.akashik.units import NOT_STATED, UnitCodec
from muniment.contracts.akashik.words import (
    AttuneFormat,
    Detection,
    DisputeStatus,
    DisputeType,
    FieldOperation,
    UnitStatus,
)
from muniment.contracts.interchange import carry
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.curation import ConflictResult, Verdict
from muniment.model.query import Disclosure
from muniment.model.tokens import tokens
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus, ConflictType, RelationType, Strategy

SUMMARY_CHARS = 120
UNKNOWN_LINK = "unknown-link"
"""The rule under which the engine refuses a link to something that is not there."""
_UNITS = UnitCodec()
Writer = Callable[[Disclosure], JsonObject]
Clock = Callable[[int], int]
"""From a ledger position to the epoch that is told."""


def same(position: int) -> int:
    """The clock of a Field that no foreign epoch has pushed."""
    return position


class WireConflict(Protocol):
    """A conflict as an engine tells it: both sides, and how far the matter has got."""

    @property
    def id(self) -> str: ...
    @property
    def type(self) -> ConflictType: ...
    @property
    def status(self) -> ConflictStatus: ...
    @property
    def why(self) -> str: ...
    @property
    def a(self) -> Disclosure: ...
    @property
    def b(self) -> Disclosure: ...
    @property
    def strategy(self) -> Strategy | None: ...
    @property
    def winner(self) -> str | None: ...
    @property
    def rationale(self) -> str | None: ...
    @property
    def resolved_by(self) -> str | None: ...
    @property
    def epoch_resolved(self) -> int | None: ...


def epoch_of(position: int) -> int | None:
    """A ledger position as an epoch; None when the clock is full, which is an `EPOCH_OVERFLOW` and never wraps.

    >>> epoch_of(7), epoch_of(2**63)
    (7, None)
    """
    return position if position <= EPOCH_MAX else None


def unit_document(
    found: Disclosure, roles: Mapping[str, str], *, reached: int | None = None, clock: Clock = same
) -> JsonObject:
    """A record as a unit. Its author's role is the one it had when it recorded; where that was not kept, `roles` says
    what agents are now; `reached` up to which position units have their vectors, None where none are made."""
    carried = carry(found.record, found.standing)
    unit = told_again(_UNITS.write(carried), found.record.claim)
    unit["epoch"] = clock(found.standing.since)
    source = unit["source"]
    assert isinstance(source, dict), "a unit has a source"
    if source["agent_role"] == NOT_STATED:
        unit["source"] = {**source, "agent_role": roles.get(found.record.actor, NOT_STATED)}
    if reached is not None and found.standing.since > reached and unit["status"] == UnitStatus.ACTIVE:
        unit["status"] = UnitStatus.PENDING_ENRICHMENT.value
    return unit


def record_response(
    verdict: Verdict, *, enriched: bool = True, deferred: bool = False, clock: Clock = same
) -> JsonObject:
    """The answer to a RECORD. What waits for a person was not accepted, and the reason says so. A unit without its
    vector is accepted, with a warning; one that was not compared yet is `deferred`. What says word for word what a unit
    says already, and links to nothing, is that unit, and the warning says so."""
    epoch = epoch_of(clock(verdict.epoch))
    if epoch is None:
        return error_document(ErrorCode.EPOCH_OVERFLOW, FieldOperation.RECORD, "the logical clock is full")
    if verdict.rule == UNKNOWN_LINK:
        return error_document(ErrorCode.UNIT_NOT_FOUND, FieldOperation.RECORD, verdict.reason)
    answer: JsonObject = {
        "status": "accepted" if verdict.committed else "rejected",
        "memory_unit_id": verdict.record_id,
        "epoch": epoch,
        "conflicts_detected": list[Json](verdict.conflict_ids),
        "rejection_reason": None if verdict.committed else verdict.reason,
    }
    if verdict.committed and not enriched:
        answer["warning"] = f"{ErrorCode.ENRICHMENT_FAILED}: {CODES[ErrorCode.ENRICHMENT_FAILED].action}"
    if verdict.committed and deferred:
        answer["conflict_detection"] = "deferred"
    return answer


def known_already(answer: JsonObject, unit: str) -> JsonObject:
    """The answer to a RECORD that only says again what a unit says: that unit, and why."""
    warning = "a unit says this word for word; it is that unit, and no second one was made"
    return {**answer, "status": "accepted", "memory_unit_id": unit, "rejection_reason": None, "warning": warning}


def conflict_document(view: WireConflict, clock: Clock = same) -> JsonObject:
    """A conflict with who resolved it and how, if anybody has."""
    document: JsonObject = {
        "id": view.id,
        "type": _dispute_type(view).value,
        "status": view.status.value,
        "unit_a": view.a.record.id,
        "unit_b": view.b.record.id,
        "description": _description(view),
        "detected_by": DETECTED_BY.get(view.why, Detection.SEMANTIC).value,
    }
    if view.epoch_resolved is not None and view.strategy is not None:
        document["resolution"] = {
            "strategy": view.strategy.value,
            "winner_id": view.winner,
            "rationale": view.rationale or "",
            "resolved_by": view.resolved_by or "",
            "epoch_resolved": clock(view.epoch_resolved),
        }
    return document


def _dispute_type(view: WireConflict) -> DisputeType:
    kinds = {side.record.claim.nature.kind for side in (view.a, view.b)}
    return DisputeType.STRATEGIC if kinds <= STRATEGIC_KINDS else DISPUTE_OF[view.type]


def _description(view: WireConflict) -> str:
    """What the newer unit says of the older; else how the disagreement was found."""
    said = (
        link.description
        for side, other in ((view.b, view.a), (view.a, view.b))
        for link in side.record.claim.lineage.relations
        if link.type is RelationType.CONTRADICTS and link.target == other.record.id
    )
    return next((words for words in said if words), f"{view.type.value} found by {view.why}")


class EncodeContext(Value):
    """What is needed to tell units: what agents are now, how far vectors reach, and the clock."""

    roles: Mapping[str, str] = {}
    reached: int | None = None
    clock: Clock = same

    def unit(self, found: Disclosure) -> JsonObject:
        return unit_document(found, self.roles, reached=self.reached, clock=self.clock)


PLAIN = EncodeContext()


def attune_response(
    found: Sequence[Disclosure],
    disputes: Sequence[WireConflict],
    command: AttuneCommand,
    caller: FieldCaller,
    *,
    epoch: int,
    telling: EncodeContext = PLAIN,
    left_out: int = 0,
) -> JsonObject:
    """The answer to an ATTUNE: what of the found matters most to the caller, within its bounds. `left_out` is how many
    more candidates there are."""
    candidates = [one for one in found if command.own or one.record.actor != caller.id]
    ranked = [one for one in weigh(candidates, command) if one.score >= command.threshold]
    told, used = _told(ranked[: command.limit], command, telling.unit)
    return attuned(
        told, disputes, command, used=used, available=len(ranked) + left_out, epoch=epoch, clock=telling.clock
    )


def attuned(
    told: list[Json],
    disputes: Sequence[WireConflict],
    command: AttuneCommand,
    *,
    used: int,
    available: int,
    epoch: int,
    clock: Clock = same,
) -> JsonObject:
    """The same once it is settled which units are told."""
    open_ = [view for view in disputes if view.status.value != DisputeStatus.RESOLVED]
    return {
        "status": "ok",
        "record": told,
        "conflicts": [conflict_document(view, clock) for view in open_],
        "context_budget": {
            "units_returned": len(told),
            "units_available": available,
            "tokens_used": used,
            "tokens_budget": command.budget,
        },
        "epoch": epoch,
    }


def _told(ranked: Sequence[Relevant], command: AttuneCommand, write: Writer) -> tuple[list[Json], int]:
    """As many units as the budget holds, in full if they fit, else shortened, else not."""
    told: list[Json] = []
    used = 0
    for one in ranked:
        fitted = fit(one, command, write, used=used)
        if fitted is not None:
            told.append(fitted[0])
            used += fitted[1]
    return told, used


def fit(one: Relevant, command: AttuneCommand, write: Writer, *, used: int) -> tuple[JsonObject, int] | None:
    """A unit in the fullest form that the rest of the budget holds, and what it takes; None if it holds none."""
    for form in _forms(command.format):
        unit = _formed(one, form, write)
        cost = _cost(unit)
        if command.budget is None or used + cost <= command.budget:
            return unit, cost
    return None


def _forms(wanted: AttuneFormat) -> tuple[AttuneFormat, ...]:
    return (AttuneFormat.FULL, AttuneFormat.SUMMARY) if wanted is AttuneFormat.FULL else (wanted,)


def _formed(one: Relevant, form: AttuneFormat, write: Writer) -> JsonObject:
    scoped: JsonObject = {
        "relevance_score": round(one.score, 6),
        "relevance_reason": one.reason,
        "format": form.value,
    }
    if form is AttuneFormat.IDS_ONLY:
        return {**scoped, "memory_unit_id": one.found.record.id, "memory_unit": {"id": one.found.record.id}}
    unit = write(one.found)
    if form is AttuneFormat.SUMMARY:
        unit["content"] = shortened(one.found.record.content)
    return {**scoped, "memory_unit": unit}


def _cost(scoped: JsonObject) -> int:
    """What a unit takes of a prompt: its content, by the estimate we use everywhere; an id alone takes its own."""
    unit = scoped.get("memory_unit")
    text = unit.get("content") if isinstance(unit, dict) else None
    return tokens(str(text if text is not None else scoped["memory_unit_id"]))


def shortened(text: str) -> str:
    """The beginning of a text, up to the end of a word.

    >>> shortened("word " * 40)[-10:]
    'word word…'
    """
    if len(text) <= SUMMARY_CHARS:
        return text
    return text[:SUMMARY_CHARS].rsplit(None, 1)[0].rstrip() + "…"


def detect_response(
    disputes: Sequence[WireConflict], command: DetectCommand, *, scanned: int, fresh: int = 0, clock: Clock = same
) -> JsonObject:
    """The answer to a DETECT. Disagreement is looked for inside every write, so a scan seldom finds any `fresh`."""
    authors = {side.record.id: side.record.actor for view in disputes for side in (view.a, view.b)}
    documents = [conflict_document(view, clock) for view in disputes]
    return {
        "status": "ok",
        "conflicts": [one for one in documents if command.selects(one, authors)],
        "scan_coverage": {"units_scanned": scanned, "new_conflicts_found": fresh},
    }


def merge_response(settled: ConflictResult, view: WireConflict, clock: Clock = same) -> JsonObject:
    """The answer to a MERGE that was let through; a refusal or a hold is an error of authority."""
    if settled.status not in ("resolved", "escalated", "pending_vote"):
        return error_document(ErrorCode.INSUFFICIENT_AUTHORITY, FieldOperation.MERGE, settled.reason)
    authors = {side.record.actor for side in (view.a, view.b)}
    return {
        "status": settled.status,
        "conflict": conflict_document(view, clock),
        "side_effects": {
            "superseded_units": list[Json](settled.superseded),
            "new_unit_id": settled.synthesis,
            "notified_agents": list[Json](sorted(authors)) if settled.superseded else [],
        },
    }
