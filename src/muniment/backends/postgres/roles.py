"""The roles in which the database is used: one that writes and one that reads, neither of which owns anything.

Roles belong to the whole server. So a schema that is not called by the usual name has roles of its own.
"""

from __future__ import annotations

from muniment.backends.postgres.server import SchemaConnection, Server, quoted, role_name
from muniment.model.errors import ConfigurationError
from muniment.model.value import Value

_SET_PRIVILEGE_FROM = 160_000


class DatabaseRole(Value):
    """A role as this user finds it: whether it is there, may log in, and may be taken on."""

    name: str
    there: bool = False
    logs_in: bool = False
    mine: bool = False


class DatabaseRoles(Value):
    writer: DatabaseRole
    reader: DatabaseRole

    @property
    def missing(self) -> tuple[DatabaseRole, ...]:
        return tuple(role for role in (self.writer, self.reader) if not role.there)


def find_roles(asking: SchemaConnection, server: Server) -> DatabaseRoles:
    """The two roles of a schema as the present user finds them."""
    names = [role_name(asking.schema, part) for part in ("writer", "reader")]
    privilege = "SET" if server.version >= _SET_PRIVILEGE_FROM else "MEMBER"
    rows = asking.rows("roles", *names, privilege)
    found = {name: DatabaseRole(name=name, there=True, logs_in=logs_in, mine=mine) for name, logs_in, mine in rows}
    writer, reader = (found.get(name, DatabaseRole(name=name)) for name in names)
    return DatabaseRoles(writer=writer, reader=reader)


def usable(role: DatabaseRole, server: Server) -> str | None:
    """The role as it is to be taken on, or None. Citus opens connections to its workers in the role that was taken on,
    so there it must be one that may log in; who cannot take it on has its rights by being a member."""
    fit = role.there and role.mine and (role.logs_in or not server.citus)
    return quoted(role.name) if fit else None


def making(asking: SchemaConnection, roles: DatabaseRoles) -> tuple[str, ...]:
    """The statements that make the roles which are missing and give both to the present user. A superuser takes on any
    role; everybody else must have been given it."""
    mine = asking.row("myself")
    assert mine is not None, "the present user is a role"
    name, everything, makes_roles, _ = mine
    made = tuple(f"CREATE ROLE {quoted(role.name)} NOLOGIN" for role in roles.missing)
    both = (roles.writer, roles.reader)
    given = tuple(f"GRANT {quoted(role.name)} TO {quoted(name)}" for role in both if not role.mine and not everything)
    if made and not makes_roles and not everything:
        raise ConfigurationError(
            "store",
            f"the roles {roles.writer.name} and {roles.reader.name} are missing, and this user may not make roles",
            hint=f"Let an administrator run: {'; '.join((*made, *given))};",
        )
    return (*made, *given) if made else ()
