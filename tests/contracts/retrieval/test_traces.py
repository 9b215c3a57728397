"""Trace events by themselves: what an event must be, and how traces are exported and read back."""

from __future__ import annotations

from typing import cast

import msgspec
import pytest

from muniment.compat.retrieval import export_events, make_event, read_events
from muniment.contracts.finding import passes
from muniment.contracts.retrieval import CONTRACT

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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("line", ["{", '{"event_type": "x"}', "[]", '{"a": 1, "a": 2}'])
def test_a_line_that_is_no_event_is_refused_by_its_number(line: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_events(export_events([EVENT]) + line + "\n")
    assert str(caught.value) == "Trace line #2 is not a trace event"
