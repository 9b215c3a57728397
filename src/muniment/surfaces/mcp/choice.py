"""Which tools a client is offered. A model reads the description of every one of them."""

from __future__ import annotations

from enum import StrEnum


class Choice(StrEnum):
    ALL = "all"
    MEMORY = "memory"
    AKASHIK = "akashik"
