"""The examination extension: who may ask for a field, what it may be, and that nothing of it outlives its server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.cases import each
from tests.patience import WAIT_S
from tests.surfaces.http.conftest import Served, serving, settings_for

from muniment import Memory
from muniment.contracts.strict.values import JsonObject
from muniment.surfaces.http import examination
from muniment.surfaces.http.examination_servers import Wish
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KEYS_FILE, KeyWish
from muniment.surfaces.reception.reception import Reception, system_now
from muniment.surfaces.reception.visitor import Grant
from muniment.testing.akashik.binding import Settings
from muniment.testing.akashik.examined import ExaminedStage

PATH = "/v1/examination"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that asks for no key, for all tests of this page."""
    with serving(settings_for(tmp_path_factory.mktemp("own") / "vault")) as found:
        yield found


def opened(client: httpx.Client, **wish: object) -> JsonObject:
    answer = client.post(PATH, json=wish, timeout=WAIT_S)
    assert answer.status_code == 201, answer.text
    told: JsonObject = answer.json()
    return told


def status(told: JsonObject, authority: str) -> httpx.Response:
    tokens = told["tokens"]
    assert isinstance(tokens, dict)
    headers = {"Authorization": f"Bearer {tokens[authority]}"}
    return httpx.get(f"{told['url']}/v1/field/status", params={"agent_id": "x"}, headers=headers, timeout=WAIT_S)


def test_a_field_is_opened_with_a_token_for_every_authority_and_ends_when_told(served: Served) -> None:
    with served.client() as client:
        told = opened(client)
        assert set(told) == {"id", "url", "mcp_url", "tokens", "expires_at"}
        tokens = told["tokens"]
        assert isinstance(tokens, dict)
        assert set(tokens) == {*(str(number) for number in range(11)), "expired"}
        assert status(told, "expired").status_code == 401
        assert status(told, "4").json()["code"] == "AGENT_NOT_REGISTERED"
        assert client.delete(f"{PATH}/{told['id']}").status_code == 204
        assert client.delete(f"{PATH}/{told['id']}").status_code == 404


def test_the_vault_of_the_examining_server_is_not_touched(served: Served) -> None:
    folder, before = served.reception.settings.folder, served.memory.ledger.head()
    with served.client() as client:
        told = opened(client)
        assert told["url"] != served.url
        client.delete(f"{PATH}/{told['id']}")
    assert served.memory.ledger.head() == before
    assert not (folder / KEYS_FILE).exists()
    assert [path.name for path in folder.glob("*.sqlite")] == ["default.sqlite"]


@each(
    "wish",
    [{"level": 4}, {"level": "3"}, {"replay_limit": 0}, {"enrichment": "perfect"}, {"vault": "/"}, {"type_rules": "x"}],
)
def test_settings_that_are_none_are_refused(served: Served, wish: JsonObject) -> None:
    with served.client() as client:
        answer = client.post(PATH, json=wish)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")


def test_only_a_field_that_is_alone_is_restarted_or_rebuilt(served: Served) -> None:
    with served.client() as client:
        name = opened(client)["id"]
        for what, body in (("restart", {"how": "kill"}), ("rebuild", {})):
            answer = client.post(f"{PATH}/{name}/{what}", json=body)
            assert (answer.status_code, answer.json()["field"]) == (400, "alone")
        assert client.post(f"{PATH}/{name}/enrichment", json={"works": True}).status_code == 400
        assert client.post(f"{PATH}/nobody/restart", json={"how": "kill"}).status_code == 404
        assert client.post(f"{PATH}/{name}/restart", json={"how": "gently"}).status_code == 400
        client.delete(f"{PATH}/{name}")


def test_fields_that_are_set_up_alike_share_a_server_and_see_nothing_of_each_other(served: Served) -> None:
    stage = ExaminedStage(served.url, "http")
    one, two = stage.field(Settings()), stage.field(Settings())
    try:
        message: JsonObject = {"protocol": "akashik", "version": "0.1.0", "id": "m-1", "operation": "REGISTER"}
        message |= {"agent_id": "scout", "session_id": None, "epoch": 0, "payload": {"id": "scout", "role": "r"}}
        assert one.binding("http").send(message, one.token(4)).document["status"] == "registered"
        again: JsonObject = {**message, "id": "m-2"}
        assert two.binding("http").send(again, one.token(4)).document["code"] == "AGENT_ID_TAKEN"
        assert two.binding("http").send(again, two.token(4)).document["status"] == "registered"
    finally:
        one.close()
        two.close()
        stage.close()


def test_a_field_whose_embedder_fails_shares_it_with_nobody(served: Served) -> None:
    with served.client() as client:
        first, second = opened(client, enrichment="failing"), opened(client, enrichment="failing")
        assert first["url"] != second["url"]
        mended = client.post(f"{PATH}/{first['id']}/enrichment", json={"works": True})
        assert (mended.status_code, mended.json()) == (200, first)
        client.delete(f"{PATH}/{first['id']}")
        third = opened(client, enrichment="failing")
        assert third["url"] == first["url"]
        for told in (second, third):
            client.delete(f"{PATH}/{told['id']}")


def test_there_are_never_more_fields_than_a_few(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "FIELDS_MAX", 1)
    with served.client() as client:
        name = opened(client)["id"]
        assert client.post(PATH, json={}).status_code == 429
        client.delete(f"{PATH}/{name}")
        client.delete(f"{PATH}/{opened(client)['id']}")


def test_a_field_ends_by_itself(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "LASTS_S", 0.0)
    made = examination.Examinations(own_model=None)
    monkeypatch.setattr(examination, "LOOK_S", 0.01)
    try:
        told = made.open(Wish())
        keeper = made._keeper
        assert keeper is not None
        assert made._over.wait(0) is False
        _until_gone(made, told.id)
    finally:
        made.close()


def _until_gone(made: examination.Examinations, name: str) -> None:
    for _ in range(3_000):
        if name not in made._fields:
            return
        made._over.wait(0.02)
    raise AssertionError("the field is still there")


def test_examined_servers_end_with_the_server_that_started_them(tmp_path: Path) -> None:
    with serving(settings_for(tmp_path / "vault")) as served, served.client() as client:
        told = opened(client)
        assert status(told, "4").status_code == 400
    with pytest.raises(httpx.ConnectError):
        status(told, "4")


def test_where_keys_are_asked_for_it_takes_the_grant_admin(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    Memory.open(vault, embedder=None).close()
    wish = KeyWish(name="plain", actor="plain", grants=(Grant.READ, Grant.WRITE, Grant.REVIEW, Grant.AUDIT))
    _, plain = keys.create(vault, wish, now=system_now())
    with serving(settings_for(vault)) as served:
        with served.client() as nobody, served.client(plain) as holder:
            assert nobody.post(PATH, json={}).status_code == 401
            assert holder.post(PATH, json={}).status_code == 403
            assert holder.delete(f"{PATH}/x").status_code == 403
        with served.client(served.key(KeyWish.everything("ana"))) as admin:
            assert admin.post(PATH, json={"level": 9}).status_code == 400


@pytest.mark.parametrize("said", [{"examination": False}, {"host": "0.0.0.0"}])
def test_it_is_not_offered_to_other_machines_or_against_the_settings(tmp_path: Path, said: JsonObject) -> None:
    vault = tmp_path / "vault"
    Memory.open(vault, embedder=None).close()
    keys.create(vault, KeyWish.everything("ana"), now=system_now())
    reception = Reception(settings_for(vault, **said))
    try:
        assert examination.routes(reception) == []
    finally:
        reception.close()
