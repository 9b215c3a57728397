"""Large tenants' vectors in a partition of their own, the only place where there is an index over vectors.

An index over the vectors of many tenants finds the nearest of all of them and then hides most: what is left is not what
was asked for. A small tenant is searched exactly; a large one has its own index.
"""

from __future__ import annotations

from muniment.backends.postgres.roles import DatabaseRoles
from muniment.backends.postgres.server import SchemaConnection, Server, quoted
from muniment.backends.postgres.steps import MigrationStep
from muniment.model.value import Value

OWN_PARTITION_FROM = 20_000
"""More vectors than that are a large tenant's."""
INDEXED_DIMENSIONS_MAX = 4_000
"""Wider ones no index takes: they are searched exactly, however many."""


def partition_of(number: int) -> str:
    return f"vectors_t{number}"


def index_name(number: int, dimensions: int) -> str:
    return f"vectors_t{number}_near_{dimensions}"


WALL = "(tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint)"
"""Whose rows are seen, as migrations/ has it for every table."""


def steps(
    asking: SchemaConnection, server: Server, roles: DatabaseRoles, path: str, *, spread: bool
) -> tuple[MigrationStep, ...]:
    """What is to be done for the tenants that have grown large. Where tables are spread over a cluster the owner is let
    through their walls."""
    relations = {str(name) for (name,) in asking.rows("relations", asking.schema)}
    found: list[MigrationStep] = []
    for number, name in asking.rows("tenant_names"):
        tenant = _measured(asking, number, str(name), citus=server.citus)
        if not 0 < tenant.dimensions <= INDEXED_DIMENSIONS_MAX:
            continue
        apart = partition_of(number) in relations
        if tenant.large and not apart:
            found.append(_move(asking, tenant, roles, path, citus=server.citus, walled=not spread))
        if (tenant.large or apart) and tenant.indexed != tenant.dimensions:
            found += _indexed(asking, server, tenant, path)
    return tuple(found)


class _Tenant(Value):
    """A tenant's vectors: of how many dimensions, for how many there is an index in use, and whether they are many."""

    number: int
    name: str
    dimensions: int
    indexed: int
    large: bool


def _measured(asking: SchemaConnection, number: int, name: str, *, citus: bool) -> _Tenant:
    """Seen from inside the tenant's wall."""
    with asking.inside(number, citus=citus):
        row = asking.row("vectors_of", number, OWN_PARTITION_FROM + 1)
    dimensions, indexed, count = row if row is not None else (0, 0, 0)
    return _Tenant(number=number, name=name, dimensions=dimensions, indexed=indexed, large=count > OWN_PARTITION_FROM)


def _move(
    asking: SchemaConnection, tenant: _Tenant, roles: DatabaseRoles, path: str, *, citus: bool, walled: bool
) -> MigrationStep:
    """Make the partition, move the rows and attach it, all at once: nobody sees half of them meanwhile. It belongs to
    whom the other tables belong to, whoever runs this. No vector is sampled for the planner: the sample would outlive
    an erasure."""
    own, number = partition_of(tenant.number), tenant.number
    owner = asking.row("owner", asking.schema, "vectors")
    given = () if owner is None or owner[1] else (f"ALTER TABLE {own} OWNER TO {quoted(str(owner[0]))}",)
    return MigrationStep(
        title=f"vectors of {tenant.name}",
        meaning="into a partition of their own; searches wait meanwhile",
        statements=(
            "LOCK TABLE vectors IN ACCESS EXCLUSIVE MODE",
            f"CREATE TABLE {own} (LIKE vectors INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)",
            f"INSERT INTO {own} (tenant_id, rid, start, stop, vector) "
            f"SELECT tenant_id, rid, start, stop, vector FROM vectors_shared WHERE tenant_id = {number}",
            f"DELETE FROM vectors_shared WHERE tenant_id = {number}",
            f"ALTER TABLE {own} ALTER COLUMN vector SET STATISTICS 0",
            f"ALTER TABLE vectors ATTACH PARTITION {own} FOR VALUES IN ({number})",
            f"ALTER TABLE {own} ENABLE ROW LEVEL SECURITY",
            *((f"ALTER TABLE {own} FORCE ROW LEVEL SECURITY",) if walled else ()),
            f"CREATE POLICY tenant_wall ON {own} USING {WALL}",
            f"GRANT SELECT, INSERT, DELETE ON {own} TO {quoted(roles.writer.name)}",
            f"GRANT SELECT ON {own} TO {quoted(roles.reader.name)}",
            *given,
        ),
        path=path,
        citus=citus,
        tenant=number,
    )


def _indexed(asking: SchemaConnection, server: Server, tenant: _Tenant, path: str) -> tuple[MigrationStep, ...]:
    """Build the index while the tenant is written to, then have it used. One that another run builds is left to it."""
    if asking.row("being_indexed", asking.schema, partition_of(tenant.number)) is not None:
        return ()
    valid = asking.row("own_index", asking.schema, index_name(tenant.number, tenant.dimensions))
    use = MigrationStep(
        title=f"index of {tenant.name}",
        meaning="is used from now on",
        statements=(f"UPDATE reaches SET indexed = {tenant.dimensions} WHERE tenant_id = {tenant.number}",),
        path=path,
        citus=server.citus,
        tenant=tenant.number,
    )
    return (use,) if valid == (True,) else (_build(asking, server, tenant, left=valid is not None), use)


def _build(asking: SchemaConnection, server: Server, tenant: _Tenant, *, left: bool) -> MigrationStep:
    """An index whose building was cut off stays behind, is of no use and is dropped first. No transaction can set the
    path here, so every name is written in full."""
    home, schema = quoted(server.vector or "public"), quoted(asking.schema)
    index, size = index_name(tenant.number, tenant.dimensions), tenant.dimensions
    built = (
        f"CREATE INDEX CONCURRENTLY {index} ON {schema}.{partition_of(tenant.number)} "
        f"USING hnsw ((vector::{home}.halfvec({size})) {home}.halfvec_ip_ops) "
        f"WITH (m = 16, ef_construction = 100) WHERE {home}.vector_dims(vector) = {size}"
    )
    return MigrationStep(
        title=f"index of {tenant.name}",
        meaning="over its vectors, built while it is in use",
        statements=(*((f"DROP INDEX CONCURRENTLY {schema}.{index}",) if left else ()), built),
        whole=False,
        citus=server.citus,
    )
