"""Erasing, holding, withdrawing and keeping apart over HTTP: what is told, to whom, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.operations.desk import Desk, opened

from muniment.model.vocabulary import ActorType
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant

WORDS = "Ottoline Quillfeather moved to Marmalade Lane"


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


def kept(desk: Desk, content: str = WORDS, **said: object) -> str:
    answer = desk.caller().post("/api/memories", json={"content": content, "confidence": 0.9, **said})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["record_id"])


def test_a_subject_is_erased_as_it_was_planned(desk: Desk) -> None:
    first = kept(desk)
    derived = kept(desk, "Deliveries go to Marmalade Lane", derived_from=[first])
    wish = {"subject": "Ottoline Quillfeather", "reason": "ticket:PRIV-17", "cascade": "redact"}
    head = desk.memory.ledger.head()

    plan = desk.caller().post("/api/erasures", json={**wish, "dry_run": True}).json()
    unchanged = desk.memory.ledger.head() == head
    done = desk.caller().post("/api/erasures", json={**wish, "expected": plan["plan"]["digest"]}).json()

    assert unchanged
    assert [(one["id"], one["fate"]) for one in plan["plan"]["nodes"]] == [(first, "erased"), (derived, "redacted")]
    assert (plan["verdict"], plan["certificate"], plan["opening"]) == (None, None, None)
    told = done["certificate"]["certificate"]
    assert (told["erased"], told["redacted"], done["scrubbed"]) == ([first], [derived], True)
    assert told["at"].endswith("Z")
    assert desk.caller().get(f"/api/records/{first}").status_code == 404
    assert desk.caller().get("/api/erasures").json() == {"certificates": [done["certificate"]], "next": None}


def test_a_plan_that_is_no_longer_so_is_not_followed(desk: Desk) -> None:
    record = kept(desk)
    digest = desk.memory.forget(record, reason="x", dry_run=True).plan.digest
    desk.memory.revise(record, f"{WORDS} in March")

    by_body = desk.caller().post("/api/erasures", json={"record_id": record, "reason": "x", "expected": digest})
    by_verb = desk.caller().delete(f"/api/records/{record}", params={"reason": "x", "expected": digest})

    assert [(one.status_code, one.json()["code"]) for one in (by_body, by_verb)] == [(409, "stale")] * 2
    assert desk.caller().get(f"/api/records/{record}").status_code == 200


def test_what_reaches_nothing_is_not_found(desk: Desk) -> None:
    kept(desk)
    answer = desk.caller().post("/api/erasures", json={"subject": "Nobody Atall", "reason": "x"})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert desk.memory.erasure.certificates() == ()


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"reason": "x"}, 409, "target"),
        ({"record_id": "rec_1", "subject": "x", "reason": "x"}, 409, "target"),
        ({"record_id": "rec_1"}, 409, "reason"),
        ({"record_id": "a b", "reason": "x"}, 400, "record_id"),
        ({"subject": " ", "reason": "x"}, 400, "subject"),
        ({"subject": "x", "reason": "x", "cascade": "burn"}, 400, "cascade"),
        ({"subject": "x", "reason": "x", "expected": "short"}, 400, "expected"),
        ({"subject": "x", "reason": "x", "tenant": "other"}, 400, "tenant"),
    ],
)
def test_what_is_said_wrongly_is_refused_by_its_field(
    desk: Desk, body: dict[str, object], status: int, field: str
) -> None:
    kept(desk)
    head = desk.memory.ledger.head()
    answer = desk.caller().post("/api/erasures", json=body)
    assert (answer.status_code, answer.json()["field"]) == (status, field)
    assert desk.memory.ledger.head() == head


def test_a_hold_blocks_until_it_is_lifted_and_says_why(desk: Desk) -> None:
    record = kept(desk, source="mail-archive")
    placed = desk.caller().post("/api/holds", json={"source": "mail-archive", "reason": "case 7"})
    blocked = desk.caller().delete(f"/api/records/{record}", params={"reason": "x"})
    listed = desk.caller().get("/api/holds").json()
    lifted = desk.caller().post(f"/api/holds/{placed.json()['id']}/lifting", json={"reason": "closed"})
    again = desk.caller().post(f"/api/holds/{placed.json()['id']}/lifting", json={"reason": "closed"})
    free = desk.caller().delete(f"/api/records/{record}", params={"reason": "x"})

    assert placed.json()["target"] == {"by": "source", "value": "mail-archive"}
    assert (blocked.status_code, blocked.json()["code"]) == (409, "on_hold")
    assert "case 7" in blocked.json()["detail"]
    assert listed == {"holds": [placed.json()], "next": None}
    assert (lifted.status_code, again.status_code, free.status_code) == (200, 404, 200)


def test_holds_come_a_page_at_a_time(desk: Desk) -> None:
    placed = [desk.memory.erasure.hold(subject=f"Person {number}", reason="case").id for number in range(5)]

    told: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = desk.caller().get("/api/holds", params={"limit": "2", **cursor}).json()
        told += [one["id"] for one in page["holds"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}

    assert told == placed


def test_what_is_kept_apart_answers_nobody_until_it_is_released(desk: Desk) -> None:
    record = kept(desk)
    tag = desk.caller().get(f"/api/records/{record}").headers["etag"]

    stale = desk.caller().post(
        f"/api/records/{record}/quarantine", json={"reason": "odd"}, headers={"If-Match": '"r7"'}
    )
    apart = desk.caller().post(f"/api/records/{record}/quarantine", json={"reason": "odd"}, headers={"If-Match": tag})
    listed = desk.caller().get("/api/quarantine").json()
    silent = desk.caller().post("/api/recall", json={"query": "Marmalade Lane"}).json()
    freed = desk.caller().post(f"/api/records/{record}/release", json={"reason": "looked at"})
    spoken = desk.caller().post("/api/recall", json={"query": "Marmalade Lane"}).json()

    assert (stale.status_code, apart.status_code, freed.status_code) == (412, 200, 200)
    assert ([one["record"]["id"] for one in listed["records"]], listed["next"]) == ([record], None)
    assert (silent["records"], [one["record"]["id"] for one in spoken["records"]]) == ([], [record])


def test_what_an_origin_contributed_is_withdrawn_with_the_receipts_that_used_it(desk: Desk) -> None:
    record = kept(desk, source="forum.example")
    receipt = desk.caller().post("/api/recall", json={"query": "Marmalade Lane"}).json()["receipt_id"]
    wish = {"by": "source", "value": "forum.example", "reason": "defaced"}

    plan = desk.caller().post("/api/withdrawals", json={**wish, "dry_run": True}).json()
    standing = desk.caller().get(f"/api/records/{record}").json()["standing"]["status"]
    late = desk.caller().post("/api/withdrawals", json={**wish, "expected": "0" * 64})
    wish["expected"] = plan["digest"]
    done = desk.caller().post("/api/withdrawals", json=wish, headers={"Idempotency-Key": "k"})
    again = desk.caller().post("/api/withdrawals", json=wish, headers={"Idempotency-Key": "k"})
    wrong = desk.caller().post("/api/withdrawals", json={**wish, "by": "subject"})

    assert (plan["verdict"], plan["records"], standing) == (None, [record], "active")
    assert [one["receipt"] for one in plan["receipts"]] == [receipt]
    assert (late.status_code, late.json()["code"]) == (409, "stale")
    assert (done.json()["verdict"]["outcome"], again.content) == ("committed", done.content)
    assert (wrong.status_code, wrong.json()["field"]) == (400, "by")
    assert desk.caller().get(f"/api/records/{record}").json()["standing"]["status"] == "retracted"


REVIEWERS = [
    ("POST", "/api/erasures", {"subject": "x", "reason": "x"}),
    ("POST", "/api/holds", {"subject": "x", "reason": "x"}),
    ("POST", "/api/holds/hld_1/lifting", {"reason": "x"}),
    ("GET", "/api/holds", None),
    ("POST", "/api/withdrawals", {"by": "actor", "value": "x", "reason": "x"}),
    ("POST", "/api/records/rec_1/quarantine", {"reason": "x"}),
    ("POST", "/api/records/rec_1/release", {"reason": "x"}),
    ("GET", "/api/quarantine", None),
    ("GET", "/api/erasures", None),
]


def test_a_credential_without_the_grant_opens_none_of_it(desk: Desk) -> None:
    writer = desk.caller(KeyRequest(name="w", actor="w", type=ActorType.AGENT, grants=(Grant.READ, Grant.WRITE)))
    told = [writer.request(verb, path, json=body) for verb, path, body in REVIEWERS]
    assert [(one.status_code, one.json()["code"]) for one in told] == [(403, "not_permitted")] * len(REVIEWERS)


def test_a_grant_is_not_yet_a_right(desk: Desk) -> None:
    record = kept(desk)
    agent = desk.caller(KeyRequest(name="a", actor="a", type=ActorType.AGENT, grants=tuple(Grant)))
    refused = [
        agent.request("POST", "/api/erasures", json={"record_id": record, "reason": "x", "dry_run": True}),
        agent.request("POST", "/api/holds", json={"subject": "x", "reason": "x"}),
        agent.request("GET", "/api/holds"),
        agent.request("GET", "/api/erasures"),
    ]
    assert [(one.status_code, one.json()["code"]) for one in refused] == [(403, "not_permitted")] * 4
    assert agent.request("GET", "/api/quarantine").json() == {"records": [], "next": None}
    assert desk.memory.get(record).record.content == WORDS


def test_what_is_only_probable_goes_when_that_is_said(desk: Desk) -> None:
    record = kept(desk, "Jose Perez called about the invoice")
    wish = {"subject": "José Pérez", "reason": "ticket:PRIV-18"}

    plan = desk.caller().post("/api/erasures", json={**wish, "dry_run": True}).json()["plan"]
    assert [(one["id"], one["fate"], one["certainty"]) for one in plan["nodes"]] == [(record, "kept", "probable")]
    assert desk.caller().post("/api/erasures", json=wish).status_code == 404
    done = desk.caller().post("/api/erasures", json={**wish, "include_probable": True}).json()
    assert done["certificate"]["certificate"]["erased"] == [record]
