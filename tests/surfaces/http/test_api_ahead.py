"""What a curator is told before deciding, over HTTP: rehearsals, one disagreement, what they may do, and the forms of a
record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.operations.desk import Desk, opened

from muniment.engine import ConflictView
from muniment.engine.session import window
from muniment.model.curation import ConflictResult, Verdict
from muniment.model.note import Note
from muniment.operations.answers import Form
from muniment.operations.wire import shape_of
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant

CONTRACTS = ("akashik", "matm", "memledger", "omir", "retrieval")
KEY = {"Idempotency-Key": "once"}


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


def notes(desk: Desk) -> list[Note]:
    with window(desk.memory) as snapshot:
        return list(snapshot.notes.all())


def quarrel(desk: Desk) -> tuple[str, str, str]:
    """Two records and the conflict between them."""
    first = desk.memory.remember("The office is in Berlin", evidence=["t:1"]).record_id or ""
    second = desk.memory.remember("The office is in Madrid", relations=[("contradicts", first)])
    return first, second.record_id or "", second.conflict_ids[0]


# Rehearsals.


def test_a_settlement_is_done_as_it_was_shown_or_not_at_all(desk: Desk) -> None:
    _, second, conflict = quarrel(desk)
    path, wish = f"/api/conflicts/{conflict}/resolution", {"strategy": "last_write_wins", "rationale": "newer"}
    shown = desk.caller().post(path, json={**wish, "dry_run": True}).json()["digest"]
    desk.memory.remember("The lease of Madrid is signed", derived_from=[second])

    late = desk.caller().post(path, json={**wish, "expected": shown})
    malformed = desk.caller().post(path, json={**wish, "expected": "x"})
    now = desk.caller().post(path, json={**wish, "dry_run": True}).json()["digest"]
    done = desk.caller().post(path, json={**wish, "expected": now})

    assert (late.status_code, late.json()["code"]) == (409, "stale")
    assert (malformed.status_code, malformed.json()["field"]) == (400, "expected")
    assert (done.json()["status"], done.json()["digest"]) == ("resolved", now)


def test_an_answer_is_rehearsed_and_then_given_under_the_same_key(desk: Desk) -> None:
    held = desk.memory.as_actor("planner").remember("Deploy on Mondays", kind="decision").proposal_id
    path, answer = f"/api/proposals/{held}/decision", {"accept": True, "reason": "agreed"}
    head = desk.memory.ledger.head()

    rehearsed = desk.caller().post(path, json={**answer, "dry_run": True}, headers=KEY)

    verdict = shape_of(Verdict).read(rehearsed.content)
    assert (rehearsed.status_code, verdict.outcome, verdict.reason) == (200, "committed", "agreed")
    assert (desk.memory.ledger.head(), notes(desk), len(desk.memory.review.queue())) == (head, [], 1)
    assert "location" not in rehearsed.headers
    done = desk.caller().post(path, json=answer, headers=KEY)
    assert (done.json()["outcome"], desk.memory.review.queue()) == ("committed", ())


def test_a_rehearsal_needs_the_grant_that_the_answer_needs(desk: Desk) -> None:
    held = desk.memory.as_actor("planner").remember("Deploy on Mondays", kind="decision").proposal_id
    reader = desk.caller(KeyRequest(name="owner", actor="owner", grants=(Grant.READ, Grant.WRITE)))

    answer = reader.post(f"/api/proposals/{held}/decision", json={"accept": True, "reason": "x", "dry_run": True})

    assert (answer.status_code, answer.json()["code"]) == (403, "not_permitted")


def test_a_settlement_is_rehearsed_and_what_cannot_be_decided_is_said(desk: Desk) -> None:
    first, second, conflict = quarrel(desk)
    above = desk.memory.remember("Bring a coat", derived_from=[second]).record_id
    path = f"/api/conflicts/{conflict}/resolution"
    head = desk.memory.ledger.head()

    def rehearsed(strategy: str) -> tuple[int, bytes]:
        said = {"strategy": strategy, "rationale": "newer", "dry_run": True}
        answer = desk.caller().post(path, json=said, headers=KEY)
        return answer.status_code, answer.content

    status, content = rehearsed("last_write_wins")
    settled = shape_of(ConflictResult).read(content)
    assert (status, settled.status, settled.winner, settled.superseded) == (200, "resolved", second, (first,))
    assert settled.rises == (above,)
    status, content = rehearsed("confidence_weighted")
    assert (status, msgspec.json.decode(content)["code"]) == (409, "undecided")
    assert (desk.memory.ledger.head(), notes(desk)) == (head, [])
    assert desk.memory.review.conflict(conflict).status == "detected"


@pytest.mark.parametrize("dry", ["yes", 1, "true"])
def test_a_rehearsal_is_asked_for_with_true_or_false(desk: Desk, dry: object) -> None:
    held = desk.memory.as_actor("planner").remember("Deploy on Mondays", kind="decision").proposal_id

    answer = desk.caller().post(
        f"/api/proposals/{held}/decision", json={"accept": True, "reason": "agreed", "dry_run": dry}
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
    assert len(desk.memory.review.queue()) == 1


# Disagreements.


def test_one_disagreement_is_told_by_its_id_and_those_of_a_record_by_the_record(desk: Desk) -> None:
    first, second, conflict = quarrel(desk)
    other = desk.memory.remember("The canteen is closed").record_id or ""
    caller = desk.caller()

    def listed(record: str) -> list[str]:
        page = caller.get("/api/conflicts", params={"record_id": record}).json()
        assert page["next"] is None
        return [one["id"] for one in page["conflicts"]]

    told = caller.get(f"/api/conflicts/{conflict}")
    assert shape_of(ConflictView).read(told.content) == desk.memory.review.conflict(conflict)
    assert (listed(first), listed(second), listed(other), listed("rec_absent")) == ([conflict], [conflict], [], [])


def test_the_disagreements_of_a_record_come_a_page_at_a_time(desk: Desk) -> None:
    first = desk.memory.remember("The office is in Berlin").record_id or ""
    for town in ("Madrid", "Oslo", "Paris"):
        desk.memory.remember(f"They say it is in {town}", relations=[("contradicts", first)])
    told, cursor = [], None
    while True:
        asked = {"record_id": first, "limit": "2"} | ({"cursor": cursor} if cursor is not None else {})
        page = desk.caller().get("/api/conflicts", params=asked).json()
        told.append([one["id"] for one in page["conflicts"]])
        cursor = page["next"]
        if cursor is None:
            break
    assert [len(page) for page in told] == [2, 1]
    assert [name for page in told for name in page] == [
        view.id for view in desk.memory.review.conflicts(record_id=first)
    ]


def test_a_disagreement_that_is_hidden_is_answered_as_one_that_is_not_there(desk: Desk) -> None:
    first = desk.memory.remember("The office is in Berlin", sensitivity="secret").record_id or ""
    conflict = desk.memory.remember("It is in Madrid", relations=[("contradicts", first)]).conflict_ids[0]
    scout = desk.caller(KeyRequest(name="scout", actor="scout", grants=(Grant.READ,)))

    hidden, absent = (scout.get(f"/api/conflicts/{name}") for name in (conflict, "cfl_absent"))

    assert (hidden.status_code, hidden.json()) == (404, absent.json())


# What a caller may do.


def test_a_caller_learns_what_is_worth_offering(desk: Desk) -> None:
    owner = desk.caller(KeyRequest(name="owner", actor="owner", grants=tuple(Grant))).get("/api/caller").json()
    planner = desk.caller(KeyRequest(name="planner", actor="planner", authority=5)).get("/api/caller").json()

    assert {"accept", "discard", "resolve", "forget", "audit", "hold"} <= set(owner["may"])
    assert {"retract", "observe"} <= set(planner["may"])
    assert not {"accept", "audit", "forget", "hold", "import"} & set(planner["may"])


# Forms.


def form(desk: Desk, record: str, contract: str) -> Form:
    answer = desk.caller().get(f"/api/records/{record}/forms/{contract}")
    assert answer.status_code == 200, answer.text
    return shape_of(Form).read(answer.content)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_form_is_the_line_that_an_export_writes(desk: Desk, contract: str) -> None:
    first, second, _ = quarrel(desk)
    desk.memory.remember("The canteen is closed", evidence=["t:2"], confidence=0.7, derived_from=[first])
    lines = desk.caller().get("/api/export", params={"contract": contract}).text.splitlines(keepends=True)

    told = [form(desk, one.record.id, contract) for one in desk.memory.insight.browse()]

    assert [f"{one.document}\n" for one in told] == lines
    assert {(one.contract, one.media) for one in told} == {(contract, "application/json")}
    assert second in {one.record.id for one in desk.memory.insight.browse()}


def test_a_form_says_what_its_contract_cannot(desk: Desk) -> None:
    record = desk.memory.remember("The canteen is closed", evidence=["t:2"]).record_id or ""

    kept, lost = form(desk, record, "memledger").losses, form(desk, record, "akashik").losses

    assert ("/claim/belief/evidence", True) in {(one.path, one.kept) for one in kept}
    assert ("/label", False) in {(one.path, one.kept) for one in lost}


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("state", ["retracted", "archived", "deprecated", "expired", "superseded", "draft"])
def test_a_record_in_any_state_has_every_form(desk: Desk, contract: str, state: str) -> None:
    memory = desk.memory
    record = memory.remember("The canteen is closed", draft=state == "draft").record_id or ""
    if state == "superseded":
        memory.remember("The canteen is open again", supersedes=record)
    elif state != "draft":
        memory.review.retire(record, becomes=state, reason="over")
    assert memory.get(record).standing.status == state

    assert "The canteen is closed" in form(desk, record, contract).document


def test_a_form_is_of_the_present_revision(desk: Desk) -> None:
    record = desk.memory.remember("The canteen is closed").record_id or ""
    desk.memory.revise(record, "The canteen is open")

    document = form(desk, record, "memledger").document

    assert ("The canteen is open" in document, "The canteen is closed" in document) == (True, False)


def test_a_form_of_what_may_not_be_seen_is_a_form_of_nothing(desk: Desk) -> None:
    secret = desk.memory.remember("The safe is behind the clock", sensitivity="secret").record_id
    gone = desk.memory.remember("The canteen is closed").record_id or ""
    desk.memory.forget(gone, reason="asked to")
    scout = desk.caller(KeyRequest(name="scout", actor="scout", grants=(Grant.READ,)))

    for contract in CONTRACTS:
        bodies = {scout.get(f"/api/records/{name}/forms/{contract}").text for name in (secret, gone, "rec_absent")}
        assert len(bodies) == 1
        assert msgspec.json.decode(bodies.pop())["code"] == "not_found"


def test_a_form_of_no_contract_is_refused_before_the_record_is_looked_for(desk: Desk) -> None:
    for name in ("rec_absent", desk.memory.remember("The canteen is closed").record_id):
        answer = desk.caller().get(f"/api/records/{name}/forms/xml")
        assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (409, "malformed", "contract")
