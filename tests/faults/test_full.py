"""The disk is full: a small file system of its own, filled by a vault, by vectors, or before the vault is made.

What was acknowledged stays, reading goes on, the refusal has a code, and with room again the same memory goes on.
"""

from __future__ import annotations

import errno
from pathlib import Path

import apsw
import pytest
from tests.faults.disks import SmallDisk
from tests.patience import WAIT_S
from tests.recall.world import Toy
from tests.support.vfs import Act, Refusal, watched_disk

from muniment import Memory
from muniment.backends.clock_and_ids import place_file
from muniment.model.claim import Claim
from muniment.model.errors import MunimentError
from muniment.surfaces.reception.shared_file import replace_file

NOTE_WORDS = 300
FULL = frozenset({"store_full", "store_unavailable"})


def fill(memory: Memory) -> tuple[list[str], str]:
    """Write until the disk is full; the names of what was acknowledged, and the code of the first refusal."""
    told: list[str] = []
    for number in range(2_000):
        try:
            memory.remember(f"note {number} " + f"filler{number} " * NOTE_WORDS, proposal_id=f"p-{number}")
        except MunimentError as error:
            return told, error.code
        told.append(f"p-{number}")
    raise AssertionError("the disk never filled")


def held(memory: Memory) -> set[str]:
    with memory._session.tenant.store.read() as snapshot:
        return {row.id for row in snapshot.desk.proposals()}


def test_a_disk_that_the_vault_fills_loses_nothing_and_with_room_again_it_goes_on(small_disk: SmallDisk) -> None:
    memory = Memory.open(small_disk.place / "vault", embedder=None)
    told, code = fill(memory)
    assert code in FULL
    assert len(told) > 3
    assert held(memory) == set(told)
    small_disk.resize("8m")
    assert memory.remember("there is room again", proposal_id="p-after").committed
    assert memory.ledger.verify().findings == ()
    memory.close()
    with Memory.open(small_disk.place / "vault", embedder=None, create=False) as again:
        assert held(again) == {*told, "p-after"}
        assert again.ledger.verify().findings == ()


def test_a_vault_on_a_full_disk_opens_again_reads_and_refuses_to_write(small_disk: SmallDisk) -> None:
    memory = Memory.open(small_disk.place / "vault", embedder=None)
    told, _ = fill(memory)
    memory._session.tenant.store.close()
    (small_disk.place / "ballast").write_bytes(bytes(max(0, small_disk.free())))
    try:
        with Memory.open(small_disk.place / "vault", embedder=None, create=False) as again:
            assert held(again) == set(told)
            again.remember("x" * 200_000)
    except MunimentError as error:
        refusal = error.code
    assert refusal in FULL
    small_disk.resize("8m")
    with Memory.open(small_disk.place / "vault", embedder=None, create=False) as again:
        assert held(again) == set(told)
        assert again.ledger.verify().findings == ()


class Wide(Toy):
    """A model whose vectors take much room."""

    dimensions = 16_384


def _told(memory: Memory) -> str:
    """What a question on a full disk comes to: an answer by words, or the code of a clear error."""
    try:
        answer = memory.recall("grey lorry", limit=50)
    except MunimentError as unanswered:
        return unanswered.code
    why = "by words" if "vectors are not being made" in str(answer.searched.why) else "by meaning"
    return f"{len(answer.records)} {why}"


def test_vectors_that_find_no_room_are_made_later_and_words_answer_meanwhile(small_disk: SmallDisk) -> None:
    small_disk.resize("3m")
    memory = Memory.open(small_disk.place / "vault", embedder=Wide())
    memory.remember("an automobile stands at the gate")
    memory.flush(timeout=WAIT_S)
    ballast = small_disk.place / "ballast"
    ballast.write_bytes(bytes(small_disk.free() - 600_000))
    memory.propose(Claim(content=f"lorry number {number} is grey") for number in range(40))
    with pytest.raises(MunimentError) as refused:
        memory.flush(timeout=WAIT_S)
    assert refused.value.code in FULL
    told = _told(memory)
    assert told in ("store_full", "store_unavailable", "40 by words"), "a receipt needs room too"
    ballast.unlink()
    assert len(memory.recall("grey lorry", limit=50).records) == 40
    memory.flush(timeout=WAIT_S)
    assert memory.recall("a car", limit=1).records[0].record.content == "an automobile stands at the gate"
    memory.close()


def test_a_vault_that_finds_no_room_to_be_made_is_refused_and_can_be_made_later(small_disk: SmallDisk) -> None:
    (small_disk.place / "ballast").write_bytes(bytes(small_disk.free() - 16_384))
    with pytest.raises(MunimentError) as refused:
        Memory.open(small_disk.place / "vault", embedder=None)
    assert refused.value.code in FULL
    (small_disk.place / "ballast").unlink()
    with Memory.open(small_disk.place / "vault", embedder=None) as memory:
        assert memory.remember("now there is room").committed
        assert memory.ledger.verify().findings == ()


def full_for(where: str) -> Refusal:
    acts = frozenset({Act.WRITE, Act.SYNC, Act.PLACE})
    return Refusal(acts, code=apsw.SQLITE_FULL, errno=errno.ENOSPC, where=where)


def test_a_small_file_that_cannot_be_replaced_stays_as_it_was_and_leaves_no_draft(tmp_path: Path) -> None:
    """The file of keys that are given out goes this way."""
    path = tmp_path / "keys.json"
    replace_file(path, b"old")
    with watched_disk(full_for("keys.json")), pytest.raises(MunimentError) as refused:
        replace_file(path, b"new")
    assert refused.value.code == "store_unavailable"
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("keys.json", b"old")]


def test_a_key_that_finds_no_room_leaves_no_draft_of_itself(tmp_path: Path) -> None:
    with watched_disk(full_for("signing.key")), pytest.raises(OSError, match="No space left"):
        place_file(tmp_path / "signing.key", "a private key", mode=0o600)
    assert [*tmp_path.iterdir()] == []


def test_a_signing_key_that_finds_no_room_is_no_vault_and_can_be_made_later(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    with watched_disk(full_for("signing.key")), pytest.raises(MunimentError) as refused:
        Memory.open(vault, embedder=None)
    assert refused.value.code == "store_unavailable"
    with Memory.open(vault, embedder=None) as memory:
        assert memory.remember("there is room again").committed
