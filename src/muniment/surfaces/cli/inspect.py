"""The command that shows the seed records of a runtime configuration: inspect-memory. Opens no vault."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from muniment.compat.retrieval.inspecting import DEFAULT_TENANT, inspect_memory
from muniment.compat.retrieval.loader import FILE
from muniment.model.errors import ConfigurationError
from muniment.surfaces.cli.output import write_json
from muniment.surfaces.cli.root import Call, app, command
from muniment.surfaces.problems import ExitCode


@command(app, "inspect-memory", example="muniment inspect-memory --memory-class profile --limit 5")
def inspect_seeds(
    call: Call,
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


def _field(message: str) -> str:
    """What a message of the runtime layer is about: a flag of the lookup, or the file."""
    if not message.startswith("Memory lookup"):
        return FILE
    return "limit" if message.startswith("Memory lookup limit") else message.rpartition(": ")[2]
