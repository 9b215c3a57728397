"""Whatever becomes of the model or its vectors, recall answers, and says by what."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.recall.world import Broken, Quarters, Stuck, Toy, contents, eventually, on_disk

from muniment import Memory
from muniment.backends.sqlite.store import SqliteVault
from muniment.backends.vectors.index import VectorIndex
from muniment.model.errors import ModelUnavailable, MunimentError
from muniment.model.recall import Recall
from muniment.model.rows import VectorCoverage

TEXT = "the pump is an automobile"


def parts(answer: Recall) -> set[str]:
    """The names of everything a score was made of."""
    return {name for one in answer.records for name, _ in one.parts}


def test_without_a_model_words_answer_and_the_reason_is_given(tmp_path: Path) -> None:
    with on_disk(tmp_path, None) as memory:
        memory.remember(TEXT)
        answer = memory.recall("pump")
        assert contents(answer) == [TEXT]
        assert (answer.searched.model, answer.searched.trailing) == (None, 0)
        assert answer.searched.why is not None
        assert "muniment model install" in answer.searched.why
        assert "meaning" not in parts(answer)
        assert memory.flush(timeout=WAIT_S) == VectorCoverage()
        assert contents(memory.recall("vehicle")) == []
        assert memory.explain(answer.receipt_id, replay=True).same_ids


def test_with_a_model_meaning_counts_and_is_named_among_the_parts(tmp_path: Path) -> None:
    with on_disk(tmp_path, Toy()) as memory:
        memory.remember(TEXT)
        memory.flush(timeout=WAIT_S)
        answer = memory.recall("vehicle")
        assert contents(answer) == [TEXT]
        assert "meaning" in parts(answer)
        assert answer.searched.why is None
        assert answer.records[0].reasons[0] == "is near in meaning"


def test_vectors_of_another_model_are_never_compared_and_are_made_again(vault: Path) -> None:
    with Memory.open(vault, embedder=Toy()) as memory:
        memory.remember(TEXT)
        memory.remember("a slow physician came")
        memory.flush(timeout=WAIT_S)
    model = Stuck("toy@2")
    with Memory.open(vault, embedder=model) as memory:
        assert model.arrived.wait(WAIT_S), "they are being made in the background"
        answer = memory.recall("the vehicle called pump")
        assert contents(answer) == [TEXT]
        assert "meaning" not in parts(answer)
        assert answer.searched.trailing > 0
        assert answer.searched.why or answer.searched.model == "toy@2"
        assert contents(memory.recall("vehicle")) == []
        model.free.set()
        steps: list[tuple[int, int]] = []
        reach = memory.flush(timeout=WAIT_S, progress=lambda done, all_: steps.append((done, all_)))
        assert reach == VectorCoverage(model="toy@2", upto=memory.ledger.head().seq)
        again = memory.recall("vehicle")
        assert (contents(again), again.searched.model, again.searched.why) == ([TEXT], "toy@2", None)


@pytest.mark.parametrize("model", [Toy("toy@2"), Quarters()], ids=["as wide", "narrower"])
def test_vectors_that_another_process_still_makes_with_the_old_model_are_left_alone(
    vault: Path, model: Toy | Quarters
) -> None:
    with Memory.open(vault, embedder=Toy()) as other:
        other.remember(TEXT)
        other.flush(timeout=WAIT_S)
        elsewhere = VectorIndex(vault / "default.vectors")
        assert eventually(elsewhere.try_lock), "somebody else is the one that makes vectors"
        with Memory.open(vault, embedder=model) as memory:
            answer = memory.recall("a vehicle or pump")
            assert contents(answer) == [TEXT]
            assert (answer.searched.model, "meaning" in parts(answer)) == (None, False)
            assert answer.searched.why == "vectors are still being made with this model"
            assert contents(memory.recall("vehicle")) == []
        assert contents(other.recall("vehicle")) == [TEXT]
        elsewhere.close()


def test_a_model_of_another_width_takes_over(vault: Path) -> None:
    with Memory.open(vault, embedder=Toy()) as memory:
        memory.remember(TEXT)
        memory.flush(timeout=WAIT_S)
    with Memory.open(vault, embedder=Quarters()) as memory:
        memory.flush(timeout=WAIT_S)
        answer = memory.recall(TEXT)
        assert (contents(answer), answer.searched.model) == ([TEXT], "quarters@1")
    with Memory.open(vault, embedder=Toy()) as memory:
        memory.flush(timeout=WAIT_S)
        assert contents(memory.recall("vehicle")) == [TEXT]
        assert memory.ledger.verify().ok


def test_a_model_that_is_taken_away_leaves_its_vectors_for_when_it_is_back(vault: Path) -> None:
    with Memory.open(vault, embedder=Toy()) as memory:
        memory.remember(TEXT)
        memory.flush(timeout=WAIT_S)
    with Memory.open(vault, embedder=None) as memory:
        memory.remember("a physician came")
        assert contents(memory.recall("vehicle")) == []
    model = Toy()
    with Memory.open(vault, embedder=model) as memory:
        memory.flush(timeout=WAIT_S)
        assert model.asked == ["a physician came"], "the first was not made again"
        assert contents(memory.recall("vehicle")) == [TEXT]


def test_a_model_that_fails_leaves_the_words_and_recovers(tmp_path: Path) -> None:
    model = Broken()
    with on_disk(tmp_path, model) as memory:
        memory.remember(TEXT)
        answer = memory.recall("pump")
        assert contents(answer) == [TEXT]
        assert answer.searched.model is None
        assert answer.searched.why is not None
        assert "the model is down" in answer.searched.why
        with pytest.raises(ModelUnavailable):
            memory.flush(timeout=WAIT_S)
        model.down = False
        assert memory.flush(timeout=WAIT_S).upto == memory.ledger.head().seq
        again = memory.recall("vehicle")
        assert (contents(again), again.searched.model, again.searched.why) == ([TEXT], "toy@1", None)


def test_a_model_that_reads_questions_but_no_records_is_told_of(tmp_path: Path) -> None:
    model = Quarters()
    model.shut = {TEXT}
    with on_disk(tmp_path, model) as memory:
        memory.remember(TEXT)
        assert eventually(lambda: "the model does not read these" in (memory.recall("pump").searched.why or ""))
        assert contents(memory.recall("pump")) == [TEXT]
        model.shut = set()
        memory.remember("something else")
        assert eventually(lambda: memory.insight.searching().trailing == 0), "it is tried again after the next write"
        assert eventually(lambda: memory.recall("pump").searched.why is None)


class TooFew(Toy):
    """Makes no vector of what it does not like."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return super().embed([text for text in texts if text != TEXT])


def test_a_model_that_gives_too_few_vectors_is_not_believed(tmp_path: Path) -> None:
    with on_disk(tmp_path, TooFew()) as memory:
        memory.remember(TEXT)
        memory.remember("a physician came")
        with pytest.raises(ModelUnavailable):
            memory.flush(timeout=WAIT_S)
        assert contents(memory.recall("pump")) == [TEXT]


def test_a_function_of_the_callers_that_raises_is_a_model_that_fails(vault: Path) -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        raise ValueError("no graphics card")

    with Memory.open(vault, embedder=embed) as memory:
        memory.remember(TEXT)
        answer = memory.recall("pump")
        assert contents(answer) == [TEXT]
        assert "failed: ValueError" in (answer.searched.why or "")
        with pytest.raises(ModelUnavailable):
            memory.flush(timeout=WAIT_S)


def test_a_function_of_the_callers_makes_vectors(vault: Path) -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.1] if "automobile" in text or "vehicle" in text else [0.0, 1.0] for text in texts]

    with Memory.open(vault, embedder=embed) as memory:
        memory.remember(TEXT)
        memory.remember("a physician came")
        memory.flush(timeout=WAIT_S)
        assert contents(memory.recall("vehicle"))[0] == TEXT


def vectors_of(vault: Path, tenant: str = "default") -> Path:
    return vault / f"{tenant}.vectors"


def cut(vault: Path) -> None:
    for path in vectors_of(vault).iterdir():
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def cut_rows(vault: Path) -> None:
    for path in vectors_of(vault).glob("*.rows"):
        path.write_bytes(path.read_bytes()[:-5])


def fill_with_garbage(vault: Path) -> None:
    for number, path in enumerate(sorted(vectors_of(vault).iterdir())):
        path.write_bytes(bytes((number * 37 + spot * 101) % 256 for spot in range(9_000)))


def remove(vault: Path) -> None:
    shutil.rmtree(vectors_of(vault))


def empty(vault: Path) -> None:
    for path in vectors_of(vault).iterdir():
        path.unlink()


def take_from_another_tenant(vault: Path) -> None:
    with Memory.open(vault, tenant="other", embedder=Toy()) as memory:
        for number in range(9):
            memory.remember(f"a vehicle {number} of somebody else")
        memory.flush(timeout=WAIT_S)
    remove(vault)
    shutil.copytree(vectors_of(vault, "other"), vectors_of(vault))


DAMAGES: tuple[Callable[[Path], None], ...] = (
    cut,
    cut_rows,
    fill_with_garbage,
    remove,
    empty,
    take_from_another_tenant,
)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))
def test_damaged_vectors_are_no_vectors_and_are_made_again(vault: Path, damage: Callable[[Path], None]) -> None:
    with Memory.open(vault, embedder=Toy()) as memory:
        memory.remember(TEXT)
        memory.remember("a physician came")
        memory.flush(timeout=WAIT_S)
    damage(vault)
    with Memory.open(vault, embedder=None) as memory:
        assert contents(memory.recall("pump")) == [TEXT]
    with Memory.open(vault, embedder=Toy()) as memory:
        assert contents(memory.recall("pump")) == [TEXT]
        memory.flush(timeout=WAIT_S)
        answer = memory.recall("vehicle")
        assert (contents(answer), answer.searched.trailing, answer.searched.why) == ([TEXT], 0, None)
        assert memory.ledger.verify().ok


def test_vectors_of_a_later_ledger_are_none_of_ours_after_a_backup_was_put_back(vault: Path, tmp_path: Path) -> None:
    """The file goes back in time, its vectors do not; then history takes another course, past where they reach."""
    with Memory.open(vault, embedder=Toy()) as memory:
        memory.remember(TEXT)
        memory.flush(timeout=WAIT_S)
    shutil.copy(vault / "default.sqlite", tmp_path / "backup")
    with Memory.open(vault, embedder=Toy()) as memory:
        memory.remember("a physician came")
        memory.flush(timeout=WAIT_S)
    for leftover in vault.glob("default.sqlite*"):
        leftover.unlink()
    shutil.copy(tmp_path / "backup", vault / "default.sqlite")
    with Memory.open(vault, embedder=None) as memory:
        for number in range(3):
            memory.remember(f"the garden {number} is green")
    with Memory.open(vault, embedder=Toy()) as memory:
        assert contents(memory.recall("doctor")) == []
        memory.flush(timeout=WAIT_S)
        assert contents(memory.recall("doctor")) == []
        assert contents(memory.recall("vehicle")) == [TEXT]
        assert memory.ledger.verify().ok


def test_a_folder_that_cannot_be_written_to_leaves_the_words(vault: Path) -> None:
    with Memory.open(vault, embedder=None) as memory:
        memory.remember(TEXT)
    vectors_of(vault).write_text("a file where the folder should be")
    with Memory.open(vault, embedder=Toy()) as memory:
        assert eventually(lambda: memory.recall("pump").searched.why is not None)
        assert contents(memory.recall("pump")) == [TEXT]
        with pytest.raises(MunimentError):
            memory.flush(timeout=WAIT_S)


def test_a_vault_knows_no_tenant_by_its_vectors(vault: Path) -> None:
    with Memory.open(vault, embedder=Toy()) as memory:
        memory.remember(TEXT)
        memory.flush(timeout=WAIT_S)
    assert SqliteVault(vault).tenants() == ("default",)
