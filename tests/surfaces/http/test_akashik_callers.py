"""Who may do what over HTTP: credentials, grants, the names one may speak for, and views that show no more."""

from __future__ import annotations

from pathlib import Path

import httpx
import msgspec
import pytest
from tests.surfaces.http.agents import answered, attuned, contradicting, message, record, register, sent, unit
from tests.surfaces.http.conftest import Served, serving, settings_for

from muniment import Memory
from muniment.contracts.akashik.codes import ErrorCode
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import JsonObject
from muniment.surfaces.http.akashik_answers import GRANTS, STATUS, grant_of
from muniment.surfaces.reception.denials import denied_calls
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant

Keyed = tuple[Served, str]
VIEWS = ("/v1/field/status", "/v1/agents", "/v1/conflicts", "/v1/x/work")


def refused(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


@pytest.mark.parametrize("key", [None, "mnk_aaaaaaaaaaaa_" + "A" * 43, "nonsense"])
def test_nothing_is_open_to_strangers(keyed: Keyed, key: str | None) -> None:
    with keyed[0].client(key) as client:
        answers = [sent(client, message(operation, "ana", {})) for operation in FieldOperation]
        answers += [client.get(path) for path in (*VIEWS, "/v1/events")]
        answers += [client.post(path, json={}) for path in ("/v1/x/retract", "/v1/x/fail", "/v1/stream/ticket")]
    assert {refused(one) for one in answers} == {(401, "UNAUTHENTICATED")}
    assert all(one.headers["www-authenticate"].startswith("Bearer") for one in answers)


def test_a_key_speaks_for_the_agents_it_names_and_no_other(keyed: Keyed) -> None:
    served, _ = keyed
    wish = KeyRequest(name="scouts", actor="ben", authority=4, agents=("ben-1",))
    with served.client(served.key(wish)) as client:
        register(client, "ben", "ben-1")
        response = sent(client, message("REGISTER", "eve", {"id": "eve", "role": "scout"}))
    assert refused(response) == (401, "UNAUTHENTICATED")


def test_an_agent_of_one_credential_is_not_to_be_used_by_another(keyed: Keyed) -> None:
    served, _ = keyed
    keys = [served.key(KeyRequest(name=name, actor=name, authority=4)) for name in ("ben", "eve")]
    with served.client(keys[0]) as client:
        register(client, "ben")
    with served.client(keys[1]) as client:
        assert refused(sent(client, message("RECORD", "ben", unit("forged")))) == (401, "UNAUTHENTICATED")
        assert refused(client.get("/v1/agents", params={"agent_id": "ben"})) == (401, "UNAUTHENTICATED")
        assert refused(client.get("/v1/events", params={"agent_id": "ben"})) == (401, "UNAUTHENTICATED")
        assert refused(client.post("/v1/stream/ticket", json={"agent_id": "ben"})) == (401, "UNAUTHENTICATED")
        assert client.post("/v1/stream/ticket", json={"agent_id": "eve"}).status_code == 200


def test_what_can_be_got_can_be_asked_for_its_head(served: Served) -> None:
    with served.client() as client:
        register(client, "ana")
        for path in VIEWS:
            asked, got = client.head(path, params={"agent_id": "ana"}), client.get(path, params={"agent_id": "ana"})
            assert (asked.status_code, asked.content, got.status_code) == (200, b"", 200)
            assert asked.headers["content-type"] == got.headers["content-type"]


def test_a_key_that_is_good_for_reading_does_not_write(keyed: Keyed) -> None:
    served, _ = keyed
    key = served.key(KeyRequest(name="reader", actor="ben", authority=10, grants=(Grant.READ,)))
    with served.client(key) as client:
        register(client, "ben")
        assert refused(sent(client, message("RECORD", "ben", unit("x")))) == (403, "INSUFFICIENT_AUTHORITY")
        assert answered(client, message("DETECT", "ben", {"mode": "list"}))["conflicts"] == []
        assert refused(sent(client, message("DETECT", "ben", {"mode": "scan"}))) == (403, "INSUFFICIENT_AUTHORITY")


def test_a_key_of_too_little_authority_is_refused_by_the_field(keyed: Keyed) -> None:
    served, _ = keyed
    with served.client(served.key(KeyRequest(name="observer", actor="ben", authority=2))) as client:
        register(client, "ben")
        assert refused(sent(client, message("RECORD", "ben", unit("x")))) == (403, "INSUFFICIENT_AUTHORITY")


def test_everybody_who_is_turned_away_is_on_record(vault: Path, keyed: Keyed) -> None:
    with serving(settings_for(vault)) as served:
        key = served.key(KeyRequest(name="reader", actor="ben", authority=10, grants=(Grant.READ,)))
        with served.client() as stranger, served.client(key) as client:
            stranger.get("/v1/agents")
            register(client, "ben")
            sent(client, message("RECORD", "ben", unit("x")))
            sent(client, message("REGISTER", "eve", {"id": "eve", "role": "scout"}))
            client.get("/v1/events", params={"agent_id": "eve"})
    with Memory.open(vault) as memory:
        found = [(one.who, one.what, one.code) for one in denied_calls(memory)]
    assert found == [
        (None, "GET /v1/agents", "unauthenticated"),
        ("ben", "POST /v1/record", "not_permitted"),
        ("ben", "POST /v1/register", "unauthenticated"),
        ("ben", "GET /v1/events", "unauthenticated"),
    ]


def test_every_operation_and_every_code_is_in_its_table() -> None:
    assert GRANTS.keys() == set(FieldOperation)
    assert STATUS.keys() == set(ErrorCode)
    listing: JsonObject = {"mode": "list"}
    assert (grant_of(FieldOperation.DETECT, listing), grant_of(FieldOperation.DETECT, {"mode": "scan"})) == (
        Grant.READ,
        Grant.WRITE,
    )


def test_the_views_tell_who_is_there_and_where_the_field_stands(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben")
        last = answered(client, message("RECORD", "ana", unit("The bridge holds")))["epoch"]

        status = client.get("/v1/field/status", params={"agent_id": "ana"}).json()
        agents = client.get("/v1/agents", headers={"Akashik-Agent": "ana"}).json()

    assert (status["epoch"], status["conformance_level"]) == (last, 3)
    assert [one["id"] for one in agents["agents"]] == ["ana", "ben"]


def test_conflicts_are_filtered_by_what_the_query_says(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben")
        first = record(client, "ana", "The bridge holds")
        second = answered(client, message("RECORD", "ben", contradicting(first, "The bridge has fallen")))
        (conflict,) = msgspec.convert(second["conflicts_detected"], list[str])

        def listed(**query: str) -> list[str]:
            response = client.get("/v1/conflicts", params={"agent_id": "ana", **query})
            assert response.status_code == 200, response.text
            return [one["id"] for one in response.json()["conflicts"]]

        assert listed() == [conflict]
        assert listed(status="detected", involving_agent="ben") == [conflict]
        assert listed(status="resolved") == []
        assert listed(involving_agent="eve") == []


def test_a_query_that_is_not_understood_is_refused(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben")
        for query in ("unknown=1", "agent_id=ana&agent_id=ben", "agent_id=", "status=odd", "type=odd"):
            assert refused(client.get(f"/v1/conflicts?{query}")) == (400, "INVALID_PAYLOAD")


def test_a_unit_is_withdrawn_by_its_author(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben")
        gone = record(client, "ana", "The bridge holds")
        body = {"agent_id": "ana", "memory_unit_id": gone, "reason": "I misread the sign"}

        elsewhere = {"Akashik-Session": "no-such-session"}
        assert client.post("/v1/x/retract", json=body, headers=elsewhere).status_code != 200
        assert client.post("/v1/x/retract", json=body).status_code == 200

        assert attuned(client, "ben") == {}
        assert refused(client.post("/v1/x/retract", json=body | {"memory_unit_id": "none"})) == (404, "UNIT_NOT_FOUND")
        assert refused(client.post("/v1/x/retract", json={"agent_id": "ana"})) == (400, "INVALID_PAYLOAD")
        assert refused(client.post("/v1/x/retract", json=body | {"more": 1})) == (400, "INVALID_PAYLOAD")


def test_a_payload_without_envelope_is_taken_with_headers(served: Served) -> None:
    headers = {"Akashik-Agent": "ana", "Akashik-Message-Id": "m-bare", "Akashik-Epoch": "0"}
    with served.client() as client:
        assert client.post("/v1/register", json={"id": "ana", "role": "scout"}, headers=headers).status_code == 200
        headers["Akashik-Message-Id"] = "m-unit"
        first = client.post("/v1/record", json=unit("The bell rang"), headers=headers)
        again = client.post("/v1/record", json=unit("The bell rang"), headers=headers)

        assert first.status_code == 200
        assert again.json() == first.json()
        odd = headers | {"Akashik-Epoch": "-1"}
        assert refused(client.post("/v1/record", json=unit("x"), headers=odd)) == (400, "INVALID_PAYLOAD")
        assert refused(client.post("/v1/record", json=unit("x"))) == (400, "INVALID_ENVELOPE")


def test_an_agent_that_failed_says_so_and_comes_back_by_registering(vault: Path) -> None:
    with serving(settings_for(vault)) as served, served.client() as client:
        register(client, "ana")
        body: JsonObject = {"agent_id": "ana", "reason": "out of memory"}
        failed = client.post("/v1/x/fail", json=body)
        assert (failed.status_code, failed.json()["status"]) == (200, "failed")
        assert refused(sent(client, message("RECORD", "ana", unit("It rains")))) == (409, "INVALID_TRANSITION")
        assert refused(client.post("/v1/x/fail", json=body)) == (409, "INVALID_TRANSITION")
        register(client, "ana")
        assert sent(client, message("RECORD", "ana", unit("It rains"))).status_code == 200
        assert refused(client.post("/v1/x/fail", json=body | {"more": 1})) == (400, "INVALID_PAYLOAD")
        assert refused(client.post("/v1/x/fail", json={"agent_id": "ana", "reason": " "})) == (400, "INVALID_PAYLOAD")
        assert refused(client.post("/v1/x/fail", json=body | {"failed_agent_id": "ghost"})) == (
            400,
            "AGENT_NOT_REGISTERED",
        )


def test_a_header_that_can_name_no_agent_is_refused(served: Served) -> None:
    with served.client() as client:
        for name in ("späher".encode(), b"a b", b"\xff", b"a" * 129):
            body = {"id": name.decode("latin-1"), "role": "scout"}
            assert refused(client.post("/v1/register", json=body, headers=[(b"akashik-agent", name)])) == (
                400,
                "INVALID_PAYLOAD",
            )
