"""Counters, gauges and histograms, how Prometheus reads them, and what is read of the tenants."""

from __future__ import annotations

from pathlib import Path

from muniment import Memory
from muniment.engine.metrics import figures_of
from muniment.surfaces.telemetry.exposition import expose
from muniment.surfaces.telemetry.gauges import FRESH_S, Gauges
from muniment.surfaces.telemetry.instruments import SERIES_MAX, Counter, Gauge, Histogram
from muniment.surfaces.telemetry.telemetry import Telemetry


class Ticks:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_counter_sums_up_each_series_apart() -> None:
    calls = Counter("calls_total", "Calls.", ("route", "status"))
    calls.add("/a", "200")
    calls.add("/a", "200", amount=2)
    calls.add("/a", "404")

    assert expose([calls.family()]) == (
        "# HELP calls_total Calls.\n"
        "# TYPE calls_total counter\n"
        'calls_total{route="/a",status="200"} 3\n'
        'calls_total{route="/a",status="404"} 1\n'
    )


def test_the_buckets_of_a_histogram_add_up_and_a_value_on_a_bound_is_within_it() -> None:
    spread = Histogram("wait_seconds", "Waits.", buckets=(0.1, 1.0))
    for value in (0.1, 0.5, 3.0):
        spread.observe(value)

    assert expose([spread.family()]).splitlines()[2:] == [
        'wait_seconds_bucket{le="0.1"} 1',
        'wait_seconds_bucket{le="1"} 2',
        'wait_seconds_bucket{le="+Inf"} 3',
        "wait_seconds_sum 3.6",
        "wait_seconds_count 3",
    ]


def test_a_histogram_without_buckets_is_a_summary() -> None:
    spread = Histogram("step_seconds", "Steps.", ("step",), buckets=())
    spread.observe(0.25, "plan")

    assert expose([spread.family()]).splitlines()[1:] == [
        "# TYPE step_seconds summary",
        'step_seconds_sum{step="plan"} 0.25',
        'step_seconds_count{step="plan"} 1',
    ]


def test_a_gauge_goes_up_and_down() -> None:
    open_ = Gauge("streams", "Streams.", ("transport",))
    open_.move("sse", by=1)
    open_.move("sse", by=1)
    open_.move("sse", by=-1)

    assert 'streams{transport="sse"} 1\n' in expose([open_.family()])


def test_a_label_cannot_end_a_line_or_its_quotes() -> None:
    calls = Counter("calls_total", "Calls.", ("who",))
    calls.add('a"b\\c\nd')

    assert expose([calls.family()]).splitlines()[2:] == ['calls_total{who="a\\"b\\\\c\\nd"} 1']


def test_names_beyond_the_bound_are_counted_together() -> None:
    calls = Counter("calls_total", "Calls.", ("who",))
    for number in range(SERIES_MAX + 5):
        calls.add(str(number))
    calls.add("0")

    lines = expose([calls.family()]).splitlines()[2:]
    assert len(lines) == SERIES_MAX + 1
    assert 'calls_total{who="other"} 5' in lines
    assert 'calls_total{who="0"} 2' in lines


def test_the_figures_of_a_tenant_are_those_of_its_store(memory: Memory) -> None:
    memory.remember("The nightly build takes 40 minutes", confidence=0.8, evidence=["ci:1"])
    memory.as_actor("b").remember("The nightly build takes 55 minutes", confidence=0.8)
    memory.as_actor("b").remember("Deploys happen on Tuesdays", kind="decision")
    memory.recall("how long does the nightly build take?")

    figures = figures_of(memory)

    assert figures.head == memory.ledger.head().seq
    assert figures.receipts == 1
    assert figures.conflicts == len(memory.review.conflicts()) == 1
    assert figures.waiting == len(memory.review.queue()) == 1
    assert figures.trailing == 0
    assert figures.bytes > 0


def test_what_waits_for_a_person_is_counted_with_the_age_of_the_oldest(vault: Path) -> None:
    with Memory.open(vault) as memory:
        held = memory.as_actor("stranger").remember("Deploys happen on Tuesdays", kind="decision")
        assert held.outcome.value == "held"
        (waiting,) = memory.review.queue()
        figures = figures_of(memory)

        gauges = Gauges()
        gauges.opened("default", memory)
        page = expose(gauges.families())

    assert (figures.waiting, figures.oldest) == (1, waiting.at)
    assert 'muniment_queue_length{tenant="default"} 1\n' in page


def test_the_store_is_read_again_only_after_a_while(memory: Memory) -> None:
    clock = Ticks()
    gauges = Gauges(clock)
    gauges.opened("default", memory)
    before = expose(gauges.families())
    memory.remember("The build is green on main")

    clock.now += FRESH_S / 2
    assert 'muniment_ledger_head{tenant="default"} 2\n' in before
    assert 'muniment_ledger_head{tenant="default"} 2\n' in expose(gauges.families())

    clock.now += FRESH_S
    assert 'muniment_ledger_head{tenant="default"} 3\n' in expose(gauges.families())


def test_one_tenant_is_not_told_of_another(vault: Path) -> None:
    telemetry = Telemetry()
    with Memory.open(vault, tenant="acme") as acme, Memory.open(vault, tenant="globex") as globex:
        telemetry.opened("acme", acme)
        telemetry.opened("globex", globex)

        own, all_ = telemetry.page("acme"), telemetry.page()

    assert 'tenant="acme"' in own
    assert "globex" not in own
    assert 'muniment_store_bytes{tenant="globex"}' in all_


def test_a_tenant_that_cannot_be_read_does_not_spoil_the_page(vault: Path) -> None:
    telemetry = Telemetry()
    with Memory.open(vault, tenant="gone") as gone:
        telemetry.opened("gone", gone)

    page = telemetry.page()

    assert "muniment_tenants_unreadable 1\n" in page
    assert 'tenant="gone"' not in page


def test_streams_and_denials_are_counted() -> None:
    telemetry = Telemetry()
    telemetry.denied("not_permitted")
    with telemetry.stream("websocket"):
        during = telemetry.page()
    after = telemetry.page()

    assert 'muniment_denials_total{code="not_permitted"} 1\n' in during
    assert 'muniment_streams_open{transport="websocket"} 1\n' in during
    assert 'muniment_streams_open{transport="websocket"} 0\n' in after
