"""Watch the engine at work: count what comes of each operation, time its steps, and make spans of it if wanted."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Protocol

from muniment.model.actor import Actor
from muniment.model.curation import Verdict
from muniment.model.errors import MunimentError
from muniment.model.recall import Recall
from muniment.model.value import Value
from muniment.ports.tracer import Operation
from muniment.surfaces.telemetry.meters import Meters

Lap = tuple[str, int]
"""A step, and when it ended by the clock that only runs forward, in nanoseconds."""


class Begun(Value):
    """What is known of an operation when it begins. `at` is nanoseconds of the day's clock, `tick` of the other."""

    name: str
    tenant: str
    actor: Actor
    about: object
    at: int
    tick: int


class Ended(Value):
    """How an operation ended: its steps in order, what came of it, and the code of what went wrong, if anything."""

    laps: tuple[Lap, ...]
    tick: int
    answer: object
    failure: str | None


class Span(Protocol):
    """A span that was begun and can be ended once."""

    def end(self, begun: Begun, ended: Ended) -> None: ...


class SpanMaker(Protocol):
    def begin(self, begun: Begun) -> Span: ...


class Watcher:
    """The tracer a server gives its memories."""

    def __init__(self, meters: Meters, spans: SpanMaker | None = None) -> None:
        self.meters = meters
        self.spans = spans

    def operation(self, name: str, *, tenant: str, actor: Actor, about: object = None) -> Operation:
        return _Watched(self, name, tenant, actor, about)


class _Watched:
    """One operation. Steps come from whichever thread does the work; beginning and end from the one that waits."""

    __slots__ = ("_about", "_actor", "_answer", "_begun", "_laps", "_name", "_span", "_tenant", "_tick", "_watcher")

    def __init__(self, watcher: Watcher, name: str, tenant: str, actor: Actor, about: object) -> None:
        self._watcher = watcher
        self._name = name
        self._tenant = tenant
        self._actor = actor
        self._about = about
        self._answer: object = None
        self._laps: dict[str, int] = {}
        self._begun: Begun | None = None
        self._span: Span | None = None

    def __enter__(self) -> Operation:
        self._tick = time.perf_counter_ns()
        if self._watcher.spans is not None:
            self._begun = Begun(
                name=self._name,
                tenant=self._tenant,
                actor=self._actor,
                about=self._about,
                at=time.time_ns(),
                tick=self._tick,
            )
            self._span = self._watcher.spans.begin(self._begun)
        return self

    def lap(self, step: str) -> None:
        laps = self._laps
        if step in laps:
            names = list(laps)
            for name in names[names.index(step) :]:
                del laps[name]
        laps[step] = time.perf_counter_ns()

    def told(self, answer: object) -> None:
        self._answer = answer

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tick = time.perf_counter_ns()
        failure = _code(error) if error is not None else None
        self._count(tick, failure)
        if self._span is not None and self._begun is not None:
            ended = Ended(laps=tuple(self._laps.items()), tick=tick, answer=self._answer, failure=failure)
            self._span.end(self._begun, ended)

    def _count(self, tick: int, failure: str | None) -> None:
        meters, name, since = self._watcher.meters, self._name, self._tick
        meters.operations.observe((tick - since) / 1e9, name, failure or "ok")
        steps = list[tuple[float, tuple[str, ...]]]()
        for step, at in self._laps.items():
            steps.append(((at - since) / 1e9, (name, step)))
            since = at
        meters.steps.observe_all(steps)
        if failure is None:
            _count_answer(meters, name, self._answer)


def _code(error: BaseException) -> str:
    return error.code if isinstance(error, MunimentError) else "internal"


def _count_answer(meters: Meters, name: str, answer: object) -> None:
    if isinstance(answer, Verdict):
        _count_verdict(meters, name, answer)
    elif isinstance(answer, Recall):
        _count_recall(meters, answer)
    elif isinstance(answer, tuple):
        for one in answer:
            if isinstance(one, Verdict):
                _count_verdict(meters, name, one)


def _count_verdict(meters: Meters, name: str, verdict: Verdict) -> None:
    meters.verdicts.add(name, verdict.outcome.value, verdict.decision.value)
    meters.curation.add_all((step.step.value, step.result.value) for step in verdict.steps)
    if verdict.conflict_ids:
        meters.conflicts.add(amount=len(verdict.conflict_ids))


def _count_recall(meters: Meters, recall: Recall) -> None:
    for rule, number in recall.excluded.items():
        meters.excluded.add(rule, amount=number)
    for told in recall.records:
        meters.told.add(told.gate.value)
    if recall.abstained is not None:
        meters.abstained.add(recall.abstained.value)
