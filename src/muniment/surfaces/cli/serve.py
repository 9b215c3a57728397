"""The command that starts the server. What it needs beside the core is brought in only when it is called."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from muniment.config import read_server
from muniment.engine.place import Folder, place_of
from muniment.model.errors import ConfigurationError, Malformed
from muniment.surfaces.cli.output import write_text
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.problems import ExitCode, printable

if TYPE_CHECKING:
    from muniment.surfaces.reception.server_context import ServerContext

_NEEDED = ("starlette", "uvicorn", "uvloop", "httptools", "websockets", "jwt")


@command(app, "serve", example="muniment serve --store postgresql://db/prod --port 8765")
def serve(
    call: CommandCall,
    host: Annotated[
        str | None, typer.Option("--host", help="The address to listen on (127.0.0.1).", show_default=False)
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", help="The port (8765); 0 lets the system choose.", show_default=False),
    ] = None,
    level: Annotated[
        int | None, typer.Option("--level", help="The highest Akashik level offered, 0 to 3 (3).", show_default=False)
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Processes that answer at the address (1).", show_default=False)
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--config", metavar="FILE", help="A TOML file of settings (or MUNIMENT_CONFIG).", show_default=False
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option("--embedder", help="What makes vectors (or MUNIMENT_EMBEDDER; auto).", show_default=False),
    ] = None,
    log_format: Annotated[
        str | None, typer.Option("--log-format", help="text or json (text).", show_default=False)
    ] = None,
    log_level: Annotated[
        str | None, typer.Option("--log-level", help="debug, info, warning or error (info).", show_default=False)
    ] = None,
) -> ExitCode:
    """Serve the vault over HTTP: the console at /, Akashik at /v1, the native API at /api, MCP at /mcp."""
    if call.said.actor is not None:
        raise Malformed("actor", "nobody: a server speaks for its callers, who say who they are")
    settings = read_server(
        file=file,
        flags={
            "vault": call.said.vault,
            "tenant": call.said.tenant,
            "policy": call.said.policy,
            "host": host,
            "port": port,
            "level": level,
            "workers": workers,
            "embedder": embedder,
            "log_format": log_format,
            "log_level": log_level,
        },
    )
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ConfigurationError("server", f"{missing[0]} is not installed", hint="`pip install 'muniment[server]'`")
    place = place_of(settings.vault)
    if isinstance(place, Folder) and place.path.exists() and not place.path.is_dir():
        raise ConfigurationError("vault", "a folder; there is something else of that name")
    from muniment.surfaces.http.running import run_server

    run_server(settings, lambda reception, url: write_text(_greeting(reception, url)))
    return ExitCode.ANSWERED


def _greeting(reception: ServerContext, url: str) -> str:
    """What a person wants to know of a server that has just begun: the first line is its address."""
    settings = reception.settings
    place = place_of(settings.vault)
    vault = settings.vault if isinstance(place, Folder) else str(place)  # an address may hold a password
    lines = (
        f"muniment serves {url}",
        f"  vault    {printable(str(vault))}, tenant {settings.tenant}",
        f"  console  {url}/",
        f"  Akashik  {url}/v1 up to level {settings.level}",
        f"  native   {url}/api, described at {url}/openapi.json",
        f"  MCP      {_mcp(url)}",
        f"  callers  {_callers(reception)}",
        "Press Ctrl-C to end it.",
    )
    return "\n".join(lines) + "\n"


def _mcp(url: str) -> str:
    return f"{url}/mcp" if find_spec("mcp") is not None else "not offered: `pip install 'muniment[mcp]'` brings it"


def _callers(reception: ServerContext) -> str:
    if reception.anonymous:
        return (
            "anyone on this machine, as the owner: no key is asked for. `muniment keys create NAME` ends that at once."
        )
    kinds = [
        kind
        for kind, given in (("a key (`muniment keys list`)", reception.keyed), ("a token", reception.settings.jwt))
        if given
    ]
    return "whoever has " + " or ".join(kinds)
