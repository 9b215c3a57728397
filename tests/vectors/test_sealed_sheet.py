"""Vectors on an encrypted disk: the same bytes come back, the file shows none, and only their key reads them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vectors.world import DIMENSIONS, MODEL, born, packed, since

from muniment.backends.sealing import TenantKey, VaultKey
from muniment.backends.vectors import columns_file
from muniment.backends.vectors.blocks import Blocks
from muniment.backends.vectors.columns import CardColumns
from muniment.backends.vectors.encrypted_file import UNIT, EncryptedGrowingFile
from muniment.backends.vectors.index import VectorIndex
from muniment.backends.vectors.index_head import IndexHead, head_file
from muniment.backends.vectors.reencryption import reseal
from muniment.model.filter import EVERYTHING
from muniment.model.rows import VectorRow

KEY = VaultKey(bytes(32)).tenant("acme")
OTHER = VaultKey(bytes(32)).tenant("zenith")
SECRET = KEY.sheet("1.halves")
UP = packed(*[0.25] * DIMENSIONS)
HALF = packed(*[0.25] * 8, *[-0.25] * 8)

offsets = st.integers(0, 200) | st.integers(UNIT - 40, UNIT + 40)
steps = st.one_of(
    st.tuples(st.just("write"), offsets, st.binary(max_size=70)),
    st.tuples(st.just("cut"), offsets, st.just(b"")),
    st.tuples(st.just("look"), offsets, st.just(b"")),
    st.tuples(st.just("reopen"), offsets, st.just(b"")),
)


@given(st.lists(steps, max_size=25))
def test_a_sealed_sheet_is_a_row_of_bytes_like_any_other(history: list[tuple[str, int, bytes]]) -> None:
    """The model is a bytearray; where nothing was written there are zeros."""
    with TemporaryDirectory() as folder:
        path, model = Path(folder) / "sheet", bytearray()
        sheet = EncryptedGrowingFile(path, SECRET)
        for what, offset, content in history:
            if what == "write" and content:
                model.extend(bytes(max(0, offset + len(content) - len(model))))
                model[offset : offset + len(content)] = content
                sheet.write(offset, content)
            elif what == "cut" and path.exists():
                del model[offset:]
                model.extend(bytes(offset - len(model)))
                sheet.cut(offset)
            elif what == "reopen":
                sheet.close()
                sheet = EncryptedGrowingFile(path, SECRET)
            else:
                seen = min(offset, len(model))
                view = sheet.view(seen)
                assert seen == 0 or (view is not None and view.tobytes() == bytes(model[:seen]))
        view = sheet.view(len(model))
        assert not model or (view is not None and view.tobytes() == bytes(model))
        for start in (0, 1, 17, len(model) // 2):
            if start < len(model):
                assert sheet.read(start, len(model) - start) == bytes(model[start:])
        sheet.close()


def test_the_file_shows_nothing_of_what_was_written(tmp_path: Path) -> None:
    sheet = EncryptedGrowingFile(tmp_path / "sheet", SECRET)
    content = b"the walrus eats marzipan" * 40
    sheet.write(5, content)
    sheet.flush()
    raw = (tmp_path / "sheet").read_bytes()
    assert all(content[at : at + 8] not in raw for at in range(48))


def test_what_repeats_does_not_repeat_on_the_disk(tmp_path: Path) -> None:
    sheet = EncryptedGrowingFile(tmp_path / "sheet", SECRET)
    sheet.write(0, bytes(2 * UNIT))
    blocks = np.frombuffer((tmp_path / "sheet").read_bytes()[: 2 * UNIT], "V16")
    assert len(np.unique(blocks)) == len(blocks) == 2 * UNIT // 16


def test_an_addition_leaves_the_bytes_of_what_was_there(tmp_path: Path) -> None:
    """Readers beside the appender, and a crash in the middle of an addition, depend on it."""
    sheet = EncryptedGrowingFile(tmp_path / "sheet", SECRET)
    sheet.write(0, b"a" * 768)
    before = (tmp_path / "sheet").read_bytes()[:768]
    sheet.write(768, b"b" * 768)
    assert (tmp_path / "sheet").read_bytes()[:768] == before


def test_what_another_process_adds_and_overwrites_is_seen_after_looking_again(tmp_path: Path) -> None:
    here, there = (EncryptedGrowingFile(tmp_path / "sheet", SECRET) for _ in range(2))
    there.write(0, b"abcdefgh")
    view = here.view(8)
    assert view is not None
    assert view.tobytes() == b"abcdefgh"

    there.write(8, b"ijklmnop")
    grown = here.view(16)
    assert grown is not None
    assert grown.tobytes() == b"abcdefghijklmnop"

    there.write(0, bytes(4))
    here.renew()
    renewed = here.view(16)
    assert renewed is not None
    assert renewed.tobytes() == bytes(4) + b"efghijklmnop"


def test_a_sheet_is_no_longer_than_it_is(tmp_path: Path) -> None:
    sheet = EncryptedGrowingFile(tmp_path / "sheet", SECRET)
    assert sheet.view(1) is None
    assert sheet.read(0, 16) is None
    sheet.reserve(100)
    assert sheet.read(0, 112) == bytes(112)
    assert sheet.read(0, 113) is None


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """An encrypted index of two rows, with signs."""
    index = VectorIndex(tmp_path / "one", exact_max=0, key=KEY)
    index.sync(100, since(born(1, 2)))
    assert index.try_lock()
    index.begin(MODEL, DIMENSIONS)
    add(index, 1, UP)
    add(index, 2, HALF)
    index.save(b"h" * 32)
    index.close()
    return tmp_path / "one"


def _opened(folder: Path, key: TenantKey | None) -> VectorIndex:
    index = VectorIndex(folder, exact_max=0, key=key)
    index.sync(100, since(born(1, 2)))
    return index


def add(index: VectorIndex, rid: int, vector: bytes) -> None:
    index.add([VectorRow(rid=rid, start=0, end=9, vector=vector)], upto=rid, hash=b"h" * 32)


def found(index: VectorIndex) -> list[tuple[int, float]]:
    """Every revision that is found, the one nearest to `UP` first, and how near it is."""
    return [(one.rid, one.cosine) for one in index.search(EVERYTHING, UP, as_of=100, upto=100, keep=10)]


def _bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()))


HALVES = np.array([0.25] * DIMENSIONS, np.float16).tobytes()
SIGNS = b"\xff\xff\x00\x00\x00\x00\x00\x00"


def test_an_encrypted_index_finds_the_same_and_shows_no_vector_sign_or_name(filled: Path) -> None:
    index = _opened(filled, KEY)
    assert found(index) == [(1, 1.0), (2, 0.0)]
    assert HALVES not in _bytes(filled)
    assert SIGNS not in _bytes(filled)
    assert b"apollo" not in _bytes(filled)


def test_a_plain_index_shows_them_all(filled: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    reseal(filled, KEY, plain, None)
    index = _opened(plain, None)
    index.save(b"h" * 32)
    assert found(index) == [(1, 1.0), (2, 0.0)]
    for shown in (HALVES, SIGNS, b"apollo"):
        assert shown in _bytes(plain)


def test_vectors_are_copied_from_one_key_to_another(filled: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    reseal(filled, KEY, copy, OTHER)
    assert found(_opened(copy, OTHER)) == [(1, 1.0), (2, 0.0)]
    assert _opened(copy, KEY).count == 0
    assert not (copy / "columns").exists()


@pytest.mark.parametrize("key", [None, OTHER], ids=["without", "other"])
def test_with_another_key_there_are_no_vectors_and_they_are_begun_anew(filled: Path, key: TenantKey | None) -> None:
    index = _opened(filled, key)
    assert (index.count, index.reach().model) == (0, None)
    assert not index.load(lambda position: b"h" * 32)
    assert index.try_lock()
    index.begin(MODEL, DIMENSIONS)
    add(index, 1, HALF)
    assert found(index) == [(1, 0.0)]


def test_columns_are_taken_over_with_their_key_and_not_when_a_byte_was_altered(filled: Path) -> None:
    assert _opened(filled, KEY).load(lambda position: b"h" * 32)
    raw = bytearray((filled / "columns").read_bytes())
    for place in (0, 9, 25, len(raw) // 2, len(raw) - 1):
        altered = bytes([*raw[:place], raw[place] ^ 1, *raw[place + 1 :]])
        (filled / "columns").write_bytes(altered)
        assert columns_file.load(filled / "columns", KEY) is None
    columns_file.save(CardColumns(), filled / "columns", b"h" * 32)
    assert columns_file.load(filled / "columns", KEY) is None


def test_a_row_is_forgotten_on_an_encrypted_disk_and_by_whoever_has_it_open(filled: Path) -> None:
    beside = _opened(filled, KEY)
    assert found(beside) == [(1, 1.0), (2, 0.0)]
    index = _opened(filled, KEY)

    assert index.forget([1]) == 1

    assert found(index) == found(beside) == [(2, 0.0)]
    assert found(_opened(filled, KEY)) == [(2, 0.0)]


def test_a_copy_in_memory_is_let_go_of_when_another_process_forgets(filled: Path) -> None:
    beside = Blocks(filled, planes_from=0, key=KEY)
    before = beside.look()
    assert before is not None
    assert before.halves[0].tobytes() == HALVES

    _opened(filled, KEY).forget([1])

    after = beside.look()
    assert after is not None
    assert after.halves[0].tobytes() == bytes(2 * DIMENSIONS)
    assert after.halves[1].tobytes() == before.halves[1].tobytes()


def test_a_head_without_a_key_is_written_as_it_always_was(tmp_path: Path) -> None:
    head = IndexHead(model=MODEL, dimensions=DIMENSIONS, epoch=1, turn=1)
    head_file(tmp_path, None).write(head)
    assert head_file(tmp_path, None).read() == head
    assert head_file(tmp_path, KEY).read() is None
