"""Batches and death, batches and each other: a batch is there whole or not at all, and the ledger verifies."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from tests.patience import WAIT_S

from muniment import Memory
from muniment.compat.exchange import read_in
from muniment.contracts.registry import ContractName
from muniment.contracts.strict.values import JsonObject
from muniment.engine.importing import Newcomer
from muniment.model.claim import Claim, Lineage
from muniment.model.errors import NotFound, Stale
from muniment.model.status import Status

T = TypeVar("T")
SIZE, KILLS, SEED = 12, 8, 20260101

WRITER = f"""
import os, sys
from muniment import Memory
from muniment.engine.importing import Newcomer
from muniment.model.claim import Claim

def say(line):
    os.write(1, line.encode() + b"\\n")

vault, seed = sys.argv[1:]
with Memory.open(vault) as memory:
    for number in range(100_000):
        batch = f"b-{{seed}}-{{number}}"
        names = [f"{{batch}}-{{part}}" for part in range({SIZE})]
        newcomers = [Newcomer(claim=Claim(content=f"note {{n}}"), record=n) for n in names]
        memory.imports.take_in(batch, newcomers, contract="omir")
        say(f"took {{batch}}")
        if number % 2:
            memory.imports.roll_back(batch, reason="the wrong file")
            say(f"undid {{batch}}")
"""


def killed(vault: Path, seed: str, *, after: int) -> list[str]:
    """Let a writer say so many lines, kill it, and return all it said."""
    with subprocess.Popen([sys.executable, "-c", WRITER, str(vault), seed], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline().strip() for _ in range(after)]
        os.kill(child.pid, signal.SIGKILL)
        lines += [line.strip() for line in child.stdout if line.endswith("\n")]
        assert child.wait(timeout=WAIT_S) == -signal.SIGKILL
    return lines


def states(memory: Memory) -> dict[str, set[Status]]:
    """Of every batch, the states its records are in; each batch must have all of them."""
    found: dict[str, list[Status]] = {}
    for one in memory.insight.browse(statuses=[Status.ACTIVE, Status.RETRACTED]):
        found.setdefault(one.record.id.rpartition("-")[0], []).append(one.standing.status)
    assert {len(each) for each in found.values()} <= {SIZE}
    return {batch: set(each) for batch, each in found.items()}


@pytest.mark.slow
def test_a_killed_import_or_rollback_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    rng, vault = random.Random(SEED), tmp_path / "v"
    last: dict[str, str] = {}
    for kill in range(KILLS):
        for line in killed(vault, str(kill), after=rng.randrange(1, 9)):
            what, batch = line.split()
            last[batch] = what
        with Memory.open(vault) as memory:
            found = states(memory)
            assert all(len(each) == 1 for each in found.values())
            assert last.keys() <= found.keys()
            assert {batch for batch, what in last.items() if what == "undid"} <= {
                batch for batch, each in found.items() if each == {Status.RETRACTED}
            }
            assert memory.ledger.verify().ok
            assert memory.ledger.replay().identical


IMPORTER = """
import sys
from pathlib import Path
from muniment import Memory
from muniment.compat.exchange import read_in
from muniment.contracts.registry import ContractName

vault, file = sys.argv[1:]
with Memory.open(vault) as memory:
    sys.stdin.readline()
    imported = read_in(memory, ContractName.MEMLEDGER, Path(file).read_bytes())
    print(imported.batch, *(fate.verdict.record_id for fate in imported.fates))
"""


def notes(count: int) -> list[JsonObject]:
    return [{"id": f"mem-{one}", "content": f"Gauge {one} is dry", "record_type": "semantic"} for one in range(count)]


def test_the_same_file_taken_in_by_two_processes_at_once_comes_in_once(tmp_path: Path) -> None:
    vault, file = tmp_path / "v", tmp_path / "notes.json"
    file.write_text(json.dumps(notes(40)))
    Memory.open(vault).close()
    start = [sys.executable, "-c", IMPORTER, str(vault), str(file)]
    children = [
        subprocess.Popen(start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) for _ in range(2)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
    said = [child.communicate(timeout=WAIT_S)[0] for child in children]
    assert said[0] == said[1]
    assert said[0].split()[1:] == [f"mem-{one}" for one in range(40)]
    with Memory.open(vault) as memory:
        assert sorted(one.record.id for one in memory.insight.browse()) == sorted(f"mem-{one}" for one in range(40))
        assert memory.ledger.verify().ok
        assert memory.ledger.replay().identical


def test_a_rollback_and_a_revision_at_once_leave_one_of_two_whole_states(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "v") as memory, ThreadPoolExecutor(max_workers=2) as threads:
        for turn in range(10):
            old = memory.remember(f"The window {turn} is on Tuesday", kind="observation").record_id
            assert old is not None
            claim = Claim(content=f"The window {turn} is on Thursday", lineage=Lineage(supersedes=old))
            memory.imports.take_in(f"batch-{turn}", [Newcomer(claim=claim, record=f"mem-{turn}")], contract="omir")
            undoing = threads.submit(memory.imports.roll_back, f"batch-{turn}", reason="the wrong file")
            revising = threads.submit(memory.revise, f"mem-{turn}", f"The window {turn} is on Friday")
            undone, revised = _outcome(undoing.result), _outcome(revising.result)
            speaks = [one.record.content for one in memory.insight.browse() if f"window {turn} " in one.record.content]
            assert (undone is None) != (revised is None)
            assert speaks == [f"The window {turn} is on {'Friday' if undone is None else 'Tuesday'}"]
        assert memory.ledger.verify().ok
        assert memory.ledger.replay().identical


def _outcome(result: Callable[[], T]) -> T | None:
    """What came of it; None if the other was first."""
    try:
        return result()
    except (Stale, NotFound):
        return None


def test_a_batch_of_which_a_part_has_gone_on_is_not_undone_in_part(memory: Memory) -> None:
    batch = read_in(memory, ContractName.MEMLEDGER, json.dumps(notes(2)).encode()).batch
    memory.revise("mem-0", "Gauge 0 is wet")
    with pytest.raises(Stale, match="mem-0"):
        memory.imports.roll_back(batch, reason="the wrong file")
    assert [one.record.content for one in memory.insight.browse()] == ["Gauge 1 is dry", "Gauge 0 is wet"]
    memory.review.retract("mem-0", reason="it was never wet")
    assert memory.ledger.verify().ok


def test_a_preview_leaves_ledger_receipts_and_files_as_they_were(tmp_path: Path) -> None:
    data = json.dumps(notes(5)).encode()
    with Memory.open(tmp_path / "v") as memory:
        before = memory.insight.stats()
        read_in(memory, ContractName.MEMLEDGER, data, preview=True)
        after = memory.insight.stats()
        assert (after.entries, after.receipts, after.held, after.revisions) == (
            before.entries,
            before.receipts,
            before.held,
            before.revisions,
        )
    kept = b"".join(file.read_bytes() for file in (tmp_path / "v").rglob("*") if file.is_file())
    assert b"Gauge 1 is dry" not in kept
