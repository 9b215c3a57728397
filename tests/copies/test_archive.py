"""A tenant as one file: the same ledger on the other side, in any store, or a refusal that changes nothing."""

from __future__ import annotations

import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.copies.making import SECRET, furnish, names_in, opened, remembered, state
from tests.support.memory_store.store import MemoryTenant
from tests.support.world import SeededSigner, simulated_memory
from tests.surfaces.traces import traces

from muniment.backends.clock_and_ids import sign_value
from muniment.engine.copies.archive import Archive, Trailer, TrailerLine, write_archive
from muniment.engine.copies.transfer import export_archive, fill, import_archive
from muniment.engine.session import window
from muniment.model.claim import Claim
from muniment.model.errors import IntegrityError, Malformed, MunimentError, NotFound, SchemaMismatch


@pytest.fixture
def lived(vault: Path) -> Path:
    """A vault in which everything has happened that leaves something to be carried."""
    names = furnish(vault)
    with opened(vault) as memory:
        memory.revise(names[0], "Shelf 0 holds box 700")
        memory.review.retract(names[1], reason="it burned")
        memory.review.alias("the long shelf", "Shelf 2")
        above = remembered(memory, "Boxes are counted in spring", confidence=0.9, derived_from=[names[2]])
        memory.forget(remembered(memory, SECRET), reason="asked to")
        memory.erasure.hold(above, reason="asked for by the auditor")
        memory.ledger.checkpoint()
        memory.recall("which box is on shelf 4?")
    return vault


@pytest.fixture
def archive(lived: Path, tmp_path: Path) -> Path:
    export_archive(lived, "default", tmp_path / "a.ndjson")
    return tmp_path / "a.ndjson"


def test_a_tenant_taken_in_has_the_same_head_the_same_answers_and_the_same_explanations(
    archive: Path, lived: Path, tmp_path: Path
) -> None:
    with opened(lived) as memory:
        head, told = memory.ledger.head(), memory.recall("which box is on shelf 4?")
        certificates, holds = memory.erasure.certificates(), memory.erasure.holds()
    taken = import_archive(tmp_path / "new", archive, signing_key=lived / "keys" / "signing.key")
    assert (taken.head.hash, taken.handed_over) == (head.hash, False)
    with opened(tmp_path / "new") as memory:
        assert memory.ledger.head().hash == head.hash
        assert memory.ledger.verify().findings == ()
        assert memory.ledger.replay().identical
        again = memory.recall("which box is on shelf 4?")
        assert [(one.record.id, one.score) for one in again.records] == [
            (one.record.id, one.score) for one in told.records
        ]
        assert (memory.erasure.certificates(), memory.erasure.holds()) == (certificates, holds)
        receipts = [entry.id for entry, _ in memory.ledger.receipts()]
        assert len(receipts) == 3
        explained = memory.explain(receipts[0], replay=True)
        assert (explained.same_ids, explained.replayed) == (True, True)


def test_another_sort_of_store_takes_the_same_archive_and_ends_with_the_same_head(archive: Path) -> None:
    read = Archive(archive)
    header, trailer = read.check()
    store = MemoryTenant("default")
    head = fill(store, read, header)
    assert (head.seq, head.hash.hex()) == (trailer.entries, trailer.head)
    with store.read() as snapshot:
        assert snapshot.catalogue.count()["active"] == 12
    with pytest.raises(Malformed, match="nothing in it"):
        fill(store, read, header)


def test_an_archive_of_one_store_is_the_archive_of_the_store_that_took_it_in(archive: Path, tmp_path: Path) -> None:
    import_archive(tmp_path / "new", archive, signing_key=tmp_path / "vault" / "keys" / "signing.key")
    export_archive(tmp_path / "new", "default", tmp_path / "b.ndjson")
    assert (tmp_path / "b.ndjson").read_bytes() == archive.read_bytes()


def test_an_archive_has_tombstones_and_no_word_of_what_was_erased(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    archive.rename(tmp_path / "alone" / "a.ndjson")
    assert traces([SECRET], tmp_path / "alone") == []
    text = (tmp_path / "alone" / "a.ndjson").read_text()
    assert text.count('\\"erased\\":[{') == 1
    assert text.count('\n{"certificate":') == 1


def _lines(change: Callable[[list[bytes]], object]) -> Callable[[bytes], bytes]:
    def spoil(body: bytes) -> bytes:
        lines = body.splitlines(keepends=True)
        change(lines)
        return b"".join(lines)

    return spoil


def _swap(lines: list[bytes]) -> None:
    lines[5], lines[6] = lines[6], lines[5]


SPOILED: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda body: b"",
    "half": lambda body: body[: len(body) // 2],
    "no trailer": _lines(lambda lines: lines.pop()),
    "no last line break": lambda body: body[:-1],
    "a line missing": _lines(lambda lines: lines.pop(4)),
    "a line twice": _lines(lambda lines: lines.insert(4, lines[4])),
    "two lines swapped": _lines(_swap),
    "a word changed": lambda body: body.replace(b"Shelf 4 holds", b"Shelf 5 holds"),
    "a head of another ledger": lambda body: body.replace(b'"seq":', b'"seq":1', 1),
    "twice in one file": lambda body: body + body,
    "a receipt before the ledger": _lines(
        lambda lines: lines.insert(1, next(line for line in lines if line.startswith(b'{"receipt"')))
    ),
    "something behind": lambda body: body + b"{}\n",
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_damaged_archive_is_refused_and_nothing_is_changed(
    archive: Path, lived: Path, tmp_path: Path, how: str
) -> None:
    body = archive.read_bytes()
    spoiled = SPOILED[how](body)
    assert spoiled != body
    archive.write_bytes(spoiled)
    furnish(tmp_path / "other", 1, tenant="acme")
    before, names = state(tmp_path / "other"), names_in(tmp_path)
    for place in (tmp_path / "other", tmp_path / "new"):
        with pytest.raises((IntegrityError, Malformed)):
            import_archive(place, archive, signing_key=lived / "keys" / "signing.key")
    assert state(tmp_path / "other") == before
    assert names_in(tmp_path) == names


@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_no_bit_of_an_archive_can_be_changed(archive: Path, place: float, bit: int) -> None:
    body = bytearray(archive.read_bytes())
    body[int(place * len(body))] ^= 1 << bit
    spoiled = archive.with_name("spoiled.ndjson")
    spoiled.write_bytes(bytes(body))
    with pytest.raises(MunimentError):
        Archive(spoiled).check()


def test_an_archive_signed_anew_by_somebody_else_is_refused(archive: Path, lived: Path, tmp_path: Path) -> None:
    """Whoever changes an archive can count and hash again; what they cannot do is sign."""
    thief = SeededSigner(5)
    lines = archive.read_bytes().splitlines(keepends=True)
    told = msgspec.json.decode(lines[-1], type=TrailerLine).trailer
    taken: Trailer = msgspec.structs.replace(told, key=thief.key_id)
    for key, message in ((thief.key_id, "same ledger"), (told.key, "not signed")):
        trailer = msgspec.structs.replace(taken, key=key)
        line = TrailerLine(trailer=trailer, signature=sign_value(thief, trailer))
        archive.write_bytes(b"".join(lines[:-1]) + msgspec.json.encode(line) + b"\n")
        with pytest.raises(IntegrityError, match=message):
            import_archive(tmp_path / "new", archive, signing_key=lived / "keys" / "signing.key")
    assert not (tmp_path / "new").exists()


def test_a_signed_archive_whose_ledger_does_not_verify_is_refused_and_its_store_stays_empty(archive: Path) -> None:
    """The holder of the key can sign what is wrong; it is found out by what it says."""
    header, _ = Archive(archive).check()
    spoiled = archive.read_bytes().replace(b"Shelf 4 holds", b"Shelf 5 holds")
    archive.write_bytes(spoiled)
    read = Archive(archive)
    with pytest.raises(IntegrityError, match="trailer"):
        read.check()
    store = MemoryTenant("default")
    with pytest.raises(IntegrityError, match="not what was committed"):
        fill(store, read, header)
    with store.read() as snapshot:
        assert snapshot.ledger.head() is None


def test_an_archive_of_a_later_version_is_refused(archive: Path, tmp_path: Path) -> None:
    archive.write_bytes(archive.read_bytes().replace(b'{"archive":1,', b'{"archive":2,', 1))
    with pytest.raises(SchemaMismatch):
        import_archive(tmp_path / "new", archive)


def test_a_tenant_that_is_there_or_has_another_name_is_not_written_over(archive: Path, lived: Path) -> None:
    before = state(lived)
    with pytest.raises(Malformed, match="not there yet"):
        import_archive(lived, archive)
    with pytest.raises(Malformed, match="cannot change its name"):
        import_archive(lived, archive, tenant="acme")
    assert state(lived) == before


def test_a_log_that_a_lost_file_has_left_is_never_laid_over_what_is_taken_in(
    archive: Path, lived: Path, tmp_path: Path
) -> None:
    file, log = lived / "default.sqlite", lived / "default.sqlite-wal"
    with opened(lived) as memory:
        remembered(memory, "Written last, and in the log alone")
        shutil.copy(log, tmp_path / "log")
    file.unlink()
    shutil.copy(tmp_path / "log", log)
    with pytest.raises(IntegrityError, match=r"default.sqlite is gone, and default.sqlite-wal is there") as refused:
        import_archive(lived, archive)
    assert "default.sqlite-wal" in refused.value.hint
    assert not file.exists()
    assert log.read_bytes() == (tmp_path / "log").read_bytes()
    log.unlink()
    taken = import_archive(lived, archive)
    with opened(lived) as memory:
        assert memory.ledger.head().hash == taken.head.hash
        assert memory.ledger.verify().findings == ()


def test_a_vault_with_another_key_needs_the_old_one_and_takes_the_ledger_over(
    archive: Path, lived: Path, tmp_path: Path
) -> None:
    furnish(tmp_path / "other", 1, tenant="acme")
    with pytest.raises(Malformed, match="signing_key"):
        import_archive(tmp_path / "other", archive)
    taken = import_archive(tmp_path / "other", archive, signing_key=lived / "keys" / "signing.key")
    assert (taken.head.seq, taken.handed_over) == (taken.header.seq + 1, True)
    with opened(tmp_path / "other") as memory:
        remembered(memory, "It goes on here")
        assert memory.ledger.verify().findings == ()


def test_an_archive_takes_the_place_of_nothing_and_is_for_its_owner_alone(archive: Path, lived: Path) -> None:
    assert oct(archive.stat().st_mode & 0o777) == "0o600"
    body = archive.read_bytes()
    with pytest.raises(Malformed, match="a name that is free"):
        export_archive(lived, "default", archive)
    with pytest.raises(NotFound):
        export_archive(lived, "nobody", archive.with_name("other.ndjson"))
    assert archive.read_bytes() == body
    assert names_in(archive.parent) == ["a.ndjson", "vault"]


def _peaks(count: int, path: Path) -> tuple[int, tuple[int, int, int]]:
    """How large the archive of so many records is, and the most memory that writing, checking and reading it took."""
    memory = simulated_memory()
    memory.propose([Claim(content=f"Crate {number} weighs {number} tons {'x' * 800}") for number in range(count)])
    archive = Archive(path)

    def write() -> None:
        with window(memory) as snapshot, path.open("wb") as out:
            write_archive(snapshot, out, SeededSigner(0), release="1")

    def read() -> None:
        assert sum(1 for _ in archive.ledger.entries(1, 2**62)) == count + 2

    peaks = _peak(write), _peak(archive.check), _peak(read)
    return path.stat().st_size, peaks


def _peak(job: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        job()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_the_memory_that_archives_take_does_not_grow_with_them(tmp_path: Path) -> None:
    """Six times as many records, and no more held at once. What is allowed beyond is a fiftieth of the difference."""
    small, before = _peaks(100, tmp_path / "small.ndjson")
    large, after = _peaks(600, tmp_path / "large.ndjson")
    allowed = (large - small) // 50
    assert allowed > 20_000
    assert all(more - less < allowed for less, more in zip(before, after, strict=True))
