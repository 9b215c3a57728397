"""Values on the line that need no reading: what was not said, the number that stands for it, and text that is text.

The parser checks every value with a library that takes longer to import than most commands take to answer. A value
that it would hand back as it is does not ask for it; every other value is read, or refused, by the parser itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from typer.core import TyperArgument, TyperGroup, TyperOption

if TYPE_CHECKING:
    from typer._click.core import Command, Context

Parameter = TyperOption | TyperArgument
Read = Callable[["Context", object], object]


def spare(command: Command) -> None:
    """Let the parameters of a command, or of a group and its commands, take such values as they are."""
    for one in command.params:
        if isinstance(one, Parameter):
            _spare(one)
    _spare_help(command)
    if isinstance(command, TyperGroup):
        for inner in command.commands.values():
            spare(inner)


def _spare(parameter: Parameter) -> None:
    """Put a reader of ours before this parameter's own; if another release of the parser asks no such reader, calls
    are slower and nothing else."""
    if "process_value" not in vars(parameter):
        setattr(parameter, "process_value", _sparing(parameter, parameter.process_value))  # noqa: B010  # this one's alone


def _spare_help(command: Command) -> None:
    """The same for `--help`, which is not among the parameters: it is made when a line is read."""
    make = command.get_help_option

    def made(ctx: Context) -> TyperOption | None:
        option = make(ctx)
        if option is not None:
            _spare(option)
        return option

    setattr(command, "get_help_option", made)  # noqa: B010  # this one's alone


def _sparing(parameter: Parameter, read: Read) -> Read:
    many = parameter.multiple or parameter.nargs == -1
    is_plain = _judge(parameter.type_descriptor.annotation)

    def taken(ctx: Context, value: object) -> object:
        unsaid = value is None and not parameter.required
        if not unsaid and not is_plain(value):
            return read(ctx, value)
        found = () if unsaid and many else value
        return found if parameter.callback is None else parameter.callback(ctx, parameter, found)

    return taken


def _judge(kind: object) -> Callable[[object], bool]:
    """What tells whether a value of a kind may be taken as it is. Numbers are the defaults: a line holds only text."""
    if kind in (int, float):
        return lambda value: type(value) is kind
    return _texts if kind == list[str] else _text if kind is str else lambda _: False


def _text(value: object) -> bool:
    """Whether a value is text all through: half a character is not.

    >>> _text("build"), _text(""), _text("a\\udcff"), _text(3), _text(None)
    (True, True, False, False, False)
    """
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _texts(value: object) -> bool:
    """Whether a value is a list of such texts, with at least one in it.

    >>> _texts(["a", "b"]), _texts([]), _texts(["a\\udcff"]), _texts("a")
    (True, False, False, False)
    """
    return isinstance(value, list) and bool(value) and all(_text(one) for one in value)
