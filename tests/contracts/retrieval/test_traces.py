"""Trace events by themselves: what an event must be, and how traces are exported and read back."""

from __future__ import annotations

from typing import cast

import msgspec
import pytest
from examples.retrieval_runtime import (
    RunRequest,
    Runtime,
    replay,
)
from tests.cases import each

from muniment.compat.retrieval import (
    bundled_store,
    export_events,
    make_event,
    read_events,
    rebuild_filters,
    rebuild_result,
)
from muniment.contracts.finding import passes
from muniment.contracts.retrieval import CONTRACT
from muniment.contracts.retrieval.wire import TraceEvent

EVENT = make_event("retrieval", "trace-001", {"session_id": "session-001", "records": "3"})


def test_an_event_has_the_published_envelope() -> None:
    assert msgspec.to_builtins(EVENT) == {
        "schema_version": "1.0",
        "event_type": "retrieval",
        "trace_id": "trace-001",
        "payload": {"session_id": "session-001", "records": "3"},
        "redacted_fields": [],
    }
    assert passes(CONTRACT.check(msgspec.json.encode(EVENT)))


def test_the_keys_of_a_payload_are_trimmed() -> None:
    assert make_event("x", "t", {" a ": " b "}).payload == {"a": " b "}


@each(
    ("event_type", "trace_id", "payload", "kind", "message"),
    [
        (7, "t", {}, TypeError, "Trace event field must be a string: event_type"),
        ("x", " ", {}, ValueError, "Trace event field is required: trace_id"),
        ("x", "t", {" ": "a"}, ValueError, "Trace event payload key must be a string that is not blank"),
        ("x", "t", {7: "a"}, TypeError, "Trace event payload key must be a string that is not blank"),
        ("x", "t", {"a": "1", " a": "2"}, ValueError, "Trace event payload key is repeated: a"),
        ("x", "t", {"a": 1}, TypeError, "Trace event payload value must be a string: a"),
    ],
)
def test_what_is_no_event_is_refused(
    event_type: object, trace_id: object, payload: object, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        make_event(cast(str, event_type), cast(str, trace_id), cast(dict[str, str], payload))
    assert str(caught.value) == message


def test_an_unknown_version_is_refused_when_made_and_when_read() -> None:
    with pytest.raises(ValueError) as made:
        make_event("x", "t", {}, schema_version="2.0")
    with pytest.raises(ValueError) as read:
        read_events(export_events([EVENT]).replace('"1.0"', '"2.0"'))
    assert str(made.value) == str(read.value) == "Trace event schema version is not supported"


def test_only_a_field_of_the_payload_can_be_redacted() -> None:
    with pytest.raises(ValueError) as caught:
        make_event("x", "t", {"a": "1"}, redacted=["b"])
    assert str(caught.value) == "Trace event redacted field is not in the payload: b"


def test_events_are_exported_as_lines_and_read_back() -> None:
    odd = make_event("x", "t", {"a": "one\u2028two\nthree"})
    text = export_events([EVENT, odd])
    assert text.count("\n") == 2
    assert read_events(text) == (EVENT, odd)


@each("line", ["{", '{"event_type": "x"}', "[]", '{"a": 1, "a": 2}'])
def test_a_line_that_is_no_event_is_refused_by_its_number(line: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_events(export_events([EVENT]) + line + "\n")
    assert str(caught.value) == "Trace line #2 is not a trace event"


def test_of_several_traces_the_one_that_is_named_is_put_together() -> None:
    runtime = Runtime(bundled_store())
    runs = [runtime.run(RunRequest(user_input="Open a ticket.", trace_id=name)) for name in ("trace-1", "trace-2")]
    events = [event for run in runs for event in run.events]
    assert [rebuild_result(events, trace_id=name).trace_id for name in ("trace-2", "trace-1")] == ["trace-2", "trace-1"]
    assert rebuild_result(events, trace_id="trace-2") == rebuild_result(runs[1].events)
    with pytest.raises(ValueError) as caught:
        rebuild_filters(events, trace_id="trace-3")
    assert str(caught.value) == "Trace holds no retrieval"


def test_an_event_that_tells_only_a_count_does_not_make_a_result() -> None:
    with pytest.raises(ValueError) as caught:
        rebuild_result([EVENT])
    assert str(caught.value) == "Trace event payload lacks a field that can be read: selected_records"


@each("value", ["many", "-", "[]", ""])
def test_a_field_that_is_not_what_it_must_be_does_not_make_a_result(value: str) -> None:
    (retrieval,) = [one for one in _run_events() if one.event_type == "retrieval"]
    broken = make_event("retrieval", "trace-001", {**retrieval.payload, "excluded_records": value})
    with pytest.raises(ValueError) as caught:
        rebuild_result([broken])
    assert str(caught.value) == "Trace event payload lacks a field that can be read: excluded_records"


def test_a_trace_whose_beginning_lacks_something_is_not_run_again() -> None:
    start = make_event("run_start", "trace-001", {"session_id": "s", "tenant_id": "t", "principal_id": "p"})
    with pytest.raises(ValueError) as caught:
        replay([start], bundled_store())
    assert str(caught.value) == "Trace event payload lacks a field that can be read: user_input"


def _run_events() -> tuple[TraceEvent, ...]:
    return Runtime(bundled_store()).run(RunRequest(user_input="Open a ticket.")).events
