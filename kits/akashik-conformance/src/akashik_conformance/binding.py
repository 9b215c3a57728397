"""How the suite reaches a Field: messages in, answers out, views, notices; and where Fields to examine come from."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

import msgspec

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"


class SetupError(Exception):
    """The suite cannot run as it was asked to. `field` names the option that is wrong, `hint` says what to do."""

    def __init__(self, field: str, message: str, *, hint: str = "") -> None:
        super().__init__(f"{field}: {message}")
        self.field, self.message, self.hint = field, message, hint


View = Literal["status", "agents", "conflicts"]
Ways = Literal["native", "http", "mcp"]
Ending = Literal["kill", "stop"]
Meaning = Literal["none", "meaning", "failing"]

VIEWS: tuple[View, ...] = ("status", "agents", "conflicts")
WAYS: tuple[Ways, ...] = ("native", "http", "mcp")
TRANSPORT_ERROR = "TRANSPORT_ERROR"
"""The code under which a binding tells that the transport refused a message before any Field saw it."""
WAIT_S = 20.0
"""How long the suite waits for anything at most."""


class Unobservable(Exception):
    """What an assertion speaks of cannot be seen here: it counts as failed, with this reason."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a Field for an assertion must be like. `alone` asks for a process of its own, which can be killed."""

    level: int = 3
    detection_timeout_ms: int | None = None
    replay_limit: int | None = None
    capacity_bytes: int | None = None
    cross_session: bool = False
    type_rules: tuple[str, ...] = ()
    vote_quorum: int | None = None
    enrichment: Meaning = "none"
    alone: bool = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came back. `status` is the transport's own word for it, where the transport has one."""

    document: JsonObject
    status: int | None = None


class RawAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came back from a bare HTTP request."""

    status: int
    kind: str
    document: JsonObject


class Raw(Protocol):
    """Bare HTTP to the server of a Field, for what only HTTP has."""

    def post(self, path: str, body: Json, token: str | None, *, kind: str = "application/json") -> RawAnswer: ...

    def get(self, path: str, token: str | None) -> RawAnswer: ...


class Stream(Protocol):
    """Notices on their way to one agent, oldest first."""

    def next(self, wait_s: float) -> JsonObject | None:
        """The next notice, or None if none came in that time."""

    def close(self) -> None: ...


class Binding(Protocol):
    """One way to a Field. A token is what the transport takes for a credential; None is a caller without one."""

    @property
    def way(self) -> Ways: ...

    def send(self, message: Json, token: str | None) -> Answer: ...

    def view(self, name: View, token: str | None, *, agent: str | None, session: str | None = None) -> Answer: ...

    def retract(self, agent: str, unit: str, reason: str, token: str | None) -> Answer | None:
        """Withdraw a unit. The protocol has no operation for it: None where the binding has no extension that does."""

    def follow(self, agent: str, token: str | None, *, after: int) -> Stream:
        """Notices later than an epoch: pushed where the binding pushes, polled where it does not. A caller who may not
        follow gets `Shut`."""

    def close(self) -> None: ...


class Shut(Exception):
    """A stream was refused."""


class Examined(Protocol):
    """A Field that is there for one assertion, and what can be done to it from outside."""

    @property
    def shared(self) -> bool:
        """Whether others use the Field too, so that what they record must be overlooked."""

    def binding(self, way: Ways) -> Binding: ...

    def token(self, authority: int) -> str:
        """A token of that authority, which may speak for any agent."""

    def bad_token(self, how: Literal["unknown", "expired"]) -> str: ...

    def http(self) -> Raw: ...

    def tools(self) -> tuple[str, ...]:
        """The names of the MCP tools its server has."""

    def restart(self, how: Ending) -> None: ...

    def rebuild(self) -> None:
        """Drop everything but the log and make the state again from it."""

    def heal(self) -> None:
        """Let enrichment work from now on."""

    def close(self) -> None: ...


class Stage(Protocol):
    """Where Fields for the suite come from."""

    @property
    def way(self) -> Ways: ...

    def field(self, settings: Settings) -> Examined: ...

    def sister(self, way: Ways) -> Stage:
        """The same system reached another way."""

    def close(self) -> None: ...
