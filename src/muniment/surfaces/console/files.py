"""The files the console is made of, read once. What is not among them cannot be asked for."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType

from muniment.model.value import Value

_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


class File(Value):
    """One file: its bytes, its type, and the tag that changes when the bytes do."""

    body: bytes
    type: str
    tag: str


@cache
def shelf() -> MappingProxyType[str, File]:
    """Every file by its name below the folder, such as `core/dom.js`."""
    found: dict[str, File] = {}
    _gather(resources.files(__package__) / "static", "", found)
    return MappingProxyType(found)


def _gather(folder: Traversable, above: str, found: dict[str, File]) -> None:
    for one in folder.iterdir():
        if one.is_dir():
            _gather(one, f"{above}{one.name}/", found)
        elif (kind := _TYPES.get(one.name.rpartition(".")[2])) is not None:
            body = one.read_bytes()
            found[above + one.name] = File(body=body, type=kind, tag=f'"{hashlib.sha256(body).hexdigest()[:32]}"')
