"""What the commands of exchange answer, for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from muniment.contracts.contract import Narrowing
from muniment.surfaces.cli.layout import counted, line, table
from muniment.surfaces.cli.output import plain
from muniment.surfaces.cli.shapes_exchange import CheckedDocumentShape, FateShape, ImportedShape

ROWS_MAX = 50
_STYLES = {"pass": "bold green", "fail": "bold red", "unreadable": "bold red"}


def checks(shapes: list[CheckedDocumentShape]) -> RenderableType:
    return Group(*(_check(one) for one in shapes))


def _check(shape: CheckedDocumentShape) -> RenderableType:
    found = shape["findings"]
    words = f": {shape['file']}" + (f", {counted(len(found), 'finding', 'findings')}" if found else "")
    heading = Text.assemble((shape["result"], _STYLES[shape["result"]]), plain(words))
    if not found:
        return heading
    rows = [[one["severity"], one["code"], one["path"], one["message"]] for one in found]
    return Group(heading, table(("severity", "code", "where", "what"), rows))


def narrowed(contract: str, told: tuple[Narrowing, ...]) -> Iterator[str]:
    """In plain words, one line for each thing that a contract has no field for."""
    counts = Counter((one.kept, _field(one.path)) for one in told)
    for (kept, field), count in sorted(counts.items()):
        what = f"{contract} has no field for {field} of {counted(count, 'memory', 'memories')}"
        yield f"{what}: kept in the document's extension" if kept else f"{what}: left out"


def _field(path: str) -> str:
    """A place in a memory as it is called there.

    >>> _field("/claim/place/namespace"), _field("/label")
    ('place.namespace', 'label')
    """
    return path.removeprefix("/claim").strip("/").replace("/", ".")


def cautions(delicate: int, foreign: int) -> Iterator[str]:
    """What whoever gives a document away should know of what is in it."""
    if delicate:
        are = "is" if delicate == 1 else "are"
        yield (
            f"{counted(delicate, 'record', 'records')} in it {are} more sensitive than internal; "
            "--sensitivity-max internal leaves them out"
        )
    if foreign:
        yield (
            f"{counted(foreign, 'record', 'records')} in it came from elsewhere: who wrote and reviewed them, and "
            "when, is told as their files said it"
        )


def imported(shape: ImportedShape) -> RenderableType:
    outcome = {name: shape[name] for name in ("committed", "held", "refused", "errors")}
    told = ", ".join(f"{count:,} {name}" for name, count in outcome.items() if count) or "nothing"
    would = "nothing was changed; this would come of it: " if shape["preview"] else ""
    worth = [one for one in shape["memories"] if one["outcome"] != "committed" or one["loose"]]
    rows = [_fate(one) for one in worth[:ROWS_MAX]]
    parts: list[RenderableType] = [plain(f"{would}{told}", "bold")]
    if rows:
        parts.append(table(("memory", "id", "outcome", "why"), rows))
    if len(worth) > ROWS_MAX:
        parts.append(plain(f"and {len(worth) - ROWS_MAX:,} more; --json tells all", "dim"))
    if shape["tenants"]:
        names = ", ".join(shape["tenants"])
        parts.append(line("note", f"the file says they are of {names}; here they are this tenant's"))
    return Group(*parts, line("batch", shape["batch"]))


def _fate(one: FateShape) -> list[str]:
    loose = [f"left out {link['type']} {link['target']}: {link['why']}" for link in one["loose"]]
    why = [one["reason"]] if one["outcome"] != "committed" else []
    return [str(one["number"]), one["id"], one["outcome"], "; ".join([*why, *loose])]
