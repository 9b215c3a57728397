"""memledger's commands and tools by their names, and what does the same here."""

from __future__ import annotations

from muniment.model.value import Value


class Counterpart(Value):
    """What takes the place of one of theirs: one of our commands, if there is one, its flags for what theirs could be
    told, and what else is to be said."""

    ours: str | None
    flags: tuple[str, ...] = ()
    note: str = ""


COMMANDS: dict[str, Counterpart] = {
    "status": Counterpart(ours="stats"),
    "init": Counterpart(ours="init"),
    "add": Counterpart(
        ours="remember", flags=("--namespace", "--as", "--confidence", "--session", "--derived-from", "--hedged")
    ),
    "search": Counterpart(ours="recall", flags=("--namespace", "--as", "--limit", "--gate-min", "--gate-flag")),
    "get": Counterpart(ours="get"),
    "get --chain": Counterpart(ours="lineage", flags=("--direction", "--depth")),
    "eval": Counterpart(ours="quality", flags=("--session", "--profile")),
    "trace show": Counterpart(ours="history"),
    "conflict check": Counterpart(ours="conflicts", note="conflicts are found when something is written, and kept"),
    "reset": Counterpart(ours=None, note="nothing empties a vault; delete the folder, or erase single records"),
}
"""Every visible command of theirs. Ours are names of `muniment` commands."""

TOOLS: dict[str, Counterpart] = {
    "memory_store": Counterpart(ours="remember", flags=("--namespace", "--memory-type")),
    "memory_search": Counterpart(ours="recall", flags=("--namespace", "--limit")),
    "memory_recall": Counterpart(ours="recall", flags=("--namespace", "--limit")),
    "memory_delete": Counterpart(ours="retire", flags=("--becomes",)),
    "memory_stats": Counterpart(ours="stats"),
    "memory_namespaces": Counterpart(ours="stats", note="Memledger.list_namespaces in Python"),
}
"""Every MCP tool of theirs, by the command that does the same; our own MCP tools come with the MCP surface."""
