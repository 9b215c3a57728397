"""`muniment diff`: what changed between two moments, as a person reads it."""

from __future__ import annotations

from typing import TypedDict, cast

from rich.console import Group, RenderableType
from rich.text import Text

from muniment.model.value import Json
from muniment.surfaces.cli.derived import shown
from muniment.surfaces.cli.output import plain

_COLOURS = {"added": "green", "revised": "cyan", "ended": "red", "returned": "green", "changed": "yellow"}


class _State(TypedDict):
    revision: int
    content: str
    status: str
    effective_confidence: float
    support: str


class _Change(TypedDict):
    id: str
    change: str
    before: _State | None
    after: _State


@shown(
    "insight.diff",
    example="muniment diff --from 120 --to 2026-03-01T09:30:00Z --json",
    flags={"since": "--from", "until": "--to"},
)
def show(diff: dict[str, Json]) -> RenderableType:
    records = cast("list[_Change]", diff["records"])
    counts = cast("dict[str, int]", diff["counts"])
    told = ", ".join(f"{count} {change}" for change, count in counts.items()) or "nothing changed"
    heading = plain(f"entries {diff['from']} to {diff['to']}: {told}", "bold")
    more = [plain("there are more: raise --limit, or begin later")] if diff["more"] else []
    return Group(heading, *(_record(one) for one in records), *more)


def _record(one: _Change) -> RenderableType:
    before, after = one["before"], one["after"]
    lines = [
        Text.assemble(
            plain(f"{one['change']:>9}  ", _COLOURS[one["change"]]), plain(f"{one['id']}@{after['revision']}", "cyan")
        )
    ]
    if before is not None and before["content"] != after["content"]:
        lines.append(plain(f"         - {before['content']}", "red"))
        lines.append(plain(f"         + {after['content']}", "green"))
    else:
        lines.append(plain(f"           {after['content']}"))
    if before is not None:
        lines += [
            plain(f"           {name.replace('_', ' ')}: {old} to {new}")
            for name in ("status", "effective_confidence", "support")
            if (old := _word(before[name])) != (new := _word(after[name]))
        ]
    return Group(*lines)


def _word(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
