"""Fields that break their promises on purpose: a stage whose bindings change what goes in or what comes out."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.akashik.native import NativeStage

from akashik_conformance.binding import Answer, Binding, Ending, Examined, Raw, Settings, Stage, Stream, View, Ways
from muniment.contracts.strict.values import Json, JsonObject

Send = Callable[[JsonObject, str | None], JsonObject]
Change = Callable[[JsonObject, str | None, Send], JsonObject]
"""Given a message, its token and the way to the real Field: the answer that the broken one gives."""
Tell = Callable[[list[JsonObject]], list[JsonObject]]
"""Given the notices that came: those that the broken Field lets through."""


class Breakage:
    """What is wrong. Whatever is not said is right."""

    def __init__(
        self,
        change: Change = lambda message, token, send: send(message, token),
        *,
        tell: Tell = lambda notices: notices,
        views_for: str | None = None,
        forgets: bool = False,
    ) -> None:
        self.change, self.tell, self.views_for, self.forgets = change, tell, views_for, forgets


class BrokenStage:
    """Fields in this process, all broken in one way."""

    way: Ways = "native"

    def __init__(self, breakage: Breakage) -> None:
        self._breakage, self._inner = breakage, NativeStage()

    def field(self, settings: Settings) -> Examined:
        return _BrokenField(self._inner, settings, self._breakage)

    def sister(self, way: Ways) -> Stage:
        return self._inner.sister(way)

    def close(self) -> None:
        self._inner.close()


class _BrokenField:
    shared = False

    def __init__(self, stage: NativeStage, settings: Settings, breakage: Breakage) -> None:
        self._stage, self._settings, self._breakage = stage, settings, breakage
        self._inner = stage.field(settings)

    def binding(self, way: Ways) -> Binding:
        return _BrokenBinding(self._inner.binding(way), self._breakage)

    def token(self, authority: int) -> str:
        return self._inner.token(authority)

    def bad_token(self, how: str) -> str:
        return how

    def http(self) -> Raw:
        return self._inner.http()

    def tools(self) -> tuple[str, ...]:
        return self._inner.tools()

    def restart(self, how: Ending) -> None:
        if not self._breakage.forgets:
            self._inner.restart(how)
            return
        self._inner.close()
        self._inner = self._stage.field(self._settings)

    def rebuild(self) -> None:
        self._inner.rebuild()

    def heal(self) -> None:
        self._inner.heal()

    def close(self) -> None:
        self._inner.close()


class _BrokenBinding:
    way: Ways = "native"

    def __init__(self, inner: Binding, breakage: Breakage) -> None:
        self._inner, self._breakage = inner, breakage

    def send(self, message: Json, token: str | None) -> Answer:
        if not isinstance(message, dict):
            return self._inner.send(message, token)
        return Answer(document=self._breakage.change(message, token, lambda *asked: self._inner.send(*asked).document))

    def view(self, name: View, token: str | None, *, agent: str | None, session: str | None = None) -> Answer:
        return self._inner.view(name, self._breakage.views_for or token, agent=agent, session=session)

    def retract(self, agent: str, unit: str, reason: str, token: str | None) -> Answer | None:
        return self._inner.retract(agent, unit, reason, token)

    def follow(self, agent: str, token: str | None, *, after: int) -> Stream:
        return _BrokenStream(self._inner.follow(agent, token, after=after), self._breakage.tell)

    def close(self) -> None:
        self._inner.close()


class _BrokenStream:
    def __init__(self, inner: Stream, tell: Tell) -> None:
        self._inner, self._tell = inner, tell
        self._waiting: list[JsonObject] = []

    def next(self, wait_s: float) -> JsonObject | None:
        while not self._waiting:
            found = self._inner.next(wait_s)
            if found is None:
                return None
            self._waiting = self._tell([found])
        return self._waiting.pop(0)

    def close(self) -> None:
        self._inner.close()
