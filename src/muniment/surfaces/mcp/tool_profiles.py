"""Which tools a client is offered. A model reads the description of every one of them."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from muniment.model import checks

if TYPE_CHECKING:
    from muniment.surfaces.mcp.tool import McpTool


class ToolProfile(StrEnum):
    """`core` is what everyday work takes; `memory` all tools of the memory, `field` those of the Akashik protocol,
    `graph` those of MCP's reference server `server-memory`, in whose place it stands."""

    CORE = "core"
    MEMORY = "memory"
    FIELD = "field"
    GRAPH = "graph"
    ALL = "all"


_OF_OLD = {"akashik": ToolProfile.FIELD.value}


def read_choice(said: str) -> ToolProfile:
    """The choice by its word; `akashik` is what `field` was called."""
    return checks.read_word("tools", _OF_OLD.get(said, said), ToolProfile)


def chosen(choice: ToolProfile) -> tuple[McpTool, ...]:
    """The tools of a choice. Only what is chosen is loaded: it takes longer than to list it."""
    return _LOADED[choice]()


def _core() -> tuple[McpTool, ...]:
    from muniment.surfaces.mcp.core_tools import CORE

    return CORE


def _memory() -> tuple[McpTool, ...]:
    from muniment.surfaces.mcp.derived_tools import DERIVED
    from muniment.surfaces.mcp.erasure_tools import GUARDING
    from muniment.surfaces.mcp.reading_tools import READING
    from muniment.surfaces.mcp.review_tools import REVIEWING
    from muniment.surfaces.mcp.writing_tools import WRITING

    return (*WRITING, *READING, *REVIEWING, *GUARDING, *DERIVED)


def _field() -> tuple[McpTool, ...]:
    from muniment.surfaces.mcp.akashik_tools import AKASHIK

    return AKASHIK


def _graph() -> tuple[McpTool, ...]:
    from muniment.surfaces.mcp.graph_tools import GRAPH

    return GRAPH


_LOADED: dict[ToolProfile, Callable[[], tuple[McpTool, ...]]] = {
    ToolProfile.CORE: _core,
    ToolProfile.MEMORY: _memory,
    ToolProfile.FIELD: _field,
    ToolProfile.GRAPH: _graph,
    ToolProfile.ALL: lambda: (*_memory(), *_field()),
}
