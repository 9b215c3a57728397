"""Minds of others, asked with a bound: an embedder, judge, extractor or reranker that hangs, dies or lies is unheard.

Each question is put by another thread than the asker's. A mind that does not answer in time is given up: the asker
goes on without it, and what it says later is thrown away. A mind that has left several questions open is asked no more
until it has answered one, so that they cannot pile up.
"""

from __future__ import annotations

import math
import sys
import threading
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

from muniment.model.entity import Entity
from muniment.model.errors import ModelUnavailable
from muniment.ports.embedder import Embedder, ScriptAware
from muniment.ports.extractor import Extractor
from muniment.ports.judge import Judge, Opinion
from muniment.ports.reranker import Reranker

T = TypeVar("T")
MIND_WAIT_S = 30.0
OPEN_MAX = 4
WORDS_MAX = 10_000
NAMES_MAX = 1_000
DIMENSIONS_MAX = 65_536
_IDLE_S = 10.0
_LONGEST = 1.01
"""A vector has the length one, give or take what rounding does to it; one without any direction is near nothing."""


class _Question:
    """One question: what is asked, and whether anybody still waits for it. `over` is told when it is over, or when it
    is not to be waited for any more."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.over: SimpleQueue[None] = SimpleQueue()  # unlike an event's, its lock cannot be left held by a Ctrl-C
        self.answered = False
        self.given_up = False
        self.error: BaseException | None = None

    def put(self) -> None:
        try:
            self.work()
            self.answered = True
        except BaseException as error:  # noqa: BLE001  it belongs to the asker, who is in another thread
            self.error = error


class Patience:
    """How long a mind is waited for, and how many questions it may leave open. Threads that put questions are kept for
    a while: a question then costs no thread of its own."""

    def __init__(self, name: str, wait_s: float) -> None:
        self._name = name
        self._wait_s = wait_s
        self._counting = threading.Lock()
        self._asked: set[_Question] = set()
        self._idle: list[SimpleQueue[_Question | None]] = []
        self._left = False

    def ask(self, work: Callable[[], T]) -> T:
        """What `work` returns, or ModelUnavailable: it failed, or took too long."""
        answers: list[T] = []
        question = _Question(lambda: answers.append(work()))
        self._put(question)
        with suppress(Empty):
            question.over.get(timeout=self._wait_s)
        with self._counting:
            question.given_up = not question.answered and question.error is None
        if question.given_up:
            raise ModelUnavailable(f"the {self._name} did not answer within {self._wait_s:g} s")
        if question.error is not None:
            raise self._told(question.error) from question.error
        return answers[0]

    def leave(self) -> None:
        """Wait for nothing any more: whoever does is told so at once."""
        with self._counting:
            self._left = True
            for question in self._asked:
                question.over.put(None)
            for line in self._idle:
                line.put(None)
            self._idle.clear()

    def _put(self, question: _Question) -> None:
        with self._counting:
            if self._left:
                raise ModelUnavailable(f"the {self._name} is asked no more: the memory is being closed")
            if sum(one.given_up for one in self._asked) >= OPEN_MAX:
                raise ModelUnavailable(f"the {self._name} has left {OPEN_MAX} questions open and is asked no more")
            self._asked.add(question)
            line = self._idle.pop() if self._idle else None
        if line is None:
            line = SimpleQueue()
            threading.Thread(target=self._work, args=(line,), name=f"muniment-{self._name}", daemon=True).start()
        line.put(question)

    def _work(self, line: SimpleQueue[_Question | None]) -> None:
        """Put one question after another, until none has come for a while."""
        while (question := self._next(line)) is not None:
            question.put()
            with self._counting:
                self._asked.discard(question)
                stays = not self._left and len(self._idle) < OPEN_MAX
                if stays:
                    self._idle.append(line)
            question.over.put(None)
            if not stays:
                return

    def _next(self, line: SimpleQueue[_Question | None]) -> _Question | None:
        try:
            return line.get(timeout=_IDLE_S)
        except Empty:
            with self._counting:
                if line in self._idle:
                    self._idle.remove(line)
                    return None
        return line.get()  # whoever took this line from the idle ones is about to use it

    def _told(self, error: BaseException) -> ModelUnavailable:
        if isinstance(error, ModelUnavailable):
            return ModelUnavailable(str(error), hint=error.hint)
        return ModelUnavailable(f"the {self._name} failed: {type(error).__name__}")


class PatientEmbedder:
    """An embedder that answers in time with one fitting vector for each text, or is ModelUnavailable."""

    def __init__(self, inner: Embedder, wait_s: float = MIND_WAIT_S) -> None:
        self._inner = inner
        self._patience = Patience("embedder", wait_s)
        self._model: str | None = None
        self._dimensions: int | None = None

    @property
    def model(self) -> str:
        if self._model is None:
            model = self._patience.ask(lambda: self._inner.model)
            if not isinstance(model, str) or not model:
                raise ModelUnavailable("the embedder has no name for its model")
            self._model = model
        return self._model

    @property
    def dimensions(self) -> int:
        if self._dimensions is None:
            wide = self._patience.ask(lambda: self._inner.dimensions)
            if not isinstance(wide, int) or not 1 <= wide <= DIMENSIONS_MAX:
                raise ModelUnavailable(f"the embedder's vectors must have between 1 and {DIMENSIONS_MAX} numbers")
            self._dimensions = wide
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        wide, made = self.dimensions, self._patience.ask(lambda: self._inner.embed(texts))
        if not isinstance(made, list) or len(made) != len(texts):
            raise ModelUnavailable(f"the embedder did not make one vector for each of {len(texts)} texts")
        for vector in made:
            _fitting(vector, wide)
        return made

    def reads(self, text: str) -> bool:
        """Whether its vector of a text is to be trusted."""
        inner = self._inner
        return self._patience.ask(lambda: inner.reads(text)) is not False if isinstance(inner, ScriptAware) else True

    def leave(self) -> None:
        """Wait for it no more."""
        self._patience.leave()


def _fitting(vector: bytes, wide: int) -> None:
    if not isinstance(vector, bytes) or len(vector) != 4 * wide:
        raise ModelUnavailable(f"the embedder made something else than a vector of {wide} numbers")
    numbers = array("f", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    if not math.hypot(*numbers) <= _LONGEST:
        raise ModelUnavailable("the embedder made a vector that is not finite or longer than one")


class PatientJudge:
    """A judge whose opinions on several texts come in time and in bounds, or is ModelUnavailable."""

    def __init__(self, inner: Judge, wait_s: float = MIND_WAIT_S) -> None:
        self._inner = inner
        self._patience = Patience("judge", wait_s)

    def compare_all(self, new: str, old: Sequence[str]) -> list[Opinion | None]:
        """How a new text stands towards each of the old ones. All of them together are waited for once."""
        found = self._patience.ask(lambda: [self._inner.compare(new, text) for text in old])
        for opinion in found:
            if opinion is not None and not isinstance(opinion, Opinion):
                raise ModelUnavailable("the judge gave something else than an opinion")
            if opinion is not None and len(opinion.words) > WORDS_MAX:
                raise ModelUnavailable(f"the judge gave an opinion of more than {WORDS_MAX} characters")
        return found


class PatientExtractor:
    """An extractor that answers in time with a bounded number of names, or is ModelUnavailable."""

    def __init__(self, inner: Extractor, wait_s: float = MIND_WAIT_S) -> None:
        self._inner = inner
        self._patience = Patience("extractor", wait_s)

    def extract(self, text: str) -> tuple[Entity, ...]:
        found = self._patience.ask(lambda: self._inner.extract(text))
        if not isinstance(found, tuple) or not all(isinstance(one, Entity) for one in found):
            raise ModelUnavailable("the extractor gave something else than names")
        if len(found) > NAMES_MAX:
            raise ModelUnavailable(f"the extractor gave more than {NAMES_MAX} names for one text")
        return found


class PatientReranker:
    """A reranker that gives a finite number for each text in time, or is ModelUnavailable."""

    def __init__(self, inner: Reranker, wait_s: float = MIND_WAIT_S) -> None:
        self._inner = inner
        self._patience = Patience("reranker", wait_s)

    def order(self, question: str, texts: Sequence[str]) -> list[int]:
        """The places of the texts, what answers best first; of those that answer alike, in the order they came."""
        found = self._patience.ask(lambda: [float(one) for one in self._inner.rerank(question, texts)])
        if len(found) != len(texts) or not all(map(math.isfinite, found)):
            raise ModelUnavailable(f"the reranker did not give one number for each of {len(texts)} texts")
        return sorted(range(len(texts)), key=lambda place: -found[place])
