"""Spans: one per operation, one per step below it, figures and rules as attributes, and no content unless asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from muniment import Memory
from muniment.model.errors import NotFound
from muniment.surfaces.telemetry.gauges import Gauges
from muniment.surfaces.telemetry.meters import Meters
from muniment.surfaces.telemetry.otel import Export
from muniment.surfaces.telemetry.settings import TelemetrySettings, TraceNames, Traces
from muniment.surfaces.telemetry.watcher import Watcher

CONTENT = "The staging database moved to eu-west-2"
QUESTION = "where is the staging database?"


class Traced:
    """A memory whose spans and metrics are kept."""

    def __init__(self, vault: Path, settings: TelemetrySettings) -> None:
        self._kept = InMemorySpanExporter()
        self._reader = InMemoryMetricReader()
        tracers = TracerProvider(shutdown_on_exit=False)
        tracers.add_span_processor(SimpleSpanProcessor(self._kept))
        self.meters, gauges = Meters(), Gauges()
        instruments = MeterProvider(metric_readers=[self._reader], shutdown_on_exit=False)
        self.export = Export(settings, self.meters, gauges, (tracers, instruments))
        self.memory = Memory.open(vault, tracer=Watcher(self.meters, self.export.spans))
        gauges.opened("default", self.memory)
        self._closing: tuple[TracerProvider, MeterProvider] = (tracers, instruments)

    def close(self) -> None:
        self.memory.close()
        for provider in self._closing:
            provider.shutdown()

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self._kept.get_finished_spans())

    def named(self, name: str) -> ReadableSpan:
        (found,) = [span for span in self.spans if span.name == name]
        return found

    @property
    def words(self) -> str:
        """Everything the spans say."""
        return "\n".join(span.to_json() for span in self.spans)

    @property
    def metrics(self) -> dict[str, int]:
        """The names of the metrics that were exported, each with how many series it has."""
        found = self._reader.get_metrics_data()
        assert found is not None
        all_ = [one for of in found.resource_metrics for scope in of.scope_metrics for one in scope.metrics]
        return {one.name: len(one.data.data_points) for one in all_}


def opened(vault: Path, **settings: object) -> Iterator[Traced]:
    traced = Traced(vault, TelemetrySettings(traces=Traces.PROVIDED, **settings))  # type: ignore[arg-type]  # one each
    yield traced
    traced.close()


@pytest.fixture
def traced(vault: Path) -> Iterator[Traced]:
    yield from opened(vault)


@pytest.fixture
def telling(vault: Path) -> Iterator[Traced]:
    yield from opened(vault, trace_content=True)


@pytest.fixture
def aliased(vault: Path) -> Iterator[Traced]:
    yield from opened(vault, trace_names=TraceNames.MEMLEDGER)


def said(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_a_write_is_one_span_with_its_steps_below_it_in_order(traced: Traced) -> None:
    verdict = traced.memory.remember(CONTENT, session_id="s-1", namespace="/ops")

    whole = traced.named("muniment.propose")
    assert whole.context is not None
    below = [span for span in traced.spans if span.parent is not None]
    steps = ["admit", "wait", "gather", "curate", "plan", "commit", "sync"]
    assert [span.name for span in below] == [f"muniment.propose.{step}" for step in steps]
    assert {span.parent.span_id for span in below if span.parent} == {whole.context.span_id}
    times = [time for span in below for time in (span.start_time, span.end_time)]
    assert times == sorted(times, key=lambda time: time or 0)
    assert said(whole) == {
        "muniment.operation": "propose",
        "muniment.tenant": "default",
        "muniment.actor": "owner",
        "muniment.kind": "observation",
        "muniment.scope": "project",
        "muniment.namespace": "/ops",
        "muniment.derived_from": 0,
        "session.id": "s-1",
        "muniment.outcome": "committed",
        "muniment.disposition": "append",
        "muniment.rule": "owner-commits",
        "muniment.proposal_id": verdict.proposal_id,
        "muniment.record_id": verdict.record_id,
        "muniment.revision": 1,
        "muniment.epoch": verdict.epoch,
        "muniment.conflicts": 0,
        "muniment.redactions": 0,
    }


def test_the_nine_steps_of_curation_are_events_of_the_write(traced: Traced) -> None:
    verdict = traced.memory.remember(CONTENT)

    events = traced.named("muniment.propose").events
    assert len(events) == len(verdict.steps) == 9
    found = [(dict(event.attributes or {})["muniment.step"]) for event in events]
    assert found == [step.step.value for step in verdict.steps]


def test_a_recall_says_what_the_gate_decided_and_what_was_kept_back_by_rule(traced: Traced) -> None:
    for number in range(3):
        traced.memory.remember(f"Server {number} of the staging cluster runs Debian")
    answer = traced.memory.recall("what does the staging cluster run?", limit=1)

    whole = said(traced.named("muniment.recall"))
    gate = answer.records[0].gate.value.lower()
    assert whole[f"muniment.gate.{gate}"] == 1
    assert whole["muniment.excluded.limit"] == 2
    assert whole["muniment.candidates"] == 3
    assert whole["muniment.told"] == 1
    assert whole["muniment.outcome"] == "told"
    assert whole["muniment.receipt_id"] == answer.receipt_id
    steps = ["question", "plan", "search", "rank", "gate", "reasons", "receipt"]
    names = [span.name for span in traced.spans if span.name.startswith("muniment.recall.")]
    assert names == [f"muniment.recall.{step}" for step in steps]


def test_a_session_the_actor_sits_in_is_the_session_of_its_reads(traced: Traced) -> None:
    traced.memory.as_actor("ana", session="s-9").recall(QUESTION)

    assert said(traced.named("muniment.recall"))["session.id"] == "s-9"


def test_spans_hold_no_content(traced: Traced) -> None:
    traced.memory.remember(CONTENT, reasoning="told by the launch crew", purpose="find it again")
    traced.memory.recall(QUESTION)

    for words in (CONTENT, QUESTION, "eu-west-2", "launch crew", "find it again"):
        assert words not in traced.words


def test_content_is_told_when_a_setting_says_so(telling: Traced) -> None:
    telling.memory.remember(CONTENT)
    telling.memory.recall(QUESTION)

    assert said(telling.named("muniment.propose"))["muniment.content"] == CONTENT
    assert said(telling.named("muniment.recall"))["muniment.query"] == QUESTION


def test_a_failure_is_an_error_with_its_code(traced: Traced) -> None:
    with pytest.raises(NotFound):
        traced.memory.get("rec_nowhere")

    span = traced.named("muniment.get")
    assert span.status.status_code is StatusCode.ERROR
    assert said(span)["muniment.outcome"] == "not_found"


def test_an_operation_within_another_is_below_it(traced: Traced) -> None:
    verdict = traced.memory.remember(CONTENT)
    assert verdict.record_id is not None
    with traced.export.spans.request("POST", {}):
        traced.memory.get(verdict.record_id)

    request, get = traced.named("POST"), traced.named("muniment.get")
    assert request.context is not None
    assert get.parent is not None
    assert get.parent.span_id == request.context.span_id


def test_a_request_is_below_the_span_its_caller_names(traced: Traced) -> None:
    headers = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
    with traced.export.spans.request("POST", headers) as request:
        assert request.trace_id == "4bf92f3577b34da6a3ce929d0e0e4736"

    parent = traced.named("POST").parent
    assert parent is not None
    assert parent.span_id == 0x00F067AA0BA902B7


def test_memledgers_names_are_used_when_a_setting_says_so(aliased: Traced) -> None:
    verdict = aliased.memory.remember(CONTENT, session_id="s-1", confidence=0.8, supersedes=None)
    assert verdict.record_id is not None
    aliased.memory.recall(QUESTION, limit=7)
    aliased.memory.get(verdict.record_id)
    aliased.memory.review.outcome(verdict.record_id, "helpful")
    aliased.memory.insight.lineage(verdict.record_id)

    add, search = said(aliased.named("memledger.memory.add")), said(aliased.named("memledger.memory.search"))
    assert add["muniment.operation"] == "propose"
    assert add["session.id"] == add["memledger.memory.session_id"] == "s-1"
    assert add["memledger.memory.id"] == add["memledger.record_id"] == verdict.record_id
    assert add["memledger.memory.confidence"] == 0.8
    assert add["memledger.memory.source_agent_id"] == "owner"
    assert add["memledger.has_supersedes"] is False
    assert (search["memledger.top_k"], search["memledger.result_count"]) == (7, 1)
    assert "memledger.query" not in search
    assert said(aliased.named("memledger.get"))["memledger.found"] is True
    assert said(aliased.named("memledger.record_outcome"))["memledger.memory_id"] == verdict.record_id
    assert add["memledger.importance"] == 0.5
    lineage = said(aliased.named("memledger.get_lineage"))
    assert (lineage["memledger.memory_id"], lineage["memledger.chain_depth"]) == (verdict.record_id, 0)


def test_the_chain_below_a_memory_is_told_as_memledger_tells_it(aliased: Traced) -> None:
    first = aliased.memory.remember(CONTENT).record_id
    assert first is not None
    second = aliased.memory.remember("So the tests may run against eu-west-2", derived_from=[first]).record_id
    assert second is not None
    aliased.memory.insight.lineage(second)

    adds = [said(span) for span in aliased.spans if span.name == "memledger.memory.add"]
    assert [add["memledger.memory.parent_ids"] for add in adds] == ["[]", f'["{first}"]']
    assert said(aliased.named("memledger.get_lineage"))["memledger.chain_depth"] == 1


def test_a_conflict_is_a_span_of_its_own_under_memledgers_names(aliased: Traced) -> None:
    aliased.memory.remember("The nightly build takes 40 minutes", confidence=0.8, evidence=["ci:1"])
    second = aliased.memory.as_actor("b").remember("The nightly build takes 55 minutes", confidence=0.8)

    found = said(aliased.named("memledger.conflict_detected"))
    assert found["memledger.new_id"] == second.record_id
    assert (found["muniment.conflict_id"],) == second.conflict_ids


def test_the_same_figures_are_exported_as_opentelemetry_metrics(traced: Traced) -> None:
    traced.memory.remember(CONTENT)
    traced.memory.recall(QUESTION)

    found = traced.metrics
    assert found["muniment.verdicts"] == 1
    assert found["muniment.operation"] == 2
    assert found["muniment.ledger_head"] == 1
    assert found["muniment.store_bytes"] == 1
    assert found["muniment.step"] == 14
