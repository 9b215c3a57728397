"""What an agent is told: which units, in which order, with which reasons, within which bounds."""

from __future__ import annotations

import pytest
from tests.cases import each
from tests.contracts.akashik.field import Field, a_list, an_object, attune, contents, field_policy, finding, told
from tests.contracts.cites import cites
from tests.patience import WAIT_S
from tests.recall.world import Broken, Toy, memory_over
from tests.support.memory_store.store import MemoryTenant
from tests.support.world import START, TickingClock, simulated_memory

from muniment.contracts.akashik.validation import check_document
from muniment.contracts.akashik.words import AttuneFormat
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import ModelUnavailable
from muniment.model.times import DAY, Instant

SUBJECTS = ("harbour", "library", "orchard", "railway", "theatre", "quarry", "brewery", "archive")


def filled(*contents_: str, author: str = "scout", reader: str = "analyst", **more: Json) -> Field:
    """A Field in which one agent recorded these, for another to be told."""
    field = Field().join(author, reader)
    for content in contents_:
        assert field.ask("RECORD", author, finding(content, **more))["status"] == "accepted"
    return field


def many(number: int = 8) -> Field:
    return filled(*(f"The {subject} is open on Sundays" for subject in SUBJECTS[:number]), type="observation")


def scores(answer: JsonObject) -> list[float]:
    return [float(str(one["relevance_score"])) for one in told(answer)]


def budget(answer: JsonObject) -> JsonObject:
    return an_object(answer["context_budget"])


@cites("AKAS-019", "AKAS-020")
def test_an_agent_is_told_of_others_and_of_its_own_only_if_it_asks() -> None:
    field = filled("It rains")
    field.ask("RECORD", "analyst", finding("The roof leaks"))
    assert contents(field.ask("ATTUNE", "analyst", attune())) == ["It rains"]
    assert contents(field.ask("ATTUNE", "scout", attune())) == ["The roof leaks"]
    assert sorted(contents(field.ask("ATTUNE", "scout", attune(include_own=True)))) == ["It rains", "The roof leaks"]


@cites("AKAS-021")
def test_what_was_retracted_or_superseded_is_not_told() -> None:
    field = filled("It rains", "The roof leaks", "The cellar is dry")
    rain, roof, _ = (str(an_object(one["memory_unit"])["id"]) for one in _by_content(field))
    field.memory.as_actor("scout").review.retract(rain, reason="it stopped")
    links: list[Json] = [{"type": "supersedes", "target_id": roof}]
    field.ask("RECORD", "scout", finding("The roof is mended", relations=links))
    assert field.unit(rain)["status"] == "retracted"
    assert field.unit(roof)["status"] == "superseded"
    assert sorted(contents(field.ask("ATTUNE", "analyst", attune()))) == ["The cellar is dry", "The roof is mended"]


def _by_content(field: Field) -> list[JsonObject]:
    units = told(field.ask("ATTUNE", "analyst", attune()))
    order = ["It rains", "The roof leaks", "The cellar is dry"]
    return sorted(units, key=lambda one: order.index(str(an_object(one["memory_unit"])["content"])))


@cites("AKAS-022", "AKAS-023")
def test_every_unit_told_has_a_score_and_a_reason_and_the_best_comes_first() -> None:
    field = many()
    answer = field.ask("ATTUNE", "analyst", attune(role="keeper of the orchard", interests=["railway"]))
    assert check_document("attune_response", answer) == ()
    found = scores(answer)
    assert len(found) == 8
    assert len(set(found)) > 1
    assert found == sorted(found, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in found)
    assert all(str(one["relevance_reason"]).strip() for one in told(answer))
    assert "topic" in str(told(answer)[0]["relevance_reason"])


@cites("AKAS-024", "AKAS-025")
@each("room", [1, 3, 7, 8, 20])
def test_no_more_is_told_than_asked_for_and_the_least_relevant_is_left_out(room: int) -> None:
    field = many()
    whole = field.ask("ATTUNE", "analyst", attune(role="keeper of the orchard"))
    cut = field.ask("ATTUNE", "analyst", attune(room, role="keeper of the orchard"))
    assert contents(cut) == contents(whole)[:room]
    assert budget(cut)["units_returned"] == len(told(cut)) == min(room, 8)
    assert budget(cut)["units_available"] == 8


@cites("AKAS-026")
def test_words_of_the_role_raise_a_unit_and_so_does_being_newer() -> None:
    field = filled("The database has a new index", "The canteen has a new chef", "The garage has a new door")
    assert contents(field.ask("ATTUNE", "analyst", attune(role="database keeper")))[0] == "The database has a new index"
    plain = contents(field.ask("ATTUNE", "analyst", attune(role="astronomer")))
    assert plain == ["The garage has a new door", "The canteen has a new chef", "The database has a new index"]


@cites("AKAS-027")
@pytest.mark.parametrize("word", ["decision", "contradiction"])
def test_weighty_types_come_before_observations(word: str) -> None:
    field = Field().join("scout", "analyst", "senior")
    field.ask("RECORD", "scout", finding("The harbour is deep", type=word))
    field.ask("RECORD", "senior", finding("The orchard is large", type="observation"))
    assert contents(field.ask("ATTUNE", "analyst", attune()))[0] == "The harbour is deep"


@cites("AKAS-028")
def test_a_short_answer_has_more_than_one_author() -> None:
    field = Field().join("scout", "senior", "analyst")
    field.ask("RECORD", "senior", finding("The quarry is closed"))
    for subject in ("harbour", "library", "orchard"):
        field.ask("RECORD", "scout", finding(f"The {subject} is open"))
    answer = field.ask("ATTUNE", "analyst", attune(2))
    authors = {an_object(an_object(one["memory_unit"])["source"])["agent_id"] for one in told(answer)}
    assert authors == {"scout", "senior"}


@cites("AKAS-029")
def test_without_a_format_units_are_told_in_full_and_the_other_formats_are_shorter() -> None:
    text = "The harbour is deep enough for every ship that comes this way, " * 10
    field = filled(text.strip())
    sizes = {}
    for word in (None, *AttuneFormat):
        extra: JsonObject = {} if word is None else {"format": word.value}
        answer = field.ask("ATTUNE", "analyst", attune(**extra))
        assert check_document("attune_response", answer) == ()
        (one,) = told(answer)
        assert one["format"] == (word or AttuneFormat.FULL).value
        sizes[word] = len(str(one))
    assert sizes[None] == sizes[AttuneFormat.FULL] > sizes[AttuneFormat.SUMMARY] > sizes[AttuneFormat.IDS_ONLY]
    (bare,) = told(field.ask("ATTUNE", "analyst", attune(format="ids_only")))
    assert bare["memory_unit"] == {"id": bare["memory_unit_id"]}
    assert field.unit(str(bare["memory_unit_id"]))["content"] == text.strip()


@cites("AKAS-046")
def test_open_conflicts_are_told_to_those_who_may_see_both_sides_until_they_are_resolved() -> None:
    field = Field().join("scout", "analyst", "senior", "chief").meet("s-1", "chief", "scout", "analyst", "senior")
    first = field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")
    links: list[Json] = [{"type": "contradicts", "target_id": str(first["memory_unit_id"])}]
    second = field.ask("RECORD", "senior", finding("The harbour is shallow", relations=links), session="s-1")
    (name,) = a_list(second["conflicts_detected"])
    inside = field.ask("ATTUNE", "analyst", attune(), session="s-1")
    assert [an_object(one)["id"] for one in a_list(inside["conflicts"])] == [name]
    outside = field.ask("ATTUNE", "analyst", attune())
    assert (outside["conflicts"], outside["record"]) == ([], [])
    merge: JsonObject = {"conflict_id": name, "strategy": "last_write_wins", "resolution": {"rationale": "newer"}}
    assert field.ask("MERGE", "senior", merge, session="s-1")["status"] == "resolved"
    assert field.ask("ATTUNE", "analyst", attune(), session="s-1")["conflicts"] == []


@cites("AKAS-047")
def test_polling_by_epoch_tells_nothing_older_repeats_nothing_unseen_and_loses_nothing() -> None:
    field = filled("The harbour is open", "The library is open")
    first = field.ask("ATTUNE", "analyst", attune())
    seen = set(contents(first))
    assert seen == {"The harbour is open", "The library is open"}
    quiet = field.ask("ATTUNE", "analyst", attune(since_epoch=first["epoch"]))
    assert set(contents(quiet)) <= seen
    for subject in ("orchard", "railway", "theatre"):
        field.ask("RECORD", "scout", finding(f"The {subject} is open"))
    later = field.ask("ATTUNE", "analyst", attune(since_epoch=quiet["epoch"]))
    assert set(contents(later)) - seen == {"The orchard is open", "The railway is open", "The theatre is open"}
    assert "The harbour is open" not in contents(later)


@cites("AKAS-048")
def test_the_epoch_may_stand_in_the_scope_or_beside_it_and_goes_with_other_bounds() -> None:
    field = filled("The harbour is open", "The library is open")
    start = int(str(field.ask("ATTUNE", "analyst", attune())["epoch"])) + 1
    field.ask("RECORD", "analyst", finding("The quarry is open"))
    field.ask("RECORD", "scout", finding("The orchard is open"))
    field.ask("RECORD", "scout", finding("The railway is open"))
    inside = field.ask("ATTUNE", "analyst", attune(since_epoch=start))
    beside = field.ask("ATTUNE", "analyst", {**attune(), "since_epoch": start})
    assert contents(inside) == contents(beside) == ["The railway is open", "The orchard is open"]
    bounded = attune(1, since_epoch=start, role="keeper of the orchard")
    assert contents(field.ask("ATTUNE", "analyst", bounded)) == ["The orchard is open"]
    own = attune(1, since_epoch=start, role="keeper of the quarry", include_own=True)
    assert contents(field.ask("ATTUNE", "analyst", own)) == ["The quarry is open"]


@cites("AKAS-053")
def test_a_unit_that_could_not_be_enriched_is_kept_told_marked_and_taken_up_again() -> None:
    embedder = Broken()
    with memory_over(MemoryTenant("default"), embedder, rules=field_policy()) as memory:
        field = Field(memory).join("scout", "analyst")
        assert field.ask("RECORD", "scout", finding("The harbour is open"))["status"] == "accepted"
        with pytest.raises(ModelUnavailable):
            memory.flush(timeout=WAIT_S)
        answer = field.ask("RECORD", "scout", finding("The quarry is closed"))
        assert answer["status"] == "accepted"
        assert str(answer["warning"]).startswith("ENRICHMENT_FAILED")
        assert check_document("record_response", answer) == ()
        assert _statuses(field) == ["pending_enrichment", "pending_enrichment"]
        embedder.down = False
        memory.flush(timeout=WAIT_S)
        assert "warning" not in field.ask("RECORD", "scout", finding("The library is shut"))
        assert _statuses(field) == ["active", "active", "active"]
        memory.flush(timeout=WAIT_S)
        assert {"The harbour is open", "The library is shut"} <= set(embedder.asked)


def _statuses(field: Field) -> list[str]:
    answer = field.ask("ATTUNE", "analyst", attune())
    return [str(an_object(one["memory_unit"])["status"]) for one in told(answer)]


@cites("AKAS-054")
@pytest.mark.parametrize("how", ["context_hint", "interests"])
def test_the_same_in_other_words_comes_before_something_else(how: str) -> None:
    with memory_over(MemoryTenant("default"), Toy(), rules=field_policy()) as memory:
        field = Field(memory).join("scout", "analyst")
        field.ask("RECORD", "scout", finding("Acquire automobile"))
        field.ask("RECORD", "scout", finding("Soup tastes salty"))
        memory.flush(timeout=WAIT_S)
        wanted: Json = "purchase vehicle" if how == "context_hint" else ["purchase vehicle"]
        assert contents(field.ask("ATTUNE", "analyst", attune(**{how: wanted})))[0] == "Acquire automobile"
        assert contents(field.ask("ATTUNE", "analyst", attune()))[0] == "Soup tastes salty"


@cites("AKAS-055")
def test_a_threshold_keeps_out_what_matters_less_and_nothing_keeps_out_nothing() -> None:
    field = many()
    whole = field.ask("ATTUNE", "analyst", attune(role="keeper of the orchard", relevance_threshold=0.0))
    assert len(told(whole)) == 8
    limit = scores(whole)[0] - 0.001
    cut = field.ask("ATTUNE", "analyst", attune(role="keeper of the orchard", relevance_threshold=limit))
    assert contents(cut) == ["The orchard is open on Sundays"]
    assert field.ask("ATTUNE", "analyst", attune(relevance_threshold=1.0))["record"] == []


@cites("AKAS-056")
def test_recency_decides_the_order_alone_or_not_at_all() -> None:
    field = filled("The orchard is open", "The quarry is closed", "The archive is dusty")
    by_time = field.ask("ATTUNE", "analyst", attune(role="keeper of the orchard", recency_weight=1.0))
    assert contents(by_time) == ["The archive is dusty", "The quarry is closed", "The orchard is open"]
    ageless = field.ask("ATTUNE", "analyst", attune(role="keeper of the orchard", recency_weight=0.0))
    assert contents(ageless)[0] == "The orchard is open"
    assert "recency" not in str(told(ageless)[0]["relevance_reason"])


@cites("AKAS-056", "AKAS-026")
def test_a_year_counts_by_itself_and_not_where_recency_is_to_count_for_nothing() -> None:
    clock = TickingClock()
    field = Field(simulated_memory(policy=field_policy(), clock=clock)).join("scout", "senior", "analyst")
    field.ask("RECORD", "scout", finding("The harbour is deep"))
    clock.set(Instant(START + 365 * DAY))
    field.ask("RECORD", "senior", finding("The orchard is large"))
    usual = field.ask("ATTUNE", "analyst", attune())
    assert contents(usual) == ["The orchard is large", "The harbour is deep"]
    assert scores(usual)[0] > scores(usual)[1]
    ageless = scores(field.ask("ATTUNE", "analyst", attune(recency_weight=0.0)))
    assert ageless[0] == ageless[1]


@cites("AKAS-057")
def test_interests_and_the_task_at_hand_raise_what_belongs_to_them() -> None:
    field = filled("The orchard is open", "The quarry is closed")
    field.ask("RECORD", "scout", finding("The archive is dusty", intent={"purpose": "tidy", "task_id": "t-1"}))
    field.ask("RECORD", "scout", finding("The brewery is new"))
    assert contents(field.ask("ATTUNE", "analyst", attune()))[0] == "The brewery is new"
    assert contents(field.ask("ATTUNE", "analyst", attune(interests=["orchard"])))[0] == "The orchard is open"
    assert contents(field.ask("ATTUNE", "analyst", attune(active_task_id="t-1")))[0] == "The archive is dusty"


@cites("AKAS-058")
def test_what_is_related_to_the_task_comes_before_what_is_not() -> None:
    field = Field().join("scout", "analyst")
    field.ask("RECORD", "scout", finding("The quarry is closed"))
    task: JsonObject = {"purpose": "tidy", "task_id": "t-1"}
    first = field.ask("RECORD", "scout", finding("The archive is dusty", intent=task))
    links: list[Json] = [{"type": "supports", "target_id": str(first["memory_unit_id"])}]
    field.ask("RECORD", "scout", finding("Nobody swept the floor", relations=links))
    field.ask("RECORD", "scout", finding("The brewery is new"))
    assert contents(field.ask("ATTUNE", "analyst", attune(active_task_id="t-1"))) == [
        "The archive is dusty",
        "Nobody swept the floor",
        "The brewery is new",
        "The quarry is closed",
    ]


@cites("AKAS-059")
def test_the_surer_unit_comes_first() -> None:
    field = Field().join("scout", "analyst")
    field.ask("RECORD", "scout", finding("The orchard is open", confidence={"score": 0.95, "reasoning": "seen"}))
    field.ask("RECORD", "scout", finding("The quarry is closed", confidence={"score": 0.2, "reasoning": "heard"}))
    assert contents(field.ask("ATTUNE", "analyst", attune())) == ["The orchard is open", "The quarry is closed"]


@cites("AKAS-060")
@each(("room", "formats"), [(400, ["full"] * 3), (200, ["full", "summary", "summary"]), (40, ["summary"]), (5, [])])
def test_a_token_budget_is_never_overrun(room: int, formats: list[str]) -> None:
    field = filled(*(f"The {name} " + "is a place of some importance to the town " * 11 for name in SUBJECTS[:3]))
    answer = field.ask("ATTUNE", "analyst", attune(max_tokens=room))
    assert [one["format"] for one in told(answer)] == formats
    assert int(str(budget(answer)["tokens_used"])) <= room == budget(answer)["tokens_budget"]
    assert budget(answer)["units_available"] == 3
    assert check_document("attune_response", answer) == ()
