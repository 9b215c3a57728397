"""The native REST surface: the routes of the table under /api, its index, and the document that describes them."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from muniment.operations import OPERATIONS
from muniment.surfaces.http.api.changing import Changes
from muniment.surfaces.http.api.endpoint import endpoints
from muniment.surfaces.http.api.exporting import give_out
from muniment.surfaces.http.api.importing import take_in
from muniment.surfaces.http.api.index import index
from muniment.surfaces.http.api.openapi import DOCUMENT, FIELD_DOCUMENT, document, spelled
from muniment.surfaces.http.api.verifying import Verification
from muniment.surfaces.http.streams import hub_of
from muniment.surfaces.reception.server_context import ServerContext

STREAMED = frozenset({"import", "export", "changes", "ledger.verify"})


def routes(reception: ServerContext) -> list[BaseRoute]:
    """Every route of the surface."""
    for field in (False, True):
        spelled(anonymous=reception.anonymous, field=field)  # before there are callers who would wait for it
    made = endpoints(reception, [one for one in OPERATIONS if one.name not in STREAMED])
    return [
        Route(DOCUMENT, document, methods=["GET"]),
        Route(FIELD_DOCUMENT, document, methods=["GET"]),
        Route("/api", index, methods=["GET"]),
        Route("/api/import", take_in, methods=["POST"]),
        Route("/api/export", give_out, methods=["GET"]),
        Route("/api/changes", Changes(hub_of(reception)), methods=["GET"]),
        Route("/api/ledger/verification", Verification(reception).ask, methods=["POST"]),
        *(Route(path, one, methods=methods) for path, methods, one in made),
    ]
