"""Following a Field by epoch: page after page, nothing lost, nothing hidden told, whatever the bounds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.akashik.field import POLICY_TEXT, Field, a_list, an_object, attune, contents, finding, told

from muniment import Memory
from muniment.compat.akashik import attunement
from muniment.contracts.strict.values import Json, JsonObject


def follow(field: Field, agent: str, max_units: int, *, since: int = 0, pages: int = 200, **more: Json) -> list[str]:
    """Everything an agent is told that passes the epoch of each answer into its next question, until that stands."""
    seen: dict[str, None] = {}
    for _ in range(pages):
        answer = field.ask("ATTUNE", agent, attune(max_units, since_epoch=since, **more))
        assert len(told(answer)) <= max_units
        seen |= dict.fromkeys(contents(answer))
        if answer["epoch"] == since:
            return list(seen)
        since = int(str(answer["epoch"]))
    raise AssertionError("it never came to an end")


def written(number: int, field: Field | None = None) -> Field:
    chosen = field if field is not None else Field().join("scout", "analyst", "senior")
    for count in range(number):
        chosen.ask("RECORD", "scout", finding(f"Sounding {count} at buoy {count * 7}"))
    return chosen


@each("max_units", [1, 3, 7, 50])
def test_a_follower_with_little_room_is_told_everything_in_pages(max_units: int) -> None:
    field = written(12)
    assert set(follow(field, "analyst", max_units)) == {f"Sounding {count} at buoy {count * 7}" for count in range(12)}


def test_what_did_not_fit_is_counted_and_begins_at_the_epoch_of_the_answer() -> None:
    field = written(5)
    first = field.ask("ATTUNE", "analyst", attune(2, since_epoch=0))
    assert sorted(contents(first)) == ["Sounding 0 at buoy 0", "Sounding 1 at buoy 7"]
    assert an_object(first["context_budget"])["units_available"] == 5
    rest = field.ask("ATTUNE", "analyst", attune(50, since_epoch=first["epoch"]))
    assert sorted(contents(rest)) == [f"Sounding {count} at buoy {count * 7}" for count in (2, 3, 4)]
    assert rest["epoch"] == field.epoch


def test_a_token_budget_ends_a_page_and_loses_nothing() -> None:
    field = written(6)
    page = field.ask("ATTUNE", "analyst", attune(50, since_epoch=0, max_tokens=20))
    assert 0 < len(told(page)) < 6
    assert len(follow(field, "analyst", 50, max_tokens=20)) == 6
    assert follow(field, "analyst", 50, max_tokens=1) == []


def test_what_changed_is_told_again_and_ones_own_is_not() -> None:
    field = written(2)
    start = field.epoch + 1
    field.ask("RECORD", "analyst", finding("The harbour is deep"))
    unit = told(field.ask("ATTUNE", "analyst", attune(since_epoch=0)))[0]
    name = str(an_object(unit["memory_unit"])["id"])
    links: list[Json] = [{"type": "contradicts", "target_id": name}]
    field.ask("RECORD", "senior", finding("The buoy is adrift", relations=links))
    answer = field.ask("ATTUNE", "analyst", attune(since_epoch=start))
    assert len(told(answer)) == 2
    assert {an_object(one["memory_unit"])["status"] for one in told(answer)} == {"contested"}
    assert len(a_list(answer["conflicts"])) == 1
    own = field.ask("ATTUNE", "analyst", attune(since_epoch=start, include_own=True))
    assert "The harbour is deep" in contents(own)


def test_units_of_a_session_are_walked_past_and_not_counted() -> None:
    field = Field().join("scout", "analyst", "chief").meet("s-1", "chief", "scout")
    field.ask("RECORD", "scout", finding("The orchard is large"))
    for count in range(5):
        field.ask("RECORD", "scout", finding(f"Secret {count} of {count * 7}"), session="s-1")
    field.ask("RECORD", "scout", finding("The quarry is closed"))
    assert follow(field, "analyst", 1) == ["The orchard is large", "The quarry is closed"]
    answer = field.ask("ATTUNE", "analyst", attune(1, since_epoch=0))
    assert an_object(answer["context_budget"])["units_available"] == 2


def test_a_follower_that_is_far_behind_is_told_in_bounded_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attunement, "WALKED", 4)
    monkeypatch.setattr(attunement, "COUNTED", 0)
    field = written(9)
    assert len(follow(field, "analyst", 50)) == 9
    first: JsonObject = field.ask("ATTUNE", "analyst", attune(50, since_epoch=0))
    assert len(told(first)) < 9


def test_more_than_a_pool_holds_is_told_to_who_asks_for_it() -> None:
    field = written(230)
    answer = field.ask("ATTUNE", "analyst", attune(1_000))
    assert len(told(answer)) == 230


def test_an_agent_that_wrote_much_is_still_told_what_others_wrote() -> None:
    field = Field().join("scout", "analyst")
    field.ask("RECORD", "analyst", finding("The harbour is deep"))
    written(130, field)
    assert contents(field.ask("ATTUNE", "scout", attune(5))) == ["The harbour is deep"]


def test_a_follower_loses_nothing_while_many_write(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY_TEXT)
    with Memory.open(tmp_path / "vault", policy=file, embedder=None) as memory:
        field = Field(memory).join("scout", "analyst", "senior", "chief")
        writers = ("scout", "senior", "chief")

        def record(number: int) -> str:
            text = f"Sounding {number} at buoy {number * 7}"
            message = field.message("RECORD", writers[number % 3], finding(text))
            assert field.send({**message, "id": f"m-{number}"})["status"] == "accepted"
            return text

        with ThreadPoolExecutor(3) as pool:
            texts = [pool.submit(record, number) for number in range(60)]
            seen: set[str] = set()
            since = 0
            for _ in range(400):
                answer = field.ask("ATTUNE", "analyst", attune(4, since_epoch=since))
                seen |= set(contents(answer))
                since = int(str(answer["epoch"]))
            wanted = {one.result() for one in texts}
        seen |= set(follow(field, "analyst", 4, since=since))
        assert seen == wanted
