"""One memory per user over the wire: the same words as at home, and the same wall."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import pytest
from tests.surfaces.http.conftest import Served

from muniment import AsyncClient, Client, Malformed, NotFound

ANA, BO = "ana@example.com", "王伟"


def test_a_client_keeps_users_apart(served: Served) -> None:
    with Client(served.url) as client:
        kept = client.remember("Takes the 7:40 train", user=ANA).record_id
        client.for_user(BO).remember("Drives to work")
        client.remember("The office is in Porto")
        assert kept is not None

        ana, bo = client.for_user(ANA), client.for_user(BO)
        assert [one.record.content for one in client.recall("train to work", user=ANA).records] == [
            "Takes the 7:40 train"
        ]
        assert [one.record.content for one in bo.insight.browse()] == ["Drives to work"]
        assert [one.record.content for one in client.insight.browse(user=BO)] == ["Drives to work"]
        assert [one.record.content for one in client.recall("train work office").records] == ["The office is in Porto"]
        assert ana.revise(kept, "Takes the 8:10 train").revision == 2
        assert client.revise(kept, "Takes the 9:10 train", user=ANA).revision == 3
        assert len(ana.history(kept).revisions) == 3
        for ask in (bo.get, bo.history, bo.insight.lineage):
            with pytest.raises(NotFound):
                ask(kept)
        with pytest.raises(NotFound):
            bo.explain(ana.recall("train").receipt_id)
        with pytest.raises(Malformed):
            ana.for_user(BO)

        done = client.forget(user=ANA)
        assert len(done.plan.nodes) == 1
        assert list(ana.insight.browse()) == []
        assert len(list(bo.insight.browse())) == 1


def test_an_async_client_does_too(served: Served) -> None:
    async def story() -> list[str]:
        async with AsyncClient(served.url) as client:
            await client.remember("Plays the cello", user=ANA)
            bo = client.for_user(BO)
            await bo.remember("Plays the oboe")
            found = await bo.attune(interests=["music", "plays"])
            return [one.record.content for one in found.records]

    assert asyncio.run(story()) == ["Plays the oboe"]


def test_a_header_makes_any_request_one_for_a_user(served: Served) -> None:
    with served.client() as client:
        head = {"Muniment-User": quote(BO)}
        said = client.post("/api/records", json={"content": "Plays the oboe"}, headers=head)
        record = said.json()["record_id"]
        assert (
            client.get(f"/api/records/{record}", headers=head).json()["record"]["claim"]["content"] == "Plays the oboe"
        )
        other = client.get(f"/api/records/{record}", headers={"Muniment-User": quote(ANA)})
        assert (other.status_code, other.json()["code"]) == (404, "not_found")
        assert client.get("/api/records", params={"user": ANA}).json()["records"] == []
        wrong = client.get("/api/records", headers={"Muniment-User": ""})
        assert (wrong.json()["code"], wrong.json()["field"]) == ("malformed", "user")


def test_one_key_of_a_request_means_one_user(served: Served) -> None:
    """The same key under another user is another request, and is told nothing of the first."""
    with served.client() as client:
        ask = {"content": "Plays the oboe"}
        first = client.post("/api/records", json=ask, headers={"Muniment-User": "a", "Idempotency-Key": "k"}).json()
        other = client.post("/api/records", json=ask, headers={"Muniment-User": "b", "Idempotency-Key": "k"}).json()
        assert first["record_id"] != other["record_id"]
