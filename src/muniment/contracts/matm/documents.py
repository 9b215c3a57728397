"""The papers around a memory: curation report, retrieval request and response, directory, ticket. Values in, documents
out; nothing here decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from muniment.contracts.interchange import carry
from muniment.contracts.matm import words
from muniment.contracts.matm.event import kind_word, nearest
from muniment.contracts.matm.parts import agent_name, put, scope_word, shown
from muniment.contracts.matm.record import RECORDS
from muniment.contracts.names import safe_id
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.curation import CurationReport
from muniment.model.query import DEFAULT_PURPOSE, LIMIT_DEFAULT, Abstention, Disclosure, Presented, Query
from muniment.model.recall import Recall
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Disposition, Kind, Scope, Sensitivity, Step, StepResult

_IDS = {
    Scope.PROJECT: "project_id",
    Scope.AGENT_TEAM: "team_id",
    Scope.AGENT_REPO: "agent_id",
    Scope.SESSION: "session_id",
}
_ABSTAINED = {Abstention.NOT_AUTHORIZED: "missing_authorization"}


class DecisionContext(Value):
    """What is known of a decision besides its report: which event, where it was routed, and what came of it."""

    event_id: str
    curated_at: Instant
    curator: str
    scope: Scope
    kind: Kind
    record_id: str | None = None
    report_id: str | None = None


def report_document(report: CurationReport, curated: DecisionContext) -> JsonObject:
    """The curation report of one event. What was discarded has the sink as its scope, and the suggestion beside it."""
    discarded = report.disposition is Disposition.DISCARD
    document: JsonObject = {
        "schema_version": words.REPORT,
        "report_id": curated.report_id or report.proposal,
        "curated_at": shown(curated.curated_at),
        "curator": curated.curator,
        "event_id": curated.event_id,
        "decision": report.disposition.value,
        "reason": report.reason or report.rule or report.disposition.value,
        "scope": "discard" if discarded else scope_word(curated.scope),
        "kind": nearest(curated.kind),
        "redactions": [{"field": one.field, "what": one.what, "count": one.count} for one in report.redactions],
        "steps": _steps(report),
        "reviewer": report.reviewer or curated.curator,
        "next_review_at": shown(report.next_review_at),
    }
    suggested = report.suggested
    put(
        document,
        record_id=curated.record_id,
        duplicate_of=report.duplicate_of,
        conflicts_with=list(report.contradicts),
        suggested_scope=scope_word(suggested.scope)
        if suggested is not None
        else (scope_word(curated.scope) if discarded else None),
        suggested_kind=nearest(suggested.kind) if suggested is not None else None,
        rule=report.rule or None,
    )
    return document


def _steps(report: CurationReport) -> list[Json]:
    told = {outcome.step: outcome for outcome in report.steps}
    found: list[Json] = []
    for step in Step:
        outcome = told.get(step)
        line: JsonObject = {
            "step": step.value,
            "outcome": outcome.result.value if outcome is not None else StepResult.NOT_RUN.value,
        }
        put(line, note=outcome.note or None if outcome is not None else None)
        found.append(line)
    return found


def query_of(request: JsonObject) -> Query:
    """What a retrieval request asks, as bounds that hold before anything is ranked. Whose scopes are meant is a bound
    where the request says it for every scope it allows; the policy bounds it in any case."""
    task = request["task"]
    said = task if isinstance(task, dict) else {"task_id": task}
    text = request.get("query") or said.get("title") or said["task_id"]
    scopes = _scopes(request)
    kinds, highest, purpose = (request.get(name) for name in ("allowed_kinds", "max_sensitivity", "purpose"))
    limit = request.get("limit", LIMIT_DEFAULT)
    return Query(
        text=str(text),
        purpose=safe_id(purpose) if isinstance(purpose, str) else DEFAULT_PURPOSE,
        scopes=scopes,
        scope_ids=_scope_ids(request, scopes),
        kinds=tuple(kind for kind in Kind if nearest(kind) in kinds) if isinstance(kinds, list) else None,
        sensitivity_max=Sensitivity(highest) if isinstance(highest, str) else None,
        require_provenance=request.get("require_evidence") is True,
        limit=int(limit) if isinstance(limit, (int, float)) else LIMIT_DEFAULT,
    )


def _scopes(request: JsonObject) -> tuple[Scope, ...]:
    allowed = request["allowed_scopes"]
    return tuple(dict.fromkeys(Scope(str(one)) for one in allowed)) if isinstance(allowed, list) else ()


def _scope_ids(request: JsonObject, scopes: tuple[Scope, ...]) -> tuple[str, ...] | None:
    found = [request.get(_IDS[scope]) if scope in _IDS else None for scope in scopes]
    named = [safe_id(one) for one in found if isinstance(one, str)]
    return tuple(dict.fromkeys(named)) if named and len(named) == len(found) else None


def response_document(
    request: JsonObject,
    recall: Recall,
    *,
    abstain_reasons: Sequence[str] = (),
    warnings: Mapping[str, Sequence[str]] | None = None,
    notices: Sequence[JsonObject] = (),
) -> JsonObject:
    """The answer to a request. With `abstain_reasons`, or when the recall abstained, nothing in it is an answer: of the
    records only the sides of an open conflict are left. `warnings` are told with a record, by its id."""
    reasons = list(dict.fromkeys(abstain_reasons)) or _own_reasons(recall)
    told = [one for one in recall.records if not reasons or one.presented is Presented.CONTESTED]
    if "missing_authorization" in reasons:
        told = []
    query = query_of(request)
    document: JsonObject = {
        "schema_version": words.RESPONSE,
        "request_id": request["request_id"],
        "results": [_result(one, (warnings or {}).get(one.record.id, ())) for one in told],
        "abstained": bool(reasons),
        "abstain_reasons": [*reasons],
        "notices": [*notices, *_notices(told)],
        "filters_applied": _filters(request, query),
        "excluded": {} if "missing_authorization" in reasons else {**recall.excluded},
        "grants": {"write": False, "promote": False, "adopt": False},
        "receipt_id": recall.receipt_id,
    }
    return document


def _own_reasons(recall: Recall) -> list[str]:
    return [_ABSTAINED.get(recall.abstained, "nothing_found")] if recall.abstained is not None else []


def _result(found: Disclosure, warnings: Sequence[str]) -> JsonObject:
    memory = carry(found.record, found.standing)
    paper = RECORDS.write(memory)
    result: JsonObject = {
        "record_id": memory.id,
        "kind": kind_word(memory.claim, sides=1),
        "scope": paper["scope"],
        "status": paper["status"],
        "statement": found.text,
        "source_refs": paper.get("source_refs", []),
        "evidence_refs": paper.get("evidence_refs", []),
        "curation_report_ids": paper.get("curation_report_ids", []),
        "score": found.score,
        "warnings": [*dict.fromkeys([*found.notices, *warnings])],
        "presented_as": found.presented.value,
        "revision": memory.revision,
    }
    put(result, superseded_by=memory.successor)
    return result


def _notices(told: Sequence[Disclosure]) -> Iterator[Json]:
    """A notice for each conflict that is open between what is told, and for each record that gave way to another."""
    names = dict.fromkeys(name for one in told for name in one.conflicts)
    for name in names:
        sides: list[Json] = [one.record.id for one in told if name in one.conflicts]
        yield {"kind": "conflict", "message": f"conflict {name} is open; neither side is settled", "record_ids": sides}
    for one in told:
        if one.standing.status in (Status.DEPRECATED, Status.SUPERSEDED):
            successor = one.standing.successor
            then = f"{successor} took its place" if successor is not None else "nothing took its place"
            yield {
                "kind": "deprecation",
                "message": f"{one.record.id} is out of use; {then}",
                "record_ids": [one.record.id],
            }


def _filters(request: JsonObject, query: Query) -> JsonObject:
    return {
        "allowed_scopes": [scope.value for scope in query.scopes or ()],
        "allowed_kinds": request.get("allowed_kinds"),
        "max_sensitivity": request.get("max_sensitivity"),
        "require_evidence": query.require_provenance,
        "limit": query.limit,
        "purpose": query.purpose,
    }


class DirectoryExpert(Value):
    """One agent of the directory: what it wrote that the reader may see, and how that turned out."""

    agent: str
    statuses: dict[str, int]
    kinds: dict[str, int]
    roles: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    count: int = 0
    reliability: float = 0.5
    outcomes: float = 0.0
    last: Instant = Instant(0)
    owner: str | None = None


def directory_document(
    experts: Sequence[DirectoryExpert], *, viewer: str, at: Instant, about: str | None = None, tenant: str | None = None
) -> JsonObject:
    """The transactive directory as one reader may see it."""
    document: JsonObject = {
        "schema_version": words.DIRECTORY,
        "generated_at": shown(at),
        "viewer": viewer,
        "entries": [_entry(one) for one in experts],
    }
    put(document, about=about, tenant_id=tenant)
    return document


def _entry(expert: DirectoryExpert) -> JsonObject:
    entry: JsonObject = {
        "agent_id": expert.agent,
        "roles": [*expert.roles],
        "teams": [*expert.teams],
        "topics": [*expert.topics],
        "scopes": [*expert.scopes],
        "record_count": expert.count or len(expert.records),
        "counts_by_status": {**expert.statuses},
        "counts_by_kind": {**expert.kinds},
        "reliability": {"score": expert.reliability, "evidence_count": expert.outcomes},
        "last_active": shown(expert.last),
    }
    put(entry, record_ids=[*expert.records], owner=expert.owner)
    return entry


class QueueState(Value):
    """What a person's queue knows of an event: since when, from whom, and how far it is."""

    ticket_id: str
    opened_at: Instant
    opened_by: str
    state: str = "open"
    assignee: str | None = None
    due_at: Instant | None = None
    reason: str | None = None


def ticket_document(event: JsonObject, queued: QueueState) -> JsonObject:
    """A Memory Ticket: the event as a person meets it in the queue."""
    agent = event.get("source_agent")
    name = agent_name(agent) if isinstance(agent, dict) else agent
    document: JsonObject = {
        "ticket_id": queued.ticket_id,
        "title": f"{name} suggests a {event.get('memory_kind')} for {event.get('suggested_scope')}",
        "opened_at": shown(queued.opened_at),
        "opened_by": queued.opened_by,
        "state": queued.state,
        "event": event,
    }
    put(document, assignee=queued.assignee, due_at=shown(queued.due_at), reason=queued.reason)
    return document
