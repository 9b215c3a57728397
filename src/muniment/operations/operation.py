"""One operation of the native REST face: its name, its place, what it takes, what it answers and what it needs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from muniment.model.value import Value


class Verb(StrEnum):
    GET = "GET"
    POST = "POST"
    DELETE = "DELETE"


class Grant(StrEnum):
    """What a credential may be used for, and what an operation asks of it. A grant opens a door; what lies behind it is
    the policy's to decide."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    AUDIT = "audit"
    ADMIN = "admin"


class Key(StrEnum):
    """What an `Idempotency-Key` is good for: it names the proposal, or each of a batch, or the first answer under it is
    kept and repeated, or there is no need for one."""

    PROPOSAL = "proposal"
    BATCH = "batch"
    ANSWER = "answer"
    NONE = "none"


_PLACES = re.compile(r"{([a-z_]+)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationSpec:
    """One row of the table. `name` is the method of `Memory`, with the part before it: `recall`, `review.decide`.

    What stands in `path` in braces, in `query` and in `body` are the keywords of that method. `gives` is the field of
    the answer that the method returns, where it returns no answer of its own; `pages` is the field that holds one page
    of a list; `tagged` answers carry an `ETag`; `matchable` requests may say
    in `If-Match` which revision they speak of. `codes` are the errors it can end in beside those
    that any operation can. `aliases` are other paths that it answers at, for those who look for it there. With
    `tool` it is a tool of MCP too, in the profile `memory`; `help` is what a command and a tool say of it.
    """

    name: str
    verb: Verb
    path: str
    summary: str
    help: str = ""
    grant: Grant
    answer: type[Value]
    query: type[Value] | None = None
    body: type[Value] | None = None
    statuses: tuple[int, ...] = (200,)
    changes: bool = False
    key: Key = Key.NONE
    gives: str | None = None
    pages: str | None = None
    tagged: bool = False
    matchable: bool = False
    codes: tuple[str, ...] = ()
    example: Value | None = None
    aliases: tuple[str, ...] = ()
    tool: bool = False

    @property
    def places(self) -> tuple[str, ...]:
        """The names that stand in the path."""
        return tuple(_PLACES.findall(self.path))
