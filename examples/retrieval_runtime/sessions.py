"""Sessions: which runs belong together, for whom, and what each of them read from memory and wanted written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
from examples.retrieval_runtime.runtime import Run, RunStatus

from muniment.compat.retrieval import checks, messages
from muniment.compat.retrieval.results import RETRIEVAL, returned
from muniment.compat.retrieval.telling import DECISION, PERSISTED
from muniment.compat.retrieval.trace import said
from muniment.contracts.retrieval.wire import TraceEvent
from muniment.model.value import Value

_NAMES = ("trace_id", "session_id", "tenant_id", "principal_id")


class RunRecord(Value):
    """One run of a session. A run that was denied may lack tenant and principal; one that failed has a reason."""

    trace_id: str
    session_id: str
    tenant_id: str
    principal_id: str
    status: RunStatus
    reason: str = ""
    events: tuple[TraceEvent, ...] = ()

    @classmethod
    def of(cls, run: Run) -> RunRecord:
        request = run.request
        return cls(
            trace_id=request.trace_id,
            session_id=request.session_id,
            tenant_id=request.tenant_id,
            principal_id=request.principal_id,
            status=run.status,
            reason=run.reason,
            events=run.events,
        )


class MemoryUse(Value, omit_defaults=False):
    """What a run had to do with memory. `untold` is how many of its retrievals do not say what they returned, or hide
    it."""

    retrieved: tuple[str, ...]
    untold: int
    write_decisions: tuple[dict[str, str], ...]
    persisted: tuple[str, ...]


class RunView(Value, omit_defaults=False):
    trace_id: str
    status: RunStatus
    reason: str
    memory: MemoryUse


class SessionView(Value, omit_defaults=False):
    session_id: str
    tenant_id: str
    principal_id: str
    traces: tuple[str, ...]


class Summary(Value, omit_defaults=False):
    total: int
    success: int
    approval_required: int
    denied: int
    failed: int
    traceable_failed: int
    latest_trace: str
    latest_status: RunStatus


class SessionExport(Value, omit_defaults=False):
    """A session as it leaves."""

    session: SessionView
    summary: Summary
    runs: tuple[RunView, ...]


class Sessions:
    """Every run, by session. A session has one tenant and one principal; a trace id is used once."""

    def __init__(self) -> None:
        self._runs: dict[str, list[RunRecord]] = {}
        self._traces: set[str] = set()

    def add(self, run: RunRecord) -> None:
        """Take a run in, or refuse it and change nothing."""
        run = _checked(run)
        if run.trace_id in self._traces:
            raise ValueError(messages.SESSION_TRACE)
        for name, message in (("tenant_id", messages.SESSION_TENANT), ("principal_id", messages.SESSION_PRINCIPAL)):
            bound, given = _named(self._runs.get(run.session_id, ()), name), getattr(run, name)
            if bound and given and bound != given:
                raise ValueError(message)
        self._runs.setdefault(run.session_id, []).append(run)
        self._traces.add(run.trace_id)

    def runs(self, session_id: str) -> tuple[RunRecord, ...]:
        """The runs of a session, in the order they came."""
        name = _text(session_id, "session_id")
        if name not in self._runs:
            raise ValueError(messages.SESSION_UNKNOWN)
        return tuple(self._runs[name])

    def export(self, session_id: str) -> SessionExport:
        """A session with its summary and what every run read from memory and wanted written."""
        runs = self.runs(session_id)
        return SessionExport(
            session=SessionView(
                session_id=runs[0].session_id,
                tenant_id=_named(runs, "tenant_id"),
                principal_id=_named(runs, "principal_id"),
                traces=tuple(one.trace_id for one in runs),
            ),
            summary=_summary(runs),
            runs=tuple(
                RunView(trace_id=one.trace_id, status=one.status, reason=one.reason, memory=memory_use(one.events))
                for one in runs
            ),
        )

    def export_to(self, session_id: str, path: Path) -> None:
        """Write the export as JSON. A session that is not known leaves no file."""
        export = self.export(session_id)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(export), indent=2) + b"\n")


def memory_use(events: Sequence[TraceEvent]) -> MemoryUse:
    """What a trace says of memory: the records it gave, the decisions on what was put forward, the records kept."""
    reads = [returned(one) for one in events if one.event_type == RETRIEVAL]
    return MemoryUse(
        retrieved=tuple(name for names in reads for name in names or ()),
        untold=reads.count(None),
        write_decisions=tuple(one.payload for one in events if one.event_type == DECISION),
        persisted=tuple(said(one, "memory_id") for one in events if one.event_type == PERSISTED),
    )


def _summary(runs: Sequence[RunRecord]) -> Summary:
    counts = Counter(one.status for one in runs)
    return Summary(
        total=len(runs),
        success=counts[RunStatus.SUCCESS],
        approval_required=counts[RunStatus.APPROVAL_REQUIRED],
        denied=counts[RunStatus.DENIED],
        failed=counts[RunStatus.FAILED],
        traceable_failed=sum(1 for one in runs if one.status is RunStatus.FAILED and one.events),
        latest_trace=runs[-1].trace_id,
        latest_status=runs[-1].status,
    )


def _named(runs: Sequence[RunRecord], field: str) -> str:
    """Whom a session is bound to: the first that any of its runs names."""
    return next((value for one in runs if (value := str(getattr(one, field)))), "")


def _checked(run: RunRecord) -> RunRecord:
    """A run that may be kept, its names without blanks around them."""
    if not isinstance(run.status, RunStatus):
        raise ValueError(messages.RUN_STATUS)
    needed = ("trace_id", "session_id") if run.status is RunStatus.DENIED else _NAMES
    names = {name: _text(getattr(run, name), name) for name in needed}
    if run.status is RunStatus.FAILED and not run.reason.strip():
        raise ValueError(messages.RUN_REASON)
    if any(event.trace_id != names["trace_id"] for event in run.events):
        raise ValueError(messages.RUN_EVENTS)
    denied = {name: _given(getattr(run, name)) for name in _NAMES if name not in names}
    return msgspec.structs.replace(run, **names, **denied)


def _given(value: object) -> str:
    """A name that a denied run may have, or not."""
    return value.strip() if isinstance(value, str) else ""


def _text(value: object, name: str) -> str:
    must, needed = messages.RUN_TEXT.format(field=name), messages.RUN_REQUIRED.format(field=name)
    return checks.text(value, must=must, needed=needed)
