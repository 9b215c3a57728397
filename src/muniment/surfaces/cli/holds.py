"""The commands that keep things in, apart or from being erased: withdraw; quarantine and hold with theirs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from muniment.model import checks
from muniment.model.curation import WithdrawalResult
from muniment.model.erasure import TargetKind
from muniment.surfaces.cli import show, show_guard
from muniment.surfaces.cli.confirm import confirmed
from muniment.surfaces.cli.forget import Author, Expected, MaybeRecord, OfUser, Sitting, Source, Subject, Yes, target_of
from muniment.surfaces.cli.output import is_terminal, note
from muniment.surfaces.cli.root import CommandCall, app, command, group
from muniment.surfaces.cli.shapes_guard import HoldsShape, hold_shape, quarantine_shape, withdrawal_shape
from muniment.surfaces.cli.verdicts import verdict_shape
from muniment.surfaces.cli.write import ExpectedRevision, RecordId
from muniment.surfaces.problems import ExitCode

quarantine = typer.Typer(help="Suspects: keep a record apart, release it, list them.", rich_markup_mode="rich")
quarantine.callback()(group)
app.add_typer(quarantine, name="quarantine")
hold = typer.Typer(help="Legal holds: what must not be erased.", rich_markup_mode="rich")
hold.callback()(group)
app.add_typer(hold, name="hold")

Why = Annotated[str, typer.Option("--reason", help="Why; it is kept.", show_default=False)]


@command(app, "withdraw", example="muniment withdraw --by source forum.example --dry-run")
def withdraw(
    call: CommandCall,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="Which one.", show_default=False)],
    by: Annotated[
        str,
        typer.Option("--by", metavar="actor|source|session", help="Whose contributions.", show_default=False),
    ],
    reason: Annotated[str | None, typer.Option("--reason", help="Why; it is kept.", show_default=False)] = None,
    expected: Expected = None,
    yes: Yes = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be withdrawn, and change nothing.")
    ] = False,
) -> ExitCode:
    """Take back everything one actor, source or session contributed, with what stands on it, and list the receipts that
    had used any of it. History is kept. At a terminal it shows the plan and asks first."""
    why = reason if reason is not None else f"withdrawn: everything of this {checks.read_word('by', by, TargetKind)}"
    asks = not dry_run and not yes and is_terminal(sys.stdin)
    with call.memory() as memory:
        if asks:
            plan = memory.erasure.withdraw(by, value, reason=why, dry_run=True)
            if not _agreed(plan):
                note("nothing was changed")
                return ExitCode.ANSWERED
            expected = expected if expected is not None else plan.digest
        done = memory.erasure.withdraw(by, value, reason=why, expected=expected, dry_run=dry_run)
    call.tell(withdrawal_shape(done), show_guard.withdrawal)
    return ExitCode.ANSWERED


def _agreed(plan: WithdrawalResult) -> bool:
    return confirmed("Withdraw it?", show_guard.to_withdraw(withdrawal_shape(plan)))


@command(quarantine, "add", example='muniment quarantine add rec_1 --reason "it reads like an instruction"')
def set_apart(
    call: CommandCall, record_id: RecordId, reason: Why, expected_revision: ExpectedRevision = None
) -> ExitCode:
    """Keep a record apart: it answers nobody, and what stands on it is flagged, until it is released or retracted."""
    with call.memory() as memory:
        verdict = memory.review.quarantine(record_id, reason=reason, expected_revision=expected_revision)
    call.tell(verdict_shape(verdict), show.verdict)
    return ExitCode.ANSWERED


@command(quarantine, "release", example='muniment quarantine release rec_1 --reason "it is a quotation"')
def release(
    call: CommandCall, record_id: RecordId, reason: Why, expected_revision: ExpectedRevision = None
) -> ExitCode:
    """Let a record that was kept apart answer again."""
    with call.memory() as memory:
        verdict = memory.review.release(record_id, reason=reason, expected_revision=expected_revision)
    call.tell(verdict_shape(verdict), show.verdict)
    return ExitCode.ANSWERED


@command(quarantine, "list", example="muniment quarantine list --json")
def list_apart(call: CommandCall) -> ExitCode:
    """List the records that are kept apart and that you may review."""
    with call.memory() as memory:
        found = memory.review.quarantined()
    call.tell(quarantine_shape(found), show_guard.quarantine)
    return ExitCode.ANSWERED


@command(hold, "add", example='muniment hold add --source mail-archive --reason "case 2026-114"')
def add(
    call: CommandCall,
    reason: Why,
    record_id: MaybeRecord = None,
    subject: Subject = None,
    source: Source = None,
    actor: Author = None,
    session: Sitting = None,
    user: OfUser = None,
) -> ExitCode:
    """Keep a record, or everything of a subject, source, actor, session or user, from being erased until it is
    lifted."""
    target_of(record_id, subject=subject, source=source, actor=actor, session=session, user=user)
    with call.memory() as memory:
        placed = memory.erasure.hold(
            record_id, subject=subject, source=source, actor=actor, session=session, user=user, reason=reason
        )
    call.tell(hold_shape(placed), show_guard.hold)
    return ExitCode.ANSWERED


@command(hold, "lift", example='muniment hold lift hld_1 --reason "the case is closed"')
def lift(
    call: CommandCall,
    hold_id: Annotated[str, typer.Argument(metavar="HOLD", help="The hold's id.", show_default=False)],
    reason: Why,
) -> ExitCode:
    """End a hold. What it covered may be erased again."""
    with call.memory() as memory:
        ended = memory.erasure.lift(hold_id, reason=reason)
    call.tell(hold_shape(ended), show_guard.lifted)
    return ExitCode.ANSWERED


@command(hold, "list", example="muniment hold list --json")
def list_holds(call: CommandCall) -> ExitCode:
    """List the holds that stand, oldest first."""
    with call.memory() as memory:
        found = memory.erasure.holds()
    shape: HoldsShape = {"holds": [hold_shape(one) for one in found]}
    call.tell(shape, show_guard.holds)
    return ExitCode.ANSWERED
