"""The command that moves a vault, or one tenant of it, to another place: a folder or a database, either way round."""

from __future__ import annotations

from typing import Annotated, TypedDict

import typer
from rich.console import Group, RenderableType

from muniment.engine.moving.endpoints import MoveEndpoint
from muniment.engine.moving.move import MovePlan, MoveResult, VaultMove
from muniment.engine.moving.tenant_copy import CopiedTenant
from muniment.engine.place import place_of
from muniment.model.actor import OWNER
from muniment.model.errors import Malformed, NotPermitted
from muniment.surfaces.cli.confirm import note_one_node
from muniment.surfaces.cli.layout import counted, line, table
from muniment.surfaces.cli.output import filling, plain
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.problems import ExitCode, printable

_STATES = {
    "new": "to be moved",
    "begun": "begun; goes on where it was",
    "behind": "there, and behind; the rest is to be moved",
    "there": "there already",
}


class GoingShape(TypedDict):
    tenant: str
    entries: int
    receipts: int
    there: int
    state: str


class CarriedShape(TypedDict):
    tenant: str
    seq: int
    hash: str
    receipts: int
    entries: int
    compared: bool
    questions: int
    model: str | None
    vectors_upto: int
    behind: int
    scrubbed: bool


class MoveShape(TypedDict):
    source: str
    target: str
    key: str
    new: bool
    plan: list[GoingShape]
    moved: list[CarriedShape]
    brought: list[str]
    unfinished: list[str]
    open: bool


@command(app, "migrate-store", example="muniment migrate-store --from ./vault --to postgresql://owner@db/memory")
def migrate_store(
    call: CommandCall,
    to: Annotated[
        str,
        typer.Option("--to", metavar="PLACE", help="A folder, or the address of a database.", show_default=False),
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="PLACE", help="Where the vault is now; else the one --vault names.", show_default=False
        ),
    ] = None,
    from_content_keys: Annotated[
        str | None,
        typer.Option(
            "--from-content-keys",
            metavar="FOLDER|none",
            help="The content keys of the source if it is a database; else what the settings say.",
            show_default=False,
        ),
    ] = None,
    to_content_keys: Annotated[
        str | None,
        typer.Option(
            "--to-content-keys",
            metavar="FOLDER|none",
            help="Those of the target if it is a database; else what the settings say.",
            show_default=False,
        ),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only show what would be moved.")] = False,
    standby: Annotated[
        bool,
        typer.Option(
            "--standby", help="Bring the target up to date and leave it closed; a later run without this finishes."
        ),
    ] = False,
) -> ExitCode:
    """Move the vault, or with --tenant one tenant of it, to another place while it is used: ledger, documents,
    receipts, checkpoints, certificates, vectors, signing keys, policy and API keys. The target is compared with the
    source before it may be opened. What was cut short goes on when the same command is run again. The source stays as
    it is."""
    if call.config.actor != OWNER:
        raise NotPermitted(call.config.actor, "move the vault")
    move = VaultMove(
        source=_seat("from", call.config.vault if source is None else source, from_content_keys),
        target=_seat("to", to, to_content_keys),
        tenant=call.said.tenant,
        standby=standby,
    )
    if plan:
        call.tell(_planned(move.plan()), _show_plan)
        return ExitCode.ANSWERED
    with filling("moving") as share:
        done = move.run(progress=lambda _, count, whole: share(count, max(count, whole)))
    call.tell(_shape(done), _show_done)
    note_one_node(to)
    return ExitCode.ANSWERED


def _seat(field: str, said: str, keys: str | None) -> MoveEndpoint:
    try:
        place = place_of(said)
    except Malformed as wrong:
        raise Malformed(field, wrong.expected) from None
    if keys is None:
        return MoveEndpoint(place=place)
    return MoveEndpoint(place=place, content_keys=None if keys == "none" else keys)


def _planned(plan: MovePlan) -> MoveShape:
    return {
        "source": printable(plan.source),
        "target": printable(plan.target),
        "key": plan.key,
        "new": plan.new,
        "plan": [
            {
                "tenant": one.tenant,
                "entries": one.entries,
                "receipts": one.receipts,
                "there": one.there,
                "state": one.state,
            }
            for one in plan.tenants
        ],
        "moved": [],
        "brought": [],
        "unfinished": [],
        "open": False,
    }


def _shape(done: MoveResult) -> MoveShape:
    shape = _planned(done.plan)
    shape["moved"] = [_carried(one) for one in done.tenants]
    shape["brought"] = list(done.brought)
    shape["unfinished"] = list(done.unfinished)
    shape["open"] = done.open
    return shape


def _carried(one: CopiedTenant) -> CarriedShape:
    return {
        "tenant": one.tenant,
        "seq": one.seq,
        "hash": one.hash,
        "receipts": one.receipts,
        "entries": one.entries,
        "compared": one.compared,
        "questions": one.questions,
        "model": one.model,
        "vectors_upto": one.vectors_upto,
        "behind": one.behind,
        "scrubbed": one.scrubbed,
    }


def _show_plan(shape: MoveShape) -> RenderableType:
    rows = [
        [one["tenant"], f"{one['entries']:,}", f"{one['receipts']:,}", f"{one['there']:,}", _STATES[one["state"]]]
        for one in shape["plan"]
    ]
    return Group(
        plain(f"from {shape['source']} to {shape['target']}"),
        line("vault", "is made, with the keys and the policy of the source" if shape["new"] else "is there"),
        table(("tenant", "entries", "receipts", "of them there", ""), rows),
    )


def _show_done(shape: MoveShape) -> RenderableType:
    rows = [
        [one["tenant"], f"{one['seq']:,}", one["hash"][:16], f"{one['entries']:,}", _compared(one), _vectors(one)]
        for one in shape["moved"]
    ]
    told: list[RenderableType] = [
        plain(f"from {shape['source']} to {shape['target']}"),
        table(("tenant", "entries", "head", "moved now", "compared", "vectors"), rows),
    ]
    if shape["brought"]:
        told.append(line("came along", ", ".join(shape["brought"])))
    told += [plain(_late(one), style="yellow") for one in shape["moved"] if one["behind"]]
    told += [plain(_left(one), style="yellow") for one in shape["moved"] if not one["scrubbed"]]
    if shape["unfinished"]:
        names = ", ".join(shape["unfinished"])
        told.append(plain(f"not whole yet, and closed until they are: {names}; run it again without --standby"))
    return Group(*told)


def _compared(one: CarriedShape) -> str:
    """How a tenant was compared, in words.

    >>> _compared({"tenant": "acme", "seq": 9, "hash": "", "receipts": 0, "entries": 9, "compared": True,
    ...            "questions": 7, "model": None, "vectors_upto": 0, "behind": 0, "scrubbed": True})
    'the same; 7 questions answered alike'
    """
    if not one["compared"]:
        return "not yet"
    return f"the same; {counted(one['questions'], 'question', 'questions')} answered alike"


def _vectors(one: CarriedShape) -> str:
    return "are made anew" if one["model"] is None else f"up to entry {one['vectors_upto']:,}"


def _late(one: CarriedShape) -> str:
    return (
        f"{one['tenant']}: {counted(one['behind'], 'entry was', 'entries were')} written at the source since; "
        "stop its writers and run it again before anybody works at the target"
    )


def _left(one: CarriedShape) -> str:
    return (
        f"{one['tenant']}: files of the target may still hold what was erased on the way; in a folder until it is next "
        "opened, in a database until `muniment migrate --scrub`"
    )
