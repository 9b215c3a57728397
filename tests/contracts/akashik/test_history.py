"""What lasts: restarts, crashes, the log, replay, compaction, and many agents at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from tests.cases import each
from tests.contracts.akashik.field import POLICY_TEXT, Field, a_list, an_object, attune, contents, field_policy, finding
from tests.contracts.akashik.test_conflicts import disputed, merge
from tests.contracts.cites import cites
from tests.support.faults import Crash, CrashingStore
from tests.support.memory_store.store import MemoryTenant
from tests.support.world import simulated_memory

from muniment import Memory
from muniment.contracts.akashik.validation import check_document
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.value import canonical


def opened(folder: Path) -> Field:
    file = folder / "policy.yaml"
    file.write_text(POLICY_TEXT)
    return Field(Memory.open(folder / "vault", policy=file))


def epochs(answer: JsonObject) -> list[int]:
    return [int(str(an_object(one)["epoch"])) for one in a_list(answer["timeline"])]


def kinds(answer: JsonObject) -> list[str]:
    return [str(an_object(one)["event_type"]) for one in a_list(answer["timeline"])]


def replay(
    field: Field, type_: str, target: str, depth: str = "full_trace", *, session: str | None = None
) -> JsonObject:
    payload: JsonObject = {"target_type": type_, "target_id": target, "depth": depth}
    return field.ask("REPLAY", "chief", payload, session=session)


def test_units_and_conflicts_are_there_again_after_a_restart(tmp_path: Path) -> None:
    field, name, old, new = disputed(opened(tmp_path).join("scout", "analyst"))
    before = [field.unit(old), field.unit(new), field.conflict(name)]
    field.memory.close()
    again = opened(tmp_path)
    assert [again.unit(old), again.unit(new), again.conflict(name)] == before
    again.memory.close()


@cites("AKAS-034")
def test_a_crash_at_any_touch_of_a_write_leaves_a_field_that_goes_on() -> None:
    store = CrashingStore(MemoryTenant("default"))
    rehearsal = Field(simulated_memory(store, policy=field_policy())).join("scout", "analyst")
    store.arm(None)
    rehearsal.ask("RECORD", "scout", finding("The harbour is deep"))
    assert store.touches > 10
    for touch in range(1, store.touches + 1, 3):
        inner = MemoryTenant("default")
        doomed = CrashingStore(inner)
        field = Field(simulated_memory(doomed, policy=field_policy())).join("scout", "analyst")
        kept = field.ask("RECORD", "scout", finding("The orchard is large"))
        doomed.arm(touch)
        with suppress(Crash):
            field.ask("RECORD", "scout", finding("The harbour is deep"))
        after = Field(simulated_memory(inner, policy=field_policy(), seed=touch), prefix="later")
        assert after.unit(str(kept["memory_unit_id"]))["content"] == "The orchard is large"
        assert after.ask("RECORD", "scout", finding("The quarry is closed"))["status"] == "accepted"
        assert {"The orchard is large", "The quarry is closed"} <= set(
            contents(after.ask("ATTUNE", "analyst", attune()))
        )


@cites("AKAS-036")
def test_state_that_is_rebuilt_from_the_log_is_the_live_state() -> None:
    field, name, old, new = disputed()
    merge(field, name, "last_write_wins")
    before = [field.unit(old), field.unit(new), field.conflict(name)]
    rebuilt = field.memory.ledger.replay()
    assert (rebuilt.identical, rebuilt.entries) == (True, field.memory.ledger.head().seq)
    assert [field.unit(old), field.unit(new), field.conflict(name)] == before


def test_every_write_leaves_an_entry_and_past_entries_stay_as_they_are() -> None:
    field, name, *_ = disputed()
    before = [canonical(entry) for entry in field.memory.ledger.entries()]
    merge(field, name, "last_write_wins")
    field.ask("COMPACT", "senior", {"strategy": "archive"})
    after = [canonical(entry) for entry in field.memory.ledger.entries()]
    assert len(after) > len(before)
    assert after[: len(before)] == before


@cites("AKAS-039", "AKAS-104")
def test_many_agents_record_at_once_and_a_reader_who_follows_misses_none(tmp_path: Path) -> None:
    first = opened(tmp_path).join("scout", "analyst", "senior", "chief")
    second = opened(tmp_path)
    rival = first.ask("RECORD", "chief", finding("The harbour is deep"))
    links: list[Json] = [{"type": "contradicts", "target_id": str(rival["memory_unit_id"])}]
    agents = ("scout", "analyst", "senior", "chief")

    def record(number: int) -> JsonObject:
        field, agent = (first, second)[number % 2], agents[number % 4]
        with_conflict: JsonObject = {"relations": links} if number % 8 == 0 else {}
        message = field.message("RECORD", agent, finding(f"Sounding {number} at buoy {number * 7}", **with_conflict))
        return field.send({**message, "id": f"m-{number}"})

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(record, range(48)))
    assert {one["status"] for one in answers} == {"accepted"}
    assert len({str(one["memory_unit_id"]) for one in answers}) == 48
    positions = [int(str(one["epoch"])) for one in answers]
    assert len(set(positions)) == 48
    seen = [entry.seq for entry in first.memory.ledger.entries()]
    assert seen == list(range(1, len(seen) + 1))
    assert set(positions) <= set(seen)
    declared = sum(len(a_list(one["conflicts_detected"])) for one in answers)
    assert declared == 6
    assert len(a_list(first.ask("DETECT", "chief", {"mode": "list"})["conflicts"])) == 6
    first.memory.close()
    second.memory.close()


@cites("AKAS-106")
def test_two_agents_that_supersede_one_unit_at_once_leave_one_successor_or_a_conflict(tmp_path: Path) -> None:
    field = opened(tmp_path).join("scout", "analyst", "senior", "chief")
    first = field.ask("RECORD", "chief", finding("The harbour is deep"))
    name = str(first["memory_unit_id"])
    links: list[Json] = [{"type": "supersedes", "target_id": name}]
    texts = ("The harbour is 12 metres deep", "The harbour is 15 metres deep")

    def replace(number: int) -> JsonObject:
        message = field.message("RECORD", ("scout", "analyst")[number], finding(texts[number], relations=links))
        return field.send({**message, "id": f"m-{number}"})

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(replace, range(2)))
    accepted = [one for one in answers if one.get("status") == "accepted"]
    assert field.unit(name)["status"] == "superseded"
    conflicts = a_list(field.ask("DETECT", "chief", {"mode": "list"})["conflicts"])
    assert len(accepted) == 1 or len(conflicts) >= 1
    field.memory.close()


@cites("AKAS-073")
def test_the_full_trace_of_a_unit_is_every_event_of_its_chain_in_order_from_the_log() -> None:
    field = Field().join("scout", "analyst", "chief")
    old = str(field.ask("RECORD", "scout", finding("The harbour is deep"))["memory_unit_id"])
    links: list[Json] = [{"type": "supersedes", "target_id": old}]
    new = str(field.ask("RECORD", "analyst", finding("The harbour silted up", relations=links))["memory_unit_id"])
    field.ask("RECORD", "scout", finding("The orchard is large"))
    field.memory.as_actor("analyst").review.retract(new, reason="dredged since")
    answer = replay(field, "memory_unit", old)
    assert check_document("replay_response", answer) == ()
    assert kinds(answer) == ["memory.recorded", "memory.recorded", "memory.superseded", "memory.retracted"]
    assert [an_object(one)["memory_unit_id"] for one in a_list(answer["timeline"])] == [old, new, old, new]
    assert epochs(answer) == sorted(epochs(answer))
    assert replay(field, "memory_unit", new)["timeline"] == answer["timeline"]
    assert field.memory.ledger.replay().identical
    assert replay(field, "memory_unit", old)["timeline"] == answer["timeline"]


@cites("AKAS-074")
def test_a_replay_is_short_between_or_whole_and_never_a_part() -> None:
    field, name, old, _ = disputed()
    merge(field, name, "last_write_wins")
    summary, detailed, full = (
        replay(field, "memory_unit", old, depth) for depth in ("summary", "detailed", "full_trace")
    )
    assert summary["timeline"] == []
    assert "7 events" in str(summary["summary"])
    assert summary["agents_involved"] == ["analyst", "scout", "senior"]
    assert 0 < len(kinds(detailed)) <= len(kinds(full)) == full["total_events"] == summary["total_events"]
    assert replay(field, "memory_unit", "mem-404")["code"] == "UNIT_NOT_FOUND"
    small = Field(field.memory, replay_limit=3, prefix="small")
    refused = replay(small, "memory_unit", old)
    assert (refused["code"], "timeline" in refused) == ("REPLAY_TOO_LARGE", False)
    assert replay(small, "memory_unit", old, "summary")["status"] == "ok"


@cites("AKAS-074")
def test_the_detailed_replay_leaves_out_what_changed_no_state() -> None:
    field = Field().join("scout", "chief")
    name = str(field.ask("RECORD", "scout", finding("The harbour is deep"))["memory_unit_id"])
    links: list[Json] = [{"type": "depends_on", "target_id": name}]
    above = str(field.ask("RECORD", "scout", finding("Ships may enter", relations=links))["memory_unit_id"])
    field.memory.as_actor("scout").review.retract(name, reason="silted up")
    assert kinds(replay(field, "memory_unit", above, "detailed")) == ["memory.recorded"]
    assert kinds(replay(field, "memory_unit", above)) == ["memory.recorded", "memory.reassessed"]


@cites("AKAS-075")
def test_all_five_targets_can_be_replayed_and_a_conflict_with_both_its_units_and_its_merge() -> None:
    field, name, old, new = disputed()
    merge(field, name, "last_write_wins")
    answer = replay(field, "conflict", name)
    assert {an_object(one)["memory_unit_id"] for one in a_list(answer["timeline"])} == {old, new, None}
    assert kinds(answer)[-1] == "conflict.resolved"
    assert answer["agents_involved"] == ["analyst", "scout", "senior"]
    intent: JsonObject = {"purpose": "plan", "task_id": "t-1"}
    plan = field.ask("RECORD", "scout", finding("We enter", type="decision", intent=intent))
    noted = field.meet("s-1", "chief", "scout").ask("RECORD", "scout", finding("The room is warm"), session="s-1")
    assert kinds(replay(field, "decision", str(plan["memory_unit_id"]))) == ["memory.recorded"]
    (task,) = a_list(replay(field, "task", "t-1")["timeline"])
    assert (an_object(task)["memory_unit_id"], an_object(task)["task_id"]) == (plan["memory_unit_id"], "t-1")
    told = replay(field, "session", "s-1", session="s-1")
    assert kinds(told) == ["session.create", "session.join", "memory.recorded"]
    assert an_object(a_list(told["timeline"])[-1])["memory_unit_id"] == noted["memory_unit_id"]
    assert kinds(replay(field, "session", "s-1")) == kinds(told)
    outside: JsonObject = {"target_type": "session", "target_id": "s-1", "depth": "full_trace"}
    assert field.ask("REPLAY", "senior", outside)["code"] == "UNIT_NOT_FOUND"
    assert replay(field, "session", "s-404")["code"] == "UNIT_NOT_FOUND"


@cites("AKAS-076", "AKAS-079")
def test_what_is_archived_is_told_when_asked_for_is_replayed_and_shortens_no_log() -> None:
    field = Field().join("scout", "analyst", "senior", "chief")
    name = str(field.ask("RECORD", "scout", finding("The harbour is deep"))["memory_unit_id"])
    before = [canonical(entry) for entry in field.memory.ledger.entries()]
    answer = field.ask("COMPACT", "senior", {"strategy": "archive"})
    assert check_document("compact_response", answer) == ()
    assert (answer["units_affected"], answer["synthesis_units_created"]) == (1, 0)
    assert contents(field.ask("ATTUNE", "analyst", attune())) == []
    assert contents(field.ask("ATTUNE", "analyst", attune(include_archived=True))) == ["The harbour is deep"]
    assert kinds(replay(field, "memory_unit", name))[0] == "memory.recorded"
    after = [canonical(entry) for entry in field.memory.ledger.entries()]
    assert len(after) > len(before)
    assert after[: len(before)] == before


@cites("AKAS-077")
def test_a_summary_elaborates_each_original_and_the_originals_are_archived() -> None:
    field = Field().join("scout", "analyst", "senior", "chief").meet("s-1", "chief", "scout")
    made = [
        str(field.ask("RECORD", "scout", finding(text), session=session)["memory_unit_id"])
        for text, session in (("The harbour is deep", None), ("The quarry is closed", None), ("It is warm", "s-1"))
    ]
    apart = field.ask("COMPACT", "chief", {"strategy": "summarize", "filter": {"session_id": "s-1"}})
    assert (apart["units_affected"], apart["synthesis_units_created"]) == (1, 1)
    answer = field.ask("COMPACT", "senior", {"strategy": "summarize"})
    assert (answer["units_affected"], answer["synthesis_units_created"]) == (2, 1)
    assert contents(field.ask("ATTUNE", "analyst", attune())) == [
        "In short (2):\n- The harbour is deep\n- The quarry is closed"
    ]
    units = [field.unit(one.record.id) for one in field.memory.insight.browse()]
    assert {str(unit["type"]) for unit in units} == {"synthesis"}
    links = [an_object(link) for unit in units for link in a_list(unit["relations"])]
    assert {(str(link["type"]), str(link["target_id"])) for link in links} == {("elaborates", name) for name in made}
    assert {one.record.id for one in field.memory.insight.browse(statuses=["archived"])} == set(made)


@cites("AKAS-078")
@each(
    ("bounds", "left"),
    [
        ({"types": ["question"]}, {"old", "young", "session"}),
        ({"session_id": "s-1"}, {"old", "young", "question"}),
        ({"status": ["superseded"]}, {"old", "young", "session", "question"}),
        ({"max_age_epochs": 2}, {"young", "session", "question"}),
        ({"max_age_epochs": 2, "types": ["question"]}, {"old", "young", "session", "question"}),
        ({"types": []}, {"old", "young", "session", "question"}),
        ({}, {"session"}),
    ],
)
def test_compacting_touches_exactly_what_its_filter_means(bounds: JsonObject, left: set[str]) -> None:
    field = Field().join("scout", "senior", "chief").meet("s-1", "chief", "scout", "senior")
    made = {
        "old": field.ask("RECORD", "scout", finding("The harbour is deep")),
        "young": field.ask("RECORD", "scout", finding("The quarry is closed")),
        "session": field.ask("RECORD", "scout", finding("It is warm"), session="s-1"),
        "question": field.ask("RECORD", "scout", finding("Who sweeps here?", type="question")),
    }
    names = {str(answer["memory_unit_id"]): word for word, answer in made.items()}
    answer = field.ask("COMPACT", "senior", {"strategy": "archive", "filter": bounds})
    assert answer["units_affected"] == 4 - len(left)
    assert {names[one.record.id] for one in field.memory.insight.browse()} == left
