"""One question of one caller: fill in what a row leaves open, ask it, and keep everything that came back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from operator import attrgetter
from typing import Any, cast

import msgspec
from tests.walls.canaries import complaint, spoken
from tests.walls.rows import ROWS, Given, Nowhere, Own, Said
from tests.walls.world import World

from muniment import Memory
from muniment.engine.importing import Newcomer
from muniment.model.claim import Claim, Place
from muniment.model.errors import MunimentError
from muniment.model.vocabulary import Scope

_ID = re.compile(r"\b(rec|prp|cfl|rct|hld|crt|key|ent|cer|rcp)[_-][0-9a-f]{16,}\b")
_DIGEST = re.compile(r"\b[0-9a-f]{40,128}\b")
_MOVES = frozenset(
    {"epoch", "at", "since", "seq", "created_at", "now", "asked", "as_of", "receipt_id", "entry", "bytes", "entries"}
    | {
        "upto",
        "trailing",
        "last_access",
        "next_review_at",
        "opened",
        "hash",
        "size",
        "root",
        "signature",
        "receipts",
        "last",
    }
)


class Heard(msgspec.Struct):
    """What came back: everything that was said, and the code of the error if it was one."""

    text: str
    code: str | None = None
    broken: bool = False


_NUMBERS = count(1)


def nowhere(world: World, kind: str) -> str:
    """An id of this kind that nothing has, shaped like those that are hidden."""
    return other_id(next(iter(world.canaries.ids[kind].values())))


def other_id(name: str) -> str:
    """An id of the same shape that nothing has and nobody asked for before."""
    digest = sha256(f"{name} {next(_NUMBERS)}".encode()).hexdigest()
    if re.fullmatch(r"[a-z]+_[0-9a-f]{32}", name):
        return name[:-20] + digest[:20]
    letters = digest.translate(str.maketrans("0123456789abcdef", "bcdfghjklmnpqrtv"))
    found = re.search(r"zq[a-z]{10}k", name)
    assert found is not None, "an id that we made ourselves holds one of our words"
    return name.replace(found[0], f"zq{letters[:10]}k")


def filled(world: World, caller: str, given: Given) -> Given:
    """The keywords of a call as the library takes them."""
    return {name: _value(world, caller, name, one) for name, one in given.items()}


def _value(world: World, caller: str, name: str, one: object) -> object:
    match one:
        case Own():
            return world.open.get(caller) or nowhere(world, "record")
        case Nowhere():
            return nowhere(world, one.kind)
        case Said():
            claim = _claim(one)
            return {"claim": claim, "newcomers": [Newcomer(claim=claim)]}.get(name, [claim])
        case _:
            return one


def _claim(said: Said) -> Claim:
    fields = {"scope": "project", "scope_id": "shared", **dict(said.place)}
    word = cast(str, fields.pop("scope"))
    scope = Scope(word) if word in list(Scope) else cast(Scope, word)
    return Claim(content=said.content, place=Place(scope=scope, **cast(dict[str, Any], fields)))


def asked(seat: Memory, method: str, given: Given) -> object:
    """Call a method, and read to the end what it gives out piece by piece."""
    answer = attrgetter(method)(seat)(**given)
    return list(answer) if isinstance(answer, Iterator) else answer


def heard(world: World, caller: str, method: str, given: Given) -> Heard:
    """Ask, and keep what was said, be it an answer or an error. An error of no code is none of ours."""
    try:
        return Heard(text=spoken(asked(world.seat(caller), method, filled(world, caller, given))))
    except MunimentError as error:
        return Heard(text=complaint(error), code=error.code)
    except Exception as error:  # noqa: BLE001  # whatever else escapes is what the test is there to find
        return Heard(text=complaint(error), broken=True)


def row(method: str, **more: object) -> Given:
    """A row with something said over it. A record by its id and everything of somebody are not said together."""
    given = {**ROWS[method], **more}
    if method in ("forget", "erasure.hold") and more.keys() & {"subject", "source", "actor", "session"}:
        given.pop("record_id")
    return given


def plain(text: str, *names: str) -> str:
    """What was said without what differs from one call to the next: ids that were just made, positions, moments, and
    the names that were asked about."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "ASKED")
    text = _DIGEST.sub("DIGEST", _ID.sub("ID", text))
    try:
        document = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return re.sub(r"\d+", "N", text)
    return msgspec.json.encode(_still(document), order="deterministic").decode()


def _still(one: object) -> object:
    if isinstance(one, dict):
        return {name: None if name in _MOVES else _still(value) for name, value in one.items()}
    if isinstance(one, list):
        return [_still(value) for value in one]
    return one
