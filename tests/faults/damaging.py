"""Ways to spoil a file, and what a vault whose file was spoiled comes to."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
from tests.faults.deeds import LATER, TOLD, opened

from muniment import Memory
from muniment.model.errors import MunimentError
from muniment_store_conformance.contents import Contents, contents

FILE = "default.sqlite"
NOTES = {f"note {number} of a keeper" for number in range(6)}
REFUSALS = frozenset({"integrity_error", "ledger_broken", "schema_mismatch", "store_unavailable"})
Spoil = Callable[[bytes, random.Random], bytes]


def blank(page: bytes, _: random.Random) -> bytes:
    return bytes(len(page))


def scribbled(page: bytes, rng: random.Random) -> bytes:
    return rng.randbytes(len(page))


def half_torn(page: bytes, rng: random.Random) -> bytes:
    """The second half is of another time: as a page that was written by half."""
    return page[: len(page) // 2] + rng.randbytes(len(page) // 2)


def bit_turned(page: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(page))
    return page[:place] + bytes([page[place] ^ (1 << rng.randrange(8))]) + page[place + 1 :]


SPOILS: tuple[Spoil, ...] = (blank, scribbled, half_torn, bit_turned)


def page_kinds(path: Path) -> dict[int, str]:
    """What each page of a file is used for: the table or index it belongs to."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    total = connection.pragma("page_count")
    assert isinstance(total, int)
    used = {int(str(page)): str(name) for page, name in connection.execute("SELECT pageno, name FROM dbstat")}
    connection.close()
    return {page: used.get(page, "free") for page in range(1, total + 1)}


def outcome(vault: Path, truth: Contents) -> str:
    """What a damaged vault comes to: refused, reported, or harmless. Anything else fails the test."""
    memory: Memory | None = None
    try:
        memory = opened(vault, seed=6, start=LATER, create=False)
        findings = memory.ledger.verify().findings
        told = recalled(memory)
        if findings:
            return "reported"
        assert told == NOTES, "an answer is wrong and nobody says so"
        found = contents(memory._session.tenant.store)
        assert found.receipts[: len(truth.receipts)] == truth.receipts
        assert (found.entries, found.documents, found.cards) == (truth.entries, truth.documents, truth.cards)
        assert (found.proposals, found.conflicts, found.edges) == (truth.proposals, truth.conflicts, truth.edges)
        return "harmless"
    except MunimentError as error:
        return "refused" if error.code in REFUSALS else f"refused as {error.code}"
    finally:
        if memory is not None:
            memory._session.tenant.store.close()


def recalled(memory: Memory) -> set[str] | None:
    """What is told of the notes; None if asking is refused, which is no answer and so no wrong one."""
    try:
        return {one.record.content for one in memory.recall(TOLD, limit=20).records} & NOTES
    except MunimentError:
        return None


def restore(vault: Path, template: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-turns", "-door"):
        (vault / f"{FILE}{suffix}").unlink(missing_ok=True)
    shutil.copy(template / FILE, vault / FILE)


def spoil_page(vault: Path, clean: bytes, page: int, spoil: Spoil, rng: random.Random) -> None:
    """Put a file with one spoiled page in the place of a vault's."""
    size = int.from_bytes(clean[16:18], "big")
    start = (page - 1) * size
    spoiled = spoil(clean[start : start + size], rng)
    (vault / FILE).write_bytes(clean[:start] + spoiled + clean[start + size :])
