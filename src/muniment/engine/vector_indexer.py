"""Background embedding: makes vectors for committed records, so that writes never wait for the model.

The indexer follows the ledger by position. One thread of one process at a time makes the vectors of a tenant, whichever
process wrote the records; the others read them. When that process ends another one takes over. A crash only delays
vectors.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from queue import Empty, SimpleQueue
from typing import NamedTuple

from muniment.backends.permits import Permits
from muniment.engine.model_timeout import MIND_WAIT_S, PatientEmbedder
from muniment.model.entry import Entry
from muniment.model.errors import ModelUnavailable, MunimentError, StoreBusy
from muniment.model.query import Searched
from muniment.model.record import Record
from muniment.model.rows import VectorCoverage, VectorRow
from muniment.model.value import read_canonical
from muniment.ports.embedder import Embedder
from muniment.ports.store import Snapshot, TenantStore
from muniment.read.question import QuestionVector
from muniment.text.passages import passages

ENTRIES_AT_ONCE = 256
PASSAGES_AT_ONCE = 256
PASSAGES_LEAST, PASSAGES_FIRST = 16, 64
BATCH_S = 1.0
"""As many passages are made at once as the model makes in about that time, between these bounds: what was just written
waits for the batch at hand, so a slow model gets small ones."""
QUERIES_KEPT = 256
NO_MODEL = "there is no model: none is installed (`muniment model install` gets one), or the embedder is set to none"
UNREAD = "the model cannot read the script of the question: it is sought by words alone"
_PAUSE = 0.05
_LULL = 0.05
_PATIENCE = 1.0
"""Who makes vectors in the background waits until nobody has written for so long, but no longer than that."""
_RETRY = 1.0
"""How often to check that the other indexing process is still alive."""
TROUBLE_REST_S = 5.0
"""How long to wait before trying again after the model or the store failed, or after the thread died."""
LOOK_S = 2.0
"""How often to look for writes of other processes, where the store cannot tell about them."""
RATE_S = 60.0
"""The time over which the rate of vectors is averaged."""
PARTING_S = 5.0
"""So long who closes waits for the passages at hand."""
CATCH_UP_S, CATCH_UP_MAX = 0.05, 32
"""So long a question waits for the vectors of what was just written, if those are no more ledger entries than this."""
_GLANCE = 0.003

Progress = Callable[[int, int], None]
"""Called with how many ledger entries have their vectors, and how many there are."""

_Piece = tuple[int, int, int, str]
"""A passage: the number of its revision, where it begins and ends, and its text."""


class Work(NamedTuple):
    """What background embedding has done in this process: vectors made, vectors per second over the last minute, and
    how often its thread died and was started again."""

    made: int
    per_s: float
    restarts: int


class VectorIndexer:
    """Makes the vectors of one tenant, and answers what is known about them."""

    def __init__(self, store: TenantStore, embedder: Embedder | None, *, mind_wait: float = MIND_WAIT_S) -> None:
        self._store = store
        self._embedder = None if embedder is None else PatientEmbedder(embedder, mind_wait)
        # Callers come here, and Ctrl-C with them: it could leave the lock of an event or a condition held for ever.
        self._working = Permits(1)
        self._bell: SimpleQueue[None] = SimpleQueue()
        self._hurry: SimpleQueue[None] = SimpleQueue()
        self._pending = True
        self._hears: Callable[[], bool] = lambda: False
        self._stopped = False
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._trouble: MunimentError | None = None
        self._stirred_at = 0.0
        self._anew = False
        self._died: str | None = None
        self._restarts = 0
        self._made = 0
        self._batches = deque[tuple[float, int]]()
        self._at_once = PASSAGES_FIRST
        if self._embedder is not None:
            patient = self._embedder
            self._embed = lru_cache(QUERIES_KEPT)(lambda text: patient.embed([text])[0])
            self._reads = lru_cache(QUERIES_KEPT)(patient.reads)

    @property
    def has_model(self) -> bool:
        """Whether there is a model to ask."""
        return self._embedder is not None

    def ask(self, text: str) -> QuestionVector:
        """A question as a vector. Without a model, or when it fails, the search goes on by words and says why."""
        if self._embedder is None:
            return QuestionVector(why=NO_MODEL)
        try:
            if text.strip() and not self._reads(text):
                return QuestionVector(why=UNREAD)
            vector = self._embed(text) if text.strip() else None
            return QuestionVector(vector=vector, model=self._embedder.model, why=self._troubled())
        except MunimentError as error:
            return QuestionVector(why=f"the model could not read the question: {error}")

    def asking(self, texts: Sequence[str]) -> Callable[[str], QuestionVector]:
        """Whom to ask for the vectors of these texts. What was just written has its own by then, if that is soon done:
        a question is not to know less than was told. A model that fails here is not waited for again."""
        text = next((text for text in texts if text.strip()), None)
        if self._embedder is None or self._stopped or text is None:
            return self.ask
        try:
            if self._settled():
                return self.ask
            asked = self.ask(text)  # the model may have to be loaded first, which the question waits for anyway
            if asked.why is None:
                self._let_catch_up()
        except MunimentError:  # the store is slow or away: whoever reads is told
            return self.ask
        return self.ask if asked.vector is not None or asked.why == UNREAD else lambda _: asked

    def _settled(self) -> bool:
        """Whether nothing is known that has no vectors. Where writes of others are not heard of, it is looked."""
        return not self._pending and (self._hears() or not self._behind(anew=False))

    def _let_catch_up(self) -> None:
        """Have the thread make the missing vectors now, and wait for them a little. While another process makes them
        it is tried again: that one may be about to end."""
        if self._store.marks()[0] - self._reached() > CATCH_UP_MAX:
            return
        ends = time.monotonic() + CATCH_UP_S
        while self._behind(anew=False) and time.monotonic() < ends and not self._stopped:
            if self._hurry.empty():
                self._hurry.put(None)
            self._bell.put(None)
            time.sleep(_GLANCE)

    def state(self) -> Searched:
        """How a question would be sought now: with which model, how far its vectors trail, or why without."""
        if self._embedder is None:
            return Searched(why=NO_MODEL)
        try:
            model, trailing = self._embedder.model, max(0, self._head() - self._reached())
        except ModelUnavailable as error:
            return Searched(why=f"the model cannot be asked: {error}")
        return Searched(model=model, trailing=trailing, why=self._troubled())

    def trailing(self) -> int:
        """How many ledger entries have no vectors yet. Known without a model too, once one has made vectors."""
        reach = self._store.vectors.reach()
        if self._embedder is None:
            return 0 if reach.model is None else max(0, self._head() - reach.upto)
        try:
            return max(0, self._head() - (reach.upto if reach.model == self._embedder.model else 0))
        except ModelUnavailable:  # its name is not known; what another process made still counts
            return max(0, self._head() - reach.upto)

    def work(self) -> Work:
        """What has been done in the background, for monitoring."""
        since = time.monotonic() - RATE_S
        made = sum(made for at, made in list(self._batches) if at >= since)
        return Work(self._made, round(made / RATE_S, 3), self._restarts)

    def stir(self) -> None:
        """Take note that there may be work, and have it done in the background."""
        if self._embedder is None or self._stopped or self._store.read_only:
            return
        self._anew = True
        self._hear()
        if not self._started:
            with self._starting:
                if not self._started:
                    self._start()

    @property
    def _started(self) -> bool:
        """Whether there is a thread. One whose start was interrupted may never run."""
        return self._thread is not None and self._thread.ident is not None

    def _start(self, rest: float = 0.0) -> None:
        self._thread = threading.Thread(target=self._run, args=(rest,), name="muniment-vectors", daemon=True)
        _running.add(self)
        self._thread.start()

    def _hear(self) -> None:
        """Take note that somebody may have written."""
        self._pending = True
        self._stirred_at = time.monotonic()
        self._bell.put(None)

    def flush(self, *, timeout: float | None = None, progress: Progress = lambda done, all_: None) -> VectorCoverage:
        """Wait until everything committed so far has its vectors. Works along rather than only wait."""
        if self._embedder is None:
            return self._store.vectors.reach()
        target = self._head()
        ends = None if timeout is None else time.monotonic() + timeout
        while (done := self._reached()) < target:
            left = None if ends is None else ends - time.monotonic()
            if left is not None and left <= 0:
                raise StoreBusy(f"vectors reach entry {done} of {target}; the rest takes longer than {timeout:g} s")
            try:
                worked = self._step(wait=left)
            except MunimentError as error:
                self._trouble = error  # known from now on, whoever met it
                raise
            if not worked:
                time.sleep(_PAUSE)  # another process makes them
            progress(min(self._reached(), target), target)
        self._trouble = None
        return self._store.vectors.reach()

    def close(self) -> None:
        """Stop after the passages at hand, if they are done soon. What is left is taken up at the next opening."""
        self._tell_to_stop()
        self._join(PARTING_S)
        if self._embedder is not None:
            self._embedder.leave()
        self._join()
        _running.discard(self)

    def stop_at_exit(self) -> None:
        """Stop without waiting for the model: the process is ending."""
        self._tell_to_stop()
        if self._embedder is not None:
            self._embedder.leave()
        self._join(PARTING_S)

    def _join(self, timeout: float | None = None) -> None:
        if self._thread is not None and self._started:
            self._thread.join(timeout)

    def _tell_to_stop(self) -> None:
        with self._starting:  # a thread that dies from now on starts no successor
            self._stopped = True
        self._bell.put(None)

    def _troubled(self) -> str | None:
        if self._died is not None:
            return f"vectors are not being made: the background thread ended with {self._died} and is started again"
        return None if self._trouble is None else f"vectors are not being made: {self._trouble}"

    def _run(self, rest: float) -> None:
        """Follow the ledger until closed. An unexpected error ends this thread, is reported as of any thread, and a
        new thread goes on after a rest."""
        ends = time.monotonic() + rest
        while not self._stopped and (left := ends - time.monotonic()) > 0:
            self._wait(left)
        try:
            self._follow()
        finally:
            error = sys.exc_info()[1]
            with self._starting:
                if error is not None and not self._stopped:
                    self._died = type(error).__name__
                    self._restarts += 1
                    self._start(TROUBLE_REST_S)

    def _follow(self) -> None:
        with self._store.watching(self._hear) as hears:
            self._hears = hears
            while not self._stopped:
                rest = self._catch_up()
                self._died = None
                if rest is None and not hears():
                    rest = LOOK_S
                self._wait(rest)
        self._bell.put(None)  # for another thread, if an interrupted start has left two

    def _wait(self, rest: float | None) -> None:
        """Wait until somebody rings, for so long at most. What rang meanwhile is one with it."""
        with suppress(Empty):
            self._bell.get(timeout=rest)
            while True:
                self._bell.get_nowait()

    def _catch_up(self) -> float | None:
        """Make the vectors that are missing. Returns when to look again if nobody tells of a write: None for never."""
        anew, self._anew = self._anew, False
        try:
            while self._lull() and self._behind(anew=anew) and self._step():
                pass
            self._pending = False  # before it is looked: what is heard of meanwhile is not forgotten
            left = not self._stopped and self._behind(anew=anew)  # another is at it
            self._pending |= left
            self._trouble = None
        except MunimentError as error:
            self._trouble = error  # said with every recall, and tried again after a rest
            left = False
        self._anew |= anew and (left or self._trouble is not None)
        return TROUBLE_REST_S if self._trouble is not None else _RETRY if left else None

    def _behind(self, *, anew: bool) -> bool:
        """Whether there is more than has its vectors. Where another model made them, and nobody here has written
        since, they are left to those who use it: two models would take each other's away for ever."""
        assert self._embedder is not None
        reach = self._store.vectors.reach()
        if reach.model not in (None, self._embedder.model):
            return anew
        return self._store.marks()[0] > reach.upto

    def _lull(self) -> bool:
        """Let writes go first, for a while, unless a question waits; False when it is time to stop."""
        ends = time.monotonic() + _PATIENCE
        while (now := time.monotonic()) < min(ends, self._stirred_at + _LULL) and not self._stopped:
            with suppress(Empty):
                self._hurry.get(timeout=min(ends, self._stirred_at + _LULL) - now)
                break
        return not self._stopped

    def _reached(self) -> int:
        reach = self._store.vectors.reach()
        return reach.upto if self._embedder is not None and reach.model == self._embedder.model else 0

    def _head(self) -> int:
        with self._store.read() as snapshot:
            head = snapshot.ledger.head()
        return head.seq if head is not None else 0

    def _step(self, *, wait: float | None = None) -> bool:
        """Make the vectors of the next entries; False when there is nothing to do or somebody else does it."""
        permit = self._working.take(timeout=wait)
        if permit is None:
            return False
        try:
            vectors = self._store.vectors
            if not vectors.claim():
                return False
            embedder = self._embedder
            assert embedder is not None
            if vectors.reach().model != embedder.model:
                vectors.begin(embedder.model, embedder.dimensions)
            first = vectors.reach().upto + 1
            with self._store.read() as snapshot:
                last, pieces = _next(snapshot, first, self._at_once)
            if last < first or self._stopped:
                return False
            begun = time.monotonic()
            rows = _made(embedder, pieces)
            if rows:
                self._at_once = _batch(len(rows), time.monotonic() - begun)
            vectors.add(rows, upto=last)
            self._count(len(rows))
            return True
        finally:
            try:
                self._store.vectors.release()  # so that another process can go on with what it wrote
            finally:
                permit.give_back()

    def _count(self, made: int) -> None:
        now = time.monotonic()
        self._made += made
        self._batches.append((now, made))
        while self._batches[0][0] < now - RATE_S:
            self._batches.popleft()


_running = weakref.WeakSet[VectorIndexer]()
os.register_at_fork(after_in_child=_running.clear)  # a forked child has none of these threads


@atexit.register
def _stop_all() -> None:
    """Stop the threads that nobody closed before the interpreter ends under them."""
    for one in list(_running):
        one.stop_at_exit()


def _made(embedder: Embedder, pieces: list[_Piece]) -> list[VectorRow]:
    """The vectors of passages, made a bounded number at a time."""
    rows: list[VectorRow] = []
    for start in range(0, len(pieces), PASSAGES_AT_ONCE):
        part = pieces[start : start + PASSAGES_AT_ONCE]
        vectors = embedder.embed([text for _, _, _, text in part])
        if len(vectors) != len(part):
            raise ModelUnavailable(f"the model gave {len(vectors)} vectors for {len(part)} texts")
        for (rid, begin, end, _), vector in zip(part, vectors, strict=True):
            rows.append(VectorRow(rid=rid, start=begin, end=end, vector=vector))
    return rows


def _batch(made: int, seconds: float) -> int:
    """How many passages to make at once next, after so many took so long.

    >>> _batch(64, 2.0), _batch(64, 0.25), _batch(1, 0.0), _batch(3, 60.0)
    (32, 256, 256, 16)
    """
    return max(PASSAGES_LEAST, min(PASSAGES_AT_ONCE, round(made * BATCH_S / max(seconds, 1e-6))))


def _next(snapshot: Snapshot, first: int, most: int = PASSAGES_AT_ONCE) -> tuple[int, list[_Piece]]:
    """The last of the next entries, and the passages of every revision born in them: so many entries, or as many as
    give enough passages, and one at least."""
    last, pieces = first - 1, list[_Piece]()
    for stored in snapshot.ledger.entries(first, first + ENTRIES_AT_ONCE - 1):
        if len(pieces) >= most:
            break
        last = stored.seq
        for birth in read_canonical(stored.body, Entry).births:
            pieces += _pieces(snapshot, birth.rid)
    return last, pieces


def _pieces(snapshot: Snapshot, rid: int) -> Iterator[_Piece]:
    document = snapshot.documents.get(rid)
    if document is None:
        return  # erased before its turn came
    content = read_canonical(document.body, Record).content
    for at in passages(content):
        yield rid, at.start, at.end, content[at.start : at.end]
