"""How a call is handed to a thread, and a stream read there a page at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

from muniment.engine.intake import PAGE

_T = TypeVar("_T")

run = asyncio.to_thread


def page(stream: Iterator[_T]) -> tuple[_T, ...]:
    """The next part of a stream; empty when it is at its end."""
    return tuple(islice(stream, PAGE))
