"""Bring the schema of a database up to date: what is to be done, and doing it.

What speaks to PostgreSQL is imported when it is needed: nobody else needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from muniment.engine.place import Database, Said, place_of
from muniment.model.errors import ConfigurationError
from muniment.model.value import Value

if TYPE_CHECKING:
    from muniment.backends.postgres.steps import Step, Wish

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
        from muniment.backends.postgres.reaching import Address, reach

        address = Address.parse(self.place.dsn)
        with reach(address) as connection:
            return tuple(_told(step) for step in schema.plan(connection, address.schema, self._wish()))

    def run(self, progress: Callable[[Planned], None] = lambda _: None) -> int:
        """Do it, telling each step before it is begun; how many steps that were."""
        _demand_driver()
        from muniment.backends.postgres import schema
        from muniment.backends.postgres.reaching import Address, reach

        address = Address.parse(self.place.dsn)
        with reach(address) as connection:
            return schema.apply(connection, address.schema, self._wish(), progress=lambda step: progress(_told(step)))

    def scrub(self) -> Swept:
        """Get what was erased out of the files of every table, however long it takes."""
        _demand_driver()
        from muniment.backends.postgres.reaching import Address, reach
        from muniment.backends.postgres.scrubbing import scrub_all

        address = Address.parse(self.place.dsn)
        with reach(address) as connection:
            found = scrub_all(connection, address.schema)
        return Swept(tenants=found.tenants, done=found.done)

    def _wish(self) -> Wish:
        from muniment.backends.postgres.steps import Wish

        return Wish(phases=("pre", "post") if self.phase == "post" else ("pre",), citus=self.citus)


def on_one_node(said: Said) -> bool:
    """Whether a vault is on a Citus cluster and not spread over it: all of it is on the first node then."""
    place = place_of(said)
    if not isinstance(place, Database):
        return False
    from muniment.backends.postgres import schema
    from muniment.backends.postgres.reaching import Address, reach

    address = Address.parse(place.dsn)
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


def _told(step: Step) -> Planned:
    return Planned(title=step.title, meaning=step.meaning, statements=step.statements)


def _demand_driver() -> None:
    if find_spec("psycopg") is None:
        raise ConfigurationError(
            "vault", "a database needs the package psycopg", hint='`pip install "muniment[postgres]"`'
        )
