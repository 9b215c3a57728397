"""The command that serves the Model Context Protocol on standard input and output."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from muniment.engine.place import Folder
from muniment.model import checks
from muniment.model.actor import OWNER
from muniment.model.errors import ConfigurationError, Malformed
from muniment.model.user import user_id
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.cli.search import Embedder
from muniment.surfaces.cli.write import Session
from muniment.surfaces.mcp.tool_profiles import ToolProfile, read_choice
from muniment.surfaces.problems import ExitCode


@command(app, "mcp", example="muniment mcp --vault ./muniment-data --as planner")
def mcp(
    call: CommandCall,
    session: Session = None,
    embedder: Embedder = None,
    tools: Annotated[
        str,
        typer.Option(
            "--tools", help="Which tools to offer: core, memory, field, graph or all (core).", show_default=False
        ),
    ] = "core",
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Serve the memory of this user alone.")
    ] = None,
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="Speak for a server instead of a vault; its key is MUNIMENT_KEY."),
    ] = None,
    memory_file: Annotated[
        Path | None,
        typer.Option(
            "--memory-file",
            metavar="FILE",
            help="With --tools graph: a memory.jsonl of server-memory, taken in first. What is there already stays.",
        ),
    ] = None,
    install: Annotated[
        str | None,
        typer.Option(
            "--install",
            metavar="CLIENT",
            help="Write the configuration of a client instead: claude, claude-code, cursor or vscode.",
        ),
    ] = None,
    print_: Annotated[
        bool, typer.Option("--print", help="With --install: show what would be written, and write nothing.")
    ] = False,
) -> ExitCode:
    """Serve the Model Context Protocol on standard input and output, until input ends.

    For a client's configuration: the client starts this command and speaks to it. Standard output carries the
    protocol alone; remarks go to standard error. A server that many share offers the same at /mcp; with --url this
    command carries messages there, for clients that can only start a command.

    With --install the entry is added to the client's own file: what else stands there stays, and the file as it was is
    kept beside it.
    """
    choice = read_choice(tools)
    if memory_file is not None and (choice is not ToolProfile.GRAPH or url is not None):
        raise Malformed(
            "memory-file", "given with --tools graph and a vault", hint="Leave --url out, add --tools graph."
        )
    if user is not None:
        user_id(user)
    if install is not None:
        said = {"session": session, "embedder": embedder, "tools": choice.value, "user": user, "url": url}
        return _installed(call, install, said, write=not print_)
    if print_:
        raise Malformed("print", "given together with --install", hint="Name the client: --install cursor --print.")
    if url is None:
        return _served(call, session, embedder, choice, user, memory_file)
    if user is not None:
        hint = "Leave --user out, or serve a vault of this machine; a tool call names its user itself."
        raise Malformed("user", "left out with --url", hint=hint)
    return _bridged(call, url, choice)


def _installed(call: CommandCall, client: str, said: dict[str, str | None], *, write: bool) -> ExitCode:
    from muniment.surfaces.cli.mcp_install import ClientProgram, command_of, install, show, where

    program = checks.read_word("install", client, ClientProgram)
    config = call.config
    words = [] if said["url"] is not None else ["--vault", _lasting(call)]
    flags = {
        "tenant": config.tenant if config.tenant != "default" else None,
        "as": config.actor if config.actor != OWNER else None,
        "policy": str(Path(config.policy).absolute()) if config.policy is not None else None,
        **said,
        "tools": said["tools"] if said["tools"] != ToolProfile.CORE else None,
    }
    words += [part for name, value in flags.items() if value is not None for part in (f"--{name}", value)]
    place = where(program, home=Path.home(), here=Path.cwd())
    call.tell(install(program, place, command_of(words), write=write), show)
    return ExitCode.ANSWERED


def _lasting(call: CommandCall) -> str:
    """The vault as it is found from anywhere. An address is told without its password."""
    place = call.place
    return str(place.path.expanduser().absolute()) if isinstance(place, Folder) else str(place)


def _served(
    call: CommandCall,
    session: str | None,
    embedder: str | None,
    choice: ToolProfile,
    user: str | None,
    graph: Path | None,
) -> ExitCode:
    if find_spec("mcp") is None:
        raise ConfigurationError(
            "mcp", "the Model Context Protocol is not installed", hint="`pip install 'muniment[mcp]'`"
        )
    with quickly():
        from muniment.surfaces.mcp.stdio import serve

    # A client starts us without a shell, so nobody has read the tilde of its configuration.
    if isinstance(call.place, Folder):
        call.config = msgspec.structs.replace(call.config, vault=str(call.place.path.expanduser()))
    with call.memory(session=session, create=True, embedder=call.embedder(embedder)) as memory:
        served = memory if user is None else memory.for_user(user)
        if graph is not None:
            from muniment.surfaces.mcp.graph_tools import take_in

            take_in(served, graph)
        serve(served, choice)
    return ExitCode.ANSWERED


@contextmanager
def quickly() -> Iterator[None]:
    """Load what is loaded here without a search for garbage: there is none yet, and it takes a third of the time."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _bridged(call: CommandCall, url: str, choice: ToolProfile) -> ExitCode:
    if find_spec("httpx") is None or find_spec("anyio") is None:
        raise ConfigurationError(
            "url", "calling a server needs an HTTP client", hint="`pip install 'muniment[client]'`"
        )
    from muniment.surfaces.mcp.bridge import RemoteServer, join

    join(RemoteServer(url=url, key=call.config.key, tools=choice.value))
    return ExitCode.ANSWERED
