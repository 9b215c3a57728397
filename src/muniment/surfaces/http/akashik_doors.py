"""The way in to the Akashik binding: who is calling, what the credential is good for, and every refusal told in the
protocol's words and written down."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from muniment.compat.akashik import Credential
from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import NotPermitted, Unauthenticated
from muniment.surfaces.http.akashik_answers import Failure, answer, failed, refused_with, told
from muniment.surfaces.http.doors import DENIALS, reception_of, record, visitor_of
from muniment.surfaces.reception.principal import Grant, Principal

Ask: TypeAlias = Callable[[Request, Principal], Awaitable[JsonObject]]
_DENIALS = {ErrorCode.UNAUTHENTICATED: Unauthenticated.code, ErrorCode.INSUFFICIENT_AUTHORITY: NotPermitted.code}
"""The Field's two ways to turn somebody away, under the names that the record of denials has for them."""


class AkashikRoute:
    """One path, as an application of its own, so that also what is wrong with the method is told as an error object."""

    def __init__(self, name: str, method: str, ask: Ask) -> None:
        self._name = name
        self._method = method
        self._ask = ask

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = await self._answer(request)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if ("GET" if request.method == "HEAD" else request.method) != self._method:
            return wrong_method(self._name, self._method)
        try:
            visitor = await visitor_of(request)
            document = await self._ask(request, visitor)
        except Failure as error:
            turned_away(request, error)
            return failed(error, self._name)
        code = refused_with(document)
        if code is not None and not document.get("operation"):
            document = {**document, "operation": self._name}
        if code is not None and code in _DENIALS:
            record(request.scope, reception_of(request), _DENIALS[code])
        return told(document)


class Nowhere:
    """The answer to an operation that the protocol does not have. Tells nothing, so it asks nobody's name."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        document = error_document(
            ErrorCode.UNSUPPORTED_OPERATION, "UNKNOWN", "the protocol has no operation of this name"
        )
        await told(document)(scope, receive, send)


def wrong_method(name: str, method: str) -> Response:
    document = error_document(ErrorCode.INVALID_ENVELOPE, name, f"this path takes {method}")
    return answer(document, status=405, headers={"allow": method})


def turned_away(connection: HTTPConnection, error: Exception) -> None:
    """Write down that somebody was turned away."""
    if isinstance(error, DENIALS):
        record(connection.scope, reception_of(connection), error.code)


def credential_of(visitor: Principal) -> Credential:
    """A visitor as the Field knows callers."""
    return Credential(actor=visitor.actor, agents=visitor.agents)


def permit(visitor: Principal, grant: Grant, what: str) -> None:
    """Let nobody do what its credential is not good for."""
    if grant not in visitor.grants:
        raise NotPermitted(visitor.actor.id, what)
