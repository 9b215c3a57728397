"""How a name can be spelled by somebody who hopes that it is read as another's: missing, wild, longer, look-alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_CYRILLIC = str.maketrans("aceopxy", "асеорху")
_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
LONG = 5_000
PLAIN = ("itself", "missing", "empty", "any", "like", "parent", "look-alike", "null", "quoted")
"""The ways that are tried where each costs a process or a connection."""


def spellings(name: str) -> Iterator[tuple[str, object]]:
    """Ways to spell a name, each with what it is called. Only the first is the name itself."""
    yield "itself", name
    yield from ((about, value) for about, value in _other(name) if value != name)


def _other(name: str) -> Iterator[tuple[str, object]]:
    yield "missing", None
    yield "empty", ""
    yield "blank", " "
    yield from _wild(name)
    yield from _paths(name)
    yield from _twins(name)
    yield "long", name + "x" * LONG
    yield "null", name + "\0"
    yield "null in front", "\0" + name
    yield "line", name + "\n" + name
    yield "half", name + "\ud800"
    yield "quoted", "' OR '1'='1"
    yield "comment", name + "' --"
    yield "union", "x' UNION SELECT * FROM documents --"
    yield "a list", [name]
    yield "a number", 1
    yield "a yes", True


def _wild(name: str) -> Iterator[tuple[str, str]]:
    yield "any", "*"
    yield "like", "%"
    yield "like one", "_"
    yield "glob", name[:-1] + "?"
    yield "begun like", name[:-2] + "%"
    yield "begun any", name[:-2] + "*"
    yield "pattern", ".*"
    yield "either", f"{name}|x"
    yield "class", name[:-1] + "[a-z]"


def _paths(name: str) -> Iterator[tuple[str, str]]:
    yield "shorter", name[:-1]
    yield "longer", name + "b"
    yield "root", "/"
    yield "closed", name + "/"
    yield "doubled", "/" + name
    yield "parent", "/team-a/../" + name.strip("/")
    yield "here", "/team-a/./" + name.strip("/")
    yield "dot", name + "/."
    yield "escaped", name.replace("-", "%2D")
    yield "backslash", name.replace("/", "\\")


def _twins(name: str) -> Iterator[tuple[str, str]]:
    yield "look-alike", name.translate(_CYRILLIC)
    yield "wide", name.translate(_WIDE)
    yield "apart", unicodedata.normalize("NFD", name.replace("a", "á")).replace("á", "a")
    yield "joined", name[:2] + "\u200b" + name[2:]
    yield "turned", "\u202e" + name
    yield "upper", name.upper()
    yield "folded", name.replace("s", "ſ").replace("k", "\u212a")
    yield "dotless", name.replace("i", "ı").replace("t", "ṭ")
    yield "sharp", name + "ß"
    yield "spaced", f" {name} "
