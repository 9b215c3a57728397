"""conflicts, resolve, and how a dispute is told."""

from __future__ import annotations

from tests.surfaces.shell import Shell


def test_a_conflict_tells_how_it_was_found_and_what_to_do(shell: Shell, dispute: tuple[str, str, str]) -> None:
    first, second, name = dispute
    (conflict,) = shell("conflicts", "--json").json["conflicts"]
    sides = {conflict.pop("a")["id"], conflict.pop("b")["id"]}
    opened = conflict.pop("opened")
    assert (sides, opened) == ({first, second}, 4)
    assert conflict == {
        "id": name,
        "type": "contradiction",
        "status": "detected",
        "why": "number",
        "strength": "established",
        "strategy": None,
        "winner": None,
        "rationale": None,
        "resolved_by": None,
        "epoch_resolved": None,
        "ballots": [],
    }
    human = shell("conflicts").out
    assert "contradiction (number), found in entry 4" in human
    assert f"muniment resolve {name} --strategy" in human


def test_a_conflict_is_resolved_by_what_each_side_can_show(shell: Shell, dispute: tuple[str, str, str]) -> None:
    first, second, name = dispute
    said = shell("resolve", name, "--strategy", "evidence_count", "--rationale", "the log settles it", "--json")
    assert (said.code, said.json) == (
        0,
        {
            "conflict": name,
            "status": "resolved",
            "winner": first,
            "superseded": [second],
            "synthesis": None,
            "ballots": [],
            "epoch": 5,
            "rule": "owner-reviews",
            "reason": "the log settles it",
        },
    )
    assert shell("conflicts", "--json").json == {"conflicts": [], "next": None}
    (over,) = shell("conflicts", "--all", "--json").json["conflicts"]
    assert (over["strategy"], over["winner"], over["resolved_by"], over["epoch_resolved"], over["rationale"]) == (
        "evidence_count",
        first,
        "owner",
        5,
        "the log settles it",
    )
    assert f"evidence_count by owner in entry 5, in favour of {first}" in " ".join(
        shell("conflicts", "--all").out.split()
    )
    again = shell("resolve", name, "--strategy", "last_write_wins", "--rationale", "x", "--json")
    assert (again.code, again.error["code"]) == (2, "stale")


def test_a_strategy_that_cannot_tell_them_apart_changes_nothing(shell: Shell, dispute: tuple[str, str, str]) -> None:
    head = shell("ledger", "head").json
    words = ("resolve", dispute[2], "--strategy", "confidence_weighted", "--rationale", "the surer one")
    said = shell(*words, "--json")
    assert (said.code, said.out, said.error["code"]) == (2, "", "undecided")
    assert "what to do: Choose another strategy" in shell(*words).err
    assert shell("ledger", "head").json == head


def test_who_may_not_settle_is_refused_and_that_is_an_answer(shell: Shell, dispute: tuple[str, str, str]) -> None:
    words = ("resolve", dispute[2], "--strategy", "evidence_count", "--rationale", "x", "--as", "a")
    said = shell(*words, "--json")
    assert (said.code, said.json["status"], said.json["winner"], said.json["rule"]) == (0, "refused", None, "no-rule")
    assert "refused  cfl_" in shell(*words).out


def test_votes_are_counted_until_there_are_enough(shell: Shell, dispute: tuple[str, str, str]) -> None:
    first, second, name = dispute
    words = ("resolve", name, "--strategy", "vote", "--rationale", "measured")
    one = shell(*words, "--winner", first, "--as", "voter-1", "--json").json
    assert (one["status"], one["ballots"]) == ("pending_vote", [{"actor": "voter-1", "winner": first}])
    human = shell(*words, "--winner", second, "--as", "voter-2")
    assert ("waits for more voices" in human.out, f"voter-2 for {second}" in human.out) == (True, True)
    assert f"voted: voter-1 for {first}" in shell("conflicts").out
    done = shell(*words, "--winner", first, "--as", "voter-3", "--json").json
    assert (done["status"], done["winner"], len(done["ballots"])) == ("resolved", first, 3)


def test_what_is_escalated_waits_for_a_person(shell: Shell, dispute: tuple[str, str, str]) -> None:
    said = shell("resolve", dispute[2], "--strategy", "human_escalation", "--rationale", "too close")
    assert (said.code, "escalated  cfl_" in said.out, "a person settles it" in said.out) == (0, True, True)
    assert [one["status"] for one in shell("conflicts", "--json").json["conflicts"]] == ["escalated"]


def test_a_synthesis_takes_the_place_of_both(shell: Shell, dispute: tuple[str, str, str]) -> None:
    first, second, name = dispute
    said = shell(
        "resolve", name, "--strategy", "synthesis", "--rationale", "both were right", "--synthesis",
        "The nightly build takes 40 minutes on weekdays and 55 minutes on Sundays",
        "--confidence", "0.75", "--evidence", "ci:2", "--namespace", "/ci", "--hedged", "--json",
    )  # fmt: skip
    assert (said.code, said.json["status"]) == (0, "resolved")
    assert said.json["winner"] == said.json["synthesis"]
    assert sorted(said.json["superseded"]) == sorted([first, second])
    record = shell("get", said.json["synthesis"], "--json").json
    assert (record["kind"], record["confidence"], record["evidence"], record["namespace"], record["hedged"]) == (
        "synthesis",
        0.75,
        ["ci:2"],
        "/ci",
        True,
    )
    assert shell("get", first, "--json").json["status"] == "superseded"


def test_a_settlement_can_be_rehearsed(shell: Shell, dispute: tuple[str, str, str]) -> None:
    first, second, name = dispute
    above = shell.remember("Deploys wait for the nightly build", "--derived-from", first)
    words = ("resolve", name, "--strategy", "evidence_count", "--rationale", "the log settles it", "--dry-run")
    said = shell(*words, "--json")
    assert (said.code, said.json["status"], said.json["winner"], said.json["superseded"]) == (
        0,
        "resolved",
        first,
        [second],
    )
    assert (said.json["falls"], said.json["rises"], said.json["dry_run"]) == ([], [above], True)
    lines = shell(*words).out.splitlines()
    assert lines[0] == f"would be resolved  {name}"
    assert [line.split() for line in lines[2:5]] == [["winner:", first], ["superseded:", second], ["rises:", above]]
    assert lines[5].strip() == "this is a plan: nothing was changed"
    assert [one["status"] for one in shell("conflicts", "--json").json["conflicts"]] == ["detected"]
    late = shell(*words[:-1], "--plan", "another", "--json")
    assert (late.code, late.error["code"]) == (2, "stale")
    assert shell(*words[:-1], "--plan", said.json["digest"], "--json").json["winner"] == first


def test_a_rehearsed_synthesis_has_no_id_to_tell(shell: Shell, dispute: tuple[str, str, str]) -> None:
    words = ("resolve", dispute[2], "--strategy", "synthesis", "--rationale", "both", "--synthesis", "It varies")
    told = shell(*words, "--dry-run").out
    assert "one new record, which takes the place of both" in told
    assert "would wait" not in told
    assert [one["status"] for one in shell("conflicts", "--json").json["conflicts"]] == ["detected"]


def test_a_synthesis_that_policy_holds_settles_nothing(shell: Shell, dispute: tuple[str, str, str]) -> None:
    rules = (shell.vault / "policy.yaml").read_text()
    changed = rules.replace("actors:\n", "actors:\n  senior: {roles: [agent], projects: [default], authority: 7}\n", 1)
    assert changed != rules
    (shell.vault / "policy.yaml").write_text(changed)
    words = (
        "resolve",
        dispute[2],
        "--strategy",
        "synthesis",
        "--rationale",
        "x",
        "--as",
        "senior",
        "--synthesis",
        "It varies",
    )
    said = shell(*words, "--json")
    assert (said.code, said.json["status"], said.json["synthesis"]) == (0, "held", None)
    assert "a person answers for the synthesis: muniment queue" in shell(*words).out
    assert [one["status"] for one in shell("conflicts", "--json").json["conflicts"]] == ["detected"]


def test_a_disputed_record_is_told_as_disputed_and_what_stands_on_it_with_care(
    shell: Shell, dispute: tuple[str, str, str]
) -> None:
    child = shell.remember("Deploys wait for the nightly build", "--confidence", "0.8", "--derived-from", dispute[0])
    record = shell("get", child, "--json").json
    assert (record["support"], record["gate"], record["effective_confidence"]) == ("flagged", "FLAG", 0.8)
    told = shell("recall", "nightly build").out
    assert "disputed: neither side is asserted" in told
    assert "treat with care: something it stands on is in doubt or gone" in told
