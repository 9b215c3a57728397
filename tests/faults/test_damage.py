"""The files themselves are damaged: pages blanked, scribbled over or with one bit turned, files cut short or gone.

Whatever the damage, opening or asking either refuses with a code or answers what is true; `verify` names the damage,
unless every row still reads as before. Nothing else comes out, and nothing crashes.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

import pytest
from tests.faults.damaging import (
    FILE,
    NOTES,
    SPOILS,
    Spoil,
    blank,
    outcome,
    page_kinds,
    recalled,
    restore,
    scribbled,
    spoil_page,
)
from tests.faults.deeds import LATER, opened
from tests.faults.dying import look

from muniment import Memory
from muniment.model.errors import MunimentError
from muniment_store_conformance.contents import Contents, contents

NAMED = frozenset({"store_unavailable", "configuration_error", "policy_invalid", "integrity_error"})


def test_a_damaged_page_of_any_kind_is_refused_reported_or_harmless(
    template: Path, tmp_path: Path, seed: int, long: bool
) -> None:
    """Every page of the file, each spoiled in one way, or in all of them."""
    truth, clean = look(shutil.copytree(template, tmp_path / "truth")), (template / FILE).read_bytes()
    kinds = page_kinds(template / FILE)
    rng, told = random.Random(f"{seed} pages"), Counter[tuple[str, str]]()
    vault = shutil.copytree(template, tmp_path / "vault")
    for page, kind in kinds.items():
        for spoil in SPOILS if long else (rng.choice(SPOILS),):
            restore(vault, template)
            spoil_page(vault, clean, page, spoil, rng)
            came_to = outcome(vault, truth)
            assert came_to in ("refused", "reported", "harmless"), f"page {page} ({kind}), {spoil.__name__}: {came_to}"
            told[spoil.__name__, came_to] += 1
            unnoticed = spoil is blank and kind != "free" and came_to == "harmless"
            assert not unnoticed, f"page {page} ({kind}) is blank and nobody noticed"
    print(f"{len(kinds)} pages of {len(set(kinds.values()))} kinds: {dict(sorted(told.items()))}")
    assert {came_to for _, came_to in told} >= {"refused", "reported"}


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


def test_a_file_that_is_gone_is_not_begun_anew_where_a_store_was(template: Path, tmp_path: Path) -> None:
    vault = shutil.copytree(template, tmp_path / "vault")
    (vault / FILE).unlink()
    with pytest.raises(MunimentError) as refused:
        Memory.open(vault, embedder=None)
    assert refused.value.code == "integrity_error"
    assert not (vault / FILE).exists()
    (vault / f"{FILE}-turns").unlink()
    with Memory.open(vault, embedder=None) as anew:
        assert anew.remember("begun anew on purpose").committed


def test_a_file_that_is_gone_is_not_made_where_none_is_to_be_made(template: Path, tmp_path: Path) -> None:
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
    held = contents(memory._session.tenant.store)
    shutil.copytree(working, vault)
    memory._session.tenant.store.close()
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
