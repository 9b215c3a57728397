"""The console: a web page for the people who own a memory. It is files; all it knows it asks of the HTTP API."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from muniment.surfaces.console.files import shelf
from muniment.surfaces.console.serving import ConsoleFiles, ConsolePage
from muniment.surfaces.reception.server_context import ServerContext

START = "index.html"


def routes(reception: ServerContext) -> list[BaseRoute]:
    """The page itself and what it is made of. Open to anyone: there is nothing in it but the program, and
    whether a key is asked for."""
    held = shelf()
    return [
        Route("/", ConsolePage(held, START).answer, methods=["GET"]),
        Route("/console/door", ConsoleFiles(reception).answer, methods=["GET"]),
        Route("/console/{name:path}", ConsolePage(held).answer, methods=["GET"]),
    ]
