"""The root of the command line: how a command is declared, what every command shares, what it is handed.

Decides nothing about memories; that is the engine's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import typer
from rich.console import RenderableType
from typer.core import TyperGroup

from muniment.config import Config, read_environment
from muniment.engine import Memory
from muniment.engine.place import Place, folder_of, place_of
from muniment.engine.vault import there_is
from muniment.model.actor import OWNER
from muniment.model.decoding import convert
from muniment.model.errors import ConfigurationError, Malformed
from muniment.model.value import Value
from muniment.surfaces.cli.command_table import Commands
from muniment.surfaces.cli.flags import SHARED, Flags, Given
from muniment.surfaces.cli.output import note, write_human, write_json, write_text
from muniment.surfaces.cli.values import spare
from muniment.surfaces.problems import ExitCode, printable

T = TypeVar("T")
# Commands differ in what they take; the parser fills it in by name.
Command = Callable[..., ExitCode]

_EXITS = (
    "Exit codes: 0 asked and answered (a refusal or an abstention is an answer), 1 the store is damaged, an "
    "explanation did not come out the same or an audit found what it was to fail on, 2 the call was wrong, 3 the world "
    "failed, 4 internal error, 5 the store is sound and was put back to before what it is compared with, 6 another "
    "release wrote it, 7 what a receipt told was erased or dropped since and the rest is the same, 130 interrupted by "
    "Ctrl-C."
)


class CommandGroup(TyperGroup):
    """The command line as one group: it knows every command by name and imports what it is asked for."""

    def __init__(self, **given: Any) -> None:  # as typer gives it
        super().__init__(**given)
        spare(self)
        self.commands = Commands(app)


def _whole() -> typer.Typer:
    return typer.Typer(
        cls=CommandGroup,
        name="muniment",
        help="Agent memory that can prove itself.",
        epilog=f'Example: muniment remember "The build is green" --kind observation\n\n{_EXITS}',
        add_completion=False,
        rich_markup_mode="rich",
    )


app = _whole()
"""Where the modules declare their commands."""
front = _whole()
"""What a call begins with: the same command line, of which only the command that is called is made."""
ledger = typer.Typer(help="The ledger: show it, sign it, check it, rebuild from it.", rich_markup_mode="rich")
policy = typer.Typer(help="The policy: check a file, show the one in force.", rich_markup_mode="rich")


class SharedOptions(Value):
    """What was said of the shared options, wherever on the line it stood. None: not said."""

    vault: str | None = None
    tenant: str | None = None
    actor: str | None = None
    policy: str | None = None
    json: bool | None = None
    debug: bool | None = None

    def over(self, outer: SharedOptions) -> SharedOptions:
        """This, and for what is not said here what was said further left."""
        named = {name: getattr(self, name) for name in self.__struct_fields__}
        return msgspec.structs.replace(outer, **{name: value for name, value in named.items() if value is not None})


class CommandCall:
    """One call of one command: the settings in force and the way to answer."""

    def __init__(self, said: SharedOptions) -> None:
        found = read_environment()
        self.config: Config = msgspec.structs.replace(
            found,
            vault=_vault(said.vault) if said.vault is not None else found.vault,
            tenant=said.tenant if said.tenant is not None else found.tenant,
            actor=said.actor if said.actor is not None else found.actor,
            policy=_path("policy", said.policy) if said.policy is not None else found.policy,
        )
        self.said = said
        self.as_json = bool(said.json)
        self.debug = bool(said.debug)

    @property
    def place(self) -> Place:
        """Where the vault is."""
        return place_of(self.config.vault)

    def folder(self, *, instead: str) -> Path:
        """The vault's folder, for what is done to files. Of a database it is said what to use `instead`."""
        return folder_of(self.config.vault, instead=instead)

    @property
    def where(self) -> str:
        """The place in words that may be shown to anybody: without a password."""
        return printable(str(self.place))

    @property
    def has_vault(self) -> bool:
        return there_is(self.place)

    def embedder(self, said: str | None) -> str:
        """What makes vectors: what the line says, else the setting."""
        return said if said is not None else self.config.embedder

    @contextmanager
    def memory(
        self, *, session: str | None = None, create: bool = False, embedder: str | None = None
    ) -> Iterator[Memory]:
        """The memory this call is about, as its actor. Only an owner makes a vault that is not there. Unless the
        command is about searching it is opened without an embedder: a write waits for no model."""
        makes = create and self.config.actor == OWNER
        new = not self.has_vault
        if new and not makes:
            raise ConfigurationError("vault", f"there is no vault at {self.where}; `muniment init` makes one")
        config = self.config
        if config.policy is not None and config.actor != OWNER:
            raise Malformed("policy", "the vault's own policy: only its owner may bring another")
        with Memory.open(
            config.vault,
            tenant=config.tenant,
            actor=config.actor,
            policy=config.policy,
            create=makes,
            embedder=embedder,
            content_keys=config.content_keys,
        ) as memory:
            if new:
                note(f"made a new vault at {self.where}")
            yield memory if session is None else memory.as_actor(config.actor, session=session)

    def tell(self, shape: T, show: Callable[[T], RenderableType]) -> None:
        """Answer: the shape itself as JSON, or what `show` makes of it for a person."""
        if self.as_json:
            write_json(shape)
        else:
            write_human(show(shape))


def _vault(text: str) -> str:
    """Where a vault is, refused before anything is done if it can be no such place."""
    place_of(text)
    return text


def _path(field: str, text: str) -> str:
    if not text or "\0" in text:
        raise Malformed(field, "a path: not empty and without NUL")
    return text


def command(
    place: typer.Typer, name: str, *, example: str, flags: tuple[Flags, ...] = ()
) -> Callable[[Command], Command]:
    """Declare a command. It is handed a `Call`, its own arguments, and each group of flags under its name."""

    def declare(function: Command) -> Command:
        def entry(ctx: typer.Context, **given: object) -> ExitCode:
            said = _said(given).over(_outer(ctx))
            groups = {group.name: group.take(given) for group in flags}
            return function(CommandCall(said), **given, **groups)

        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        kept = [one for one in own if one.name not in {group.name for group in flags}]
        added = [one for group in flags for one in group.parameters()]
        _sign(entry, [*kept, *added, *SHARED.parameters()])
        place.command(name, help=inspect.getdoc(function), epilog=f"Example: {example}")(entry)
        return function

    return declare


def root(ctx: typer.Context, **given: object) -> ExitCode:
    """Before any command: keep what was said of the shared options. Without a command, show what there is."""
    if given.pop("version"):
        from importlib.metadata import version

        write_text(f"muniment {version('muniment')}\n")
        raise typer.Exit(ExitCode.ANSWERED)
    ctx.obj = _said(given).over(_outer(ctx))
    if ctx.invoked_subcommand is None:
        if ctx.obj != SharedOptions():
            ctx.fail("Missing command.")
        write_text(ctx.get_help())  # rich has printed it already and hands back nothing
    return ExitCode.ANSWERED


def group(ctx: typer.Context, **given: object) -> None:
    """Let a group of commands take the shared options too, so that they may stand anywhere before the command."""
    ctx.obj = _said(given).over(_outer(ctx))


def _outer(ctx: typer.Context) -> SharedOptions:
    return ctx.obj if isinstance(ctx.obj, SharedOptions) else SharedOptions()


def _said(given: Given) -> SharedOptions:
    return convert(SHARED.take(given), SharedOptions)


def _sign(entry: Callable[..., object], parameters: list[inspect.Parameter]) -> None:
    """Give a function the signature typer reads the options from."""
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    keyword = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    entry.__signature__ = inspect.Signature([context, *keyword])  # type: ignore[attr-defined]  # functions take it
    entry.__annotations__ = {}


_VERSION = inspect.Parameter(
    "version",
    inspect.Parameter.KEYWORD_ONLY,
    default=typer.Option(False, "--version", help="Show the version and stop."),
    annotation=bool,
)
_sign(root, [_VERSION, *SHARED.parameters()])
_sign(group, SHARED.parameters())
app.callback(invoke_without_command=True)(root)
front.callback(invoke_without_command=True)(root)
ledger.callback()(group)
app.add_typer(ledger, name="ledger")
policy.callback()(group)
app.add_typer(policy, name="policy")
