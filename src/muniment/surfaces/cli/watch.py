"""The command that keeps a folder of notes and a memory in step."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, TypedDict

import typer
from rich.console import Group, RenderableType

from muniment.importers.kinds import SourceKind, kind_of
from muniment.importers.watch import WATCHED, Pass, watch_once
from muniment.model.errors import Malformed, SourceUnreadable
from muniment.surfaces.cli.layout import table
from muniment.surfaces.cli.output import plain
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.problems import ExitCode, printable


class PassShape(TypedDict):
    proposed: int
    held: int
    refused: int
    deleted: int
    written: int
    removed: int
    conflicts: list[str]
    unread: list[str]
    batch: str | None


@command(app, "watch", example="muniment watch notes/ --from obsidian")
def watch(
    call: CommandCall,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A folder of Markdown notes.", show_default=False)],
    kind: Annotated[
        SourceKind | None, typer.Option("--from", help="claude-code, obsidian, omp or basic-memory.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="One pass, and no more.")] = False,
    every: Annotated[float, typer.Option("--every", metavar="SECONDS", help="How long to wait between passes.")] = 2.0,
) -> ExitCode:
    """Keep a folder of notes and the shared memory in step, both ways, until Ctrl-C. What changes in the folder is
    proposed; what counts in the memory appears as notes. Where both changed, the memory's words go into a file beside
    the note and the note's words wait in the queue: nothing is overwritten."""
    if not 0.2 <= every <= 86_400:
        raise Malformed("every", "from 0.2 to 86400 seconds")
    path = Path(folder)
    found = kind if kind is not None else _kind(path)
    while True:
        with call.memory(create=True) as memory:
            done = watch_once(memory, path, found)
        if once or not done.quiet:
            call.tell(_shape(done), _show)
        if once:
            return ExitCode.ANSWERED
        time.sleep(every)


def _kind(path: Path) -> SourceKind:
    """The kind of a folder; one that has no notes yet is plain Markdown."""
    try:
        found = kind_of(path)
    except SourceUnreadable:
        if not path.is_dir():
            raise
        return SourceKind.OBSIDIAN
    return found if found in WATCHED else SourceKind.OBSIDIAN


def _shape(done: Pass) -> PassShape:
    return {
        "proposed": done.proposed,
        "held": done.held,
        "refused": done.refused,
        "deleted": done.deleted,
        "written": done.written,
        "removed": done.removed,
        "conflicts": [printable(one) for one in done.conflicts],
        "unread": [printable(f"{one.place}: {one.message}") for one in done.unread],
        "batch": done.batch,
    }


def _show(shape: PassShape) -> RenderableType:
    rows = [
        ["proposed", str(shape["proposed"]), "notes became records"],
        ["held", str(shape["held"]), "notes wait for a person"],
        ["refused", str(shape["refused"]), "notes are not kept"],
        ["deleted", str(shape["deleted"]), "notes are gone, and their records deprecated"],
        ["written", str(shape["written"]), "files were written"],
        ["removed", str(shape["removed"]), "files of records that count no more were removed"],
    ]
    parts: list[RenderableType] = [table(("pass", "how many", ""), [row for row in rows if row[1] != "0"])]
    parts += [plain(f"conflict: {one} (see the file beside it, and `muniment queue`)") for one in shape["conflicts"]]
    parts += [plain(f"cannot be read: {one}") for one in shape["unread"]]
    return Group(*parts) if any(row[1] != "0" for row in rows) or parts[1:] else plain("in step")
