"""The form of a tenant's file: whether its tables, indexes and the settings of its word index are the ones we make.

A dropped index changes no answer and slows all of them; a changed setting of the word index may keep what was erased.
Neither contradicts anything that is stored, so the file is compared with one that was just made.
"""

from __future__ import annotations

from functools import cache
from typing import cast

import apsw

from muniment.backends.sqlite.connection import migrate, queries
from muniment.backends.tokens import register

_OBJECTS = (
    "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)
_SETTINGS = "SELECT 'setting', CAST(k AS TEXT), 'lexicon', CAST(v AS TEXT) FROM lexicon_config WHERE k <> 'version'"
"""The version says whether anything was ever erased from the index; SQLite refuses one it does not know."""
Part = tuple[str, str, str, str]
"""What it is, its name, what it belongs to, and how it was made."""


def complaints(connection: apsw.Connection) -> tuple[str, ...]:
    """What is missing from a file, what is not as we make it, and what is none of ours."""
    found, made = _parts(connection), _made()
    missing = sorted((kind, name) for kind, name in made.keys() - found.keys())
    strange = sorted((kind, name) for kind, name in found.keys() - made.keys())
    changed = sorted(key for key in made.keys() & found.keys() if made[key] != found[key])
    return (
        *(("the recorded size of the receipts is wrong",) if _miscounted(connection) else ()),
        *(f"the {kind} {name} is missing" for kind, name in missing),
        *(f"there is one {kind} that is not ours" for kind, _ in strange),
        *(f"the {kind} {name} is not as it was made" for kind, name in changed),
    )


def _miscounted(connection: apsw.Connection) -> bool:
    return bool(connection.execute(queries()["receipts_miscounted"]).get)


def _parts(connection: apsw.Connection) -> dict[tuple[str, str], Part]:
    rows = cast("list[Part]", connection.execute(_OBJECTS).fetchall() + connection.execute(_SETTINGS).fetchall())
    return {(kind, name): (kind, name, table, text) for kind, name, table, text in rows}


@cache
def _made() -> dict[tuple[str, str], Part]:
    """The parts of a file that was just made."""
    connection = apsw.Connection(":memory:")
    register(connection)
    try:
        migrate(connection, "form")
        return _parts(connection)
    finally:
        connection.close()
