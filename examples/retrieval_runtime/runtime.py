"""A small deterministic runtime over the store: one run from a user's words to memory, every step of it in the trace.

There is no model in it. A run looks into memory, builds its context, asks the tool policy, calls one tool if it may,
and leaves the rest to the background worker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import ClassVar

from examples.retrieval_runtime.background import BackgroundWorker, Finished
from msgspec import UNSET

from muniment.compat.retrieval import messages
from muniment.compat.retrieval.loader import bundled_store
from muniment.compat.retrieval.policies import ReadPolicy, WritePolicy
from muniment.compat.retrieval.reading import retrieve_from
from muniment.compat.retrieval.results import retrieval_event
from muniment.compat.retrieval.store import LIMIT_DEFAULT, MemoryStore
from muniment.compat.retrieval.telling import told
from muniment.compat.retrieval.trace import refuse_redacted, said
from muniment.contracts.retrieval.wire import RetrievalQuery, TraceEvent
from muniment.engine.session import clean
from muniment.model import times
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import MemoryClass

TOOL = "create_ticket"
PREVIEW = 40
DEMO_NOW = times.parse("2026-04-07T12:00:00Z", field="now")
Tool = Callable[[str], str]


class RunStatus(StrEnum):
    SUCCESS = "success"
    DENIED = "denied"
    FAILED = "failed"
    APPROVAL_REQUIRED = "approval_required"


class ToolFailed(Exception):
    """Raised by a tool that could not do its work."""

    reason: ClassVar[str] = "tool_failed"


class RunRequest(Value):
    """What a run is given. Without a tenant and a principal it is denied."""

    user_input: str
    tenant_id: str = "tenant-acme"
    principal_id: str = "user-42"
    session_id: str = "session-001"
    trace_id: str = "trace-001"
    approved: bool = False


class Run(Value):
    """What became of a run."""

    request: RunRequest
    status: RunStatus
    events: tuple[TraceEvent, ...]
    reason: str = ""
    output: str = ""


class Layers(Value):
    """What the context of a run is made of, layer by layer."""

    static: tuple[str, ...]
    session: tuple[str, ...]
    retrieved: tuple[str, ...]
    tool: tuple[str, ...] = ()


def open_ticket(text: str) -> str:
    """The tool of the demonstration: opens nothing, says what it would have opened."""
    return f"ticket in the support queue: {text}"


class Runtime:
    """One store, its two policies, its tools."""

    def __init__(
        self,
        store: MemoryStore,
        *,
        read: ReadPolicy | None = None,
        write: WritePolicy | None = None,
        tools: Mapping[str, Tool] | None = None,
        now: Callable[[], Instant] = lambda: DEMO_NOW,
    ) -> None:
        self.store = store
        self.worker = BackgroundWorker(store, write if write is not None else WritePolicy())
        self._read = read if read is not None else ReadPolicy()
        self._tools = {TOOL: open_ticket} if tools is None else dict(tools)
        self._now = now

    def run(self, request: RunRequest) -> Run:
        """Run once. Everything that happens is in the events of the answer."""
        step = _Steps(request)
        allowed = step.start()
        if not allowed:
            return step.end(RunStatus.DENIED, reason="caller_not_named")
        retrieved = self._look(request, step)
        status, result = self._act(request, step)
        if status is RunStatus.FAILED:
            return step.end(status, reason=ToolFailed.reason)
        output = f"{TOOL}: {result}" if result else f"{TOOL} waits for approval"
        self._consolidate(request, step, retrieved, output, (TOOL,) if status is RunStatus.SUCCESS else ())
        return step.end(status, output=output)

    def _look(self, request: RunRequest, step: _Steps) -> tuple[str, ...]:
        """Read memory under the read policy and build the context of it."""
        asked = self._read.narrow(_query(request))
        result = retrieve_from(self.store, asked, now=self._now(), policy=self._read)
        step.events.append(retrieval_event(asked, result, source="memory_store"))
        names = tuple(one.record_id for one in result.selected_records)
        step.layers(build_layers(request, names))
        step.tell("span", {"name": "plan", "tool": TOOL})
        return names

    def _act(self, request: RunRequest, step: _Steps) -> tuple[RunStatus, str]:
        """Ask the tool policy, and call the tool if it may be called."""
        step.tool_policy(approved=request.approved)
        if not request.approved:
            step.tell("approval_requested", {"tool": TOOL, "principal_id": request.principal_id})
        step.tell("sandbox_profile_reviewed", {"tool": TOOL, "profile": "write_without_network"})
        if not request.approved:
            step.tell("tool_execution", {"tool": TOOL, "status": "pending_approval", "result": ""})
            return RunStatus.APPROVAL_REQUIRED, ""
        try:
            result = self._tools[TOOL](request.user_input)
        except ToolFailed:
            step.tell("tool_execution", {"tool": TOOL, "status": "failed", "result": ""})
            return RunStatus.FAILED, ""
        step.tell("tool_execution", {"tool": TOOL, "status": "succeeded", "result": result})
        return RunStatus.SUCCESS, result

    def _consolidate(
        self, request: RunRequest, step: _Steps, retrieved: tuple[str, ...], output: str, tools: tuple[str, ...]
    ) -> None:
        finished = Finished(
            trace_id=request.trace_id,
            session_id=request.session_id,
            tenant_id=request.tenant_id,
            user_input=request.user_input,
            output=output,
            retrieved=retrieved,
            tools=tools,
        )
        done = self.worker.consolidate(finished)
        step.events += done.events
        counts = {"persisted_records": str(done.persisted), "compacted_records": str(done.compacted)}
        step.tell("background_compaction", {"tenant_id": request.tenant_id, "compacted_records": str(done.compacted)})
        step.tell(
            "background_update_scheduled",
            {
                "action": "processed",
                **counts,
                "tool_results": str(len(tools)),
                "output_preview": clean(output)[:PREVIEW],
            },
        )


class _Steps:
    """The trace of one run while it is made."""

    def __init__(self, request: RunRequest) -> None:
        self.request = request
        self.events: list[TraceEvent] = []

    def tell(self, event_type: str, payload: Mapping[str, str]) -> None:
        session = {"session_id": self.request.session_id}
        self.events.append(told(event_type, self.request.trace_id, {**session, **payload}))

    def start(self) -> bool:
        """Begin, and say whether the caller may go on."""
        request = self.request
        self.tell(
            "run_start",
            {
                "tenant_id": request.tenant_id,
                "principal_id": request.principal_id,
                "user_input": request.user_input,
                "approved": str(request.approved).lower(),
            },
        )
        named = bool(request.tenant_id.strip() and request.principal_id.strip())
        action, reason = ("allow", "caller_named") if named else ("deny", "caller_not_named")
        self.tell("policy_precheck", {"action": action, "reason": reason, "policy_id": "pre_001"})
        return named

    def layers(self, layers: Layers) -> None:
        counts = {
            "static_items": layers.static,
            "session_items": layers.session,
            "retrieved_items": layers.retrieved,
            "tool_items": layers.tool,
        }
        self.tell("context_layers_built", {name: str(len(parts)) for name, parts in counts.items()})

    def tool_policy(self, *, approved: bool) -> None:
        action, reason = ("allow", "approved") if approved else ("approval_required", "write_capability")
        self.tell("tool_policy_decision", {"tool": TOOL, "action": action, "reason": reason, "policy_id": "tool_001"})

    def end(self, status: RunStatus, *, reason: str = "", output: str = "") -> Run:
        self.tell("run_complete", {"status": status.value, "reason": reason})
        return Run(request=self.request, status=status, events=tuple(self.events), reason=reason, output=output)


def build_layers(request: RunRequest, retrieved: Sequence[str]) -> Layers:
    """The context of a run: the standing rules, what the session knows, what memory gave, what tools gave."""
    return Layers(
        static=("answer from what memory gives", "a tool that writes needs approval"),
        session=(request.session_id, request.principal_id, request.user_input),
        retrieved=tuple(retrieved),
    )


def _query(request: RunRequest) -> RetrievalQuery:
    return RetrievalQuery(
        kind="retrieval_query",
        trace_id=request.trace_id,
        session_id=request.session_id,
        tenant_id=request.tenant_id.strip(),
        principal_id=request.principal_id,
        purpose="answer_generation",
        allowed_classes=list(MemoryClass),
        limit=LIMIT_DEFAULT,
        query=request.user_input if request.user_input.strip() else UNSET,
    )


def run_demo(user_input: str = "Please open a support ticket for the login page.") -> Run:
    """The demonstration: the bundled records, one request that needs a ticket, nobody to approve it."""
    return Runtime(bundled_store()).run(RunRequest(user_input=user_input))


def replay(events: Sequence[TraceEvent], store: MemoryStore) -> Run:
    """Run a trace again from its own words, on a store as it was then. Tools are not called: they say what they said.
    A trace of which anything is hidden is refused."""
    refuse_redacted(events)
    if not events or events[0].event_type != "run_start":
        raise ValueError(messages.REPLAY_START)
    start = events[0]
    request = RunRequest(
        user_input=said(start, "user_input"),
        tenant_id=said(start, "tenant_id"),
        principal_id=said(start, "principal_id"),
        session_id=said(start, "session_id"),
        trace_id=start.trace_id,
        approved=said(start, "approved") == "true",
    )
    return Runtime(store, tools={TOOL: _recorded(events)}).run(request)


def _recorded(events: Sequence[TraceEvent]) -> Tool:
    called = next((one for one in events if one.event_type == "tool_execution"), None)

    def tool(_: str) -> str:
        if called is None or said(called, "status") != "succeeded":
            raise ToolFailed
        return said(called, "result")

    return tool
