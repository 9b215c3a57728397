"""Sessions: one tenant, one principal, every trace once; and the export that shows what each run did with memory."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from examples.retrieval_runtime import (
    RunRecord,
    RunRequest,
    RunStatus,
    Runtime,
    Sessions,
    ToolFailed,
)
from tests.cases import each
from tests.contracts.cites import cites

from muniment.compat.retrieval import (
    bundled_store,
    export_events,
    read_events,
)

RUN = RunRecord(
    trace_id="trace-1",
    session_id="session-1",
    tenant_id="tenant-acme",
    principal_id="user-42",
    status=RunStatus.SUCCESS,
)


def _with(**changes: object) -> RunRecord:
    return msgspec.structs.replace(RUN, **{"trace_id": "trace-2", **changes})


def _failing(_: str) -> str:
    raise ToolFailed


@cites("RETR-066")
@each(
    ("changes", "message"),
    [
        ({"tenant_id": "tenant-other"}, "Session belongs to another tenant"),
        ({"principal_id": "user-43"}, "Session belongs to another principal"),
        ({"trace_id": "trace-1"}, "Session trace id is already recorded"),
        ({"trace_id": "trace-1", "session_id": "session-2"}, "Session trace id is already recorded"),
        ({"status": RunStatus.FAILED}, "Session run that failed needs a reason"),
        ({"status": "paused"}, "Session run status is not supported"),
        ({"tenant_id": " "}, "Session run field is required: tenant_id"),
        ({"trace_id": ""}, "Session run field is required: trace_id"),
    ],
)
def test_a_run_that_does_not_belong_is_refused_and_changes_nothing(changes: dict[str, object], message: str) -> None:
    sessions = Sessions()
    sessions.add(RUN)
    before = sessions.export("session-1")
    with pytest.raises(ValueError) as caught:
        sessions.add(_with(**changes))
    assert str(caught.value) == message
    assert sessions.export("session-1") == before
    sessions.add(_with())
    assert sessions.export("session-1").session.traces == ("trace-1", "trace-2")


def test_a_name_that_is_no_text_is_refused_by_type() -> None:
    with pytest.raises(TypeError) as caught:
        Sessions().add(_with(trace_id=7))
    assert str(caught.value) == "Session run field must be a string: trace_id"


def test_a_denied_run_may_lack_tenant_and_principal() -> None:
    sessions = Sessions()
    sessions.add(_with(tenant_id="", principal_id="", status=RunStatus.DENIED))
    sessions.add(RUN)
    exported = sessions.export("session-1")
    assert (exported.session.tenant_id, exported.session.principal_id) == ("tenant-acme", "user-42")
    assert (exported.summary.total, exported.summary.denied, exported.summary.success) == (2, 1, 1)


@cites("RETR-067")
def test_the_export_shows_memory_reads_and_write_decisions_of_every_run(tmp_path: Path) -> None:
    sessions, store = Sessions(), bundled_store()
    requests = [
        RunRequest(user_input="Please open a ticket.", trace_id="trace-1"),
        RunRequest(user_input="Please open another.", trace_id="trace-2", approved=True),
        RunRequest(user_input="And one more.", trace_id="trace-3", approved=True),
        RunRequest(user_input="Who am I?", trace_id="trace-4", principal_id=""),
    ]
    for request in requests:
        tools = {"create_ticket": _failing} if request.trace_id == "trace-3" else None
        sessions.add(RunRecord.of(Runtime(store, tools=tools).run(request)))
    path = tmp_path / "session.json"
    sessions.export_to(" session-001 ", path)
    exported = json.loads(path.read_text())
    assert exported["session"] == {
        "session_id": "session-001",
        "tenant_id": "tenant-acme",
        "principal_id": "user-42",
        "traces": ["trace-1", "trace-2", "trace-3", "trace-4"],
    }
    assert exported["summary"] == {
        "total": 4,
        "success": 1,
        "approval_required": 1,
        "denied": 1,
        "failed": 1,
        "traceable_failed": 1,
        "latest_trace": "trace-4",
        "latest_status": "denied",
    }
    shown = [
        (
            len(run["memory"]["retrieved"]),
            [(one["kind"], one["action"]) for one in run["memory"]["write_decisions"]],
            run["memory"]["persisted"],
        )
        for run in exported["runs"]
    ]
    summary, fact = ("session_summary", "allow"), ("validated_fact", "allow")
    assert shown == [
        (3, [summary], ["mem-004"]),
        (3, [summary, fact], ["mem-005", "mem-006"]),
        (3, [], []),
        (0, [], []),
    ]


@pytest.mark.parametrize(
    ("session", "message"),
    [(" ", "Session run field is required: session_id"), ("session-9", "Session is not known")],
)
def test_a_session_nobody_knows_leaves_no_file(tmp_path: Path, session: str, message: str) -> None:
    sessions = Sessions()
    sessions.add(RUN)
    with pytest.raises(ValueError) as caught:
        sessions.export_to(session, tmp_path / "session.json")
    assert str(caught.value) == message
    assert list(tmp_path.iterdir()) == []


def test_blanks_around_the_names_of_a_run_do_not_matter() -> None:
    sessions = Sessions()
    sessions.add(
        _with(trace_id=" trace-1 ", session_id=" session-1 ", tenant_id=" tenant-acme ", principal_id="user-42 ")
    )
    assert sessions.export("session-1").session.traces == ("trace-1",)
    sessions.add(_with(trace_id="trace-2"))
    assert sessions.export(" session-1 ").session.tenant_id == "tenant-acme"
    with pytest.raises(ValueError) as caught:
        sessions.add(RUN)
    assert str(caught.value) == "Session trace id is already recorded"


def test_a_run_with_the_events_of_another_trace_is_refused() -> None:
    run = Runtime(bundled_store()).run(RunRequest(user_input="x", trace_id="trace-9"))
    sessions = Sessions()
    with pytest.raises(ValueError) as caught:
        sessions.add(_with(events=run.events))
    assert str(caught.value) == "Session run holds events of another trace"
    with pytest.raises(ValueError, match=r"^Session is not known$"):
        sessions.export("session-1")


@pytest.mark.parametrize("hidden", [True, False])
def test_a_retrieval_that_does_not_say_what_it_returned_is_counted_as_untold(hidden: bool) -> None:
    run = Runtime(bundled_store()).run(RunRequest(user_input="support queue"))
    told = read_events(export_events(run.events, redact=["selected_records"] if hidden else []))
    sessions = Sessions()
    sessions.add(RunRecord.of(msgspec.structs.replace(run, events=told)))
    (view,) = sessions.export("session-001").runs
    assert view.memory.untold == (1 if hidden else 0)
    assert view.memory.retrieved == (() if hidden else ("mem-002", "mem-001", "mem-003"))
    assert view.memory.persisted == ("mem-004",)


def test_a_denied_run_without_names_at_all_belongs_to_nobody() -> None:
    sessions = Sessions()
    sessions.add(_with(status=RunStatus.DENIED, tenant_id=None, principal_id=None))
    exported = sessions.export("session-1").session
    assert (exported.tenant_id, exported.principal_id) == ("", "")
