"""Commands made from the table of operations: arguments and flags from the request, `--json` from the answer.

What is written by hand is how a person sees the answer.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from operator import attrgetter

import typer
from msgspec import inspect as shapes
from rich.console import RenderableType

from muniment.model.value import Json, Value
from muniment.operations import OperationSpec, operation
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.problems import ExitCode

Show = Callable[[dict[str, Json]], RenderableType]
_PAGING = frozenset({"cursor"})


def shown(
    name: str, *, example: str, flags: Mapping[str, str] | None = None, place: typer.Typer = app
) -> Callable[[Show], Show]:
    """Declare the command of an operation. It is named after the method; `flags` gives a field another flag than its
    own name. The function it decorates makes of the answer what a person sees."""
    row = operation(name)

    def declare(show: Show) -> Show:
        def run(call: CommandCall, **given: object) -> ExitCode:
            said = {field: value for field, value in given.items() if value not in (None, [])}
            with call.memory() as memory:
                found: Value = attrgetter(name)(memory)(**said)
            call.tell(found.to_dict(), show)
            return ExitCode.ANSWERED

        run.__signature__ = inspect.Signature(_parameters(row, flags or {}))  # type: ignore[attr-defined]  # functions take it
        run.__doc__ = row.help
        command(place, name.rpartition(".")[2].replace("_", "-"), example=example)(run)
        return show

    return declare


def _parameters(row: OperationSpec, flags: Mapping[str, str]) -> list[inspect.Parameter]:
    call = inspect.Parameter("call", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=CommandCall)
    found = [
        _parameter(place, str, typer.Argument(metavar=place.upper(), show_default=False), inspect.Parameter.empty)
        for place in row.places
    ]
    for kind in (row.query, row.body):
        info = shapes.type_info(kind) if kind is not None else None
        for field in info.fields if isinstance(info, shapes.StructType) else ():
            if field.name not in _PAGING:
                found += [_option(field, flags.get(field.name, "--" + field.name.replace("_", "-")))]
    return [call, *found]


def _option(field: shapes.Field, flag: str) -> inspect.Parameter:
    """A field of a request as a flag. What is not given is not said, so that the engine's own default holds."""
    kind, about = _kind(field.type)
    option = typer.Option(flag, help=about, show_default=False)
    if field.required:
        return _parameter(field.name, kind, option, inspect.Parameter.empty)
    return _parameter(field.name, kind | None, option, None)


def _parameter(name: str, kind: object, option: object, default: object) -> inspect.Parameter:
    annotation = typing.Annotated[kind, option]  # type: ignore[valid-type]  # read by typer
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _kind(info: shapes.Type) -> tuple[typing.Any, str | None]:  # typer reads types of any sort
    """What a flag takes, and what the table says about it."""
    match info:
        case shapes.UnionType():
            (told,) = (one for one in info.types if not isinstance(one, shapes.NoneType))
            return _kind(told)
        case shapes.Metadata():
            kind, about = _kind(info.type)
            schema = info.extra_json_schema or {}
            return kind, str(schema["description"]) if "description" in schema else about
        case shapes.VarTupleType():
            kind, about = _kind(info.item_type)
            return list[kind], about  # type: ignore[valid-type]  # read by typer
        case shapes.IntType():
            return int, None
        case shapes.FloatType():
            return float, None
        case shapes.BoolType():
            return bool, None
        case shapes.EnumType() if issubclass(info.cls, Enum):
            return info.cls, None
        case _:
            return str, None
