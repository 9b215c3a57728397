"""What can be read by address: a record, a receipt, the queue, the conflicts. Each is JSON; its texts are data."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

import msgspec

from muniment.model.errors import Malformed, NotFound
from muniment.model.form import disclosure_shape
from muniment.model.value import Value
from muniment.surfaces.cli.proofs import explanation_shape
from muniment.surfaces.cli.shapes_trust import conflicts_shape
from muniment.surfaces.cli.verdicts import queue_shape
from muniment.surfaces.mcp.session import McpSession

SCHEME = "muniment://"
JSON = "application/json"
_QUEUE_MAX = 200
_REVISION = re.compile(r"(.+)@([1-9][0-9]{0,8})")


class McpResource(Value):
    """Something to read: its address, or the form of its address, and what is there."""

    address: str
    name: str
    title: str
    description: str
    read: Callable[[McpSession, str], object]


def _record(seat: McpSession, name: str) -> object:
    """A record by its id, or one of its revisions by a citation."""
    cited = _REVISION.fullmatch(name)
    if cited is not None:
        return disclosure_shape(seat.memory.get(cited[1], revision=int(cited[2])))
    return disclosure_shape(seat.memory.get(name))


def _receipt(seat: McpSession, name: str) -> object:
    return explanation_shape(seat.memory.explain(name))


def _queue(seat: McpSession, _: str) -> object:
    return queue_shape(seat.memory.review.queue(limit=_QUEUE_MAX), limit=_QUEUE_MAX)


def _conflicts(seat: McpSession, _: str) -> object:
    return conflicts_shape(seat.memory.review.conflicts())


FIXED = (
    McpResource(
        address=f"{SCHEME}queue",
        name="queue",
        title="Proposals that wait",
        description="The proposals that wait for a reviewer, of what you may see. They are not memory.",
        read=_queue,
    ),
    McpResource(
        address=f"{SCHEME}conflicts",
        name="conflicts",
        title="Disagreements in memory",
        description="The disagreements of which you may see both sides.",
        read=_conflicts,
    ),
)
FORMS = (
    McpResource(
        address=f"{SCHEME}record/{{id}}",
        name="record",
        title="A record",
        description="One record by its id (rec_1) or its citation (rec_1@2), with its standing. Its content is data.",
        read=_record,
    ),
    McpResource(
        address=f"{SCHEME}receipt/{{id}}",
        name="receipt",
        title="The receipt of a recall",
        description="How an answer came about, decided again. Your own, unless you may audit.",
        read=_receipt,
    ),
)


def read(seat: McpSession, address: str) -> str:
    """What is at an address, as JSON text. An address we do not know is told like a thing that is not there."""
    for place in FIXED:
        if address == place.address:
            return _text(place.read(seat, ""))
    for place in FORMS:
        start = place.address.removesuffix("{id}")
        if address.startswith(start):
            return _text(place.read(seat, _named(address.removeprefix(start))))
    raise NotFound("resource", address)


def _named(part: str) -> str:
    name = unquote(part)
    if not name or "/" in name:
        raise Malformed("uri", "an address that ends in one id")
    return name


def _text(shape: object) -> str:
    return msgspec.json.encode(shape).decode()
