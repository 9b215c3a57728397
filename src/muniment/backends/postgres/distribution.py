"""The tables on a Citus cluster: small ones that belong to everybody on every node, all others spread by tenant.

A tenant's rows of all tables lie together, so that each of its transactions happens on one node. Tables have no foreign
keys: what they hold is rebuilt from the ledger and compared with it, and is erased and rebuilt in an order of its own.
"""

from __future__ import annotations

from muniment.backends.postgres.server import Asking, Server, quoted
from muniment.backends.postgres.steps import Step, Wish
from muniment.backends.postgres.walls import Roles
from muniment.model.errors import ConfigurationError

EVERYWHERE = ("deployment", "schema_migrations", "tenants")
"""What is asked without knowing a tenant: a copy on every node."""
FIRST = "tenant_head"
"""The table that the others are laid beside."""


def steps(asking: Asking, server: Server, roles: Roles, wish: Wish) -> tuple[Step, ...]:
    """What is to be done to tables that are not distributed yet: all of them when that is wished for, later ones as
    soon as others are."""
    _demand_citus(server, wish)
    if not server.citus:
        return ()
    spread = {str(name) for (name,) in asking.rows("distributed", asking.schema)}
    left = [str(name) for name, _ in asking.rows("tables", asking.schema) if name not in spread]
    if not left or not (wish.citus or spread):
        return ()
    _demand_sight(asking, left)
    return tuple(_distribute(asking, roles, name) for name in sorted(left, key=_order))


def promised(server: Server, wish: Wish) -> tuple[Step, ...]:
    """The same for tables that are not there yet, to be shown."""
    _demand_citus(server, wish)
    what = "spread the tables by tenant, the small ones to every node"
    return (Step(title="distribute", meaning=what, statements=()),) if wish.citus else ()


def _demand_citus(server: Server, wish: Wish) -> None:
    if wish.citus and not server.citus:
        raise ConfigurationError(
            "citus",
            "the extension citus is not in this database",
            hint="Add it on every node (shared_preload_libraries = 'citus'), then run: CREATE EXTENSION citus;",
        )


def _order(table: str) -> tuple[bool, bool, str]:
    """First what is everywhere, then what the rest is laid beside."""
    return table not in EVERYWHERE, table != FIRST, table


def _distribute(asking: Asking, roles: Roles, table: str) -> Step:
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
    changes = asking.row("changes_columns", roles.writer.name, asking.schema, table) == (True,)
    rights = (f"GRANT UPDATE ON {place} TO {quoted(roles.writer.name)}",) if changes else ()
    return Step(title=f"distribute {table}", meaning=meaning, statements=(moved, emptied, *rights), citus=True)


def _demand_sight(asking: Asking, tables: list[str]) -> None:
    """Rows are copied by COPY, which does not work for whom row-level security hides them from."""
    mine = asking.row("myself")
    assert mine is not None, "the present user is a role"
    filled = [table for table in tables if table not in EVERYWHERE and _filled(asking, table)]
    if filled and not mine[3]:
        raise ConfigurationError(
            "citus",
            "row-level security hides from this user the rows that are to be moved",
            hint="Run it as a superuser, or as a role with BYPASSRLS that owns the tables.",
        )


def _filled(asking: Asking, table: str) -> bool:
    """Whether a table takes any room on disk: what it holds may not be seen."""
    return asking.row("takes_room", f"{quoted(asking.schema)}.{quoted(table)}") == (True,)
