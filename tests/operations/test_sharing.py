"""A caller who burns the processor slows itself: another's writes and the probe of readiness are answered meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from tests.operations.desk import Caller, opened

from muniment.operations import Grant
from muniment.surfaces.reception.keys import KeyRequest

WAIT_S = 120
FLOOD, SMALL = 12, 4
WORST = "ssn 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 " * 250


def wish(actor: str) -> KeyRequest:
    return KeyRequest(name=actor, actor=actor, authority=4, grants=(Grant.READ, Grant.WRITE))


def test_a_flood_of_the_worst_texts_holds_up_nobody_else(tmp_path: Path) -> None:
    order = list[str]()

    def write(caller: Caller, name: str, content: str) -> int:
        status = caller.post("/api/memories", json={"content": content}).status_code
        order.append(name)
        return status

    with opened(tmp_path / "vault", threads=2) as desk, ThreadPoolExecutor(FLOOD) as pool:
        mallory, ben, probe = desk.caller(wish("mallory")), desk.caller(wish("ben")), desk.caller()
        flood = [pool.submit(write, mallory, "flood", f"{number} {WORST}") for number in range(FLOOD)]
        small = [write(ben, "small", f"The build {number} is green") for number in range(SMALL)]
        ready = probe.get("/readyz").status_code
        order.append("ready")
        done, late = wait(flood, timeout=WAIT_S)
    assert not late
    assert {*small, *(one.result() for one in done)} <= {200, 201, 202}
    assert ready == 200
    assert order.count("flood") == FLOOD
    assert order[-1] == "flood", "the others waited for all of the flood"
