"""Valid MATM documents of every sort that holds a memory: events and records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from hypothesis import strategies as st

from muniment.contracts.strict.values import Json, JsonObject

Strategy: TypeAlias = "st.SearchStrategy[Json]"

KINDS = ("fact", "decision", "preference", "risk", "procedure", "hypothesis", "evidence", "deprecation", "conflict")
STORED = (
    *("session", "project", "agent_team", "agent_repo"),
    *("x_user_identity", "x_organization", "x_cross_organization"),
)
SENSITIVITIES = ("public", "internal", "private", "confidential", "secret")
_PLACES = ("tenant_id", "project_id", "team_id", "agent_id", "session_id", "user_id", "organization_id")
IN_USE = ("reviewed", "current", "hypothesis", "conflicted")
SET_ASIDE = ("deprecated", "quarantined", "review_pending", "discarded")


def _objects(needed: Mapping[str, Strategy], *, optional: Mapping[str, Strategy] | None = None) -> Strategy:
    return st.fixed_dictionaries(dict(needed), optional=dict(optional or {}))


_ids: Strategy = st.from_regex(r"[A-Za-z0-9._:-]{1,24}", fullmatch=True)
_texts: Strategy = st.text(min_size=1, max_size=40)
_names: Strategy = st.one_of(_ids, st.text(min_size=1, max_size=40))
_said: Strategy = _texts.filter(lambda text: isinstance(text, str) and bool(text.strip()))
_people: Strategy = _names.filter(lambda name: isinstance(name, str) and bool(name.strip()))
_keys = st.sampled_from(["a", "note", "größe", "a/b", "~", "", "type"])
_scalars: Strategy = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False), _texts
)
_anything: Strategy = st.recursive(
    _scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_keys, inner, max_size=3)),
    max_leaves=6,
)
_extension_names = st.one_of(
    st.sampled_from(["x_muniment", "x_trace", "x_1", "x__"]), st.from_regex(r"x_[a-f0-9_]{1,6}", fullmatch=True)
)
_extensions = st.dictionaries(_extension_names, _anything, max_size=2)


@st.composite
def _instants(draw: st.DrawFn, first: int = 1970, last: int = 2099) -> str:
    year, month, day = draw(st.integers(first, last)), draw(st.integers(1, 12)), draw(st.integers(1, 28))
    hour, minute, second = draw(st.integers(0, 23)), draw(st.integers(0, 59)), draw(st.integers(0, 59))
    fraction = draw(st.sampled_from(["", ".5", ".123456", ".1234567890"]))
    zone = draw(st.sampled_from(["Z", "+00:00"]))
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}"


_far: Strategy = st.one_of(
    _instants(), st.sampled_from(["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2016-12-31T23:59:60Z"])
)
_fractions: Strategy = st.one_of(st.sampled_from([0, 1]), st.floats(0, 1))
_scores: Strategy = st.one_of(_fractions, st.sampled_from(["low", "medium", "high"]))
_confidences: Strategy = st.one_of(
    _scores,
    _objects(
        {"score": _scores},
        optional={
            "value": _scores,
            "reasoning": _texts,
            "evidence": st.lists(_texts, max_size=2),
            "assumptions": st.lists(_texts, max_size=2),
        },
    ),
    _objects({"value": _scores}, optional={"reasoning": _texts}),
    _objects({"level": _scores}),
)
_evidence: Strategy = st.one_of(
    _texts,
    _objects({"type": _texts, "ref": _texts}, optional={"hash": _texts}),
    st.just({"type": "test_run", "ref": "runs/118", "hash": "sha256:ab"}),
)
_agents: Strategy = st.one_of(
    _names,
    _objects(
        {"agent_id": _people}, optional={"role": _texts, "team_id": _names, "environment": _texts, "note": _anything}
    ),
    _objects({"id": _people}, optional={"name": _names, "role": _texts}),
    _objects({"name": _people}),
)
_tasks: Strategy = st.one_of(
    _names,
    _objects(
        {"task_id": _names},
        optional={
            "title": _texts,
            "project_id": _names,
            "session_id": _names,
            "workflow_id": _names,
            "goal": _anything,
        },
    ),
)
_provenances: Strategy = _objects(
    {},
    optional={
        "source_refs": st.lists(_texts, max_size=3),
        "event_ids": st.lists(_names, max_size=2),
        "producer": _names,
        "task_id": _names,
        "method": _texts,
        "captured_at": _far,
        "run": _anything,
    },
)
_hints: Strategy = _objects(
    {},
    optional={
        "human_review_required": st.booleans(),
        "reviewer": _names,
        "reason": _texts,
        "questions": st.lists(_texts, max_size=2),
        "redaction_notes": st.one_of(_texts, st.lists(_texts, max_size=2)),
        "next_review_at": _far,
        "note": _anything,
    },
)
_artifacts: Strategy = _objects(
    {"artifact_type": _texts, "summary": _texts},
    optional={"artifact_hash": _texts, "hash": _texts, "ref": _texts, "hidden_reasoning_included": st.just(False)},
)
_claims: Strategy = st.one_of(
    _objects({"subject": _texts, "key": _texts, "value": _texts}, optional={"statement": _texts}),
    _objects({}, optional={"statement": _texts}),
)
_decisions: Strategy = _objects(
    {"owner": _names, "decided_at": _far},
    optional=dict.fromkeys(("context", "authority", "rationale", "effective_scope"), _texts),
)
_some: Strategy = st.lists(_texts, min_size=1, max_size=3)
_procedures: Strategy = _objects(
    {"steps": _some, "stop_conditions": _some},
    optional={"preconditions": _some, **dict.fromkeys(("trigger", "validation", "rollback", "escalation"), _texts)},
)
_risks: Strategy = _objects({"impact": _texts, "trigger": _texts})
_charters: Strategy = _objects(
    {
        "owner": _people,
        "lawful_basis": _said,
        "access": st.lists(_people, min_size=1, max_size=2),
        "erasure": _said,
        "retention_days": st.one_of(st.integers(1, 36_500), st.just(30.0)),
        "source_quality": _said,
        "reviewer": _people,
        "barred_scopes": st.lists(st.sampled_from(STORED), min_size=1, max_size=2),
    },
    optional={"consent": _texts},
)
_contexts: Strategy = _objects(
    {},
    optional={
        "user_intent": st.text(max_size=240),
        "trigger_terms": st.lists(st.text(max_size=40), max_size=12),
        "cwd_at_request": _texts,
        "target_project": _texts,
        "target_path": _texts,
        "cross_context": st.booleans(),
        "outcome": _texts,
    },
)
_links: Strategy = st.lists(_names, min_size=1, max_size=3)
_shared: dict[str, Strategy] = {
    "topic": _texts,
    "owner": _people,
    "supersedes": st.one_of(_links, st.just([])),
    "conflicts_with": st.one_of(_links, st.just([])),
    "effective_from": _instants(1970, 1999),
    "effective_to": _instants(2000, 2099),
    "expires_at": _far,
    "claim": _claims,
    "decision": _decisions,
    "procedure": _procedures,
    "risk": _risks,
    "charter": _charters,
}


def _drawn(draw: st.DrawFn, objects: Strategy) -> JsonObject:
    found = draw(objects)
    assert isinstance(found, dict)
    return found


@st.composite
def events(draw: st.DrawFn) -> JsonObject:
    """Memory Events, the fourteen items and any of the others."""
    event = _drawn(
        draw,
        _objects(
            {
                "schema_version": st.just("llmwikis.matm.memory-event.v1"),
                "event_id": _ids,
                "emitted_at": _far,
                "source_agent": _agents,
                "task": _tasks,
                "provenance": st.one_of(_texts, _provenances),
                "artifact": _artifacts,
                "memory_kind": st.sampled_from(KINDS),
                "evidence_refs": st.lists(_evidence, min_size=1, max_size=3),
                "confidence": _confidences,
                "suggested_scope": st.sampled_from((*STORED, "discard", "x_guild")),
                "worker_write_mode": st.just("proposal_only"),
                "sensitivity": st.sampled_from(SENSITIVITIES),
                "review_hints": _hints,
            },
            optional={
                "durable_write_allowed": st.just(False),
                "disposition_hint": st.sampled_from(("append", "update", "conflict", "discard")),
                "ttl": st.sampled_from(("durable", "until_milestone", "session", "discard")),
                "derived_from": st.one_of(_links, st.just([])),
                "request_context": _contexts,
                **dict.fromkeys(("tenant_id", "project_id", "team_id", "agent_id", "session_id"), _names),
                **_shared,
            },
        ),
    )
    if event["memory_kind"] == "hypothesis" and draw(st.booleans()):
        event["evidence_refs"] = []
    _complete(draw, event, event["memory_kind"], event["suggested_scope"])
    return {**event, **draw(_extensions)}


@st.composite
def records(draw: st.DrawFn) -> JsonObject:
    """Memory records: usable ones with all they need, and others with any of it."""
    in_use = draw(st.booleans())
    needed: dict[str, Strategy] = {
        "owner": _people,
        "sensitivity": st.sampled_from(SENSITIVITIES),
        "evidence_refs": st.lists(_evidence, min_size=1, max_size=3),
        "source_refs": st.lists(_said, min_size=1, max_size=3),
        "curation_report_ids": _links,
        "reviewer": _names,
        "expires_at": _far,
        "decision": _decisions,
        "procedure": _procedures,
        "risk": _risks,
    }
    free: dict[str, Strategy] = {
        "scope_ref": _objects({}, optional=dict.fromkeys(_PLACES, _names)),
        "artifact_hash": _texts,
        "provenance": _provenances,
        "confidence": _confidences,
        "reviewed_at": _far,
        "next_review_at": _far,
        "superseded_by": _names,
        "conflict_group": _names,
        "revision": st.integers(1, 2**31),
        "created_at": _far,
        "updated_at": _far,
    }
    record = _drawn(
        draw,
        _objects(
            {
                "schema_version": st.just("llmwikis.matm.memory-record.v1"),
                "record_id": _ids,
                "kind": st.sampled_from(KINDS),
                "scope": st.sampled_from(STORED),
                "statement": _texts,
                "status": st.sampled_from(IN_USE if in_use else SET_ASIDE),
                **(needed if in_use else {}),
            },
            optional={
                name: one for name, one in {**_shared, **needed, **free}.items() if not in_use or name not in needed
            },
        ),
    )
    _complete(draw, record, record["kind"], record["scope"])
    return {**record, **draw(_extensions)}


def _complete(draw: st.DrawFn, document: JsonObject, kind: Json, scope: Json) -> None:
    """Add what a kind or a scope asks for."""
    if kind == "deprecation" and not document.get("supersedes"):
        document["supersedes"] = draw(_links)
    if kind == "conflict" and not document.get("conflicts_with"):
        document["conflicts_with"] = draw(_links)
    if scope == "x_user_identity" and "charter" not in document:
        document["charter"] = draw(_charters)


def documents() -> st.SearchStrategy[Json]:
    """Every valid document that holds a memory."""
    return st.one_of(events(), records())
