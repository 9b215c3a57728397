"""What a Field knows beside its units, folded of notes: agents, sessions, tasks, offers, subscriptions, its clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import msgspec

from muniment.compat.akashik.epochs import Epochs, EpochShift
from muniment.contracts.akashik.coordination import FieldSession, FieldTask
from muniment.contracts.akashik.handoffs import Offer
from muniment.contracts.akashik.roster import RegisteredAgent
from muniment.contracts.akashik.subscriptions import FieldSubscription
from muniment.model.decoding import decode_json
from muniment.model.note import Note, NoteDraft
from muniment.model.value import Value

AGENTS, SESSIONS, TASKS, OFFERS, WISHES = "agents", "sessions", "tasks", "offers", "subscriptions"
CLOCK, ANSWERS, DEFERRED, LOG = "clock", "answers", "deferred", "log"
FOLDED = (AGENTS, SESSIONS, TASKS, OFFERS, WISHES, CLOCK, ANSWERS, DEFERRED)
"""Every topic that a state is folded of. The log is read by those who tell of the past."""

_T = TypeVar("_T")


class RegistrationState(Value):
    """A registered agent, and under whose credential it registered."""

    member: RegisteredAgent
    by: str


class TaskState(Value):
    """A task; `flagged` if its agent left."""

    task: FieldTask
    flagged: bool = False

    @property
    def told(self) -> FieldTask:
        return msgspec.structs.replace(self.task, flagged=True) if self.flagged else self.task


def held(task: FieldTask) -> TaskState:
    """A task as it is kept."""
    return TaskState(task=msgspec.structs.replace(task, flagged=msgspec.UNSET), flagged=task.flagged is True)


class SubscriptionState(Value):
    """A subscription, and since which position."""

    wish: FieldSubscription
    since: int


PLAIN = Epochs()


@dataclass(frozen=True, slots=True)
class FieldState:
    """One moment of a Field. Nothing in it is ever changed; a later moment is another state."""

    position: int = 0
    agents: Mapping[str, RegistrationState] = field(default_factory=dict)
    sessions: Mapping[str, FieldSession] = field(default_factory=dict)
    tasks: Mapping[str, TaskState] = field(default_factory=dict)
    offers: Mapping[str, Offer] = field(default_factory=dict)
    wishes: Mapping[str, SubscriptionState] = field(default_factory=dict)
    deferred: Mapping[str, int] = field(default_factory=dict)
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    epochs: Epochs = PLAIN

    def member(self, agent: str) -> RegisteredAgent | None:
        seated = self.agents.get(agent)
        return seated.member if seated is not None else None

    @property
    def roles(self) -> dict[str, str]:
        return {name: seated.member.role for name, seated in self.agents.items()}


def folded(state: FieldState, notes: Iterable[Note], position: int) -> FieldState:
    """The state after further notes, oldest first."""
    by_topic: dict[str, list[Note]] = {}
    for note in notes:
        by_topic.setdefault(note.topic, []).append(note)
    changes: dict[str, object] = {"position": max(position, state.position)}
    for topic, (name, read) in _KEPT.items():
        if topic in by_topic:
            changes[name] = _put(getattr(state, name), by_topic[topic], read)
    if CLOCK in by_topic:
        steps = {step.first: step for step in state.epochs.steps}
        steps |= {step.first: step for step in (_read(note, EpochShift) for note in by_topic[CLOCK])}
        changes["epochs"] = Epochs(steps=tuple(steps[first] for first in sorted(steps)))
    if ANSWERS in by_topic:
        changes["answers"] = _answered(state.answers, by_topic[ANSWERS])
    return replace(state, **changes)  # type: ignore[arg-type]  # each value was read as the type its name has


def _put(present: Mapping[str, object], notes: list[Note], read: Callable[[Note], object]) -> dict[str, object]:
    found = dict(present)
    for note in notes:
        if note.body is None:
            found.pop(note.key, None)
        else:
            found[note.key] = read(note)
    return found


def _answered(present: Mapping[str, tuple[str, ...]], notes: list[Note]) -> dict[str, tuple[str, ...]]:
    """Which answers are kept for whom, the oldest first."""
    found: dict[str, dict[str, None]] = {}
    for note in notes:
        agent = note.key.partition(" ")[0]
        keys = found.setdefault(agent, dict.fromkeys(present.get(agent, ())))
        keys.pop(note.key, None)
        if note.body is not None:
            keys[note.key] = None
    return {**present, **{agent: tuple(keys) for agent, keys in found.items()}}


def _read(note: Note, kind: type[_T]) -> _T:
    assert note.body is not None, "what was taken away is not read"
    return decode_json(note.body, kind)


_KEPT: dict[str, tuple[str, Callable[[Note], object]]] = {
    AGENTS: ("agents", lambda note: _read(note, RegistrationState)),
    SESSIONS: ("sessions", lambda note: _read(note, FieldSession)),
    TASKS: ("tasks", lambda note: _read(note, TaskState)),
    OFFERS: ("offers", lambda note: _read(note, Offer)),
    WISHES: ("wishes", lambda note: _read(note, SubscriptionState)),
    DEFERRED: ("deferred", lambda note: note.seq),
}


def jot(topic: str, key: str, value: object) -> NoteDraft:
    """A note that says a value."""
    return NoteDraft(topic=topic, key=key, body=msgspec.json.encode(value).decode())


def wish_key(agent: str, name: str) -> str:
    return f"{agent} {name}"
