"""A file of documents: one document stands in it as itself, several as a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from muniment.contracts.contract import Encoded, Narrowing
from muniment.contracts.strict.pointer import ROOT, below
from muniment.contracts.strict.values import Json, JsonObject

Written = tuple[JsonObject, tuple[Narrowing, ...]]
"""A document, and what it could not hold."""


def each(value: Json) -> Iterator[tuple[str, Json]]:
    """The documents of a file, each with where it stands.

    >>> list(each([{"id": 1}, 5])), list(each("x"))
    ([('/0', {'id': 1}), ('/1', 5)], [('/', 'x')])
    """
    if isinstance(value, list):
        yield from ((below(ROOT, number), part) for number, part in enumerate(value))
    else:
        yield ROOT, value


def piled(written: Sequence[Written]) -> Encoded:
    """Documents as one file, with everything that was narrowed on the way into them."""
    documents = [document for document, _ in written]
    whole = documents[0] if len(documents) == 1 else documents
    return Encoded(data=msgspec.json.encode(whole), narrowed=tuple(one for _, told in written for one in told))
