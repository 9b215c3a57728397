"""Where each command is declared: the one table of names, and the mapping that imports a module when its name is asked.

A command that is made from the table of operations is a module of `commands`, and needs no more. Any other is declared
in a module of this folder with `@command(app, "name", …)`, a new group of commands with
`app.add_typer(…)`; its name is then written into `PLACES`, where `muniment --help` is to show it. Starting takes most
of the time of a short call, so only the modules behind the name on the line are imported.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import typer
from typer.main import get_command_from_info, get_group_from_info

from muniment.surfaces.cli.values import spare

if TYPE_CHECKING:
    from typer._click.core import Command

PLACES: dict[str, tuple[str, ...]] = {
    "backup": ("backup",),
    "restore": ("backup",),
    "init": ("write",),
    "remember": ("write",),
    "revise": ("write",),
    "retract": ("write",),
    "decide": ("write",),
    "apply": ("batches",),
    "rollback": ("batches",),
    "retire": ("batches",),
    "validate": ("exchange",),
    "convert": ("exchange",),
    "audit": ("movein",),
    "watch": ("watch",),
    "import": ("exchange",),
    "export": ("exchange",),
    "forget": ("forget",),
    "withdraw": ("holds",),
    "rewind": ("govern",),
    "tombstone": ("govern",),
    "inspect-memory": ("inspect",),
    "retrieve": ("inspect",),
    "recall": ("search",),
    "attune": ("search",),
    "flush": ("search",),
    "alias": ("search",),
    "entity": ("search",),
    "mcp": ("mcp",),
    "get": ("read",),
    "history": ("read",),
    "explain": ("read",),
    "queue": ("read",),
    "stats": ("read",),
    "serve": ("serve",),
    "migrate": ("migrate",),
    "migrate-store": ("migrate_store",),
    "lineage": ("trust",),
    "cascade": ("trust",),
    "outcome": ("trust",),
    "vouch": ("trust",),
    "promote": ("trust",),
    "conflicts": ("trust",),
    "resolve": ("trust",),
    "settle": ("govern",),
    "announce": ("govern",),
    "sweep": ("trust",),
    "directory": ("trust",),
    "quality": ("trust",),
    "ledger": ("audit", "denied"),
    "policy": ("audit",),
    "certificate": ("forget",),
    "hold": ("holds",),
    "quarantine": ("holds",),
    "archive": ("backup",),
    "signing": ("signing",),
    "checkpoint": ("signing",),
    "encryption": ("encryption",),
    "model": ("model",),
    "keys": ("keys",),
    "conformance": ("conformance",),
    "omir": ("omir", "omir_files"),
    "matm": ("matm",),
}
"""Every command and group in the order of the help page, and the modules of this folder that declare it."""
PLACES |= {
    name.replace("_", "-"): (f"commands.{name}",)
    for name in sorted(one.name for one in iter_modules([str(Path(__file__).parent / "commands")]))
}


def declare(name: str) -> None:
    """Import the modules that declare a command or a group."""
    for module in PLACES[name]:
        import_module(f"{__package__}.{module}")


def declare_all() -> None:
    for name in PLACES:
        declare(name)


class Commands(MutableMapping[str, "Command"]):
    """The commands of `app` by name, all of `PLACES` in its order; each is made when it is asked for."""

    def __init__(self, app: typer.Typer) -> None:
        self._app = app
        self._made: dict[str, Command] = {}

    def __getitem__(self, name: str) -> Command:
        if name not in self._made:
            declare(name)
            self._made[name] = _made(self._app, name)
            spare(self._made[name])
        return self._made[name]

    def __setitem__(self, name: str, command: Command) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in PLACES or name in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES | self._made)

    def __len__(self) -> int:
        return len(PLACES | self._made)


def _made(app: typer.Typer, name: str) -> Command:
    for one in app.registered_commands:
        if one.name == name:
            return get_command_from_info(one, pretty_exceptions_short=True, rich_markup_mode=app.rich_markup_mode)
    group = next(one for one in app.registered_groups if one.name == name)
    return get_group_from_info(
        group, pretty_exceptions_short=True, rich_markup_mode=app.rich_markup_mode, suggest_commands=True
    )
