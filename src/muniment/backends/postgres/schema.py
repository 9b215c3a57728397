"""The schema of a database: where it stands, what is still to be done to it, and doing it, one step after another.

A step is planned from what is there and not from what was done before, so a run that was cut off goes on where it
stopped, and of two runs at once each does what the other has not done.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import psycopg

from muniment.backends.postgres import distribution, partitions
from muniment.backends.postgres.revisions import MINIMUM, Phase, Revision, newest, revisions
from muniment.backends.postgres.roles import DatabaseRoles, find_roles, making, usable
from muniment.backends.postgres.server import (
    FIRST,
    SchemaConnection,
    Server,
    demand_durable,
    demand_writable,
    look,
    quoted,
    refused,
)
from muniment.backends.postgres.steps import MigrationRequest, MigrationStep, run
from muniment.backends.postgres.transaction import Row
from muniment.model.errors import ConfigurationError, IntegrityError, SchemaMismatch
from muniment.model.value import Value

RECORD = "schema_migrations"
_TRIES = 8
_MAINTAIN_FROM = 170_000
Progress = Callable[[MigrationStep], None]


class SchemaState(Value):
    """Where a schema stands, and how this user is to use it: with which `path`, in which roles, if it may."""

    revision: int
    citus: bool
    path: str
    role: str | None
    reader: str | None

    def settings(self, *, reading: bool = False) -> tuple[str, ...]:
        """What a connection is told when it is new."""
        role = self.reader if reading else self.role
        return (f"SET search_path TO {self.path}", *((f"SET ROLE {role}",) if role is not None else ()))


class _Applied(Value):
    """What is written down about a schema."""

    digests: dict[tuple[int, Phase], str]

    def latest(self, phase: Phase) -> int:
        return max((number for number, of in self.digests if of == phase), default=0)


def there(connection: psycopg.Connection[Row], schema: str) -> bool:
    """Whether a schema of ours is there, at whatever revision."""
    asking = SchemaConnection(connection, schema)
    return _record(asking) is not None and bool(asking.rows("applied"))


def on_one_node(connection: psycopg.Connection[Row], schema: str) -> bool:
    """Whether a database can spread tables over a cluster, and ours are not spread."""
    asking = SchemaConnection(connection, schema)
    server = look(asking)
    return server.citus and not distribution.spread_tables(asking, server)


def ensure(
    connection: psycopg.Connection[Row], schema: str, *, create: bool, allow_async_commit: bool = False
) -> SchemaState:
    """See to it that a schema can be worked with: make it where nothing is and `create` says so, and refuse one that
    is behind or ahead."""
    asking = SchemaConnection(connection, schema)
    server, applied = look(asking), _applied(asking)
    demand_writable(server)
    if not allow_async_commit:
        demand_durable(server)
    if create and (applied is None or not applied.digests or _half_made(asking, applied)):
        apply(connection, schema)
        return check(connection, schema)
    return _standing(asking, server, applied, revisions(), MINIMUM)


def _half_made(asking: SchemaConnection, applied: _Applied) -> bool:
    """Whether somebody was cut off while making it: it is behind, and no vault has begun in it."""
    if applied.latest("pre") >= MINIMUM:
        return False
    found = asking.row("begun")
    return found is not None and not found[0]


def check(
    connection: psycopg.Connection[Row],
    schema: str,
    *,
    known: tuple[Revision, ...] | None = None,
    minimum: int = MINIMUM,
) -> SchemaState:
    """Where a schema stands. One that this engine cannot work with is refused, as behind or as ahead."""
    asking, scripts = SchemaConnection(connection, schema), revisions() if known is None else known
    return _standing(asking, look(asking), _applied(asking), scripts, minimum)


def _standing(
    asking: SchemaConnection, server: Server, applied: _Applied | None, scripts: tuple[Revision, ...], minimum: int
) -> SchemaState:
    if applied is None or not applied.digests:
        raise ConfigurationError(
            "store",
            f"schema {asking.schema} of the database holds nothing of ours",
            hint="Let its owner run `muniment migrate`, or open it as somebody who may make it.",
        )
    if applied.latest("pre") < minimum:
        raise _behind(applied.latest("pre"), minimum)
    if applied.latest("post") > newest(scripts):
        raise SchemaMismatch(found=applied.latest("post"), needed=newest(scripts))
    roles = find_roles(asking, server)
    distribution.demand_whole(asking, server, usable(roles.writer, server))
    return SchemaState(
        revision=applied.latest("pre"),
        citus=server.citus,
        path=_path(asking.schema, server),
        role=usable(roles.writer, server),
        reader=usable(roles.reader, server),
    )


def _behind(found: int, needed: int) -> SchemaMismatch:
    hint = "Let the schema's owner run `muniment migrate`: it shows what is to be done, asks and does it."
    return SchemaMismatch(found=found, needed=needed, hint=hint)


def plan(
    connection: psycopg.Connection[Row],
    schema: str,
    wish: MigrationRequest | None = None,
    *,
    known: tuple[Revision, ...] | None = None,
) -> tuple[MigrationStep, ...]:
    """What is to be done, in order. Changes nothing."""
    asking, scripts = SchemaConnection(connection, schema), revisions() if known is None else known
    server, applied = look(asking), _applied(asking)
    wish = _meant(wish, applied)
    demand_writable(server)
    _compare(applied, scripts)
    if applied is not None and applied.latest("post") > newest(scripts):
        raise SchemaMismatch(found=applied.latest("post"), needed=newest(scripts))
    roles = find_roles(asking, server)
    scripted = [_scripted(asking, server, roles, one) for one in scripts if _wanted(one, applied, wish)]
    adding = any(step.script is not None and step.script.phase == "pre" for step in scripted)
    steps = [*_ground(asking, server, roles, applied), *scripted, *_upkeep(asking, server, roles, more=adding)]
    if adding:
        steps += distribution.promised(server, wish)
    else:
        steps += distribution.steps(asking, server, roles, wish)
        spread = bool(distribution.spread_tables(asking, server))
        steps += partitions.steps(asking, server, roles, _path(schema, server), spread=spread)
    return tuple(steps)


def apply(
    connection: psycopg.Connection[Row],
    schema: str,
    wish: MigrationRequest | None = None,
    *,
    known: tuple[Revision, ...] | None = None,
    progress: Progress = lambda _: None,
) -> int:
    """Do what is to be done, planning anew after each step; how many steps that were."""
    done = tries = 0
    last: MigrationStep | None = None
    asking = SchemaConnection(connection, schema)
    wish = _meant(wish, _applied(asking))
    while steps := plan(connection, schema, wish, known=known):
        if steps[0] == last:
            raise _without_effect(last)
        progress(steps[0])
        try:
            run(asking, steps[0])
            done, tries, last = done + 1, 0, steps[0]
        except FIRST as error:
            tries += 1
            if tries == _TRIES:
                raise refused(schema, error) from error
    return done


def _without_effect(step: MigrationStep) -> ConfigurationError:
    """The server takes some statements of who is not the owner with no more than a warning."""
    return ConfigurationError(
        "store",
        f"{step.title}: it was done and had no effect, as if this user did not own the tables",
        hint="Let the schema's owner run `muniment migrate`.",
    )


def drop(connection: psycopg.Connection[Row], schema: str) -> None:
    """Take a schema and its roles away with everything that is in it."""
    asking = SchemaConnection(connection, schema)
    roles = find_roles(asking, look(asking))
    asking.run(asking.text("drop_schema"))
    for role in (roles.writer, roles.reader):
        if role.there:
            asking.run(f"DROP OWNED BY {quoted(role.name)}")
            asking.run(f"DROP ROLE IF EXISTS {quoted(role.name)}")


def _record(asking: SchemaConnection) -> bool | None:
    """Whether the record of what was applied is there; None if nothing at all is. A schema of others is refused."""
    found = {str(name) for (name,) in asking.rows("relations", asking.schema)}
    if not found:
        return None
    if RECORD not in found:
        raise ConfigurationError(
            "schema",
            f"schema {asking.schema} holds tables that are not ours",
            hint="Name another in the connection string: ?schema=…",
        )
    return True


def _applied(asking: SchemaConnection) -> _Applied | None:
    if _record(asking) is None:
        return None
    return _Applied(digests={(number, phase): digest for number, phase, digest in asking.rows("applied")})


def _compare(applied: _Applied | None, scripts: tuple[Revision, ...]) -> None:
    """Refuse to build on a script that is not the one that was applied under its number."""
    for script in scripts if applied is not None else ():
        written = applied.digests.get((script.number, script.phase)) if applied is not None else None
        if written is not None and written != script.digest:
            raise IntegrityError(
                f"{script.title} is not the script that was applied under this number: "
                "the schema may be another than the one this release knows"
            )


def _wanted(script: Revision, applied: _Applied | None, wish: MigrationRequest) -> bool:
    """Whether a script is to be run: its phase is asked for, and it was not."""
    return script.phase in wish.phases and (applied is None or (script.number, script.phase) not in applied.digests)


def _meant(wish: MigrationRequest | None, applied: _Applied | None) -> MigrationRequest:
    """What a run is to bring about. Where nothing is, nobody is left who needs what a `post` script takes away."""
    wish = MigrationRequest() if wish is None else wish
    empty = applied is None or not applied.digests
    return msgspec.structs.replace(wish, phases=("pre", "post")) if empty else wish


def _ground(
    asking: SchemaConnection, server: Server, roles: DatabaseRoles, applied: _Applied | None
) -> tuple[MigrationStep, ...]:
    """What must be there before any script can run: the extension, the roles, and the record of what was run."""
    steps: list[MigrationStep] = []
    if server.vector is None:
        home = asking.text("make_vector").replace("{home}", _home(asking))
        told = "Let a superuser run in this database: CREATE EXTENSION vector;"
        steps.append(
            MigrationStep(title="extension vector", meaning="vectors in tables", statements=(home,), otherwise=told)
        )
    if statements := making(asking, roles):
        steps.append(MigrationStep(title="roles", meaning="who writes, who reads", statements=statements))
    if applied is None:
        made = (asking.text("make_schema"), asking.text("make_record"))
        steps.append(
            MigrationStep(title=f"schema {asking.schema}", meaning="and the record of its revisions", statements=made)
        )
    return tuple(steps)


def _upkeep(asking: SchemaConnection, server: Server, roles: DatabaseRoles, *, more: bool) -> tuple[MigrationStep, ...]:
    """Let the writer sweep what was erased out of the tables, which only their owner may on older servers."""
    if server.version < _MAINTAIN_FROM or server.citus:
        return ()
    if not more and asking.row("unkept", asking.schema, roles.writer.name) == (0,):
        return ()
    given = f"GRANT MAINTAIN ON ALL TABLES IN SCHEMA {quoted(asking.schema)} TO {quoted(roles.writer.name)}"
    return (MigrationStep(title="upkeep", meaning="the writer may VACUUM", statements=(given,)),)


def _home(asking: SchemaConnection) -> str:
    """Where the extension goes: not into our schema, with which it would be dropped."""
    row = asking.row("has_schema", "public")
    return quoted("public") if row == (True,) else quoted(asking.schema)


def _scripted(asking: SchemaConnection, server: Server, roles: DatabaseRoles, script: Revision) -> MigrationStep:
    names = {
        "schema": quoted(asking.schema),
        "writer": quoted(roles.writer.name),
        "reader": quoted(roles.reader.name),
    }
    return MigrationStep(
        title=script.title,
        meaning="adds to the schema" if script.phase == "pre" else "takes away what the last release needed",
        statements=script.statements(names),
        path=_path(asking.schema, server),
        whole=not script.alone,
        citus=server.citus,
        script=script,
    )


def _path(schema: str, server: Server) -> str:
    """Where names are looked for: in our schema, then where the extension's types are."""
    home = server.vector or "public"
    return quoted(schema) if home == schema else f"{quoted(schema)}, {quoted(home)}"
