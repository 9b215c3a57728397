"""Hand a request on to the first worker: what one process of a server keeps to itself is asked of that one."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from muniment.model.errors import StoreUnavailable
from muniment.surfaces.http.bodies import read_body

ANSWER_S = 120.0
ANSWER_BYTES_MAX = 1_048_576
_OURS = frozenset({b"connection", b"content-length", b"transfer-encoding", b"expect", b"keep-alive", b"upgrade"})
"""What is said of one connection and not of the request."""


async def hand_on(request: Request, port: int, *, body_bytes_max: int) -> Response:
    """Ask the same of the worker that listens at this port of the machine, and answer what it answers."""
    body = await read_body(request, body_bytes_max) if "content-type" in request.headers else b""
    try:
        async with asyncio.timeout(ANSWER_S):
            return _response(await _answer(_spelled(request, body), port))
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        raise StoreUnavailable("the process that does this is not there; ask again in a moment") from None


def _spelled(request: Request, body: bytes) -> bytes:
    scope = request.scope
    path: bytes = scope["raw_path"]
    query: bytes = scope["query_string"]
    target = path + (b"?" + query if query else b"")
    said = [(name, value) for name, value in scope["headers"] if name.lower() not in _OURS]
    said += [(b"connection", b"close"), (b"content-length", str(len(body)).encode())]
    head = b"".join(name + b": " + value + b"\r\n" for name, value in said)
    return request.method.encode() + b" " + target + b" HTTP/1.1\r\n" + head + b"\r\n" + body


async def _answer(request: bytes, port: int) -> tuple[bytes, bytes]:
    """The head of the answer and its body; the other end closes when it has said all."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=ANSWER_BYTES_MAX)
    try:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        return head, await reader.read(ANSWER_BYTES_MAX)
    finally:
        writer.close()


def _response(answer: tuple[bytes, bytes]) -> Response:
    head, body = answer
    first, *lines = head.strip().split(b"\r\n")
    said = [tuple(line.split(b": ", 1)) for line in lines]
    response = Response(body, status_code=int(first.split(b" ")[1]))
    kept = [(name.lower(), value) for name, value in said if name.lower() not in _OURS - {b"content-length"}]
    response.raw_headers = kept
    return response
