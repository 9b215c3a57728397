"""Columns follow the cards of a store, and are read back from a file only when every byte is right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vectors.world import PLAIN, since, tenants

from muniment.backends.vectors.columns import TYPES, CardColumns
from muniment.backends.vectors.columns_file import load, save
from muniment.backends.vectors.masks import Masks
from muniment.model.card import Card
from muniment.model.errors import IntegrityError, StoreUnavailable
from muniment.model.filter import OneOf

HASH = bytes(range(32))
ACTIVE = OneOf(field="status", words=("active",))


def columns_of(tenant: list[Card]) -> CardColumns:
    columns = CardColumns()
    columns.sync(max((card.since for card in tenant), default=0), since(tenant))
    return columns


def moved_on(card: Card, rid: int, seq: int) -> Card:
    return msgspec.structs.replace(card, rid=rid + card.rid, seq=seq + card.seq, since=seq + card.seq)


def saved(folder: Path, tenant: list[Card]) -> bytes:
    save(columns_of(tenant), folder / "columns", HASH)
    return (folder / "columns").read_bytes()


@given(tenant=tenants(), more=tenants(most=4))
def test_what_is_read_back_is_what_was_saved_and_grows_on_alike(tenant: list[Card], more: list[Card]) -> None:
    kept = columns_of(tenant)
    with TemporaryDirectory() as folder:
        save(kept, Path(folder) / "columns", HASH)
        found = load(Path(folder) / "columns")
    assert found is not None
    read, hash = found
    assert hash == HASH
    assert read.position == kept.position

    rid, seq = max((card.rid for card in tenant), default=0), kept.position
    later = [
        msgspec.structs.replace(card, rid=rid + card.rid, seq=seq + card.seq, since=seq + card.seq) for card in more
    ]
    for columns in (kept, read):
        columns.sync(seq + 20, since(later))
    for name in TYPES:
        assert read.column(name).tolist() == kept.column(name).tolist(), name
    assert {field: words.spelled for field, words in read.words.items()} == {
        field: words.spelled for field, words in kept.words.items()
    }
    assert (read.last_start, read.first_end, read.first_expiry) == (kept.last_start, kept.first_end, kept.first_expiry)


def test_a_file_that_was_cut_anywhere_is_not_read(tmp_path: Path) -> None:
    whole = saved(tmp_path, [PLAIN])

    for length in range(len(whole)):
        (tmp_path / "columns").write_bytes(whole[:length])
        assert load(tmp_path / "columns") is None, length


@given(place=st.integers(0, 10**9), bit=st.integers(0, 7))
def test_a_file_with_one_bit_turned_is_not_read(place: int, bit: int) -> None:
    with TemporaryDirectory() as folder:
        turned = bytearray(saved(Path(folder), [PLAIN]))
        turned[place % len(turned)] ^= 1 << bit
        (Path(folder) / "columns").write_bytes(turned)
        assert load(Path(folder) / "columns") is None


def test_a_file_that_is_not_there_is_not_read(tmp_path: Path) -> None:
    assert load(tmp_path / "columns") is None


def test_saving_leaves_the_old_file_alone_when_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "columns").mkdir()
    with pytest.raises(StoreUnavailable):
        save(columns_of([PLAIN]), tmp_path / "columns", HASH)

    assert [path.name for path in tmp_path.iterdir()] == ["columns"]


def test_columns_never_go_back() -> None:
    columns = columns_of([PLAIN])
    columns.sync(9, since([msgspec.structs.replace(PLAIN, status="retracted", since=9)]))

    columns.sync(4, lambda after: [msgspec.structs.replace(PLAIN, status="active", since=10)])

    assert columns.position == 9
    assert Masks(columns).of(ACTIVE).tolist() == [False]


def test_a_store_that_fails_while_it_tells_loses_nothing() -> None:
    """What was told before the failure is in, kept masks know of it, and the position says that not all of it is."""
    columns = columns_of([PLAIN])
    masks = Masks(columns)
    masks.of(ACTIVE)
    changed = [
        msgspec.structs.replace(PLAIN, rid=1 + number, seq=2, since=2, status="retracted") for number in range(5_000)
    ]

    def failing(after: int) -> Iterator[Card]:
        yield from changed[:4_500]
        raise StoreUnavailable("the disk is gone")

    with pytest.raises(StoreUnavailable):
        columns.sync(2, failing)
    assert columns.position == 1
    assert not masks.of(ACTIVE).any()

    columns.sync(2, since(changed))
    assert columns.position == 2
    assert columns.count == 5_000
    assert columns.longs("rid").tolist() == list(range(1, 5_001))


def test_a_birth_between_two_older_ones_is_refused() -> None:
    columns = columns_of([PLAIN, msgspec.structs.replace(PLAIN, rid=5, seq=2, since=2)])

    with pytest.raises(IntegrityError):
        columns.sync(3, since([msgspec.structs.replace(PLAIN, rid=3, seq=3, since=3)]))


def test_a_card_with_a_rank_no_card_can_have_is_refused() -> None:
    with pytest.raises(IntegrityError):
        columns_of([msgspec.structs.replace(PLAIN, trust=1_000)])


def test_revisions_are_found_where_they_stand() -> None:
    columns = columns_of([msgspec.structs.replace(PLAIN, rid=rid, seq=rid, since=rid) for rid in (2, 5, 9)])

    assert columns.ordinals(np.array([9, 1, 5, 6, 2, 10])).tolist() == [2, -1, 1, -1, 0, -1]
    assert CardColumns().ordinals(np.array([9])).tolist() == [-1]
    assert [columns.born_by(position) for position in (1, 2, 8, 9, 100)] == [0, 1, 2, 3, 3]
