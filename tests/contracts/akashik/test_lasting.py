"""What a Field keeps beside its units, how its clock goes, and what it takes to be rid of something for good."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.akashik.field import POLICY_TEXT, Field, a_list, an_object, attune, contents, finding
from tests.contracts.akashik.test_levels import PAYLOADS
from tests.contracts.akashik.test_tasks import heard, listen, made
from tests.contracts.cites import cites

from muniment import Memory
from muniment.backends.sqlite.store import SqliteTenant
from muniment.compat.akashik import Credential, FieldSettings
from muniment.contracts.akashik.codes import code_of
from muniment.contracts.akashik.words import FieldOperation, MergeStrategy
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.actor import Actor
from muniment.model.errors import StoreFull

OLD, NEW = "The market grows at 23 percent a year", "The market grows at 14 percent a year"


def opened(folder: Path, prefix: str = "msg") -> Field:
    file = folder / "policy.yaml"
    file.write_text(POLICY_TEXT)
    return Field(Memory.open(folder / "vault", policy=file), prefix=prefix)


@cites("AKAS-033")
def test_agents_sessions_tasks_offers_and_subscriptions_are_there_again_after_a_restart(tmp_path: Path) -> None:
    field = listen(opened(tmp_path).join("scout", "analyst", "chief"), "analyst", "memory.recorded")
    field.meet("s-1", "chief", "scout")
    task = made(field, "scout", assignee="scout")
    offer: JsonObject = {"action": "offer", "task_id": task, "to_agent": "analyst"}
    assert field.ask("HANDOFF", "scout", offer)["status"] == "offered"
    unit = field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")["memory_unit_id"]
    field.memory.close()
    again = opened(tmp_path, "again")
    again.names = field.names
    assert [one.id for one in again.roster.members] == ["scout", "analyst", "chief"]
    assert contents(again.ask("ATTUNE", "chief", attune(), session="s-1")) == ["The harbour is deep"]
    assert again.ask("ATTUNE", "analyst", attune(), session="s-1")["code"] == "INSUFFICIENT_AUTHORITY"
    assert again.ask("HANDOFF", "analyst", {"action": "accept", "task_id": task})["status"] == "accepted"
    later = str(again.ask("RECORD", "scout", finding("The quarry is closed"))["memory_unit_id"])
    assert [one["memory_unit_id"] for one in again.mail("analyst")] == [later] != [unit]
    assert again.memory.ledger.verify().ok
    again.memory.close()


@cites("AKAS-035")
@each("operation", [word.value for word in FieldOperation])
def test_every_operation_leaves_an_event_in_a_log_that_only_grows(operation: str) -> None:
    field = Field().join("human", "b")
    task = made(field, "human", assignee="human")
    unit = field.ask("RECORD", "human", finding("The harbour is deep"))["memory_unit_id"]
    payloads: dict[str, JsonObject] = {word.value: payload for word, payload in PAYLOADS.items()}
    payloads["HANDOFF"] = {"action": "offer", "task_id": task, "to_agent": "b"}
    payloads["REPLAY"] = {"target_type": "memory_unit", "target_id": unit, "depth": "summary"}
    other = field.ask("RECORD", "b", finding("No", relations=[{"type": "contradicts", "target_id": unit}]))
    payloads["MERGE"] = {
        "conflict_id": a_list(other["conflicts_detected"])[0],
        "strategy": "last_write_wins",
        "resolution": {"rationale": "newer"},
    }
    owner = Credential(actor=field.memory.actor)
    before = field.real.status(owner)["events"]
    entries = field.memory.ledger.entries()
    agent = "a" if operation == "REGISTER" else "human"
    assert "code" not in field.ask(operation, agent, payloads[operation])
    assert int(str(field.real.status(owner)["events"])) > int(str(before))
    assert field.memory.ledger.entries()[: len(entries)] == entries


@cites("AKAS-038")
def test_a_message_of_a_later_epoch_moves_the_clock_past_it_for_good(tmp_path: Path) -> None:
    field = opened(tmp_path).join("scout", "analyst")
    first = field.ask("RECORD", "scout", finding("The orchard is large"))
    answer = field.send(field.message("RECORD", "scout", finding("The harbour is deep"), epoch=1_000))
    assert answer["epoch"] == 1_001
    unit = field.unit(str(answer["memory_unit_id"]))
    assert unit["epoch"] == 1_001
    assert field.unit(str(first["memory_unit_id"]))["epoch"] == first["epoch"]
    told = field.ask("ATTUNE", "analyst", attune(since_epoch=1_001))
    assert (contents(told), told["epoch"]) == (["The harbour is deep"], 1_001)
    read = field.send(field.message("ATTUNE", "analyst", attune(), epoch=2_000))
    assert read["epoch"] == 2_000
    field.memory.close()
    again = opened(tmp_path, "again")
    later = again.ask("RECORD", "scout", finding("The quarry is closed"))
    assert later["epoch"] == 2_001
    assert contents(again.ask("ATTUNE", "analyst", attune(since_epoch=2_001))) == ["The quarry is closed"]
    again.memory.close()


def test_a_message_of_an_earlier_epoch_never_moves_the_clock_back() -> None:
    field = Field().join("scout")
    first = field.ask("RECORD", "scout", finding("The harbour is deep"))
    second = field.send(field.message("RECORD", "scout", finding("The orchard is large"), epoch=0))
    assert int(str(second["epoch"])) == int(str(first["epoch"])) + 1


@cites("AKAS-103")
@each("epoch", [2**40 + 100, 2**53 - 1, 2**62])
@each("operation", ["RECORD", "ATTUNE", "COORDINATE", "REGISTER"])
def test_nobody_can_push_the_clock_to_its_end(operation: str, epoch: int) -> None:
    field = Field().join("scout")
    before = field.memory.ledger.head()
    payload = finding("The harbour is deep") if operation == "RECORD" else PAYLOADS[FieldOperation(operation)]
    agent = "a" if operation == "REGISTER" else "scout"
    assert field.send(field.message(operation, agent, payload, epoch=epoch))["code"] == "EPOCH_OVERFLOW"
    assert field.memory.ledger.head() == before


@cites("AKAS-064")
def test_detection_that_is_deferred_finds_the_conflict_later() -> None:
    field = Field(settings=FieldSettings(detection_timeout_ms=0)).join("scout", "analyst", "chief")
    field.ask("RECORD", "scout", finding(OLD))
    answer = field.ask("RECORD", "analyst", finding(NEW))
    assert (answer["status"], answer["conflicts_detected"], answer["conflict_detection"]) == (
        "accepted",
        [],
        "deferred",
    )
    scan, again = (field.ask("DETECT", "chief", {"mode": "scan"}) for _ in range(2))
    assert an_object(scan["scan_coverage"]) == {"units_scanned": 2, "new_conflicts_found": 1}
    assert an_object(again["scan_coverage"])["new_conflicts_found"] == 0
    (found,) = a_list(scan["conflicts"])
    assert an_object(found)["detected_by"] == "semantic"


@cites("AKAS-064")
def test_deferred_detection_is_made_up_for_when_somebody_attunes() -> None:
    field = Field(settings=FieldSettings(detection_timeout_ms=0)).join("scout", "analyst", "chief")
    for agent, text in (("scout", OLD), ("analyst", NEW)):
        field.ask("RECORD", agent, finding(text))
    assert len(a_list(field.ask("ATTUNE", "chief", attune())["conflicts"])) == 1


@cites("AKAS-087", "AKAS-107")
def test_no_view_shows_what_belongs_to_a_session_of_others() -> None:
    field = Field().join("scout", "analyst", "chief").meet("s-1", "chief", "scout")
    first = field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")
    links: list[Json] = [{"type": "contradicts", "target_id": first["memory_unit_id"]}]
    field.ask("RECORD", "chief", finding("The harbour is shallow", relations=links), session="s-1")
    name = field.names["s-1"]
    inside, outside = field.credential("scout"), field.credential("analyst")
    assert field.real.status(inside, "scout", name)["units"] == 2
    assert field.real.status(inside, "scout", name)["conflicts"] == 1
    assert len(a_list(field.real.conflicts(inside, "scout", name)["conflicts"])) == 1
    assert field.real.status(outside, "analyst")["units"] == 0
    assert field.real.status(outside)["conflicts"] == 0
    assert field.real.conflicts(outside)["conflicts"] == []
    for view in (field.real.status, field.real.agents, field.real.conflicts):
        assert view(outside, "analyst", name)["code"] == "SESSION_NOT_FOUND"
        assert view(outside, "analyst", "session-404")["code"] == "SESSION_NOT_FOUND"
        assert view(outside, "scout")["code"] == "UNAUTHENTICATED"
    assert contents(field.ask("ATTUNE", "analyst", attune())) == []


@cites("AKAS-087")
def test_a_field_that_is_open_across_sessions_shows_them_to_all() -> None:
    field = Field(settings=FieldSettings(cross_session=True)).join("scout", "analyst", "chief")
    field.meet("s-1", "chief", "scout")
    field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")
    assert contents(field.ask("ATTUNE", "analyst", attune())) == ["The harbour is deep"]
    assert field.real.status(field.credential("analyst"))["units"] == 1


@cites("AKAS-107")
def test_the_agents_of_a_field_are_listed_with_what_they_do() -> None:
    field = Field().join("scout", "chief").meet("s-1", "chief", "scout")
    task = made(field, "scout", assignee="scout")
    inside = field.ask(
        "COORDINATE", "chief", {"action": "create", "task": {"title": "t", "assignee": "chief"}}, session="s-1"
    )
    field.ask("COORDINATE", "scout", {"action": "start", "task": {"id": task}})
    listed = a_list(field.real.agents(Credential(actor=Actor(id="guest", authority=2)))["agents"])
    seen = {str(an_object(one)["id"]): an_object(one) for one in listed}
    assert (seen["scout"]["status"], seen["scout"]["current_task_id"]) == ("working", task)
    assert "current_task_id" not in seen["chief"]
    own = a_list(field.real.agents(field.credential("chief"), "chief", field.names["s-1"])["agents"])
    assert an_object(own[1])["current_task_id"] == an_object(inside["task"])["id"]


@cites("AKAS-097")
def test_a_purge_takes_authority_10_leaves_a_tombstone_and_the_content_nowhere(tmp_path: Path) -> None:
    field = opened(tmp_path).join("human", "chief", "scout")
    text = "The zeppelin is moored at quay nine"
    listen(field, "chief", "memory.recorded")
    unit = str(field.ask("RECORD", "scout", finding(text))["memory_unit_id"])
    field.ask("ATTUNE", "chief", attune())
    assert field.ask("COMPACT", "chief", {"strategy": "purge"})["code"] == "INSUFFICIENT_AUTHORITY"
    before = len(field.memory.ledger.entries())
    answer = field.ask("COMPACT", "human", {"strategy": "purge", "filter": {"types": ["finding"]}})
    assert (answer["units_affected"], answer["storage_reclaimed_bytes"]) == (1, len(text))
    assert contents(field.ask("ATTUNE", "chief", attune(include_archived=True))) == []
    asked: JsonObject = {"target_type": "memory_unit", "target_id": unit, "depth": "full_trace"}
    for agent in ("chief", "scout"):
        replayed = field.ask("REPLAY", agent, asked)
        last = an_object(a_list(replayed["timeline"])[-1])
        assert (last["event_type"], last["memory_unit_id"], last["agent_id"]) == ("memory.purged", unit, "human")
        assert "COMPACT" in str(last["description"])
    assert len(field.memory.ledger.entries()) > before
    assert field.mail("chief") == []
    assert field.memory.ledger.verify().ok
    field.memory.close()
    kept = b"".join(file.read_bytes() for file in sorted((tmp_path / "vault").rglob("*")) if file.is_file())
    assert b"zeppelin" not in kept


@cites("AKAS-097")
def test_a_purge_takes_the_summaries_along_that_repeat_what_it_purges(tmp_path: Path) -> None:
    field = opened(tmp_path).join("human", "scout")
    for text in ("The zeppelin is moored at quay nine", "The orchard is large"):
        field.ask("RECORD", "scout", finding(text))
    assert field.ask("COMPACT", "human", {"strategy": "summarize"})["synthesis_units_created"] == 1
    answer = field.ask("COMPACT", "human", {"strategy": "purge", "filter": {"status": ["superseded"]}})
    assert answer["units_affected"] == 3
    assert contents(field.ask("ATTUNE", "human", attune(include_archived=True, include_own=True))) == []
    field.memory.close()
    kept = b"".join(file.read_bytes() for file in sorted((tmp_path / "vault").rglob("*")) if file.is_file())
    assert b"zeppelin" not in kept


def test_the_replay_of_a_purged_unit_is_for_those_who_could_have_seen_it() -> None:
    field = Field().join("human", "scout", "analyst", "chief").meet("s-1", "chief", "scout", "human")
    unit = field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")["memory_unit_id"]
    asked: JsonObject = {"target_type": "memory_unit", "target_id": unit, "depth": "summary"}
    field.ask("COMPACT", "human", {"strategy": "purge"}, session="s-1")
    assert field.ask("REPLAY", "analyst", asked)["code"] == "UNIT_NOT_FOUND"
    assert field.ask("REPLAY", "scout", asked, session="s-1")["total_events"] == 2


@cites("AKAS-102")
def test_a_store_without_room_says_so_and_still_answers_reads(tmp_path: Path) -> None:
    field = opened(tmp_path).join("scout", "analyst")
    field.ask("RECORD", "scout", finding("Herons nest in March"))
    store = field.memory._session.tenant.store
    assert isinstance(store, SqliteTenant)
    store._connection.pragma("max_page_count", 1)  # what is there stays, and not a page more
    full = field.ask("RECORD", "scout", finding("Herons wade. " * 5_000))
    assert full["code"] == "STORAGE_FULL"
    assert code_of(StoreFull("full")) == "STORAGE_FULL"
    assert field.real.status(field.credential("analyst"))["units"] == 1
    store._connection.pragma("max_page_count", 2**30)
    assert contents(field.ask("ATTUNE", "analyst", attune())) == ["Herons nest in March"]
    assert field.memory.ledger.verify().ok
    field.memory.close()


@cites("AKAS-108")
@each("level", range(4))
def test_the_operations_and_strategies_that_are_told_are_those_that_are_there(level: int) -> None:
    field = Field(level=level).join("human")
    told = field.roster.capabilities
    observed = [
        operation.value
        for operation in FieldOperation
        if field.ask(operation.value, "human", PAYLOADS[operation]).get("code") != "UNSUPPORTED_OPERATION"
    ]
    assert (told["conformance_level"], told["supported_operations"]) == (level, observed)
    resolution: JsonObject = {"rationale": "r", "winner_id": "m"}
    refusals = ("UNSUPPORTED_OPERATION", "UNSUPPORTED_STRATEGY")
    settled = [
        word.value
        for word in MergeStrategy
        if field.ask("MERGE", "human", {"conflict_id": "c", "strategy": word.value, "resolution": resolution})["code"]
        not in refusals
    ]
    assert told["conflict_strategies"] == settled


@cites("AKAS-108")
@pytest.mark.parametrize(("level", "purges"), [(2, "UNSUPPORTED_STRATEGY"), (3, None)])
def test_every_way_to_compact_is_there_at_its_level(level: int, purges: str | None) -> None:
    field = Field(level=level).join("human")
    compacted = {word: field.ask("COMPACT", "human", {"strategy": word}) for word in ("archive", "summarize", "purge")}
    assert [compacted[word]["status"] for word in ("archive", "summarize")] == ["ok", "ok"]
    assert compacted["purge"].get("code") == purges


@cites("AKAS-050")
def test_a_strategy_above_the_level_is_refused() -> None:
    field = Field(level=2).join("human")
    merge: JsonObject = {"conflict_id": "c", "strategy": "vote", "resolution": {"rationale": "r", "winner_id": "m"}}
    assert field.ask("MERGE", "human", merge)["code"] == "UNSUPPORTED_STRATEGY"


def test_what_is_noted_of_a_session_is_heard_again_by_nobody_else() -> None:
    field = listen(Field().join("scout", "analyst", "chief"), "analyst", "session.paused", "session.ended")
    listen(field, "scout", "session.paused", "session.ended")
    field.meet("s-1", "chief", "scout")
    for action in ("pause", "resume", "end"):
        assert field.ask("SESSION", "chief", {"action": action, "session_id": "s-1"})["status"] == "ok"
    assert (heard(field, "scout"), heard(field, "analyst")) == (["session.paused", "session.ended"], [])
