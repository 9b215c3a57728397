"""Events and records as memories of ours, and which records may be used."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.cites import cites

from muniment.contracts.finding import Severity
from muniment.contracts.matm import CONTRACT
from muniment.contracts.matm.usability import missing_for_use
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.claim import Charter, Handling, Place, Slot
from muniment.model.errors import Malformed
from muniment.model.status import Status
from muniment.model.times import parse
from muniment.model.vocabulary import Kind, RelationType, Scope, Sensitivity

EVENT: JsonObject = {
    "schema_version": "llmwikis.matm.memory-event.v1",
    "event_id": "evt_1",
    "emitted_at": "2026-06-23T17:00:00Z",
    "source_agent": {"agent_id": "producer.tester", "role": "tester", "team_id": "repair"},
    "task": {"task_id": "t-1", "title": "Repair the retry", "project_id": "checkout"},
    "provenance": {"source_refs": ["runs/118", "runs/119"]},
    "artifact": {"artifact_type": "trajectory", "summary": "It worked after clearing.", "artifact_hash": "sha256:ab"},
    "memory_kind": "fact",
    "evidence_refs": [{"type": "test_run", "ref": "runs/118", "hash": "sha256:cd"}, "seen twice"],
    "confidence": {"score": "high", "reasoning": "Twelve of twelve."},
    "suggested_scope": "project",
    "worker_write_mode": "proposal_only",
    "sensitivity": "private",
    "review_hints": {"next_review_at": "2026-12-01T00:00:00Z"},
}
RECORD: JsonObject = {
    "schema_version": "llmwikis.matm.memory-record.v1",
    "record_id": "rec_1",
    "kind": "fact",
    "scope": "project",
    "scope_ref": {"project_id": "checkout", "tenant_id": "acme"},
    "statement": "Checkout retries three times.",
    "status": "reviewed",
    "owner": "ana",
    "sensitivity": "internal",
    "evidence_refs": ["minutes/12"],
    "source_refs": ["minutes/12"],
    "reviewer": "ana",
}
CHARTER: JsonObject = {
    "owner": "ana",
    "consent": "form 12",
    "access": ["ana"],
    "erasure": "on request",
    "retention_days": 90,
    "source_quality": "told by herself",
    "reviewer": "steward",
    "barred_scopes": ["agent_team"],
}
ROOT = Path(__file__).parents[3]


def _errors(document: Json) -> list[tuple[str, str]]:
    found = CONTRACT.check(json.dumps(document).encode())
    return [(one.code, one.message) for one in found if one.severity is Severity.ERROR]


def test_an_event_is_a_proposal_of_what_it_says() -> None:
    (memory,) = CONTRACT.decode(json.dumps(EVENT).encode())
    claim = memory.claim

    assert (memory.id, memory.actor, memory.role, memory.status) == (
        "evt_1",
        "producer.tester",
        "tester",
        Status.PROPOSED,
    )
    assert claim.content == "It worked after clearing."
    assert claim.nature.kind is Kind.FACT
    assert claim.place == Place(scope=Scope.PROJECT, scope_id="checkout", task_id="t-1")
    assert (claim.origin.source, claim.origin.source_type, claim.origin.external_id) == (
        "runs/118",
        "trajectory",
        "sha256:ab",
    )
    assert (claim.belief.score, claim.belief.reasoning) == (0.9, "Twelve of twelve.")
    assert claim.belief.evidence == ("test_run: runs/118 [sha256:cd]", "seen twice")
    assert claim.handling == Handling(
        sensitivity=Sensitivity.PRIVATE, next_review_at=parse("2026-12-01T00:00:00Z", field="at")
    )
    assert (memory.created_at, claim.times.event_time) == (parse("2026-06-23T17:00:00Z", field="at"), None)
    assert claim.intent.purpose == "Repair the retry"


@each(
    ("said", "scope", "scope_id"),
    [
        ({"suggested_scope": "project", "project_id": "other"}, Scope.PROJECT, "other"),
        ({"suggested_scope": "project", "task": "t-1"}, Scope.PROJECT, "default"),
        ({"suggested_scope": "agent_team"}, Scope.AGENT_TEAM, "repair"),
        ({"suggested_scope": "agent_team", "team_id": "desk"}, Scope.AGENT_TEAM, "desk"),
        ({"suggested_scope": "agent_repo"}, Scope.AGENT_REPO, "producer.tester"),
        ({"suggested_scope": "agent_repo", "agent_id": "docs"}, Scope.AGENT_REPO, "docs"),
        ({"suggested_scope": "session"}, Scope.SESSION, "t-1"),
        ({"suggested_scope": "session", "session_id": "s-1"}, Scope.SESSION, "s-1"),
        ({"suggested_scope": "discard"}, Scope.SESSION, "t-1"),
        ({"suggested_scope": "x_user_identity", "charter": CHARTER}, Scope.X_USER_IDENTITY, "ana"),
        ({"suggested_scope": "x_organization", "tenant_id": "acme"}, Scope.X_ORGANIZATION, "acme"),
    ],
)
def test_whose_scope_it_is_is_found_where_the_event_says_it(said: JsonObject, scope: Scope, scope_id: str) -> None:
    (memory,) = CONTRACT.decode(json.dumps({**EVENT, **said}).encode())

    assert (memory.claim.place.scope, memory.claim.place.scope_id) == (scope, scope_id)


def test_links_charter_and_slot_of_an_event_are_read() -> None:
    said: JsonObject = {
        "suggested_scope": "x_user_identity",
        "charter": CHARTER,
        "supersedes": ["rec_1", "rec 2"],
        "conflicts_with": ["rec_3"],
        "derived_from": ["rec_4"],
        "claim": {"statement": "Ana drinks tea.", "subject": "ana", "key": "drink", "value": "tea"},
    }
    claim = CONTRACT.decode(json.dumps({**EVENT, **said}).encode())[0].claim

    assert claim.content == "Ana drinks tea."
    assert claim.slot == Slot(subject="ana", key="drink", value="tea")
    assert claim.lineage.replaced == ("rec_1", "x:2f940f371e0550e931ff6dfb78432172")
    assert [one.target for one in claim.lineage.relations if one.type is RelationType.CONTRADICTS] == ["rec_3"]
    assert claim.lineage.derived_from == ("rec_4",)
    assert claim.handling.owner == "ana"
    assert claim.charter == Charter(
        lawful_basis="consent: form 12",
        access=("ana",),
        erasure="on request",
        retention_days=90,
        source_quality="told by herself",
        reviewer="steward",
        barred=(Scope.AGENT_TEAM,),
    )


def test_a_ticket_holds_the_memory_of_its_event() -> None:
    ticket: JsonObject = {
        "ticket_id": "tck_1",
        "title": "A fact for checkout",
        "opened_at": "2026-06-23T17:01:00Z",
        "opened_by": "queue",
        "state": "open",
        "event": EVENT,
    }

    assert CONTRACT.decode(json.dumps(ticket).encode()) == CONTRACT.decode(json.dumps(EVENT).encode())
    assert _errors({**ticket, "event": {**EVENT, "memory_kind": "lesson"}})[0][0] == "enum"
    assert _errors({**ticket, "schema_version": "ticket.v1"}) == [("unknown", "there is no such field")]


@each(
    ("word", "status"),
    [
        ("reviewed", Status.ACTIVE),
        ("current", Status.ACTIVE),
        ("conflicted", Status.CONTESTED),
        ("deprecated", Status.DEPRECATED),
        ("quarantined", Status.HELD),
        ("review_pending", Status.PROPOSED),
        ("discarded", Status.DISCARDED),
    ],
)
def test_the_state_of_a_record_is_read(word: str, status: Status) -> None:
    (memory,) = CONTRACT.decode(json.dumps({**RECORD, "status": word}).encode())

    assert (memory.status, memory.tenant, memory.claim.place.scope_id) == (status, "acme", "checkout")


@cites("MATM-050")
@each(
    ("name", "field"),
    [
        ("source", "source_refs"),
        ("sensitivity", "sensitivity"),
        ("owner", "owner"),
        ("evidence", "evidence_refs"),
        ("review", "reviewer"),
    ],
)
def test_a_record_that_lacks_one_of_the_seven_is_not_usable(name: str, field: str) -> None:
    assert missing_for_use(RECORD) == ()
    assert _errors(RECORD) == []

    lacking = {key: value for key, value in RECORD.items() if key != field}

    assert missing_for_use(lacking) == (name,)
    assert _errors(lacking) == [("unusable", f"{name} is missing: without it a record is not usable")]
    assert _errors({**lacking, "status": "quarantined"}) == []


@cites("MATM-050")
@pytest.mark.parametrize("name", ["status", "scope"])
def test_a_record_without_status_or_scope_is_none_at_all(name: str) -> None:
    lacking = {key: value for key, value in RECORD.items() if key != name}

    assert missing_for_use(lacking) == (name,)
    assert ("missing", f"{name} is missing") in _errors(lacking)


@each(
    ("kind", "part", "value"),
    [
        ("decision", "decision", {"owner": "ana", "decided_at": "2026-01-01T00:00:00Z"}),
        ("procedure", "procedure", {"steps": ["clear"], "stop_conditions": ["it fails twice"]}),
        ("risk", "risk", {"impact": "loss", "trigger": "sharing"}),
        ("hypothesis", "expires_at", "2026-01-01T00:00:00Z"),
    ],
)
def test_some_kinds_need_more_to_be_usable(kind: str, part: str, value: Json) -> None:
    record = {**RECORD, "kind": kind}

    assert [code for code, _ in _errors(record)] == ["unusable"]
    assert _errors({**record, part: value}) == []


def test_a_usable_record_about_a_person_needs_its_charter() -> None:
    record = {**RECORD, "scope": "x_user_identity"}

    assert {code for code, _ in _errors(record)} == {"extension_scope"}
    assert _errors({**record, "charter": CHARTER}) == []


def test_a_paper_that_holds_no_memory_cannot_be_decoded() -> None:
    request: JsonObject = {
        "schema_version": "llmwikis.matm.retrieval-request.v1",
        "request_id": "req_1",
        "consumer_agent": "consumer",
        "task": "repair",
        "allowed_scopes": ["project"],
    }
    assert _errors(request) == []

    with pytest.raises(Malformed, match="holds no memory"):
        CONTRACT.decode(json.dumps([EVENT, request]).encode())


_CLAIMS = re.compile(
    r"(?i)\b(?:is|are|fully|we are) (?:certified|conformant|compliant)\b|\bcertification (?:by|from)\b|\bconforms to\b"
    r"|https?://[^\s)`]*(?:/matm|/retrieval-requests|/memory-events)|\bPOST /|\blive (?:endpoint|api|service)\b(?! is)"
)


@cites("MATM-072")
def test_no_page_presents_a_live_endpoint_a_certification_or_a_claim_of_conformance() -> None:
    pages = [page for page in (ROOT / "docs").rglob("*.md") if "matm" in page.read_text(encoding="utf-8").lower()]
    found = {
        str(page.relative_to(ROOT)): hit[0]
        for page in pages
        for hit in [_CLAIMS.search(page.read_text(encoding="utf-8"))]
        if hit is not None
    }

    assert ROOT / "docs" / "contracts" / "matm.md" in pages
    assert found == {}
    assert _CLAIMS.search("Muniment is certified.") is not None
    assert _CLAIMS.search("POST /retrieval-requests") is not None
