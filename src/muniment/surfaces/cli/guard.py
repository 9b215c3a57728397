"""The commands that keep things from being erased: hold add, lift, list."""

from __future__ import annotations

from typing import Annotated

import typer

from muniment.surfaces.cli import show_guard
from muniment.surfaces.cli.forget import Author, MaybeRecord, Sitting, Source, Subject, target_of
from muniment.surfaces.cli.root import Call, command, group
from muniment.surfaces.cli.shapes_guard import HoldsShape, hold_shape
from muniment.surfaces.problems import ExitCode

hold = typer.Typer(help="Legal holds: what must not be erased.", rich_markup_mode="rich")
hold.callback()(group)

Why = Annotated[str, typer.Option("--reason", help="Why; it is kept.", show_default=False)]


@command(hold, "add", example='muniment hold add --source mail-archive --reason "case 2026-114"')
def add(
    call: Call,
    reason: Why,
    record_id: MaybeRecord = None,
    subject: Subject = None,
    source: Source = None,
    actor: Author = None,
    session: Sitting = None,
) -> ExitCode:
    """Keep a record, or everything of a subject, source, actor or session, from being erased until it is lifted."""
    target_of(record_id, subject=subject, source=source, actor=actor, session=session)
    with call.memory() as memory:
        placed = memory.hold(record_id, subject=subject, source=source, actor=actor, session=session, reason=reason)
    call.tell(hold_shape(placed), show_guard.hold)
    return ExitCode.ANSWERED


@command(hold, "lift", example='muniment hold lift hld_1 --reason "the case is closed"')
def lift(
    call: Call,
    hold_id: Annotated[str, typer.Argument(metavar="HOLD", help="The hold's id.", show_default=False)],
    reason: Why,
) -> ExitCode:
    """End a hold. What it covered may be erased again."""
    with call.memory() as memory:
        ended = memory.lift(hold_id, reason=reason)
    call.tell(hold_shape(ended), show_guard.lifted)
    return ExitCode.ANSWERED


@command(hold, "list", example="muniment hold list --json")
def list_(call: Call) -> ExitCode:
    """List the holds that stand, oldest first."""
    with call.memory() as memory:
        found = memory.holds()
    shape: HoldsShape = {"holds": [hold_shape(one) for one in found]}
    call.tell(shape, show_guard.holds)
    return ExitCode.ANSWERED
