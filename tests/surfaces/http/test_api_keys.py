"""Requests under a key: sent twice, followed once, answered alike."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from tests.operations.desk import Desk, opened

from muniment.engine.notebook import Notebook
from muniment.model.note import NoteDraft
from muniment.surfaces.http.api.kept import TOPIC, KeptAnswer
from muniment.surfaces.reception.keys import KeyRequest

STAGING = {"content": "The staging database moved to eu-west-2", "kind": "fact", "evidence": ["ticket:OPS-7"]}
KEY = {"Idempotency-Key": "7f3a"}


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


def test_a_memory_sent_twice_under_a_key_is_kept_once(desk: Desk) -> None:
    first = desk.caller().post("/api/memories", json=STAGING, headers=KEY)
    head = desk.memory.ledger.head()
    second = desk.caller().post("/api/memories", json=STAGING, headers=KEY)

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert desk.memory.ledger.head() == head


def test_a_key_that_stands_for_another_request_is_refused(desk: Desk) -> None:
    desk.caller().post("/api/memories", json=STAGING, headers=KEY)

    other = desk.caller().post("/api/memories", json={**STAGING, "content": "It moved elsewhere"}, headers=KEY)

    assert (other.status_code, other.json()["code"]) == (409, "key_reused")
    assert desk.memory.insight.stats().current == 1


def test_the_keys_of_two_callers_and_two_operations_are_two(desk: Desk) -> None:
    everyone = desk.caller(KeyRequest.everything("owner"))
    planner = desk.caller(KeyRequest(name="planner", actor="planner"))

    answers = [
        everyone.post("/api/memories", json=STAGING, headers=KEY),
        planner.post("/api/memories", json={**STAGING, "content": "The cache is warm"}, headers=KEY),
        everyone.post("/api/proposals", json={"claim": {"content": "Deploys take 9 minutes"}}, headers=KEY),
    ]

    assert [one.status_code for one in answers] == [201, 201, 201]


def test_nobody_can_tell_from_a_key_how_its_proposal_will_be_named(tmp_path: Path) -> None:
    names = set()
    for number in range(2):
        with opened(tmp_path / str(number)) as desk:
            names |= {desk.caller().post("/api/memories", json=STAGING, headers=KEY).json()["proposal_id"]}

    assert len(names) == 2


def test_a_batch_under_a_key_is_kept_once(desk: Desk) -> None:
    batch = {"proposals": [{"claim": {"content": "Build 1 passed"}}, {"claim": {"content": "Build 2 failed"}}]}

    first = desk.caller().post("/api/proposals/batch", json=batch, headers=KEY)
    second = desk.caller().post("/api/proposals/batch", json=batch, headers=KEY)

    assert first.content == second.content
    assert desk.memory.insight.stats().current == 2


def test_an_outcome_under_a_key_counts_once(desk: Desk) -> None:
    record = desk.caller().post("/api/memories", json=STAGING).json()["record_id"]

    for _ in range(3):
        desk.caller().post(f"/api/records/{record}/outcomes", json={"result": "helpful"}, headers=KEY)

    assert desk.memory.get(record).standing.footing.helpful == 1.0


def test_a_revision_sent_twice_is_one_though_the_record_has_moved_on(desk: Desk) -> None:
    record = desk.caller().post("/api/memories", json=STAGING).json()["record_id"]
    new, match = {"content": "It moved to eu-west-3"}, {"If-Match": '"r1"', **KEY}

    first = desk.caller().post(f"/api/records/{record}/revisions", json=new, headers=match)
    second = desk.caller().post(f"/api/records/{record}/revisions", json=new, headers=match)

    assert (first.status_code, first.content) == (second.status_code, second.content) == (201, first.content)
    assert desk.memory.get(record).record.revision == 2


@pytest.mark.parametrize(
    ("place", "body"), [("revisions", {"content": "It moved to eu-west-3"}), ("outcomes", {"result": "helpful"})]
)
def test_what_is_sent_twice_on_the_tag_of_what_was_read_is_one(desk: Desk, place: str, body: dict[str, str]) -> None:
    record = desk.caller().post("/api/memories", json=STAGING).json()["record_id"]
    tag = desk.caller().get(f"/api/records/{record}").headers["etag"]

    def send(headers: dict[str, str], said: dict[str, str]) -> tuple[int, bytes]:
        answer = desk.caller().post(f"/api/records/{record}/{place}", json=said, headers=headers)
        return answer.status_code, answer.content

    first = send({"If-Match": tag, **KEY}, body)
    head = desk.memory.ledger.head()
    second = send({"If-Match": tag, **KEY}, body)
    named = send({"If-Match": tag}, {**body, "proposal_id": "prp-new"})

    assert first[0] in (200, 201)
    assert second == first
    assert named[0] == 412  # another request, on what is no longer so
    assert desk.memory.ledger.head() == head


def test_a_key_stands_for_no_longer_and_no_shorter_batch(desk: Desk) -> None:
    claims = [{"claim": {"content": f"Build {number} passed"}} for number in range(3)]

    def send(count: int) -> tuple[int, object]:
        answer = desk.caller().post("/api/proposals/batch", json={"proposals": claims[:count]}, headers=KEY)
        return answer.status_code, answer.json().get("code")

    assert [send(2), send(3), send(1), send(2)] == [
        (200, None),
        (409, "key_reused"),
        (409, "key_reused"),
        (200, None),
    ]
    assert desk.memory.insight.stats().current == 2


def test_a_batch_that_was_refused_frees_its_key(desk: Desk) -> None:
    bad = {"proposals": [{"claim": {"content": " "}}]}
    good = {"proposals": [{"claim": {"content": "Build 1 passed"}}]}

    answers = [desk.caller().post("/api/proposals/batch", json=one, headers=KEY) for one in (bad, good)]

    assert [one.status_code for one in answers] == [409, 200]


def test_forgetting_under_a_key_is_answered_as_the_first_time(desk: Desk) -> None:
    record = desk.caller().post("/api/memories", json=STAGING).json()["record_id"]

    first = desk.caller().delete(f"/api/records/{record}", params={"reason": "asked to"}, headers=KEY)
    second = desk.caller().delete(f"/api/records/{record}", params={"reason": "asked to"}, headers=KEY)
    unkeyed = desk.caller().delete(f"/api/records/{record}", params={"reason": "asked to"})

    assert (first.status_code, second.status_code, unkeyed.status_code) == (200, 200, 404)
    assert len(first.json()["opening"]) == 32
    assert second.json() == {**first.json(), "opening": None}, "what opens the certificate is kept nowhere"
    kept = Notebook.of(desk.memory).read(TOPIC)
    assert [first.json()["opening"] in (note.body or "") for note in kept] == [False]


def test_a_dry_run_is_told_anew_and_nothing_of_it_is_kept(desk: Desk) -> None:
    record = desk.caller().post("/api/memories", json=STAGING).json()["record_id"]
    wish = {"record_id": record, "reason": "asked to", "dry_run": True}

    first = desk.caller().post("/api/erasures", json=wish, headers=KEY)
    desk.memory.revise(record, "The staging database moved to eu-west-3")
    second = desk.caller().post("/api/erasures", json=wish, headers=KEY)

    assert [one.json()["plan"]["nodes"][0]["revisions"] for one in (first, second)] == [1, 2]
    assert Notebook.of(desk.memory).read(TOPIC) == ()
    odd = desk.caller().post("/api/erasures", json=wish, headers={"Idempotency-Key": "two words"})
    assert (odd.status_code, odd.json()["field"]) == (409, "Idempotency-Key")


def test_a_decision_sent_twice_is_answered_as_the_first_time(desk: Desk) -> None:
    proposal = desk.memory.as_actor("planner").remember("Deploy on Mondays", kind="decision").proposal_id
    decision = {"accept": True, "reason": "it is right"}

    first = desk.caller().post(f"/api/proposals/{proposal}/decision", json=decision, headers=KEY)
    second = desk.caller().post(f"/api/proposals/{proposal}/decision", json=decision, headers=KEY)
    changed = desk.caller().post(f"/api/proposals/{proposal}/decision", json={**decision, "accept": False}, headers=KEY)
    elsewhere = desk.caller().post("/api/proposals/prp-other/decision", json=decision, headers=KEY)
    unkeyed = desk.caller().post(f"/api/proposals/{proposal}/decision", json=decision)

    assert (first.status_code, second.content) == (200, first.content)
    assert second.headers["idempotency-replayed"] == "true"
    assert [one.json()["code"] for one in (changed, elsewhere)] == ["key_reused", "key_reused"]
    assert (unkeyed.status_code, unkeyed.json()["code"]) == (409, "stale")


def test_kept_answers_outlive_the_server(vault: Path) -> None:
    with opened(vault) as desk:
        record = desk.caller().post("/api/memories", json=STAGING).json()["record_id"]
        first = desk.caller().post(f"/api/records/{record}/retraction", json={"reason": "wrong"}, headers=KEY)

    with opened(vault) as desk:
        second = desk.caller().post(f"/api/records/{record}/retraction", json={"reason": "wrong"}, headers=KEY)

    assert (first.status_code, second.content) == (200, first.content)


def test_a_request_that_was_refused_may_be_sent_again(desk: Desk) -> None:
    early = desk.caller().post("/api/records/rec-1/retraction", json={"reason": "wrong"}, headers=KEY)
    record = desk.caller().post("/api/memories", json=STAGING).json()["record_id"]
    later = desk.caller().post(f"/api/records/{record}/retraction", json={"reason": "wrong"}, headers=KEY)

    assert (early.status_code, later.status_code) == (404, 200)


def test_of_a_request_that_never_came_to_its_end_nothing_is_claimed(desk: Desk) -> None:
    """As after a crash between the deed and the note of it."""
    record = desk.caller().post("/api/memories", json=STAGING).json()["record_id"]
    desk.caller().post(f"/api/records/{record}/retraction", json={"reason": "wrong"}, headers=KEY)
    notebook = Notebook.of(desk.memory)
    (note,) = notebook.read(TOPIC)
    begun = KeptAnswer(digest=msgspec.json.decode(note.body or "", type=KeptAnswer).digest)
    jot = NoteDraft(topic=TOPIC, key=note.key, body=msgspec.json.encode(begun).decode())
    notebook.turn("owner", lambda _: ((jot,), None))

    answer = desk.caller().post(f"/api/records/{record}/retraction", json={"reason": "wrong"}, headers=KEY)

    assert (answer.status_code, answer.json()["code"]) == (409, "key_in_use")


def test_of_many_who_send_the_same_at_once_one_is_followed(desk: Desk) -> None:
    desk.memory.remember("The build took 9 minutes")
    body = {"name": "the build", "means": "nightly"}

    def send(_: int) -> int:
        return desk.caller().post("/api/aliases", json=body, headers=KEY).status_code

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(send, range(8)))

    named = [entry for entry in desk.memory.ledger.entries() if entry.kind == "named"]
    assert set(statuses) <= {200, 409}
    assert 200 in statuses
    assert len(named) == 1


def test_so_many_answers_are_kept_and_no_more(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muniment.surfaces.http.api.kept.KEPT_MAX", 2)
    monkeypatch.setattr("muniment.surfaces.http.api.kept._TRIMMED_EVERY", 1)

    for number in range(5):
        desk.caller().post("/api/sweep", headers={"Idempotency-Key": f"sweep-{number}"})

    assert len(Notebook.of(desk.memory).read(TOPIC)) == 2


@pytest.mark.parametrize("key", ["", "a b", "x" * 256])
def test_what_is_no_key_is_refused(desk: Desk, key: str) -> None:
    answer = desk.caller().post("/api/memories", json=STAGING, headers={"Idempotency-Key": key})

    assert (answer.status_code, answer.json()["field"]) == (409, "Idempotency-Key")
    assert desk.memory.insight.stats().current == 0


def test_a_proposal_has_one_name(desk: Desk) -> None:
    answer = desk.caller().post("/api/memories", json={**STAGING, "proposal_id": "prp-1"}, headers=KEY)

    assert (answer.status_code, answer.json()["field"]) == (409, "Idempotency-Key")
