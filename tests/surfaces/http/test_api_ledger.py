"""The ledger and the receipts over the native surface: links that a browser can hash, lists that lead back in time."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.operations.desk import Caller, Desk, opened
from tests.surfaces.http.conftest import Served

from muniment import AsyncClient, Client
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


def pages(caller: Caller, path: str, **query: str) -> list[dict[str, object]]:
    """Every page of a list, by following `next`."""
    found: list[dict[str, object]] = []
    cursor: str | None = None
    while len(found) < 50:
        answer = caller.get(path, params={**query, **({"cursor": cursor} if cursor else {})})
        assert answer.status_code == 200, answer.text
        found.append(answer.json())
        cursor = answer.json()["next"]
        if cursor is None:
            return found
    raise AssertionError("the list has no end")


def test_the_chain_can_be_hashed_again_page_by_page(desk: Desk) -> None:
    for number in range(5):
        desk.memory.remember(f"Build {number} took {number} minutes")
    last = "00" * 32
    bodies = 0

    for page in pages(desk.caller(), "/api/ledger/chain", limit="3"):
        assert page["previous"] == last
        for link in page["links"]:  # type: ignore[attr-defined]  # JSON
            if link["body"] is not None:
                bodies += 1
                content = b"muniment entry 1\x00" + bytes.fromhex(last) + link["body"].encode()
                assert link["hash"] == hashlib.sha256(content).hexdigest()
            last = link["hash"]

    head = desk.memory.ledger.head()
    assert (last, bodies) == (head.hash.hex(), head.seq - 1)


def test_a_stretch_of_the_chain_begins_with_the_hash_before_it(desk: Desk) -> None:
    for number in range(5):
        desk.memory.remember(f"Build {number} took {number} minutes")
    links = desk.memory.ledger.chain()

    answer = desk.caller().get("/api/ledger/chain", params={"first": "4", "last": "5"}).json()

    assert (answer["previous"], answer["next"]) == (links[2].hash, None)
    assert [(one["seq"], one["hash"]) for one in answer["links"]] == [(4, links[3].hash), (5, links[4].hash)]


def test_checkpoints_are_listed_the_last_one_first(desk: Desk) -> None:
    signed = []
    for number in range(3):
        desk.memory.remember(f"Build {number} took {number} minutes")
        signed.append(desk.memory.ledger.checkpoint().checkpoint.seq)

    found = pages(desk.caller(), "/api/ledger/checkpoints", limit="2")
    before = desk.caller().get("/api/ledger/checkpoints", params={"before": str(signed[1])}).json()

    told = [[one["checkpoint"]["seq"] for one in page["checkpoints"]] for page in found]  # type: ignore[attr-defined]
    assert told == [[signed[2], signed[1]], [signed[0]]]
    assert [one["checkpoint"]["seq"] for one in before["checkpoints"]] == [signed[0]]


def test_keys_are_told_as_text_that_other_tools_read(desk: Desk) -> None:
    (only,) = desk.caller().get("/api/ledger/keys").json()["keys"]

    assert only.keys() == {"key", "pem", "since"}
    assert (only["since"], len(only["key"])) == (1, 64)
    assert only["pem"].startswith("-----BEGIN PUBLIC KEY-----\n")


@pytest.mark.parametrize("newest", [False, True])
def test_receipts_are_listed_from_either_end(desk: Desk, newest: bool) -> None:
    names = [desk.memory.recall("the mill").receipt_id for _ in range(7)]

    said = {"newest": "true"} if newest else {}
    whole = pages(desk.caller(), "/api/receipts", limit="3", **said)
    part = pages(desk.caller(), "/api/receipts", limit="2", first="2", last="4", **said)

    def told(found: list[dict[str, object]]) -> list[list[str]]:
        return [[one["entry"]["id"] for one in page["receipts"]] for page in found]  # type: ignore[attr-defined]

    rising = names[::-1] if newest else names
    assert told(whole) == [rising[:3], rising[3:6], rising[6:]]
    middle = names[1:4][::-1] if newest else names[1:4]
    assert told(part) == [middle[:2], middle[2:]]


def test_a_cursor_of_one_order_is_none_of_the_other(desk: Desk) -> None:
    for _ in range(3):
        desk.memory.recall("the mill")
    cursor = desk.caller().get("/api/receipts", params={"limit": "1", "newest": "true"}).json()["next"]

    answer = desk.caller().get("/api/receipts", params={"limit": "1", "cursor": cursor})

    assert (answer.status_code, answer.json()["field"]) == (409, "cursor")


def test_a_record_lists_the_receipts_by_which_it_was_told(desk: Desk) -> None:
    mill = desk.memory.remember("The mill stands still").record_id
    names = [desk.memory.recall("the mill", floor=0.0).receipt_id for _ in range(3)]

    found = pages(desk.caller(), f"/api/records/{mill}/receipts", limit="2")

    told = [one for page in found for one in page["receipts"]]  # type: ignore[attr-defined]
    assert [one["receipt_id"] for one in told] == names[::-1]
    assert told[0].keys() == {"receipt_id", "at", "actor", "purpose", "revision", "rank", "score"}
    assert [(page["looked"], page["of"], page["before"]) for page in found] == [(2, 3, 2), (3, 3, None)]


def test_receipts_of_a_record_that_is_not_there_are_not_found(desk: Desk) -> None:
    answer = desk.caller().get("/api/records/rec_nothing/receipts")

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "path",
    [
        "/api/ledger/chain",
        "/api/ledger/checkpoints",
        "/api/ledger/keys",
        "/api/receipts",
        "/api/records/rec_nothing/receipts",
    ],
)
def test_a_key_that_may_not_audit_reads_none_of_it(desk: Desk, path: str) -> None:
    desk.caller(KeyRequest.everything("ana"))
    by_key = desk.caller(KeyRequest(name="one", actor="owner", grants=(Grant.READ,))).get(path)
    by_policy = desk.caller(KeyRequest(name="two", actor="scout", grants=tuple(Grant))).get(path)

    assert (by_key.status_code, by_key.json()["code"]) == (403, "not_permitted")
    assert (by_policy.status_code, by_policy.json()["code"]) == (403, "not_permitted")


def test_a_client_is_told_what_the_embedded_memory_tells(served: Served) -> None:
    memory = served.memory
    mill = memory.remember("The mill stands still").record_id or ""
    for _ in range(3):
        memory.recall("the mill", floor=0.0)
    signed = [memory.ledger.checkpoint()]
    memory.remember("Carts arrive on Mondays")
    signed.append(memory.ledger.checkpoint())

    with Client(served.url) as client:
        assert client.ledger.checkpoints() == tuple(reversed(signed))
        assert client.ledger.checkpoints(before=signed[1].checkpoint.seq) == (signed[0],)
        assert client.ledger.checkpoints(limit=1) == (signed[1],)
        assert client.ledger.keys() == memory.ledger.keys()
        assert client.ledger.chain(2, 3) == memory.ledger.chain(2, 3)
        newest = [entry.seq for entry, _ in client.ledger.receipts(newest=True)]
        assert newest == [3, 2, 1]
        assert client.insight.receipts_of(mill, limit=2) == memory.insight.receipts_of(mill, limit=2)
        assert client.insight.receipts_of(mill, before=2) == memory.insight.receipts_of(mill, before=2)


async def _told(url: str, mill: str) -> tuple[object, ...]:
    async with AsyncClient(url) as client:
        receipts = [entry.seq async for entry, _ in client.ledger.receipts(newest=True)]
        told = await client.insight.receipts_of(mill)
        return (*[await one for one in (client.ledger.keys(), client.ledger.chain())], receipts, told)


def test_an_async_client_is_told_the_same(served: Served) -> None:
    mill = served.memory.remember("The mill stands still").record_id or ""
    served.memory.recall("the mill", floor=0.0)
    keys, chain, receipts, told = asyncio.run(_told(served.url, mill))

    assert (keys, chain) == (served.memory.ledger.keys(), served.memory.ledger.chain())
    assert (receipts, told) == ([1], served.memory.insight.receipts_of(mill))
