"""Make vectors for what was committed, after the fact: a write never waits for them, and a crash only delays them.

The trail follows the ledger by position. One thread of one process makes the vectors of a tenant; others read them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import lru_cache

from muniment.model.entry import Entry
from muniment.model.errors import MunimentError, StoreBusy
from muniment.model.record import Record
from muniment.model.rows import Reach, VectorRow
from muniment.model.value import read_canonical
from muniment.ports.embedder import Embedder
from muniment.ports.store import Snapshot, TenantStore
from muniment.read.question import Asked
from muniment.text.passages import passages

ENTRIES_AT_ONCE = 64
QUERIES_KEPT = 256
NO_MODEL = "no model is installed; `muniment model install` gets one"
_PAUSE = 0.05

Progress = Callable[[int, int], None]
"""Called with how many ledger entries have their vectors, and how many there are."""


class Trail:
    """The vectors of one tenant, and how they come about."""

    def __init__(self, store: TenantStore, embedder: Embedder | None) -> None:
        self._store = store
        self._embedder = embedder
        self._working = threading.Lock()
        self._stirred = threading.Event()
        self._stopped = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._trouble: MunimentError | None = None
        if embedder is not None:
            self._embed = lru_cache(QUERIES_KEPT)(lambda text: embedder.embed([text])[0])

    @property
    def model(self) -> str | None:
        return self._embedder.model if self._embedder is not None else None

    def ask(self, text: str) -> Asked:
        """A question as a vector. Without a model, or when it fails, the search goes on by words and says why."""
        if self._embedder is None:
            return Asked(why=NO_MODEL)
        if not text.strip():
            return Asked(model=self.model)
        try:
            return Asked(vector=self._embed(text), model=self.model)
        except MunimentError as error:
            return Asked(why=f"the model could not read the question: {error}")

    def stir(self) -> None:
        """Take note that there may be work, and have it done in the background."""
        if self._embedder is None or self._stopped.is_set():
            return
        self._stirred.set()
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._follow, name="muniment-vectors", daemon=True)
                    self._thread.start()

    def flush(self, *, timeout: float | None = None, progress: Progress = lambda done, all_: None) -> Reach:
        """Wait until everything committed so far has its vectors. Works along rather than only wait."""
        if self._embedder is None:
            return self._store.vectors.reach()
        target = self._head()
        ends = None if timeout is None else time.monotonic() + timeout
        while (done := self._reached()) < target:
            if ends is not None and time.monotonic() > ends:
                raise StoreBusy(f"vectors reach entry {done} of {target}; the rest takes longer than {timeout:g} s")
            if not self._step():
                self._stopped.wait(_PAUSE)  # another process makes them
            progress(min(self._reached(), target), target)
        return self._store.vectors.reach()

    def close(self) -> None:
        """Stop after the passages at hand. What is left is taken up at the next opening."""
        self._stopped.set()
        self._stirred.set()
        if self._thread is not None:
            self._thread.join()

    def trouble(self) -> str | None:
        """Why vectors are not being made, if they are not."""
        return None if self._trouble is None else f"vectors are not being made: {self._trouble}"

    def _follow(self) -> None:
        while not self._stopped.is_set():
            self._stirred.wait()
            self._stirred.clear()
            try:
                while not self._stopped.is_set() and self._step():
                    pass
                self._trouble = None
            except MunimentError as error:
                self._trouble = error  # said with every recall, and tried again after the next write

    def _reached(self) -> int:
        reach = self._store.vectors.reach()
        return reach.upto if reach.model == self.model else 0

    def _head(self) -> int:
        with self._store.read() as snapshot:
            head = snapshot.ledger.head()
        return head.seq if head is not None else 0

    def _step(self) -> bool:
        """Make the vectors of the next entries; False when there is nothing to do or somebody else does it."""
        assert self._embedder is not None
        with self._working:
            vectors = self._store.vectors
            if not vectors.claim():
                return False
            if vectors.reach().model != self._embedder.model:
                vectors.begin(self._embedder.model, self._embedder.dimensions)
            first = vectors.reach().upto + 1
            with self._store.read() as snapshot:
                last, pieces = _next(snapshot, first)
            if last < first:
                return False
            made = self._embedder.embed([text for _, _, _, text in pieces]) if pieces else []
            rows = [
                VectorRow(rid=rid, start=start, end=end, vector=vector)
                for (rid, start, end, _), vector in zip(pieces, made, strict=True)
            ]
            vectors.add(rows, upto=last)
            return True


def _next(snapshot: Snapshot, first: int) -> tuple[int, list[tuple[int, int, int, str]]]:
    """The last of the next entries, and the passages of every revision born in them."""
    last, pieces = first - 1, []
    for stored in snapshot.ledger.entries(first, first + ENTRIES_AT_ONCE - 1):
        last = stored.seq
        for birth in read_canonical(stored.body, Entry).births:
            document = snapshot.documents.get(birth.rid)
            if document is None:
                continue  # erased before its turn came
            content = read_canonical(document.body, Record).content
            pieces += [(birth.rid, at.start, at.end, content[at.start : at.end]) for at in passages(content)]
    return last, pieces
