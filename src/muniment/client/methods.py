"""Methods of a served memory, made from the table of operations and the signatures of the embedded classes.

A method is written once, as a plan: a generator that yields the calls to send and is given their answers. A client
runs it, an async client awaits it. What is listed in the table needs no code here unless its answer is put together
from several pages in a way of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Protocol, TypeVar

from muniment.client.calls import proposed
from muniment.engine import Directory, KnownActor, Tellings
from muniment.model import checks
from muniment.model.arguments import bind
from muniment.model.claim import Claim
from muniment.model.errors import Malformed
from muniment.model.value import Value
from muniment.operations import OPERATIONS, OperationSpec, answers
from muniment.operations.kinds import PAGE_MAX

Arguments = dict[str, object]
_C = TypeVar("_C", bound=type)
_ITEMS_MAX = 2**31


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operation."""

    name: str
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a stream."""

    value: object


Plan = Generator[Call, Value, object]
Stream = Generator[Call | Item, Value, None]


class Connected(Protocol):
    """A client, or a part of one."""

    def _call(self, name: str, arguments: Arguments) -> Value: ...


class AsyncConnected(Protocol):
    """An async client, or a part of one."""

    def _call(self, name: str, arguments: Arguments) -> Awaitable[Value]: ...


def operations_of(part: str, source: type, *, awaited: bool = False) -> Callable[[_C], _C]:
    """Give a class the methods of one part of the table, as `source` declares them."""

    def fill(kind: _C) -> _C:
        for row in OPERATIONS:
            place, _, name = row.name.rpartition(".")
            method = vars(source).get(name)
            if place != part or not inspect.isfunction(method) or name in vars(kind):
                continue
            if row.name in _STREAMS:
                setattr(kind, name, _async_stream(row, method) if awaited else _stream(row, method))
            else:
                setattr(kind, name, _async_method(row, method) if awaited else _method(row, method))
        return kind

    return fill


def _method(row: OperationSpec, method: Callable[..., object]) -> Callable[..., object]:
    @wraps(method)
    def send(self: Connected, *args: object, **options: object) -> object:
        plan = _planned(row, method, args, options)
        try:
            call = next(plan)
            while True:
                call = plan.send(self._call(call.name, call.arguments))
        except StopIteration as done:
            return done.value

    return _spelled(send, row, method)


def _async_method(row: OperationSpec, method: Callable[..., object]) -> Callable[..., object]:
    async def sent(self: AsyncConnected, args: tuple[object, ...], options: dict[str, object]) -> object:
        plan = _planned(row, method, args, options)
        try:
            call = next(plan)
            while True:
                call = plan.send(await self._call(call.name, call.arguments))
        except StopIteration as done:
            return done.value

    @wraps(method)
    def send(self: AsyncConnected, *args: object, **options: object) -> Coroutine[object, object, object]:
        bind(method, args, dict(options))  # a call that does not fit is refused before anything is awaited
        return sent(self, args, options)

    return _spelled(send, row, method)


def _stream(row: OperationSpec, method: Callable[..., object]) -> Callable[..., object]:
    @wraps(method)
    def send(self: Connected, *args: object, **options: object) -> Iterator[object]:
        return _run_stream(self, _STREAMS[row.name](row, _said(row, method, args, options)))

    return _spelled(send, row, method)


def _run_stream(client: Connected, plan: Stream) -> Iterator[object]:
    step = next(plan, None)
    while step is not None:
        if isinstance(step, Item):
            yield step.value
            step = next(plan, None)
        else:
            step = _sent(plan, client._call(step.name, step.arguments))


def _async_stream(row: OperationSpec, method: Callable[..., object]) -> Callable[..., object]:
    @wraps(method)
    async def send(self: AsyncConnected, *args: object, **options: object) -> AsyncIterator[object]:
        plan = _STREAMS[row.name](row, _said(row, method, args, options))
        step = next(plan, None)
        while step is not None:
            if isinstance(step, Item):
                yield step.value
                step = next(plan, None)
            else:
                step = _sent(plan, await self._call(step.name, step.arguments))

    return _spelled(send, row, method)


def _sent(plan: Stream, answer: Value) -> Call | Item | None:
    try:
        return plan.send(answer)
    except StopIteration:
        return None


def carried(row: OperationSpec, method: Callable[..., object]) -> list[inspect.Parameter]:
    """The parameters of a method that a request can carry. Progress is not told over a wire, and where a list goes on
    is a cursor's business."""
    known = {*row.places, "self", "progress", "proposal_id", "expected_revision"}
    for kind in (row.query, row.body):
        known |= set(kind.__struct_fields__) if kind is not None else set()
    given = inspect.signature(method).parameters.values()
    whole = row.name in _PLANS
    return [one for one in given if one.name in known or one.kind is one.VAR_KEYWORD or (whole and one.name != "after")]


def _spelled(send: Callable[..., object], row: OperationSpec, method: Callable[..., object]) -> Callable[..., object]:
    """A method with the signature that it has over a wire."""
    signature = inspect.signature(method)
    send.__signature__ = signature.replace(parameters=carried(row, method))  # type: ignore[attr-defined]  # read by inspect
    return send


def _said(row: OperationSpec, method: Callable[..., object], args: tuple[object, ...], options: Arguments) -> Arguments:
    """What a call says, by keyword."""
    said = bind(method, args, options)
    said.pop("progress", None)
    names = {one.name for one in carried(row, method)}
    for name in inspect.signature(method).parameters:
        if name in said and name not in names:
            raise Malformed(name, "nothing: it is not for a memory that is served")
    return said


def _planned(row: OperationSpec, method: Callable[..., object], args: tuple[object, ...], options: Arguments) -> Plan:
    said = _said(row, method, args, options)
    if row.name in _PLANS:
        return _PLANS[row.name](row, said)
    if row.pages is not None:
        usual = inspect.signature(method).parameters.get("limit")
        return _collected(row, said, None if usual is None else usual.default)
    return _single(row, said)


def _single(row: OperationSpec, said: Arguments) -> Plan:
    answer = yield Call(row.name, said)
    return answer if row.gives is None else getattr(answer, row.gives)


def _collected(row: OperationSpec, said: Arguments, usual: object) -> Plan:
    """Every item of a list, or as many as are asked for, page by page."""
    assert row.pages is not None
    limit = said.pop("limit", usual)
    most = _ITEMS_MAX if limit is None else _whole(limit, least=1, most=_ITEMS_MAX)
    found: list[object] = []
    cursor: object = None
    while True:
        size = min(PAGE_MAX, most - len(found))
        answer = yield Call(row.name, {**said, "cursor": cursor, "limit": size})
        found += getattr(answer, row.pages)
        cursor = answer.next  # type: ignore[attr-defined]  # a page has it
        if cursor is None or len(found) >= most:
            return tuple(found[:most])


def _whole(limit: object, *, least: int, most: int) -> int:
    if not isinstance(limit, int):
        raise Malformed("limit", f"a whole number from {least} to {most}")
    checks.whole("limit", limit, least=least, most=most)
    return limit


def _propose(row: OperationSpec, said: Arguments) -> Plan:
    claim = said.pop("claim")
    if isinstance(claim, Claim):
        return (yield from _single(row, {"claim": claim, **said}))
    if said:
        raise Malformed("claim", "one claim: the other arguments are not for a list")
    if not isinstance(claim, Iterable):
        raise Malformed("claim", "a claim, or a list of claims")
    proposals = [proposed(one) for one in claim]
    if not proposals:
        return ()
    answer = yield Call("propose_many", {"proposals": proposals})
    assert isinstance(answer, answers.Verdicts)
    return answer.verdicts


def _preview(row: OperationSpec, said: Arguments) -> Plan:
    claims = said["claims"]
    if not isinstance(claims, Iterable):
        raise Malformed("claims", "a list of claims")
    put = tuple(claims)
    return (yield from _single(row, {"claims": put})) if put else ()


def _directory(row: OperationSpec, said: Arguments) -> Plan:
    limit = _whole(said.pop("limit", 50), least=1, most=10_000)
    cursor: str | None = None
    knowers: list[KnownActor] = []
    while True:
        page = yield Call(row.name, {**said, "cursor": cursor, "limit": min(PAGE_MAX, limit - len(knowers))})
        assert isinstance(page, answers.DirectoryPage)
        knowers += page.knowers
        cursor = page.next
        if cursor is None or len(knowers) >= limit:
            return Directory(about=page.about, knowers=tuple(knowers[:limit]), teams=page.teams)


def _receipts_of(row: OperationSpec, said: Arguments) -> Plan:
    page = yield Call(row.name, said)
    assert isinstance(page, answers.ReceiptsOf)
    return Tellings(receipts=page.receipts, looked=page.looked, of=page.of, before=page.before)


def _browse(row: OperationSpec, said: Arguments) -> Stream:
    limit, cursor = said.pop("limit", None), None
    left = None if limit is None else _whole(limit, least=0, most=_ITEMS_MAX)
    while left is None or left > 0:
        size = PAGE_MAX if left is None else min(PAGE_MAX, left)
        page = yield Call(row.name, {**said, "cursor": cursor, "limit": size})
        assert isinstance(page, answers.Records)
        for one in page.records:
            yield Item(one)
        cursor, left = page.next, None if left is None else left - len(page.records)
        if cursor is None:
            return


def _receipts(row: OperationSpec, said: Arguments) -> Stream:
    cursor: str | None = None
    while True:
        page = yield Call(row.name, {**said, "cursor": cursor, "limit": PAGE_MAX})
        assert isinstance(page, answers.ReceiptPage)
        for told in page.receipts:
            yield Item((told.entry, told.account))
        cursor = page.next
        if cursor is None:
            return


_PLANS: dict[str, Callable[[OperationSpec, Arguments], Plan]] = {
    "propose": _propose,
    "imports.preview": _preview,
    "insight.directory": _directory,
    "insight.receipts_of": _receipts_of,
}
_STREAMS: dict[str, Callable[[OperationSpec, Arguments], Stream]] = {
    "insight.browse": _browse,
    "ledger.receipts": _receipts,
}
