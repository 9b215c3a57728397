"""Writes do not wait for vectors: they come after, in order, are taken up where they stopped, and recall says how far
they are."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.recall.world import Stuck, Toy, contents, eventually, kept, on_disk

from muniment import Memory
from muniment.engine import vector_indexer
from muniment.model.errors import ModelUnavailable, StoreBusy
from muniment.model.query import Searched


def behind(memory: Memory) -> int:
    return memory.recall("anything at all").searched.trailing


def test_a_record_is_found_by_its_words_at_once_while_the_embedder_is_stuck(tmp_path: Path) -> None:
    model = Stuck()
    with on_disk(tmp_path, model) as memory:
        memory.flush(timeout=WAIT_S)
        assert memory.remember("the slow pump is an automobile").record_id
        assert model.arrived.wait(WAIT_S), "the vectors are being made"
        answer = memory.recall("pump")
        assert contents(answer) == ["the slow pump is an automobile"]
        assert (answer.searched.model, answer.searched.trailing) == ("toy@1", 1)
        assert contents(memory.recall("vehicle")) == []
        memory.remember("another one")
        assert behind(memory) == 2, "a write does not wait either"
        model.free.set()
        assert memory.flush(timeout=WAIT_S).upto == memory.ledger.head().seq
        assert behind(memory) == 0
        assert contents(memory.recall("vehicle")) == ["the slow pump is an automobile"]


def test_a_flush_waits_no_longer_than_it_was_told_to(tmp_path: Path) -> None:
    model = Stuck()
    with on_disk(tmp_path, model) as memory:
        memory.remember("a slow one")
        assert model.arrived.wait(WAIT_S)
        try:
            with pytest.raises(StoreBusy) as caught:
                memory.flush(timeout=0.05)
            assert caught.value.code == "store_busy"
        finally:
            model.free.set()
        assert memory.flush(timeout=WAIT_S).upto == memory.ledger.head().seq


def test_a_model_that_is_slow_is_given_little_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was just written waits for the batch at hand."""
    sizes: list[int] = []

    class Counting(Toy):
        def embed(self, texts: Sequence[str]) -> list[bytes]:
            sizes.append(len(texts))
            return super().embed(texts)

    monkeypatch.setattr(vector_indexer, "BATCH_S", 0.0)  # whatever it takes is too long
    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        for number in range(150):
            memory.remember(f"note {number}")
    with Memory.open(tmp_path / "vault", embedder=Counting()) as memory:
        memory.flush(timeout=WAIT_S)
        assert memory.insight.searching().trailing == 0
    assert sum(sizes) == 150
    assert max(sizes[1:]) <= vector_indexer.PASSAGES_LEAST < sizes[0] <= vector_indexer.PASSAGES_FIRST


def test_a_flush_tells_how_far_it_is_and_ends_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_indexer, "ENTRIES_AT_ONCE", 3)
    model = Stuck()
    with on_disk(tmp_path, model) as memory:
        memory.remember("a slow one")
        assert model.arrived.wait(WAIT_S), "the background is held, so that there is something left to do"
        for number in range(10):
            memory.remember(f"note {number}")
        make = memory._session.tenant.indexer._step

        def made(*, wait: float = -1.0) -> bool:
            if wait >= 0:  # whoever flushes is bounded, the background is not
                model.free.set()
            return make(wait=wait)

        monkeypatch.setattr(memory._session.tenant.indexer, "_step", made)
        steps: list[tuple[int, int]] = []
        memory.flush(timeout=WAIT_S, progress=lambda done, all_: steps.append((done, all_)))
        last = memory.ledger.head().seq
    assert steps[-1] == (last, last)
    assert {all_ for _, all_ in steps} == {last}
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


def test_vectors_come_by_themselves(tmp_path: Path) -> None:
    with on_disk(tmp_path, Toy()) as memory:
        memory.remember("the pump is an automobile")
        assert eventually(lambda: behind(memory) == 0)
        assert contents(memory.recall("vehicle")) == ["the pump is an automobile"]


def test_closing_stops_after_what_is_at_hand_and_opening_takes_it_up_there(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_indexer, "ENTRIES_AT_ONCE", 4)
    model = Stuck()
    memory = Memory.open(vault, embedder=model)
    memory.remember("the slow one")
    assert model.arrived.wait(WAIT_S)
    for number in range(20):
        memory.remember(f"note {number}")
    closing = threading.Thread(target=memory.close)
    closing.start()
    assert eventually(lambda: memory._session.tenant.indexer._stopped)
    model.free.set()
    closing.join(WAIT_S)
    assert not closing.is_alive()
    done = [text for text in model.asked if text.startswith(("note", "the slow"))]
    assert "note 19" not in done
    later = Toy()
    with Memory.open(vault, embedder=later) as again:
        assert eventually(lambda: again.insight.searching().trailing == 0), "nobody had to write or to wait"
        assert sorted([*done, *later.asked]) == sorted(["the slow one", *(f"note {number}" for number in range(20))])
        assert again.ledger.verify().ok


def test_a_long_flush_ends_when_the_memory_is_closed(tmp_path: Path) -> None:
    """Whoever waits in one thread while another closes gets an end, good or bad, in bounded time."""
    model = Stuck()
    ended = threading.Event()
    with on_disk(tmp_path, model) as memory:
        memory.remember("a slow one")
        assert model.arrived.wait(WAIT_S)

        def wait() -> None:
            with pytest.raises(StoreBusy):
                memory.flush(timeout=0.2)
            ended.set()

        waiting = threading.Thread(target=wait)
        waiting.start()
        assert ended.wait(WAIT_S)
        waiting.join(WAIT_S)
        model.free.set()


def test_of_two_that_have_a_vault_open_either_makes_the_vectors_and_both_see_them(vault: Path) -> None:
    with Memory.open(vault, embedder=Toy()) as one, Memory.open(vault, embedder=Toy()) as other:
        one.remember("the pump is an automobile")
        one.flush(timeout=WAIT_S)
        assert contents(other.recall("vehicle")) == ["the pump is an automobile"]
        other.remember("a physician came")
        other.flush(timeout=WAIT_S)
        assert contents(one.recall("doctor")) == ["a physician came"]
        assert (one.insight.searching().trailing, other.insight.searching().trailing) == (0, 0)


def test_a_document_that_is_gone_before_its_turn_holds_nobody_up(tmp_path: Path) -> None:
    model = Stuck()
    with on_disk(tmp_path, model) as memory:
        memory.remember("the slow one")
        assert model.arrived.wait(WAIT_S)
        gone = kept(memory.remember("the erased one"))
        memory.remember("the pump is an automobile")
        store = memory._session.tenant.store
        with store.read() as snapshot:
            card = snapshot.catalogue.current(gone)
        assert card is not None
        store.write(lambda unit: unit.drop(card.rid))
        model.free.set()
        assert memory.flush(timeout=WAIT_S).upto == memory.ledger.head().seq
        assert contents(memory.recall("vehicle")) == ["the pump is an automobile"]
        assert "the erased one" not in model.asked


def test_a_proposal_that_was_held_and_ruled_upon_gets_its_vector_when_it_becomes_a_record(tmp_path: Path) -> None:
    with on_disk(tmp_path, Toy()) as memory:
        memory.as_actor("bot").remember("the pump is an automobile", kind="decision", proposal_id="p")
        memory.flush(timeout=WAIT_S)
        assert contents(memory.recall("vehicle")) == []
        memory.review.decide("p", accept=True, reason="agreed")
        memory.flush(timeout=WAIT_S)
        assert contents(memory.recall("vehicle")) == ["the pump is an automobile"]


def test_what_was_revised_is_found_by_what_it_says_now(tmp_path: Path) -> None:
    with on_disk(tmp_path, Toy()) as memory:
        record = kept(memory.remember("the pump is an automobile"))
        memory.revise(record, "the pump is a physician")
        memory.flush(timeout=WAIT_S)
        assert contents(memory.recall("doctor")) == ["the pump is a physician"]
        assert "the pump is an automobile" not in contents(memory.recall("vehicle"))


def test_a_question_is_put_to_the_model_once(tmp_path: Path) -> None:
    model = Toy()
    with on_disk(tmp_path, model) as memory:
        memory.remember("the pump")
        memory.flush(timeout=WAIT_S)
        for _ in range(3):
            memory.recall("where is the vehicle?")
    assert model.asked.count("where is the vehicle?") == 1


class Down(Toy):
    """An embedder behind an endpoint that is down at first."""

    def __init__(self) -> None:
        super().__init__()
        self.up = False

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if not self.up:
            raise ModelUnavailable("the endpoint is down")
        return super().embed(texts)


def test_vectors_catch_up_after_an_outage_without_another_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_indexer, "TROUBLE_REST_S", 0.02)
    model = Down()
    with on_disk(tmp_path, model) as memory:
        memory.remember("the pump is an automobile")
        assert eventually(lambda: "the endpoint is down" in (memory.insight.searching().why or ""))
        model.up = True
        assert eventually(lambda: memory.insight.searching() == Searched(model="toy@1"))
        assert contents(memory.recall("vehicle")) == ["the pump is an automobile"]


def test_what_a_process_without_a_model_wrote_gets_vectors_where_there_is_one(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_indexer, "LOOK_S", 0.02)
    with Memory.open(vault, embedder=Toy()) as reader:
        reader.flush(timeout=WAIT_S)
        with Memory.open(vault, embedder=None) as writer:
            writer.remember("the pump is an automobile")
        assert eventually(lambda: reader.insight.searching().trailing == 0)
        assert contents(reader.recall("vehicle")) == ["the pump is an automobile"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_background_work_that_dies_says_so_is_counted_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_indexer, "TROUBLE_REST_S", 0.02)
    with on_disk(tmp_path, Toy()) as memory:
        memory.flush(timeout=WAIT_S)
        indexer, broken = memory._session.tenant.indexer, threading.Event()
        sound = indexer._behind
        broken.set()

        def behind(*, anew: bool) -> bool:
            if broken.is_set():
                raise KeyError("a fault of ours")
            return sound(anew=anew)

        monkeypatch.setattr(indexer, "_behind", behind)
        memory.remember("the pump is an automobile")
        assert eventually(lambda: "ended with KeyError" in (memory.insight.searching().why or ""))
        assert (memory.insight.stats().background_restarts or 0) >= 1
        broken.clear()
        assert eventually(lambda: memory.insight.searching() == Searched(model="toy@1"))
        assert contents(memory.recall("vehicle")) == ["the pump is an automobile"]


def test_stats_tell_auditors_the_condition_of_store_and_vectors(tmp_path: Path) -> None:
    model = Stuck()
    with on_disk(tmp_path, model) as memory:
        memory.remember("the slow pump is an automobile")
        assert model.arrived.wait(WAIT_S)
        memory.recall("pump")
        before = memory.insight.stats()
        with memory._session.tenant.store.read():
            assert (memory.insight.stats().oldest_read_s or 0) > 0, "a read is open"
        model.free.set()
        memory.flush(timeout=WAIT_S)
        after, hidden = memory.insight.stats(), memory.as_actor("guest").insight.stats()
    assert (before.vectors_trailing or 0) > 0
    assert (after.vectors_trailing, after.oldest_read_s, after.background_restarts) == (0, None, 0)
    assert (after.vectors_per_s or 0) > 0
    assert (after.wal_bytes or 0) > 0
    assert 0 < (after.receipts_bytes or 0) < (after.bytes or 0)
    assert (hidden.wal_bytes, hidden.receipts_bytes, hidden.vectors_trailing, hidden.vectors_per_s) == (None,) * 4
    assert hidden.background_restarts is None


NEVER_CLOSED = """
import sys, threading
from pathlib import Path
from muniment import Memory
asked = threading.Event()
def hangs(texts):
    asked.set()
    threading.Event().wait()
memory = Memory.open(Path(sys.argv[1]), embedder=hangs)
memory.remember("the pump is an automobile")
assert asked.wait(300)
"""


def test_a_program_that_never_closes_ends_while_its_embedder_hangs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NEVER_CLOSED, str(tmp_path / "vault")], capture_output=True, text=True, timeout=WAIT_S
    )
    assert (done.returncode, done.stderr) == (0, "")
