"""What every command shares: its options anywhere on the line, its help, its errors, its exit codes, its streams."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from tests.cases import each
from tests.patience import WAIT_S
from tests.surfaces.shell import Shell, outside

from muniment.surfaces.cli import app, run

COMMANDS = [
    ("init",),
    ("announce",),
    ("audit",),
    ("diff",),
    ("rewind",),
    ("settle",),
    ("tombstone",),
    ("watch",),
    ("remember",),
    ("recall",),
    ("get",),
    ("history",),
    ("explain",),
    ("queue",),
    ("decide",),
    ("revise",),
    ("retract",),
    ("forget",),
    ("certificate", "verify"),
    ("certificate", "list"),
    ("certificate", "show"),
    ("withdraw",),
    ("quarantine", "add"),
    ("quarantine", "release"),
    ("quarantine", "list"),
    ("hold", "add"),
    ("hold", "lift"),
    ("hold", "list"),
    ("backup",),
    ("restore",),
    ("archive", "export"),
    ("archive", "import"),
    ("archive", "check"),
    ("signing", "rotate"),
    ("signing", "show"),
    ("signing", "export"),
    ("checkpoint", "verify"),
    ("encryption", "status"),
    ("encryption", "key"),
    ("encryption", "encrypt"),
    ("encryption", "rekey"),
    ("encryption", "decrypt"),
    ("conflicts",),
    ("lineage",),
    ("cascade",),
    ("outcome",),
    ("vouch",),
    ("promote",),
    ("resolve",),
    ("sweep",),
    ("directory",),
    ("quality",),
    ("attune",),
    ("flush",),
    ("alias",),
    ("entity",),
    ("apply",),
    ("rollback",),
    ("retire",),
    ("validate",),
    ("convert",),
    ("import",),
    ("export",),
    ("inspect-memory",),
    ("retrieve",),
    ("omir", "validate"),
    ("omir", "pack"),
    ("omir", "unpack"),
    ("omir", "link"),
    ("omir", "rewrite"),
    ("omir", "statement"),
    ("matm", "policy"),
    ("matm", "example"),
    ("matm", "emit"),
    ("matm", "tickets"),
    ("matm", "curate"),
    ("matm", "decide"),
    ("matm", "report"),
    ("matm", "retrieve"),
    ("matm", "adopt"),
    ("matm", "level"),
    ("model", "install"),
    ("model", "status"),
    ("model", "remove"),
    ("ledger", "show"),
    ("ledger", "head"),
    ("ledger", "checkpoint"),
    ("ledger", "trim"),
    ("ledger", "verify"),
    ("ledger", "replay"),
    ("stats",),
    ("policy", "check"),
    ("policy", "put"),
    ("policy", "show"),
    ("ledger", "denied"),
    ("serve",),
    ("migrate",),
    ("migrate-store",),
    ("mcp",),
    ("keys", "create"),
    ("keys", "list"),
    ("keys", "revoke"),
    ("conformance", "akashik"),
]


def _declared() -> Iterator[tuple[str, ...]]:
    for command in app.registered_commands:
        yield (str(command.name),)
    for group in app.registered_groups:
        assert isinstance(group.typer_instance, typer.Typer)
        for command in group.typer_instance.registered_commands:
            yield (str(group.name), str(command.name))


def test_these_are_all_the_commands() -> None:
    assert sorted(_declared()) == sorted(COMMANDS)


@each("command", COMMANDS, ids=" ".join)
def test_help_lists_the_shared_options_and_an_example(shell: Shell, command: tuple[str, ...]) -> None:
    said = shell.bare(*command, "--help")
    assert (said.code, said.err) == (0, "")
    for flag in ("--vault", "--tenant", "--as", "--json", "--policy"):
        assert flag in said.out
    assert f"Example: muniment {' '.join(command)}" in said.out


def test_the_root_shows_what_there_is(shell: Shell) -> None:
    bare, asked = shell.bare(), shell.bare("--help")
    assert (bare.code, asked.code, bare.out.rstrip()) == (0, 0, asked.out.rstrip())
    assert "remember" in bare.out
    assert "Exit codes: 0 asked and answered" in bare.out
    assert shell.bare("--version").out == "muniment 0.1.0\n"


@pytest.mark.parametrize("command", [("--json",), ("ledger", "--json"), ("--vault", "x", "--json")], ids=" ".join)
def test_options_without_a_command_are_a_wrong_call(shell: Shell, command: tuple[str, ...]) -> None:
    said = shell.bare(*command)
    assert (said.code, said.out, said.error["code"]) == (2, "", "usage")


def test_shared_options_work_before_and_after_the_command(shell: Shell, tmp_path: Path) -> None:
    vault = str(tmp_path / "vault")
    words = ("--vault", vault, "--tenant", "acme", "--json")
    made = shell.bare(*words, "remember", "The build is green")
    assert made.json["outcome"] == "committed"
    before = shell.bare(*words, "--as", "tester", "recall", "build")
    after = shell.bare("recall", "build", *words, "--as", "tester")
    mixed = shell.bare("--vault", vault, "--tenant", "acme", "recall", "--json", "build", "--as", "tester")
    grants = [said.json["records"][0]["reasons"][-1] for said in (before, after, mixed)]
    assert grants == ["granted by members-read"] * 3
    for line in (
        (*words, "ledger", "verify"),
        ("ledger", *words, "verify"),
        ("ledger", "verify", *words),
        ("--vault", vault, "ledger", "--tenant", "acme", "verify", "--json"),
    ):
        assert shell.bare(*line).json["entries"] == 3


def test_what_stands_further_right_wins(shell: Shell, tmp_path: Path) -> None:
    shell.remember("The build is green")
    said = shell.bare("--vault", "nowhere", "--tenant", "nobody", "stats", "--vault", "vault", "--tenant", "default")
    assert said.code == 0


def test_the_environment_gives_what_the_line_does_not(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.remember("The build is green")
    monkeypatch.setenv("MUNIMENT_VAULT", str(shell.vault))
    monkeypatch.setenv("MUNIMENT_ACTOR", "docs")
    assert shell.bare("stats", "--json").json["entries"] is None
    assert shell.bare("stats", "--as", "owner", "--json").json["entries"] == 3
    monkeypatch.setenv("MUNIMENT_TENANT", "nobody")
    assert shell.bare("stats", "--json").error["code"] == "not_found"


@pytest.mark.parametrize(("name", "value"), [("MUNIMENT_VALT", "x"), ("MUNIMENT_VAULT", " ")])
def test_a_setting_that_is_unknown_or_empty_is_an_error(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    said = shell.bare("stats", "--json")
    assert (said.code, said.out, said.error["code"], said.error["field"]) == (2, "", "configuration_error", name)
    assert shell.bare("--help").code == 0


def test_the_default_vault_is_a_folder_beside_the_caller(shell: Shell, tmp_path: Path) -> None:
    assert shell.bare("init", "--json").json["vault"] == "muniment-data"
    assert (tmp_path / "muniment-data" / "default.sqlite").is_file()


ON_A_MISSING_VAULT = [
    ("recall", "x"),
    ("get", "rec_1"),
    ("history", "rec_1"),
    ("explain", "rcp_1"),
    ("queue",),
    ("decide", "prp_1", "accept", "--reason", "x"),
    ("revise", "rec_1", "x"),
    ("retract", "rec_1", "--reason", "x", "--yes"),
    ("retract", "rec_1", "--reason", "x", "--dry-run"),
    ("forget", "rec_1", "--reason", "x", "--yes"),
    ("forget", "--subject", "x", "--reason", "x", "--dry-run"),
    ("withdraw", "x", "--by", "source", "--reason", "x", "--yes"),
    ("withdraw", "x", "--by", "actor", "--reason", "x", "--dry-run"),
    ("quarantine", "add", "rec_1", "--reason", "x"),
    ("quarantine", "release", "rec_1", "--reason", "x"),
    ("quarantine", "list"),
    ("certificate", "list"),
    ("certificate", "show", "crt_1"),
    ("hold", "add", "rec_1", "--reason", "x"),
    ("hold", "lift", "hld_1", "--reason", "x"),
    ("hold", "list"),
    ("conflicts",),
    ("lineage", "rec_1"),
    ("cascade", "rec_1"),
    ("outcome", "rec_1", "helpful"),
    ("vouch", "rec_1", "--origin", "person", "--reason", "x"),
    ("promote", "rec_1", "--scope", "project", "--scope-id", "p", "--evidence", "e", "--owner", "o"),
    ("resolve", "cfl_1", "--strategy", "vote", "--rationale", "x"),
    ("sweep",),
    ("directory",),
    ("quality",),
    ("attune",),
    ("flush",),
    ("alias", "a", "b"),
    ("entity", "x"),
    ("stats",),
    ("ledger", "show"),
    ("ledger", "head"),
    ("ledger", "checkpoint"),
    ("ledger", "verify"),
    ("ledger", "replay"),
]


@each("command", ON_A_MISSING_VAULT, ids=" ".join)
def test_a_missing_vault_is_a_wrong_call_that_names_init(shell: Shell, command: tuple[str, ...]) -> None:
    said = shell(*command, "--json")
    assert (said.code, said.out, said.error["field"]) == (2, "", "vault")
    assert "muniment init" in said.error["message"]
    human = shell(*command)
    assert (human.code, human.out) == (2, "")
    assert human.err.startswith("error: vault: there is no vault at")
    assert not shell.vault.exists()


SURROGATE = "\udcff"
BAD = [
    (("remember",), "text"),
    (("remember", ""), "content"),
    (("remember", "   "), "content"),
    (("remember", "a\x00b"), "content"),
    (("remember", "a\x1b[2Jb"), "content"),
    (("remember", f"a{SURROGATE}"), "content"),
    (("remember", "x" * 10_000_000), "content"),
    (("remember", "x", "--kind", "fish"), "kind"),
    (("remember", "x", "--kind", ""), "kind"),
    (("remember", "x", "--scope", "galaxy"), "scope"),
    (("remember", "x", "--scope-id", "../../etc"), "scope_id"),
    (("remember", "x", "--namespace", "a/b"), "namespace"),
    (("remember", "x", "--namespace", "/a/../b"), "namespace"),
    (("remember", "x", "--confidence", "nan"), "confidence"),
    (("remember", "x", "--confidence", "inf"), "confidence"),
    (("remember", "x", "--confidence", "1e999"), "confidence"),
    (("remember", "x", "--confidence", "1.1"), "confidence"),
    (("remember", "x", "--confidence", "sure"), "confidence"),
    (("remember", "x", "--importance", "-1"), "importance"),
    (("remember", "x", "--evidence", ""), "evidence[0]"),
    (("remember", "x", "--evidence", "y" * 5000), "evidence[0]"),
    (("remember", "x", "--event-time", "0000-01-01"), "event_time"),
    (("remember", "x", "--event-time", "9999-12-31T23:59:59-01:00"), "event_time"),
    (("remember", "x", "--event-time", "2026-02-30"), "event_time"),
    (("remember", "x", "--event-time", "2026-02-03T10:00:00"), "event_time"),
    (("remember", "x", "--valid-from", "2026-02-02", "--valid-until", "2026-02-01"), "valid_until"),
    (("remember", "x", "--relation", "supports"), "relations"),
    (("remember", "x", "--relation", "likes:rec_1"), "relations[0]"),
    (("remember", "x", "--relation", "supports:../x"), "relation.target"),
    (("remember", "x", "--derived-from", "../x"), "derived_from[0]"),
    (("remember", "x", "--subject", "a", "--key", "b"), "value"),
    (("remember", "x", "--proposal-id", "a/b"), "proposal_id"),
    (("remember", "x", "--session", "a b"), "session_id"),
    (("remember", "x", "--tenant", "../other"), "tenant"),
    (("remember", "x", "--tenant", ""), "tenant"),
    (("remember", "x", "--vault", ""), "vault"),
    (("remember", "x", "--vault", "a\x00b"), "vault"),
    (("remember", "x", "--policy", "a\x00b"), "policy"),
    (("remember", "x", "--policy", "absent.yaml"), "policy"),
    (("remember", "x", "--colour", "red"), "--colour"),
    (("recall", "x", "--limit", "-1"), "limit"),
    (("recall", "x", "--limit", "201"), "limit"),
    (("recall", "x", "--limit", str(10**40)), "limit"),
    (("recall", "x", "--limit", "many"), "limit"),
    (("recall", "x", "--kind", "fish"), "kinds[0]"),
    (("recall", "x", "--scope", "project", "--scope", "fish"), "scopes[1]"),
    (("recall", "x", "--max-age-days", "-1"), "max_age_days"),
    (("recall", "x", "--max-age-days", "nan"), "max_age_days"),
    (("recall", "x", "--known-at", "yesterday"), "known_at"),
    (("recall", "x", "--purpose", "a b"), "purpose"),
    (("recall", "\x00"), "query"),
    (("recall", ""), "query"),
    (("recall", "x" * 70_000), "query"),
    (("recall", "x", "--as", ""), "actor"),
    (("recall", "x", "--as", "a b"), "actor"),
    (("recall", "x", "--session", "a b"), "session_id"),
    (("get", "../../etc/passwd"), "id"),
    (("get", f"rec{SURROGATE}"), "id"),
    (("get", "rec_1", "--revision", "one"), "revision"),
    (("history", "a b"), "id"),
    (("explain", "a/b"), "receipt_id"),
    (("queue", "--limit", "0"), "limit"),
    (("queue", "--after", f"x{SURROGATE}"), "after"),
    (("retract", "rec_1", "--yes"), "reason"),
    (("retract", "a b", "--reason", "x", "--yes"), "id"),
    (("forget", "rec_1", "--yes"), "reason"),
    (("forget", "--reason", "x", "--yes"), "target"),
    (("forget", "rec_1", "--subject", "y", "--reason", "x", "--yes"), "target"),
    (("forget", "a b", "--reason", "x", "--yes"), "id"),
    (("forget", "--actor", "a b", "--reason", "x", "--yes"), "actor"),
    (("forget", "--session", "a b", "--reason", "x", "--yes"), "session"),
    (("forget", "--subject", "", "--reason", "x", "--yes"), "subject"),
    (("forget", "--source", "a\x00b", "--reason", "x", "--yes"), "source"),
    (("forget", "rec_1", "--cascade", "burn", "--reason", "x", "--yes"), "cascade"),
    (("forget", "rec_1", "--reason", " ", "--yes"), "reason"),
    (("forget", "rec_1", "--reason", "x"), "yes"),
    (("certificate", "verify", "absent.json"), "file"),
    (("certificate", "verify", "a\x00b"), "file"),
    (("withdraw", "x", "--by", "colour", "--reason", "x", "--yes"), "by"),
    (("withdraw", "x", "--by", "subject", "--reason", "x", "--yes"), "by"),
    (("withdraw", "a b", "--by", "actor", "--reason", "x", "--yes"), "actor"),
    (("withdraw", "x", "--by", "source", "--reason", " "), "reason"),
    (("withdraw", "x"), "by"),
    (("quarantine", "add", "a b", "--reason", "x"), "id"),
    (("quarantine", "add", "rec_1"), "reason"),
    (("quarantine", "release", "rec_1", "--reason", ""), "reason"),
    (("hold", "add", "--reason", "x"), "target"),
    (("hold", "add", "rec_1"), "reason"),
    (("hold", "lift", "a b", "--reason", "x"), "hold"),
    (("decide", "a b", "accept", "--reason", "x"), "proposal_id"),
    (("revise", "a b", "x"), "id"),
    (("remember", "x", "--parent", "../x"), "parent"),
    (("remember", "x", "--half-life-hours", "0"), "half_life_hours"),
    (("remember", "x", "--half-life-hours", "nan"), "half_life_hours"),
    (("remember", "x", "--next-review-at", "soon"), "next_review_at"),
    (("remember", "x", "--lawful-basis", ""), "lawful_basis"),
    (("remember", "x", "--access", "a b"), "access[0]"),
    (("remember", "x", "--retention-days", "0"), "retention_days"),
    (("remember", "x", "--retention-days", "forever"), "retention_days"),
    (("remember", "x", "--reviewer", "a b"), "reviewer"),
    (("remember", "x", "--bar-scope", "project", "--bar-scope", "galaxy"), "barred_scopes[1]"),
    (("recall", "x", "--gate-min", "nan"), "gate_min"),
    (("recall", "x", "--gate-flag", "nan"), "gate_flag"),
    (("recall", "x", "--gate-min", "1.5"), "gate_min"),
    (("recall", "x", "--gate-flag", "-0.1"), "gate_flag"),
    (("recall", "x", "--gate-min", "low"), "gate_min"),
    (("recall", "x", "--gate-min", "0.8", "--gate-flag", "0.3"), "gate_flag"),
    (("recall", "x", "--floor", "nan"), "floor"),
    (("recall", "x", "--floor", "1.5"), "floor"),
    (("recall", "x", "--asked-at", "yesterday"), "asked_at"),
    (("recall", "x", "--embedder", "guess"), "embedder"),
    (("recall", "x", "--render", "--budget-tokens", "-1"), "budget_tokens"),
    (("attune", "--task", "\x00"), "task"),
    (("attune", "--interest", "x", "--interest", ""), "interests[1]"),
    (("attune", "--since", "-1"), "since"),
    (("attune", "--since", "long"), "since"),
    (("attune", "--limit", "201"), "limit"),
    (("flush", "--timeout", "-1"), "timeout"),
    (("flush", "--timeout", "nan"), "timeout"),
    (("alias", "", "x"), "name"),
    (("alias", "x", "\x00"), "means"),
    (("alias", "x", " "), "means"),
    (("entity", ""), "name"),
    (("entity", "x", "--limit", "0"), "limit"),
    (("lineage", "a b"), "id"),
    (("directory", "\x00"), "about"),
    (("directory", "  "), "about"),
    (("directory", "--limit", "0"), "limit"),
    (("quality", "--namespace", "a/b"), "namespace"),
    (("quality", "--session", "a b"), "session"),
    (("quality", "--profile", "guess"), "profile"),
]


@each(("words", "field"), BAD)
def test_bad_input_names_its_field_and_stores_nothing(shell: Shell, words: tuple[str, ...], field: str) -> None:
    shell("init")
    before = shell("ledger", "head").json
    said = shell(*words, "--json")
    assert (said.code, said.out) == (2, "")
    assert set(said.error) == {"code", "message", "field", "hint"}
    assert said.error["field"] == field
    human = shell(*words)
    assert (human.code, human.out, human.err.startswith("error: ")) == (2, "", True)
    assert shell("ledger", "head").json == before


@each("words", [words for words, _ in BAD if words[0] == "remember"], ids=lambda words: " ".join(words)[:40])
def test_bad_input_makes_no_vault(shell: Shell, tmp_path: Path, words: tuple[str, ...]) -> None:
    assert shell(*words).code == 2
    assert list(tmp_path.iterdir()) == []


def test_the_hint_speaks_of_the_flag_and_not_of_the_field(shell: Shell) -> None:
    shell("init")
    said = shell("recall", "x", "--kind", "fish", "--json")
    assert (said.error["field"], said.error["hint"]) == ("kinds[0]", "Change --kind. The nearest is risk.")


@pytest.mark.parametrize("year", ["0001-01-01", "9999-12-31"])
def test_the_first_and_the_last_year_are_kept(shell: Shell, year: str) -> None:
    record = shell.remember("x", "--event-time", year)
    assert shell("get", record, "--json").json["event_time"] == f"{year}T00:00:00Z"


@pytest.mark.parametrize("words", [('"',), ("NEAR(a b)",), ("a OR",), ("col:x *",), ("--", "-x"), ("'; DROP TABLE",)])
def test_no_query_breaks_the_search(shell: Shell, words: tuple[str, ...]) -> None:
    shell.remember("x marks the spot")
    assert shell("recall", "--json", *words).code == 0


def test_a_text_that_begins_with_a_dash_goes_after_two(shell: Shell) -> None:
    said = shell("remember", "--json", "--", "--json")
    assert shell("get", said.json["record_id"], "--json").json["content"] == "--json"


def test_content_is_printed_exactly_in_json_and_disarmed_for_a_person(shell: Shell) -> None:
    content = "[bold]not markup[/bold] :smile: \u202eevil\u202c \x9b2J tab\t end\rover"
    record = shell.remember(content)
    assert shell("get", record, "--json").json["content"] == content
    child = shell.remember(f"{content} once more", "--derived-from", record, "--confidence", "0.4")
    told = [shell("get", record), shell("recall", "markup"), shell("history", record), shell("lineage", record)]
    told += [shell("cascade", record), shell("quality"), shell("lineage", child, "--direction", "up")]
    for said in told:
        assert said.code == 0
        assert "[bold]not markup[/bold] :smile: \\u202eevil\\u202c \\x9b2J" in " ".join(said.out.split())
        assert not set(said.out) & set("\u202e\u202c\x9b\r\x1b")


def test_there_is_no_colour_off_a_terminal(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    record = shell.remember("The build is green")
    for said in (shell("get", record), shell("recall", "build"), shell("nonsense"), shell("ledger", "verify")):
        assert "\x1b" not in said.out + said.err


def test_the_same_question_gives_the_same_json_twice(shell: Shell) -> None:
    record = shell.remember("The build is green")
    assert shell("history", record, "--json").out == shell("history", record, "--json").out


def test_a_vault_in_a_place_that_cannot_be_made_is_the_worlds_failure(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for command in (("init",), ("remember", "x")):
        said = shell.bare(*command, "--vault", str(tmp_path / "file" / "vault"), "--json")
        assert (said.code, said.out, said.error["code"]) == (3, "", "store_unavailable")
    long = shell.bare("init", "--vault", "x" * 5000, "--json")
    assert (long.code, long.out) == (3, "")


def test_a_vault_without_its_key_is_the_worlds_failure(shell: Shell) -> None:
    shell("init")
    (shell.vault / "keys" / "signing.key").unlink()
    said = shell("stats", "--json")
    assert (said.code, said.out, said.error["code"]) == (3, "", "store_unavailable")


def test_an_internal_error_says_so_and_shows_a_traceback_only_on_demand(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.remember("the secret content")
    # A mistake of ours, made on purpose: the world's clock gives what is no time.
    monkeypatch.setattr("time.time_ns", lambda: "the secret content")
    quiet = shell("recall", "build", "--json")
    assert (quiet.code, quiet.out, quiet.error["code"]) == (4, "", "internal")
    assert "secret" not in quiet.err
    human = shell("recall", "build")
    assert (human.code, human.err.startswith("error: internal error (TypeError)")) == (4, True)


def test_debug_shows_where_it_happened(shell: Shell, tmp_path: Path) -> None:
    shell("init")
    script = "import sys, time\nfrom muniment.surfaces.cli import run\ntime.time_ns = lambda: 'x'\nsys.exit(run())\n"
    for words, shown in ((("--debug",), True), ((), False)):
        ended = subprocess.run(
            [sys.executable, "-c", script, "recall", "x", "--vault", "vault", *words],
            capture_output=True,
            cwd=tmp_path,
            timeout=WAIT_S,
            check=False,
        )
        assert (ended.returncode, ended.stdout, b"Traceback" in ended.stderr) == (4, b"", shown)


def test_exit_codes_in_a_process_of_its_own(tmp_path: Path) -> None:
    assert outside("remember", "The build is green", cwd=tmp_path).returncode == 0
    assert outside("recall", "penguins", cwd=tmp_path).returncode == 0
    wrong = outside("recall", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert outside("recall", "x", "--vault", "absent", cwd=tmp_path).returncode == 2
    unknown = outside("stats", "--json", cwd=tmp_path, environment={"MUNIMENT_COLOUR": "red"})
    assert (unknown.returncode, unknown.stdout) == (2, b"")
    assert b"MUNIMENT_COLOUR" in unknown.stderr


def test_no_encoding_of_the_terminal_breaks_a_command(tmp_path: Path) -> None:
    plain = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    made = outside("remember", "Die Übung heißt 你好", "--json", cwd=tmp_path, environment=plain)
    assert made.returncode == 0
    as_json = outside("recall", "Übung", "--json", cwd=tmp_path, environment=plain)
    assert (as_json.returncode, "Die Übung heißt 你好".encode() in as_json.stdout) == (0, True)
    human = outside("recall", "Übung", cwd=tmp_path, environment=plain)
    assert (human.returncode, b"Die \\xdcbung hei\\xdft \\u4f60\\u597d" in human.stdout) == (0, True)
    assert outside("--help", cwd=tmp_path, environment=plain).returncode == 0


@pytest.mark.parametrize("words", [("ledger", "show", "--json"), ("ledger", "show"), ("--help",)], ids=" ".join)
def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert run(["remember", "The build is green", "--vault", str(tmp_path / "muniment-data")]) == 0
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "muniment", *words],
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            timeout=WAIT_S,
            check=False,
        )
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_damaged_store_keeps_its_exit_code_when_the_reader_goes_away(tmp_path: Path) -> None:
    assert outside("init", cwd=tmp_path).returncode == 0
    (tmp_path / "muniment-data" / "default.sqlite").write_bytes(b"no database")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "muniment", "ledger", "verify"]
        ended = subprocess.run(command, stdout=writing, cwd=tmp_path, timeout=WAIT_S, check=False)
    finally:
        os.close(writing)
    assert ended.returncode == 1


def test_a_full_disk_behind_standard_output_is_the_worlds_failure(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no full device")
    assert outside("init", cwd=tmp_path).returncode == 0
    with full.open("wb") as stdout:
        command = [sys.executable, "-m", "muniment", "stats"]
        ended = subprocess.run(
            command, stdout=stdout, stderr=subprocess.PIPE, cwd=tmp_path, timeout=WAIT_S, check=False
        )
    assert ended.returncode == 3
    assert b"Traceback" not in ended.stderr
