"""The commands that search, and those that searching leans on: recall, attune, flush, alias, entity."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from muniment.engine import Memory
from muniment.engine.options import QueryOptions
from muniment.model import checks
from muniment.model.errors import Malformed, ModelUnavailable, NotFound, StoreBusy
from muniment.model.query import Disclosure
from muniment.model.recall import Recall
from muniment.surfaces.cli import show_recall
from muniment.surfaces.cli.flags import ATTUNED, BOUNDS, Given
from muniment.surfaces.cli.output import filling, write_json, write_text
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.cli.shapes_recall import alias_shape, context_shape, entity_shape, reach_shape, recall_shape
from muniment.surfaces.cli.write import Session
from muniment.surfaces.problems import ExitCode

FLUSHED_FIRST = 500
FLUSH_SECONDS = 5.0
"""Before an answer so many entries are given their vectors, in at most so many seconds; more than that is only told."""
TIMEOUT_MAX = 86_400.0

Embedder = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="What makes vectors: auto, none, minilm or an endpoint's address#model (or MUNIMENT_EMBEDDER; auto).",
    ),
]
Render = Annotated[
    bool,
    typer.Option(
        "--render", help="Print a block of text for a prompt and nothing else; --budget-tokens is for the whole block."
    ),
]


@command(app, "recall", example='muniment recall "where is the staging database?" --kind fact --json', flags=(BOUNDS,))
def recall(
    call: CommandCall,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What is sought, in words.", show_default=False)],
    session: Session = None,
    embedder: Embedder = None,
    render: Render = False,
    *,
    bounds: Given,
) -> ExitCode:
    """Ask. The answer cites its records, says why each is here, and counts what was left out under which rule."""
    budget = _budget(bounds, render)
    with call.memory(session=session, embedder=call.embedder(embedder)) as memory:
        _catch_up(memory)
        found = memory.recall(query, **cast(QueryOptions, bounds))
        floor = cast("float | None", bounds["floor"])
        floor = memory.insight.policy.recall.floor if floor is None else floor
    if render:
        return _tell_block(call, found, budget)
    call.tell(recall_shape(found, floor=floor), show_recall.recall)
    return ExitCode.ANSWERED


@command(
    app,
    "attune",
    example='muniment attune --role tester --task "release 2.0" --interest "nightly build" --since 120',
    flags=(ATTUNED,),
)
def attune(
    call: CommandCall,
    role: Annotated[str | None, typer.Option("--role", metavar="TEXT", help="What the caller is.")] = None,
    task: Annotated[str | None, typer.Option("--task", metavar="TEXT", help="What the caller is to do.")] = None,
    interests: Annotated[
        list[str] | None, typer.Option("--interest", metavar="TEXT", help="What it cares for. Repeatable.")
    ] = None,
    since: Annotated[
        int, typer.Option("--since", metavar="N", help="Only what was written or changed after ledger entry N.")
    ] = 0,
    session: Session = None,
    embedder: Embedder = None,
    render: Render = False,
    *,
    bounds: Given,
) -> ExitCode:
    """Ask without a question: what the caller should know, given its role, its task, its interests and what is new."""
    budget = _budget(bounds, render)
    with call.memory(session=session, embedder=call.embedder(embedder)) as memory:
        _catch_up(memory)
        found = memory.attune(
            role=role, task=task, interests=interests or (), since=since, **cast(QueryOptions, bounds)
        )
    if render:
        return _tell_block(call, found, budget)
    call.tell(recall_shape(found), show_recall.attuned)
    return ExitCode.ANSWERED


def _budget(bounds: Given, render: bool) -> int | None:
    """The budget of a rendered block, which is then no bound of the recall."""
    budget = cast("int | None", bounds["budget_tokens"])
    if not render:
        return None
    if budget is not None:
        checks.whole("budget_tokens", budget, least=0, most=10_000_000)
    bounds["budget_tokens"] = None
    return budget


def _tell_block(call: CommandCall, found: Recall, budget: int | None) -> ExitCode:
    context = found.render(budget_tokens=budget)
    if call.as_json:
        write_json(context_shape(context, found.receipt_id))
    else:
        write_text(context.text)
    return ExitCode.ANSWERED


def _catch_up(memory: Memory) -> None:
    """Let an answer find by meaning what was written just before it, if that does not take long."""
    state = memory.insight.searching()
    if not 0 < state.trailing <= FLUSHED_FIRST:
        return
    try:
        memory.flush(timeout=FLUSH_SECONDS)
    except (ModelUnavailable, StoreBusy):
        return  # the answer says how it was sought, how far vectors trail and why


@command(app, "flush", example="muniment flush --timeout 600")
def flush(
    call: CommandCall,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="Give up after so long (default: wait).")
    ] = None,
    embedder: Embedder = None,
) -> ExitCode:
    """Wait until everything written so far can be found by its meaning too, and say how far that reaches."""
    if timeout is not None and not 0 <= timeout <= TIMEOUT_MAX:
        raise Malformed("timeout", f"seconds from 0 to {TIMEOUT_MAX:g}")
    with call.memory(embedder=call.embedder(embedder)) as memory:
        with filling("making vectors") as progress:
            reached = memory.flush(timeout=timeout, progress=progress)
        state = memory.insight.searching()
    call.tell(reach_shape(reached, state), show_recall.reach)
    return ExitCode.ANSWERED


@command(app, "alias", example='muniment alias PG "PostgreSQL"')
def alias(
    call: CommandCall,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Another name.", show_default=False)],
    means: Annotated[
        str,
        typer.Argument(metavar="MEANS", help="The name it means; itself, to stand alone again.", show_default=False),
    ],
) -> ExitCode:
    """Say that two names mean the same. A question that uses one of them then finds what uses the other."""
    with call.memory() as memory:
        names = memory.review.alias(name, means)
    call.tell(alias_shape(names), show_recall.alias)
    return ExitCode.ANSWERED


@command(app, "entity", example='muniment entity "Maria Lopez" --limit 5')
def entity(
    call: CommandCall,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name, as it is written.", show_default=False)],
    limit: Annotated[int, typer.Option("--limit", help="At most so many records, and so many other names.")] = 20,
) -> ExitCode:
    """Show what is known of a thing by name: its other names, who speaks of it, what is mentioned with it."""
    with call.memory() as memory:
        view = memory.insight.entity(name, limit=limit)
        records = [one for one in (_seen(memory, record_id) for record_id in view.records) if one is not None]
    call.tell(entity_shape(name, view, records), show_recall.entity)
    return ExitCode.ANSWERED


def _seen(memory: Memory, record_id: str) -> Disclosure | None:
    """A record that was there a moment ago. What is gone since is not told."""
    try:
        return memory.get(record_id)
    except NotFound:
        return None
