"""The command that serves the Model Context Protocol on standard input and output."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from muniment.model import checks
from muniment.model.errors import ConfigurationError
from muniment.surfaces.cli.root import Call, app, command
from muniment.surfaces.cli.search import Embedder
from muniment.surfaces.cli.write import Session
from muniment.surfaces.problems import ExitCode


@command(app, "mcp", example="muniment mcp --vault ./muniment-data --as planner")
def mcp(
    call: Call,
    session: Session = None,
    embedder: Embedder = None,
    tools: Annotated[
        str, typer.Option("--tools", help="Which tools to offer: all, memory or akashik.", show_default=False)
    ] = "all",
) -> ExitCode:
    """Serve the Model Context Protocol on standard input and output, until input ends.

    For a client's configuration: the client starts this command and speaks to it. Standard output carries the
    protocol alone; remarks go to standard error. A server that many share offers the same at /mcp.
    """
    if find_spec("mcp") is None:
        raise ConfigurationError("mcp", "the Model Context Protocol is not installed; `pip install muniment[mcp]`")
    from muniment.surfaces.mcp.server import Choice
    from muniment.surfaces.mcp.stdio import serve

    choice = checks.read_word("tools", tools, Choice)
    with call.memory(session=session, create=True, embedder=call.embedder(embedder)) as memory:
        serve(memory, choice)
    return ExitCode.ANSWERED
