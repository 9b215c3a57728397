"""Reading over the native surface: the engine's own answers, as its caller may see them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.operations.desk import Desk, opened

from muniment.engine import (
    Curated,
    Directory,
    EntityView,
    Foreseen,
    History,
    LineageView,
    Quality,
    Stats,
    VerificationResult,
)
from muniment.model.entry import LedgerHead, SignedCheckpoint
from muniment.model.query import Disclosure, Searched
from muniment.model.recall import Recall
from muniment.model.receipt import Explanation
from muniment.model.value import Value
from muniment.operations import OPERATIONS
from muniment.operations.wire import shape_of
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


def remembered(desk: Desk, content: str, **words: object) -> str:
    answer = desk.caller().post(
        "/api/memories", json={"content": content, "kind": "fact", "evidence": ["t:1"], **words}
    )
    record: str = answer.json()["record_id"]
    return record


def asked(desk: Desk, path: str, kind: type[Value], **query: str) -> Value:
    answer = desk.caller().get(path, params=query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    return shape_of(kind).read(answer.content)


def test_every_look_is_the_engines_own_answer(desk: Desk) -> None:
    ground = remembered(desk, "The staging database moved to eu-west-2")
    record = remembered(desk, "Staging deploys take 9 minutes since then", derived_from=[ground])
    memory = desk.memory
    proposal = memory.get(record).record.proposal

    assert asked(desk, f"/api/records/{record}", Disclosure) == memory.get(record)
    assert asked(desk, f"/api/records/{record}/history", History) == memory.history(record)
    assert asked(desk, f"/api/records/{record}/lineage", LineageView, direction="up") == memory.insight.lineage(
        record, direction="up"
    )
    assert asked(desk, f"/api/records/{record}/lineage", LineageView, limit="1") == memory.insight.lineage(
        record, limit=1
    )
    assert asked(desk, f"/api/records/{ground}/foresight", Foreseen) == memory.insight.foresee(ground)
    assert asked(desk, f"/api/records/{ground}/foresight", Foreseen, becomes="archived") == memory.insight.foresee(
        ground, becomes="archived"
    )
    assert asked(desk, f"/api/proposals/{proposal}", Curated) == memory.review.report(proposal)
    assert asked(desk, "/api/entities", EntityView, name="eu-west-2") == memory.insight.entity("eu-west-2")
    assert asked(desk, "/api/quality", Quality, namespace="/") == memory.insight.quality(namespace="/")
    assert asked(desk, "/api/searching", Searched) == memory.insight.searching()
    assert asked(desk, "/api/ledger/head", LedgerHead) == memory.ledger.head()
    found = asked(desk, "/api/stats", Stats)
    assert isinstance(found, Stats)
    assert (found.current, found.revisions) == (2, {"active": 2})


def test_the_directory_is_the_engines_own(desk: Desk) -> None:
    remembered(desk, "The staging database moved to eu-west-2", namespace="/ops")
    memory = desk.memory

    answer = desk.caller().get("/api/directory", params={"about": "staging"}).json()

    whole = memory.insight.directory("staging")
    assert isinstance(whole, Directory)
    assert [one["actor"] for one in answer["knowers"]] == [one.actor for one in whole.knowers] == ["owner"]
    assert desk.caller().get("/api/namespaces").json() == {"namespaces": ["/ops"]}


def test_a_question_is_answered_with_a_receipt_that_explains_it(desk: Desk) -> None:
    record = remembered(desk, "The staging database moved to eu-west-2")
    client = desk.caller()

    told = shape_of(Recall).read(client.post("/api/recall", json={"query": "where is staging?", "limit": 3}).content)
    explained = asked(desk, f"/api/receipts/{told.receipt_id}", Explanation, replay="true")

    assert [one.record.id for one in told.records] == [record]
    assert isinstance(explained, Explanation)
    assert (explained.same_ids, explained.replayed, explained.again) == (True, True, (record,))
    assert explained.account.query.text == "where is staging?"


def test_a_caller_is_told_what_it_should_know(desk: Desk) -> None:
    record = remembered(desk, "The staging database moved to eu-west-2")

    told = desk.caller().post("/api/attune", json={"role": "database engineer", "interests": ["staging"]})

    assert [one["record"]["id"] for one in told.json()["records"]] == [record]


def test_what_the_caller_has_already_is_not_told_again(desk: Desk) -> None:
    record = remembered(desk, "The staging database moved to eu-west-2")
    client = desk.caller()
    first = client.get(f"/api/records/{record}")
    tag = first.headers["etag"]

    same = client.get(f"/api/records/{record}", headers={"If-None-Match": f'"other", W/{tag}'})
    desk.memory.review.outcome(record, "helpful")
    moved = client.get(f"/api/records/{record}", headers={"If-None-Match": tag})

    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert moved.status_code == 200
    assert moved.headers["etag"] != tag
    assert moved.headers["cache-control"] == "private, no-cache"


def test_head_tells_the_tag_without_the_record(desk: Desk) -> None:
    record = remembered(desk, "The staging database moved to eu-west-2")
    client = desk.caller()

    answer = client.request("HEAD", f"/api/records/{record}")

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["etag"] == client.get(f"/api/records/{record}").headers["etag"]


def test_the_ledger_is_verified_signed_and_rebuilt(desk: Desk) -> None:
    remembered(desk, "The staging database moved to eu-west-2")
    client = desk.caller()
    head = client.get("/api/ledger/head").json()

    sound = shape_of(VerificationResult).read(client.post("/api/ledger/verification", json={"anchor": head}).content)
    altered = client.post("/api/ledger/verification", json={"anchor": {**head, "hash": "00" * 32}})
    signed = shape_of(SignedCheckpoint).read(client.post("/api/ledger/checkpoints").content)
    rebuilt = client.post("/api/ledger/replay")

    assert (sound.ok, sound.findings) == (True, ())
    assert [one["code"] for one in altered.json()["findings"]] == ["head_differs"]
    assert signed.checkpoint.head == head["hash"]
    assert rebuilt.json() == {"entries": head["seq"], "identical": True}


def test_the_caller_learns_who_it_is(desk: Desk) -> None:
    planner = desk.caller(KeyRequest(name="planner", actor="planner", authority=5, grants=(Grant.READ,)))

    answer = planner.get("/api/caller").json()

    assert (answer["actor"]["id"], answer["actor"]["authority"], answer["grants"]) == ("planner", 5, ["read"])
    assert (answer["tenant"], len(answer["credential"])) == ("default", 16)


def test_the_index_lists_what_there_is(desk: Desk) -> None:
    listed = desk.caller().get("/api").json()["operations"]

    assert {"name": "history", "verb": "GET", "path": "/api/records/{record_id}/history"}.items() <= next(
        one for one in listed if one["name"] == "history"
    ).items()
    assert [one["name"] for one in listed] == [one.name for one in OPERATIONS]


def test_what_is_looked_for_at_another_place_is_there_too(desk: Desk) -> None:
    client = desk.caller()
    made = [client.post(path, json={"content": f"Told at {path}"}) for path in ("/api/records", "/api/remember")]
    put = client.post("/api/propose", json={"claim": {"content": "Put forward"}})
    record = made[0].json()["record_id"]
    receipt = client.post("/api/recall", json={"query": "told"}).json()["receipt_id"]

    assert [one.status_code for one in (*made, put)] == [201, 201, 201]
    for other, path in [
        ("/api/queue", "/api/proposals"),
        (f"/api/history/{record}", f"/api/records/{record}/history"),
        (f"/api/lineage/{record}", f"/api/records/{record}/lineage"),
        (f"/api/explain/{receipt}", f"/api/receipts/{receipt}"),
        ("/api/ledger", "/api/ledger/entries"),
    ]:
        assert client.get(other).content == client.get(path).content, other
