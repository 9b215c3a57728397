"""What is logged, traced and counted, and who may look: settings as values."""

from __future__ import annotations

from enum import StrEnum

from muniment.config import ServerSettings
from muniment.model.value import Value


class LogFormat(StrEnum):
    """How a line of the log is spelled."""

    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    """The least that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Traces(StrEnum):
    """Where spans go: nowhere, to an OTLP collector, to the error stream, or to whatever the program that runs us has
    set up for OpenTelemetry."""

    OFF = "off"
    OTLP = "otlp"
    CONSOLE = "console"
    PROVIDED = "provided"


class TraceNames(StrEnum):
    """Whose names spans carry: ours, or memledger's with ours beside them."""

    MUNIMENT = "muniment"
    MEMLEDGER = "memledger"


class MetricsOpen(StrEnum):
    """Who may read the metrics: callers on this machine and holders of the grant `audit`, the latter alone, or
    nobody."""

    LOOPBACK = "loopback"
    AUDIT = "audit"
    OFF = "off"


class TelemetrySettings(Value):
    """Everything an operator may choose about being told what the server does. Content is in spans only if
    `trace_content` says so, and in logs and metrics never."""

    log_format: LogFormat = LogFormat.TEXT
    log_level: LogLevel = LogLevel.INFO
    traces: Traces = Traces.OFF
    trace_content: bool = False
    trace_names: TraceNames = TraceNames.MUNIMENT
    metrics_open: MetricsOpen = MetricsOpen.LOOPBACK


def telemetry_of(settings: ServerSettings) -> TelemetrySettings:
    """What the settings of a server say about it."""
    return TelemetrySettings(
        log_format=LogFormat(settings.log_format),
        log_level=LogLevel(settings.log_level),
        traces=Traces(settings.traces),
        trace_content=settings.trace_content,
        trace_names=TraceNames(settings.trace_names),
        metrics_open=MetricsOpen(settings.metrics_open),
    )
