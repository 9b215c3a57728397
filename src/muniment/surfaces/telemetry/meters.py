"""Everything a server counts while it works, declared once."""

from __future__ import annotations

from muniment.surfaces.telemetry.instruments import Counter, Family, Gauge, Histogram


class Meters:
    """The instruments of one server. Labels are names we chose, route templates and rules: never ids, never content."""

    def __init__(self) -> None:
        self.requests = Counter(
            "muniment_http_requests_total", "Requests answered, by route and status.", ("method", "route", "status")
        )
        self.latency = Histogram(
            "muniment_http_request_seconds", "Time from request to the end of the answer.", ("method", "route")
        )
        self.in_flight = Gauge("muniment_http_requests_in_flight", "Requests being answered, open streams included.")
        self.streams = Gauge("muniment_streams_open", "Push streams open now.", ("transport",))
        self.denials = Counter("muniment_denials_total", "Calls that were turned away, by reason.", ("code",))
        self.operations = Histogram(
            "muniment_operation_seconds", "Time an operation of the engine took.", ("operation", "outcome")
        )
        self.steps = Histogram(
            "muniment_step_seconds", "Time the steps of operations took.", ("operation", "step"), buckets=()
        )
        self.verdicts = Counter(
            "muniment_verdicts_total", "Decisions on writes.", ("operation", "outcome", "disposition")
        )
        self.curation = Counter("muniment_curation_steps_total", "What curation steps found.", ("step", "result"))
        self.conflicts = Counter("muniment_conflicts_opened_total", "Conflicts that writes opened.")
        self.told = Counter("muniment_records_told_total", "Records told, by what the gate said.", ("gate",))
        self.excluded = Counter("muniment_records_excluded_total", "Matches kept back, by rule.", ("rule",))
        self.abstained = Counter("muniment_abstentions_total", "Answers that told nothing, by reason.", ("reason",))

    @property
    def counters(self) -> tuple[Counter, ...]:
        return (
            self.requests,
            self.denials,
            self.verdicts,
            self.curation,
            self.conflicts,
            self.told,
            self.excluded,
            self.abstained,
        )

    @property
    def gauges(self) -> tuple[Gauge, ...]:
        return (self.in_flight, self.streams)

    @property
    def histograms(self) -> tuple[Histogram, ...]:
        return (self.latency, self.operations, self.steps)

    def families(self) -> tuple[Family, ...]:
        sums = tuple(one.family() for one in self.counters)
        return (*sums, *(one.family() for one in self.gauges), *(one.family() for one in self.histograms))
