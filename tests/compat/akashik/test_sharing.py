"""One Field, many hands: threads, a second process beside, an abrupt end; and nothing of it told twice or lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.akashik.field import POLICY_TEXT, Field, an_object, attune, contents, field_policy, finding
from tests.contracts.akashik.test_tasks import made, step
from tests.support.faults import Crash, CrashingStore
from tests.support.memory_store.store import MemoryTenant
from tests.support.world import simulated_memory

from muniment import Memory
from muniment.compat.akashik import FieldSettings
from muniment.contracts.strict.values import JsonObject
from muniment.model.note import NoteDraft


def opened(folder: Path, prefix: str) -> Field:
    file = folder / "policy.yaml"
    file.write_text(POLICY_TEXT)
    return Field(Memory.open(folder / "vault", policy=file, embedder=None), prefix=prefix)


def test_two_processes_on_one_store_see_each_others_agents_sessions_and_clock_at_once(tmp_path: Path) -> None:
    first, second = opened(tmp_path, "a"), opened(tmp_path, "b")
    first.join("scout", "chief")
    assert second.send(second.message("REGISTER", "scout", {"id": "scout", "role": "r"}))["code"] == "AGENT_ID_TAKEN"
    first.meet("s-1", "chief", "scout")
    second.names = first.names
    assert second.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")["status"] == "accepted"
    first.ask("SESSION", "chief", {"action": "pause", "session_id": "s-1"})
    paused = second.ask("RECORD", "scout", finding("The quarry is closed"), session="s-1")
    assert paused["code"] == "INVALID_TRANSITION"
    first.send(first.message("ATTUNE", "chief", attune(), epoch=5_000))
    assert second.ask("RECORD", "scout", finding("The orchard is large"))["epoch"] == 5_001
    second.ask("DEREGISTER", "scout", {"agent_id": "scout"})
    assert first.ask("RECORD", "scout", finding("Still here"))["code"] == "AGENT_NOT_REGISTERED"
    first.memory.close()
    second.memory.close()


def test_of_many_that_claim_one_task_at_once_one_gets_it(tmp_path: Path) -> None:
    fields = opened(tmp_path, "a"), opened(tmp_path, "b")
    agents = ("scout", "analyst", "senior", "chief")
    task = made(fields[0].join(*agents), "chief")

    def claim(number: int) -> JsonObject:
        return step(fields[number % 2], agents[number % 4], "claim", task)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(claim, range(8)))
    won = [one for one in answers if one.get("status") == "ok"]
    assert len(won) == 1
    assert {one.get("code") for one in answers if one not in won} == {"INVALID_TRANSITION"}
    assert fields[1].tasks.all[0].assignee == an_object(won[0]["task"])["assignee"]
    for field in fields:
        field.memory.close()


def test_of_many_that_register_one_id_at_once_one_does(tmp_path: Path) -> None:
    field = opened(tmp_path, "a")

    def register(number: int) -> JsonObject:
        message = field.message("REGISTER", "scout", {"id": "scout", "role": f"role-{number}"})
        return field.send({**message, "id": f"r-{number}"})

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(register, range(8)))
    assert sorted(str(one.get("status") or one.get("code")) for one in answers) == ["AGENT_ID_TAKEN"] * 7 + [
        "registered"
    ]
    field.memory.close()


@each("operation", ["REGISTER", "COORDINATE", "SESSION", "SUBSCRIBE", "HANDOFF"])
def test_a_crash_at_any_touch_of_a_turn_leaves_all_of_it_or_nothing(operation: str) -> None:
    payloads: dict[str, JsonObject] = {
        "REGISTER": {"id": "human", "role": "r"},
        "COORDINATE": {"action": "start", "task": {"id": "task-6"}},
        "SESSION": {"action": "create", "goal": "g"},
        "SUBSCRIBE": {"action": "subscribe", "subscription": {"events": ["memory.recorded"]}},
        "HANDOFF": {"action": "offer", "task_id": "task-6", "to_agent": "scout"},
    }

    def prepared(store: CrashingStore) -> tuple[Field, JsonObject]:
        field = Field(simulated_memory(store, policy=field_policy())).join("scout", "chief", "senior")
        assert made(field, "chief", assignee="chief") == "task-6"
        agent = "human" if operation == "REGISTER" else "chief"
        return field, field.message(operation, agent, payloads[operation])

    rehearsal = CrashingStore(MemoryTenant("default"))
    field, message = prepared(rehearsal)
    rehearsal.arm(None)
    assert "code" not in field.send(message)
    assert rehearsal.touches > 3
    for touch in range(1, rehearsal.touches + 1):
        inner = MemoryTenant("default")
        doomed = CrashingStore(inner)
        field, message = prepared(doomed)
        doomed.arm(touch)
        with pytest.raises(Crash):
            field.send(message)
        after = Field(simulated_memory(inner, policy=field_policy()), prefix="later")
        assert after.memory.ledger.verify().ok
        assert "code" not in after.send(message)
        assert after.send(message) == after.send(message)
        assert after.ask("RECORD", "scout", finding("The harbour is deep"))["status"] == "accepted"


def test_a_unit_that_was_announced_for_comparing_and_never_written_is_forgotten_about() -> None:
    field = Field(settings=FieldSettings(detection_timeout_ms=0)).join("scout", "analyst", "chief")
    inner = field.real._room.notebook
    inner.turn("scout", lambda _: ((NoteDraft(topic="deferred", key="x:lost", body='"scout"'),), None))
    for agent, text in (("scout", "The market grows at 23 percent"), ("analyst", "The market grows at 14 percent")):
        assert field.ask("RECORD", agent, finding(text))["conflict_detection"] == "deferred"
    assert field.real.sweep() == 1
    assert field.real.sweep() == 0
    assert [note.key for note in inner.read("deferred")] == ["x:lost"]


def test_the_ledger_of_a_field_is_whole_and_its_state_is_what_the_notes_say(tmp_path: Path) -> None:
    field = opened(tmp_path, "a").join("scout", "analyst", "chief").meet("s-1", "chief", "scout")
    task = made(field, "scout", assignee="scout")
    field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")
    step(field, "scout", "start", task)
    assert field.memory.ledger.verify().ok
    before = field.real._room.state()
    assert field.memory.ledger.replay().identical
    again = Field(field.memory, prefix="again").real._room.state()
    assert again == before
    assert contents(field.ask("ATTUNE", "chief", attune(), session="s-1")) == ["The harbour is deep"]
    field.memory.close()
