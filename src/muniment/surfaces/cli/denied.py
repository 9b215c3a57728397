"""The command that lists denied calls, for those who may audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

import typer
from rich.console import RenderableType

from muniment.model import checks, times
from muniment.surfaces.cli.layout import table
from muniment.surfaces.cli.output import plain
from muniment.surfaces.cli.root import CommandCall, command, ledger
from muniment.surfaces.problems import ExitCode

if TYPE_CHECKING:
    from muniment.surfaces.reception.denials import Denial


class DeniedShape(TypedDict):
    who: str | None
    credential: str | None
    what: str
    code: str
    peer: str
    count: int
    first: str
    last: str


class DenialsShape(TypedDict):
    denied: list[DeniedShape]


@command(ledger, "denied", example="muniment ledger denied --limit 20")
def denied(
    call: CommandCall, limit: Annotated[int, typer.Option("--limit", help="At most so many, the newest.")] = 50
) -> ExitCode:
    """List calls the server denied, oldest first: who asked for what, from where, and why not. Never what they said."""
    from muniment.surfaces.reception.denials import denied_calls

    checks.whole("limit", limit, least=1, most=10_000)
    with call.memory() as memory:
        found = denied_calls(memory)[-limit:]
    shape: DenialsShape = {"denied": [_shape(one) for one in found]}
    call.tell(shape, _show)
    return ExitCode.ANSWERED


def _shape(denial: Denial) -> DeniedShape:
    return {
        "who": denial.who,
        "credential": denial.credential,
        "what": denial.what,
        "code": denial.code,
        "peer": denial.peer,
        "count": denial.count,
        "first": times.show(denial.first),
        "last": times.show(denial.last),
    }


def _show(shape: DenialsShape) -> RenderableType:
    if not shape["denied"]:
        return plain("no call was denied")
    rows = [
        [
            one["last"],
            one["who"] or "–",
            one["credential"] or "–",
            one["what"],
            one["code"],
            one["peer"],
            f"{one['count']}",
        ]
        for one in shape["denied"]
    ]
    return table(("last", "who", "credential", "what", "code", "from", "times"), rows)
