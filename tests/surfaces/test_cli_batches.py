"""retire, apply, rollback."""

from __future__ import annotations

import pytest
from tests.surfaces.shell import Shell

from muniment import Memory
from muniment.engine.importing import Newcomer
from muniment.model.claim import Claim


@pytest.fixture
def batch(shell: Shell) -> str:
    """A batch of two that waits in the shell's vault."""
    newcomers = [Newcomer(claim=Claim(content=f"Hall {name} has two doors"), record=f"mem-{name}") for name in "ab"]
    with Memory.open(shell.vault) as memory:
        memory.imports.take_in("omir-1", newcomers, contract="omir", hold=True)
    return "omir-1"


def test_a_record_is_retired_by_its_state_and_reason(shell: Shell) -> None:
    record = shell("remember", "The sale ends today", "--json").json["record_id"]
    said = shell("retire", record, "--becomes", "archived", "--reason", "it is over", "--json")
    assert (said.code, said.json["outcome"], said.json["reason"]) == (0, "committed", "it is over")
    assert shell("get", record, "--json").json["status"] == "archived"


@pytest.mark.parametrize("becomes", ["active", "erased", "gone"])
def test_a_record_cannot_become_just_anything(shell: Shell, becomes: str) -> None:
    record = shell("remember", "The sale ends today", "--json").json["record_id"]
    said = shell("retire", record, "--becomes", becomes, "--reason", "x", "--json")
    assert (said.code, said.error["code"], said.error["field"], said.out) == (2, "malformed", "becomes", "")


def test_a_batch_that_waits_is_applied_whole(shell: Shell, batch: str) -> None:
    said = shell("apply", batch, "--reason", "looked at both", "--json")
    assert (said.code, [one["record_id"] for one in said.json["verdicts"]]) == (0, ["mem-a", "mem-b"])
    words = shell("apply", batch, "--reason", "once more")
    assert (words.code, words.out) == (0, "batch omir-1: 0 proposals answered\n")


def test_a_batch_is_undone_and_told_in_words(shell: Shell, batch: str) -> None:
    shell("apply", batch, "--reason", "looked at both")
    said = shell("rollback", batch, "--reason", "the wrong file")
    assert said.code == 0
    assert said.out.splitlines()[0].startswith("batch omir-1 is undone, entry ")
    assert "retracted: mem-a, mem-b" in said.out
    again = shell("rollback", batch, "--reason", "again", "--json")
    assert (again.code, again.error["code"], again.out) == (2, "stale", "")


@pytest.mark.parametrize("command", ["apply", "rollback"])
def test_a_batch_that_is_not_there_is_an_error(shell: Shell, batch: str, command: str) -> None:
    said = shell(command, "omir-2", "--reason", "x", "--json")
    assert (said.code, said.error["code"], said.out) == (2, "not_found", "")
