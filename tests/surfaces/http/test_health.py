"""Whether the server lives, whether it can work, and its figures: who may ask, and what each is told."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import httpx
import pytest
from starlette.requests import Request
from tests.patience import WAIT_S
from tests.surfaces.http.conftest import Serve, Served

from muniment import Memory
from muniment.surfaces.http import health
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant
from muniment.surfaces.reception.server_context import system_now
from muniment.surfaces.telemetry.readiness import FRESH_S, Readiness


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that a busy machine lets answer late is ready all the same."""
    monkeypatch.setattr(health, "WAIT_S", WAIT_S)


def test_a_server_that_runs_says_so_to_anyone(keyed: tuple[Served, str]) -> None:
    served, _ = keyed
    with served.client() as client:
        answer = client.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})


def test_a_server_that_can_work_says_so_to_anyone(keyed: tuple[Served, str]) -> None:
    served, _ = keyed
    with served.client() as client:
        answer = client.get("/readyz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ready", "missing": []})
    assert answer.headers["cache-control"] == "no-store"


def test_asking_whether_it_can_work_writes_nothing(served: Served) -> None:
    before = served.memory.ledger.head()
    with served.client() as client:
        for _ in range(3):
            assert client.get("/readyz").status_code == 200

    assert served.memory.ledger.head() == before


def test_a_server_that_is_about_to_end_is_alive_and_not_ready(served: Served) -> None:
    with served.client() as client:
        served.reception.begin_closing()
        alive, ready = client.get("/healthz"), client.get("/readyz")

    assert alive.status_code == 200
    assert (ready.status_code, ready.json()) == (503, {"status": "closing", "missing": []})


def test_a_server_that_was_asked_to_end_says_so_to_new_callers_before_it_turns_them_away(serve: Serve) -> None:
    served = serve(drain_seconds=5.0)
    seen = []
    with served.client() as client:
        served.stop()
        ends = time.monotonic() + WAIT_S
        while 503 not in seen and time.monotonic() < ends:
            seen.append(client.get("/readyz", headers={"Connection": "close"}).status_code)

    assert set(seen) <= {200, 503}
    assert seen[-1] == 503


def test_a_server_whose_store_is_gone_is_alive_and_says_what_is_missing(served: Served) -> None:
    served.memory._session.tenant.store.close()
    with served.client() as client:
        alive, ready = client.get("/healthz"), client.get("/readyz")

    assert alive.status_code == 200
    assert (ready.status_code, ready.json()) == (503, {"status": "not ready", "missing": ["store"]})


def test_a_disk_without_room_is_not_ready(memory: Memory, vault: Path) -> None:
    assert Readiness(lambda: memory, vault, room=1 << 62).missing() == ("disk",)
    assert Readiness(lambda: memory, vault).missing() == ()


def test_a_server_with_no_tenant_open_yet_is_not_ready(tmp_path: Path) -> None:
    assert Readiness(lambda: None, tmp_path).missing() == ("store",)


def test_the_store_is_asked_at_most_once_in_a_while(memory: Memory, vault: Path) -> None:
    asked = []
    now = [10.0]

    def opened() -> Memory:
        asked.append(now[0])
        return memory

    readiness = Readiness(opened, vault, clock=lambda: now[0])
    for _ in range(5):
        readiness.missing()
    now[0] += FRESH_S
    readiness.missing()

    assert asked == [10.0, 10.0 + FRESH_S]


def test_callers_on_this_machine_may_read_the_figures(keyed: tuple[Served, str]) -> None:
    served, _ = keyed
    with served.client() as client:
        client.get("/healthz")
        answer = client.get("/metrics")

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert 'muniment_http_requests_total{method="GET",route="/healthz",status="200"} 1\n' in answer.text
    assert 'muniment_ledger_head{tenant="default"}' in answer.text


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
def test_what_a_proxy_hands_on_is_not_from_this_machine(keyed: tuple[Served, str], header: str) -> None:
    served, _ = keyed
    with served.client() as client:
        answer = client.get("/metrics", headers={header: "10.0.0.9"})

    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


def test_with_the_setting_audit_a_key_with_that_grant_is_asked_for(vault: Path, serve: Serve) -> None:
    with Memory.open(vault):
        _, auditor = keys.create(vault, KeyRequest(name="a", actor="auditor", grants=(Grant.AUDIT,)), now=system_now())
        _, reader = keys.create(vault, KeyRequest(name="r", actor="reader", grants=(Grant.READ,)), now=system_now())
    served = serve(metrics_open="audit")

    def status(key: str | None) -> int:
        with served.client(key) as client:
            return client.get("/metrics").status_code

    assert (status(None), status(reader), status(auditor)) == (401, 403, 200)


def test_a_key_of_one_tenant_is_not_told_the_figures_of_another(vault: Path, serve: Serve) -> None:
    with Memory.open(vault), Memory.open(vault, tenant="acme"):
        wish = KeyRequest(name="a", actor="auditor", grants=(Grant.AUDIT,), tenant="acme")
        _, key = keys.create(vault, wish, now=system_now())
    served = serve(metrics_open="audit")
    served.reception.owner("acme")
    with served.client(key) as client:
        page = client.get("/metrics").text

    assert 'muniment_ledger_head{tenant="acme"}' in page
    assert 'tenant="default"' not in page


def test_with_the_setting_off_there_is_no_such_page(serve: Serve) -> None:
    with serve(metrics_open="off").client() as client:
        assert client.get("/metrics").status_code == 404


def test_denied_calls_are_among_the_figures(keyed: tuple[Served, str]) -> None:
    served, _ = keyed
    with served.client("mnk_nobody_nothing") as client:
        assert client.get("/v1/agents").status_code == 401
    with served.client() as client:
        page = client.get("/metrics").text

    assert 'muniment_denials_total{code="unauthenticated"} 1\n' in page


def test_a_store_that_does_not_answer_in_time_is_not_ready(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "WAIT_S", 0.05)
    store = served.memory._session.tenant.store
    with served.client() as client, store._writing:  # type: ignore[attr-defined]  # the writer is held by somebody
        answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["missing"]) == (503, ["store"])


@pytest.mark.parametrize(("host", "local"), [("127.0.0.1", True), ("::1", True), ("10.0.0.9", False), ("unix", False)])
def test_only_loopback_addresses_are_this_machine(host: str, local: bool) -> None:
    scope = {"type": "http", "client": (host, 1), "headers": []}
    assert health._local(Request(scope)) is local


def test_many_probes_at_once_are_answered(served: Served) -> None:
    async def ask() -> list[int]:
        async with httpx.AsyncClient(base_url=served.url, timeout=WAIT_S) as client:
            answers = await asyncio.gather(*(client.get("/readyz") for _ in range(20)))
        return [answer.status_code for answer in answers]

    assert asyncio.run(ask()) == [200] * 20
