"""The console: a web page for the people who own a memory. It is files; all it knows it asks of the HTTP API."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from muniment.surfaces.console.files import shelf
from muniment.surfaces.console.serving import Door, Page
from muniment.surfaces.reception.reception import Reception

START = "index.html"


def routes(reception: Reception) -> list[BaseRoute]:
    """The page itself and what it is made of. Open to anyone: there is nothing in it but the program, and
    whether a key is asked for."""
    held = shelf()
    return [
        Route("/", Page(held, START).answer, methods=["GET"]),
        Route("/console/door", Door(reception).answer, methods=["GET"]),
        Route("/console/{name:path}", Page(held).answer, methods=["GET"]),
    ]
