"""`hold`, `quarantine` and `withdraw` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.surfaces.shell import Shell
from tests.surfaces.test_cli_terminal import at_terminal


def test_a_hold_stands_until_it_is_lifted(shell: Shell) -> None:
    record = shell.remember("The build is green", "--source", "mail-archive")
    placed = shell("hold", "add", "--source", "mail-archive", "--reason", "case 7", "--json").json

    assert (placed["by"], placed["value"], placed["reason"], placed["actor"]) == (
        "source",
        "mail-archive",
        "case 7",
        "owner",
    )
    assert shell("hold", "list", "--json").json == {"holds": [placed]}
    assert shell("forget", record, "--reason", "x", "--yes", "--json").error["code"] == "on_hold"
    assert shell("hold", "lift", placed["id"], "--reason", "closed", "--json").json == placed
    assert shell("hold", "list", "--json").json == {"holds": []}
    assert shell("hold", "lift", placed["id"], "--reason", "closed", "--json").error["code"] == "not_found"
    assert shell("forget", record, "--reason", "x", "--yes").code == 0


def test_holds_are_told_to_a_person(shell: Shell) -> None:
    shell("init")
    assert shell("hold", "list").out == "no hold stands\n"
    said = shell("hold", "add", "--subject", "Ana", "--reason", "case 7")
    name = said.out.split()[1]
    assert said.out == (
        f"held  {name}  by subject: Ana\n  why: case 7\n  lift it: muniment hold lift {name} --reason ...\n"
    )
    assert f"{name}  subject  Ana" in shell("hold", "list").out
    assert shell("hold", "lift", name, "--reason", "closed").out == f"lifted: {name}, by subject: Ana\n"


def test_holds_take_a_right_of_their_own(shell: Shell) -> None:
    shell("init")
    for words in (("add", "--subject", "Ana", "--reason", "x"), ("list",), ("lift", "hld_1", "--reason", "x")):
        said = shell("hold", *words, "--as", "scout", "--json")
        assert (said.code, said.out, said.error["code"]) == (2, "", "not_permitted")


def test_a_record_in_quarantine_answers_nobody_until_it_is_released(shell: Shell) -> None:
    record = shell.remember("The build is green", "--confidence", "0.9")

    apart = shell("quarantine", "add", record, "--reason", "it reads like an order", "--json").json
    listed = shell("quarantine", "list", "--json").json["records"]
    silent = shell("recall", "build", "--json").json["records"]
    shell("quarantine", "release", record, "--reason", "it does not")

    assert (apart["outcome"], apart["decision"], apart["record_id"]) == ("committed", "hold", record)
    assert [(one["id"], one["status"]) for one in listed] == [(record, "held")]
    assert silent == []
    assert [one["id"] for one in shell("recall", "build", "--json").json["records"]] == [record]
    assert shell("quarantine", "list", "--json").json == {"records": []}


def test_quarantine_is_told_to_a_person(shell: Shell) -> None:
    record = shell.remember("The build is green")
    assert shell("quarantine", "list").out == "no record is kept apart that you may review\n"
    said = shell("quarantine", "add", record, "--reason", "odd")
    assert said.out.startswith(f"committed  hold  {record}@1  entry ")
    listed = shell("quarantine", "list").out
    assert f"{record}@1  owner  person  observation  The build is green" in listed
    assert "next: muniment quarantine release ID" in listed


def test_quarantine_of_what_has_moved_on_or_is_not_apart_changes_nothing(shell: Shell) -> None:
    record = shell.remember("The build is green")
    stale = shell("quarantine", "add", record, "--reason", "x", "--expected-revision", "7", "--json")
    loose = shell("quarantine", "release", record, "--reason", "x", "--json")
    lost = shell("quarantine", "add", "rec_none", "--reason", "x", "--json")

    assert [one.error["code"] for one in (stale, loose, lost)] == ["stale", "stale", "not_found"]
    assert shell("get", record, "--json").json["status"] == "active"


@pytest.fixture
def post(shell: Shell) -> tuple[str, str, str]:
    """A record from a source, one that stands on it, and the receipt by which both were told."""
    source = shell.remember(
        "A forum post says caches may be shared", "--source", "forum.example", "--confidence", "0.9"
    )
    above = shell.remember("One cache serves all", "--derived-from", source, "--confidence", "0.9")
    receipt = shell("recall", "shared cache", "--floor", "0", "--json").json["receipt_id"]
    return source, above, receipt


def test_a_withdrawal_is_planned_then_done_and_tells_who_was_told(shell: Shell, post: tuple[str, str, str]) -> None:
    source, above, receipt = post

    plan = shell("withdraw", "--by", "source", "forum.example", "--dry-run", "--json").json
    before = shell("get", source, "--json").json["status"]
    late = shell("withdraw", "--by", "source", "forum.example", "--plan", "another", "--json")
    done = shell("withdraw", "--by", "source", "forum.example", "--plan", plan["digest"], "--json").json

    assert (late.code, late.error["code"]) == (2, "stale")

    assert (plan["dry_run"], plan["by"], plan["value"], plan["verdict"]) == (True, "source", "forum.example", None)
    assert (plan["records"], plan["judged"]) == ([source], [above])
    assert [(one["receipt_id"], one["actor"], sorted(one["records"])) for one in plan["receipts"]] == [
        (receipt, "owner", sorted((source, above)))
    ]
    assert before == "active"
    assert (done["records"], done["verdict"]["outcome"]) == ([source], "committed")
    assert done["verdict"]["reason"] == "withdrawn: everything of this source"
    assert shell("get", source, "--json").json["status"] == "retracted"


def test_a_withdrawal_is_told_to_a_person(shell: Shell, post: tuple[str, str, str]) -> None:
    source, above, receipt = post
    said = shell("withdraw", "forum.example", "--by", "source", "--reason", "defaced", "--dry-run")
    assert said.out.startswith(
        f"withdraw  by source: forum.example\n  taken back: 1: {source}\n  judged anew: 1: {above}\n"
    )
    assert receipt in said.out
    assert said.out.endswith("  this is a plan: nothing was changed\n")
    done = shell("withdraw", "forum.example", "--by", "source", "--reason", "defaced", "--yes").out
    assert done.startswith("committed  deprecate  prp_")
    assert "  why: defaced (owner-reviews)\n" in done
    again = shell("withdraw", "nobody.example", "--by", "source", "--dry-run").out
    assert "nothing of it is in force" in again


@pytest.mark.parametrize(("answer", "status"), [(b"yes\n", "retracted"), (b"no\n", "active")])
def test_a_withdrawal_asks_a_person_at_a_terminal(
    shell: Shell, post: tuple[str, str, str], tmp_path: Path, answer: bytes, status: str
) -> None:
    code, _, shown = at_terminal(
        "withdraw", "forum.example", "--by", "source", "--vault", "vault", "--json", cwd=tmp_path, answer=answer
    )
    assert code == 0
    assert "Withdraw it? [y/N]" in shown
    assert shell("get", post[0], "--json").json["status"] == status


def test_whoever_may_not_withdraw_is_refused(shell: Shell, post: tuple[str, str, str]) -> None:
    plan = shell("withdraw", "forum.example", "--by", "source", "--dry-run", "--as", "scout", "--json")
    done = shell("withdraw", "forum.example", "--by", "source", "--as", "scout", "--json")

    assert (plan.code, plan.error["code"]) == (2, "not_permitted")
    assert (done.code, done.json["verdict"]["outcome"], done.json["records"]) == (0, "refused", [])
    assert shell("get", post[0], "--json").json["status"] == "active"
