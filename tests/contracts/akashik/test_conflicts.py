"""Disagreement: how it is found, listed, settled, voted on and handed up."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.contracts.akashik.field import POLICY_TEXT, Field, a_list, an_object, attune, contents, finding
from tests.contracts.cites import cites

from muniment import Memory
from muniment.contracts.akashik.validation import check_document
from muniment.contracts.strict.values import Json, JsonObject

OLD, NEW = "The market grows at 23 percent a year", "The market grows at 14 percent a year"


def disputed(
    field: Field | None = None, *, older: JsonObject | None = None, newer: JsonObject | None = None
) -> tuple[Field, str, str, str]:
    """A Field with two units that contradict each other by declaration: it, the conflict, and the two units."""
    chosen = field if field is not None else Field().join("scout", "analyst", "senior", "chief", "human", "voter")
    first = chosen.ask("RECORD", "scout", finding(OLD, **(older or {})))
    links: list[Json] = [{"type": "contradicts", "target_id": str(first["memory_unit_id"]), "description": "it was 23"}]
    second = chosen.ask("RECORD", "analyst", finding(NEW, **{"relations": links, **(newer or {})}))
    (name,) = a_list(second["conflicts_detected"])
    return chosen, str(name), str(first["memory_unit_id"]), str(second["memory_unit_id"])


def merge(field: Field, conflict: str, strategy: str, *, agent: str = "senior", **more: Json) -> JsonObject:
    resolution: JsonObject = {"rationale": "for good reasons", **more}
    payload: JsonObject = {"conflict_id": conflict, "strategy": strategy, "resolution": resolution}
    return field.ask("MERGE", agent, payload)


def names(answer: JsonObject) -> list[str]:
    return [str(an_object(one)["id"]) for one in a_list(answer["conflicts"])]


@cites("AKAS-043")
def test_each_declared_contradiction_is_answered_with_a_conflict() -> None:
    field = Field().join("scout", "analyst")
    targets = [
        str(field.ask("RECORD", "scout", finding(text))["memory_unit_id"])
        for text in ("The harbour is deep", "The orchard is large", "The quarry is closed")
    ]
    links: list[Json] = [{"type": "contradicts", "target_id": name} for name in targets]
    one = field.ask("RECORD", "analyst", finding("Ships touch ground here", relations=links[:1]))
    two = field.ask("RECORD", "analyst", finding("Trees and stone are sold", relations=links[1:]))
    assert len(a_list(one["conflicts_detected"])) == 1
    assert len(set(map(str, a_list(two["conflicts_detected"])))) == 2


@cites("AKAS-044")
def test_a_declared_conflict_is_complete() -> None:
    field, name, old, new = disputed()
    found = field.conflict(name)
    assert found == {
        "id": name,
        "type": "factual",
        "status": "detected",
        "unit_a": old,
        "unit_b": new,
        "description": "it was 23",
        "detected_by": "explicit",
    }
    assert check_document("conflict", found) == ()


@cites("AKAS-045")
def test_conflicts_are_listed_and_chosen_by_status_type_and_agent_alone_and_together() -> None:
    field, facts, *_ = disputed()
    first = field.ask("RECORD", "scout", finding("We enter the segment", type="decision"))
    links: list[Json] = [{"type": "contradicts", "target_id": str(first["memory_unit_id"])}]
    second = field.ask("RECORD", "senior", finding("We stay out of it", type="decision", relations=links))
    (plans,) = map(str, a_list(second["conflicts_detected"]))
    merge(field, facts, "human_escalation")

    def chosen(**bounds: Json) -> list[str]:
        answer = field.ask("DETECT", "chief", {"mode": "list", "filter": bounds})
        assert check_document("detect_response", answer) == ()
        return sorted(names(answer))

    assert sorted(names(field.ask("DETECT", "chief", {"mode": "list"}))) == sorted([facts, plans])
    assert chosen(status=["escalated"]) == [facts]
    assert chosen(status=["detected"]) == [plans]
    assert chosen(types=["strategic"]) == [plans]
    assert chosen(types=["factual"]) == [facts]
    assert chosen(involving_agents=["analyst"]) == [facts]
    assert chosen(involving_agents=["senior"]) == [plans]
    assert chosen(involving_agents=["scout"], types=["factual"], status=["escalated"]) == [facts]
    assert chosen(involving_agents=["senior"], types=["factual"]) == []
    assert chosen(status=[]) == []


@cites("AKAS-052")
def test_both_sides_of_an_open_conflict_are_contested_and_still_told() -> None:
    field, _, old, new = disputed()
    assert [field.unit(name)["status"] for name in (old, new)] == ["contested", "contested"]
    assert sorted(contents(field.ask("ATTUNE", "chief", attune()))) == [NEW, OLD]


@cites("AKAS-061")
def test_checking_a_unit_finds_a_contradiction_nobody_declared_and_none_where_there_is_agreement() -> None:
    field = Field().join("scout", "analyst")
    first = field.ask("RECORD", "scout", finding(OLD))
    field.ask("RECORD", "analyst", finding(NEW))
    agreed = field.ask("RECORD", "scout", finding("The harbour is deep"))
    field.ask("RECORD", "analyst", finding("The harbour master is called Ines"))
    check: JsonObject = {"mode": "check", "target_id": first["memory_unit_id"]}
    found = [an_object(one) for one in a_list(field.ask("DETECT", "analyst", check)["conflicts"])]
    assert [one["detected_by"] for one in found] == ["semantic"]
    assert field.ask("DETECT", "analyst", {**check, "target_id": agreed["memory_unit_id"]})["conflicts"] == []
    assert field.ask("DETECT", "analyst", {**check, "target_id": "mem-404"})["code"] == "UNIT_NOT_FOUND"


@cites("AKAS-062")
def test_a_scan_says_how_much_it_looked_at_and_finds_nothing_new_the_second_time() -> None:
    field, name, *_ = disputed()
    field.ask("RECORD", "scout", finding("The harbour is deep"))
    first, again = (field.ask("DETECT", "chief", {"mode": "scan"}) for _ in range(2))
    assert first["scan_coverage"] == {"units_scanned": 3, "new_conflicts_found": 0}
    assert again["scan_coverage"] == {"units_scanned": 3, "new_conflicts_found": 0}
    assert names(first) == names(again) == [name]


@cites("AKAS-063")
def test_a_unit_that_contradicts_without_saying_so_is_answered_with_a_conflict() -> None:
    field = Field().join("scout", "analyst")
    field.ask("RECORD", "scout", finding(OLD))
    answer = field.ask("RECORD", "analyst", finding(NEW))
    (name,) = a_list(answer["conflicts_detected"])
    assert field.conflict(str(name))["detected_by"] == "semantic"


@cites("AKAS-065")
def test_a_merge_of_nothing_or_of_something_resolved_is_refused() -> None:
    field, name, *_ = disputed()
    assert merge(field, "con-404", "last_write_wins")["code"] == "CONFLICT_NOT_FOUND"
    assert merge(field, name, "last_write_wins")["status"] == "resolved"
    assert merge(field, name, "last_write_wins")["code"] == "INVALID_TRANSITION"


@cites("AKAS-066")
def test_the_last_write_wins_and_the_resolution_says_all_of_it() -> None:
    field, name, old, new = disputed()
    answer = merge(field, name, "last_write_wins")
    assert check_document("merge_response", answer) == ()
    assert (field.unit(old)["status"], field.unit(new)["status"]) == ("superseded", "active")
    resolution = an_object(an_object(answer["conflict"])["resolution"])
    assert resolution == {
        "strategy": "last_write_wins",
        "winner_id": new,
        "rationale": "for good reasons",
        "resolved_by": "senior",
        "epoch_resolved": field.memory.ledger.head().seq - 1,
    }
    assert an_object(answer["side_effects"])["superseded_units"] == [old]
    assert contents(field.ask("ATTUNE", "chief", attune())) == [NEW]


@cites("AKAS-067")
def test_the_surer_side_wins_and_equals_are_refused() -> None:
    sure: JsonObject = {"confidence": {"score": 0.95, "reasoning": "seen"}}
    field, name, old, _ = disputed(older=sure)
    answer = merge(field, name, "confidence_weighted")
    assert an_object(an_object(answer["conflict"])["resolution"])["winner_id"] == old
    level, equal, *both = disputed()
    assert merge(level, equal, "confidence_weighted")["code"] == "MERGE_FAILED"
    assert [level.unit(one)["status"] for one in both] == ["contested", "contested"]


@cites("AKAS-068")
def test_an_escalation_supersedes_nothing_and_is_seen() -> None:
    field, name, old, new = disputed()
    answer = merge(field, name, "human_escalation")
    assert answer["status"] == "escalated"
    assert an_object(answer["side_effects"])["superseded_units"] == []
    assert [field.unit(one)["status"] for one in (old, new)] == ["contested", "contested"]
    (seen,) = a_list(field.ask("ATTUNE", "chief", attune())["conflicts"])
    assert an_object(seen)["status"] == "escalated"


def test_the_authors_of_what_a_merge_touches_are_named() -> None:
    field, name, *_ = disputed()
    assert an_object(merge(field, name, "last_write_wins")["side_effects"])["notified_agents"] == ["analyst", "scout"]


@cites("AKAS-092")
def test_by_authority_the_unit_of_the_higher_author_wins() -> None:
    field = Field().join("scout", "senior", "chief")
    first = field.ask("RECORD", "chief", finding(OLD))
    links: list[Json] = [{"type": "contradicts", "target_id": str(first["memory_unit_id"])}]
    second = field.ask("RECORD", "scout", finding(NEW, relations=links))
    (name,) = a_list(second["conflicts_detected"])
    answer = merge(field, str(name), "authority")
    assert an_object(an_object(answer["conflict"])["resolution"])["winner_id"] == first["memory_unit_id"]


@cites("AKAS-093")
@pytest.mark.parametrize("supporters", [0, 2])
def test_by_evidence_the_unit_with_more_evidence_and_supporters_wins(supporters: int) -> None:
    field, name, old, new = disputed(
        newer={"confidence": {"score": 0.8, "reasoning": "seen", "evidence": ["report-1"]}}
    )
    support: list[Json] = [{"type": "supports", "target_id": old}]
    for number in range(supporters):
        field.ask("RECORD", "voter", finding(f"Ledger page {number} agrees with the old figure", relations=support))
    answer = merge(field, name, "evidence_count")
    winner = an_object(an_object(answer["conflict"])["resolution"])["winner_id"]
    assert winner == (old if supporters else new)


@cites("AKAS-094")
def test_a_synthesis_is_related_to_both_and_takes_the_place_of_both() -> None:
    field, name, old, new = disputed()
    answer = merge(field, name, "synthesis", synthesis="Growth fell from 23 to 14 percent within the year")
    effects = an_object(answer["side_effects"])
    unit = field.unit(str(effects["new_unit_id"]))
    assert unit["type"] == "synthesis"
    assert {old, new} <= {str(an_object(link)["target_id"]) for link in a_list(unit["relations"])}
    assert [field.unit(one)["status"] for one in (old, new)] == ["superseded", "superseded"]
    assert effects["superseded_units"] == [old, new]
    assert check_document("memory_unit", unit) == ()


@cites("AKAS-095")
def test_a_vote_waits_for_its_quorum_counts_each_voice_once_and_goes_by_majority() -> None:
    field, name, old, new = disputed()
    votes = [("senior", new), ("senior", old), ("scout", old)]
    for agent, winner in votes:
        assert merge(field, name, "vote", agent=agent, winner_id=winner)["status"] == "pending_vote"
    assert field.conflict(name)["status"] == "resolving"
    answer = merge(field, name, "vote", agent="analyst", winner_id=new)
    assert answer["status"] == "resolved"
    assert an_object(an_object(answer["conflict"])["resolution"])["winner_id"] == old
    assert field.unit(new)["status"] == "superseded"


@cites("AKAS-095")
def test_a_tie_at_the_quorum_is_handed_up(tmp_path: Path) -> None:
    field = _on_disk(tmp_path, POLICY_TEXT.replace("quorum: 3", "quorum: 2"))
    _, name, old, new = disputed(field.join("scout", "analyst", "senior"))
    assert merge(field, name, "vote", agent="scout", winner_id=old)["status"] == "pending_vote"
    assert merge(field, name, "vote", agent="analyst", winner_id=new)["status"] == "escalated"
    assert [field.unit(one)["status"] for one in (old, new)] == ["contested", "contested"]
    field.memory.close()


@cites("AKAS-096")
def test_what_was_escalated_is_settled_by_authority_10_alone() -> None:
    field, name, old, _ = disputed()
    merge(field, name, "human_escalation")
    for agent in ("senior", "chief"):
        assert merge(field, name, "last_write_wins", agent=agent)["code"] == "INSUFFICIENT_AUTHORITY"
    answer = merge(field, name, "authority", agent="human", winner_id=old)
    assert answer["status"] == "resolved"
    assert an_object(an_object(answer["conflict"])["resolution"])["resolved_by"] == "human"


def _on_disk(folder: Path, policy: str = POLICY_TEXT) -> Field:
    file = folder / "policy.yaml"
    file.write_text(policy)
    return Field(Memory.open(folder / "vault", policy=file))


@cites("AKAS-105")
def test_of_many_merges_of_one_conflict_at_once_exactly_one_wins(tmp_path: Path) -> None:
    field = _on_disk(tmp_path)
    _, name, *_ = disputed(field.join("scout", "analyst", "senior", "chief"))

    def settle(number: int) -> JsonObject:
        return merge(field, name, "last_write_wins", agent=("senior", "chief")[number % 2])

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(settle, range(8)))
    won = [one for one in answers if one.get("status") == "resolved"]
    assert len(won) == 1
    assert {one["code"] for one in answers if one not in won} == {"INVALID_TRANSITION"}
    field.memory.close()
