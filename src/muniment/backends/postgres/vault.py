"""A schema of tenants in a PostgreSQL database, shared by every process that opens it."""

from __future__ import annotations

import threading
from contextlib import ExitStack, closing

import psycopg

from muniment.backends.postgres.connecting import DatabaseAddress, reach
from muniment.backends.postgres.content_encryption import ContentCipher
from muniment.backends.postgres.content_keys import ContentKeys, agreed, check_name
from muniment.backends.postgres.error_mapping import translated
from muniment.backends.postgres.pool import Pool, shared
from muniment.backends.postgres.schema import SchemaState, ensure, there
from muniment.backends.postgres.server import tenant_prologue
from muniment.backends.postgres.settings import PostgresSettings
from muniment.backends.postgres.store import PostgresTenant
from muniment.backends.postgres.tenant_row import SETTLED, WORDS, HeadRow
from muniment.backends.postgres.tenant_scope import TenantScope
from muniment.backends.postgres.transaction import Row, tenant_number
from muniment.model.checks import identifier
from muniment.model.errors import IntegrityError, NotFound


class PostgresVault:
    """Everybody in one schema. It is made if it is not there and may be."""

    def __init__(self, dsn: str, *, create: bool = True, content_keys: ContentKeys | None = None) -> None:
        self.address = DatabaseAddress.parse(dsn)
        with reach(self.address) as connection:
            self.standing: SchemaState = ensure(
                connection,
                self.address.schema,
                create=create,
                allow_async_commit=self.address.allow_async_commit,
            )
        self._joined = False
        self._join()
        self._keys = content_keys
        self._open: dict[str, PostgresTenant] = {}
        self._opening = threading.Lock()

    def _join(self) -> None:
        """Be one of those who share the connections of this process; again after `close`."""
        if not self._joined:
            self.pool: Pool = shared(self.address, self.standing.settings())
            self.drawer = PostgresSettings(self.pool, citus=self.standing.citus)
            self._joined = True

    @staticmethod
    def there(dsn: str) -> bool:
        """Whether a database holds our tables."""
        address = DatabaseAddress.parse(dsn)
        with reach(address) as connection:
            return there(connection, address.schema)

    def tenants(self) -> tuple[str, ...]:
        with translated("list"), self.pool.lend() as connection:
            rows = connection.execute(b"SELECT name FROM tenants ORDER BY name").fetchall()
        return tuple(str(name) for (name,) in rows)

    def open(self, tenant: str, *, create: bool) -> PostgresTenant:
        identifier("tenant", tenant)
        with self._opening:
            self._join()
            if tenant not in self._open:
                self._find(tenant, create=create)
                door = TenantScope(self.pool, tenant, citus=self.standing.citus, seal=self._sealing(tenant))
                self._open[tenant] = self._tenant(door)
            return self._open[tenant]

    def behind(self, tenant: str, *, settled: bool) -> bool:
        """Whether a tenant's word index was made by another tokenizer, or perhaps added to by one."""
        with closing(TenantScope(self.pool, tenant, citus=self.standing.citus)) as door, door.reading() as link:
            return HeadRow.of(tenant, link.row("head_row")).words < (SETTLED if settled else WORDS)

    def _find(self, tenant: str, *, create: bool) -> None:
        """See to it that a tenant is there, and that its number is nobody else's."""
        number = tenant_number(tenant)
        with translated(tenant), self.pool.lend() as connection:
            asked = connection.execute(b"SELECT name FROM tenants WHERE tenant_id = $1", (number,)).fetchone()
            if asked is None and not create:
                raise NotFound("tenant", tenant)
            if asked is None:
                self._make(connection, tenant)
                asked = connection.execute(b"SELECT name FROM tenants WHERE tenant_id = $1", (number,)).fetchone()
        if asked is None or asked[0] != tenant:
            raise IntegrityError("the number of this tenant is that of another; give it another name")

    def _tenant(self, door: TenantScope) -> PostgresTenant:
        return PostgresTenant(door, patience_s=self.address.patience_s, scrub_bytes=self.address.scrub_mb * 2**20)

    def _make(self, connection: psycopg.Connection[Row], tenant: str) -> None:
        """Make a tenant, sealed with a key of its own if there are keys. Of several who make it the first decides."""
        number = tenant_number(tenant)
        key = None if self._keys is None else self._keys.made(tenant)
        with connection.transaction():
            for setting in tenant_prologue(number, citus=self.standing.citus):
                connection.execute(setting.encode())
            # No arbiter is named: the name is unique too, and of two who make a tenant at once the later may meet that.
            made = b"INSERT INTO tenants (tenant_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING"
            mine = connection.execute(made, (number, tenant)).rowcount == 1
            head = b"INSERT INTO tenant_head (tenant_id, words) VALUES ($1, $2) ON CONFLICT (tenant_id) DO NOTHING"
            connection.execute(head, (number, SETTLED))
            if mine and key is not None:
                check = b"INSERT INTO deployment (name, body) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"
                connection.execute(check, (check_name(number), key.check()))

    def _sealing(self, tenant: str) -> ContentCipher:
        """How a tenant is written, once it is clear that its key is the one it was made with."""
        return agreed(self._keys, tenant, self.drawer.get(check_name(tenant_number(tenant))))

    def close(self) -> None:
        with self._opening:
            stores, self._open = self._open, {}
            with ExitStack() as ending:  # all of it, whatever one of them says
                ending.callback(self._leave)
                for store in stores.values():
                    ending.callback(store.close)

    def _leave(self) -> None:
        if self._joined:
            self._joined = False
            self.pool.leave()
