"""What is done to a vault while the disk fails or the process dies: each deed by name, in a world that repeats itself.

Clock and names follow from a seed, so that a deed done twice to two copies of a vault leaves the same contents.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
from tests.patience import WAIT_S
from tests.recall.world import Toy
from tests.support.world import START, SeededIds, TickingClock

from muniment import Memory
from muniment.backends.sqlite.connection import APPLICATION_ID, migrations
from muniment.engine.copies.backup import back_up
from muniment.engine.copies.restore import RestoreRequest, restore
from muniment.engine.encryption import encrypt
from muniment.engine.signing import rotate
from muniment.model.claim import Claim
from muniment.model.errors import ConfigurationError
from muniment.model.times import Instant

SECRET_WORD = "Quetzalcoatlus"
"""Stands in everything that the deed `forget` erases, and nowhere else."""
LATER = Instant(START + 86_400_000_000)
OLDEST = 3
TOLD = "notes of a keeper"
VAULT_KEY = "5e" * 32
"""What the deed `encrypt` encrypts with."""

Arm = Callable[[], None]
Say = Callable[[str], None]


def opened(
    vault: Path, *, seed: int, start: Instant = START, embedder: Toy | None = None, create: bool = True
) -> Memory:
    return Memory.open(vault, clock=TickingClock(start), ids=SeededIds(seed), embedder=embedder, create=create)


def reopened(vault: Path, *, seed: int, start: Instant = START) -> Memory:
    """Open a vault that may have been encrypted."""
    try:
        return opened(vault, seed=seed, start=start)
    except ConfigurationError:
        return Memory.open(
            vault, clock=TickingClock(start), ids=SeededIds(seed), embedder=None, encryption_key=VAULT_KEY
        )


def furnished(vault: Path) -> None:
    """Make a vault with a little of everything in it: records, revisions, a lineage, a conflict, receipts, vectors."""
    with opened(vault, seed=1, embedder=Toy()) as memory:
        for number in range(6):
            memory.remember(f"note {number} of a keeper", proposal_id=f"p-{number}")
        memory.remember("the door is red", subject="door", key="colour", value="red", proposal_id="p-red")
        memory.remember("the door is blue", subject="door", key="colour", value="blue", proposal_id="p-blue")
        doomed = memory.remember(f"{SECRET_WORD} lives in room 9", source="a ranger", proposal_id="p-doomed")
        parent = str(doomed.record_id)
        memory.revise(parent, f"{SECRET_WORD} moved to room 10", proposal_id="p-doomed-2")
        memory.remember(
            f"room 10 smells of {SECRET_WORD}", derived_from=[parent], proposal_id="p-derived", confidence=0.5
        )
        memory.recall(f"where is {SECRET_WORD}")
        memory.recall(TOLD)
        memory.ledger.checkpoint()
        memory.flush(timeout=WAIT_S)


def record_of(memory: Memory, proposal: str) -> str:
    with memory._session.tenant.store.read() as snapshot:
        found = {row.id: row.record for row in snapshot.desk.proposals()}[proposal]
    assert found is not None
    return found


def propose(memory: Memory) -> None:
    assert memory.remember("the gate is painted green", proposal_id="p-deed").committed


def batch(memory: Memory) -> None:
    claims = [(f"p-deed-{number}", Claim(content=f"gate {number} is painted green")) for number in range(5)]
    assert all(verdict.committed for verdict in memory.propose(claims))


def revise(memory: Memory) -> None:
    memory.revise(record_of(memory, "p-3"), "note 3 was written anew", proposal_id="p-deed")


def retract(memory: Memory) -> None:
    memory.review.retract(record_of(memory, "p-doomed"), reason="it was a heron")


def forget(memory: Memory) -> None:
    memory.forget(record_of(memory, "p-doomed"), reason="asked to")


def recall(memory: Memory) -> None:
    assert memory.recall(TOLD).records


def checkpoint(memory: Memory) -> None:
    memory.ledger.checkpoint()


def replay(memory: Memory) -> None:
    assert memory.ledger.replay().identical


def close(memory: Memory) -> None:
    memory.close()


def embed(memory: Memory) -> None:
    assert memory.remember("an automobile stands at the gate", proposal_id="p-deed").committed
    memory.flush(timeout=WAIT_S)


ON_A_MEMORY: dict[str, Callable[[Memory], None]] = {
    "propose": propose,
    "batch": batch,
    "revise": revise,
    "retract": retract,
    "forget": forget,
    "recall": recall,
    "checkpoint": checkpoint,
    "replay": replay,
    "close": close,
    "embed": embed,
}


def rotate_key(vault: Path) -> None:
    rotate(vault, reason="it is time", clock=TickingClock(LATER), ids=SeededIds(2))


def back_up_vault(vault: Path) -> None:
    back_up(vault, backup_of(vault), with_keys=True, clock=TickingClock(LATER))


def restore_vault(vault: Path) -> None:
    restore(RestoreRequest(backup=backup_of(vault), vault=vault), clock=TickingClock(LATER))


def encrypt_vault(vault: Path) -> None:
    encrypt(vault, key=VAULT_KEY)


ON_A_FOLDER: dict[str, Callable[[Path], None]] = {
    "rotate": rotate_key,
    "backup": back_up_vault,
    "restore": restore_vault,
    "encrypt": encrypt_vault,
}
DEEDS = ("make", "migrate", *ON_A_MEMORY, *ON_A_FOLDER)
WITH_VECTORS = ("embed", "forget")
"""Deeds for which there is a model, so that the vector files are written to as well."""


def backup_of(vault: Path) -> Path:
    """Where the backup of a vault is."""
    return vault.with_name(f"{vault.name}-backup")


def perform(name: str, vault: Path, arm: Arm, say: Say) -> Memory | None:
    """Do a deed. `arm` is called where it begins; `ack` is said when the caller was told that it is done. What was
    opened is left open."""
    if name in ("make", "migrate"):
        arm()
        memory = opened(vault, seed=2, start=LATER)
        say("ack")
        return memory
    if name in ON_A_FOLDER:
        arm()
        ON_A_FOLDER[name](vault)
        say("ack")
        return None
    embedder = Toy() if name in WITH_VECTORS else None
    memory = opened(vault, seed=2, start=LATER, embedder=embedder, create=False)
    if name == "close":
        propose(memory)
    if embedder is not None:
        memory.flush(timeout=WAIT_S)
    arm()
    ON_A_MEMORY[name](memory)
    say("ack")
    return memory


def aged(vault: Path, revision: int = OLDEST) -> None:
    """Put the file of a vault back to an older revision of the schema, with the rows that it could hold."""
    path, new = vault / "default.sqlite", vault / "new"
    path.rename(new)
    connection = apsw.Connection(str(path))
    connection.execute("ATTACH ? AS new", (str(new),))
    with connection:
        for number, script in migrations():
            if number <= revision:
                connection.execute(script)
        for table in _tables(connection, "main"):
            known = _columns(connection, "new", table)
            named = ", ".join(name for name in _columns(connection, "main", table) if name in known)
            connection.execute(f"INSERT OR REPLACE INTO main.{table} ({named}) SELECT {named} FROM new.{table}")
        connection.execute("INSERT INTO lexicon (lexicon) VALUES ('rebuild')")
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", revision)
    connection.close()
    new.unlink()


def _tables(connection: apsw.Connection, schema: str) -> list[str]:
    listed = f"SELECT name FROM pragma_table_list WHERE schema = '{schema}' AND type = 'table'"
    return [str(name) for (name,) in connection.execute(listed) if not str(name).startswith("sqlite_")]


def _columns(connection: apsw.Connection, schema: str, table: str) -> list[str]:
    return [str(row[1]) for row in connection.execute(f"PRAGMA {schema}.table_info({table})")]
