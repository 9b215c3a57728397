"""The index of the native surface: what there is, in short."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from muniment.operations import OPERATIONS, answers
from muniment.operations.wire import shape_of
from muniment.surfaces.http import doors
from muniment.surfaces.http.api.asking import check_accept, read_query

_INDEX = shape_of(answers.Index).write(
    answers.Index(
        description="The native face of Muniment. /openapi.json describes every operation in full.",
        operations=tuple(
            answers.Entrance(
                name=one.name, verb=one.verb.value, path=one.path, summary=one.summary, grant=one.grant.value
            )
            for one in OPERATIONS
        ),
    )
)


async def index(request: Request) -> Response:
    """Every operation with what it needs, for whoever was let in."""
    await doors.visitor_of(request)
    check_accept(request, "application/json")
    read_query(request.scope["query_string"], None)
    return Response(_INDEX, media_type="application/json")
