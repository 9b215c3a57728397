"""Bodies of requests, bounded in size and in time, and of the kind that is taken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import ClientDisconnect, Request

from muniment.model.errors import LimitExceeded, Malformed
from muniment.surfaces.http.problems import BODY, Declined
from muniment.surfaces.reception.settings import ServerSettings

JSON = "application/json"
SLOWEST_BYTES_PER_SECOND = 65_536


async def read_body(
    request: Request, limit: int | None = None, *, kinds: tuple[str, ...] = (JSON,), seconds: float | None = None
) -> bytes:
    """The whole body, if it is of a kind that is taken and arrives within the limits (the settings', unless said)."""
    settings = settings_of(request)
    most = settings.body_bytes_max if limit is None else limit
    check_kind(request, kinds)
    _check_length(request, most)
    try:
        async with asyncio.timeout(settings.body_seconds if seconds is None else seconds):
            return await _gathered(request, most)
    except TimeoutError:
        raise _too_slow() from None


async def stream_body(
    request: Request, limit: int, *, kinds: tuple[str, ...], seconds: float | None = None
) -> AsyncIterator[bytes]:
    """The body piece by piece. Together the pieces must stay within the limit, and whoever sends them may keep us
    waiting for a while, and for a little longer with every piece that came."""
    patience = settings_of(request).body_seconds if seconds is None else seconds
    check_kind(request, kinds)
    _check_length(request, limit)
    received, clock = 0, asyncio.get_running_loop().time
    pieces = aiter(request.stream())
    while True:
        begun = clock()
        try:
            async with asyncio.timeout(patience):
                piece = await anext(pieces, None)
        except TimeoutError:
            raise _too_slow() from None
        except ClientDisconnect:
            raise _gone() from None
        if piece is None:
            return
        patience += len(piece) / SLOWEST_BYTES_PER_SECOND - (clock() - begun)
        received += len(piece)
        _check_size(received, limit)
        if piece:
            yield piece


def check_kind(request: Request, kinds: tuple[str, ...]) -> None:
    """Refuse a body whose kind is not said, or is none of those that are taken."""
    said = request.headers.getlist("content-type")
    kind, _, rest = (said[0] if len(said) == 1 else "").partition(";")
    charset = rest.strip().lower().replace('"', "")
    if kind.strip().lower() in kinds and charset in ("", "charset=utf-8"):
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise Declined(
                status=415,
                code="unsupported_media_type",
                detail="the body is compressed; it is taken as it is",
                hint="Send it without Content-Encoding.",
                field="content-encoding",
                headers={"Accept-Encoding": "identity"},
            )
        return
    wanted = " or ".join(kinds)
    raise Declined(
        status=415,
        code="unsupported_media_type",
        detail=f"content-type: expected {wanted} in UTF-8",
        hint=f"Send the header Content-Type: {kinds[0]}.",
        field="content-type",
        headers={"Accept-Post": ", ".join(kinds)},
    )


def settings_of(request: Request) -> ServerSettings:
    found = request.app.state.reception.settings
    assert isinstance(found, ServerSettings)
    return found


async def _gathered(request: Request, limit: int) -> bytes:
    pieces: list[bytes] = []
    received = 0
    try:
        async for piece in request.stream():
            received += len(piece)
            _check_size(received, limit)
            pieces.append(piece)
    except ClientDisconnect:
        raise _gone() from None
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _check_length(request: Request, limit: int) -> None:
    """Refuse by the length that is announced, before anything is read."""
    said = request.headers.get("content-length")
    if said is not None:
        if not said.isascii() or not said.isdigit():
            raise Malformed("content-length", "a whole number")
        _check_size(int(said), limit)


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise LimitExceeded(BODY, limit=limit, unit="bytes", sent=size)


def _too_slow() -> Declined:
    return Declined(
        status=408,
        code="request_timeout",
        detail="the body did not arrive in time; nothing was done",
        hint="Send it again, without a pause.",
        headers={"Connection": "close"},
    )


def _gone() -> Declined:
    """Nobody is there to read it, but the log says how the request ended."""
    return Declined(status=400, code="disconnected", detail="the caller went away before the body was complete")
