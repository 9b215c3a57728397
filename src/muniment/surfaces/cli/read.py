"""The commands that look: get, history, explain, queue, stats."""

from __future__ import annotations

from typing import Annotated

import typer

from muniment.model import checks
from muniment.model.form import disclosure_shape
from muniment.model.receipt import ReceiptState
from muniment.surfaces.cli import show, show_recall
from muniment.surfaces.cli.output import working
from muniment.surfaces.cli.proofs import explanation_shape
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.cli.search import Embedder
from muniment.surfaces.cli.shapes import history_shape, stats_shape
from muniment.surfaces.cli.verdicts import queue_shape
from muniment.surfaces.cli.write import RecordId
from muniment.surfaces.problems import ExitCode


@command(app, "get", example="muniment get rec_1 --revision 1")
def get(
    call: CommandCall,
    record_id: RecordId,
    revision: Annotated[int | None, typer.Option("--revision", help="A revision other than the present one.")] = None,
) -> ExitCode:
    """Show one record, in whatever state it is."""
    with call.memory() as memory:
        found = memory.get(record_id, revision=revision)
    call.tell(disclosure_shape(found), show.record)
    return ExitCode.ANSWERED


@command(app, "history", example="muniment history rec_1 --json")
def history(call: CommandCall, record_id: RecordId) -> ExitCode:
    """Show every revision of a record and what became of it, with who decided and why."""
    with call.memory() as memory:
        found = memory.history(record_id)
    call.tell(history_shape(found), show.history)
    return ExitCode.ANSWERED


@command(app, "explain", example="muniment explain rcp_1 --replay")
def explain(
    call: CommandCall,
    receipt_id: Annotated[str, typer.Argument(metavar="RECEIPT", help="The receipt of a recall.", show_default=False)],
    replay: Annotated[
        bool, typer.Option("--replay", help="Rebuild the store as it was then and search it again from nothing.")
    ] = False,
    embedder: Embedder = None,
) -> ExitCode:
    """Show how an answer came about, and decide it again. Exit code 0 if it comes out the same, 1 if it does not or the
    receipt was altered, 7 if words of it or records it told of were erased or dropped since, and the rest is the
    same."""
    words = "rebuilding the store" if replay else "deciding again"
    with call.memory(embedder=call.embedder(embedder) if replay else None) as memory, working(words) as progress:
        told = memory.explain(receipt_id, replay=replay, progress=progress)
    call.tell(explanation_shape(told), show_recall.explanation)
    if not told.consistent:
        return ExitCode.DAMAGED
    return ExitCode.ANSWERED if told.state is ReceiptState.WHOLE else ExitCode.TAKEN_AWAY


@command(app, "queue", example="muniment queue --limit 10")
def queue(
    call: CommandCall,
    limit: Annotated[int, typer.Option("--limit", help="At most so many.")] = 50,
    after: Annotated[str | None, typer.Option("--after", metavar="ID", help="Go on after this proposal.")] = None,
) -> ExitCode:
    """Show the proposals that wait for a person. Long content is cut; with --json it is whole."""
    checks.optional_identifier("after", after)
    with call.memory() as memory:
        waiting = memory.review.queue(after=after, limit=limit)
    call.tell(queue_shape(waiting, limit=limit), show.queue)
    return ExitCode.ANSWERED


@command(app, "stats", example="muniment stats --json")
def stats(call: CommandCall) -> ExitCode:
    """Count what there is, of what the caller may see."""
    with call.memory() as memory:
        found = memory.insight.stats()
    call.tell(stats_shape(found), show.stats)
    return ExitCode.ANSWERED
