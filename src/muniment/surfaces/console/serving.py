"""How a file of the console is answered: with its tag, and with what a browser may do with it."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from muniment.surfaces.console.files import File
from muniment.surfaces.reception.server_context import ServerContext

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
"""Scripts, styles and calls of this server alone; no text can become markup, not even by a mistake of ours."""


class ConsoleFiles:
    """Answers whether a caller without a credential is let in, so that nobody is turned away for having asked."""

    def __init__(self, reception: ServerContext) -> None:
        self._reception = reception

    async def answer(self, request: Request) -> Response:
        return JSONResponse({"open": self._reception.anonymous})


class ConsolePage:
    """Answers with one file, or with the one that the path names."""

    def __init__(self, shelf: Mapping[str, File], name: str | None = None) -> None:
        self._shelf = shelf
        self._name = name

    async def answer(self, request: Request) -> Response:
        file = self._shelf.get(self._name or request.path_params["name"])
        if file is None:
            raise HTTPException(404)
        headers = {
            "ETag": file.tag,
            "Cache-Control": "no-cache",
            "Content-Security-Policy": POLICY,
            "Cross-Origin-Opener-Policy": "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        }
        if file.tag in [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]:
            return Response(status_code=304, headers=headers)
        return Response(file.body, headers=headers, media_type=file.type)
