"""The files themselves are damaged: pages blanked, scribbled over or with one bit turned, files cut short or gone.

Whatever the damage, opening or asking either refuses with a code or answers what is true; `verify` names the damage,
unless every row still reads as before. Nothing else comes out, and nothing crashes.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.faults.deeds import LATER, TOLD, opened
from tests.faults.dying import look

from muniment import Memory
from muniment.model.errors import MunimentError
from muniment.testing.contents import Contents, contents

FILE = "default.sqlite"
NOTES = {f"note {number} of a keeper" for number in range(6)}
NAMED = frozenset({"store_unavailable", "configuration_error", "policy_invalid", "integrity_error"})
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
        found = contents(memory._tenant.store)
        assert found.receipts[: len(truth.receipts)] == truth.receipts
        assert (found.entries, found.documents, found.cards) == (truth.entries, truth.documents, truth.cards)
        assert (found.proposals, found.conflicts, found.edges) == (truth.proposals, truth.conflicts, truth.edges)
        return "harmless"
    except MunimentError as error:
        return "refused" if error.code in REFUSALS else f"refused as {error.code}"
    finally:
        if memory is not None:
            memory._tenant.store.close()


def recalled(memory: Memory) -> set[str] | None:
    """What is told of the notes; None if asking is refused, which is no answer and so no wrong one."""
    try:
        return {one.record.content for one in memory.recall(TOLD, limit=20).records} & NOTES
    except MunimentError:
        return None


def test_a_damaged_page_of_any_kind_is_refused_reported_or_harmless(
    template: Path, tmp_path: Path, seed: int, long: bool
) -> None:
    """Every page of the file, each spoiled in one way, or in all of them."""
    truth, clean = look(shutil.copytree(template, tmp_path / "truth")), (template / FILE).read_bytes()
    size, kinds = int.from_bytes(clean[16:18], "big"), page_kinds(template / FILE)
    rng, told = random.Random(f"{seed} pages"), Counter[tuple[str, str]]()
    vault = shutil.copytree(template, tmp_path / "vault")
    for page, kind in kinds.items():
        for spoil in SPOILS if long else (rng.choice(SPOILS),):
            start = (page - 1) * size
            spoiled = spoil(clean[start : start + size], rng)
            restore(vault, template)
            (vault / FILE).write_bytes(clean[:start] + spoiled + clean[start + size :])
            came_to = outcome(vault, truth)
            assert came_to in ("refused", "reported", "harmless"), f"page {page} ({kind}), {spoil.__name__}: {came_to}"
            told[spoil.__name__, came_to] += 1
            blanked = spoil is blank and any(clean[start : start + size]) and kind != "free"
            assert not (blanked and came_to == "harmless"), f"page {page} ({kind}) is blank and nobody noticed"
    print(f"{len(kinds)} pages of {len(set(kinds.values()))} kinds: {dict(sorted(told.items()))}")
    assert {came_to for _, came_to in told} >= {"refused", "reported"}


def restore(vault: Path, template: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-turns"):
        (vault / f"{FILE}{suffix}").unlink(missing_ok=True)
    shutil.copy(template / FILE, vault / FILE)


def test_a_file_that_was_cut_short_is_refused_or_reported(template: Path, tmp_path: Path, seed: int) -> None:
    truth, clean = look(shutil.copytree(template, tmp_path / "truth")), (template / FILE).read_bytes()
    vault, rng = shutil.copytree(template, tmp_path / "vault"), random.Random(f"{seed} cuts")
    for length in [0, 1, 99, 100, 4095, 4096, len(clean) - 4096, len(clean) - 1, *rng.sample(range(len(clean)), 12)]:
        restore(vault, template)
        (vault / FILE).write_bytes(clean[:length])
        assert outcome(vault, truth) in ("refused", "reported"), f"cut to {length} of {len(clean)} bytes"


def test_a_file_that_became_empty_is_not_begun_anew(template: Path, tmp_path: Path) -> None:
    """Whoever opens without saying `create=False` must not be handed an empty memory for a lost one."""
    vault = shutil.copytree(template, tmp_path / "vault")
    (vault / FILE).write_bytes(b"")
    with pytest.raises(MunimentError) as refused:
        Memory.open(vault, embedder=None)
    assert refused.value.code == "integrity_error"
    assert (vault / FILE).read_bytes() == b""


def test_a_file_that_is_gone_is_not_begun_anew_where_none_is_to_be_made(template: Path, tmp_path: Path) -> None:
    vault = shutil.copytree(template, tmp_path / "vault")
    (vault / FILE).unlink()
    with pytest.raises(MunimentError) as refused:
        Memory.open(vault, embedder=None, create=False)
    assert refused.value.code == "not_found"


def crashed(template: Path, vault: Path) -> Contents:
    """A vault as a dead process leaves it: its last writes are in the log alone. Says what it held."""
    working = vault.with_name("working")
    shutil.copytree(template, working)
    memory = opened(working, seed=2, start=LATER, create=False)
    memory.remember("a last word", proposal_id="p-last")
    held = contents(memory._tenant.store)
    shutil.copytree(working, vault)
    memory._tenant.store.close()
    return held


@pytest.mark.parametrize("spoil", [None, blank, scribbled], ids=["gone", "blank", "scribbled"])
def test_shared_memory_that_is_gone_or_damaged_is_made_anew(
    spoil: Spoil | None, template: Path, tmp_path: Path, seed: int
) -> None:
    held = crashed(template, tmp_path / "vault")
    shared = tmp_path / "vault" / f"{FILE}-shm"
    if spoil is None:
        shared.unlink()
    else:
        shared.write_bytes(spoil(shared.read_bytes(), random.Random(seed)))
    assert look(tmp_path / "vault") == held


def test_a_log_that_is_gone_leaves_an_earlier_moment_that_an_anchor_shows(template: Path, tmp_path: Path) -> None:
    before, held = look(shutil.copytree(template, tmp_path / "before")), crashed(template, tmp_path / "vault")
    (tmp_path / "vault" / f"{FILE}-wal").unlink()
    assert look(tmp_path / "vault") == before
    with opened(tmp_path / "working", seed=7, create=False) as whole:
        anchor = whole.ledger.head()
    assert anchor.seq == len(held.entries)
    with opened(tmp_path / "vault", seed=7, create=False) as lacking:
        assert {one.code for one in lacking.ledger.verify(anchor=anchor).findings} == {"ledger_rolled_back"}


@pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: str(spoil.__name__))
def test_a_damaged_log_holds_a_committed_beginning_or_is_refused(
    spoil: Spoil, template: Path, tmp_path: Path, seed: int
) -> None:
    held = crashed(template, tmp_path / "vault")
    before = look(shutil.copytree(template, tmp_path / "before"))
    log, rng = tmp_path / "vault" / f"{FILE}-wal", random.Random(f"{seed} log")
    clean = log.read_bytes()
    for start in [0, *(rng.randrange(0, len(clean), 512) for _ in range(5))]:
        vault = shutil.copytree(tmp_path / "vault", tmp_path / "spoiled")
        (vault / f"{FILE}-shm").unlink()
        (vault / log.name).write_bytes(clean[:start] + spoil(clean[start : start + 512], rng) + clean[start + 512 :])
        assert look(vault) in (before, held)
        shutil.rmtree(vault)


@pytest.mark.parametrize("name", ["head", "rows", "halves", "columns"])
@pytest.mark.parametrize("spoil", [blank, scribbled, None], ids=["blank", "scribbled", "gone"])
def test_damaged_vectors_spoil_no_answer_by_words_and_are_made_anew_or_replaced(
    name: str, spoil: Spoil | None, template: Path, tmp_path: Path, seed: int
) -> None:
    vault = shutil.copytree(template, tmp_path / "vault")
    for file in (vault / "default.vectors").glob(f"*{name}*"):
        whole = file.read_bytes()
        file.unlink()
        if spoil is not None:
            file.write_bytes(spoil(whole, random.Random(seed)))
    with opened(vault, seed=8, start=LATER, create=False) as memory:
        assert recalled(memory) == NOTES
        assert memory.ledger.verify().findings == ()


@pytest.mark.parametrize("name", ["keys/signing.key", "policy.yaml", "vault.toml"])
@pytest.mark.parametrize("left", [b"", b"\xff\x00 not what it was"], ids=["empty", "scribbled"])
def test_a_damaged_file_of_the_vault_is_named_and_nothing_is_changed(
    name: str, left: bytes, template: Path, tmp_path: Path
) -> None:
    vault = shutil.copytree(template, tmp_path / "vault")
    (vault / name).write_bytes(left)
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    if name == "vault.toml" and opens(vault):
        return  # a marker says little that is needed
    with pytest.raises(MunimentError) as refused:
        Memory.open(vault, embedder=None, create=False)
    assert refused.value.code in NAMED
    assert {path: path.read_bytes() for path in before} == before


def opens(vault: Path) -> bool:
    try:
        Memory.open(vault, embedder=None, create=False).close()
    except MunimentError:
        return False
    return True
