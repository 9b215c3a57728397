"""The bench on which an assertion is tried: a Field, agents on it, and what they are told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from typing import Literal, TypeVar

from akashik_conformance.binding import (
    WAIT_S,
    Answer,
    Binding,
    Ending,
    Examined,
    Json,
    JsonObject,
    Settings,
    Stage,
    View,
    Ways,
)
from akashik_conformance.say import NEW, OLD, brief, finding, link, part, parts, scope, went, whole, word, words

T = TypeVar("T")
PAUSE_S = 0.05
_EVERY = count(1)
"""Numbers that no two messages of a run share."""


class Agent:
    """One registered agent, with the token it speaks under."""

    def __init__(self, subject: Subject, name: str, authority: int) -> None:
        self.subject, self.name, self.authority = subject, name, authority

    @property
    def token(self) -> str:
        return self.subject.token(self.authority)

    def ask(self, operation: str, payload: Json, *, session: str | None = None, epoch: int = 0) -> JsonObject:
        message = self.subject.message(operation, self.name, payload, session=session, epoch=epoch)
        return self.subject.send(message, self.token)

    def record(self, content: str, *, session: str | None = None, **more: Json) -> str:
        """Record something that must be accepted; the unit's id."""
        return word(self.recorded(content, session=session, **more), "memory_unit_id")

    def recorded(self, content: str, *, session: str | None = None, **more: Json) -> JsonObject:
        """The same; the whole answer."""
        return self.say(finding(content, **more), session=session)

    def say(self, payload: JsonObject, *, session: str | None = None) -> JsonObject:
        """A RECORD that must be accepted."""
        answer = self.ask("RECORD", payload, session=session)
        went(answer, "accepted", f"a RECORD by {self.name}")
        self.subject.ours.add(word(answer, "memory_unit_id"))
        return answer

    def attune(self, max_units: int = 50, /, *, session: str | None = None, **more: Json) -> JsonObject:
        """What this agent is told; the question must be answered."""
        return went(self.ask("ATTUNE", scope(max_units, **more), session=session), "ok", f"an ATTUNE by {self.name}")

    def contents(self, max_units: int = 50, /, *, session: str | None = None, **more: Json) -> list[str]:
        return self.subject.contents(self.attune(max_units, session=session, **more))

    def unit(self, name: str, *, session: str | None = None) -> JsonObject | None:
        """A unit as this agent is told it, its own and archived ones included; None if it is not told."""
        answer = self.attune(1_000, session=session, include_own=True, include_archived=True)
        units = (part(one, "memory_unit") for one in parts(answer, "record"))
        return next((one for one in units if one.get("id") == name), None)

    def view(self, name: View, *, session: str | None = None) -> JsonObject:
        return self.subject.binding.view(name, self.token, agent=self.name, session=session).document

    def conflicts(self, bounds: JsonObject | None = None, *, session: str | None = None) -> list[JsonObject]:
        """The conflicts that this agent finds listed."""
        payload: JsonObject = {"mode": "list", "filter": bounds} if bounds else {"mode": "list"}
        return parts(went(self.ask("DETECT", payload, session=session), "ok", "a DETECT list"), "conflicts")

    def conflict(self, name: str) -> JsonObject:
        found = [one for one in self.conflicts() if one.get("id") == name]
        if len(found) != 1:
            raise AssertionError(f"expected the conflict {name} to be listed once, saw {len(found)} times")
        return found[0]

    def subscribe(self, *events: str, **more: Json) -> str:
        """Subscribe to events; the subscription's id."""
        wish: JsonObject = {"events": list[Json](events), **more}
        answer = self.ask("SUBSCRIBE", {"action": "subscribe", "subscription": wish})
        return word(part(went(answer, "ok", "a SUBSCRIBE"), "subscription"), "id")


class Subject:
    """The Field under examination, reached through one binding."""

    def __init__(self, examined: Examined, way: Ways, level: int) -> None:
        self.examined, self.way, self.level = examined, way, level
        self.binding: Binding = examined.binding(way)
        self.ours: set[str] = set()
        self._suffix = f"-{next(_EVERY)}" if examined.shared else ""
        self._roles: dict[str, str] = {}

    def name(self, plain: str) -> str:
        """The name an agent goes by here: its own, and on a Field that others use, one that nobody else has."""
        return plain + self._suffix

    def token(self, authority: int) -> str:
        return self.examined.token(authority)

    def through(self, way: Ways) -> Subject:
        """The same Field, reached another way."""
        other = Subject(self.examined, way, self.level)
        other.ours, other._suffix = self.ours, self._suffix
        return other

    def message(
        self, operation: str, agent: str, payload: Json, *, session: str | None = None, epoch: int = 0
    ) -> JsonObject:
        return {
            "protocol": "akashik",
            "version": "0.1.0",
            "id": f"message-{next(_EVERY)}",
            "operation": operation,
            "agent_id": agent,
            "session_id": session,
            "epoch": epoch,
            "payload": payload,
        }

    def send(self, message: Json, token: str | None) -> JsonObject:
        return self.answer(message, token).document

    def answer(self, message: Json, token: str | None) -> Answer:
        return self.binding.send(message, token)

    def register(self, plain: str, authority: int = 4, *, role: str = "researcher", **more: Json) -> JsonObject:
        """The answer to a REGISTER."""
        name = self.name(plain)
        message = self.message("REGISTER", name, {"id": name, "role": role, **more})
        return self.send(message, self.token(authority))

    def join(self, plain: str, authority: int = 4, *, role: str = "researcher", **more: Json) -> Agent:
        """An agent that must be let in."""
        went(self.register(plain, authority, role=role, **more), "registered", f"the REGISTER of {plain}")
        return Agent(self, self.name(plain), authority)

    def meet(self, leader: Agent, *members: Agent, **policies: Json) -> str:
        """A session led by one agent and joined by others; its id."""
        wish: JsonObject = {"action": "create", "goal": "find out"}
        made = leader.ask("SESSION", {**wish, "policies": policies} if policies else wish)
        name = word(part(went(made, "ok", "a SESSION create"), "session"), "id")
        for one in members:
            went(one.ask("SESSION", {"action": "join", "session_id": name}), "ok", f"the join of {one.name}")
        return name

    def told(self, answer: JsonObject) -> list[JsonObject]:
        """The units of an answer, without those of others where the Field is shared."""
        found = parts(answer, "record")
        if not self.examined.shared:
            return found
        return [one for one in found if part(one, "memory_unit").get("id") in self.ours]

    def contents(self, answer: JsonObject) -> list[str]:
        """The contents of an answer, in its order."""
        return [word(part(one, "memory_unit"), "content") for one in self.told(answer)]

    def events(self, looker: Agent) -> int:
        """How long the log is, as the status view tells."""
        return whole(looker.view("status"), "events")

    def within(self, true: Callable[[], bool], what: str) -> None:
        """Something comes true before the suite has waited too long."""
        until = time.monotonic() + WAIT_S
        while not true():
            if time.monotonic() > until:
                raise AssertionError(f"{what}: not in {WAIT_S:.0f} s")
            time.sleep(PAUSE_S)

    @contextmanager
    def following(self, agent: Agent, *events: str, marker: str = "agent.joined", **more: Json) -> Iterator[Feed]:
        """What an agent hears while the block lasts, of what it subscribes to and of what it is told unasked."""
        after = whole(agent.view("status"), "epoch")
        wanted = (agent.subscribe(*events, **more),) if events else ()
        feed = Feed(agent, wanted, agent.subscribe(marker), marker, after)
        try:
            yield feed
        finally:
            feed.close()

    def at_once(self, jobs: Sequence[Callable[[], T]], *, workers: int = 8) -> list[T]:
        """What these come to when they are done at the same time."""
        with ThreadPoolExecutor(workers) as pool:
            return [one.result(timeout=WAIT_S * 3) for one in [pool.submit(job) for job in jobs]]

    def restart(self, how: Ending) -> None:
        self.examined.restart(how)
        self.binding = self.examined.binding(self.way)

    def rebuild(self) -> None:
        self.examined.rebuild()
        self.binding = self.examined.binding(self.way)


class Feed:
    """The notices of one agent. To know that nothing else is on its way, an event is made that must arrive last."""

    def __init__(self, agent: Agent, wanted: tuple[str, ...], last: str, marker: str, after: int) -> None:
        self.agent, self.wanted, self._last, self._marker = agent, wanted, last, marker
        self._stream = agent.subject.binding.follow(agent.name, agent.token, after=after)

    def heard(self) -> list[JsonObject]:
        """Everything that came since, without the marker."""
        self._mark()
        found: list[JsonObject] = []
        until = time.monotonic() + WAIT_S
        while (left := until - time.monotonic()) > 0:
            notice = self._stream.next(left)
            if notice is None:
                break
            if notice.get("subscription_id") == self._last:
                return found
            found.append(notice)
        raise AssertionError(f"no {self._marker} arrived in {WAIT_S:.0f} s; until then {brief(found)}")

    def names(self) -> list[str]:
        """The names of the events that came since."""
        return [word(one, "event") for one in self.heard()]

    def _mark(self) -> None:
        subject = self.agent.subject
        name = f"marker-{next(_EVERY)}"
        if self._marker == "agent.joined":
            subject.join(name)
        else:
            subject.join(name).record(f"{name} passes by")

    def close(self) -> None:
        self._stream.close()


class Bench:
    """Gives an assertion the Fields it needs and takes them away again."""

    def __init__(self, stage: Stage, level: int = 3) -> None:
        self.stage, self.level = stage, level
        self._open: list[Examined] = []

    @property
    def way(self) -> Ways:
        return self.stage.way

    def field(
        self,
        *,
        level: int | None = None,
        detection_timeout_ms: int | None = None,
        replay_limit: int | None = None,
        capacity_bytes: int | None = None,
        cross_session: bool = False,
        type_rules: tuple[str, ...] = (),
        vote_quorum: int | None = None,
        enrichment: Literal["none", "meaning", "failing"] = "none",
        alone: bool = False,
    ) -> Subject:
        """A Field of its own for this assertion."""
        settings = Settings(
            level=self.level if level is None else level,
            detection_timeout_ms=detection_timeout_ms,
            replay_limit=replay_limit,
            capacity_bytes=capacity_bytes,
            cross_session=cross_session,
            type_rules=type_rules,
            vote_quorum=vote_quorum,
            enrichment=enrichment,
            alone=alone,
        )
        return self._taken(self.stage, settings)

    def tight(self) -> Subject:
        """A Field whose every bound is tight: what is found by wording is found later, three events are the most that
        are replayed, two votes decide, little fits in, directives are kept from agents below authority 6, and
        sessions can be seen from outside."""
        return self.field(
            detection_timeout_ms=0,
            replay_limit=3,
            capacity_bytes=1_500_000,
            cross_session=True,
            type_rules=("human_directive=6",),
            vote_quorum=2,
        )

    def over(self, way: Ways) -> Subject:
        """A Field of its own that is reached in a given way, whichever the suite runs over."""
        stage = self.stage if self.stage.way == way else self.stage.sister(way)
        return self._taken(stage, Settings(level=self.level))

    def _taken(self, stage: Stage, settings: Settings) -> Subject:
        examined = stage.field(settings)
        self._open.append(examined)
        return Subject(examined, stage.way, settings.level)

    def sister(self, way: Ways) -> Bench:
        """A bench over the same system, reached another way."""
        return Bench(self.stage.sister(way), self.level)

    def close(self) -> None:
        """Let go of every Field that was taken."""
        while self._open:
            self._open.pop().close()


def ids(documents: Sequence[JsonObject]) -> list[str]:
    """The ids of documents, in order."""
    return [word(one, "id") for one in documents]


def disputed(
    first: Agent, second: Agent, *, older: JsonObject | None = None, newer: JsonObject | None = None
) -> tuple[str, str, str]:
    """Two units that contradict each other by declaration: the conflict, the older and the newer."""
    old = word(first.say({**finding(OLD), **(older or {})}), "memory_unit_id")
    relations = link("contradicts", old, "it was 23")
    answer = second.say({**finding(NEW, relations=relations), **(newer or {})})
    found = words(answer, "conflicts_detected")
    if len(found) != 1:
        raise AssertionError(f"expected one conflict for one declared contradiction, saw {found}")
    return found[0], old, word(answer, "memory_unit_id")
