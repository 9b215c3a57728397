"""init, remember, revise, retract, decide."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.surfaces.shell import Shell, outside

KEY = "AKIA" + "IOSFODNN7EXAMPLE"


def test_init_makes_a_vault_and_leaves_an_existing_one_alone(shell: Shell) -> None:
    first = shell("init", "--json")
    assert (first.code, first.json) == (0, {"vault": str(shell.vault), "tenant": "default", "created": True})
    key = (shell.vault / "keys" / "signing.key").read_bytes()
    second = shell("init", "--json")
    assert (second.code, second.json["created"]) == (0, False)
    assert (shell.vault / "keys" / "signing.key").read_bytes() == key


def test_init_in_words_says_where_and_what_next(shell: Shell) -> None:
    said = shell("init")
    assert said.code == 0
    assert f"made a vault at {shell.vault}" in said.out
    assert "muniment remember" in said.out


def test_init_with_a_policy_makes_it_the_vaults_own(shell: Shell, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('version = 1\nname = "mine"\n')
    assert shell("init", "--policy", str(mine)).code == 0
    assert (shell.vault / "policy.toml").read_text() == mine.read_text()
    assert shell("policy", "show", "--json").json["policy"]["name"] == "mine"
    again = shell("init", "--policy", str(mine), "--json")
    assert (again.code, again.error["field"], again.out) == (2, "policy", "")


def test_init_with_a_broken_policy_makes_nothing(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("version: 1\nname: x\nwrit: []\n")
    said = shell("init", "--policy", str(tmp_path / "bad.yaml"), "--json")
    assert (said.code, said.error["code"]) == (2, "policy_invalid")
    assert not shell.vault.exists()


def test_remember_answers_with_the_whole_verdict(shell: Shell) -> None:
    said = shell("remember", "The build is green", "--kind", "fact", "--evidence", "ci:1", "--json")
    assert said.code == 0
    assert list(said.json) == [
        "decision",
        "outcome",
        "proposal_id",
        "record_id",
        "revision",
        "epoch",
        "reason",
        "rule",
        "duplicate_of",
        "echoes",
        "same_as",
        "conflict_ids",
        "redactions",
        "steps",
    ]
    assert (said.json["decision"], said.json["outcome"], said.json["revision"]) == ("append", "committed", 1)
    assert (said.json["rule"], said.json["epoch"]) == ("owner-commits", 3)
    assert [step["result"] for step in said.json["steps"]] == ["passed"] * 9


def test_the_owner_makes_a_missing_vault_by_remembering_and_is_told(shell: Shell) -> None:
    said = shell("remember", "first", "--json")
    assert said.code == 0
    assert said.err == f"made a new vault at {shell.vault}\n"
    assert shell("remember", "second", "--json").err == ""


def test_an_agent_does_not_make_a_vault(shell: Shell) -> None:
    said = shell("remember", "first", "--as", "tester", "--json")
    assert (said.code, said.out, said.error["code"]) == (2, "", "configuration_error")
    assert "muniment init" in said.error["message"]
    assert not shell.vault.exists()


def test_an_agent_gets_what_the_policy_gives_it(shell: Shell) -> None:
    shell("init")
    held = shell("remember", "We ship in March", "--kind", "decision", "--as", "planner", "--json").json
    assert (held["decision"], held["outcome"], held["record_id"]) == ("hold", "held", None)
    refused = shell("remember", "Skip the review", "--kind", "directive", "--as", "docs", "--json")
    assert (refused.code, refused.json["decision"], refused.json["outcome"]) == (0, "discard", "refused")
    assert refused.json["rule"] == "people-direct"


def test_a_refusal_a_hold_and_a_commit_are_told_in_words(shell: Shell) -> None:
    assert "committed  append" in shell("remember", "The build is green").out
    held = shell("remember", "We ship in March", "--kind", "decision", "--as", "planner")
    assert "held  hold" in held.out
    assert "muniment decide prp_" in held.out
    refused = shell("remember", "Skip the review", "--kind", "directive", "--as", "docs")
    assert (refused.code, "refused  discard" in refused.out) == (0, True)
    assert "only a person may give directives" in refused.out


def test_a_secret_is_redacted_and_reaches_no_file_and_no_stream(shell: Shell) -> None:
    said = shell("remember", f"the key is {KEY}", "--json")
    assert said.json["redactions"] == [{"field": "content", "what": "cloud access key", "count": 1}]
    assert KEY not in said.out + said.err
    assert shell("get", said.json["record_id"], "--json").json["content"] == "the key is [redacted: cloud access key]"
    files = [file for file in shell.vault.rglob("*") if file.is_file()]
    assert files
    assert not [file.name for file in files if KEY.encode() in file.read_bytes()]


def test_a_duplicate_names_what_it_repeats(shell: Shell) -> None:
    first = shell.remember("The build is green")
    again = shell("remember", " The build is green ", "--json").json
    assert (again["outcome"], again["duplicate_of"]) == ("refused", first)


def test_every_flag_of_remember_lands_in_the_record(shell: Shell) -> None:
    parent, whole, old = shell.remember("parent"), shell.remember("whole"), shell.remember("old")
    flags = {
        "--kind": "fact",
        "--scope": "session",
        "--scope-id": "s1",
        "--namespace": "/a/b",
        "--confidence": "0.25",
        "--evidence": "e1",
        "--purpose": "because",
        "--class": "short_term",
        "--memory-type": "episodic",
        "--source": "the log",
        "--source-type": "log",
        "--external-id": "X-1",
        "--reasoning": "it says so",
        "--assumption": "a1",
        "--event-time": "2026-01-01",
        "--valid-from": "2026-01-02",
        "--valid-until": "2026-01-03T10:00:00+02:00",
        "--expires-at": "2099-01-01",
        "--derived-from": parent,
        "--supersedes": old,
        "--parent": whole,
        "--relation": f"supports:{parent}",
        "--sensitivity": "private",
        "--owner": "team-lead",
        "--next-review-at": "2027-01-01",
        "--importance": "0.75",
        "--half-life-hours": "36.5",
        "--lawful-basis": "consent",
        "--access": "team-lead",
        "--erasure": "on request",
        "--retention-days": "36500",
        "--source-quality": "first hand",
        "--reviewer": "officer",
        "--bar-scope": "agent_team",
        "--subject": "build",
        "--key": "state",
        "--value": "green",
        "--session": "s1",
        "--workflow-id": "w1",
        "--task-id": "t1",
        "--question": "how is the build?",
        "--proposal-id": "my-proposal",
    }
    words = [word for pair in flags.items() for word in pair]
    more = ("--evidence", "e2", "--assumption", "a2", "--access", "auditor", "--bar-scope", "x_organization")
    verdict = shell("remember", "everything", *words, *more, "--hedged", "--anchored", "--json").json
    assert (verdict["decision"], verdict["proposal_id"]) == ("update", "my-proposal")
    record = shell("get", verdict["record_id"], "--json").json
    created = record.pop("created_at")
    assert created.endswith("Z")
    assert {name: record[name] for name in record if name not in {"id", "citation", "reasons", "since"}} == {
        "revision": 1,
        "content": "everything",
        "kind": "fact",
        "status": "active",
        "successor": None,
        "scope": "session",
        "scope_id": "s1",
        "namespace": "/a/b",
        "session_id": "s1",
        "workflow_id": "w1",
        "task_id": "t1",
        "memory_class": "short_term",
        "memory_type": "episodic",
        "confidence": 0.25,
        "confidence_stated": True,
        "own_confidence": 0.25,
        "effective_confidence": 0.25,
        "alpha": 1.0,
        "beta": 1.0,
        "support": "standing",
        "gate": "FILTER",
        "tier": "working",
        "accesses": 0,
        "last_access": None,
        "reasoning": "it says so",
        "evidence": ["e1", "e2"],
        "assumptions": ["a1", "a2"],
        "hedged": True,
        "purpose": "because",
        "question": "how is the build?",
        "source": "the log",
        "source_type": "log",
        "external_id": "X-1",
        "triggered_by": None,
        "slot": {"subject": "build", "key": "state", "value": "green"},
        "derived_from": [parent],
        "echoes": [],
        "parent": whole,
        "supersedes": old,
        "relations": [{"type": "supports", "id": parent}],
        "entities": [],
        "event_time": "2026-01-01T00:00:00Z",
        "valid_from": "2026-01-02T00:00:00Z",
        "valid_until": "2026-01-03T08:00:00Z",
        "expires_at": "2099-01-01T00:00:00Z",
        "sensitivity": "private",
        "owner": "team-lead",
        "next_review_at": "2027-01-01T00:00:00Z",
        "charter": {
            "lawful_basis": "consent",
            "access": ["team-lead", "auditor"],
            "erasure": "on request",
            "retention_days": 36500,
            "source_quality": "first hand",
            "reviewer": "officer",
            "barred_scopes": ["agent_team", "x_organization"],
        },
        "importance": 0.75,
        "half_life_hours": 36.5,
        "anchored": True,
        "trust": record["trust"],
        "origin": "tool",
        "label": "tool",
        "actor": "owner",
        "actor_type": "person",
        "reviewer": record["reviewer"],
        "proposal_id": "my-proposal",
        "tenant": "default",
        "presented": "claim",
        "score": 0.0,
        "parts": {},
        "passage": None,
        "notices": [],
        "conflicts": [],
        "disputed_by": [],
        "same_as": [],
    }


def test_the_same_proposal_id_twice_makes_one_record(shell: Shell) -> None:
    first = shell("remember", "once", "--proposal-id", "p1", "--json").json
    again = shell("remember", "once", "--proposal-id", "p1", "--json").json
    assert (again["record_id"], again["epoch"]) == (first["record_id"], first["epoch"])
    other = shell("remember", "something else", "--proposal-id", "p1", "--json")
    assert (other.code, other.error["field"]) == (2, "proposal_id")


def test_a_session_is_the_actors_own(shell: Shell) -> None:
    shell("init")
    note = ("remember", "a note", "--scope", "session", "--as", "tester", "--json")
    assert shell(*note, "--session", "s1").json["rule"] == "session-notes"
    mine = shell("recall", "note", "--as", "tester", "--session", "s1", "--json").json
    other = shell("recall", "note", "--as", "tester", "--session", "s2", "--json").json
    assert ([one["content"] for one in mine["records"]], other["records"]) == (["a note"], [])


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (b"from standard input\n", "from standard input"),
        ("Grüße\n你好\n\n".encode(), "Grüße\n你好\n"),
        (b"crlf\r\n", "crlf"),
        (b"no line break", "no line break"),
    ],
)
def test_a_dash_reads_standard_input(shell: Shell, sent: bytes, kept: str) -> None:
    said = shell("remember", "-", "--json", stdin=sent)
    assert said.code == 0
    assert shell("get", said.json["record_id"], "--json").json["content"] == kept


@pytest.mark.parametrize(
    ("sent", "code"),
    [(b"\xff\xfe", "malformed"), (b"", "malformed"), (b"\n", "malformed"), (b"a\x00b", "malformed")],
)
def test_what_is_not_text_on_standard_input_is_refused(shell: Shell, sent: bytes, code: str) -> None:
    said = shell("remember", "-", "--json", stdin=sent)
    assert (said.code, said.out, said.error["code"]) == (2, "", code)


def test_ten_megabytes_on_standard_input_are_refused(shell: Shell) -> None:
    said = shell("remember", "-", "--json", stdin=b"x" * 10_000_000)
    assert (said.code, said.out, said.error["code"], said.error["field"]) == (2, "", "limit_exceeded", "content")


def test_the_largest_content_is_kept_exactly(shell: Shell) -> None:
    said = shell("remember", "-", "--json", stdin=b"x" * 1_048_576 + b"\n")
    assert said.code == 0
    assert shell("get", said.json["record_id"], "--json").json["content"] == "x" * 1_048_576


def test_standard_input_works_in_a_process_of_its_own(tmp_path: Path) -> None:
    good = outside("remember", "-", "--json", stdin="übergangs".encode(), cwd=tmp_path)
    assert good.returncode == 0
    bad = outside("remember", "-", "--json", stdin=b"\x80", cwd=tmp_path)
    assert (bad.returncode, bad.stdout) == (2, b"")
    assert b"UTF-8" in bad.stderr
    assert b"Traceback" not in bad.stderr


def test_revise_keeps_the_old_revision_and_takes_over_what_is_not_said(shell: Shell) -> None:
    record = shell.remember("green", "--kind", "fact", "--evidence", "e1", "--confidence", "0.9")
    said = shell("revise", record, "red", "--confidence", "0.6", "--expected-revision", "1", "--json")
    assert (said.code, said.json["decision"], said.json["revision"]) == (0, "update", 2)
    now, before = shell("get", record, "--json").json, shell("get", record, "--revision", "1", "--json").json
    assert (now["content"], now["confidence"], now["kind"], now["evidence"]) == ("red", 0.6, "fact", ["e1"])
    assert (before["content"], before["confidence"], before["status"]) == ("green", 0.9, "superseded")


def test_revise_in_words_cites_the_new_revision(shell: Shell) -> None:
    record = shell.remember("green")
    said = shell("revise", record, "-", stdin=b"red\n")
    assert said.code == 0
    assert f"committed  update  {record}@2" in said.out
    assert shell("get", record, "--json").json["content"] == "red"


def test_a_flag_that_is_not_said_does_not_change_what_was_hedged(shell: Shell) -> None:
    record = shell.remember("perhaps green", "--hedged")
    shell("revise", record, "perhaps red")
    assert shell("get", record, "--json").json["hedged"] is True
    shell("revise", record, "red", "--not-hedged")
    assert shell("get", record, "--json").json["hedged"] is False


def test_a_revision_made_against_an_older_one_is_stale(shell: Shell) -> None:
    record = shell.remember("one")
    shell("revise", record, "two")
    said = shell("revise", record, "three", "--expected-revision", "1", "--json")
    assert (said.code, said.error["code"], said.out) == (2, "stale", "")


def test_retract_takes_a_record_back(shell: Shell) -> None:
    record = shell.remember("the build is green")
    said = shell("retract", record, "--reason", "it was not", "--yes", "--json")
    assert (said.code, said.json["decision"], said.json["record_id"]) == (0, "deprecate", record)
    assert shell("get", record, "--json").json["status"] == "retracted"
    assert shell("recall", "build", "--json").json["excluded"] == {"retracted": 1}


def test_retract_in_words(shell: Shell) -> None:
    record = shell.remember("the build is green")
    said = shell("retract", record, "--reason", "it was not", "--yes")
    assert (said.code, f"committed  deprecate  {record}@1" in said.out, "it was not" in said.out) == (0, True, True)


def test_retract_asks_first_and_without_a_terminal_says_what_to_add(shell: Shell) -> None:
    record = shell.remember("the build is green")
    said = shell("retract", record, "--reason", "no", "--json")
    assert (said.code, said.out, said.error["field"]) == (2, "", "yes")
    assert "--yes" in said.error["hint"]
    assert shell("get", record, "--json").json["status"] == "active"


def test_an_agent_may_not_retract_what_is_anothers_and_that_is_an_answer(shell: Shell) -> None:
    record = shell.remember("the build is green")
    said = shell("retract", record, "--reason", "no", "--yes", "--as", "docs", "--json")
    assert (said.code, said.json["outcome"], said.json["record_id"]) == (0, "refused", None)


def test_decide_accepts_and_corrects(shell: Shell) -> None:
    shell("init")
    held = shell("remember", "We ship", "--kind", "decision", "--as", "planner", "--json").json["proposal_id"]
    said = shell(
        "decide", held, "accept", "--reason", "agreed", "--kind", "intention", "--scope-id", "apollo", "--json"
    )
    assert (said.code, said.json["outcome"], said.json["reason"]) == (0, "committed", "agreed")
    record = shell("get", said.json["record_id"], "--json").json
    assert (record["kind"], record["scope_id"], record["reviewer"]) == ("intention", "apollo", "owner")


def test_decide_can_be_rehearsed(shell: Shell) -> None:
    shell("init")
    held = shell("remember", "We ship", "--kind", "decision", "--as", "planner", "--json").json["proposal_id"]
    said = shell("decide", held, "accept", "--reason", "agreed", "--dry-run", "--json")
    assert (said.code, said.json["outcome"], said.json["dry_run"]) == (0, "committed", True)
    told = shell("decide", held, "discard", "--reason", "not yet", "--dry-run")
    assert told.out.splitlines() == [
        "would be refused  discard",
        "  why: not yet (ruling)",
        "  this is a plan: nothing was changed",
    ]
    assert [one["proposal_id"] for one in shell("queue", "--json").json["proposals"]] == [held]


def test_decide_discards(shell: Shell) -> None:
    shell("init")
    held = shell("remember", "We ship", "--kind", "decision", "--as", "planner", "--json").json["proposal_id"]
    said = shell("decide", held, "discard", "--reason", "not yet")
    assert (said.code, "refused  discard" in said.out, "not yet" in said.out) == (0, True, True)
    again = shell("decide", held, "accept", "--reason", "after all", "--json")
    assert (again.code, again.error["code"]) == (2, "stale")


def test_decide_knows_two_answers_and_only_held_proposals(shell: Shell) -> None:
    shell("init")
    wrong = shell("decide", "prp_1", "maybe", "--reason", "x", "--json")
    assert (wrong.code, wrong.error["field"], wrong.error["code"]) == (2, "answer", "malformed")
    absent = shell("decide", "prp_1", "accept", "--reason", "x", "--json")
    assert (absent.code, absent.error["code"], absent.out) == (2, "not_found", "")


def test_memory_about_people_needs_a_whole_charter_and_then_a_person(shell: Shell) -> None:
    shell("init")
    words = ("remember", "The user prefers short answers", "--kind", "preference", "--scope", "x_user_identity")
    place = ("--scope-id", "u1", "--owner", "owner", "--evidence", "form:1")
    bare = shell(*words, *place, "--json").json
    assert (bare["outcome"], bare["rule"]) == ("refused", "charter-incomplete")
    charter = ("--lawful-basis", "consent", "--access", "desk", "--erasure", "on request", "--retention-days", "30")
    rest = ("--source-quality", "first hand", "--reviewer", "officer", "--bar-scope", "agent_team")
    held = shell(*words, *place, *charter, *rest, "--json").json
    assert (held["outcome"], held["rule"]) == ("held", "people-decide-on-people")
    done = shell("decide", held["proposal_id"], "accept", "--reason", "the form is signed", "--json").json
    assert shell("get", done["record_id"], "--json").json["charter"]["lawful_basis"] == "consent"
