"""The papers around a memory: request, response, report, directory, ticket."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cases import each
from tests.contracts.cites import cites

from muniment import Memory
from muniment.contracts.finding import Severity
from muniment.contracts.matm import CONTRACT
from muniment.contracts.matm.documents import (
    DecisionContext,
    DirectoryExpert,
    QueueState,
    directory_document,
    query_of,
    report_document,
    response_document,
    ticket_document,
)
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.curation import CurationReport, Redaction, Routing, StepOutcome
from muniment.model.query import Abstention, Query
from muniment.model.recall import Recall
from muniment.model.times import Instant, parse
from muniment.model.vocabulary import Disposition, Kind, Outcome, Scope, Sensitivity, Step, StepResult

REQUEST: JsonObject = {
    "schema_version": "llmwikis.matm.retrieval-request.v1",
    "request_id": "req_1",
    "consumer_agent": "consumer.demo",
    "task": {"task_id": "t-1", "title": "Repair the checkout retry"},
    "allowed_scopes": ["project", "agent_team"],
}
AT = parse("2026-06-23T17:00:00Z", field="at")


def _errors(document: Json) -> list[tuple[str, str]]:
    found = CONTRACT.check(json.dumps(document).encode())
    return [(one.code, one.path) for one in found if one.severity is Severity.ERROR]


def test_a_request_becomes_bounds_that_hold_before_ranking() -> None:
    asked: JsonObject = {
        **REQUEST,
        "query": "How is the retry repaired?",
        "purpose": "repair",
        "allowed_kinds": ["procedure", "evidence"],
        "max_sensitivity": "internal",
        "require_evidence": True,
        "limit": 3,
        "project_id": "checkout",
        "team_id": "repair",
    }
    assert _errors(asked) == []
    assert query_of(asked) == Query(
        text="How is the retry repaired?",
        purpose="repair",
        scopes=(Scope.PROJECT, Scope.AGENT_TEAM),
        scope_ids=("checkout", "repair"),
        kinds=(Kind.PROCEDURE, Kind.EVIDENCE, Kind.OBSERVATION),
        sensitivity_max=Sensitivity.INTERNAL,
        require_provenance=True,
        limit=3,
    )


def test_a_short_request_asks_for_its_task_and_an_empty_list_allows_nothing() -> None:
    query = query_of({**REQUEST, "allowed_scopes": [], "project_id": "checkout"})

    assert (query.text, query.scopes, query.scope_ids) == ("Repair the checkout retry", (), None)
    assert query_of({**REQUEST, "project_id": "checkout"}).scope_ids is None


@each(
    ("change", "found"),
    [
        ({"allowed_scopes": ["discard"]}, ("enum", "/allowed_scopes/0")),
        ({"allowed_kinds": ["lesson"]}, ("enum", "/allowed_kinds/0")),
        ({"limit": -1}, ("range", "/limit")),
        ({"max_sensitivity": "top"}, ("enum", "/max_sensitivity")),
        ({"write": True}, ("unknown", "/write")),
    ],
)
def test_a_request_out_of_shape_is_refused(change: JsonObject, found: tuple[str, str]) -> None:
    assert _errors({**REQUEST, **change}) == [found]


@cites("MATM-056")
def test_a_response_says_that_it_grants_nothing_and_cites_what_it_tells(vault: Path) -> None:
    with Memory.open(str(vault), actor="owner") as memory:
        told = memory.remember(
            "The retry works after the cache key is cleared",
            kind="fact",
            evidence=["test_run: runs/118"],
            source="runs/118",
        )
        recall = memory.recall("retry cache key")

    response = response_document(REQUEST, recall, warnings={told.record_id or "": ["look at the order first"]})

    assert _errors(response) == []
    assert response["grants"] == {"write": False, "promote": False, "adopt": False}
    assert response["abstained"] is False
    assert isinstance(response["results"], list)
    (result,) = response["results"]
    assert isinstance(result, dict)
    assert {name: result[name] for name in ("record_id", "source_refs", "evidence_refs", "curation_report_ids")} == {
        "record_id": told.record_id,
        "source_refs": ["runs/118"],
        "evidence_refs": [{"type": "test_run", "ref": "runs/118"}],
        "curation_report_ids": [told.proposal_id],
    }
    assert result["warnings"] == ["look at the order first"]
    for right in ("write", "promote", "adopt"):
        claimed: JsonObject = {**response, "grants": {"write": False, "promote": False, "adopt": False, right: True}}
        assert ("enum", f"/grants/{right}") in _errors(claimed)
        lacking: JsonObject = {name: False for name in ("write", "promote", "adopt") if name != right}
        assert _errors({**response, "grants": lacking}) == [("missing", "/grants")]
    assert _errors({key: value for key, value in response.items() if key != "grants"}) == [("missing", "/")]


def test_a_response_that_abstains_gives_no_answer(vault: Path) -> None:
    with Memory.open(str(vault), actor="owner") as memory:
        memory.remember("The retry works after the cache key is cleared", kind="fact")
        recall = memory.recall("retry cache key")

    response = response_document(REQUEST, recall, abstain_reasons=["weak_evidence"])

    assert (response["results"], response["abstained"], response["abstain_reasons"]) == ([], True, ["weak_evidence"])
    assert _errors(response) == []
    answered = response_document(REQUEST, recall)
    assert _errors({**answered, "abstained": True, "abstain_reasons": ["weak_evidence"]}) == [
        ("abstention", "/results/0/presented_as")
    ]
    assert _errors({**response, "abstain_reasons": []}) == [("abstention", "/abstain_reasons")]


def test_who_is_not_authorized_is_not_told_how_much_is_hidden() -> None:
    recall = Recall(
        records=(),
        excluded={"sensitivity": 3},
        considered=3,
        abstained=Abstention.NOT_AUTHORIZED,
        receipt_id="rcp_1",
        epoch=4,
    )

    response = response_document(REQUEST, recall)

    assert (response["abstain_reasons"], response["excluded"]) == (["missing_authorization"], {})
    assert _errors(response) == []


def test_a_report_names_decision_steps_reviewer_and_next_review() -> None:
    steps = [StepOutcome(step=step, result=StepResult.PASSED) for step in Step]
    steps[1] = StepOutcome(step=Step.SAFETY, result=StepResult.CHANGED, note="redacted a key")
    report = CurationReport(
        proposal="prp_1",
        digest="d",
        actor="producer.tester",
        disposition=Disposition.APPEND,
        outcome=Outcome.COMMITTED,
        rule="team",
        reason="it is well founded",
        steps=tuple(steps),
        reviewer="curator.demo",
        next_review_at=AT,
        redactions=(Redaction(field="content", what="API key"),),
        suggested=Routing(kind=Kind.FACT, scope=Scope.PROJECT, scope_id="checkout"),
    )
    curated = DecisionContext(
        event_id="evt_1",
        curated_at=AT,
        curator="curator.demo",
        scope=Scope.AGENT_TEAM,
        kind=Kind.PROCEDURE,
        record_id="rec_1",
    )

    document = report_document(report, curated)

    assert _errors(document) == []
    assert {key: value for key, value in document.items() if key != "steps"} == {
        "schema_version": "llmwikis.matm.curation-report.v1",
        "report_id": "prp_1",
        "curated_at": "2026-06-23T17:00:00Z",
        "curator": "curator.demo",
        "event_id": "evt_1",
        "decision": "append",
        "reason": "it is well founded",
        "scope": "agent_team",
        "kind": "procedure",
        "redactions": [{"field": "content", "what": "API key", "count": 1}],
        "reviewer": "curator.demo",
        "next_review_at": "2026-06-23T17:00:00Z",
        "record_id": "rec_1",
        "suggested_scope": "project",
        "suggested_kind": "fact",
        "rule": "team",
    }
    assert isinstance(document["steps"], list)
    assert document["steps"][1] == {"step": "safety_redaction", "outcome": "changed", "note": "redacted a key"}
    shuffled = [document["steps"][1], document["steps"][0], *document["steps"][2:]]
    assert _errors({**document, "steps": shuffled}) == [("steps", "/steps")]
    assert _errors({**document, "steps": document["steps"][1:]}) == [("length", "/steps"), ("steps", "/steps")]


def test_a_discard_has_the_sink_as_its_scope_and_runs_no_step_after_the_refusal() -> None:
    refused = StepOutcome(step=Step.ADMISSION, result=StepResult.REFUSED, note="malformed")
    report = CurationReport(
        proposal="prp_1",
        digest="d",
        actor="a",
        disposition=Disposition.DISCARD,
        outcome=Outcome.REFUSED,
        rule="malformed",
        reason="the event is malformed",
        steps=(refused,),
    )
    curated = DecisionContext(
        event_id="evt_1", curated_at=AT, curator="policy", scope=Scope.PROJECT, kind=Kind.OBSERVATION
    )

    document = report_document(report, curated)

    assert _errors(document) == []
    assert (document["scope"], document["suggested_scope"], document["kind"]) == ("discard", "project", "evidence")
    assert (document["reviewer"], document["next_review_at"]) == ("policy", None)
    assert isinstance(document["steps"], list)
    assert [one["outcome"] for one in document["steps"] if isinstance(one, dict)] == ["refused", *["not_run"] * 8]
    went_on: list[Json] = [
        document["steps"][0],
        {"step": "safety_redaction", "outcome": "passed"},
        *document["steps"][2:],
    ]
    assert _errors({**document, "steps": went_on}) == [("steps", "/steps")]


def test_a_directory_tells_who_knows_what() -> None:
    expert = DirectoryExpert(
        agent="producer.tester",
        roles=("tester",),
        teams=("repair",),
        topics=("/checkout",),
        scopes=("agent_team repair",),
        records=("rec_1",),
        statuses={"active": 1},
        kinds={"procedure": 1},
        reliability=0.75,
        outcomes=2.0,
        last=AT,
    )

    document = directory_document([expert], viewer="consumer.demo", at=AT, about="retry", tenant="acme")

    assert _errors(document) == []
    assert document == {
        "schema_version": "llmwikis.matm.directory.v1",
        "generated_at": "2026-06-23T17:00:00Z",
        "viewer": "consumer.demo",
        "entries": [
            {
                "agent_id": "producer.tester",
                "roles": ["tester"],
                "teams": ["repair"],
                "topics": ["/checkout"],
                "scopes": ["agent_team repair"],
                "record_count": 1,
                "counts_by_status": {"active": 1},
                "counts_by_kind": {"procedure": 1},
                "reliability": {"score": 0.75, "evidence_count": 2.0},
                "last_active": "2026-06-23T17:00:00Z",
                "record_ids": ["rec_1"],
            }
        ],
        "about": "retry",
        "tenant_id": "acme",
    }


def test_a_ticket_wraps_an_event_for_a_person() -> None:
    event: JsonObject = {"source_agent": "tester", "memory_kind": "fact", "suggested_scope": "project"}
    queued = QueueState(
        ticket_id="tck_1", opened_at=Instant(0), opened_by="queue", due_at=AT, reason="a person decides"
    )

    assert ticket_document(event, queued) == {
        "ticket_id": "tck_1",
        "title": "tester suggests a fact for project",
        "opened_at": "1970-01-01T00:00:00Z",
        "opened_by": "queue",
        "state": "open",
        "event": event,
        "due_at": "2026-06-23T17:00:00Z",
        "reason": "a person decides",
    }
