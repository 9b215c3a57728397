"""What a client is told before it decides, and the disagreements of one record: as the embedded memory tells it."""

from __future__ import annotations

import asyncio

import pytest
from tests.surfaces.http.conftest import Served

from muniment import AsyncClient, Client
from muniment.model.errors import NotFound, Undecided


def test_a_client_rehearses_and_changes_nothing(served: Served) -> None:
    held = served.memory.as_actor("planner").remember("Deploy on Mondays", kind="decision").proposal_id
    first = served.memory.remember("The office is in Berlin").record_id or ""
    second = served.memory.remember("The office is in Madrid", relations=[("contradicts", first)])
    conflict = second.conflict_ids[0]
    head = served.memory.ledger.head()

    with Client(served.url) as client:
        assert client.review.decide(held, accept=True, reason="agreed", dry_run=True).committed
        settled = client.review.resolve(conflict, strategy="last_write_wins", rationale="newer", dry_run=True)
        assert (settled.status, settled.winner) == ("resolved", second.record_id)
        with pytest.raises(Undecided):
            client.review.resolve(conflict, strategy="confidence_weighted", rationale="surer", dry_run=True)
        assert served.memory.ledger.head() == head
        assert client.review.decide(held, accept=True, reason="agreed").committed


def test_a_client_asks_for_the_disagreements_of_a_record_and_for_one(served: Served) -> None:
    memory = served.memory
    first = memory.remember("The office is in Berlin").record_id or ""
    for town in ("Madrid", "Oslo", "Paris"):
        memory.remember(f"They say it is in {town}", relations=[("contradicts", first)])
    other = memory.remember("The canteen is closed").record_id or ""
    whole = memory.review.conflicts()

    with Client(served.url) as client:
        assert client.review.conflicts(record_id=first) == whole
        assert client.review.conflicts(record_id=other) == ()
        assert client.review.conflicts(limit=2) == whole[:2]
        assert client.review.conflicts(status="resolved") == ()
        assert client.review.conflict(whole[1].id) == whole[1]
        with pytest.raises(NotFound):
            client.review.conflict("cfl_absent")
        assert "accept" in client.caller().may


def test_an_async_client_does_the_same(served: Served) -> None:
    first = served.memory.remember("The office is in Berlin").record_id or ""
    second = served.memory.remember("The office is in Madrid", relations=[("contradicts", first)])
    (view,) = served.memory.review.conflicts()

    async def told() -> None:
        async with AsyncClient(served.url) as client:
            assert await client.review.conflict(view.id) == view
            assert await client.review.conflicts(record_id=first, status="detected", limit=1) == (view,)
            seen = await client.review.resolve(view.id, strategy="last_write_wins", rationale="newer", dry_run=True)
            assert (seen.winner, seen.superseded) == (second.record_id, (first,))

    asyncio.run(told())
    assert served.memory.review.conflicts() == (view,)
