"""What a store shows of its own use: figures from its receipts and its ledger, and against labels of its own."""

from __future__ import annotations

import json

import msgspec
import pytest
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.matm.at_work import CONSUMER, FOREIGN_READER, STEWARD, World
from tests.support.memory_store.store import MemoryTenant
from tests.support.world import simulated_memory

from matm_evaluation.evaluation import field_section
from matm_evaluation.field import Retrieval, Statuses, Told, is_outside, retrieval_figures, retrievals
from matm_evaluation.figures import Figure
from matm_evaluation.labels import Labels, label_figures, read_labels
from muniment.compat.matm.desk import matm_policy
from muniment.model.actor import Actor
from muniment.model.claim import Charter, Place
from muniment.model.errors import Malformed, NotPermitted
from muniment.model.query import Query
from muniment.model.status import Status
from muniment.model.times import DAY
from muniment.model.vocabulary import ActorType, Scope

QUESTION = "How many regions has checkout?"


@pytest.fixture
def world() -> World:
    return World()


def by_name(found: tuple[Figure, ...]) -> dict[str, float | None]:
    return {one.name: one.value for one in found}


def measured(world: World) -> dict[str, float | None]:
    return by_name(field_section(world.memory, now=world.clock.now()))


def one_told(**fields: object) -> Told:
    usual = {"record": "r", "bounded": True, "outside": False, "over": False, "above": False, "status": Status.ACTIVE}
    return Told(**{**usual, "tokens": 3, **fields})  # type: ignore[arg-type]  # keywords of one value


def asked(*told: Told, past: bool = False, unseen: int = 0) -> Retrieval:
    return Retrieval(
        receipt="rcp", reader="ana", abstained=not told and not unseen, past=past, told=told, unseen=unseen
    )


@cites("MATM-067")
def test_the_figures_of_retrievals_by_hand() -> None:
    found = by_name(
        tuple(
            retrieval_figures(
                [
                    asked(one_told(), one_told(outside=True), one_told(bounded=False)),
                    asked(one_told(over=True), one_told(status=Status.DEPRECATED), one_told(above=True)),
                    asked(one_told(over=True, status=Status.SUPERSEDED), past=True),
                    asked(unseen=2),
                    asked(),
                ]
            )
        )
    )
    assert found == {
        "leak rate": 1 / 6,
        "told and not open to this auditor": 2.0,
        "stale retrieval": 1 / 6,
        "deprecated retrieval": 1 / 6,
        "told above what was asked": 1 / 7,
        "retrievals with an answer": 4 / 5,
        "tokens per retrieval": 21 / 5,
    }


def test_of_no_retrieval_there_is_no_figure() -> None:
    assert {one.value for one in retrieval_figures([])} == {None}


@pytest.mark.parametrize(
    ("asked_for", "reader", "bounded", "outside"),
    [
        (Query(text="q"), Actor(id="a", projects=("checkout",)), True, False),
        (Query(text="q"), Actor(id="a", projects=("billing",)), True, True),
        (Query(text="q"), Actor(id="a", projects=("billing",)), False, False),
        (Query(text="q", scopes=(Scope.AGENT_TEAM,)), Actor(id="a", projects=("checkout",)), True, True),
        (Query(text="q", scope_ids=("billing",)), Actor(id="a", projects=("checkout",)), False, True),
    ],
)
def test_what_is_told_outside_its_place_or_the_question_is_a_leak(
    world: World, asked_for: Query, reader: Actor, bounded: bool, outside: bool
) -> None:
    record = world.memory.get(world.keep("Checkout has three regions")).record
    assert is_outside(reader, asked_for, record, bounded=bounded) is outside


def test_what_a_charter_does_not_open_to_a_reader_is_a_leak_whoever_reads(world: World) -> None:
    record = world.memory.get(world.keep("Checkout has three regions")).record
    place = Place(scope=Scope.X_USER_IDENTITY, scope_id="ana")
    charter = Charter(lawful_basis="contract", access=("reader.1",), reviewer="r")
    about = msgspec.structs.replace(record, claim=msgspec.structs.replace(record.claim, place=place, charter=charter))
    assert not is_outside(Actor(id="reader.1"), Query(text="q"), about, bounded=False)
    assert is_outside(Actor(id="reader.2"), Query(text="q"), about, bounded=False)


@cites("MATM-068")
def test_a_leak_of_the_past_is_found_in_the_receipts() -> None:
    """What was told under a policy that opened every place stands in the receipts, and is found under a strict one."""
    rules = matm_policy()
    wide = tuple(msgspec.structs.replace(rule, member=False) for rule in rules.read)
    store = MemoryTenant("default")
    owner = Actor(id="owner", type=ActorType.PERSON, roles=("owner",))
    lax = World(memory=simulated_memory(store, actor=owner, policy=msgspec.structs.replace(rules, read=wide)))
    lax.keep("Checkout has three regions")
    assert len(lax.memory.as_actor(FOREIGN_READER).recall(QUESTION).records) == 1
    assert len(lax.memory.as_actor(CONSUMER).recall(QUESTION).records) == 1
    assert measured(lax)["leak rate"] is None, "under that policy nobody is bounded"
    strict = World(memory=simulated_memory(store, seed=1, actor=owner, policy=rules))
    assert measured(strict)["leak rate"] == 1 / 2


@cites("MATM-068")
def test_what_was_told_in_time_and_in_force_counts_as_such_when_it_is_over_later(world: World) -> None:
    record = world.keep("Checkout has three regions", expires_at="2026-06-26T00:00:00Z")
    world.ask(QUESTION)
    world.clock.forward(3 * DAY)
    world.memory.as_actor(STEWARD).review.retire(record, becomes="deprecated", reason="it is over")
    found = measured(world)
    assert (found["leak rate"], found["stale retrieval"], found["deprecated retrieval"]) == (0.0, 0.0, 0.0)
    (one,) = retrievals(world.memory, Statuses(world.memory.ledger.entries()))
    assert [(told.record, told.status) for told in one.told] == [(record, Status.ACTIVE)]


def test_a_status_is_the_one_of_that_position(world: World) -> None:
    record = world.keep("Checkout has three regions")
    before = world.memory.ledger.head().seq
    world.memory.as_actor(STEWARD).review.retire(record, becomes="deprecated", reason="it is over")
    entries = world.memory.ledger.entries()
    (rid,) = (one.rid for entry in entries for one in entry.births)
    statuses = Statuses(entries)
    assert (statuses.at(rid, before), statuses.at(rid, before + 1)) == (Status.ACTIVE, Status.DEPRECATED)


def test_a_listing_is_no_retrieval(world: World) -> None:
    world.keep("Checkout has three regions")
    world.desk.export(actor=STEWARD)
    assert retrievals(world.memory, Statuses(world.memory.ledger.entries())) == ()
    world.ask(QUESTION)
    world.ask("zeppelin")
    found = retrievals(world.memory, Statuses(world.memory.ledger.entries()))
    assert [(one.reader, len(one.told), one.abstained) for one in found] == [(CONSUMER, 1, False), (CONSUMER, 0, True)]


def test_what_is_measured_leaves_no_trace_among_the_retrievals(world: World) -> None:
    world.keep("Checkout has three regions")
    world.ask(QUESTION)
    first, second = measured(world), measured(world)
    timed = ("listing, per record", "per retrieval decided again, median")
    growing = ("storage per record", "storage per decided proposal")
    steady = [name for name in first if name not in (*timed, *growing)]
    assert [first[name] for name in steady] == [second[name] for name in steady]
    assert first["decided again the same"] == 1.0
    assert first["per retrieval decided again, median"] is not None


@cites("MATM-069")
def test_the_figures_of_decisions_by_hand(world: World) -> None:
    kept = world.keep("Checkout has three regions")
    world.keep("The key AKIAIOSFODNN7EXAMPLE stands in the log of the build", memory_kind="risk")
    held = world.emit(world.event("The build is green"))
    world.clock.forward(DAY)
    world.desk.decide(held.event, actor=STEWARD, accept=True, reason="fits", scope=Scope.AGENT_REPO, scope_id="docs")
    world.emit(world.event("Checkout has three regions"))
    world.emit(world.event("Something else waits"))
    world.memory.as_actor(STEWARD).review.retract(kept, reason="it was wrong")
    found = measured(world)
    assert found["refused"] == 1 / 4
    assert found["refused as redundant"] == 1 / 4
    assert found["suggestion kept"] == 2 / 3
    assert found["taken back"] == 1 / 3
    assert found["secrets taken out"] == 1.0
    assert found["answered by a person"] == 3 / 4
    assert found["waiting now"] == 1.0
    assert found["wait for an answer, median"] == 0.0
    assert found["conflicts ever opened"] == 0.0


def test_the_wait_is_counted_from_the_proposal_to_the_answer(world: World) -> None:
    held = world.emit(world.event("Checkout has three regions"))
    world.clock.forward(DAY + DAY // 4)
    world.desk.decide(held.event, actor=STEWARD, accept=True, reason="checked")
    assert measured(world)["wait for an answer, median"] == 30.0


def test_who_may_not_audit_measures_nothing(world: World) -> None:
    with pytest.raises(NotPermitted):
        field_section(world.memory.as_actor(CONSUMER), now=world.clock.now())


@cites("MATM-067")
def test_with_labels_of_its_own_a_store_measures_its_routing_and_its_conflicts(world: World) -> None:
    world.accept(world.event("Checkout retries three times", event_id="e1", memory_kind="decision"))
    world.accept(
        world.event("Checkout retries five times", event_id="e2", memory_kind="decision", conflicts_with=["e1"])
    )
    world.accept(world.event("The build is green", event_id="e3"))
    world.emit(world.event("Forget this", event_id="e4", suggested_scope="discard"))
    world.emit(world.event("It waits", event_id="e5"))
    gold = {
        "e1": "append:project",
        "e2": "conflict",
        "e3": "append:agent_team",
        "e4": "append",
        "e5": "append",
        "e6": "append",
    }
    labels = read_labels(json.dumps({"decisions": gold, "conflicts": [["e1", "e2"], ["e3", "e4"]]}).encode())
    found = by_name(tuple(label_figures(world.memory, labels)))
    assert found == {
        "routing accuracy": 2 / 4,
        "false admission": None,
        "false rejection": 1 / 4,
        "conflict precision": 1.0,
        "conflict recall": 1 / 2,
    }
    field = by_name(field_section(world.memory, now=world.clock.now(), labels=labels))
    assert field["routing accuracy"] == 2 / 4
    assert "routing accuracy" not in measured(world), "without labels it is not measured"


def test_labels_without_conflicts_say_nothing_of_them(world: World) -> None:
    assert [one.family for one in label_figures(world.memory, Labels(decisions={}))] == ["routing"] * 3


@each("labels", [{}, {"decisions": []}, {"decisions": {"e": "keep"}}, {"decisions": {"e": "append:mars"}}, {"mood": 1}])
def test_labels_that_cannot_be_read_are_told(labels: object) -> None:
    with pytest.raises(Malformed) as refused:
        read_labels(json.dumps(labels).encode())
    assert refused.value.field.startswith("labels")
