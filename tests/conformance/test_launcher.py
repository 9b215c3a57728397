"""The launcher of our servers: the Fields it opens, what it refuses, and that nothing outlives it."""

from __future__ import annotations

import httpx
import pytest
from tests.conformance.conftest import LAUNCH
from tests.patience import WAIT_S

from akashik_conformance.binding import Json, JsonObject, Settings, Unobservable
from akashik_conformance.servers import LaunchedStage, Launcher


def opened(launcher: Launcher, **settings: Json) -> JsonObject:
    return launcher.ask("open", settings=settings)


def status(told: JsonObject, authority: str) -> httpx.Response:
    tokens = told["tokens"]
    assert isinstance(tokens, dict)
    headers = {"Authorization": f"Bearer {tokens[authority]}"}
    return httpx.get(f"{told['url']}/v1/field/status", params={"agent_id": "x"}, headers=headers, timeout=WAIT_S)


def test_a_field_has_a_token_for_every_authority_and_ends_when_told(launcher: Launcher) -> None:
    told = opened(launcher)
    tokens = told["tokens"]
    assert isinstance(tokens, dict)
    assert set(tokens) == {*(str(number) for number in range(11)), "expired", "unknown"}
    assert (status(told, "expired").status_code, status(told, "unknown").status_code) == (401, 401)
    assert status(told, "4").json()["code"] == "AGENT_NOT_REGISTERED"
    launcher.ask("close", id=told["id"])
    with pytest.raises(Unobservable):
        launcher.ask("close", id=told["id"])


@pytest.mark.parametrize(
    "wish",
    [{"level": 4}, {"level": "3"}, {"replay_limit": 0}, {"enrichment": "perfect"}, {"vault": "/"}, {"type_rules": "x"}],
)
def test_settings_that_are_none_are_refused(launcher: Launcher, wish: JsonObject) -> None:
    with pytest.raises(Unobservable, match="the launcher did not open"):
        opened(launcher, **wish)


def test_only_a_field_that_is_alone_is_restarted_or_rebuilt(launcher: Launcher) -> None:
    name = opened(launcher)["id"]
    for what in ("restart", "rebuild"):
        with pytest.raises(Unobservable, match="alone"):
            launcher.ask(what, id=name)
    launcher.ask("close", id=name)


def test_fields_with_the_same_settings_share_a_server_and_see_nothing_of_each_other(launcher: Launcher) -> None:
    stage = LaunchedStage(launcher, "http")
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


def test_a_field_whose_embedder_fails_shares_its_server_with_nobody(launcher: Launcher) -> None:
    first, second = opened(launcher, enrichment="failing"), opened(launcher, enrichment="failing")
    assert first["url"] != second["url"]
    assert launcher.ask("heal", id=first["id"]) == first
    launcher.ask("close", id=first["id"])
    third = opened(launcher, enrichment="failing")
    assert third["url"] == first["url"]
    for told in (second, third):
        launcher.ask("close", id=told["id"])


def test_servers_end_with_their_launcher_even_if_it_is_killed() -> None:
    for end in (Launcher.close, lambda launcher: launcher._process.kill()):
        launcher = Launcher(LAUNCH.split())
        told = opened(launcher)
        assert status(told, "4").status_code == 400
        end(launcher)
        gone(told)
        launcher.close()


def gone(told: JsonObject) -> None:
    """The server ends soon after its input closed."""
    for _ in range(int(WAIT_S * 20)):
        try:
            status(told, "4")
        except httpx.HTTPError:
            return
    raise AssertionError("the server still answers")


def test_a_server_of_another_kind_is_not_taken_for_ours(launcher: Launcher, address: str) -> None:
    assert launcher.knows(address)
    assert not launcher.knows("http://127.0.0.1:9")
