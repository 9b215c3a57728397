"""recall and its bounds, get, history, explain, queue, conflicts, stats."""

from __future__ import annotations

import pytest
from tests.surfaces.shell import Shell

RECORD_FIELDS = {
    "id",
    "revision",
    "content",
    "kind",
    "score",
    "reasons",
    "confidence",
    "presented",
    "status",
    "notices",
    "conflicts",
    "scope",
    "scope_id",
    "namespace",
    "trust",
    "label",
    "created_at",
    "citation",
}


def test_recall_answers_with_everything_that_is_promised(shell: Shell) -> None:
    record = shell.remember("The build is green", "--kind", "fact", "--confidence", "0.9")
    said = shell("recall", "how is the build?", "--json")
    assert said.code == 0
    assert set(said.json) == {
        "records",
        "excluded",
        "considered",
        "abstained",
        "receipt_id",
        "epoch",
        "notices",
        "searched",
        "withdrawn",
    }
    (found,) = said.json["records"]
    assert set(found) >= RECORD_FIELDS
    assert (found["id"], found["citation"], found["content"]) == (record, f"{record}@1", "The build is green")
    assert (found["kind"], found["score"], found["confidence"], found["presented"]) == ("fact", 1.0, 0.9, "claim")
    assert (said.json["abstained"], said.json["considered"], said.json["epoch"]) == (None, 1, 3)
    assert found["created_at"].endswith("Z")


def test_recall_in_words_cites_its_records_and_names_the_receipt(shell: Shell) -> None:
    record = shell.remember("The build is green")
    said = shell("recall", "build")
    assert said.code == 0
    assert "1. The build is green" in said.out
    assert f"[{record}@1]" in said.out
    assert "why: matches build" in said.out
    assert "receipt rcp_" in said.out


@pytest.mark.parametrize(
    ("query", "words", "reason", "told"),
    [
        ("penguins", (), "no_match", "nothing that is remembered matches"),
        ("?!", (), "no_searchable_words", "no word to search by"),
        ("build", ("--kind", "risk"), "nothing_eligible", "ruled out"),
        ("build", ("--limit", "0"), "nothing_fits", "raise --limit"),
        ("build", ("--budget-tokens", "1"), "nothing_fits", "raise --limit or --budget-tokens"),
    ],
)
def test_an_abstention_is_an_answer_with_its_reason(
    shell: Shell, query: str, words: tuple[str, ...], reason: str, told: str
) -> None:
    shell.remember("The build is green")
    said = shell("recall", query, *words, "--json")
    assert (said.code, said.json["abstained"], said.json["records"]) == (0, reason, [])
    human = shell("recall", query, *words)
    assert human.code == 0
    assert told in human.out
    assert "try:" in human.out


def test_who_may_read_nothing_is_told_so(shell: Shell) -> None:
    shell.remember("The build is green")
    (shell.vault / "policy.yaml").write_text("version: 1\nname: closed\n")
    said = shell("recall", "build", "--json")
    assert (said.code, said.json["abstained"]) == (0, "not_authorized")
    assert "--as" in shell("recall", "build").out


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((), {"alpha", "beta", "gamma"}),
        (("--kind", "fact"), {"alpha"}),
        (("--kind", "fact", "--kind", "risk"), {"alpha", "beta"}),
        (("--scope", "session"), {"gamma"}),
        (("--scope-id", "apollo"), {"beta"}),
        (("--scope-id", "apollo", "--scope-id", "default"), {"alpha", "beta"}),
        (("--namespace", "/ops"), {"alpha"}),
        (("--class", "profile"), {"beta"}),
        (("--confidence-min", "0.8"), {"alpha"}),
        (("--require-provenance",), {"alpha"}),
        (("--sensitivity-max", "public"), {"gamma"}),
        (("--trust-min", "high"), {"alpha", "beta", "gamma"}),
        (("--max-age-days", "1"), {"alpha", "beta", "gamma"}),
        (("--max-age-days", "0"), set()),
        (("--valid-at", "2020-06-01"), {"alpha", "gamma"}),
        (("--known-at", "2020-06-01"), set()),
        (("--purpose", "audit"), {"alpha", "beta", "gamma"}),
        (("--limit", "1"), {"one of them"}),
    ],
)
def test_every_bound_of_recall_bounds(shell: Shell, words: tuple[str, ...], found: set[str]) -> None:
    shell.remember("alpha word", "--kind", "fact", "--namespace", "/ops/db", "--confidence", "0.9", "--evidence", "e")
    shell.remember(
        "beta word", "--kind", "risk", "--scope-id", "apollo", "--class", "profile", "--valid-from", "2021-01-01"
    )
    shell.remember("gamma word", "--scope", "session", "--scope-id", "s1", "--sensitivity", "public")
    said = shell("recall", "word", *words, "--json")
    assert said.code == 0
    told = {one["content"].split()[0] for one in said.json["records"]}
    if words == ("--limit", "1"):
        assert (len(told), said.json["excluded"]) == (1, {"limit": 2})
    else:
        assert told == found


@pytest.mark.parametrize("word", ["Straße", "ΟΔΟΣ", "Łódź", "Übung"])
def test_a_word_of_any_alphabet_is_found_as_it_was_written(shell: Shell, word: str) -> None:
    record = shell.remember(f"{word} 42")
    assert [one["id"] for one in shell("recall", word, "--json").json["records"]] == [record]


def test_known_at_gives_the_old_truth(shell: Shell) -> None:
    record = shell.remember("The build is green")
    before = shell("get", record, "--json").json["created_at"]
    shell("revise", record, "The build is red")
    assert [one["content"] for one in shell("recall", "build", "--json").json["records"]] == ["The build is red"]
    old = shell("recall", "build", "--known-at", before, "--json").json["records"]
    assert [(one["content"], one["revision"], one["status"]) for one in old] == [("The build is green", 1, "active")]


def test_get_in_words_shows_what_was_said(shell: Shell) -> None:
    record = shell.remember("The build is green", "--evidence", "ci:7", "--source", "the log", "--hedged")
    said = shell("get", record)
    assert said.code == 0
    for words in (f"{record}@1", "ci:7", "the log", "hedged", "active since entry 3"):
        assert words in said.out


def test_get_in_words_shows_what_was_said_of_its_keeping(shell: Shell) -> None:
    part = shell.remember("The house has four floors")
    charter = ("--lawful-basis", "consent", "--access", "lead", "--retention-days", "30", "--bar-scope", "agent_team")
    strength = ("--half-life-hours", "12", "--next-review-at", "2027-01-01", "--parent", part)
    said = shell("get", shell.remember("The roof leaks", *charter, *strength))
    for words in (
        "charter       basis: consent; access: lead; kept for days: 30; barred: agent_team",
        "presence      half as present after 12 hours",
        "review again  2027-01-01T00:00:00Z",
        f"parent        {part}",
    ):
        assert words in said.out
    assert "never fades" in shell("get", shell.remember("The cellar is dry", "--anchored")).out
    plain = shell("get", part).out
    assert not [word for word in ("charter", "presence", "parent", "says again", "outcomes") if word in plain]


def test_a_record_nobody_may_know_of_is_not_found(shell: Shell) -> None:
    record = shell.remember("salaries", "--sensitivity", "secret")
    hidden, absent = shell("get", record, "--as", "docs", "--json"), shell("get", "rec_0", "--as", "docs", "--json")
    assert (hidden.code, hidden.error["code"], hidden.out) == (2, "not_found", "")
    assert hidden.error["message"].replace(record, "X") == absent.error["message"].replace("rec_0", "X")


def test_history_tells_every_revision_and_who_decided(shell: Shell) -> None:
    record = shell.remember("green")
    shell("revise", record, "red")
    shell("retract", record, "--reason", "neither", "--yes")
    found = shell("history", record, "--json")
    assert (found.code, found.json["id"], found.json["replaced"], found.json["replaced_by"]) == (0, record, [], [])
    assert [(one["revision"], one["content"], one["status"]) for one in found.json["revisions"]] == [
        (1, "green", "superseded"),
        (2, "red", "retracted"),
    ]
    last = found.json["revisions"][1]["events"][-1]
    assert (last["what"], last["reason"], last["actor"]) == ("became retracted", "neither", "owner")
    human = shell("history", record)
    assert human.code == 0
    for words in (f"{record}@1", f"{record}@2", "became superseded", "neither"):
        assert words in human.out


def test_history_names_what_replaced_a_record(shell: Shell) -> None:
    old = shell.remember("the old way")
    new = shell.remember("the new way", "--supersedes", old)
    assert shell("history", old, "--json").json["replaced_by"] == [new]
    assert f"its place was taken by: {new}" in shell("history", old).out
    assert f"took the place of: {old}" in shell("history", new).out


@pytest.mark.parametrize("replay", [(), ("--replay",)])
def test_explain_gives_the_same_ids_and_the_whole_account(shell: Shell, replay: tuple[str, ...]) -> None:
    record = shell.remember("The build is green")
    receipt = shell("recall", "the build", "--kind", "observation", "--max-age-days", "3", "--json").json["receipt_id"]
    shell("revise", record, "The build is red")
    said = shell("explain", receipt, *replay, "--json")
    assert said.code == 0
    assert set(said.json) >= {
        "same_ids",
        "plan",
        "filters",
        "candidates",
        "excluded",
        "selected",
        "again",
        "actor",
        "purpose",
        "query",
        "epoch",
        "at",
        "replayed",
    }
    assert (said.json["same_ids"], said.json["replayed"]) == (True, bool(replay))
    assert said.json["selected"] == said.json["again"] == [record]
    assert (said.json["actor"], said.json["purpose"], said.json["query"]) == ("owner", "answer", "the build")
    assert said.json["plan"]["grants"] == ["owner-reads", "members-read", "users-read-their-own"]
    assert said.json["plan"]["as_of"] == said.json["epoch"] == 3
    assert "build" in said.json["plan"]["terms"]["words"]
    assert said.json["filters"]["kind"] == {"one_of": {"kind": ["observation"]}}
    assert said.json["filters"]["age"]["at_least"]["created_at"].endswith("Z")
    assert said.json["ranks"] == {record: 1}
    (candidate,) = said.json["candidates"]
    assert (candidate["rank"], candidate["id"], candidate["revision"], candidate["excluded"]) == (1, record, 1, None)


def test_explain_in_words(shell: Shell) -> None:
    record = shell.remember("The build is green")
    receipt = shell("recall", "build", "--json").json["receipt_id"]
    said = shell("explain", receipt)
    assert said.code == 0
    for words in ("the same records", "granted by", "owner-reads", f"{record}@1", "told"):
        assert words in said.out


def test_explain_of_a_very_old_bound_still_shows_an_instant(shell: Shell) -> None:
    shell.remember("The build is green")
    receipt = shell("recall", "build", "--max-age-days", "4000000", "--json").json["receipt_id"]
    said = shell("explain", receipt, "--json")
    assert (said.code, said.json["filters"]["age"]) == (0, {"at_least": {"created_at": "0001-01-01T00:00:00Z"}})


def test_a_receipt_is_for_the_one_it_was_given_to(shell: Shell) -> None:
    shell.remember("The build is green")
    receipt = shell("recall", "build", "--as", "tester", "--json").json["receipt_id"]
    assert shell("explain", receipt, "--as", "tester").code == 0
    other = shell("explain", receipt, "--as", "docs", "--json")
    assert (other.code, other.error["code"]) == (2, "not_found")


def test_the_queue_shows_what_waits_page_by_page(shell: Shell) -> None:
    shell("init")
    assert shell("queue", "--json").json == {"proposals": [], "next": None}
    assert "nothing waits" in shell("queue").out
    held = [
        shell("remember", f"plan {number}", "--kind", "decision", "--as", "planner", "--json").json["proposal_id"]
        for number in range(3)
    ]
    first = shell("queue", "--limit", "2", "--json").json
    rest = shell("queue", "--limit", "2", "--after", first["next"], "--json").json
    assert sorted(held) == [one["proposal_id"] for one in first["proposals"] + rest["proposals"]]
    assert rest["next"] is None
    waiting = first["proposals"][0]
    assert (waiting["actor"], waiting["kind"], waiting["rule"]) == ("planner", "decision", "people-decide-the-rest")
    human = shell("queue")
    assert (human.code, "plan 0" in human.out, "muniment decide" in human.out) == (0, True, True)


def test_the_queue_of_an_agent_is_its_own(shell: Shell) -> None:
    shell("init")
    shell("remember", "We ship", "--kind", "decision", "--as", "planner")
    assert shell("queue", "--as", "docs", "--json").json["proposals"] == []
    assert len(shell("queue", "--as", "planner", "--json").json["proposals"]) == 1


def test_conflicts_shows_both_sides_and_resolved_ones_on_demand(shell: Shell) -> None:
    assert shell("init").code == 0
    assert "no disagreement" in shell("conflicts").out
    slot = ("--subject", "repo", "--key", "branch")
    one = shell.remember("it is main", *slot, "--value", "main")
    two = shell("remember", "it is trunk", *slot, "--value", "trunk", "--json").json
    assert two["decision"] == "conflict"
    (conflict,) = shell("conflicts", "--json").json["conflicts"]
    assert (conflict["id"], conflict["status"]) == (two["conflict_ids"][0], "detected")
    assert {conflict["a"]["id"], conflict["b"]["id"]} == {one, two["record_id"]}
    human = shell("conflicts")
    assert ("it is main" in human.out, "it is trunk" in human.out) == (True, True)
    recalled = shell("recall", "main").out
    assert "disputed" in recalled
    shell("retract", one, "--reason", "renamed", "--yes")
    assert shell("conflicts", "--json").json == {"conflicts": [], "next": None}
    assert [one["status"] for one in shell("conflicts", "--all", "--json").json["conflicts"]] == ["resolved"]


def test_conflicts_are_paged_and_their_long_sides_cut_for_a_person(shell: Shell) -> None:
    assert shell("init").code == 0
    for number in range(3):
        slot = ("--subject", "repo", "--key", f"branch-{number}")
        shell("remember", f"branch {number} is main " + "because " * 200, *slot, "--value", "main")
        shell("remember", f"branch {number} is trunk " + "because " * 200, *slot, "--value", "trunk")
    whole = shell("conflicts", "--json").json
    assert (len(whole["conflicts"]), whole["next"]) == (3, None)
    first = shell("conflicts", "--limit", "2", "--json").json
    rest = shell("conflicts", "--limit", "2", "--after", first["next"], "--json").json
    assert [*first["conflicts"], *rest["conflicts"]] == whole["conflicts"]
    assert rest["next"] is None
    assert len(whole["conflicts"][0]["a"]["content"]) > 1_000
    human = shell("conflicts", "--limit", "2").out
    assert f"more: --after {first['next']}" in human
    assert len(human) < 3_000


def test_a_sweep_names_a_few_to_a_person_and_all_to_a_program(shell: Shell) -> None:
    assert shell("init").code == 0
    for number in range(25):
        shell.remember(f"fact {number}", "--next-review-at", "2020-01-01")
    program = shell("sweep", "--json").json
    assert (len(program["due"]), program["counts"]["due"]) == (25, 25)
    assert "and 5 more" in shell("sweep").out
    cut = shell("sweep", "--limit", "3", "--json").json
    assert (len(cut["due"]), cut["counts"]["due"]) == (3, 25)


def test_stats_count_what_the_caller_may_see(shell: Shell) -> None:
    record = shell.remember("green")
    shell("revise", record, "red")
    shell("recall", "red")
    owner = shell("stats", "--json").json
    size, log, told = owner.pop("bytes"), owner.pop("wal_bytes"), owner.pop("receipts_bytes")
    assert owner == {
        "tenant": "default",
        "revisions": {"active": 1, "superseded": 1},
        "current": 1,
        "open_conflicts": 0,
        "held": 0,
        "entries": 4,
        "receipts": 1,
        "oldest_read_s": None,
        "vectors_trailing": 0,
        "vectors_per_s": 0.0,
        "background_restarts": 0,
    }
    assert size > told > 0 <= log
    agent = shell("stats", "--as", "docs", "--json").json
    assert (agent["current"], agent["entries"], agent["held"], agent["bytes"]) == (1, None, None, None)
    assert (agent["wal_bytes"], agent["receipts_bytes"], agent["vectors_trailing"]) == (None, None, None)
    assert "ledger entries           4\n" in shell("stats").out
    assert "only for those who may audit" in shell("stats", "--as", "docs").out


def test_two_tenants_do_not_see_each_other(shell: Shell) -> None:
    shell.remember("The build is green")
    shell("remember", "The canteen is closed", "--tenant", "other")
    assert shell("recall", "build", "--tenant", "other", "--json").json["considered"] == 0
    assert shell("recall", "canteen", "--json").json["considered"] == 0
    absent = shell("recall", "build", "--tenant", "nobody", "--json")
    assert (absent.code, absent.error["code"]) == (2, "not_found")
