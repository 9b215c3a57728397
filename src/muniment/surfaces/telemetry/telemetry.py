"""Everything by which a server can be watched, put together: log, meters, gauges, and the tracer for its memories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from muniment.engine import Memory
from muniment.model.errors import ConfigurationError
from muniment.ports.tracer import Tracer
from muniment.surfaces.telemetry.exposition import expose
from muniment.surfaces.telemetry.gauges import Gauges
from muniment.surfaces.telemetry.logs import Log
from muniment.surfaces.telemetry.meters import Meters
from muniment.surfaces.telemetry.settings import TelemetrySettings, Traces
from muniment.surfaces.telemetry.shared import SharedMeters
from muniment.surfaces.telemetry.watcher import Watcher

if TYPE_CHECKING:
    from muniment.surfaces.telemetry.otel import Export, Spans

_PLAIN = TelemetrySettings()


class Telemetry:
    """One per server. Methods may be called from any thread."""

    def __init__(
        self,
        settings: TelemetrySettings = _PLAIN,
        *,
        stream: TextIO | None = None,
        sharing: tuple[Path, int] | None = None,
    ) -> None:
        """`sharing` names the folder in which processes of one server share their figures, and the number of this."""
        self.settings = settings
        self.meters = Meters()
        self.gauges = Gauges()
        self.log = Log(settings, stream)
        self._export = _export(settings, self.meters, self.gauges)
        self.spans: Spans | None = self._export.spans if self._export is not None else None
        self.tracer: Tracer = Watcher(self.meters, self.spans)
        self._shared = None if sharing is None else SharedMeters(self.meters, *sharing)

    def opened(self, tenant: str, memory: Memory) -> None:
        """Tell of this tenant's figures from now on."""
        self.gauges.opened(tenant, memory)

    def denied(self, code: str) -> None:
        """Count a call that was turned away."""
        self.meters.denials.add(code)

    @contextmanager
    def stream(self, transport: str) -> Iterator[None]:
        """Count a push stream while it is open."""
        self.meters.streams.move(transport, by=1)
        try:
            yield
        finally:
            self.meters.streams.move(transport, by=-1)

    def page(self, tenant: str | None = None) -> str:
        """Every figure, for Prometheus; of the tenants all, or one alone."""
        counted = self.meters.families() if self._shared is None else self._shared.families()
        return expose((*counted, *self.gauges.families(tenant)))

    def close(self) -> None:
        """Send what is left of spans and metrics."""
        if self._shared is not None:
            self._shared.close()
        if self._export is not None:
            self._export.close()


def _export(settings: TelemetrySettings, meters: Meters, gauges: Gauges) -> Export | None:
    if settings.traces is Traces.OFF:
        return None
    if find_spec("opentelemetry") is None:
        raise ConfigurationError("traces", "needs OpenTelemetry: pip install 'muniment[otel]'")
    from muniment.surfaces.telemetry.otel import Export

    return Export(settings, meters, gauges)
