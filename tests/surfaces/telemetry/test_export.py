"""Spans and metrics leave the process: to a collector, to the error stream, or not at all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.patience import WAIT_S

from muniment import Memory
from muniment.surfaces.telemetry.settings import TelemetrySettings, Traces
from muniment.surfaces.telemetry.telemetry import Telemetry


class Collector:
    """Takes what is posted to it, and keeps it by path."""

    def __init__(self) -> None:
        self.posted: dict[str, bytes] = {}
        posted = self.posted

        class Taking(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                posted[self.path] = posted.get(self.path, b"") + body
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                return

        self._server = HTTPServer(("127.0.0.1", 0), Taking)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join(WAIT_S)
        self._server.server_close()


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    found = Collector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    yield found
    found.close()


def remember(vault: Path, telemetry: Telemetry) -> None:
    with Memory.open(vault, tracer=telemetry.tracer) as memory:
        telemetry.opened("default", memory)
        memory.remember("The staging database moved to eu-west-2")
        telemetry.close()


def test_spans_and_metrics_reach_a_collector_before_the_server_ends(vault: Path, collector: Collector) -> None:
    remember(vault, Telemetry(TelemetrySettings(traces=Traces.OTLP)))

    spans, figures = collector.posted["/v1/traces"], collector.posted["/v1/metrics"]
    assert b"muniment.propose.commit" in spans
    assert b"owner-commits" in spans
    assert b"eu-west-2" not in spans
    assert b"muniment.verdicts" in figures
    assert b"muniment.ledger_head" in figures


def test_spans_can_be_looked_at_on_the_error_stream(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    remember(vault, Telemetry(TelemetrySettings(traces=Traces.CONSOLE)))

    assert '"name": "muniment.propose.commit"' in capsys.readouterr().err


def test_without_a_wish_for_traces_nothing_is_exported(vault: Path, collector: Collector) -> None:
    telemetry = Telemetry()
    remember(vault, telemetry)

    assert telemetry.spans is None
    assert collector.posted == {}
