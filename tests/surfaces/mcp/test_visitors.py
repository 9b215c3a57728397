"""Who speaks over HTTP: each message is its sender's alone, and nobody sees or does more than its credential opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.surfaces.http.conftest import Serve, Served
from tests.surfaces.mcp.talking import LEGACY, MODERN, Talk, talking_to

from muniment import Memory
from muniment.engine.notebook import Notebook
from muniment.model.vocabulary import ActorType
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant
from muniment.surfaces.reception.server_context import system_now

ACCEPT = {"Accept": "application/json, text/event-stream"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
EVERYTHING = tuple(Grant)


def agent(name: str, *grants: Grant, tenant: str = "default") -> KeyRequest:
    return KeyRequest(name=name, actor=name, tenant=tenant, type=ActorType.AGENT, grants=grants or EVERYTHING)


@pytest.fixture(params=[MODERN, LEGACY])
def two(request: pytest.FixtureRequest, keyed: tuple[Served, str]) -> Iterator[tuple[Talk, Talk, Served]]:
    """Two agents at one server."""
    server, _ = keyed
    first, second = server.key(agent("ada")), server.key(agent("bob"))
    url = f"{server.url}/mcp"
    with talking_to(url, first, request.param) as ada, talking_to(url, second, request.param) as bob:
        yield ada, bob, server


def test_two_visitors_do_not_see_what_is_the_others_alone(two: tuple[Talk, Talk, Served]) -> None:
    ada, bob, _ = two
    own = ada.call("remember", content="My token is in the drawer", scope="agent_repo", confidence=0.9)
    draft = ada.call("propose", content="Perhaps the build takes an hour", draft=True)
    receipt = ada.call("recall", query="token in the drawer").document
    names = [own.document["record_id"], draft.document["record_id"]]

    assert [one["id"] for one in receipt["records"]] == names[:1]
    assert ada.call("get", record_id=names[1]).document["status"] == "draft"
    assert [bob.call("get", record_id=name).code for name in names] == ["not_found", "not_found"]
    assert bob.call("recall", query="token in the drawer").document["records"] == []
    assert bob.call("explain", receipt_id=receipt["receipt_id"]).code == "not_found"
    assert bob.refusal(lambda: bob.read(f"muniment://record/{names[0]}")).data["code"] == "not_found"


def test_what_both_may_see_is_written_in_each_ones_name(two: tuple[Talk, Talk, Served]) -> None:
    ada, bob, server = two
    said = ada.call("remember", content="The nightly build takes 40 minutes", confidence=0.9)

    found = bob.call("recall", query="nightly build").document["records"]

    assert [(one["id"], one["actor"]) for one in found] == [(said.document["record_id"], "ada")]
    assert server.memory.get(said.document["record_id"]).record.actor == "ada"


def test_a_tool_without_its_grant_is_refused_and_the_denial_is_kept(keyed: tuple[Served, str]) -> None:
    server, _ = keyed
    reader = server.key(agent("reader", Grant.READ))
    before = server.memory.insight.stats()

    with talking_to(f"{server.url}/mcp", reader) as talk:
        answer = talk.call("remember", content="The nightly build takes 40 minutes")
        assert talk.call("recall", query="build").failed is False
    server.stop()
    server.reception.close()

    assert answer.code == "not_permitted"
    with Memory.open(server.reception.settings.folder) as memory:
        assert memory.insight.stats().current == before.current
        notes = Notebook.of(memory).read("denied")
    denials = [msgspec.json.decode(note.body or "") for note in notes]
    assert [(one["what"], one["code"], one["who"]) for one in denials] == [("mcp remember", "not_permitted", "reader")]


def test_a_store_is_rebuilt_only_for_those_who_may_audit(keyed: tuple[Served, str]) -> None:
    server, _ = keyed
    reader, auditor = server.key(agent("ada", Grant.READ)), server.key(agent("ada", Grant.READ, Grant.AUDIT))
    url = f"{server.url}/mcp"

    with talking_to(url, reader) as talk:
        receipt = talk.call("recall", query="build").document["receipt_id"]
        plain = talk.call("explain", receipt_id=receipt)
        refused = talk.call("explain", receipt_id=receipt, replay=True)
    with talking_to(url, auditor) as talk:
        replayed = talk.call("explain", receipt_id=receipt, replay=True)

    assert (plain.document["replayed"], refused.code) == (False, "not_permitted")
    assert replayed.document["replayed"] is True


def test_what_the_policy_does_not_give_is_a_denial_too(keyed: tuple[Served, str]) -> None:
    server, _ = keyed
    name = server.memory.remember("The nightly build takes 40 minutes").record_id
    worker = server.key(agent("worker"))

    with talking_to(f"{server.url}/mcp", worker) as talk:
        answer = talk.call("forget", record_id=name, reason="because")

    assert answer.code == "not_permitted"
    assert server.memory.get(str(name)).record.content == "The nightly build takes 40 minutes"


def test_without_a_credential_nobody_is_let_in(keyed: tuple[Served, str]) -> None:
    server, _ = keyed
    with server.client() as client:
        nobody = client.post("/mcp?tools=all", json=PING, headers=ACCEPT)
        wrong = client.post("/mcp?tools=all", json=PING, headers={**ACCEPT, "Authorization": "Bearer mnk_wrong_wrong"})

    assert [(one.status_code, one.json()["code"]) for one in (nobody, wrong)] == [(401, "unauthenticated")] * 2
    assert nobody.headers["www-authenticate"].startswith("Bearer")


def test_a_revoked_key_is_refused_in_the_middle_of_a_conversation(keyed: tuple[Served, str]) -> None:
    server, _ = keyed
    folder = server.reception.settings.folder
    key, token = keys.create(folder, agent("ada"), now=system_now())

    with talking_to(f"{server.url}/mcp", token, LEGACY) as talk:
        assert talk.call("recall", query="build").failed is False
        keys.revoke(folder, key.id, now=system_now())
        refused = talk.refusal(lambda: talk.call("recall", query="build"))
    with server.client(token) as client:
        plain = client.post("/mcp?tools=all", json=PING, headers=ACCEPT)

    assert refused.code == -32603
    assert (plain.status_code, plain.json()["code"]) == (401, "unauthenticated")


def test_a_session_id_gives_nobody_anything(keyed: tuple[Served, str]) -> None:
    """There are no sessions to be taken over: an id that somebody sends is not looked at."""
    server, _ = keyed
    curator = server.key(KeyRequest(name="c", actor="cleo", roles=("curator",), grants=EVERYTHING))
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "queue", "arguments": {}}}
    opening = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    server.memory.as_actor("worker").remember("We deploy on Fridays", kind="decision")
    with server.client(curator) as client:
        opened = client.post("/mcp?tools=all", json=opening, headers=ACCEPT)
        mine = client.post("/mcp?tools=all", json=call, headers={**ACCEPT, "Mcp-Session-Id": "taken"}).json()
    with server.client(server.key(agent("bob"))) as client:
        other = client.post("/mcp?tools=all", json=call, headers={**ACCEPT, "Mcp-Session-Id": "taken"}).json()

    assert (opened.status_code, "mcp-session-id" in opened.headers) == (200, False)
    assert len(mine["result"]["structuredContent"]["proposals"]) == 1
    assert other["result"]["structuredContent"]["proposals"] == []


def test_a_tenant_is_its_own(keyed: tuple[Served, str], vault: Path) -> None:
    server, owner = keyed
    with Memory.open(vault, tenant="other"):
        token = server.key(agent("ada", tenant="other"))
    with talking_to(f"{server.url}/mcp", token) as ada, talking_to(f"{server.url}/mcp", owner) as ana:
        said = ada.call("remember", content="The nightly build takes 40 minutes", confidence=0.9)

        assert said.document["outcome"] == "committed"
        assert ana.call("get", record_id=said.document["record_id"]).code == "not_found"
        assert ana.call("recall", query="nightly build").document["records"] == []


def test_a_foreign_page_cannot_call(serve: Serve) -> None:
    with serve().client() as client:
        page = client.post("/mcp?tools=all", json=PING, headers={**ACCEPT, "Origin": "https://evil.example"})
        host = client.post("/mcp?tools=all", json=PING, headers={**ACCEPT, "Host": "evil.example"})
        form = client.post("/mcp?tools=all", content=b"{}", headers={"Content-Type": "text/plain"})

    assert (page.status_code, page.json()["code"]) == (403, "foreign_origin")
    assert (host.status_code, host.json()["code"]) == (421, "foreign_host")
    assert (form.status_code, form.json()["code"]) == (415, "unsupported_media_type")
