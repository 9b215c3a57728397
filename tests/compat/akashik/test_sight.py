"""What an agent sees from where it acts, on every way there is to see: answers, counts, conflicts, replays, notices."""

from __future__ import annotations

import pytest
from tests.cases import each
from tests.contracts.akashik.field import Field, a_list, an_object, attune, contents, finding
from tests.contracts.akashik.test_tasks import heard, listen

from muniment.compat.akashik import FieldSettings
from muniment.contracts.akashik.sessions import TypeRule
from muniment.contracts.akashik.words import UnitType
from muniment.contracts.strict.values import Json, JsonObject

COMMON, INSIDE = "The orchard is large", "The harbour is deep"


def two_places(settings: FieldSettings | None = None) -> Field:
    """A Field with one unit that belongs to no session and one of a session."""
    field = Field(settings=settings).join("scout", "analyst", "senior", "chief").meet("s-1", "chief", "scout", "senior")
    field.ask("RECORD", "analyst", finding(COMMON))
    field.ask("RECORD", "scout", finding(INSIDE), session="s-1")
    return field


@each(
    ("agent", "session", "seen"),
    [
        ("senior", None, [COMMON]),
        ("senior", "s-1", [INSIDE]),
        ("chief", None, [COMMON]),
        ("chief", "s-1", [COMMON, INSIDE]),
    ],
)
def test_where_one_acts_decides_what_one_sees(agent: str, session: str | None, seen: list[str]) -> None:
    field = two_places()
    answer = field.ask("ATTUNE", agent, attune(), session=session)
    assert sorted(contents(answer)) == sorted(seen)
    assert an_object(answer["context_budget"])["units_available"] == len(seen)
    followed = field.ask("ATTUNE", agent, attune(since_epoch=0), session=session)
    assert sorted(contents(followed)) == sorted(seen)
    assert an_object(followed["context_budget"])["units_available"] == len(seen)
    scanned = field.ask("DETECT", agent, {"mode": "scan"}, session=session)
    assert an_object(scanned["scan_coverage"])["units_scanned"] == len(seen)
    name = field.names["s-1"] if session is not None else None
    assert field.real.status(field.credential(agent), agent, name)["units"] == len(seen)


def test_what_belongs_to_no_session_can_be_shown_inside_of_one() -> None:
    field = two_places(FieldSettings(commons_in_sessions=True))
    assert sorted(contents(field.ask("ATTUNE", "senior", attune(), session="s-1"))) == sorted([COMMON, INSIDE])
    assert contents(field.ask("ATTUNE", "senior", attune())) == [COMMON]


def test_counts_leave_out_what_is_kept_from_an_authority() -> None:
    rule = TypeRule(types=frozenset({UnitType.DECISION}), least=6)
    field = Field(rules=(rule,)).join("scout", "analyst", "senior")
    first = field.ask("RECORD", "senior", finding("We enter the segment", type="decision"))["memory_unit_id"]
    field.ask("RECORD", "senior", finding("The harbour is deep"))
    links: list[Json] = [{"type": "contradicts", "target_id": first}]
    listen(field, "scout", "conflict.detected", "memory.contested", "memory.recorded")
    field.ask("RECORD", "senior", finding("We stay out of it", type="decision", relations=links))
    for agent, units, conflicts in (("scout", 1, 0), ("senior", 3, 1)):
        view = field.real.status(field.credential(agent), agent)
        assert (view["units"], view["conflicts"]) == (units, conflicts)
        answer = field.ask("ATTUNE", agent, attune(include_own=True))
        assert an_object(answer["context_budget"])["units_available"] == units
        assert len(a_list(answer["conflicts"])) == conflicts
        listed = field.ask("DETECT", agent, {"mode": "list"})
        assert len(a_list(listed["conflicts"])) == conflicts
        assert an_object(listed["scan_coverage"])["units_scanned"] == units
    assert heard(field, "scout") == []


def test_a_task_and_a_session_are_replayed_by_members_alone() -> None:
    field = two_places()
    made = field.ask("COORDINATE", "scout", {"action": "create", "task": {"title": "t"}}, session="s-1")
    task = an_object(made["task"])["id"]
    for kind, target in (("task", task), ("session", field.names["s-1"])):
        asked: JsonObject = {"target_type": kind, "target_id": target, "depth": "detailed"}
        assert field.ask("REPLAY", "senior", asked, session="s-1")["status"] == "ok"
        assert field.ask("REPLAY", "chief", asked)["status"] == "ok"
        assert field.ask("REPLAY", "analyst", asked)["code"] == "UNIT_NOT_FOUND"


def test_the_life_of_a_task_is_replayed_with_its_units() -> None:
    field = Field().join("scout", "senior")
    made = field.ask("COORDINATE", "senior", {"action": "create", "task": {"title": "t", "assignee": "scout"}})
    task = str(an_object(made["task"])["id"])
    field.ask("COORDINATE", "scout", {"action": "start", "task": {"id": task}})
    unit = field.ask("RECORD", "scout", finding(INSIDE, intent={"purpose": "p", "task_id": task}))["memory_unit_id"]
    field.ask("RECORD", "scout", finding(COMMON, intent={"purpose": "p", "task_id": task.upper()}))
    field.ask("HANDOFF", "scout", {"action": "offer", "task_id": task, "to_agent": "senior"})
    asked: JsonObject = {"target_type": "task", "target_id": task, "depth": "full_trace"}
    answer = field.ask("REPLAY", "senior", asked)
    timeline = [an_object(one) for one in a_list(answer["timeline"])]
    assert [one["event_type"] for one in timeline] == ["task.create", "task.start", "memory.recorded", "handoff.offer"]
    assert [one["memory_unit_id"] for one in timeline] == [None, None, unit, None]
    assert {one["task_id"] for one in timeline} == {task}
    assert answer["agents_involved"] == ["scout", "senior"]


def test_what_an_agent_has_in_a_session_is_counted_when_it_leaves_and_no_more_is_told() -> None:
    field = two_places()
    asked: JsonObject = {"agent_id": "scout"}
    others = field.ask("DEREGISTER", "chief", asked)
    assert an_object(others["cleanup"])["units_orphaned"] == 0
    field.join("scout")
    own = field.ask("DEREGISTER", "scout", asked)
    assert an_object(own["cleanup"])["units_orphaned"] == 1


@each("level", [0, 1, 2])
def test_below_level_3_nobody_is_kept_out_of_a_session(level: int) -> None:
    field = Field(level=level).join("scout", "analyst")
    field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")
    for session in (None, "s-2", "s-1"):
        assert contents(field.ask("ATTUNE", "analyst", attune(), session=session)) == ["The harbour is deep"]


@pytest.mark.parametrize("settings", [FieldSettings(level=1), FieldSettings(cross_session=True)])
def test_what_others_keep_in_a_session_is_opened_by_no_name(settings: FieldSettings) -> None:
    field = Field(settings=settings).join("scout", "analyst")
    owner = field.memory
    kept = owner.remember("The owner's own session note", scope="session", scope_id="private", session_id="private")
    assert kept.committed
    session = "private" if settings.level == 1 else None
    assert contents(field.ask("ATTUNE", "analyst", attune(), session=session)) == []
    followed = field.ask("ATTUNE", "analyst", attune(since_epoch=0), session=session)
    assert contents(followed) == []
    status = field.real.status(field.credential("analyst"), agent="analyst", session=session)
    assert status["units"] == 0
    link: Json = [{"type": "supports", "target_id": kept.record_id}]
    assert field.ask("RECORD", "analyst", finding("So it is", relations=link), session=session)["code"] == (
        "UNIT_NOT_FOUND"
    )


@pytest.mark.parametrize("ended", [False, True])
def test_a_member_looks_back_on_its_sessions_from_outside_and_nobody_else_does(ended: bool) -> None:
    field = two_places()
    made = field.ask("COORDINATE", "chief", {"action": "create", "task": {"title": "T"}}, session="s-1")
    task = str(an_object(made["task"])["id"])
    units = contents_of(field, "senior")
    if ended:
        field.ask("SESSION", "chief", {"action": "end", "session_id": "s-1"})
    for kind, target in (("session", "s-1"), ("memory_unit", units), ("task", task)):
        wish: JsonObject = {"target_type": kind, "target_id": target, "depth": "full_trace"}
        assert field.ask("REPLAY", "senior", wish)["status"] == "ok"
        assert field.ask("REPLAY", "analyst", wish)["code"] == "UNIT_NOT_FOUND"


def contents_of(field: Field, agent: str) -> str:
    """The id of the one unit of the session."""
    (one,) = (
        an_object(one)
        for one in a_list(field.ask("ATTUNE", agent, attune(), session="s-1")["record"])
        if an_object(an_object(one)["memory_unit"])["content"] == INSIDE
    )
    return str(an_object(one["memory_unit"])["id"])


def test_who_left_a_session_no_longer_looks_back_on_it() -> None:
    field = two_places()
    unit = contents_of(field, "senior")
    field.ask("SESSION", "senior", {"action": "leave", "session_id": "s-1"})
    wish: JsonObject = {"target_type": "memory_unit", "target_id": unit, "depth": "summary"}
    assert field.ask("REPLAY", "senior", wish)["code"] == "UNIT_NOT_FOUND"


def test_a_synthesis_that_is_kept_from_somebody_is_not_named_as_the_winner() -> None:
    rule = TypeRule(types=frozenset({UnitType.SYNTHESIS}), least=6)
    field = Field(rules=(rule,)).join("scout", "analyst", "senior")
    first = field.ask("RECORD", "scout", finding("The harbour is deep"))["memory_unit_id"]
    links: list[Json] = [{"type": "contradicts", "target_id": first}]
    field.ask("RECORD", "analyst", {**finding("The harbour is shallow"), "relations": links})
    (quarrel,) = a_list(field.ask("DETECT", "senior", {"mode": "list"})["conflicts"])
    merge: JsonObject = {
        "conflict_id": an_object(quarrel)["id"],
        "strategy": "synthesis",
        "resolution": {"rationale": "both measured", "synthesis": "The harbour is deep at the mouth"},
    }
    merged = field.ask("MERGE", "senior", merge)
    assert merged["status"] == "resolved", merged

    def winner(agent: str) -> object:
        told = a_list(
            field.real.conflicts(field.credential(agent), agent, filter={"status": ["resolved"]})["conflicts"]
        )
        return an_object(an_object(told[0])["resolution"])["winner_id"]

    assert winner("senior") is not None
    assert winner("scout") is None
