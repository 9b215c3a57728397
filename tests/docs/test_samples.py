"""Every sample a reader may copy runs, and prints what the page says it prints.

On the page read first each command is a process of its own, as it is for the reader; on the others one process that
stands ready answers them (`tests.docs.standing`).
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.pages import ROOT, Sample, samples, written_pages
from tests.docs.running import RUN, environment, read_console, run_console, run_page, run_python, run_shell
from tests.docs.standing import INSTALLED, stand
from tests.patience import WAIT_S

NOT_RUN_MAX = 4
LANGUAGES = RUN | {"yaml", "toml", "text", "json", "sql", "mermaid", "diff"}
PAGES = [page for page in written_pages() if any(sample.language in RUN for sample in samples(page))]


READ_FIRST = "README.md"


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with stand(tmp_path_factory.mktemp("standing")) as commands:
        yield commands


def _sample(language: str, body: str) -> Sample:
    return Sample(page=ROOT / "README.md", line=1, language=language, body=body, not_run=None)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_samples_of_a_page_run_in_order(
    page: Path, standing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = page == ROOT / READ_FIRST
    run_page(samples(page), tmp_path, INSTALLED.parent if first else standing)


@pytest.mark.parametrize(
    ("script", "code", "out", "err"),
    [
        ("muniment --version", 0, "muniment 0.1.0\n", ""),
        ("cd below && GREETING=hello muniment init --json | cut -c1-60 | head -1; ls", 0, "{\nmuniment-data\n", ""),
        (
            "echo 'from the pipe' | muniment remember - | head -c 9",
            0,
            "committed",
            "made a new vault at muniment-data\n",
        ),
        ("MUNIMENT_VALT=x muniment stats --json > told 2>&1 || echo $?; grep -c MUNIMENT_VALT told", 0, "2\n1\n", ""),
        ("muniment stats --vault nowhere > /dev/null 2>&1", 2, "", ""),
    ],
    ids=["version", "folder", "standard input", "environment", "exit code"],
)
def test_the_standing_command_answers_as_the_installed_one(
    standing: Path, tmp_path: Path, script: str, code: int, out: str, err: str
) -> None:
    for name, commands in (("installed", INSTALLED.parent), ("standing", standing)):
        folder = tmp_path / name
        (folder / "below").mkdir(parents=True)
        done = subprocess.run(
            ["sh", "-c", script],
            cwd=folder,
            env=environment(folder, commands),
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (code, out, err), name


def test_the_pages_a_newcomer_reads_have_samples() -> None:
    named = {str(page.relative_to(ROOT)) for page in PAGES}
    assert {"README.md", "docs/start.md", "docs/guides/embedding.md", "docs/concepts/time.md"} <= named


def test_every_fence_says_what_it_holds() -> None:
    odd = [sample.name for page in written_pages() for sample in samples(page) if sample.language not in LANGUAGES]
    assert odd == []


def test_few_samples_are_excused_from_running_and_each_says_why() -> None:
    excused = [sample for page in written_pages() for sample in samples(page) if sample.not_run is not None]
    assert all(sample.language in RUN for sample in excused), "only what would be run needs an excuse"
    assert all(len(sample.not_run or "") >= 10 for sample in excused)
    assert len(excused) <= NOT_RUN_MAX, [sample.name for sample in excused]


def test_a_python_sample_that_prints_something_else_is_noticed() -> None:
    run_python(_sample("python", "print(1 + 1)  # → 2\nprint('rec_123')  # → rec_…\n"), {})
    with pytest.raises(AssertionError, match="prints"):
        run_python(_sample("python", "print(1 + 1)  # → 3\n"), {})
    with pytest.raises(AssertionError, match="prints"):
        run_python(_sample("python", "print('said without being shown')\n"), {})


def test_a_console_sample_that_prints_something_else_is_noticed(tmp_path: Path) -> None:
    run_console(_sample("console", "$ echo one; echo two\none\n…\n$ printf 'a\\n\\nb\\n'\na\nb\n"), tmp_path)
    with pytest.raises(AssertionError, match="prints"):
        run_console(_sample("console", "$ echo one\ntwo\n"), tmp_path)


def test_a_shell_sample_that_fails_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="exit 3"):
        run_shell("true\n(exit 3)\ntrue", tmp_path, "a sample")


def test_a_console_block_is_read_as_commands_and_what_they_print() -> None:
    found = read_console("$ cat <<END\n> one\n> END\none\n\n$ true\n")
    assert [(command.text, command.shown) for command in found] == [("cat <<END\none\nEND", ("one",)), ("true", ())]
