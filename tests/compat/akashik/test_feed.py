"""What push carries: the same for whoever asks again, in windows of any size, after a restart, and within sight."""

from __future__ import annotations

from pathlib import Path

from tests.cases import each
from tests.contracts.akashik.field import POLICY_TEXT, Field, an_object, finding
from tests.contracts.akashik.test_conflicts import disputed, merge
from tests.contracts.akashik.test_tasks import listen, made, step

from muniment import Memory
from muniment.compat.akashik import debounced
from muniment.contracts.akashik.notices import LastNotified
from muniment.contracts.akashik.words import EventName
from muniment.contracts.strict.values import Json, JsonObject

ALL = [word.value for word in EventName]


def busy(field: Field) -> Field:
    """A Field in which something of everything happened after one agent began to listen."""
    listen(field.join("voter", "scout", "analyst", "senior", "chief", "human"), "voter", *ALL)
    _, conflict, *_ = disputed(field)
    merge(field, conflict, "last_write_wins")
    task = made(field, "senior", assignee="voter")
    step(field, "voter", "start", task)
    step(field, "voter", "complete", task, summary="done")
    field.meet("s-1", "chief", "voter")
    field.ask("SESSION", "chief", {"action": "pause", "session_id": "s-1"})
    return field.join("latecomer")


def heard(field: Field, limit: int, after: int = 0) -> list[JsonObject]:
    """All notices of one agent, asked for in windows of so many positions."""
    found: list[JsonObject] = []
    while True:
        notices = field.real.notices("voter", field.credential("voter"), after, limit)
        found += notices.documents
        if notices.epoch == field.epoch and not notices.documents:
            return found
        assert notices.epoch > after or notices.epoch == field.epoch
        if notices.epoch == after:
            return found
        after = notices.epoch


@each("limit", [1, 2, 5, 1_000])
def test_notices_are_the_same_in_windows_of_any_size(limit: int) -> None:
    field = busy(Field())
    whole = heard(field, 100_000)
    assert {str(one["event"]) for one in whole} >= {
        "memory.recorded",
        "memory.contested",
        "memory.superseded",
        "conflict.detected",
        "conflict.resolved",
        "task.assigned",
        "session.paused",
        "agent.joined",
    }
    assert heard(field, limit) == whole
    epochs = [int(str(one["epoch"])) for one in whole]
    assert epochs == sorted(epochs)


def test_a_listener_goes_on_where_it_was_without_a_gap_or_a_repetition() -> None:
    field = busy(Field())
    whole = heard(field, 100_000)
    for cut in sorted({int(str(one["epoch"])) for one in whole}):
        before = [one for one in whole if int(str(one["epoch"])) <= cut]
        assert before + heard(field, 7, after=cut) == whole


def test_notices_are_the_same_after_a_restart_and_in_another_process(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY_TEXT)
    with Memory.open(tmp_path / "vault", policy=file, embedder=None) as memory:
        field = busy(Field(memory))
        whole = heard(field, 64)
        with Memory.open(tmp_path / "vault", policy=file, embedder=None) as beside:
            assert heard(Field(beside, prefix="b"), 64) == whole
    with Memory.open(tmp_path / "vault", policy=file, embedder=None) as again:
        assert heard(Field(again, prefix="c"), 3) == whole


def test_what_was_before_a_subscription_is_not_told_under_it_and_an_ended_one_tells_nothing() -> None:
    field = Field().join("scout", "voter")
    field.ask("RECORD", "scout", finding("The harbour is deep"))
    wish: JsonObject = {"action": "subscribe", "subscription": {"events": ["memory.recorded"]}}
    made_ = field.ask("SUBSCRIBE", "voter", wish)
    assert made_["epoch"] == field.epoch
    later = field.ask("RECORD", "scout", finding("The quarry is closed"))["memory_unit_id"]
    assert [one["memory_unit_id"] for one in heard(field, 10)] == [later]
    name = an_object(made_["subscription"])["id"]
    field.ask("SUBSCRIBE", "voter", {"action": "unsubscribe", "subscription": {"id": name}})
    assert heard(field, 10) == []


def test_who_leaves_a_session_hears_no_more_of_it_not_even_what_was() -> None:
    field = listen(Field().join("scout", "voter", "chief"), "voter", "memory.recorded", "task.state_changed")
    field.meet("s-1", "chief", "voter", "scout")
    field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")
    field.ask("COORDINATE", "scout", {"action": "create", "task": {"title": "t"}}, session="s-1")
    assert [one["event"] for one in heard(field, 50)] == ["memory.recorded", "task.state_changed"]
    assert field.ask("SESSION", "voter", {"action": "leave", "session_id": "s-1"})["status"] == "ok"
    assert heard(field, 50) == []


def test_an_agent_that_takes_a_name_again_inherits_nothing() -> None:
    field = listen(Field().join("scout", "voter", "chief"), "voter", "memory.recorded")
    field.meet("s-1", "chief", "voter")
    assert field.ask("DEREGISTER", "voter", {"agent_id": "voter"})["status"] == "ok"
    field.join("voter")
    field.ask("RECORD", "scout", finding("The harbour is deep"))
    assert heard(field, 50) == []
    assert field.ask("SUBSCRIBE", "voter", {"action": "list"})["subscriptions"] == []
    assert field.ask("SESSION", "voter", {"action": "list"})["sessions"] == []


def test_relevance_is_by_what_never_changes() -> None:
    field = listen(Field().join("scout", "voter", "senior"), "voter", "memory.recorded")
    unit = field.ask("RECORD", "scout", finding("The harbour is deep"))["memory_unit_id"]
    before = heard(field, 50)
    links: list[Json] = [{"type": "contradicts", "target_id": unit}]
    field.ask("RECORD", "senior", finding("Ships touch ground", relations=links))
    assert heard(field, 50)[: len(before)] == before


def test_the_same_thing_is_held_back_until_its_time_and_another_is_not() -> None:
    def notice(unit: str | None, summary: str = "m became superseded") -> JsonObject:
        return {"subscription_id": "s", "memory_unit_id": unit, "conflict_id": None, "summary": summary}

    first, told = debounced([notice("m-1"), notice("m-1"), notice("m-2")], {"s": 100}, LastNotified(), 1_000)
    assert [one["memory_unit_id"] for one in first] == ["m-1", "m-2"]
    assert debounced([notice("m-1")], {"s": 100}, told, 1_099)[0] == ()
    assert len(debounced([notice("m-1")], {"s": 100}, told, 1_100)[0]) == 1
    tasks = [notice(None, "task-1 is assigned"), notice(None, "task-2 is assigned"), notice(None, "task-1 is pending")]
    assert debounced(tasks, {"s": 100}, LastNotified(), 0)[0] == tuple(tasks[:2])
    assert len(debounced(tasks, {}, LastNotified(), 0)[0]) == 3
