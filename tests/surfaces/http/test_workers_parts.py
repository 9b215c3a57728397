"""What the processes of a server share, each part by itself: tickets, figures, bounds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from muniment.config import ServerSettings
from muniment.model.actor import Actor
from muniment.model.errors import Unauthenticated
from muniment.surfaces.http.streams_tickets import SharedTickets, Ticket
from muniment.surfaces.reception.principal import Grant, Principal
from muniment.surfaces.reception.worker_group import SHARED_OUT, WorkerGroup, part_of
from muniment.surfaces.telemetry.meters import Meters
from muniment.surfaces.telemetry.shared import SharedMeters

ANA = Principal(actor=Actor(id="ana"), tenant="acme", credential="key-1", grants=(Grant.READ,), agents=("scout",))


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_ticket_of_one_process_is_taken_once_by_any_other(tmp_path: Path) -> None:
    clock = Clock()
    desks = [SharedTickets(30.0, tmp_path, clock) for _ in range(4)]
    issued = desks[0].issue(ANA, "scout")

    def take(desk: SharedTickets) -> Ticket | None:
        try:
            return desk.take(issued)
        except Unauthenticated:
            return None

    with ThreadPoolExecutor(4) as pool:
        taken = [ticket for ticket in pool.map(take, desks) if ticket is not None]
    assert taken == [Ticket(visitor=ANA, agent="scout", ends=130.0)]
    assert list(tmp_path.iterdir()) == []


def test_a_ticket_that_ended_or_never_was_opens_nothing(tmp_path: Path) -> None:
    clock = Clock()
    desk = SharedTickets(30.0, tmp_path, clock)
    late = desk.issue(ANA, "scout")
    clock.now = 130.0
    for name in (late, "nothing", "../../etc/passwd", "\udc80"):
        with pytest.raises(Unauthenticated):
            desk.take(name)


def test_no_file_of_a_ticket_holds_the_ticket_and_those_that_ended_are_swept_out(tmp_path: Path) -> None:
    clock = Clock()
    issued = SharedTickets(30.0, tmp_path, clock).issue(ANA, "scout")
    (file,) = tmp_path.iterdir()
    assert issued not in file.name
    assert issued.encode() not in file.read_bytes()
    clock.now = 131.0
    SharedTickets(30.0, tmp_path, clock).issue(ANA, "scout")
    assert file not in list(tmp_path.iterdir())


def test_the_parts_of_every_bound_add_up_to_the_setting() -> None:
    settings = ServerSettings()
    parts = [part_of(settings, WorkerGroup(worker=number, of=3, folder="")) for number in range(3)]
    for name in SHARED_OUT:
        assert sum(getattr(part, name) for part in parts) == getattr(settings, name), name
    assert sum(part.rate_per_second for part in parts) == pytest.approx(settings.rate_per_second)
    few = part_of(ServerSettings(streams_per_actor=1), WorkerGroup(worker=2, of=3, folder=""))
    assert few.streams_per_actor == 1


def test_the_figures_of_all_workers_stand_on_one_page_each_under_its_number(tmp_path: Path) -> None:
    mine, others = Meters(), Meters()
    mine.denials.add("unauthenticated")
    others.denials.add("unauthenticated", amount=3)
    SharedMeters(others, tmp_path, 1).close()
    page = SharedMeters(mine, tmp_path, 0)
    found = {family.name: family for family in page.families()}["muniment_denials_total"]
    page.close()
    told = [(dict(sample.labels)["worker"], sample.value) for sample in found.samples]
    assert told == [("0", 1.0), ("1", 3.0)]
