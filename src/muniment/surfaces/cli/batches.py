"""What is done to a whole batch that came in from elsewhere: accept what waits, or undo it. And retire a record."""

from __future__ import annotations

from typing import Annotated, TypedDict

import typer
from rich.console import Group, RenderableType

from muniment.model.curation import RollbackResult, Verdict
from muniment.surfaces.cli import show
from muniment.surfaces.cli.layout import counted, line, table
from muniment.surfaces.cli.output import plain
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.cli.verdicts import VerdictShape, verdict_shape
from muniment.surfaces.cli.write import ExpectedRevision, RecordId
from muniment.surfaces.problems import ExitCode

Batch = Annotated[str, typer.Argument(metavar="BATCH", help="The batch, as `import` named it.", show_default=False)]
Reason = Annotated[str, typer.Option("--reason", help="Why.", show_default=False)]


class AppliedShape(TypedDict):
    batch: str
    verdicts: list[VerdictShape]


class UndoneShape(TypedDict):
    batch: str
    epoch: int
    retracted: list[str]
    restored: list[str]
    dismissed: list[str]


@command(app, "apply", example='muniment apply omir-3f2a --reason "checked against the tickets"')
def apply(call: CommandCall, batch: Batch, reason: Reason) -> ExitCode:
    """Accept everything of a batch that waits for a person, all or none."""
    with call.memory() as memory:
        verdicts = memory.imports.apply(batch, reason=reason)
    call.tell(_applied(batch, verdicts), _show_applied)
    return ExitCode.ANSWERED


@command(app, "rollback", example='muniment rollback omir-3f2a --reason "the wrong file"')
def rollback(call: CommandCall, batch: Batch, reason: Reason) -> ExitCode:
    """Undo a batch: what it brought is retracted, what it replaced is as it was, what waits is dismissed. The ledger
    keeps both."""
    with call.memory() as memory:
        undone = memory.imports.roll_back(batch, reason=reason)
    call.tell(_undone(undone), _show_undone)
    return ExitCode.ANSWERED


@command(app, "retire", example='muniment retire rec_1 --becomes archived --reason "the sale is over"')
def retire(
    call: CommandCall,
    record_id: RecordId,
    becomes: Annotated[
        str, typer.Option("--becomes", help="deprecated, expired, archived or retracted.", show_default=False)
    ],
    reason: Reason,
    expected_revision: ExpectedRevision = None,
) -> ExitCode:
    """Let a record no longer speak. It stays in its history, and what stands on it is judged again."""
    with call.memory() as memory:
        verdict = memory.review.retire(record_id, becomes=becomes, reason=reason, expected_revision=expected_revision)
    call.tell(verdict_shape(verdict), show.verdict)
    return ExitCode.ANSWERED


def _applied(batch: str, verdicts: tuple[Verdict, ...]) -> AppliedShape:
    return {"batch": batch, "verdicts": [verdict_shape(one) for one in verdicts]}


def _show_applied(shape: AppliedShape) -> RenderableType:
    rows = [[one["proposal_id"], one["outcome"], one["record_id"] or "", one["reason"]] for one in shape["verdicts"]]
    head = plain(f"batch {shape['batch']}: {counted(len(rows), 'proposal', 'proposals')} answered")
    return Group(head, table(("proposal", "outcome", "record", "why"), rows)) if rows else head


def _undone(undone: RollbackResult) -> UndoneShape:
    return {
        "batch": undone.batch,
        "epoch": undone.epoch,
        "retracted": list(undone.retracted),
        "restored": list(undone.restored),
        "dismissed": list(undone.dismissed),
    }


def _show_undone(shape: UndoneShape) -> RenderableType:
    parts = [plain(f"batch {shape['batch']} is undone, entry {shape['epoch']}")]
    named = (("retracted", shape["retracted"]), ("restored", shape["restored"]), ("dismissed", shape["dismissed"]))
    return Group(*parts, *(line(word, ", ".join(names)) for word, names in named if names))
