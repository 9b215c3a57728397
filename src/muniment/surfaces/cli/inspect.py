"""The commands of the memory and retrieval contract: inspect-memory shows seed records, retrieve answers a query."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from muniment.compat.exchange import as_json
from muniment.compat.retrieval.desk import ContractDesk
from muniment.compat.retrieval.inspecting import DEFAULT_TENANT, inspect_memory
from muniment.compat.retrieval.loader import FILE
from muniment.compat.retrieval.results import read_query
from muniment.compat.retrieval.trace import export_events
from muniment.config.files import open_file
from muniment.contracts.strict.reader import BYTES_MAX
from muniment.model.actor import OWNER
from muniment.model.errors import ConfigurationError, Malformed
from muniment.surfaces.cli.output import is_terminal, note, read_standard_input, write_json
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.problems import ExitCode

STANDARD_INPUT = "-"


@command(app, "inspect-memory", example="muniment inspect-memory --memory-class profile --limit 5")
def inspect_seeds(
    call: CommandCall,
    config_dir: Annotated[
        Path | None,
        typer.Option("--config-dir", metavar="FOLDER", help=f"Where the {FILE} is (default: the bundled one)."),
    ] = None,
    tenant_id: Annotated[str, typer.Option("--tenant-id", metavar="ID", help="Whose records.")] = DEFAULT_TENANT,
    memory_class: Annotated[
        str | None, typer.Option("--memory-class", metavar="CLASS", help="Only records of this class.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", help="At most so many records.")] = None,
) -> ExitCode:
    """Show the seed records of a runtime configuration, as one JSON object. They are no memories yet: no policy is
    asked and no receipt is left."""
    try:
        found = inspect_memory(config_dir, tenant_id=tenant_id, memory_class=memory_class, limit=limit)
    except (FileNotFoundError, NotADirectoryError):
        raise ConfigurationError("config_dir", f"there is no {FILE} in that folder") from None
    except (TypeError, ValueError) as error:
        raise ConfigurationError(_field(str(error)), str(error)) from None
    write_json(found)
    return ExitCode.ANSWERED


@command(app, "retrieve", example="muniment retrieve query.yaml --tenant tenant-acme --trace trace.jsonl")
def answer_query(
    call: CommandCall,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A retrieval_query, as JSON, or as YAML by its name; - reads standard input.",
            show_default=False,
        ),
    ],
    trace: Annotated[
        str | None,
        typer.Option("--trace", metavar="FILE", help="Add the event of this retrieval to that file, as a JSON line."),
    ] = None,
) -> ExitCode:
    """Answer a retrieval_query of the memory and retrieval contract with a retrieval_result, as JSON. The tenant must
    be the one that is asked; the vault's owner asks as the principal the query names, anybody else as themselves."""
    query = read_query(_read(file))
    with call.memory(embedder=call.embedder(None)) as memory:
        desk = ContractDesk(memory.as_actor(query.principal_id) if call.config.actor == OWNER else memory)
        result = desk.retrieve(query)
    if trace is not None:
        with _path(trace).open("a", encoding="utf-8") as lines:
            lines.write(export_events(desk.events))
    write_json(result)
    return ExitCode.ANSWERED


def _read(file: str) -> bytes:
    """What a file, or standard input, holds, as JSON text."""
    if file != STANDARD_INPUT:
        path = _path(file)
        with open_file(path) as opened:
            return as_json(opened.read(BYTES_MAX + 1), path.suffix)
    if is_terminal(sys.stdin):
        note("reading standard input; end with Ctrl-D")
    data = read_standard_input(BYTES_MAX + 1)
    if data is None:
        raise Malformed("file", "a document; standard input is closed")
    return data


def _path(file: str) -> Path:
    if not file or "\0" in file:
        raise Malformed("file", "the path of a file: not empty and without NUL")
    return Path(file)


def _field(message: str) -> str:
    """What a message of the runtime layer is about: a flag of the lookup, or the file."""
    if not message.startswith("Memory lookup"):
        return FILE
    return "limit" if message.startswith("Memory lookup limit") else message.rpartition(": ")[2]
