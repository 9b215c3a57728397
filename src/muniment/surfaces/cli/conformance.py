"""The command that runs a conformance kit, if it is installed."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from muniment.kits import require
from muniment.model.errors import ConfigurationError
from muniment.surfaces.cli.output import note, plain
from muniment.surfaces.cli.root import CommandCall, app, command, group
from muniment.surfaces.problems import ExitCode

conformance = typer.Typer(help="How far a server keeps to a contract, assertion by assertion.", rich_markup_mode="rich")
conformance.callback()(group)
app.add_typer(conformance, name="conformance")


@command(conformance, "akashik", example="muniment conformance akashik --url http://127.0.0.1:8765")
def akashik(
    call: CommandCall,
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="The server's address.", show_default=False)
    ] = None,
    level: Annotated[
        int, typer.Option("--level", help="Examine a Field of this level, 0 to 3; what is above does not count.")
    ] = 3,
    binding: Annotated[str, typer.Option("--binding", help="How to reach it: http or mcp.")] = "http",
    launcher: Annotated[
        str | None,
        typer.Option(
            "--launcher",
            metavar="COMMAND",
            help="Starts servers with the settings an assertion needs; none examines the server as it is.",
            show_default=False,
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            help="One token for every authority (or MUNIMENT_KEY); - reads it from standard input.",
            show_default=False,
        ),
    ] = None,
    keys: Annotated[
        str | None,
        typer.Option("--keys", metavar="FILE", help="A JSON object of tokens by authority.", show_default=False),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="ID", help="Only this assertion. Repeatable.", show_default=False),
    ] = None,
) -> ExitCode:
    """Try every assertion of the Akashik protocol on a server. Ends with 0 only if all of them hold."""
    require("akashik_conformance", "akashik-conformance", "conformance")
    from akashik_conformance.binding import SetupError
    from akashik_conformance.command import examine, table, tokens_of

    try:
        summary = examine(
            url,
            binding=binding,
            level=level,
            only=tuple(only or ()),
            tokens=tokens_of(keys) if keys is not None else None,
            key=(sys.stdin.readline().strip() if key == "-" else key) or call.config.key,
            launcher=launcher,
            note=note,
        )
    except SetupError as error:
        raise ConfigurationError(error.field, error.message, hint=error.hint) from None
    call.tell(summary, lambda told: plain(table(told).rstrip("\n")))
    return ExitCode.ANSWERED if summary["passed"] == summary["total"] else ExitCode.DAMAGED
