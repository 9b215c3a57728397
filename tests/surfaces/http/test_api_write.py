"""Writing over the native surface: what the engine decides is what is answered, once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.operations.desk import Desk, opened

from muniment.model.curation import ConflictResult, ErasureResult, Verdict
from muniment.model.errors import NotFound
from muniment.model.query import Disclosure
from muniment.model.vocabulary import Outcome
from muniment.operations.tags import revision_tag
from muniment.operations.wire import shape_of
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


@pytest.fixture
def guarded(vault: Path) -> Iterator[Desk]:
    """A server that asks for keys: there is one."""
    with opened(vault) as found:
        found.caller(KeyRequest.everything("ana"))
        yield found


STAGING = {"content": "The staging database moved to eu-west-2", "kind": "fact", "evidence": ["ticket:OPS-7"]}


def kept(desk: Desk, **words: object) -> str:
    answer = desk.caller().post("/api/memories", json={**STAGING, **words})
    record = shape_of(Verdict).read(answer.content).record_id
    assert record is not None
    return record


def test_a_memory_in_flat_words_becomes_a_record(desk: Desk) -> None:
    answer = desk.caller().post(
        "/api/memories", json={**STAGING, "valid_from": "2026-03-01T10:00:00+02:00", "relations": [], "confidence": 1}
    )

    verdict = shape_of(Verdict).read(answer.content)
    assert (answer.status_code, verdict.outcome) == (201, Outcome.COMMITTED)
    assert answer.headers["location"] == f"/api/records/{verdict.record_id}"
    record = desk.memory.get(verdict.record_id or "").record
    assert (record.content, record.actor, record.claim.belief.score) == (STAGING["content"], "owner", 1.0)
    assert record.claim.times.valid_from == 1_772_352_000_000_000


def test_a_claim_that_waits_is_accepted_and_one_that_is_refused_is_answered(guarded: Desk) -> None:
    agent = guarded.caller(KeyRequest(name="planner", actor="planner"))

    held = agent.post(
        "/api/proposals", json={"claim": {"content": "Deploy on Mondays", "nature": {"kind": "decision"}}}
    )
    refused = agent.post(
        "/api/proposals", json={"claim": {"content": "Deploy on Mondays only", "nature": {"kind": "directive"}}}
    )

    assert (held.status_code, held.json()["outcome"]) == (202, "held")
    assert held.headers["location"] == f"/api/proposals/{held.json()['proposal_id']}"
    assert agent.get(held.headers["location"]).json()["report"]["outcome"] == "held"
    assert (refused.status_code, refused.json()["rule"]) == (200, "people-direct")
    assert [one.proposal.id for one in guarded.memory.review.queue()] == [held.json()["proposal_id"]]


def test_a_held_proposal_is_decided_by_a_reviewer(guarded: Desk) -> None:
    agent = guarded.caller(KeyRequest(name="planner", actor="planner"))
    owner = guarded.caller(KeyRequest(name="owner", actor="owner", grants=tuple(Grant)))
    proposal = agent.post(
        "/api/proposals", json={"claim": {"content": "Deploy on Mondays", "nature": {"kind": "decision"}}}
    ).json()["proposal_id"]

    barred = agent.post(f"/api/proposals/{proposal}/decision", json={"accept": True, "reason": "it is right"})
    decided = owner.post(f"/api/proposals/{proposal}/decision", json={"accept": True, "reason": "it is right"})

    assert (barred.status_code, barred.json()["code"]) == (403, "not_permitted")
    assert (decided.status_code, decided.json()["outcome"]) == (200, "committed")
    assert guarded.memory.get(decided.json()["record_id"]).record.reviewer == "owner"


def test_a_batch_is_kept_whole_or_not_at_all(desk: Desk) -> None:
    good = {"claim": {"content": "The cache is warm", "belief": {"evidence": ["run:1"]}}}
    bad = {"claim": {"content": "The cache is cold", "lineage": {"derived_from": ["not an id"]}}}

    refused = desk.caller().post("/api/proposals/batch", json={"proposals": [good, bad]})
    before = desk.memory.insight.stats().current
    answer = desk.caller().post("/api/proposals/batch", json={"proposals": [good, good]})

    assert (refused.status_code, refused.json()["code"], before) == (409, "malformed", 0)
    assert [one["outcome"] for one in answer.json()["verdicts"]] == ["committed", "refused"]


def test_a_preview_changes_nothing(desk: Desk) -> None:
    head = desk.memory.ledger.head()

    answer = desk.caller().post("/api/proposals/preview", json={"claims": [{"content": "The cache is warm"}]})

    assert answer.json()["verdicts"][0]["outcome"] == "committed"
    assert desk.memory.ledger.head() == head


@pytest.mark.parametrize(
    ("match", "status"),
    [
        ('"r9", "r1"', 200),
        ('"r9","{tag}"', 200),
        ("*", 200),
        ('W/"{tag}"', 412),
        ('W/"r1"', 412),
        ('"somebody-elses"', 412),
        ('"r1.0000000000000000", "r2"', 412),
        ("r1", 409),
        ("", 409),
    ],
)
def test_a_condition_is_met_by_one_of_several_strong_tags(desk: Desk, match: str, status: int) -> None:
    record = kept(desk)
    tag = desk.caller().get(f"/api/records/{record}").headers["etag"].strip('"')
    headers = {"If-Match": match.replace("{tag}", tag)}

    answer = desk.caller().post(f"/api/records/{record}/outcomes", json={"result": "helpful"}, headers=headers)
    absent = desk.caller().post("/api/records/rec-1/outcomes", json={"result": "helpful"}, headers=headers)

    assert answer.status_code == status
    assert absent.status_code == (409 if status == 409 else 404)
    assert desk.memory.get(record).standing.footing.helpful == (1.0 if status == 200 else 0.0)


@pytest.mark.parametrize(("match", "status"), [("*", 200), ('"r1"', 200), ('"r2"', 412), ('"r2", "r1"', 200)])
def test_a_reader_may_ask_for_one_revision_and_no_other(desk: Desk, match: str, status: int) -> None:
    record = kept(desk)

    answer = desk.caller().get(f"/api/records/{record}", headers={"If-Match": match})

    assert answer.status_code == status


def test_a_revision_may_say_what_it_was_made_on(desk: Desk) -> None:
    record = kept(desk)
    client = desk.caller()
    tag = client.get(f"/api/records/{record}").headers["etag"]
    new = {"content": "The staging database moved to eu-west-3"}

    stale = client.post(f"/api/records/{record}/revisions", json=new, headers={"If-Match": revision_tag(9)})
    missed = client.post(f"/api/records/{record}/revisions", json=new, headers={"If-Match": tag[:-2] + '0"'})
    revised = client.post(f"/api/records/{record}/revisions", json=new, headers={"If-Match": tag})
    again = client.post(f"/api/records/{record}/revisions", json=new, headers={"If-Match": tag})

    assert (stale.status_code, stale.json()["code"]) == (412, "stale")
    assert missed.status_code == (412 if tag[-2] != "0" else 201)
    assert (revised.status_code, revised.json()["revision"]) == (201, 2)
    assert again.status_code == 412
    assert desk.memory.get(record).record.revision == 2


def test_a_tag_of_the_revision_alone_and_a_star_are_enough(desk: Desk) -> None:
    record = kept(desk)
    client = desk.caller()

    named = client.post(
        f"/api/records/{record}/revisions", json={"content": "It is in eu-west-3"}, headers={"If-Match": '"r1"'}
    )
    any_ = client.post(
        f"/api/records/{record}/revisions", json={"content": "It is in eu-west-4"}, headers={"If-Match": "*"}
    )

    assert [one.json()["revision"] for one in (named, any_)] == [2, 3]


def test_a_record_that_was_judged_anew_since_it_was_read_is_not_retracted(desk: Desk) -> None:
    record = kept(desk)
    tag = desk.caller().get(f"/api/records/{record}").headers["etag"]
    desk.memory.review.outcome(record, "misleading")

    answer = desk.caller().post(
        f"/api/records/{record}/retraction", json={"reason": "wrong"}, headers={"If-Match": tag}
    )

    assert (answer.status_code, answer.json()["field"]) == (412, "if-match")
    assert desk.memory.get(record).standing.status == "active"


def test_outcomes_vouching_retirement_and_retraction_do_what_they_say(desk: Desk) -> None:
    told = desk.memory.as_actor("planner").remember("The staging database moved", kind="fact", evidence=["t:1"])
    record, other = told.record_id or "", kept(desk, content="The cache is warm")
    client = desk.caller()

    helpful = client.post(f"/api/records/{record}/outcomes", json={"result": "helpful", "weight": 0.5})
    vouched = client.post(f"/api/records/{record}/vouching", json={"origin": "person", "reason": "I was there"})
    retired = client.post(f"/api/records/{other}/retirement", json={"becomes": "archived", "reason": "over"})
    retracted = client.post(f"/api/records/{record}/retraction", json={"reason": "wrong"})

    assert [one.status_code for one in (helpful, vouched, retired, retracted)] == [200, 200, 200, 200]
    found = desk.memory.get(record)
    assert (found.standing.status, found.standing.footing.helpful) == ("retracted", 0.5)
    assert found.standing.footing.label == "person"
    assert desk.memory.get(other).standing.status == "archived"


def test_a_conflict_is_settled_by_a_strategy(desk: Desk) -> None:
    record = kept(desk)
    rival = kept(
        desk,
        content="The staging database stayed in eu-west-1",
        relations=[["contradicts", record]],
        evidence=["t:1", "t:2"],
    )
    client = desk.caller()
    (conflict,) = client.get("/api/conflicts").json()["conflicts"]

    answer = client.post(
        f"/api/conflicts/{conflict['id']}/resolution",
        json={"strategy": "evidence_count", "rationale": "two sources against one"},
    )

    settled = shape_of(ConflictResult).read(answer.content)
    assert (settled.status, settled.winner, settled.superseded) == ("resolved", rival, (record,))


def test_a_record_is_forgotten_only_in_earnest(desk: Desk) -> None:
    record = kept(desk)
    client = desk.caller()

    planned = client.delete(f"/api/records/{record}", params={"reason": "ticket:PRIV-1", "dry_run": "true"})
    unreasoned = client.delete(f"/api/records/{record}")
    still = client.get(f"/api/records/{record}").status_code
    done = client.delete(f"/api/records/{record}", params={"reason": "ticket:PRIV-1"})

    plan = shape_of(ErasureResult).read(planned.content)
    assert ([(node.id, node.revisions) for node in plan.plan.nodes], plan.verdict) == ([(record, 1)], None)
    assert (unreasoned.status_code, unreasoned.json()["field"], still) == (400, "reason", 200)
    assert (done.status_code, done.json()["verdict"]["outcome"]) == (200, "committed")
    assert client.get(f"/api/records/{record}").json()["code"] == "not_found"
    with pytest.raises(NotFound):
        desk.memory.get(record)


def test_a_draft_is_told_to_its_author_alone(guarded: Desk) -> None:
    author = guarded.caller(KeyRequest(name="planner", actor="planner"))
    other = guarded.caller(KeyRequest(name="runner", actor="runner"))

    drafted = author.post("/api/memories", json={**STAGING, "draft": True})

    record = drafted.json()["record_id"]
    told = author.get(f"/api/records/{record}")
    assert shape_of(Disclosure).read(told.content).standing.status == "draft"
    assert other.get(f"/api/records/{record}").status_code == 404


def test_names_are_given_and_time_does_its_work(desk: Desk) -> None:
    kept(desk)
    client = desk.caller()

    named = client.post("/api/aliases", json={"name": "Frankfurt", "means": "eu-west-2"})
    found = client.get("/api/entities", params={"name": "Frankfurt"})
    swept = client.post("/api/sweep")

    assert set(named.json()["names"]) == {"frankfurt", "eu-west-2"}
    assert len(found.json()["records"]) == 1
    assert swept.json()["expired"] == []
