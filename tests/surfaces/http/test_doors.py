"""The doors: which hosts and origins are served, who is calling, what grants open, and what is kept of the others."""

from __future__ import annotations

import threading
from pathlib import Path

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket
from tests.patience import WAIT_S
from tests.surfaces.http.conftest import Serve, Served, serving, settings_for
from tests.surfaces.http.wire import exchange, status_in
from tests.surfaces.reception import issuer
from tests.surfaces.reception.test_denials import eventually
from tests.surfaces.reception.test_tokens import claims
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from muniment import Memory
from muniment.model.errors import NotPermitted
from muniment.model.times import Instant
from muniment.surfaces.http.doors import permitted, reception_of, visitor_of
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.denials import denied_calls
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant
from muniment.surfaces.reception.server_context import system_now

GATE = threading.Event()


async def who(request: Request) -> Response:
    visitor = await visitor_of(request)
    assert await visitor_of(request) is visitor
    return PlainTextResponse(f"{visitor.actor.id} of {visitor.tenant}")


async def audit(request: Request) -> Response:
    await permitted(request, Grant.AUDIT)
    return PlainTextResponse("audited")


async def refused(request: Request) -> Response:
    visitor = await visitor_of(request)
    raise NotPermitted(visitor.actor.id, "look behind the curtain")


async def slow(request: Request) -> Response:
    await visitor_of(request)
    await reception_of(request).run(GATE.wait, WAIT_S)
    return PlainTextResponse("done")


async def stream(websocket: WebSocket) -> None:
    visitor = await visitor_of(websocket)
    await websocket.accept()
    await websocket.send_text(visitor.actor.id)
    await websocket.close()


ROUTES: list[BaseRoute] = [
    Route("/who", who, methods=["GET", "POST"]),
    Route("/audit", audit),
    Route("/refused", refused),
    Route("/slow", slow),
    WebSocketRoute("/stream", stream),
]


@pytest.fixture
def open_house(serve: Serve) -> Served:
    return serve(routes=ROUTES)


def kept(served: Served) -> list[tuple[str | None, str, str]]:
    return [(one.who, one.what, one.code) for one in denied_calls(served.memory)]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "LOCALHOST", "localhost:1234", "[::1]:80", "127.0.0.2:8765"]
)
def test_a_server_on_this_machine_answers_to_this_machines_names(open_house: Served, host: str) -> None:
    assert httpx.get(f"{open_house.url}/who", headers={"Host": host}, timeout=WAIT_S).text == "owner of default"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "192.0.2.1",
        "user@127.0.0.1",
        "[::1",
        "",
        "a b",
    ],
)
def test_a_name_that_is_not_this_machines_is_turned_away_before_anything_is_asked(
    open_house: Served, host: str
) -> None:
    answer = httpx.get(f"{open_house.url}/who", headers={"Host": host}, timeout=WAIT_S)
    assert (answer.status_code, answer.json()["code"]) == (421, "foreign_host")
    assert eventually(lambda: kept(open_house) == [(None, "GET /who", "foreign_host")])


def test_two_hosts_or_none_are_no_host(open_house: Served) -> None:
    twice = b"GET /who HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    none = b"GET /who HTTP/1.1\r\nConnection: close\r\n\r\n"
    assert [status_in(exchange(open_house.address, one)) for one in (twice, none)] == [421, 421]


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1", "http://localhost:3000", "file://"]
)
def test_a_page_of_another_origin_cannot_call(open_house: Served, origin: str) -> None:
    answer = httpx.post(f"{open_house.url}/who", headers={"Origin": origin}, timeout=WAIT_S)
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")
    assert "access-control-allow-origin" not in answer.headers
    assert eventually(lambda: kept(open_house) == [(None, "POST /who", "foreign_origin")])


def test_a_page_of_the_servers_own_or_a_named_origin_can_call(serve: Serve) -> None:
    served = serve(routes=ROUTES, origins=["https://console.example"])
    for origin in (served.url, "https://console.example"):
        assert httpx.post(f"{served.url}/who", headers={"Origin": origin}, timeout=WAIT_S).status_code == 200


@pytest.mark.parametrize(
    ("mode", "method", "status"), [("no-cors", "GET", 403), ("navigate", "GET", 200), ("navigate", "POST", 403)]
)
def test_what_a_browser_fetches_for_another_site_is_refused_unless_a_link_was_followed(
    open_house: Served, mode: str, method: str, status: int
) -> None:
    said = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode}
    assert httpx.request(method, f"{open_house.url}/who", headers=said, timeout=WAIT_S).status_code == status


@pytest.mark.parametrize(
    ("headers", "status"), [({"Origin": "http://evil.example"}, 403), ({"Host": "evil.example"}, 421)]
)
def test_a_websocket_from_a_foreign_page_is_refused_before_it_is_accepted(
    open_house: Served, headers: dict[str, str], status: int
) -> None:
    origin = headers.get("Origin")
    extra = {name: value for name, value in headers.items() if name != "Origin"}
    with pytest.raises(InvalidStatus) as refusal:
        connect(f"ws{open_house.url[4:]}/stream", origin=origin, additional_headers=extra)  # type: ignore[arg-type]
    assert refusal.value.response.status_code == status


def test_a_websocket_is_asked_who_it_is_like_everybody_else(open_house: Served) -> None:
    url = f"ws{open_house.url[4:]}/stream"
    with connect(url) as socket:
        assert socket.recv(timeout=WAIT_S) == "owner"
    token = open_house.key(KeyRequest(name="k", actor="planner"))
    with connect(url, additional_headers={"Authorization": f"Bearer {token}"}) as socket:
        assert socket.recv(timeout=WAIT_S) == "planner"
    with pytest.raises(InvalidStatus) as refusal:
        connect(url)
    assert refusal.value.response.status_code == 401
    assert eventually(lambda: kept(open_house) == [(None, "WEBSOCKET /stream", "unauthenticated")])


def test_keys_are_asked_for_as_soon_as_there_is_one_and_end_when_they_are_revoked(open_house: Served) -> None:
    with open_house.client() as anonymous:
        assert anonymous.get("/who").text == "owner of default"
        token = open_house.key(KeyRequest(name="k", actor="planner"))
        turned_away = anonymous.get("/who")
    assert (turned_away.status_code, turned_away.json()["code"]) == (401, "unauthenticated")
    assert turned_away.headers["www-authenticate"] == 'Bearer realm="muniment"'
    with open_house.client(token) as client:
        assert client.get("/who").text == "planner of default"
        keys.revoke(open_house.reception.settings.folder, token[4:16], now=system_now())
        assert client.get("/who").status_code == 401


@pytest.mark.parametrize(
    "wish",
    [
        KeyRequest(name="expired", actor="planner", expires_at=Instant(1)),
        KeyRequest(name="foreign", actor="planner", tenant="nowhere"),
    ],
    ids=lambda wish: wish.name,
)
def test_a_key_that_is_past_its_time_or_of_no_tenant_is_refused(open_house: Served, wish: KeyRequest) -> None:
    token = open_house.key(wish)
    with open_house.client(token) as client:
        answer = client.get("/who")
    assert answer.status_code == 401
    assert token[17:] not in answer.text


def test_a_token_of_the_issuer_is_let_in_and_a_forged_one_is_not(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "jwks.json").write_bytes(issuer.jwks())
    served = serve(
        routes=ROUTES,
        jwt_issuer=issuer.ISSUER,
        jwt_audience=issuer.AUDIENCE,
        jwt_jwks=str(tmp_path / "jwks.json"),
        jwt_default_tenant=True,
    )
    good = issuer.token(claims(tenant=None, scope="muniment:audit"))
    with served.client(good) as client:
        assert (client.get("/who").text, client.get("/audit").text) == ("planner of default", "audited")
    for shown in (good[:-3], issuer.token(claims(tenant=None, aud="other")), None):
        with served.client(shown) as client:
            assert client.get("/who").status_code == 401


def test_two_credentials_are_none(open_house: Served) -> None:
    token = open_house.key(KeyRequest(name="k", actor="planner"))
    one = f"Authorization: Bearer {token}\r\n".encode()
    request = b"GET /who HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + one + one + b"\r\n"
    assert status_in(exchange(open_house.address, request)) == 401


def test_a_credential_in_the_address_counts_for_nothing(open_house: Served) -> None:
    token = open_house.key(KeyRequest(name="k", actor="planner"))
    assert (
        httpx.get(f"{open_house.url}/who?key={token}&authorization=Bearer%20{token}", timeout=WAIT_S).status_code == 401
    )


def test_a_grant_that_is_missing_closes_the_door_and_is_kept(open_house: Served) -> None:
    reader = open_house.key(KeyRequest(name="k", actor="planner", grants=(Grant.READ,)))
    auditor = open_house.key(KeyRequest(name="k", actor="auditor", grants=(Grant.AUDIT,)))
    with open_house.client(reader) as client:
        answer = client.get("/audit")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_permitted")
    with open_house.client(auditor) as client:
        assert client.get("/audit").text == "audited"
    assert eventually(lambda: kept(open_house) == [("planner", "GET /audit", "not_permitted")])


def test_what_the_policy_does_not_permit_is_kept_with_who_asked(open_house: Served) -> None:
    token = open_house.key(KeyRequest(name="k", actor="planner"))
    with open_house.client(token) as client:
        assert client.get("/refused").status_code == 403
    assert eventually(lambda: kept(open_house) == [("planner", "GET /refused", "not_permitted")])
    (found,) = denied_calls(open_house.memory)
    assert (found.credential, found.peer, found.count) == (f"key:{token[4:16]}", "127.0.0.1", 1)


def test_over_its_rate_an_actor_is_told_when_to_come_again_and_others_are_served(serve: Serve) -> None:
    served = serve(routes=ROUTES, rate_per_second=0.001, rate_burst=2)
    ana = served.key(KeyRequest(name="k", actor="ana"))
    ben = served.key(KeyRequest(name="k", actor="ben"))
    with served.client(ana) as client:
        answers = [client.get("/who") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].json()["code"] == "too_many_requests"
    assert int(answers[2].headers["retry-after"]) in range(900, 1_001)
    with served.client(ben) as client:
        assert client.get("/who").status_code == 200
    assert eventually(lambda: kept(served) == [("ana", "GET /who", "too_many_requests")])


def test_an_actor_has_so_many_requests_under_way_and_gets_their_places_back(serve: Serve) -> None:
    GATE.clear()
    served = serve(routes=ROUTES, concurrent_per_actor=1)
    token = served.key(KeyRequest(name="k", actor="ana"))
    answers: list[int] = []

    def ask() -> None:
        with served.client(token) as client:
            answers.append(client.get("/slow").status_code)

    first = threading.Thread(target=ask)
    first.start()
    try:
        with served.client(token) as client:
            assert eventually(lambda: client.get("/who").status_code == 429)
    finally:
        GATE.set()
        first.join(timeout=WAIT_S)
    assert answers == [200]
    with served.client(token) as client:
        assert [client.get("/who").status_code for _ in range(3)] == [200, 200, 200]


def test_an_address_that_keeps_failing_is_told_to_wait(serve: Serve) -> None:
    served = serve(routes=ROUTES, failures_per_minute=2)
    served.key(KeyRequest(name="k", actor="ana"))
    with served.client("mnk_" + "a" * 12 + "_" + "b" * 43) as client:
        assert [client.get("/who").status_code for _ in range(3)] == [401, 401, 429]


def test_a_server_others_can_reach_answers_to_the_names_it_was_given_and_probes_to_any(vault: Path) -> None:
    with Memory.open(vault):
        _, token = keys.create(vault, KeyRequest.everything("ana"), now=system_now())
    said = settings_for(vault, host="0.0.0.0", hosts=["memory.example"])
    probes: list[BaseRoute] = [Route("/healthz", lambda _: PlainTextResponse("alive"))]
    with serving(said, routes=[*ROUTES, *probes]) as served:
        url = f"http://127.0.0.1:{served.address[1]}"
        key = {"Authorization": f"Bearer {token}"}
        named = httpx.get(f"{url}/who", headers={**key, "Host": "Memory.Example:80"}, timeout=WAIT_S)
        unnamed = httpx.get(f"{url}/who", headers={**key, "Host": "other.example"}, timeout=WAIT_S)
        probe = httpx.get(f"{url}/healthz", headers={"Host": "10.0.0.7"}, timeout=WAIT_S)
    assert (named.status_code, unnamed.status_code, probe.text) == (200, 421, "alive")
