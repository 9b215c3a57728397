"""The command that serves the Model Context Protocol on standard input and output."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import msgspec
import typer

from muniment.engine.place import Folder
from muniment.model import checks
from muniment.model.errors import ConfigurationError
from muniment.surfaces.cli.root import Call, app, command
from muniment.surfaces.cli.search import Embedder
from muniment.surfaces.cli.write import Session
from muniment.surfaces.mcp.choice import Choice
from muniment.surfaces.problems import ExitCode


@command(app, "mcp", example="muniment mcp --vault ./muniment-data --as planner")
def mcp(
    call: Call,
    session: Session = None,
    embedder: Embedder = None,
    tools: Annotated[
        str, typer.Option("--tools", help="Which tools to offer: all, memory or akashik.", show_default=False)
    ] = "all",
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="Speak for a server instead of a vault; its key is MUNIMENT_KEY."),
    ] = None,
) -> ExitCode:
    """Serve the Model Context Protocol on standard input and output, until input ends.

    For a client's configuration: the client starts this command and speaks to it. Standard output carries the
    protocol alone; remarks go to standard error. A server that many share offers the same at /mcp; with --url this
    command carries messages there, for clients that can only start a command.
    """
    choice = checks.read_word("tools", tools, Choice)
    return _served(call, session, embedder, choice) if url is None else _bridged(call, url, choice)


def _served(call: Call, session: str | None, embedder: str | None, choice: Choice) -> ExitCode:
    if find_spec("mcp") is None:
        raise ConfigurationError(
            "mcp", "the Model Context Protocol is not installed", hint="`pip install 'muniment[mcp]'`"
        )
    from muniment.surfaces.mcp.stdio import serve

    # A client starts us without a shell, so nobody has read the tilde of its configuration.
    if isinstance(call.place, Folder):
        call.config = msgspec.structs.replace(call.config, vault=str(call.place.path.expanduser()))
    with call.memory(session=session, create=True, embedder=call.embedder(embedder)) as memory:
        serve(memory, choice)
    return ExitCode.ANSWERED


def _bridged(call: Call, url: str, choice: Choice) -> ExitCode:
    if find_spec("httpx") is None or find_spec("anyio") is None:
        raise ConfigurationError(
            "url", "calling a server needs an HTTP client", hint="`pip install 'muniment[client]'`"
        )
    from muniment.surfaces.mcp.bridge import Far, join

    join(Far(url=url, key=call.config.key, tools=choice.value))
    return ExitCode.ANSWERED
