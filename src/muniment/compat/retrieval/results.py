"""A retrieval in the contract's words: the query read strictly, the result put together, the event that tells of both,
and the result again from nothing but that event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import UNSET

from muniment.compat.retrieval import messages
from muniment.compat.retrieval.trace import make_event, parsed, refuse_redacted, said
from muniment.contracts.retrieval.contract import refusal
from muniment.contracts.retrieval.wire import Filters, RetrievalQuery, RetrievalResult, SelectedRecord, TraceEvent
from muniment.contracts.shape import flaws
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import convert
from muniment.model.errors import Malformed
from muniment.model.vocabulary import MemoryClass

QUERY, RETRIEVAL = "retrieval_query", "retrieval"
AGE, LIMIT = "age", "limit"
PROFILE_MATCH, TENANT_MATCH, TRUST_PASSED = "profile_match", "tenant_match", "trust_filter_passed"
CLASS_ALLOWED, AGE_PASSED, PROVENANCE_PRESENT = "class_allowed", "age_filter_passed", "provenance_present"
_PRINTED = (PROFILE_MATCH, TENANT_MATCH, TRUST_PASSED)


def read_query(query: RetrievalQuery | JsonObject | bytes) -> RetrievalQuery:
    """A query that has everything a query must have, however it comes; a fault is named by its place."""
    value: Json = read_json(query if isinstance(query, bytes) else msgspec.json.encode(query))
    if isinstance(value, dict) and value.get("kind", QUERY) != QUERY:
        raise Malformed("/kind", "retrieval_query")
    for flaw in flaws(value, RetrievalQuery):
        raise refusal(flaw)
    return convert(value, RetrievalQuery)


def filters_of(query: RetrievalQuery) -> Filters:
    return Filters() if query.filters is UNSET else query.filters


def reasons(query: RetrievalQuery, memory_class: MemoryClass) -> list[str]:
    """Why a record of this class that came through is here: every bound it passed."""
    filters = filters_of(query)
    passed = (
        (PROFILE_MATCH, memory_class is MemoryClass.PROFILE),
        (TENANT_MATCH, True),
        (TRUST_PASSED, filters.trust_min is not UNSET),
        (CLASS_ALLOWED, True),
        (AGE_PASSED, filters.max_age_days is not UNSET),
        (PROVENANCE_PRESENT, filters.require_provenance is True),
    )
    return [token for token, holds in passed if holds]


def make_result(
    query: RetrievalQuery, selected: Sequence[SelectedRecord], counts: Mapping[str, int], *, receipt: str | None = None
) -> RetrievalResult:
    """A result that echoes its query, gives its reasons and says how many each rule kept out."""
    given = {token for one in selected for token in (one.reasons if one.reasons is not UNSET else ())}
    kept_out = {rule: count for rule, count in sorted(counts.items()) if count}
    return RetrievalResult(
        kind="retrieval_result",
        trace_id=query.trace_id,
        session_id=query.session_id,
        selected_records=list(selected),
        selection_reason=[token for token in _PRINTED if token in given],
        excluded_records=sum(kept_out.values()),
        exclusion_counts=kept_out,
        receipt_id=receipt if receipt is not None else UNSET,
    )


def retrieval_event(query: RetrievalQuery, result: RetrievalResult, *, source: str) -> TraceEvent:
    """What a trace keeps of a retrieval: who asked within which bounds, and all of the result; no content."""
    filters = filters_of(query)
    payload = {
        "session_id": query.session_id,
        "source": source,
        "records": str(len(result.selected_records)),
        "tenant_id": query.tenant_id,
        "principal_id": query.principal_id,
        "purpose": query.purpose,
        "allowed_classes": _json(query.allowed_classes),
        "filters": _json(filters),
        "limit": str(query.limit),
        "selected_records": _json(result.selected_records),
        "selection_reason": _json(result.selection_reason),
        "excluded_records": str(result.excluded_records),
        "exclusion_counts": _json(result.exclusion_counts),
    }
    if result.receipt_id is not UNSET:
        payload["receipt_id"] = result.receipt_id
    return make_event(RETRIEVAL, result.trace_id, payload)


def rebuild_result(events: Iterable[TraceEvent], *, trace_id: str | None = None) -> RetrievalResult:
    """The result of the first retrieval of a trace, from the trace alone. Where the events are of several traces, of
    the one that is named."""
    event = _retrieval(events, trace_id)
    return RetrievalResult(
        kind="retrieval_result",
        trace_id=event.trace_id,
        session_id=said(event, "session_id"),
        selected_records=parsed(event, "selected_records", list[SelectedRecord]),
        selection_reason=parsed(event, "selection_reason", list[str]),
        excluded_records=parsed(event, "excluded_records", int),
        exclusion_counts=parsed(event, "exclusion_counts", dict[str, int]),
        receipt_id=event.payload.get("receipt_id", UNSET),
    )


def rebuild_filters(events: Iterable[TraceEvent], *, trace_id: str | None = None) -> Filters:
    """The bounds the first retrieval of a trace was made under."""
    return parsed(_retrieval(events, trace_id), "filters", Filters)


def returned(event: TraceEvent) -> tuple[str, ...] | None:
    """The ids of the records a retrieval returned; None where the event does not say, or hides it."""
    if "selected_records" not in event.payload or "selected_records" in event.redacted_fields:
        return None
    return tuple(one.record_id for one in parsed(event, "selected_records", list[SelectedRecord]))


def _retrieval(events: Iterable[TraceEvent], trace_id: str | None) -> TraceEvent:
    of_trace = (one for one in events if trace_id in (None, one.trace_id))
    event = next((one for one in of_trace if one.event_type == RETRIEVAL), None)
    if event is None:
        raise ValueError(messages.REBUILD_NONE)
    refuse_redacted([event])
    return event


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
