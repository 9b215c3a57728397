"""What a tool is: its name and words, what it takes and answers, which grant it needs, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from muniment.contracts.shape import Flaw, Wire, flaws
from muniment.contracts.strict.values import JsonObject
from muniment.model.decoding import convert
from muniment.model.errors import Malformed, MunimentError, NotPermitted, Unauthenticated
from muniment.model.render import visible
from muniment.model.value import Value
from muniment.surfaces.http.problems import document_of
from muniment.surfaces.mcp.schemas import schema_of
from muniment.surfaces.mcp.session import McpSession
from muniment.surfaces.reception.principal import Grant

A = TypeVar("A", bound=Wire)
T = TypeVar("T")


class ToolAnswer(Value):
    """What a tool answers: the document, the same in words, whether it tells of a failure, and the code of one that
    turned the caller away."""

    document: object
    text: str
    failed: bool = False
    denied: str | None = None


class ToolHints(Value):
    """What a client is told of the effects of a tool. Nothing here reaches beyond the memory."""

    reads: bool = False
    destroys: bool = False
    repeatable: bool = False


READS = ToolHints(reads=True, repeatable=True)
ADDS = ToolHints()
CHANGES = ToolHints(destroys=True)


class ToolDescription(Value):
    """How a tool is called and described."""

    name: str
    description: str
    title: str | None = None


class McpTool(Value):
    """A tool as it is listed and called. `takes` and `answers` are JSON Schemas; what answers in words alone has none
    for its answer. `grant` opens it at all, and `needs` says which one a single call takes."""

    words: ToolDescription
    hints: ToolHints
    grant: Grant
    takes: JsonObject
    answers: JsonObject | None
    needs: Callable[[JsonObject], Grant]
    perform: Callable[[McpSession, JsonObject], ToolAnswer]
    fails: Callable[[MunimentError], ToolAnswer]


def problem(error: Exception) -> ToolAnswer:
    """A failure as a tool tells it: what was wrong, where, and what to do. What went wrong on our side is told in words
    that repeat nothing of it."""
    found = document_of(error)
    document: JsonObject = {"code": found.code, "message": found.detail, "hint": found.hint}
    if found.field is not None:
        document["field"] = found.field
    text = f"error {found.code}: {visible(found.detail)}\nwhat to do: {visible(found.hint)}"
    denied = found.code if isinstance(error, (NotPermitted, Unauthenticated)) else None
    return ToolAnswer(document={"error": document}, text=text, failed=True, denied=denied)


def tool(
    words: ToolDescription,
    hints: ToolHints,
    grant: Grant,
    takes: type[A],
    answers: JsonObject | None,
    perform: Callable[[McpSession, A], ToolAnswer],
    *,
    needs: Callable[[JsonObject], Grant] | None = None,
    fails: Callable[[MunimentError], ToolAnswer] = problem,
) -> McpTool:
    """A tool whose arguments are read strictly before it is performed."""
    return McpTool(
        words=words,
        hints=hints,
        grant=grant,
        takes=schema_of(takes),
        answers=answers,
        needs=needs or (lambda _: grant),
        perform=lambda seat, given: perform(seat, read(given, takes)),
        fails=fails,
    )


def read(given: JsonObject, kind: type[A]) -> A:
    """Arguments as a value of their type. The first thing that is wrong is told, by the name of its field.

    >>> from muniment.surfaces.mcp.arguments import HistoryArguments
    >>> read({"record_id": "rec_1"}, HistoryArguments).record_id
    'rec_1'
    """
    found = flaws(given, kind)
    if found:
        raise _malformed(found[0])
    try:
        return convert(given, kind)
    except msgspec.ValidationError:
        raise Malformed("arguments", "numbers within what a machine can hold") from None


def said(value: T | UnsetType) -> T | None:
    """What was said, or None: the engine's word for what was not."""
    return None if value is UNSET else value


def spoken(arguments: Wire, *but: str) -> dict[str, object]:
    """What was said, as the keywords of the engine; without the fields named in `but`."""
    found = msgspec.to_builtins(arguments)
    return {name: value for name, value in found.items() if name not in but}


def _malformed(flaw: Flaw) -> Malformed:
    field = flaw.path.removeprefix("/").replace("/", ".")
    if flaw.code == "missing":
        return Malformed(flaw.message.removesuffix(" is missing"), "a value; it is missing")
    if flaw.code == "unknown":
        return Malformed(field, "an argument that the tool takes; its input schema names them")
    return Malformed(field or "arguments", flaw.message.removeprefix("expected "))
