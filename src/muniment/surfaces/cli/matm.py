"""The commands of the MATM profile: hand events in, answer for them, retrieve, adopt batches, say how far it goes."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from muniment.compat.matm.adoption import adopt as take_in
from muniment.compat.matm.desk import MatmHandler, curator_of, policy_text, steward_of
from muniment.compat.matm.grounds import RefusalGround
from muniment.compat.matm.sources import Sources
from muniment.config.files import open_file
from muniment.contracts.strict.reader import BYTES_MAX
from muniment.engine import Memory
from muniment.kits import require
from muniment.model.errors import Malformed
from muniment.model.times import Instant
from muniment.model.vocabulary import Kind, Scope
from muniment.surfaces.cli import show_matm
from muniment.surfaces.cli.output import is_terminal, note, read_standard_input, working, write_text
from muniment.surfaces.cli.root import CommandCall, app, command, group
from muniment.surfaces.cli.shapes_matm import batch_shape, example_shape, level_shape
from muniment.surfaces.cli.write import DecideChoice
from muniment.surfaces.problems import ExitCode

matm = typer.Typer(
    help="The MATM profile: proposals of agents, curated, retrieved within their scopes.", rich_markup_mode="rich"
)
matm.callback()(group)
app.add_typer(matm, name="matm")

File = Annotated[
    str, typer.Argument(metavar="FILE", help="A JSON document; - reads standard input.", show_default=False)
]
Event = Annotated[str, typer.Argument(metavar="EVENT", help="The event's id.", show_default=False)]
Session = Annotated[str | None, typer.Option("--session", metavar="ID", help="The session the actor is in.")]
SourceList = Annotated[
    str | None,
    typer.Option("--sources", metavar="FILE", help="The references that exist, one on each line (default: any)."),
]


@command(matm, "policy", example="muniment matm policy > matm.yaml")
def policy(call: CommandCall) -> ExitCode:
    """Show the policy of the profile, to start yours from: nobody but a reviewer lets anything in."""
    write_text(policy_text())
    return ExitCode.ANSWERED


@command(matm, "example", example="muniment matm example")
def example(call: CommandCall) -> ExitCode:
    """Play the worked example twice on a scratch vault and show every decision and the answer. Touches no vault."""
    require("matm_evaluation", "matm-evaluation", "matm")
    from matm_evaluation.example import play
    from matm_evaluation.scratch import StillClock, scratch_memory

    clock = StillClock()
    with working("playing the example"), scratch_memory(clock) as memory:
        first, second = play(memory, clock), play(memory, clock)
    call.tell(example_shape(first, second), show_matm.example)
    return ExitCode.ANSWERED


@command(matm, "emit", example="muniment matm emit event.json --as producer.tester")
def emit(call: CommandCall, file: File, session: Session = None, sources: SourceList = None) -> ExitCode:
    """Hand an event in. It waits or is refused; nothing is remembered by emitting."""
    data = _read(file)
    with call.memory() as memory:
        filed = _desk(memory, sources).emit(data, actor=call.config.actor, session=session)
    call.tell(filed.report, show_matm.report)
    return ExitCode.ANSWERED


@command(matm, "tickets", example="muniment matm tickets --as steward.checkout")
def tickets(call: CommandCall) -> ExitCode:
    """Show what waits for a person, oldest first, and why."""
    with call.memory() as memory:
        memory.ledger.head()  # only those who may audit see everybody's tickets
        found = list(_desk(memory, None).tickets())
    call.tell(found, show_matm.tickets)
    return ExitCode.ANSWERED


@command(matm, "curate", example="muniment matm curate")
def curate(call: CommandCall) -> ExitCode:
    """Let the curator of the policy answer for everything that needs no person."""
    with call.memory() as memory:
        memory.ledger.head()  # only those who may audit set it to work
        found = [one.report for one in _desk(memory, None).curate()]
    call.tell(found, show_matm.reports)
    return ExitCode.ANSWERED


@command(matm, "decide", example='muniment matm decide evt_1 accept --reason "checked" --as steward.checkout')
def decide(
    call: CommandCall,
    event: Event,
    answer: Annotated[DecideChoice, typer.Argument(help="What to do with it.", show_default=False)],
    reason: Annotated[str, typer.Option("--reason", help="Why; it is kept.", show_default=False)],
    ground: Annotated[
        RefusalGround | None, typer.Option("--ground", help="On which ground it is discarded.", show_default=False)
    ] = None,
    kind: Annotated[Kind | None, typer.Option("--kind", help="Another kind than suggested.")] = None,
    scope: Annotated[Scope | None, typer.Option("--scope", help="Another scope than suggested.")] = None,
    scope_id: Annotated[str | None, typer.Option("--scope-id", metavar="ID", help="Whose scope.")] = None,
) -> ExitCode:
    """Answer for an event that waits. What is sensitive, public or for a team only a person can let in."""
    with call.memory() as memory:
        filed = _desk(memory, None).decide(
            event,
            actor=call.config.actor,
            accept=answer is DecideChoice.ACCEPT,
            reason=reason,
            ground=ground,
            kind=kind,
            scope=scope,
            scope_id=scope_id,
        )
    call.tell(filed.report, show_matm.report)
    return ExitCode.ANSWERED


@command(matm, "report", example="muniment matm report evt_1")
def report(call: CommandCall, event: Event) -> ExitCode:
    """Show the curation report of an event."""
    with call.memory() as memory:
        found = _desk(memory, None).report(event, actor=call.config.actor)
    call.tell(found, show_matm.report)
    return ExitCode.ANSWERED


@command(matm, "retrieve", example="muniment matm retrieve request.json --as consumer.demo")
def retrieve(call: CommandCall, file: File, session: Session = None) -> ExitCode:
    """Answer a retrieval request: results with citations, or the reason for an abstention."""
    data = _read(file)
    with call.memory() as memory:
        found = _desk(memory, None).retrieve(data, actor=call.config.actor, session=session)
    call.tell(found, show_matm.response)
    return ExitCode.ANSWERED


@command(matm, "adopt", example="muniment matm adopt events.json --preview")
def adopt(
    call: CommandCall,
    file: File,
    preview: Annotated[bool, typer.Option("--preview", help="Change nothing; say what would come of it.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Take it in once more if it was rolled back.")] = False,
) -> ExitCode:
    """Take a file of events or records from elsewhere into quarantine. `muniment apply` lets the batch in."""
    data = _read(file)
    with call.memory() as memory:
        found = take_in(memory, data, desk=_desk(memory, None), preview=preview, again=again)
    call.tell(batch_shape(found), show_matm.batch)
    return ExitCode.ANSWERED


@command(matm, "level", example="muniment matm level --json")
def level(
    call: CommandCall,
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels", metavar="FILE", help="What should have become of your events: measures routing and conflicts."
        ),
    ] = None,
) -> ExitCode:
    """Say which level of the profile this vault can show, with the evidence for each check and every figure. The probe
    runs on a scratch vault under this vault's policy; of this one only reading is asked."""
    require("matm_evaluation", "matm-evaluation", "matm")
    from matm_evaluation.labels import read_labels
    from matm_evaluation.level import level_report

    given = read_labels(_read(labels)) if labels is not None else None
    with call.memory() as memory, working("probing and measuring"):
        found = level_report(memory, now=Instant(time.time_ns() // 1_000), labels=given)
    call.tell(level_shape(found), show_matm.level)
    return ExitCode.ANSWERED


def _desk(memory: Memory, sources: str | None) -> MatmHandler:
    known = Sources(_lines(sources)) if sources is not None else None
    rules = memory.insight.policy
    return MatmHandler(memory, curator=curator_of(rules), steward=steward_of(rules), sources=known)


def _lines(file: str) -> list[str]:
    try:
        return [line.strip() for line in _read(file).decode().splitlines() if line.strip()]
    except UnicodeDecodeError:
        raise Malformed("sources", "UTF-8 text, one reference on each line") from None


def _read(file: str) -> bytes:
    """What a file, or standard input, holds."""
    if file == "-":
        if is_terminal(sys.stdin):
            note("reading standard input; end with Ctrl-D")
        data = read_standard_input(BYTES_MAX + 1)
        if data is None:
            raise Malformed("file", "a document; standard input is closed")
        return data
    if not file or "\0" in file:
        raise Malformed("file", "the path of a file: not empty and without NUL")
    with open_file(Path(file)) as opened:
        return opened.read(BYTES_MAX + 1)
