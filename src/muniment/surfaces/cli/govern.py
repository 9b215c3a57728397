"""The commands that act on a whole memory: settle, announce, rewind, and tombstones for what was never here."""

from __future__ import annotations

from typing import Annotated, TypedDict

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from muniment.model.erasure import TombstoneAhead
from muniment.model.errors import Malformed
from muniment.surfaces.cli import show, show_trust
from muniment.surfaces.cli.layout import line
from muniment.surfaces.cli.output import plain
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.cli.shapes_rewind import RewindShape, rewind_shape
from muniment.surfaces.cli.shapes_trust import SettledShape, settled_shape
from muniment.surfaces.cli.verdicts import verdict_shape
from muniment.surfaces.cli.write import RecordId
from muniment.surfaces.problems import ExitCode

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be, and change nothing.")]


class AllSettledShape(TypedDict):
    conflicts: list[SettledShape]
    dry_run: bool


class TombstoneShape(TypedDict):
    by: str
    value: str
    reason: str


class TombstonesShape(TypedDict):
    tombstones: list[TombstoneShape]


@command(app, "settle", example="muniment settle --strategy last_write_wins --dry-run")
def settle(
    call: CommandCall,
    strategy: Annotated[
        str | None, typer.Option("--strategy", help="By what (default: by the rules of the policy).")
    ] = None,
    rationale: Annotated[str | None, typer.Option("--rationale", help="Why; it is kept.")] = None,
    dry_run: DryRun = False,
) -> ExitCode:
    """Settle every established conflict that is open and that you may settle. A tie is left open and told."""
    with call.memory() as memory:
        settled = memory.review.resolve_all(strategy=strategy, rationale=rationale, dry_run=dry_run)
    shape: AllSettledShape = {"conflicts": [settled_shape(one) for one in settled], "dry_run": dry_run}
    call.tell(shape, _all_settled)
    return ExitCode.ANSWERED


def _all_settled(shape: AllSettledShape) -> RenderableType:
    if not shape["conflicts"]:
        return plain("no conflict is open that you could settle")
    return Group(*(show_trust.settled(one) for one in shape["conflicts"]))


@command(app, "announce", example="muniment announce rec_1 --to agent_team:platform")
def announce(
    call: CommandCall,
    record_id: RecordId,
    to: Annotated[
        str, typer.Option("--to", metavar="SCOPE", help="The group, such as project:apollo.", show_default=False)
    ],
    proposal_id: Annotated[
        str | None,
        typer.Option("--proposal-id", metavar="ID", help="A name for the proposal; the same again changes nothing."),
    ] = None,
) -> ExitCode:
    """Pass a record on to another group. It says there who said it first, and falls when the source does."""
    scope, scope_id = scope_of("to", to)
    if scope_id is None:
        raise Malformed("to", "a scope and its id, such as project:apollo")
    with call.memory() as memory:
        verdict = memory.review.announce(record_id, scope=scope, scope_id=scope_id, proposal_id=proposal_id)
    call.tell(verdict_shape(verdict), show.verdict)
    return ExitCode.ANSWERED


def scope_of(field: str, given: str) -> tuple[str, str | None]:
    """A scope as it is named on the command line: `agent_team:platform`, or all of a sort: `agent_team`."""
    scope, colon, scope_id = given.replace("/", ":", 1).partition(":")
    if not scope or (colon and not scope_id):
        raise Malformed(field, "a scope, such as agent_team:platform")
    return scope, scope_id or None


@command(app, "rewind", example="muniment rewind --to 41 --scope agent_team:platform --dry-run")
def rewind(
    call: CommandCall,
    to: Annotated[
        str, typer.Option("--to", metavar="ENTRY|TIME", help="After which entry, or at which time.", show_default=False)
    ],
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="SCOPE", help="One scope, as SCOPE:ID (default: everything).")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Why; it is kept.")] = None,
    dry_run: DryRun = False,
) -> ExitCode:
    """Turn everything, or one scope, back to how it was, by a new entry. Nothing is deleted, what was erased stays
    erased, and a rewind is undone by another one."""
    sort, scope_id = scope_of("scope", scope) if scope is not None else (None, None)
    position: int | str = int(to) if to.isascii() and to.isdigit() else to
    with call.memory() as memory:
        done = memory.review.rewind(position, scope=sort, scope_id=scope_id, reason=reason, dry_run=dry_run)
    call.tell(rewind_shape(done, dry_run=dry_run), _rewound)
    return ExitCode.ANSWERED


def _rewound(shape: RewindShape) -> RenderableType:
    verb = "would be turned back" if shape["dry_run"] else "turned back"
    lines: list[RenderableType] = [
        Text.assemble((verb, "bold"), plain(f" to entry {shape['to']}: {shape['changed']} revisions change"))
    ]
    lines += [line("speaks again", name) for name in shape["restored"]]
    lines += [line("no longer speaks", name) for name in shape["withdrawn"]]
    lines += [line("believed otherwise", name) for name in shape["judged"]]
    lines += [line("stays as an erasure left it", name) for name in shape["kept"]]
    if shape["erased"]:
        lines.append(line("erased since, and stays so", f"{shape['erased']} revisions"))
    lines += [line("was told", f"{one['receipt']} to {one['actor']}") for one in shape["receipts"]]
    return Group(*lines)


@command(app, "tombstone", example='muniment tombstone --external-id crm/4711 --reason "erased at the source"')
def tombstone(
    call: CommandCall,
    record_id: Annotated[str | None, typer.Option("--id", metavar="ID", help="The record's id.")] = None,
    external_id: Annotated[str | None, typer.Option("--external-id", metavar="ID", help="Its external id.")] = None,
    digest: Annotated[
        str | None, typer.Option("--digest", metavar="SALT:SHA256", help="A salted digest of what it says, in hex.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Why; it is kept.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List those there are.")] = False,
) -> ExitCode:
    """Record a deletion of something that was never here: an import that brings it later is refused, with all that
    stands on it."""
    with call.memory() as memory:
        if listed:
            shape: TombstonesShape = {"tombstones": [tombstone_shape(one) for one in memory.erasure.tombstones()]}
            call.tell(shape, _tombstones)
            return ExitCode.ANSWERED
        if reason is None:
            raise Malformed("reason", "a value; it is missing", hint="Say why: --reason '…'. It is kept.")
        stone = memory.erasure.tombstone(record_id, external_id=external_id, digest=digest, reason=reason)
    call.tell(tombstone_shape(stone), _tombstone)
    return ExitCode.ANSWERED


def tombstone_shape(stone: TombstoneAhead) -> TombstoneShape:
    return {"by": stone.by, "value": stone.value, "reason": stone.reason}


def _tombstone(shape: TombstoneShape) -> RenderableType:
    return Group(Text("a tombstone is up", "bold"), line(shape["by"], shape["value"]), line("why", shape["reason"]))


def _tombstones(shape: TombstonesShape) -> RenderableType:
    if not shape["tombstones"]:
        return plain("there is none")
    return Group(*(line(one["by"], f"{one['value']}  {one['reason']}") for one in shape["tombstones"]))
