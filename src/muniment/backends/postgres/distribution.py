"""The tables on a Citus cluster: small ones that belong to everybody on every node, all others spread by tenant.

A tenant's rows of all tables lie together, so that each of its transactions happens on one node. Tables have no foreign
keys: what they hold is rebuilt from the ledger and compared with it, and is erased and rebuilt in an order of its own.
"""

from __future__ import annotations

from muniment.backends.postgres.roles import DatabaseRoles
from muniment.backends.postgres.server import SchemaConnection, Server, quoted, role_name
from muniment.backends.postgres.steps import MigrationRequest, MigrationStep
from muniment.model.errors import ConfigurationError, StoreUnavailable

EVERYWHERE = ("deployment", "schema_migrations", "tenants")
"""What is asked without knowing a tenant: a copy on every node."""
ADDED_EVERYWHERE = ("deployment", "tenants")
"""Those of them to which the writer adds rows."""
FIRST = "tenant_head"
"""The table that the others are laid beside."""


def steps(
    asking: SchemaConnection, server: Server, roles: DatabaseRoles, wish: MigrationRequest
) -> tuple[MigrationStep, ...]:
    """What is to be done to tables that are not distributed yet: all of them when that is wished for, later ones as
    soon as others are."""
    _demand_citus(server, wish)
    if not server.citus:
        return ()
    spread = spread_tables(asking, server)
    if not (wish.citus or spread):
        return ()
    left = sorted((str(name) for name, _ in asking.rows("tables", asking.schema) if name not in spread), key=_order)
    everywhere = [name for name in left if name in EVERYWHERE]
    return (
        *_roles(roles),
        *(_distribute(asking, roles, name) for name in everywhere),
        *_walls(asking),
        *(_distribute(asking, roles, name) for name in left[len(everywhere) :]),
        *_rights(asking, roles, spread),
    )


def spread_tables(asking: SchemaConnection, server: Server) -> set[str]:
    """The tables that are distributed."""
    return {str(name) for (name,) in asking.rows("distributed", asking.schema)} if server.citus else set()


def demand_whole(asking: SchemaConnection, server: Server, role: str | None) -> None:
    """Refuse tables of which some are distributed and some are not, and a user whom no wall holds back there."""
    spread = spread_tables(asking, server)
    if not spread:
        return
    if any(name not in spread for name, _ in asking.rows("tables", asking.schema)):
        error = StoreUnavailable(
            f"schema {asking.schema}: its tables are being spread over the cluster, or that was cut short"
        )
        error.hint = "Wait until `muniment migrate ADDRESS --citus` is done, or let the owner run it again: it goes on."
        raise error
    owner = asking.row("owner", asking.schema, FIRST)
    if role is None and owner is not None and (owner[1] or owner[2]):
        raise ConfigurationError(
            "store",
            "on a Citus cluster this user is not behind the walls between tenants, nor can be in the writer's role",
            hint=f"Log in as a member of {role_name(asking.schema, 'writer')} that owns nothing; or let the owner run "
            "`muniment migrate ADDRESS --citus`, which lets that role log in.",
        )


def promised(server: Server, wish: MigrationRequest) -> tuple[MigrationStep, ...]:
    """The same for tables that are not there yet, to be shown."""
    _demand_citus(server, wish)
    what = "spread the tables by tenant, the small ones to every node"
    return (MigrationStep(title="distribute", meaning=what, statements=()),) if wish.citus else ()


def _demand_citus(server: Server, wish: MigrationRequest) -> None:
    if wish.citus and not server.citus:
        raise ConfigurationError(
            "citus",
            "the extension citus is not in this database",
            hint="Add it on every node (shared_preload_libraries = 'citus'), then run: CREATE EXTENSION citus;",
        )


def _order(table: str) -> tuple[bool, bool, str]:
    """First what is everywhere, then what the rest is laid beside."""
    return table not in EVERYWHERE, table != FIRST, table


def _roles(roles: DatabaseRoles) -> tuple[MigrationStep, ...]:
    """Let the two roles log in: Citus opens its connections to the workers in the role that was taken on. Without a
    password nobody else can log in as them."""
    shut = [role for role in (roles.writer, roles.reader) if role.there and not role.logs_in]
    if not shut:
        return ()
    statements = tuple(f"ALTER ROLE {quoted(role.name)} LOGIN" for role in shut)
    told = f"Let an administrator run: {'; '.join(statements)};"
    meaning = "may log in: the first node goes to the workers in them"
    return (MigrationStep(title="roles", meaning=meaning, statements=statements, citus=True, otherwise=told),)


def _walls(asking: SchemaConnection) -> tuple[MigrationStep, ...]:
    """Take the owner out of the walls: whoever moves a shard while it is written to, or copies rows to the workers, is
    the owner, and PostgreSQL refuses both behind a wall. Nobody serves as the owner on a cluster."""
    forced = [str(name) for (name,) in asking.rows("forced", asking.schema)]
    if not forced:
        return ()
    lifted = tuple(f"ALTER TABLE {quoted(asking.schema)}.{quoted(name)} NO FORCE ROW LEVEL SECURITY" for name in forced)
    meaning = "let the owner through, who moves tables and shards; everybody else stays behind them"
    return (MigrationStep(title="walls", meaning=meaning, statements=lifted, citus=True),)


def _distribute(asking: SchemaConnection, roles: DatabaseRoles, table: str) -> MigrationStep:
    """Distribute one table, then take away the rows that stay behind on the first node, where no erasure would find
    them. Rights by column do not follow to the shards, so there the writer gets them for the whole row."""
    place = f"{quoted(asking.schema)}.{quoted(table)}"
    if table in EVERYWHERE:
        moved, meaning = f"SELECT create_reference_table('{place}')", "a copy on every node"
    else:
        beside = "none" if table == FIRST else f"{quoted(asking.schema)}.{quoted(FIRST)}"
        moved = f"SELECT create_distributed_table('{place}', 'tenant_id', colocate_with => '{beside}')"
        meaning = "spread by tenant"
    emptied = f"SELECT truncate_local_data_after_distributing_table('{place}')"
    rights = _row_rights(asking, roles, table)
    return MigrationStep(title=f"distribute {table}", meaning=meaning, statements=(moved, emptied, *rights), citus=True)


def _row_rights(asking: SchemaConnection, roles: DatabaseRoles, table: str) -> tuple[str, ...]:
    """The right to change a table's rows, for the writer who has it for some columns, or who adds to a table that is on
    every node: that locks the copies, which wants the right to change them."""
    needed = asking.row("changes_columns", roles.writer.name, asking.schema, table, table in ADDED_EVERYWHERE) == (
        True,
    )
    place = f"{quoted(asking.schema)}.{quoted(table)}"
    return (f"GRANT UPDATE ON {place} TO {quoted(roles.writer.name)}",) if needed else ()


def _rights(asking: SchemaConnection, roles: DatabaseRoles, spread: set[str]) -> tuple[MigrationStep, ...]:
    """The same for tables that were distributed by an earlier release, or have got columns since."""
    statements = tuple(one for name in sorted(spread) for one in _row_rights(asking, roles, name))
    meaning = "the writer may change the rows of tables of which it may change columns"
    return (MigrationStep(title="rights", meaning=meaning, statements=statements, citus=True),) if statements else ()
