"""Vectors on disk: a crash leaves the last published state, damage reads as empty, forgotten bytes are gone."""

from __future__ import annotations

import itertools
import shutil
import struct
from pathlib import Path

import pytest
from tests.vectors.world import DIMENSIONS, MODEL, born, packed, since

from muniment.backends.vectors.blocks import BLOCK
from muniment.backends.vectors.index import VectorIndex
from muniment.backends.vectors.index_head import IndexHead, IndexHeadFile
from muniment.model.errors import ConfigurationError, StoreUnavailable
from muniment.model.filter import EVERYTHING
from muniment.model.rows import NearbyText, VectorCoverage, VectorRow

UP = packed(*[0.25] * DIMENSIONS)
HALF = packed(*[0.25] * 8, *[-0.25] * 8)
ODD = packed(*[number / 64 for number in range(-8, 8)])
ODD_HALVES = struct.pack("<16e", *[number / 64 for number in range(-8, 8)])
SHEETS = ("1.rows", "1.halves", "1.planes")


def opened(folder: Path) -> VectorIndex:
    index = VectorIndex(folder, exact_max=0)
    index.sync(100, since(born(*range(1, 50))))
    return index


def begun(folder: Path) -> VectorIndex:
    index = opened(folder)
    assert index.try_lock()
    index.begin(MODEL, DIMENSIONS)
    return index


def add(index: VectorIndex, rid: int, vector: bytes) -> None:
    index.add([VectorRow(rid=rid, start=0, end=9, vector=vector)], upto=rid, hash=bytes([rid]) * 32)


def found(index: VectorIndex) -> list[NearbyText]:
    return index.search(EVERYTHING, UP, as_of=100, upto=100, keep=9)


def near(rid: int, cosine: float) -> NearbyText:
    return NearbyText(rid=rid, cosine=cosine, start=0, end=9)


def every_byte(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


@pytest.fixture
def states(tmp_path: Path) -> tuple[Path, Path]:
    """The same index on disk, before a row was added and after."""
    index = begun(tmp_path / "work")
    add(index, 1, HALF)
    shutil.copytree(tmp_path / "work", tmp_path / "before")
    add(index, 2, UP)
    index.close()
    shutil.copytree(tmp_path / "work", tmp_path / "after")
    return tmp_path / "before", tmp_path / "after"


def test_what_was_added_is_there_when_the_index_is_opened_again(states: tuple[Path, Path]) -> None:
    _, after = states

    assert found(opened(after)) == [near(2, 1.0), near(1, 0.0)]
    assert opened(after).reach() == VectorCoverage(model=MODEL, upto=2)
    assert opened(after).agrees(lambda position: b"\x02" * 32 if position == 2 else None)


@pytest.mark.parametrize("written", list(itertools.product((False, True), repeat=3)))
def test_a_crash_between_rows_and_head_leaves_the_state_before(
    written: tuple[bool, bool, bool], states: tuple[Path, Path]
) -> None:
    """Whichever of the three files the new row had reached, the old head still holds, and the next row overwrites."""
    before, after = states
    for name, reached in zip(SHEETS, written, strict=True):
        if reached:
            shutil.copy(after / name, before / name)

    index = opened(before)
    assert found(index) == [near(1, 0.0)]
    assert index.reach() == VectorCoverage(model=MODEL, upto=1)

    assert index.try_lock()
    add(index, 3, ODD)
    assert found(index) == [near(1, 0.0), near(3, -0.03125)]
    index.close()
    assert found(opened(before)) == [near(1, 0.0), near(3, -0.03125)]


def test_a_row_that_was_never_published_is_gone_once_somebody_else_adds(states: tuple[Path, Path]) -> None:
    before, after = states
    for name in SHEETS:
        shutil.copy(after / name, before / name)
    halves = struct.pack("<16e", *[0.25] * 16)
    assert halves in every_byte(before)

    assert opened(before).try_lock()

    assert halves not in every_byte(before)
    assert not any((before / "1.planes").read_bytes()[8:16])


def test_a_head_cut_short_while_it_was_written_is_the_one_before_or_the_new_one(states: tuple[Path, Path]) -> None:
    before, after = states
    new = (after / "head").read_bytes()
    old = (before / "head").read_bytes().ljust(len(new), b"\0")
    turns = [head.turn if (head := IndexHeadFile(folder / "head").read()) else None for folder in states]
    changed = [
        place for place, (one, other) in enumerate(zip(old.ljust(len(new), b"\0"), new, strict=True)) if one != other
    ]

    seen = []
    for length in range(changed[0], changed[-1] + 2):
        (before / "torn").write_bytes(new[:length] + old[length:])
        head = IndexHeadFile(before / "torn").read()
        seen.append(head.turn if head else None)
    assert set(seen) == set(turns)
    assert seen == sorted(seen, key=turns.index)


@pytest.mark.parametrize("name", ["1.rows", "1.halves", "1.planes", "head"])
def test_a_file_that_was_cut_reads_as_no_index_and_a_new_one_can_begin(name: str, states: tuple[Path, Path]) -> None:
    _, after = states
    whole = (after / name).read_bytes()
    needed = {"1.rows": 32, "1.halves": 64, "1.planes": BLOCK * 8, "head": 100}[name]

    for length in (0, 1, needed // 2, needed - 1):
        (after / name).write_bytes(whole[:length])
        index = opened(after)
        assert (found(index), index.reach(), index.count) == ([], VectorCoverage(), 0), length
        assert index.forget([1]) == 0

    index = begun(after)
    add(index, 7, UP)
    assert found(index) == [near(7, 1.0)]
    assert [near.rid for near in found(opened(after))] == [7]


def test_a_file_that_is_missing_reads_as_no_index(states: tuple[Path, Path]) -> None:
    _, after = states
    (after / "1.halves").unlink()

    assert (found(opened(after)), opened(after).reach()) == ([], VectorCoverage())


def test_rows_out_of_order_read_as_no_index(states: tuple[Path, Path]) -> None:
    _, after = states
    rows = (after / "1.rows").read_bytes()
    (after / "1.rows").write_bytes(rows[16:32] + rows[:16] + rows[32:])

    assert (found(opened(after)), opened(after).reach()) == ([], VectorCoverage())


def test_a_turned_bit_in_the_newest_head_shows_the_one_before_and_in_both_no_index(states: tuple[Path, Path]) -> None:
    _, after = states
    whole = (after / "head").read_bytes()
    for place in range(60):
        turned = bytearray(whole)
        turned[place] ^= 1
        turned[place + 4_096] ^= 1
        (after / "head").write_bytes(turned)
        assert opened(after).count == 0, place


def test_forgotten_bytes_are_in_no_file(tmp_path: Path) -> None:
    index = begun(tmp_path)
    add(index, 1, UP)
    add(index, 2, ODD)
    add(index, 3, UP)
    signs = sum(1 << bit for bit in range(16) if bit - 8 > 0)
    assert ODD_HALVES in every_byte(tmp_path)
    assert struct.unpack_from("<Q", (tmp_path / "1.planes").read_bytes(), 8) == (signs,)

    assert index.forget([2]) == 1

    assert ODD_HALVES not in every_byte(tmp_path)
    assert ODD_HALVES[:8] not in every_byte(tmp_path)
    assert struct.unpack_from("<3Q", (tmp_path / "1.planes").read_bytes()) == (0xFFFF, 0, 0xFFFF)
    assert found(index) == found(opened(tmp_path)) == [near(3, 1.0), near(1, 1.0)]


def test_beginning_anew_leaves_nothing_of_the_old_vectors(tmp_path: Path) -> None:
    index = begun(tmp_path)
    add(index, 1, ODD)

    index.begin("another@2", DIMENSIONS)

    assert ODD_HALVES not in every_byte(tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("1.")] == []


def test_files_of_another_epoch_are_removed_by_whoever_adds_next(states: tuple[Path, Path]) -> None:
    """A process that dies while it begins anew leaves files that no head speaks of."""
    _, after = states
    (after / "2.halves").write_bytes(ODD_HALVES)

    index = opened(after)
    assert index.try_lock()

    assert ODD_HALVES not in every_byte(after)
    assert len(found(index)) == 2


def test_signs_are_written_once_there_are_rows_enough_to_need_them(tmp_path: Path) -> None:
    index = VectorIndex(tmp_path, exact_max=2)
    index.sync(100, since(born(1, 2, 3, 4)))
    assert index.try_lock()
    index.begin(MODEL, DIMENSIONS)
    add(index, 1, HALF)
    add(index, 2, UP)
    assert not (tmp_path / "1.planes").exists()

    add(index, 3, UP)

    assert struct.unpack_from("<3Q", (tmp_path / "1.planes").read_bytes()) == (0x00FF, 0xFFFF, 0xFFFF)
    assert found(index) == [near(3, 1.0), near(2, 1.0), near(1, 0.0)]


def test_a_crash_before_the_first_signs_were_published_leaves_none_behind(tmp_path: Path) -> None:
    index = VectorIndex(tmp_path, exact_max=2)
    index.sync(100, since(born(1, 2, 3, 4)))
    assert index.try_lock()
    index.begin(MODEL, DIMENSIONS)
    add(index, 1, HALF)
    index.close()
    (tmp_path / "1.planes").write_bytes(b"\xff" * 64)

    assert VectorIndex(tmp_path).try_lock()

    assert (tmp_path / "1.planes").read_bytes() == b""


def test_a_revision_comes_with_all_its_passages_and_after_those_before_it(tmp_path: Path) -> None:
    index = begun(tmp_path)
    add(index, 5, UP)

    with pytest.raises(AssertionError, match="all passages"):
        add(index, 5, UP)
    with pytest.raises(AssertionError, match="all passages"):
        add(index, 4, UP)
    assert index.count == 1


def test_nothing_is_added_to_an_index_that_was_not_begun(tmp_path: Path) -> None:
    index = opened(tmp_path / "none")
    assert index.try_lock()

    with pytest.raises(AssertionError, match="begun"):
        add(index, 1, UP)


def test_a_model_with_too_long_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        IndexHeadFile(tmp_path / "head").write(IndexHead(model="m" * 2_000, dimensions=4, epoch=1))


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreUnavailable):
        VectorIndex(tmp_path / "file" / "inside").try_lock()


def test_a_head_that_cannot_be_read_is_not_taken_for_an_empty_index(tmp_path: Path) -> None:
    (tmp_path / "head").mkdir()

    with pytest.raises(StoreUnavailable):
        found(opened(tmp_path))


def test_an_index_that_only_looks_makes_no_files(tmp_path: Path) -> None:
    index = opened(tmp_path / "none")

    assert (found(index), index.count, index.forget([1])) == ([], 0, 0)
    assert index.rows(100) is not None
    assert not (tmp_path / "none" / "head").exists()
