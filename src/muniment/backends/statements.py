"""SQL in files: named statements, and numbered scripts."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import LiteralString, cast

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def named(package: str, file: str = "queries.sql") -> dict[str, LiteralString]:
    """The statements of a package's file, each under the name in the line above it."""
    parts = _NAME.split(files(package).joinpath(file).read_text())[1:]
    return {
        name: cast(LiteralString, body.strip().rstrip(";")) for name, body in zip(parts[::2], parts[1::2], strict=True)
    }
