"""Time tells too: how much a store does for the answer that there is no such thing, be it hidden or absent.

Not measured by the clock but by what SQLite counts: statements, and steps of its virtual machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import apsw
import msgspec
import pytest
from tests.walls.asking import heard, other_id, row
from tests.walls.cells import TITLE, Property, hidden_ids
from tests.walls.rows import Kind
from tests.walls.world import World, opened

STATEMENTS_MORE, STEPS_MORE = 4, 200
"""So much more may be done for what is hidden: a record is read before it is known that it may not be told."""

LOOKS: dict[str, tuple[str, Kind]] = {
    "get": ("record_id", "record"),
    "history": ("record_id", "record"),
    "insight.lineage": ("record_id", "record"),
    "insight.foresee": ("record_id", "record"),
    "review.retract": ("record_id", "record"),
    "review.retire": ("record_id", "record"),
    "review.quarantine": ("record_id", "record"),
    "forget": ("record_id", "record"),
    "review.report": ("proposal_id", "proposal"),
    "review.decide": ("proposal_id", "proposal"),
    "explain": ("receipt_id", "receipt"),
    "review.resolve": ("conflict_id", "conflict"),
    "erasure.lift": ("hold_id", "hold"),
    "imports.apply": ("batch", "batch"),
}


class Work(msgspec.Struct):
    """What a store did."""

    statements: int = 0
    steps: int = 0


class Meter:
    """Counts what every connection that is opened from now on does."""

    def __init__(self) -> None:
        self.done = Work()

    def watch(self, connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, self._count)

    def _count(self, event: dict[str, object]) -> None:
        status = cast("dict[str, int]", event["stmt_status"])
        self.done.statements += 1
        self.done.steps += status["SQLITE_STMTSTATUS_VM_STEP"]

    def of(self, deed: Callable[[], object]) -> Work:
        self.done = Work()
        deed()
        return self.done


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, Meter]]:
    meter = Meter()
    apsw.connection_hooks.append(meter.watch)
    try:
        with opened(tmp_path_factory.mktemp("work")) as world:
            yield world, meter
    finally:
        apsw.connection_hooks.remove(meter.watch)


def _work(world: World, meter: Meter, caller: str, method: str, name: str) -> Work:
    parameter, _ = LOOKS[method]
    return meter.of(lambda: heard(world, caller, method, row(method, **{parameter: name})))


@pytest.mark.parametrize("caller", ["bob", "guest"])
def test_hidden_takes_hardly_more_work_than_absent(
    measured: tuple[World, Meter], caller: str, record_property: Property
) -> None:
    world, meter = measured
    most, over, cells = Work(), [], 0
    for method, (_, kind) in LOOKS.items():
        for about, name in hidden_ids(world, kind, caller):
            cells += 1
            hidden = _work(world, meter, caller, method, name)
            absent = _work(world, meter, caller, method, other_id(name))
            more = Work(hidden.statements - absent.statements, hidden.steps - absent.steps)
            most = Work(max(most.statements, more.statements), max(most.steps, more.steps))
            if more.statements > STATEMENTS_MORE or abs(more.steps) > STEPS_MORE:
                over.append(f"{method} {about}: {more}")
    line = f"work, {caller:<28} {cells:>6} cells, at most {most.statements} statements and {most.steps} steps more"
    record_property("figures", (TITLE, line))
    assert over == []


def test_an_id_of_another_tenant_takes_just_the_work_of_an_absent_one(measured: tuple[World, Meter]) -> None:
    world, meter = measured
    for method, (_, kind) in LOOKS.items():
        for about, name in hidden_ids(world, kind, "eve"):
            one = _work(world, meter, "eve", method, name)
            other = _work(world, meter, "eve", method, other_id(name))
            assert one == other, (method, about)


def test_the_meter_counts(measured: tuple[World, Meter]) -> None:
    world, meter = measured
    found = meter.of(lambda: world.ours.get(world.open["bob"]))
    assert found.statements > 1
    assert found.steps > 10
