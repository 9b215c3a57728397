"""The commands about API keys: make one, list them, end one. A secret is shown once, when it is made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer
from rich.console import Group, RenderableType

from muniment.model import checks, times
from muniment.model.errors import Malformed
from muniment.model.times import DAY, HOUR, Instant
from muniment.model.vocabulary import ActorType
from muniment.surfaces.cli.layout import line, table
from muniment.surfaces.cli.output import plain
from muniment.surfaces.cli.root import CommandCall, app, command, group
from muniment.surfaces.problems import ExitCode, printable

if TYPE_CHECKING:
    from muniment.surfaces.reception.keys import ApiKey, KeyRequest

keys = typer.Typer(help="API keys of the server: make, list, revoke.", rich_markup_mode="rich")
keys.callback()(group)
app.add_typer(keys, name="keys")

_SPANS = {"h": HOUR, "d": DAY, "w": 7 * DAY}


class ApiKeyShape(TypedDict):
    id: str
    name: str
    tenant: str
    actor: str
    type: str | None
    roles: list[str] | None
    teams: list[str] | None
    projects: list[str] | None
    authority: int | None
    grants: list[str]
    agents: list[str]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    state: str


class MadeShape(TypedDict):
    key: ApiKeyShape
    secret: str


class KeysShape(TypedDict):
    keys: list[ApiKeyShape]


Many = list[str] | None
_GRANT = typer.Option(
    "--grant",
    help="What it may be used for: read, write, review, audit, admin (read and write). Repeatable.",
    show_default=False,
)
_AGENT = typer.Option(
    "--agent",
    help="A name it may speak for beside its own: an agent, or one of its sort; * for any agent that reviews nothing. "
    "Repeatable.",
    show_default=False,
)


@command(keys, "create", example="muniment keys create planner --grant read --grant write --expires 90d")
def create(
    call: CommandCall,
    name: Annotated[str, typer.Argument(help="What the key is called in listings.")],
    actor: Annotated[
        str | None, typer.Option("--actor", help="Who its holder is (the name).", show_default=False)
    ] = None,
    type_: Annotated[
        str | None, typer.Option("--type", help="agent, person, service or tool.", show_default=False)
    ] = None,
    role: Annotated[Many, typer.Option("--role", help="A role of the actor. Repeatable.", show_default=False)] = None,
    team: Annotated[Many, typer.Option("--team", help="A team of the actor. Repeatable.", show_default=False)] = None,
    project: Annotated[
        Many, typer.Option("--project", help="A project of the actor. Repeatable.", show_default=False)
    ] = None,
    authority: Annotated[
        int | None, typer.Option("--authority", help="0 to 10; what the policy gives if not said.", show_default=False)
    ] = None,
    grant: Annotated[Many, _GRANT] = None,
    agent: Annotated[Many, _AGENT] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="90d|TIME", help="How long it holds.", show_default=False)
    ] = None,
) -> ExitCode:
    """Make a key. Its secret is printed now and never again; the vault keeps a digest. For the vault's owner.

    What is not said of the actor is what the policy gives that name.
    """
    from muniment.surfaces.reception.key_issuing import issue
    from muniment.surfaces.reception.keys import KeyRequest
    from muniment.surfaces.reception.principal import Grant
    from muniment.surfaces.reception.server_context import system_now

    now = system_now()
    wish = KeyRequest(
        name=name,
        tenant=call.config.tenant,
        actor=actor if actor is not None else name,
        type=checks.read_word("type", type_, ActorType) if type_ is not None else None,
        roles=_said(role),
        teams=_said(team),
        projects=_said(project),
        authority=authority,
        grants=tuple(checks.read_word("grant", word, Grant) for word in grant or ("read", "write")),
        agents=tuple(agent or ()),
        expires_at=_until(expires, now) if expires is not None else None,
    )
    with call.memory(create=True) as memory:
        key, secret = issue(memory, call.place, wish, now=now)
    shape: MadeShape = {"key": _shape(key, now), "secret": secret}
    call.tell(shape, _show_made)
    return ExitCode.ANSWERED


@command(keys, "list", example="muniment keys list --json")
def list_(call: CommandCall) -> ExitCode:
    """List every key there is or was, of all tenants, without secrets. For the vault's owner."""
    from muniment.surfaces.reception.key_issuing import kept
    from muniment.surfaces.reception.server_context import system_now

    now = system_now()
    with call.memory() as memory:
        found = kept(memory, call.place)
    shape: KeysShape = {"keys": [_shape(key, now) for key in found]}
    call.tell(shape, _show_keys)
    return ExitCode.ANSWERED


@command(keys, "revoke", example="muniment keys revoke k3yq7m2xw5ab")
def revoke(
    call: CommandCall, key_id: Annotated[str, typer.Argument(help="The id, from `muniment keys list`.")]
) -> ExitCode:
    """End a key. A running server turns its holder away from the next request on. For the vault's owner."""
    from muniment.surfaces.reception.key_issuing import end
    from muniment.surfaces.reception.server_context import system_now

    now = system_now()
    with call.memory() as memory:
        key = end(memory, call.place, key_id, now=now)
    call.tell(_shape(key, now), _show_ended)
    return ExitCode.ANSWERED


def _said(words: Many) -> tuple[str, ...] | None:
    return tuple(words) if words else None


def _until(text: str, now: Instant) -> Instant:
    """Read how long a key holds: a span such as 90d, or an instant to come."""
    span = re.fullmatch(r"([1-9]\d{0,4})([hdw])", text)
    until = Instant(now + int(span[1]) * _SPANS[span[2]]) if span else times.parse(text, field="expires")
    if until <= now:
        raise Malformed("expires", "a span such as 90d, or an instant to come")
    return until


def _shape(key: ApiKey, now: Instant) -> ApiKeyShape:
    wish: KeyRequest = key.wish
    return {
        "id": key.id,
        "name": printable(wish.name),
        "tenant": wish.tenant,
        "actor": wish.actor,
        "type": wish.type,
        "roles": None if wish.roles is None else list(wish.roles),
        "teams": None if wish.teams is None else list(wish.teams),
        "projects": None if wish.projects is None else list(wish.projects),
        "authority": wish.authority,
        "grants": [str(one) for one in wish.grants],
        "agents": list(wish.agents),
        "created_at": times.show(key.created_at),
        "expires_at": None if wish.expires_at is None else times.show(wish.expires_at),
        "revoked_at": None if key.revoked_at is None else times.show(key.revoked_at),
        "state": "revoked" if key.revoked_at is not None else "holds" if key.holds(now) else "expired",
    }


def _show_made(shape: MadeShape) -> RenderableType:
    key = shape["key"]
    return Group(
        plain(shape["secret"]),
        plain("This is shown once: keep it where secrets are kept."),
        line("id", key["id"]),
        line("actor", f"{key['actor']} of tenant {key['tenant']}"),
        line("good for", ", ".join(key["grants"])),
        line("until", key["expires_at"] or "it is revoked"),
    )


def _show_keys(shape: KeysShape) -> RenderableType:
    if not shape["keys"]:
        return plain("no key has been made")
    rows = [
        [
            key["id"],
            key["name"],
            key["tenant"],
            key["actor"],
            ", ".join(key["grants"]),
            key["expires_at"] or "–",
            key["state"],
        ]
        for key in shape["keys"]
    ]
    return table(("id", "name", "tenant", "actor", "grants", "expires", "state"), rows)


def _show_ended(shape: ApiKeyShape) -> RenderableType:
    return plain(f"revoked: {shape['id']} ({shape['name']})")
