"""Trace events: made one at a time, exported as JSON lines with chosen fields hidden, read back, never guessed at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

import msgspec

from muniment.compat.retrieval import checks, messages
from muniment.contracts.retrieval.wire import TraceEvent
from muniment.contracts.shape import flaws
from muniment.contracts.strict.reader import read_json
from muniment.model.decoding import convert, decode_json
from muniment.model.errors import CallerError

T = TypeVar("T")
SCHEMA_VERSION = "1.0"
REDACTED = "[redacted]"
"""Stands in an export where a value was hidden."""


def make_event(
    event_type: str,
    trace_id: str,
    payload: Mapping[str, str],
    *,
    redacted: Collection[str] = (),
    schema_version: str = SCHEMA_VERSION,
) -> TraceEvent:
    """An event whose keys are trimmed, unique and not blank, and whose values are text."""
    if schema_version != SCHEMA_VERSION:
        raise ValueError(messages.TRACE_VERSION)
    names = {"event_type": event_type, "trace_id": trace_id}
    said = {
        name: checks.text(
            value,
            must=messages.TRACE_TEXT.format(field=name),
            needed=messages.TRACE_REQUIRED.format(field=name),
        )
        for name, value in names.items()
    }
    clean = _payload(payload)
    for name in redacted:
        if name not in clean:
            raise ValueError(messages.TRACE_REDACTED.format(field=name))
    return TraceEvent(
        schema_version="1.0",
        event_type=said["event_type"],
        trace_id=said["trace_id"],
        payload=clean,
        redacted_fields=sorted(redacted),
    )


def _payload(payload: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in payload.items():
        name = checks.text(key, must=messages.TRACE_KEY, needed=messages.TRACE_KEY)
        if name in found:
            raise ValueError(messages.TRACE_KEY_REPEATED.format(field=name))
        found[name] = _value(value, name)
    return found


def _value(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(messages.TRACE_VALUE.format(field=name))
    return value


def export_events(events: Iterable[TraceEvent], *, redact: Collection[str] = ()) -> str:
    """JSON lines, one event each. The named payload fields are hidden wherever they occur, and listed."""
    lines = (msgspec.json.encode(_redacted(event, redact)).decode() + "\n" for event in events)
    return "".join(lines)


def _redacted(event: TraceEvent, names: Collection[str]) -> TraceEvent:
    hidden = {name for name in names if name in event.payload}
    payload = {name: REDACTED if name in hidden else value for name, value in event.payload.items()}
    fields = sorted(hidden | set(event.redacted_fields))
    return msgspec.structs.replace(event, payload=payload, redacted_fields=fields)


def read_events(text: str) -> tuple[TraceEvent, ...]:
    """Read JSON lines back, strictly: a line that is no event of a version we know is refused by its number."""
    lines = [line for line in text.split("\n") if line.strip()]
    return tuple(_read(line, idx) for idx, line in enumerate(lines, start=1))


def _read(line: str, idx: int) -> TraceEvent:
    try:
        value = read_json(line.encode("utf-8", "surrogatepass"))
    except CallerError as error:
        raise ValueError(messages.TRACE_LINE.format(idx=idx)) from error
    if isinstance(value, dict) and value.get("schema_version") not in (None, SCHEMA_VERSION):
        raise ValueError(messages.TRACE_VERSION)
    if flaws(value, TraceEvent):
        raise ValueError(messages.TRACE_LINE.format(idx=idx))
    return convert(value, TraceEvent)


def said(event: TraceEvent, name: str) -> str:
    """A field of a payload that must be there."""
    if name not in event.payload:
        raise ValueError(messages.TRACE_LACKS.format(field=name))
    return event.payload[name]


def parsed(event: TraceEvent, name: str, kind: type[T]) -> T:
    """A field of a payload that is written as JSON, read as what it must be."""
    try:
        return decode_json(said(event, name), kind)
    except msgspec.DecodeError as error:
        raise ValueError(messages.TRACE_LACKS.format(field=name)) from error


def refuse_redacted(events: Iterable[TraceEvent]) -> None:
    """Refuse a trace of which something is hidden: to run it again would be to guess."""
    hidden = sorted({name for event in events for name in event.redacted_fields})
    if hidden:
        raise ValueError(messages.REPLAY_REDACTED.format(field=", ".join(hidden)))
