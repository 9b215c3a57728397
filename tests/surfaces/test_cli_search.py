"""recall as a person and a program meet it: by meaning, with its reasons, its passages, its block; attune; explain."""

from __future__ import annotations

import pytest
from tests.surfaces.endpoint import Endpoint
from tests.surfaces.shell import Shell

from muniment.backends.vectors.index import VectorIndex
from muniment.surfaces.cli import search

CAR = "The doctor bought a red car"
FILLER = "Nothing was said about lunch or the seating. " * 60


def test_what_was_just_written_is_found_by_its_meaning(shell: Shell, endpoint: Endpoint) -> None:
    record = shell.remember(CAR)
    said = shell("recall", "physician automobile", "--json").json
    assert [one["id"] for one in said["records"]] == [record]
    assert set(said["records"][0]["parts"]) >= {"meaning", "recency"}
    assert "words" not in said["records"][0]["parts"]
    assert said["records"][0]["reasons"][0] == "is near in meaning"
    searched = said["searched"]
    assert (searched["model"].split("@")[0], searched["trailing"], searched["why"]) == ("openai:toy", 0, None)


def test_recall_says_in_words_how_it_was_sought_and_what_a_score_is_made_of(shell: Shell, endpoint: Endpoint) -> None:
    shell.remember(CAR)
    told = shell("recall", "which vehicle was purchased?").out.splitlines()
    assert told[0] == f"1. {CAR}"
    assert told[2].startswith("   why: is near in meaning; project default;")
    assert "ranked by" not in told[2]
    assert told[3].startswith("   ranked by: meaning 0.")
    assert told[-2] == "sought by words, links and meaning (openai:toy)"
    assert told[-1].startswith("receipt rcp_")


def test_writing_and_looking_ask_no_model(shell: Shell, endpoint: Endpoint) -> None:
    record = shell.remember(CAR)
    for words in (
        ("get", record),
        ("history", record),
        ("revise", record, "It is blue"),
        ("stats",),
        ("alias", "a", "b"),
    ):
        assert shell(*words).code == 0
    assert endpoint.texts == []
    shell("recall", "car")
    assert CAR in endpoint.texts


def test_without_a_model_an_answer_says_so_and_what_to_do(shell: Shell) -> None:
    shell.remember(CAR)
    said = shell("recall", "red car", "--json").json["searched"]
    assert (said["model"], said["trailing"], said["words"]) == (None, 0, ["red", "car"])
    human = shell("recall", "red car").out
    assert "sought by words and links only: " in human
    assert "`muniment model install`" in human


def test_the_flag_wins_over_the_setting(shell: Shell, endpoint: Endpoint) -> None:
    shell.remember(CAR)
    assert shell("recall", "automobile", "--embedder", "none", "--json").json["abstained"] == "no_match"
    assert endpoint.texts == []
    wrong = shell("recall", "automobile", "--embedder", "guess", "--json")
    assert (wrong.code, wrong.out, wrong.error["field"]) == (2, "", "embedder")
    assert "--embedder" in wrong.error["hint"]


def test_an_answer_before_many_vectors_are_made_says_how_far_they_trail(
    shell: Shell, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "FLUSHED_FIRST", 2)
    shell.remember(CAR)
    elsewhere = VectorIndex(shell.vault / "default.vectors")
    assert elsewhere.try_lock(), "another process is the one that makes vectors, and is slow"
    said = shell("recall", "red car", "--json").json
    assert (len(said["records"]), said["searched"]["trailing"]) == (1, 3)
    human = shell("recall", "red car").out
    assert "vectors trail by 3 entries; `muniment flush` waits for them\n" in human
    elsewhere.close()


def test_a_model_that_fails_takes_nothing_but_the_meaning_away(shell: Shell, endpoint: Endpoint) -> None:
    record = shell.remember(CAR)
    endpoint.refusal = 401
    said = shell("recall", "red car", "--json")
    assert (said.code, [one["id"] for one in said.json["records"]]) == (0, [record])
    assert said.json["searched"]["model"] is None
    assert "the endpoint answered 401" in said.json["searched"]["why"]
    flushed = shell("flush", "--json")
    assert (flushed.code, flushed.out, flushed.error["code"]) == (3, "", "mind_unavailable")


def test_flush_says_how_far_vectors_reach(shell: Shell, endpoint: Endpoint) -> None:
    shell.remember(CAR)
    said = shell("flush", "--json")
    assert said.code == 0
    assert said.json.pop("model").startswith("openai:toy@")
    assert said.json | {"model": ""} == {"model": "", "upto": 3, "trailing": 0, "why": None}
    assert CAR in endpoint.texts
    assert shell("flush").out == "done: 3 entries have their vectors, made by openai:toy\n"


def test_flush_without_a_model_says_that_there_is_none(shell: Shell) -> None:
    shell.remember(CAR)
    said = shell("flush", "--json")
    assert (said.code, said.json["model"], said.json["upto"]) == (0, None, 0)
    assert shell("flush").out.startswith("no vectors are made: ")


def test_the_time_asked_about_is_read_against_when_it_is_asked(shell: Shell) -> None:
    shell.remember("The release was moved", "--event-time", "2026-03-12")
    words = ("recall", "what happened to the release last March?", "--asked-at", "2026-04-10")
    assert shell(*words, "--json").json["searched"]["span"] == {
        "first": "2026-03-01T00:00:00Z",
        "last": "2026-03-31T23:59:59.999999Z",
    }
    assert "understood: time 2026-03-01 to 2026-03-31\n" in shell(*words).out
    assert "understood: time 2026-04-09\n" in shell("recall", "the release yesterday", "--asked-at", "2026-04-10").out


def test_nothing_relevant_says_how_likely_a_fit_was_and_how_to_be_told_anyway(shell: Shell) -> None:
    shell.remember("The build of the turbine takes forty minutes")
    words = ("recall", "which penguin paints the garden fence of the build?", "--floor", "0.99")
    said = shell(*words, "--json").json
    assert (said["abstained"], said["records"], said["searched"]["floor"]) == ("nothing_relevant", [], 0.99)
    fit = said["searched"]["fit"]
    assert 0 < fit < 0.99
    human = shell(*words).out
    assert f"no answer: nothing fits well enough: a fit was judged {fit:.0%} likely, and the floor is 99%" in human
    floor = human.split("or a lower floor: --floor ")[1].split()[0]
    assert float(floor) <= fit
    assert len(shell(*words[:2], "--floor", floor, "--json").json["records"]) == 1


def test_of_a_long_record_the_passage_that_fits_is_shown(shell: Shell) -> None:
    content = f"{FILLER}The vendor ends support for the turbine in June. {FILLER}"
    record = shell.remember(content)
    passage = shell("recall", "turbine support", "--json").json["records"][0]["passage"]
    assert "turbine in June" in passage["text"]
    assert content[passage["start"] : passage["end"]] == passage["text"]
    human = shell("recall", "turbine support").out
    assert "turbine in June" in " ".join(human.split())
    assert f"of {len(content):,}; `muniment get {record}` shows all" in human
    assert len(human) < len(content) / 2


def test_render_prints_a_block_for_a_prompt_and_nothing_else(shell: Shell) -> None:
    record = shell.remember(CAR, "--kind", "fact")
    said = shell("recall", "red car", "--render")
    assert (said.code, said.err) == (0, "")
    assert "\n[1] fact, " in said.out
    assert f"```\n{CAR}\n```\n" in said.out
    assert "receipt" not in said.out
    block = shell("recall", "red car", "--render", "--json").json
    assert block["text"] == said.out
    assert block["citations"] == [{"marker": "[1]", "id": record, "revision": 1}]
    assert (block["left_out"], block["receipt_id"][:4]) == ([], "rcp_")


def test_the_budget_of_a_rendered_block_is_for_the_whole_block(shell: Shell) -> None:
    records = {shell.remember(f"{CAR} number {number}", "--kind", "fact") for number in (1, 2, 3)}
    whole = shell("recall", "red car", "--render", "--json").json
    assert {one["id"] for one in whole["citations"]} == records
    budget = whole["tokens"] - 5
    block = shell("recall", "red car", "--render", "--budget-tokens", str(budget), "--json").json
    assert (len(block["citations"]), len(block["left_out"])) == (2, 1)
    assert 0 < block["tokens"] <= budget
    nothing = shell("recall", "penguins", "--render")
    assert (nothing.code, nothing.out.startswith("Memory has nothing to tell here")) == (0, True)


def test_attune_tells_what_is_new_and_what_fits(shell: Shell) -> None:
    old = shell.remember("Staging runs on eu-west-2", "--kind", "fact")
    first = shell("attune", "--task", "move staging", "--json")
    assert (first.code, [one["id"] for one in first.json["records"]]) == (0, [old])
    known = str(first.json["epoch"])
    quiet = shell("attune", "--task", "move staging", "--since", known)
    assert "nothing to tell: nothing is new" in quiet.out
    new = shell.remember("Billing is closed on Sunday", "--kind", "fact")
    told = shell("attune", "--role", "operator", "--interest", "billing", "--interest", "staging", "--since", known)
    assert told.out.startswith("1. Billing is closed on Sunday\n")
    assert "Staging" not in told.out
    assert "ranked by: topic " in told.out
    assert told.out.splitlines()[-1] == f"for what is new after this: --since {int(known) + 1}"
    block = shell("attune", "--since", known, "--render", "--json").json
    assert [one["id"] for one in block["citations"]] == [new]


def test_explain_shows_the_parts_of_a_score_and_how_it_was_sought(shell: Shell, endpoint: Endpoint) -> None:
    shell.remember(CAR)
    receipt = shell("recall", "automobile", "--floor", "0.25", "--json").json["receipt_id"]
    for words in ((), ("--replay",)):
        said = shell("explain", receipt, *words, "--json").json
        assert (said["same_ids"], said["note"], said["attuned"]) == (True, None, None)
        assert said["candidates"][0]["parts"]["meaning"] > 0
        assert (said["plan"]["floor"], said["plan"]["vectors_upto"]) == (0.25, 3)
        assert said["plan"]["weights"]["meaning"] > 0
        assert said["searched"]["model"] == said["plan"]["model"]
    human = shell("explain", receipt).out
    assert "sought by words, links and meaning (openai:toy)" in human
    assert "meaning 0." in human


def test_a_replay_without_the_model_of_that_day_says_so(shell: Shell, endpoint: Endpoint) -> None:
    shell.remember(CAR)
    receipt = shell("recall", "red automobile", "--json").json["receipt_id"]
    said = shell("explain", receipt, "--replay", "--embedder", "none", "--json").json
    assert "are gone, so the search went by words alone" in said["note"]
    assert "note: the vectors of openai:toy@" in shell("explain", receipt, "--replay", "--embedder", "none").out


def test_explain_of_an_attuned_recall_says_what_it_was_about(shell: Shell) -> None:
    shell.remember("Staging runs on eu-west-2")
    receipt = shell("attune", "--role", "operator", "--interest", "staging", "--since", "1", "--json").json[
        "receipt_id"
    ]
    said = shell("explain", receipt, "--json").json
    assert said["attuned"] == {"role": "operator", "task": None, "interests": ["staging"], "since": 1}
    assert "what to know: operator, staging, since entry 1 (by owner" in shell("explain", receipt).out
    bare = shell("attune", "--json").json["receipt_id"]
    assert "what to know: whatever is new (by owner" in shell("explain", bare).out
