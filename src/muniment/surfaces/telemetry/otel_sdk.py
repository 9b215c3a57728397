"""Providers of the OpenTelemetry SDK, set up for a server of ours. Where they send is the SDK's own OTEL_ settings."""

from __future__ import annotations

import sys
from importlib.metadata import version

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, MetricExporter, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter

TIMEOUT_S = 5


def otlp() -> tuple[TracerProvider, MeterProvider]:
    """Send to a collector, in batches, beside the work. A collector that is away costs spans, never a request."""
    return _providers(OTLPSpanExporter(timeout=TIMEOUT_S), OTLPMetricExporter(timeout=TIMEOUT_S))


def console() -> tuple[TracerProvider, MeterProvider]:
    """Write to the error stream, to see what there is."""
    return _providers(ConsoleSpanExporter(out=sys.stderr), ConsoleMetricExporter(out=sys.stderr))


def _providers(spans: SpanExporter, figures: MetricExporter) -> tuple[TracerProvider, MeterProvider]:
    resource = Resource.create({"service.name": "muniment", "service.version": version("muniment")})
    tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
    tracers.add_span_processor(BatchSpanProcessor(spans))
    reader = PeriodicExportingMetricReader(figures, export_timeout_millis=TIMEOUT_S * 1_000)
    return tracers, MeterProvider(metric_readers=[reader], resource=resource, shutdown_on_exit=False)
