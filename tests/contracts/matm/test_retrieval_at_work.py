"""A retrieval is bounded before it is ranked, cites what it tells, says why it abstains, and is on record."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.matm.at_work import (
    CONSUMER,
    FOREIGN_READER,
    FOREIGN_WORKER,
    STEWARD,
    TESTER,
    World,
    named,
    notices,
    result,
    told,
    warnings,
)
from tests.support.memory_store.store import MemoryTenant
from tests.support.world import simulated_memory

from muniment.compat.matm.desk import matm_policy
from muniment.compat.matm.retrieval import read_request
from muniment.contracts.matm import CONTRACT
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.actor import Actor
from muniment.model.errors import Malformed, NotFound
from muniment.model.times import DAY
from muniment.model.vocabulary import ActorType, Outcome

QUESTION = "How many regions has checkout?"


@pytest.fixture
def world() -> World:
    return World()


@cites("MATM-049")
def test_every_result_cites_record_sources_and_reports_that_can_be_looked_up(world: World) -> None:
    world.keep("Checkout has three regions")
    world.keep("Checkout regions are named after rivers")
    response = world.ask(QUESTION)
    assert len(told(response)) == 2
    for record in told(response):
        found = result(response, record)
        assert found["source_refs"] == ["ci:run/1"]
        assert found["evidence_refs"] == [{"type": "test_run", "ref": "ci:run/1"}]
        assert world.memory.as_actor(CONSUMER).get(record).record.id == record
        reports = found["curation_report_ids"]
        assert isinstance(reports, list)
        assert [world.desk.report(str(one), actor=CONSUMER)["record_id"] for one in reports] == [record]


@cites("MATM-051")
def test_scopes_and_kinds_are_limits_whatever_would_rank_best(world: World) -> None:
    best = world.keep(
        "How many regions has checkout? Three regions", memory_kind="procedure", suggested_scope="agent_team"
    )
    poor = world.keep("A region is a part of checkout")
    assert told(world.ask(QUESTION))[0] == best
    assert told(world.ask(QUESTION, scopes=("project",))) == [poor]
    assert told(world.ask(QUESTION, allowed_kinds=["fact"])) == [poor]
    response = world.ask(QUESTION, scopes=("project",), limit=1)
    assert (told(response), response["excluded"]) == ([poor], {"scope": 1})


@cites("MATM-051")
@pytest.mark.parametrize("limits", [{"scopes": ()}, {"allowed_kinds": []}, {"limit": 0}])
def test_an_empty_allowance_allows_nothing(world: World, limits: dict[str, list[str]]) -> None:
    world.keep("Checkout has three regions")
    response = world.ask(QUESTION, **limits)  # type: ignore[arg-type]  # one of three keywords each time
    assert (told(response), response["abstained"]) == ([], True)


def test_sensitivity_and_the_limit_hold(world: World) -> None:
    world.keep("Checkout has three regions")
    world.keep("Checkout regions are named after rivers", sensitivity="public")
    assert len(told(world.ask(QUESTION, limit=1))) == 1
    assert len(told(world.ask(QUESTION, max_sensitivity="public"))) == 1


def unauthorized(world: World) -> JsonObject:
    world.keep("Checkout has three regions")
    return world.ask(QUESTION, actor="nobody.known")


def weak(world: World) -> JsonObject:
    world.keep("Checkout has three regions", confidence=0.55)
    return world.ask(QUESTION)


def supposed(world: World) -> JsonObject:
    world.keep("Checkout may have three regions", memory_kind="hypothesis", confidence=0.7)
    return world.ask(QUESTION)


def over(world: World) -> JsonObject:
    world.keep("Checkout has three regions", expires_at="2026-06-25T00:00:00Z")
    world.clock.forward(DAY)
    return world.ask(QUESTION)


def deprecated(world: World) -> JsonObject:
    old = world.keep("Checkout has three regions")
    world.accept(world.event("That regions note is out of date", memory_kind="deprecation", supersedes=[old]))
    return world.ask(QUESTION)


def disputed(world: World) -> JsonObject:
    old = world.keep("Checkout has three regions")
    world.keep("Checkout has five regions", conflicts_with=[old])
    return world.ask(QUESTION)


def elsewhere(world: World) -> JsonObject:
    world.keep("Checkout has three regions")
    return world.ask(QUESTION, project_id="billing")


@cites("MATM-052")
@pytest.mark.parametrize(
    ("trigger", "reason"),
    [
        (unauthorized, "missing_authorization"),
        (weak, "weak_evidence"),
        (supposed, "only_hypotheses"),
        (over, "stale_or_deprecated_only"),
        (deprecated, "stale_or_deprecated_only"),
        (disputed, "unresolved_conflict"),
        (elsewhere, "cross_scope_risk"),
    ],
)
def test_each_trigger_alone_gives_an_abstention_with_its_reason_and_no_answer(
    world: World, trigger: Callable[[World], JsonObject], reason: str
) -> None:
    response = trigger(world)
    assert (response["abstained"], response["abstain_reasons"]) == (True, [reason])
    assert told(response, "claim") == []
    assert told(response, "support") == []


@cites("MATM-052")
def test_without_a_trigger_there_is_an_answer(world: World) -> None:
    record = world.keep("Checkout has three regions")
    response = world.ask(QUESTION)
    assert (told(response, "claim"), response["abstained"], response["abstain_reasons"]) == ([record], False, [])


@cites("MATM-053")
@pytest.mark.parametrize("count", [0, 1, 7])
def test_who_may_not_read_gets_no_content_and_cannot_count_what_is_hidden(world: World, count: int) -> None:
    for number in range(count):
        world.keep(f"Checkout has regions: part {number} of the list")
    response = world.ask(QUESTION, actor="nobody.known")
    assert (response["results"], response["notices"], response["excluded"]) == ([], [], {})
    assert "regions" not in json.dumps({**response, "filters_applied": None})
    other = world.ask(QUESTION, actor=FOREIGN_READER)
    assert (other["results"], other["notices"], other["excluded"]) == ([], [], {})
    assert other["abstain_reasons"] == ["nothing_found"]


@cites("MATM-053")
def test_a_consumer_cannot_ask_in_the_name_of_another(world: World) -> None:
    world.keep("Checkout has three regions")
    request = {
        "schema_version": "llmwikis.matm.retrieval-request.v1",
        "request_id": "req_1",
        "consumer_agent": CONSUMER,
        "task": "task-1",
        "allowed_scopes": ["project"],
        "query": QUESTION,
    }
    for other in (FOREIGN_READER, TESTER):
        response = world.desk.retrieve(json.dumps(request).encode(), actor=other)
        assert (response["results"], response["abstain_reasons"]) == ([], ["missing_authorization"])
        assert world.desk.audit(str(response["receipt_id"]))["told"] == []


def test_who_has_several_projects_must_say_which_one_is_meant(world: World) -> None:
    record = world.keep("Checkout has three regions")
    both = Actor(id="consumer.both", roles=("consumer",), projects=("checkout", "billing"))
    assert world.ask(QUESTION, actor=both)["abstain_reasons"] == ["cross_scope_risk"]
    assert told(world.ask(QUESTION, actor=both, project_id="checkout")) == [record]
    assert told(world.ask(QUESTION, actor=both, project_id="billing")) == []


@cites("MATM-054")
def test_a_reliable_producer_lifts_nothing_unreviewed_or_out_of_scope(world: World) -> None:
    for number in range(5):
        praised = world.keep(f"Fact {number} about the payment gateway")
        world.memory.as_actor(STEWARD).review.outcome(praised, "helpful", evidence="used it")
    world.emit(world.event("Checkout has three regions"))
    world.keep(
        "Checkout has three regions",
        actor=FOREIGN_WORKER,
        source_agent={"agent_id": FOREIGN_WORKER.id},
        project_id="billing",
    )
    entries = world.desk.directory(actor=CONSUMER)["entries"]
    assert isinstance(entries, list)
    assert [one["reliability"] for one in entries if isinstance(one, dict)] == [{"score": 1.0, "evidence_count": 5.0}]
    response = world.ask(QUESTION)
    assert [record for record in told(response) if "regions" in str(result(response, record)["statement"])] == []


@cites("MATM-055")
def test_what_is_authoritative_goes_before_what_is_newer_and_less_evidenced(world: World) -> None:
    two: list[Json] = [{"type": "minutes", "ref": "doc:1"}, {"type": "minutes", "ref": "doc:2"}]
    old = world.keep("The number of regions was decreed for checkout", evidence_refs=two)
    world.clock.forward(DAY)
    new = world.keep("How many regions has checkout? Many regions")
    assert told(world.ask(QUESTION)) == [new, old]
    world.memory.as_actor(STEWARD).review.vouch(old, origin="person", reason="read in the decree itself")
    assert told(world.ask(QUESTION)) == [old, new]


@cites("MATM-055")
def test_authority_does_not_outrank_what_is_as_well_evidenced(world: World) -> None:
    old = world.keep("The number of regions was decreed for checkout")
    world.clock.forward(DAY)
    new = world.keep("How many regions has checkout? Many regions")
    world.memory.as_actor(STEWARD).review.vouch(old, origin="person", reason="read in the decree itself")
    assert told(world.ask(QUESTION)) == [new, old]


@cites("MATM-055")
def test_authority_does_not_outrank_what_is_older(world: World) -> None:
    two: list[Json] = [{"type": "minutes", "ref": "doc:1"}, {"type": "minutes", "ref": "doc:2"}]
    old = world.keep("How many regions has checkout? Many regions")
    world.clock.forward(DAY)
    new = world.keep("The number of regions was decreed for checkout", evidence_refs=two)
    world.memory.as_actor(STEWARD).review.vouch(new, origin="person", reason="read in the decree itself")
    assert told(world.ask(QUESTION)) == [old, new]


@cites("MATM-054")
def test_what_nobody_reviewed_is_hidden_from_consumers_and_named_in_no_response() -> None:
    store = MemoryTenant("default")
    loose = simulated_memory(store)
    worker = Actor(id=TESTER, roles=("agent",), projects=("checkout",))
    said = {"kind": "fact", "evidence": ["ci:run/1"], "confidence": 0.9, "scope_id": "checkout", "owner": "o"}
    record = loose.as_actor(worker).remember("Checkout has three regions", **said).record_id  # type: ignore[arg-type]  # keywords
    owner = Actor(id="owner", type=ActorType.PERSON, roles=("owner",), projects=("checkout",))
    strict = World(memory=simulated_memory(store, seed=1, actor=owner, policy=matm_policy()))
    assert [one.record.id for one in strict.memory.recall(QUESTION).records] == [record]
    assert strict.memory.as_actor(CONSUMER).recall(QUESTION).records == ()
    response = strict.ask(QUESTION, actor=owner)
    assert (response["excluded"], response["notices"], response["abstain_reasons"]) == (
        {"trust": 1},
        [],
        ["weak_evidence"],
    )
    assert CONTRACT.decode(strict.desk.export(actor=owner)) == ()


@cites("MATM-057")
def test_after_a_deprecation_no_way_of_looking_finds_the_old_record(world: World) -> None:
    text = "Restart the Hermes worker before a retry"
    old = world.keep(text, memory_kind="procedure")
    reader = world.memory.as_actor(CONSUMER)

    def found() -> list[bool]:
        return [
            old in told(world.ask(text)),
            old in [one.record.id for one in reader.recall(f'"{text}"').records],
            old in [one.record.id for one in reader.attune(task=text).records],
            old in reader.insight.entity("Hermes").records,
            old in [one.record.id for one in reader.insight.browse()],
            bool(world.desk.directory(actor=CONSUMER)["entries"]),
        ]

    assert found() == [True] * 6
    world.memory.as_actor(STEWARD).review.retire(old, becomes="deprecated", reason="it breaks orders")
    assert found() == [False] * 6


@cites("MATM-058")
def test_every_retrieval_is_on_record_with_consumer_limits_what_was_told_and_why_nothing(world: World) -> None:
    record = world.keep("Checkout has three regions")
    response = world.ask(QUESTION, allowed_kinds=["fact"], max_sensitivity="internal", limit=3)
    seen = world.desk.audit(str(response["receipt_id"]))
    assert (seen["consumer"], seen["query"], seen["allowed_scopes"]) == (CONSUMER, QUESTION, ["project", "agent_team"])
    assert (seen["max_sensitivity"], seen["limit"]) == ("internal", 3)
    assert isinstance(seen["allowed_kinds"], list)
    assert "fact" in seen["allowed_kinds"]
    assert (seen["told"], seen["abstained"], seen["same_again"]) == ([record], None, True)
    assert world.memory.ledger.verify().ok


@cites("MATM-058")
@pytest.mark.parametrize(
    ("trigger", "reason"),
    [
        (unauthorized, "not_authorized"),
        (weak, "nothing_eligible"),
        (supposed, "only_hypotheses"),
        (over, "nothing_eligible"),
        (deprecated, "stale_or_deprecated_only"),
        (disputed, "unresolved_conflict"),
        (elsewhere, "nothing_eligible"),
    ],
)
def test_every_abstention_is_on_record_too(world: World, trigger: Callable[[World], JsonObject], reason: str) -> None:
    response = trigger(world)
    seen = world.desk.audit(str(response["receipt_id"]))
    assert seen["abstained"] == reason


@cites("MATM-058")
def test_a_receipt_is_for_its_consumer_and_for_those_who_audit(world: World) -> None:
    receipt = str(world.ask(QUESTION)["receipt_id"])
    assert world.desk.audit(receipt, actor=CONSUMER)["consumer"] == CONSUMER
    with pytest.raises(NotFound):
        world.desk.audit(receipt, actor=FOREIGN_READER)


def test_an_open_conflict_near_the_question_is_named_beside_the_answer(world: World) -> None:
    old = world.keep("Checkout retries a payment three times", memory_kind="decision")
    new = world.keep("Checkout retries a payment five times", memory_kind="decision", conflicts_with=[old])
    answer = world.keep("Checkout has three regions")
    far = world.ask(QUESTION)
    assert told(far, "claim") == [answer]
    (notice,) = notices(far, "conflict")
    assert named(notice) == sorted([old, new])
    (warning,) = warnings(far, answer)
    assert old in warning
    assert new in warning
    assert notices(world.ask("zeppelin"), "conflict") == []
    assert notices(world.ask(QUESTION, scopes=("agent_team",)), "conflict") == []


def test_a_claim_that_is_long_due_for_review_is_told_with_a_warning(world: World) -> None:
    record = world.keep("Checkout has three regions")
    assert warnings(world.ask(QUESTION), record) == []
    world.clock.forward(91 * DAY)
    assert warnings(world.ask(QUESTION), record) == ["its review was due at 2026-09-22T12:00:00Z"]


@each(
    ("data", "field"),
    [
        (b"[]", "/"),
        (b'{"schema_version": "llmwikis.matm.memory-event.v1"}', "/"),
        (b'{"schema_version": "llmwikis.matm.retrieval-request.v1", "request_id": "r"}', "/"),
    ],
)
def test_what_is_no_request_is_refused_with_its_place(data: bytes, field: str) -> None:
    with pytest.raises(Malformed) as error:
        read_request(data)
    assert error.value.field == field


def test_a_held_event_is_no_outcome_yet(world: World) -> None:
    assert world.emit(world.event("Checkout has three regions")).verdict.outcome is Outcome.HELD
