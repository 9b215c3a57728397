"""The table of commands: it names every command and where it is declared, and a call imports no more than it needs."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.surfaces.shell import Shell

from muniment.surfaces import cli
from muniment.surfaces.cli.command_table import PLACES, declare_all
from muniment.surfaces.cli.root import app

FOLDER = Path(cli.__file__).parent
HEAVY = ("pydantic", "numpy", "rich.progress", "muniment.compat", "muniment.contracts", "muniment.testing")


def _declarations(module: Path) -> Iterator[str]:
    """The commands of the command line itself, and the groups to which a module adds commands."""
    for node in ast.walk(ast.parse(module.read_text())):
        match node:
            case ast.Call(func=ast.Name("command"), args=[ast.Name("app"), ast.Constant(str(name)), *_]):
                yield name
            case ast.Call(func=ast.Name("command"), args=[ast.Name(group), *_]):
                yield group


def test_the_table_says_of_every_command_which_modules_declare_it() -> None:
    found: dict[str, set[str]] = {}
    for module in FOLDER.glob("*.py"):
        for name in _declarations(module):
            if module.stem != "derived":  # it declares what the modules of `commands` ask for
                found.setdefault(name, set()).add(module.stem)
    found |= {one.stem.replace("_", "-"): {f"commands.{one.stem}"} for one in (FOLDER / "commands").glob("[!_]*.py")}
    assert {name: set(modules) for name, modules in PLACES.items()} == found


def test_everything_declared_has_a_place_in_the_table() -> None:
    declare_all()
    commands = [str(one.name) for one in app.registered_commands]
    groups = [str(one.name) for one in app.registered_groups]
    assert sorted(commands + groups) == sorted(PLACES)


def test_the_root_page_names_all_commands_in_the_order_of_the_table(shell: Shell) -> None:
    page = shell.bare("--help").out
    rows = [line.split()[1] for line in page.splitlines() if line.startswith("│ ") and line[2] not in " -*"]
    assert [name for name in rows if name in PLACES] == list(PLACES)


def test_a_misspelt_command_is_answered_with_the_nearest_names(shell: Shell) -> None:
    said = shell.bare("recal", "x", "--json")
    assert (said.code, said.error["message"]) == (2, "No such command 'recal'. Did you mean 'recall'?")


@pytest.mark.parametrize("words", [["--version"], ["stats", "--help"], ["recall", "x", "--vault", "nowhere"]])
def test_a_call_imports_what_its_command_needs(tmp_path: Path, words: list[str]) -> None:
    program = (
        f"import sys; from muniment.surfaces.cli import run; run({words!r}); "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("program", "absent"),
    [
        ("import muniment", ("msgspec", "apsw", "cryptography", "muniment.engine", "muniment.model")),
        ("from muniment.surfaces.cli import run; run(['--version'])", ("typer", "msgspec", "muniment.engine")),
    ],
)
def test_what_begins_quickly_imports_next_to_nothing(program: str, absent: tuple[str, ...]) -> None:
    told = f"{program}; import sys; print([name for name in {absent!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_every_public_name_can_be_had_and_is_listed() -> None:
    told = "import muniment as m; print(all(getattr(m, name) for name in m.__all__), set(m.__all__) <= set(dir(m)))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
