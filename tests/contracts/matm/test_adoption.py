"""A batch from elsewhere is previewed without a trace, waits as a whole, is let in by a person, and can be undone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.contracts.cites import cites
from tests.contracts.matm.at_work import CONSUMER, CURATOR, STEWARD, World, told

from muniment import Memory
from muniment.compat.matm.adoption import Adopted, Batch, adopt, batch_name
from muniment.compat.matm.desk import MatmHandler, policy_text
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import Malformed, NotFound, NotPermitted, Unreadable
from muniment.model.status import Status
from muniment.model.vocabulary import Disposition, Label, Outcome

QUESTION = "How many regions has checkout?"
REASON = "checked against the source"


@pytest.fixture
def world() -> World:
    return World()


def foreign(world: World, number: int, text: str, **fields: object) -> JsonObject:
    """An event of another installation."""
    event = world.event(text, event_id=f"far_{number}", source_agent={"agent_id": "far.producer"})
    return {**event, **fields}  # type: ignore[dict-item]  # JSON, as each test says


def batch(*documents: JsonObject) -> bytes:
    return json.dumps(documents).encode()


def take(world: World, data: bytes, *, preview: bool = False) -> Batch:
    return adopt(world.memory.as_actor(STEWARD), data, desk=world.desk, preview=preview)


def wheres(found: Batch) -> list[tuple[str, str]]:
    return [(one.origin, one.would.value) for one in found.entries]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@cites("MATM-061")
def test_what_is_imported_waits_with_its_foreign_origin_and_nothing_of_it_can_be_used(world: World) -> None:
    found = take(world, batch(foreign(world, 1, "Checkout has three regions")))
    assert [(one.outcome, one.would) for one in found.entries] == [(Outcome.HELD, Disposition.APPEND)]
    assert world.records() == 0
    assert told(world.ask(QUESTION)) == []
    (item,) = world.memory.review.queue()
    assert item.proposal.arrival is not None
    assert (item.proposal.arrival.contract, item.proposal.arrival.hold) == ("matm", True)
    world.memory.as_actor(STEWARD).imports.apply(found.name, reason=REASON)
    (kept,) = world.memory.insight.browse()
    assert (kept.record.id, kept.record.label) == ("far_1", Label.IMPORT)
    assert told(world.ask(QUESTION)) == ["far_1"]


@cites("MATM-061")
def test_not_even_a_reviewed_record_of_another_installation_is_usable_when_it_arrives(world: World) -> None:
    other = World()
    other.keep("Checkout has three regions")
    data = other.desk.export(actor=STEWARD)
    assert b'"reviewed"' in data
    found = take(world, data)
    assert [one.outcome for one in found.entries] == [Outcome.HELD]
    assert told(world.ask(QUESTION)) == []
    assert world.desk.curate() == (), "a machine lets in nothing that comes from elsewhere"


@cites("MATM-061")
def test_a_worker_may_not_import(world: World) -> None:
    with pytest.raises(NotPermitted):
        adopt(world.memory.as_actor(CONSUMER), batch(foreign(world, 1, "Checkout has regions")), desk=world.desk)


@cites("MATM-062")
def test_a_preview_lists_what_would_become_of_each_and_changes_nothing_on_disk(tmp_path: Path) -> None:
    world, policy, vault = World(), tmp_path / "matm.yaml", tmp_path / "vault"
    policy.write_text(policy_text())
    with Memory.open(vault, policy=policy) as memory:
        desk = MatmHandler(memory, curator=CURATOR, steward=STEWARD)
        held = desk.emit(json.dumps(world.event("Checkout has three regions")).encode(), actor="producer.tester")
        desk.decide(held.event, actor=STEWARD, accept=True, reason=REASON)
        other = desk.emit(json.dumps(world.event("The build is green")).encode(), actor="producer.tester")
        desk.decide(other.event, actor=STEWARD, accept=True, reason=REASON)
        data = batch(
            foreign(world, 1, "The cache has two levels"),
            foreign(world, 2, "Checkout has three regions"),
            foreign(world, 3, "Checkout has nine regions", conflicts_with=[held.event]),
            foreign(world, 4, "The build is amber", supersedes=[other.event]),
            foreign(world, 5, "The build note is over", memory_kind="deprecation", supersedes=[other.event]),
        )
        before, head = tree(vault), memory.ledger.head()
        found = adopt(memory, data, desk=desk, preview=True)
        assert tree(vault) == before
        assert memory.ledger.head() == head
        assert memory.review.queue() == ()
    assert found.preview
    assert wheres(found) == [
        ("far_1", "append"),
        ("far_2", "append"),
        ("far_3", "conflict"),
        ("far_4", "update"),
        ("far_5", "deprecate"),
    ]
    assert found.counts == {"append": 2, "conflict": 1, "deprecate": 1, "update": 1}


def test_taking_in_ends_as_the_preview_said(world: World) -> None:
    old = world.keep("Checkout has three regions")
    data = batch(
        foreign(world, 1, "Checkout has nine regions", conflicts_with=[old]),
        foreign(world, 2, "The cache has two levels"),
    )
    said = take(world, data, preview=True)
    found = take(world, data)
    assert wheres(found) == wheres(said) == [("far_1", "conflict"), ("far_2", "append")]
    verdicts = world.memory.as_actor(STEWARD).imports.apply(found.name, reason=REASON)
    assert [one.decision.value for one in verdicts] == ["conflict", "append"]


def test_the_same_file_again_is_the_same_batch_and_changes_nothing(world: World) -> None:
    data = batch(foreign(world, 1, "Checkout has three regions"))
    first, second = take(world, data), take(world, data)
    assert first == second
    assert first.name == batch_name(data)
    assert len(world.memory.review.queue()) == 1


def test_events_of_a_batch_may_speak_of_each_other(world: World) -> None:
    data = batch(
        foreign(world, 1, "The guide says to restart the worker"),
        foreign(world, 2, "That guide is over", memory_kind="deprecation", supersedes=["far_1"]),
    )
    found = take(world, data)
    assert [one.outcome for one in found.entries] == [Outcome.HELD, Outcome.HELD]
    world.memory.as_actor(STEWARD).imports.apply(found.name, reason=REASON)
    assert world.memory.get("far_1").standing.status is Status.DEPRECATED
    assert world.memory.get("far_1").standing.successor == "far_2"


@cites("MATM-063")
def test_rolling_a_batch_back_restores_statuses_and_index_and_the_audit_keeps_both(world: World) -> None:
    disputed, replaced = world.keep("Checkout has three regions"), world.keep("The build is green")

    def seen() -> tuple[dict[str, Status], list[str], list[str], str]:
        return (
            {one.record.id: one.standing.status for one in world.memory.insight.browse()},
            told(world.ask(QUESTION)),
            told(world.ask("Which colour has the build?")),
            json.dumps(world.desk.directory(actor=CONSUMER)["entries"]),
        )

    before = seen()
    found = take(
        world,
        batch(
            foreign(world, 1, "Checkout has nine regions", conflicts_with=[disputed]),
            foreign(world, 2, "The build is amber", supersedes=[replaced]),
            foreign(world, 3, "The cache has two levels"),
        ),
    )
    steward = world.memory.as_actor(STEWARD)
    steward.imports.apply(found.name, reason=REASON)
    assert seen() != before
    undone = steward.imports.roll_back(found.name, reason="the wrong file")
    assert seen() == before
    assert sorted(undone.retracted) == ["far_1", "far_2", "far_3"]
    assert world.memory.get("far_3").standing.status is Status.RETRACTED
    happened = [(event.what, event.reason) for event in world.memory.history(replaced).revisions[0].events]
    assert happened == [
        ("committed as active", "checked"),
        ("became superseded", REASON),
        ("became active", "the wrong file"),
    ]
    assert world.memory.ledger.verify().ok


@cites("MATM-063")
def test_rolling_back_what_only_waited_dismisses_it(world: World) -> None:
    found = take(world, batch(foreign(world, 1, "Checkout has three regions")))
    undone = world.memory.as_actor(STEWARD).imports.roll_back(found.name, reason="the wrong file")
    assert (undone.dismissed, undone.retracted) == ((f"{found.name}.1",), ())
    assert world.memory.review.queue() == ()
    assert world.records() == 0


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"{", Unreadable),
        (b'[{"event_id": "x"}]', Malformed),
    ],
)
def test_a_file_that_cannot_be_read_takes_nothing_in(world: World, data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        take(world, data)
    assert world.memory.review.queue() == ()


def test_a_record_that_was_discarded_elsewhere_is_not_taken_in(world: World) -> None:
    document: JsonObject = {
        "schema_version": "llmwikis.matm.memory-record.v1",
        "record_id": "far_9",
        "kind": "fact",
        "scope": "project",
        "statement": "Lunch was late",
        "status": "discarded",
    }
    with pytest.raises(Malformed):
        take(world, batch(document))


def test_a_batch_nobody_took_in_cannot_be_rolled_back(world: World) -> None:
    with pytest.raises(NotFound):
        world.memory.as_actor(STEWARD).imports.roll_back("matm-none", reason="why not")


def test_an_entry_says_what_it_was_called_elsewhere(world: World) -> None:
    (entry,) = take(world, batch(foreign(world, 1, "Checkout has three regions"))).entries
    assert isinstance(entry, Adopted)
    assert (entry.origin, entry.proposal.endswith(".1")) == ("far_1", True)
