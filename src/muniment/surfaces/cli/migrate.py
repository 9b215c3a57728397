"""The command that brings a vault up to date: it shows what is to be done, asks, and does it."""

from __future__ import annotations

from typing import Annotated, TypedDict, cast

import typer
from rich.console import Group, RenderableType

from muniment.engine.migrating import FolderMigration, Migration, Phase, Planned, database_of, migration_of
from muniment.model.actor import OWNER
from muniment.model.errors import Malformed, NotPermitted
from muniment.surfaces.cli.confirm import confirmed, must_ask
from muniment.surfaces.cli.layout import counted, table
from muniment.surfaces.cli.output import filling, note, plain
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.problems import ExitCode, printable

_PHASES = ("pre", "post")


class MigrationStepShape(TypedDict):
    title: str
    meaning: str
    statements: list[str]


class ScrubShape(TypedDict):
    tenants: int
    done: bool


class MigrationShape(TypedDict):
    place: str
    phase: str
    steps: list[MigrationStepShape]
    done: int
    scrubbed: ScrubShape | None


@command(app, "migrate", example="muniment migrate postgresql://owner@db/memory --plan")
def migrate(
    call: CommandCall,
    address: Annotated[
        str | None,
        typer.Argument(
            metavar="PLACE",
            help="The folder or the database; else the one that --vault or --store names.",
            show_default=False,
        ),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", "--dry-run", help="Only show what is to be done.")] = False,
    phase: Annotated[
        str,
        typer.Option(
            "--phase",
            metavar="pre|post",
            help="pre: what a new release needs while the old one runs; post: what to take away once it is gone.",
        ),
    ] = "pre",
    citus: Annotated[bool, typer.Option("--citus", help="Spread the tables over a Citus cluster by tenant.")] = False,
    scrub: Annotated[
        bool,
        typer.Option(
            "--scrub",
            help="Then write tables anew, so that nothing erased is left in their files; others wait meanwhile.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before it is done.")] = False,
) -> ExitCode:
    """Bring a vault up to date: its tables, and its word indexes where a newer release takes texts apart otherwise. It
    is safe to run it again, and to run it twice at once; what was begun and cut off goes on where it stopped. In a
    database, tenants that have grown large get a partition and an index for their vectors."""
    if call.config.actor != OWNER:
        raise NotPermitted(call.config.actor, "migrate the vault")
    if phase not in _PHASES:
        raise Malformed("phase", '"pre" or "post"')
    said = call.config.vault if address is None else address
    wanted = migration_of(said, phase=cast(Phase, phase), citus=citus)
    if isinstance(wanted, FolderMigration) and (citus or scrub):
        database_of(said)
    steps = wanted.plan()
    shape = _shape(wanted, steps)
    if plan or not (steps or scrub):
        call.tell(shape, _show_plan)
        return ExitCode.ANSWERED
    if must_ask(yes, "migrate") and not confirmed("Scrub the tables?" if not steps else "Do this?", _show_plan(shape)):
        note("nothing was changed")
        return ExitCode.ANSWERED
    shape["done"] = _run(wanted, len(steps))
    if scrub and isinstance(wanted, Migration):
        swept = wanted.scrub()
        shape["scrubbed"] = {"tenants": swept.tenants, "done": swept.done}
    call.tell(shape, _show_done)
    left = shape["scrubbed"] is not None and not shape["scrubbed"]["done"]
    return ExitCode.WORLD_FAILED if left else ExitCode.ANSWERED


def _run(wanted: Migration | FolderMigration, planned: int) -> int:
    begun = 0
    with filling("migrating") as share:

        def tell(step: Planned) -> None:
            nonlocal begun
            note(f"{step.title}: {step.meaning}")
            share(begun, max(planned, begun + 1))
            begun += 1

        return wanted.run(tell, lambda done, whole: share((begun - 1) * whole + done, max(planned, begun) * whole))


def _shape(wanted: Migration | FolderMigration, steps: tuple[Planned, ...]) -> MigrationShape:
    return {
        "place": printable(str(wanted.place)),
        "phase": wanted.phase if isinstance(wanted, Migration) else "pre",
        "steps": [{"title": one.title, "meaning": one.meaning, "statements": list(one.statements)} for one in steps],
        "done": 0,
        "scrubbed": None,
    }


def _show_plan(shape: MigrationShape) -> RenderableType:
    if not shape["steps"]:
        return plain(f"{shape['place']} is up to date")
    rows = [
        [str(number), one["title"], one["meaning"], str(len(one["statements"]))]
        for number, one in enumerate(shape["steps"], 1)
    ]
    return Group(
        plain(f"{shape['place']}: {counted(len(rows), 'step', 'steps')} to do"),
        table(("", "step", "what it does", "statements"), rows),
    )


def _show_done(shape: MigrationShape) -> RenderableType:
    told = f"{shape['place']}: {counted(shape['done'], 'step', 'steps')} done"
    if (swept := shape["scrubbed"]) is None:
        return plain(told)
    what = "scrubbed" if swept["done"] else "NOT scrubbed: somebody reads or holds a table, or this user may not"
    return plain(f"{told}; {counted(swept['tenants'], 'tenant', 'tenants')} with erasures {what}")
