"""A step of a migration: what it is for, its statements one by one, and running it so that it happens once or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from muniment.backends.postgres.revisions import Phase, Revision
from muniment.backends.postgres.server import SchemaConnection
from muniment.model.errors import ConfigurationError, IntegrityError
from muniment.model.value import Value

PATIENCE = "10s"
"""How long a step waits for a table that is in use. While it waits, whoever comes after it waits too."""


class MigrationRequest(Value):
    """What a run is to bring about: scripts of which phases, and whether the tables are to be distributed."""

    phases: tuple[Phase, ...] = ("pre",)
    citus: bool = False


class MigrationStep(Value):
    """One step. `whole`: in one transaction. `script`: what is written down when it is done. `otherwise`: what to do
    where this user may not do it."""

    title: str
    meaning: str
    statements: tuple[str, ...]
    path: str | None = None
    whole: bool = True
    citus: bool = False
    tenant: int | None = None
    script: Revision | None = None
    otherwise: str = ""


def run(asking: SchemaConnection, step: MigrationStep) -> None:
    """Run a step. One that another run has finished meanwhile is left alone."""
    try:
        _run(asking, step)
    except ConfigurationError as error:
        if not step.otherwise:
            raise
        raise ConfigurationError("store", f"this user may not add: {step.title}", hint=step.otherwise) from error


def _run(asking: SchemaConnection, step: MigrationStep) -> None:
    if step.whole:
        with _transaction(asking, step):
            if _mine(asking, step):
                for statement in step.statements:
                    asking.run(statement)
                _write_down(asking, step)
        return
    for statement in step.statements:
        asking.run(statement)
    with _transaction(asking, step):
        if _mine(asking, step):
            _write_down(asking, step)


@contextmanager
def _transaction(asking: SchemaConnection, step: MigrationStep) -> Iterator[None]:
    asking.run("BEGIN")
    try:
        for setting in _settings(step):
            asking.run(setting)
        yield
        asking.run("COMMIT")
    finally:
        asking.rolled_back()


def _settings(step: MigrationStep) -> Iterator[str]:
    """What a transaction says first. Distributed tables are changed one shard after another: changing them all at once
    cannot be mixed with anything else in a transaction."""
    if step.citus:
        yield "SET LOCAL citus.propagate_set_commands = 'local'"
        yield "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"
    yield f"SET LOCAL lock_timeout = '{PATIENCE}'"
    if step.path is not None:
        yield f"SET LOCAL search_path TO {step.path}"
    if step.tenant is not None:
        yield f"SET LOCAL muniment.tenant = '{step.tenant}'"


def _mine(asking: SchemaConnection, step: MigrationStep) -> bool:
    """Whether a script is still to be run, once everybody else who runs one is kept out."""
    if step.script is None:
        return True
    asking.run(asking.text("lock_record"))
    written = asking.row("was_applied", step.script.number, step.script.phase)
    if written is not None and written[0] != step.script.digest:
        raise IntegrityError(f"{step.script.title}: another release applied another script under this number just now")
    return written is None


def _write_down(asking: SchemaConnection, step: MigrationStep) -> None:
    if (script := step.script) is not None:
        asking.run(asking.text("write_down"), script.number, script.phase, script.name, script.digest)
