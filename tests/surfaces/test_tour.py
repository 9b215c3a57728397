"""The guided tour: what it claims happened, what it leaves works, and what is not its own it does not touch."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from examples.tour import play, recall
from examples.tour.stage import MARKER, Broken, Stage
from tests.patience import WAIT_S
from tests.surfaces.shell import Shell


def _commands(told: str) -> list[list[str]]:
    """The commands the last chapter tells the reader to try, without the program's name."""
    last = told[told.index("14. Try it yourself") :]
    lines = [line.strip() for line in last.splitlines() if "--vault" in line]
    return [shlex.split(line.split("muniment ", 1)[1]) for line in lines]


@pytest.fixture
def told(shell: Shell, capfdbinary: pytest.CaptureFixture[bytes]) -> str:
    """What the tour prints in a folder of its own."""
    assert play.run(["the tour"]) == 0
    out, err = capfdbinary.readouterr()
    assert err == b""
    return out.decode()


WORDS = ["committed", "held", "refused", "redacted", "conflict", "undecided", "resolved", "answer", "no answer"]
WORDS += [
    "same ids",
    "as known",
    "ranked by",
    "by words",
    "attuned",
    "taken in",
    "akashik",
    "omir",
    "undone",
    "on hold",
    "erased",
    "certified",
]


def test_the_tour_tells_its_story_in_fourteen_chapters(told: str) -> None:
    assert re.findall(r"^(\d+)\. ", told, re.MULTILINE) == [str(number) for number in range(1, 15)]
    for word in WORDS:
        assert f"             {word}  " in told
    assert re.search(r"└─ rec_\w+@1  0\.50 FLAG  A forum post says", told)
    assert re.search(r"└─ rec_\w+@1  0\.50 FLAG to 0\.20 FILTER fallen  One cache", told)
    assert re.search(r"damaged  entry \d+ does not match its hash", told)


def test_the_tour_speaks_plainly(told: str) -> None:
    assert "\x1b" not in told
    assert all(line == line.rstrip() for line in told.splitlines())
    assert play.SECRET not in told


def test_without_a_model_the_tour_says_so_and_goes_by_words(told: str) -> None:
    assert "    planner  when are customers billed?\n" in told
    assert "by words  meaning is not searched here: " in told
    assert "`muniment model install`" in told
    assert recall.IN_OTHER_WORDS not in told


def test_with_a_model_the_tour_asks_in_other_words(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the installed model, which setting up the project installs."""
    monkeypatch.setenv("MUNIMENT_EMBEDDER", "minilm")
    assert play.run(["with a model"]) == 0
    told = shell.told()
    assert f"    planner  {recall.IN_OTHER_WORDS}\n             answer  {recall.BILLING}; is near in" in told
    assert "by meaning  not one word of the question is in the record" in told
    assert shell.bare("recall", play.QUESTION, "--vault", "with a model").out.startswith(f"1. {play.NIGHTLY_NOW}\n")


def test_the_block_for_a_prompt_is_shown_with_its_fences(told: str) -> None:
    assert f"   | ```\n   | {recall.BILLING}\n   | ```\n" in told


def test_what_the_tour_leaves_behind_verifies_and_its_copy_does_not(told: str, shell: Shell, tmp_path: Path) -> None:
    assert shell.bare("ledger", "verify", "--vault", "the tour").code == 0
    assert shell.bare("ledger", "verify", "--vault", "the tour", "--tenant", "neighbours").code == 0
    damaged = shell.bare("ledger", "verify", "--vault", "the tour/tampered", "--json")
    assert (damaged.code, damaged.json["ok"]) == (1, False)
    files = [file for file in (tmp_path / "the tour").rglob("*") if file.is_file()]
    assert not [file.name for file in files if play.SECRET.encode() in file.read_bytes()]


def test_every_command_it_tells_to_try_works(told: str, shell: Shell) -> None:
    commands = _commands(told)
    assert [words[0] for words in commands] == [
        "recall",
        "recall",
        "recall",
        "history",
        "explain",
        "recall",
        "attune",
        "entity",
        "conflicts",
        "lineage",
        "remember",
        "ledger",
        "ledger",
    ]
    said = [shell.bare(*words) for words in commands]
    assert [one.code for one in said] == [0] * 12 + [1]
    assert (play.NIGHTLY_NOW in said[0].out, play.NIGHTLY in said[1].out) == (True, True)
    assert "no answer" in said[2].out
    assert "the same records" in said[4].out
    assert f"```\n{recall.BILLING}\n```" in said[5].out
    assert said[6].out.startswith(f"1. {recall.BILLING}\n")
    assert play.NIGHTLY_NOW in said[7].out
    assert "in favour of rec_" in said[8].out
    assert "FILTER  fallen" in said[9].out


def test_a_second_tour_begins_afresh(told: str, shell: Shell) -> None:
    shell.bare("remember", "left over", "--vault", "the tour")
    assert play.run(["the tour"]) == 0
    assert shell.bare("recall", "left over", "--vault", "the tour", "--json").json["records"] == []


def test_a_folder_that_is_no_former_tour_is_left_alone(
    shell: Shell, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    shell.remember("mine")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / MARKER).write_text("my own notes on the tour")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "papers")
    for name in ("vault", "papers", "file", "link"):
        assert play.run([name]) == 2
        out, err = capfdbinary.readouterr()
        assert (out, b"folder" in err, b"Traceback" in err) == (b"", True, False)
    assert shell("recall", "mine", "--json").json["records"]
    assert (tmp_path / "papers" / MARKER).read_text() == "my own notes on the tour"


def test_an_empty_folder_will_do(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert play.run(["empty"]) == 0


@pytest.mark.parametrize("words", [["--help"], ["a", "b"]])
def test_a_wrong_call_of_the_tour_makes_nothing(shell: Shell, tmp_path: Path, words: list[str]) -> None:
    assert play.run(words) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_claim_that_does_not_hold_ends_the_tour(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(play, "PAYROLL_QUESTION", "which Python?")
    assert play.run(["broken"]) == 1
    assert b"the tour claimed something that did not happen" in capfdbinary.readouterr()[1]
    with pytest.raises(Broken, match="two and two"):
        Stage(Path("broken")).claim(2 + 2 == 5, "two and two")


def test_the_question_in_other_words_shares_no_word_with_its_answer() -> None:
    asked = set(re.findall(r"\w+", recall.IN_OTHER_WORDS.lower()))
    assert asked.isdisjoint(re.findall(r"\w+", recall.BILLING.lower()))


def test_the_tour_runs_as_a_module_and_its_commands_as_printed(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "examples.tour.play", "muniment-tour"],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        timeout=WAIT_S,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    line = next(line for line in ended.stdout.decode().splitlines() if "ledger verify" in line).strip()
    checked = subprocess.run(
        line, shell=True, capture_output=True, cwd=tmp_path, timeout=WAIT_S, check=False, text=True
    )
    assert (checked.returncode, "nothing is wrong" in checked.stdout) == (0, True)
