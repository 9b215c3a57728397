"""Spans and metrics for OpenTelemetry. The only module that knows it, and it is imported only when a setting asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

from opentelemetry import context, metrics, propagate, trace
from opentelemetry.trace import SpanKind, Status, StatusCode

from muniment.kits import require
from muniment.model.curation import Verdict
from muniment.model.errors import ConfigurationError
from muniment.surfaces.telemetry.attributes import Attributes, at_begin, at_end, of_step
from muniment.surfaces.telemetry.gauges import Gauges
from muniment.surfaces.telemetry.instruments import Labels, Mirror
from muniment.surfaces.telemetry.meters import Meters
from muniment.surfaces.telemetry.settings import TelemetrySettings, TraceNames, Traces
from muniment.surfaces.telemetry.watcher import Begun, Ended

Providers = tuple[trace.TracerProvider, metrics.MeterProvider]
SCOPE = "muniment"
_EXPORTER = "opentelemetry.exporter.otlp.proto.http"


class SpanNames(Protocol):
    """Another system's names for our operations, for dashboards that were made for it."""

    CONFLICT: str

    def span_name(self, begun: Begun) -> str | None: ...
    def alias_of(self, begun: Begun, ended: Ended, *, content: bool) -> Attributes: ...
    def conflicts_of(self, begun: Begun, ended: Ended) -> tuple[Attributes, ...]: ...


def _memledger() -> SpanNames:
    """memledger's names, from the kit that has its interface."""
    require("muniment_memledger", "muniment-memledger", "trace_names")
    found: SpanNames = import_module("muniment_memledger.telemetry.span_names")
    return found


class Spans:
    """Makes a span of each operation, and one of each of its steps below it."""

    def __init__(self, tracer: trace.Tracer, settings: TelemetrySettings) -> None:
        self._tracer = tracer
        self._content = settings.trace_content
        self._names = _memledger() if settings.trace_names is TraceNames.MEMLEDGER else None

    def begin(self, begun: Begun) -> OperationSpan:
        name = self._names.span_name(begun) if self._names is not None else None
        span = self._tracer.start_span(
            name or f"muniment.{begun.name}", start_time=begun.at, attributes=at_begin(begun, content=self._content)
        )
        return OperationSpan(self, span, aliased=name is not None)

    @contextmanager
    def request(self, name: str, headers: Mapping[str, str]) -> Iterator[RequestSpan]:
        """A span for a request, below the caller's own if its headers name one."""
        above = propagate.extract(headers)
        span = self._tracer.start_span(name, context=above, kind=SpanKind.SERVER)
        token = context.attach(trace.set_span_in_context(span, above))
        try:
            yield RequestSpan(span)
        finally:
            context.detach(token)
            span.end()

    def end(self, above: trace.Span, begun: Begun, ended: Ended, *, aliased: bool) -> None:
        """Say what came of an operation, and make the spans of its steps, each at the time it took."""
        if not above.is_recording():
            above.end()
            return
        above.set_attributes(at_end(ended))
        if self._names is not None and aliased:
            above.set_attributes(self._names.alias_of(begun, ended, content=self._content))
        if isinstance(ended.answer, Verdict):
            for step in ended.answer.steps:
                above.add_event("muniment.curation", of_step(step))
        if ended.failure is not None:
            above.set_status(Status(StatusCode.ERROR, ended.failure))
        self._steps(trace.set_span_in_context(above), begun, ended)
        if self._names is not None:
            for said in self._names.conflicts_of(begun, ended):
                inside = trace.set_span_in_context(above)
                self._tracer.start_span(self._names.CONFLICT, context=inside, attributes=said).end()
        above.end(begun.at + ended.tick - begun.tick)

    def _steps(self, above: context.Context, begun: Begun, ended: Ended) -> None:
        since = begun.at
        for step, tick in ended.laps:
            until = begun.at + tick - begun.tick
            self._tracer.start_span(f"muniment.{begun.name}.{step}", context=above, start_time=since).end(until)
            since = until


class OperationSpan:
    """The span of one operation; while it is open, others of the same thread are below it."""

    def __init__(self, spans: Spans, span: trace.Span, *, aliased: bool) -> None:
        self._spans = spans
        self._span = span
        self._aliased = aliased
        self._token = context.attach(trace.set_span_in_context(span))

    def end(self, begun: Begun, ended: Ended) -> None:
        context.detach(self._token)
        self._spans.end(self._span, begun, ended, aliased=self._aliased)


class RequestSpan:
    """The span of one request."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    @property
    def trace_id(self) -> str:
        return f"{self._span.get_span_context().trace_id:032x}"

    def answered(self, name: str, said: Mapping[str, str | int], *, failed: bool) -> None:
        self._span.update_name(name)
        self._span.set_attributes(said)
        if failed:
            self._span.set_status(Status(StatusCode.ERROR))


class _Provider(Protocol):
    def shutdown(self) -> None: ...


class Export:
    """Where spans and metrics go, and the end of it."""

    def __init__(
        self, settings: TelemetrySettings, meters: Meters, gauges: Gauges, providers: Providers | None = None
    ) -> None:
        self._closing: list[_Provider] = []
        tracers, instruments = providers or self._providers(settings)
        self.spans = Spans(tracers.get_tracer(SCOPE), settings)
        meter = instruments.get_meter(SCOPE)
        _mirror(meters, meter)
        _watch(gauges, meter)

    def close(self) -> None:
        """Send what is left, in bounded time, and stop."""
        for provider in self._closing:
            provider.shutdown()

    def _providers(self, settings: TelemetrySettings) -> Providers:
        if settings.traces is Traces.PROVIDED:
            return trace.get_tracer_provider(), metrics.get_meter_provider()
        if find_spec("opentelemetry.sdk") is None:
            raise ConfigurationError("traces", "needs the OpenTelemetry SDK: pip install 'muniment[otel]'")
        from muniment.surfaces.telemetry.otel_sdk import console, otlp

        if settings.traces is Traces.OTLP and find_spec(_EXPORTER.rpartition(".")[0]) is None:
            raise ConfigurationError("traces", "needs the OTLP exporter: pip install 'muniment[otel]'")
        tracers, instruments = console() if settings.traces is Traces.CONSOLE else otlp()
        self._closing = [tracers, instruments]
        return tracers, instruments


def _mirror(meters: Meters, meter: metrics.Meter) -> None:
    """Have every value we measure measured there too."""
    for counter in meters.counters:
        counter.mirror = _into(meter.create_counter(_name(counter.name), description=counter.meaning).add)
    for gauge in meters.gauges:
        gauge.mirror = _into(meter.create_up_down_counter(_name(gauge.name), description=gauge.meaning).add)
    for spread in meters.histograms:
        made = meter.create_histogram(_name(spread.name), unit="s", description=spread.meaning)
        spread.mirror = _into(made.record)


def _watch(gauges: Gauges, meter: metrics.Meter) -> None:
    """Have the figures of the tenants read when they are exported."""
    for family in gauges.families():

        def read(_: metrics.CallbackOptions, name: str = family.name) -> Iterator[metrics.Observation]:
            now = next(one for one in gauges.families() if one.name == name)
            for sample in now.samples:
                yield metrics.Observation(sample.value, dict(sample.labels))

        meter.create_observable_gauge(_name(family.name), callbacks=[read], description=family.meaning)


def _into(record: Callable[[float, Mapping[str, str]], None]) -> Mirror:
    def mirror(value: float, labels: Labels) -> None:
        record(value, dict(labels))

    return mirror


def _name(name: str) -> str:
    """A name as OpenTelemetry spells it.

    >>> _name("muniment_http_requests_total")
    'muniment.http_requests'
    """
    return name.replace("_", ".", 1).removesuffix("_total").removesuffix("_seconds")
