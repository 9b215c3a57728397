"""Read long results in pages, so that no statement stays open between two rows.

An open cursor holds SQLite's read transaction, and whoever iterates may stop half-way, ask something else on the same
connection or fail. Each page is a statement of its own that is read to its end; the next one begins after the last key.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apsw

from muniment.backends.sqlite.connection import queries, translated
from muniment.model.errors import IntegrityError

Row = tuple[Any, ...]
_FIRST_PAGE = 8
_GROWTH = 4
ROWS_MAX = 1_000
BODIES_MAX = 64
"""The largest page of narrow rows, and of rows with a text or an account in them."""
BEFORE_ALL = -(2**63)


def paged(
    connection: apsw.Connection, name: str, key: tuple[int, ...], after: Row, *bounds: object, most: int = ROWS_MAX
) -> Iterator[Row]:
    """The rows of a named statement, in the order of its key, beginning after the key `after`.

    The statement compares the columns of the key with the first bindings, then takes `bounds` and a limit; `key`
    says where the key stands in a row. Pages grow, so that a caller who takes one row does not pay for a thousand.
    """
    statement, limit = queries()[name], _FIRST_PAGE
    with translated(connection):
        while True:
            rows = connection.execute(statement, (*after, *bounds, limit)).fetchall()
            yield from rows
            if len(rows) < limit:
                return
            last = tuple(rows[-1][place] for place in key)
            if last <= after:
                raise IntegrityError(f"the rows of {name} are out of order: an index is damaged")
            after, limit = last, min(limit * _GROWTH, most)
