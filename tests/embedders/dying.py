"""Install again and again, each time in a process that dies one touch of the disk later than the one before.

Run as a program of its own: `python -m tests.embedders.dying SOURCE MODELS EDITION`. Prints, for every try, whether it
died, whether a model was seen afterwards, and what one more installation made of it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from muniment.backends.embedders.folder import ModelFolder
from muniment.backends.embedders.install import install
from muniment.backends.embedders.published import ModelRelease

TOUCHES_MAX = 40
_TOUCHING = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir"}


class Try(msgspec.Struct):
    """How one try went."""

    died: bool
    seen: bool
    left: list[str]
    new: bool
    left_after: list[str]


def dies_at(touch: int) -> None:
    """End this process, without a word, at the given touch of an unfinished installation."""
    count = 0

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        if event in _TOUCHING and any(".installing-" in str(one) for one in arguments):
            count += 1
            if count == touch:
                os._exit(9)

    sys.addaudithook(watch)


def tried(source: str, models: Path, edition: ModelRelease, touch: int) -> Try:
    child = os.fork()
    if child == 0:
        dies_at(touch)
        install(models, source=source, edition=edition)
        os._exit(0)
    _, state = os.waitpid(child, 0)
    seen, left = _found(models, edition)
    new = install(models, source=source, edition=edition).new
    return Try(died=state != 0, seen=seen, left=left, new=new, left_after=_found(models, edition)[1])


def _found(models: Path, edition: ModelRelease) -> tuple[bool, list[str]]:
    """Whether a model is seen; one that is seen must be whole. And what else lies there."""
    folder = ModelFolder(models, edition)
    if folder.present:
        folder.read()
    return folder.present, sorted(path.name for path in models.glob(".installing-*"))


def main(source: str, models: str, edition: str) -> None:
    known = msgspec.json.decode(edition, type=ModelRelease)
    found: list[Try] = []
    for touch in range(1, TOUCHES_MAX):
        found.append(tried(source, Path(models, str(touch)), known, touch))
        if not found[-1].died:
            break
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
