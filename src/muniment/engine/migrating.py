"""Bring a vault up to date, its schema and its word indexes: what is to be done, and doing it.

What speaks to PostgreSQL is imported when it is needed: nobody else needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, cast

from muniment.backends.sqlite.connection import INDEXED_ANEW, migrations
from muniment.backends.sqlite.store import SqliteVault
from muniment.engine.database import shared_vault
from muniment.engine.place import Database, Folder, Said, place_of
from muniment.engine.vault import look_into, there_is
from muniment.model.errors import ConfigurationError, SchemaMismatch, StoreBusy, StoreUnavailable
from muniment.model.value import Value

if TYPE_CHECKING:
    from muniment.backends.postgres.steps import MigrationRequest, MigrationStep
    from muniment.backends.postgres.vault import PostgresVault

Share = Callable[[int, int], None]
"""Told how much of a step is done, of how much."""
Phase = Literal["pre", "post"]


class Planned(Value):
    """One step: what it is about, what it is for, and its statements."""

    title: str
    meaning: str
    statements: tuple[str, ...]


class Swept(Value):
    """What a sweep came to: how many tenants had erased something, and whether all of it is out of the files."""

    tenants: int
    done: bool


class Migration(Value):
    """What a run is to bring about, and where. `post` runs what is left of `pre` too: whoever says that the last
    process of the old release is gone has deployed the new one."""

    place: Database
    phase: Phase = "pre"
    citus: bool = False

    def plan(self) -> tuple[Planned, ...]:
        """What is to be done, in order. Changes nothing."""
        _demand_driver()
        from muniment.backends.postgres import schema
        from muniment.backends.postgres.connecting import DatabaseAddress, reach

        address = DatabaseAddress.parse(self.place.dsn)
        with reach(address) as connection:
            steps = tuple(_told(step) for step in schema.plan(connection, address.schema, self._wish()))
            there = schema.there(connection, address.schema)
        if not there:
            return steps
        if steps:  # what there is cannot be looked into before the schema is as it should be
            return (
                *steps,
                Planned(title="words", meaning="indexes texts anew where that is due", statements=()),
            )
        with closing(self._stores()) as stores:
            return tuple(_words_of(tenant) for tenant in self._behind(stores))

    def run(self, progress: Callable[[Planned], None] = lambda _: None, share: Share = lambda done, whole: None) -> int:
        """Do it, telling each step before it is begun; how many steps that were."""
        _demand_driver()
        from muniment.backends.postgres import schema
        from muniment.backends.postgres.connecting import DatabaseAddress, reach

        address = DatabaseAddress.parse(self.place.dsn)
        with reach(address) as connection:
            done = schema.apply(connection, address.schema, self._wish(), progress=lambda step: progress(_told(step)))
        with closing(self._stores()) as stores:
            for tenant in self._behind(stores):
                progress(_words_of(tenant))
                stores.open(tenant, create=False).renew(settled=self.phase == "post", progress=share)
                done += 1
        return done

    def _stores(self) -> PostgresVault:
        return cast("PostgresVault", shared_vault(self.place, create=False))

    def _behind(self, stores: PostgresVault) -> list[str]:
        settled = self.phase == "post"
        return [name for name in stores.tenants() if stores.behind(name, settled=settled)]

    def scrub(self) -> Swept:
        """Get what was erased out of the files of every table, however long it takes."""
        _demand_driver()
        from muniment.backends.postgres.connecting import DatabaseAddress, reach
        from muniment.backends.postgres.scrubbing import scrub_all

        address = DatabaseAddress.parse(self.place.dsn)
        with reach(address) as connection:
            found = scrub_all(connection, address.schema)
        return Swept(tenants=found.tenants, done=found.done)

    def _wish(self) -> MigrationRequest:
        from muniment.backends.postgres.steps import MigrationRequest

        return MigrationRequest(phases=("pre", "post") if self.phase == "post" else ("pre",), citus=self.citus)


class FolderMigration(Value):
    """What a run is to bring about in a vault of files: each file of an older revision gets the tables of now, and its
    texts are indexed anew."""

    place: Folder

    def plan(self) -> tuple[Planned, ...]:
        """What is to be done, in order. Changes nothing."""
        with closing(self._stores()) as stores:
            return tuple(step for _, step in self._steps(stores))

    def run(self, progress: Callable[[Planned], None] = lambda _: None, share: Share = lambda done, whole: None) -> int:
        """Do it, telling each step before it is begun; how many steps that were."""
        with closing(self._stores()) as stores:
            steps = self._steps(stores)
            for tenant, step in steps:
                progress(step)
                stores.renew(tenant, progress=share)
            return len(steps)

    def _stores(self) -> SqliteVault:
        if not there_is(self.place):
            raise StoreUnavailable(f"there is no vault at {self.place}; `muniment init` makes one")
        stores, _ = look_into(self.place.path)
        if not isinstance(stores, SqliteVault):
            stores.close()
            raise StoreBusy("the vault is being moved here and is not whole yet")
        return stores

    def _steps(self, stores: SqliteVault) -> list[tuple[str, Planned]]:
        newest, found = migrations()[-1][0], []
        for tenant in stores.tenants():
            revision = stores.revision(tenant)
            if revision > newest:
                raise SchemaMismatch(found=revision, needed=newest)
            if revision < newest:
                words = "; all texts are indexed anew" if revision < INDEXED_ANEW else ""
                meaning = f"from revision {revision} to {newest}{words}"
                found.append((tenant, Planned(title=f"tenant {tenant}", meaning=meaning, statements=())))
        return found


def migration_of(said: Said, *, phase: Phase, citus: bool) -> Migration | FolderMigration:
    """The migration of a place."""
    place = place_of(said)
    return (
        FolderMigration(place=place) if isinstance(place, Folder) else Migration(place=place, phase=phase, citus=citus)
    )


def _words_of(tenant: str) -> Planned:
    return Planned(title=f"words of {tenant}", meaning="indexes all texts anew", statements=())


def on_one_node(said: Said) -> bool:
    """Whether a vault is on a Citus cluster and not spread over it: all of it is on the first node then."""
    place = place_of(said)
    if not isinstance(place, Database):
        return False
    from muniment.backends.postgres import schema
    from muniment.backends.postgres.connecting import DatabaseAddress, reach

    address = DatabaseAddress.parse(place.dsn)
    with reach(address) as connection:
        return schema.on_one_node(connection, address.schema)


def database_of(said: Said) -> Database:
    """The database that is meant. A vault of files has no need of this."""
    place = place_of(said)
    if not isinstance(place, Database):
        raise ConfigurationError(
            "vault",
            "the address of a database, such as postgresql://user@host/name",
            hint="A vault in a folder is brought up to date by `muniment init`.",
        )
    return place


def _told(step: MigrationStep) -> Planned:
    return Planned(title=step.title, meaning=step.meaning, statements=step.statements)


def _demand_driver() -> None:
    if find_spec("psycopg") is None:
        raise ConfigurationError(
            "vault", "a database needs the package psycopg", hint='`pip install "muniment[postgres]"`'
        )
