"""The form of a schema: whether its tables, indexes, walls and rights are the ones that our scripts make.

A dropped index changes no answer and slows all of them; a wall that was taken down and a right that was given show in
no row. Neither contradicts anything that is stored, so the schema is compared with what is written down of a new one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

from muniment.backends.postgres.partitions import partition_of
from muniment.backends.postgres.revisions import Revision, revisions
from muniment.backends.postgres.server import role_name
from muniment.backends.postgres.transaction import Row
from muniment.backends.statements import named

Ask = Callable[[str, Sequence[object]], list[Row]]
"""How a statement is asked."""
Parts = dict[tuple[str, str], str]
"""What a schema consists of: what a part is and its name, and how it is made."""
FILE = "form.txt"
SETTINGS = ("SET LOCAL bytea_output = 'hex'", "SET LOCAL quote_all_identifiers = off")
"""What must be so in a transaction that asks: the catalogue spells by these."""
_Q = named(__package__, "form.sql")
_OWN = re.compile(re.escape(partition_of(0)).removesuffix("0") + r"\d+(?=$|[._ ])")
_SHARED = "vectors_shared"
_WRITER, _READER = "{writer}", "{reader}"


def complaints(ask: Ask) -> tuple[str, ...]:
    """What is missing from a schema, what is not as we make it, and what is none of ours. A schema that a newer release
    has prepared for itself, or not cleared up yet, is not compared."""
    applied = {(number, phase): digest for number, phase, digest in ask(_Q["applied"], ())}
    known: dict[tuple[int, str], Revision] = {(one.number, one.phase): one for one in revisions()}
    others = tuple(f"{one.title} was applied as another script" for one in _differing(applied, known))
    if others or applied.keys() != known.keys():
        return (*others, *(f"{known[key].title} is not applied" for key in sorted(known.keys() - applied.keys())))
    (schema, citus) = ask(_Q["here"], ())[0]
    found, expected = parts(ask, str(schema)), made()
    if citus and ask(_Q["spread"], (schema,)):  # there the owner is let through the walls, and moves shards
        found, expected = _unforced(found), _unforced(expected)
    return differences(found, expected, rights=not citus)


def _unforced(some: Parts) -> Parts:
    return {key: text.replace("walled forced", "walled") for key, text in some.items()}


def _differing(applied: dict[tuple[int, str], str], known: dict[tuple[int, str], Revision]) -> list[Revision]:
    return [one for key, one in sorted(known.items()) if applied.get(key, one.digest) != one.digest]


def parts(ask: Ask, schema: str) -> Parts:
    """The parts of a schema. Names that differ from one deployment to another are left out or stand in braces."""
    roles = {role_name(schema, "writer"): _WRITER, role_name(schema, "reader"): _READER}
    found: Parts = {}
    for name in ("tables", "columns", "indexes", "constraints", "triggers", "functions"):
        found |= _listed(ask(_Q[name], (schema,)))
    found |= _listed(_renamed(ask(_Q["policies"], (schema,)), roles))
    return found | _listed(_renamed(ask(_Q["rights"], (schema, *roles)), roles))


def _listed(rows: list[Row]) -> Parts:
    return {(str(kind), str(name)): str(text) for kind, name, text in rows}


def _renamed(rows: list[Row], roles: dict[str, str]) -> list[Row]:
    """Rows in which our roles have the same name everywhere."""
    told = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in sorted(roles, key=len, reverse=True)))
    return [tuple(told.sub(lambda found: roles[found[0]], str(cell)) for cell in row) for row in rows]


def written(found: Parts) -> str:
    """Parts as they stand in the file."""
    return "".join(f"{kind}\t{name}\t{text}\n" for (kind, name), text in sorted(found.items()))


@cache
def made() -> Parts:
    """The parts of a schema that was just made."""
    lines = files(__package__).joinpath(FILE).read_text().splitlines()
    return {(kind, name): text for kind, name, text in (line.split("\t") for line in lines)}


def differences(found: Parts, expected: Parts, *, rights: bool = True) -> tuple[str, ...]:
    """What differs. A large tenant's own partition must have the walls of the one it was taken out of."""
    own = {key: text for key, text in found.items() if _OWN.match(key[1])}
    here = {key: text for key, text in found.items() if key not in own and (rights or key[0] != "right")}
    there = {key: text for key, text in expected.items() if rights or key[0] != "right"}
    return (
        *(f"the {kind} {name} is missing" for kind, name in sorted(there.keys() - here.keys())),
        *(f"there is one {kind} that is not ours" for kind, _ in sorted(here.keys() - there.keys())),
        *(
            f"the {kind} {name} is not as it was made"
            for kind, name in sorted(here.keys() & there.keys())
            if here[kind, name] != there[kind, name]
        ),
        *_unwalled(own, expected),
    )


def _unwalled(own: Parts, expected: Parts) -> list[str]:
    wall = expected["policy", f"{_SHARED}.tenant_wall"]
    walls = "walled forced" if "walled forced" in expected["table", _SHARED] else "walled"
    names = sorted(name for kind, name in own if kind == "table")
    return [
        "the partition of a large tenant is not behind its wall"
        for name in names
        if walls not in own["table", name] or own.get(("policy", f"{name}.tenant_wall")) != wall
    ]
