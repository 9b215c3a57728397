"""JSON pointers (RFC 6901): how every finding and error says where in a document it is."""

from __future__ import annotations

from collections.abc import Sequence

Step = str | int
ROOT = "/"
"""How the document itself is named, where an empty text would be read as nothing said."""


def pointer(steps: Sequence[Step]) -> str:
    """Spell a path as a pointer.

    >>> pointer(["entry", 3, "a/b~c"]), pointer([])
    ('/entry/3/a~1b~0c', '/')
    """
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps) or ROOT


def below(path: str, *steps: Step) -> str:
    """A pointer to a part of what another points to.

    >>> below("/", "entry", 0), below("/entry/0", "id")
    ('/entry/0', '/entry/0/id')
    """
    return (path if path != ROOT else "") + pointer(steps) if steps else path
