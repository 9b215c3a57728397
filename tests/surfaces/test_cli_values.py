"""Values on the line that need no reading: taken or refused exactly as the parser itself takes or refuses them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
import typer
from tests.cases import each
from typer.core import TyperCommand
from typer.main import get_command

from muniment.model.status import Status
from muniment.surfaces.cli.values import spare

LINES = [
    [],
    ["one"],
    [""],
    ["half \udcff"],
    ["one", "--many", "a", "--many", "b"],
    ["one", "--many", "half \udcff"],
    ["one", "--number", "7", "--share", "0.5"],
    ["one", "--number", "seven"],
    ["one", "--share", "nan"],
    ["one", "--maybe", "3", "--yes", "--where", "a/b", "--status", "active"],
    ["one", "--maybe", "", "--no"],
    ["one", "--status", "unheard-of"],
    ["one", "two"],
    ["--help"],
]


def made(said: list[object]) -> TyperCommand:
    app = typer.Typer(add_completion=False)

    @app.command()
    def taking(
        word: str,
        other: Annotated[str | None, typer.Argument()] = None,
        many: Annotated[list[str] | None, typer.Option("--many")] = None,
        number: Annotated[int, typer.Option("--number")] = 20,
        share: Annotated[float, typer.Option("--share")] = 0.25,
        maybe: Annotated[int | None, typer.Option("--maybe")] = None,
        yes: Annotated[bool | None, typer.Option("--yes/--no")] = None,
        where: Annotated[Path | None, typer.Option("--where")] = None,
        status: Annotated[Status, typer.Option("--status")] = Status.HELD,
    ) -> None:
        said.append((word, other, many, number, repr(share), maybe, yes, where, status))

    command = get_command(app)
    assert isinstance(command, TyperCommand)
    return command


def outcome(command: TyperCommand, line: list[str], said: list[object]) -> list[object] | tuple[str, str]:
    try:
        command.main(args=list(line), prog_name="taking", standalone_mode=False)
    except typer.TyperException as error:
        return type(error).__name__, error.format_message()
    return list(said)


@each("line", LINES, ids=lambda line: ascii(" ".join(line)) or "nothing")
def test_a_line_comes_to_the_same_with_and_without_reading(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[object] = []
    read = outcome(made(heard), line, heard), capsys.readouterr()
    spared: list[object] = []
    command = made(spared)
    spare(command)
    assert (outcome(command, line, spared), capsys.readouterr()) == read


def test_plain_values_are_taken_and_a_wrong_one_is_refused_by_its_name() -> None:
    said: list[object] = []
    command = made(said)
    spare(command)
    expected = ("one", None, ["a"], 20, "0.25", None, None, None, Status.HELD)
    assert outcome(command, ["one", "--many", "a"], said) == [expected]
    refused = outcome(command, ["one", "--number", "x"], said)
    assert isinstance(refused, tuple)
    assert (refused[0], refused[1].partition(":")[0]) == ("BadParameter", "Invalid value for '--number'")
    assert said == [expected]
