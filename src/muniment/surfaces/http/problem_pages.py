"""The pages that the `type` of a problem leads to: what a code means, for whoever met it. Open to anyone."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from muniment.model import errors

_BY_HTTP = {
    "disconnected": "The caller went away before its request was all there.",
    "foreign_host": "The request was meant for a host that this server is not.",
    "foreign_origin": "The request comes from a web page of another origin.",
    "http_error": "The request cannot be answered as it is.",
    "internal": "The server failed. Its log says where; nothing that was sent is in it.",
    "key_in_use": "A request with the same idempotency key is under way.",
    "key_reused": "The idempotency key was used before, for another request.",
    "method_not_allowed": "The address takes other methods; the header Allow names them.",
    "not_acceptable": "There is no answer of a kind that the request accepts.",
    "not_offered": "The server does not offer this, by its settings.",
    "request_timeout": "The request took too long to arrive; nothing was done.",
    "unsupported_media_type": "The body is of a kind that is not taken here.",
}


def routes() -> list[BaseRoute]:
    return [Route("/problems/{code}", _page)]


def meaning_of(code: str) -> str | None:
    """What a code means, in one sentence or two."""
    return _BY_HTTP.get(code) or _BY_CODE.get(code)


async def _page(request: Request) -> Response:
    code = request.path_params["code"]
    meaning = meaning_of(code)
    if meaning is None:
        raise HTTPException(404)
    return PlainTextResponse(f"{code}\n\n{meaning}\n")


def _tree(kind: type[errors.MunimentError]) -> Iterator[type[errors.MunimentError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _tree(child)


_BY_CODE = {
    kind.code: inspect.cleandoc(kind.__doc__ or "")
    for kind in _tree(errors.MunimentError)
    if kind.__module__ == errors.__name__
}
