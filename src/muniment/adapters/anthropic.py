"""The memory tool of Anthropic's SDK (`memory_20250818`): its files are records, and an edit is a revision.

Answers and errors are those of the SDK's own local-filesystem tool, to the letter. What the policy holds or refuses is
a `ToolError` that says so: the model learns that nothing was stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from muniment.adapters.core import AdapterMemory, ChangedMeanwhile, Expected, Given, Labels, OnDecision, Stored, Written
from muniment.model.actor import Actor
from muniment.model.errors import MunimentError, StoreBusy

ROOT = "/memories"
LINES_MAX = 999_999
_DEPTH = 2
_TRIES = 5
_T = TypeVar("_T")


class MunimentMemoryTool(BetaAbstractMemoryTool):
    """`client.beta.messages.tool_runner(tools=[MunimentMemoryTool("./vault", actor="claude", user="ada")], …)`.

    `memory` is a vault folder, a database or server address, or an open memory. Each user has files of their own.
    """

    def __init__(
        self,
        memory: Given,
        *,
        actor: str | Actor | None = None,
        user: str | None = None,
        tenant: str = "default",
        key: str | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
        on_decision: OnDecision | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        opened = AdapterMemory(
            memory, adapter="anthropic", actor=actor, user=user, tenant=tenant, key=key, on_decision=on_decision
        )
        self._files = MemoryFiles(opened)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return _answered(lambda: self._files.view(command.path, command.view_range))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return _answered(lambda: self._files.create(command.path, command.file_text))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return _answered(lambda: self._files.replace(command.path, command.old_str, command.new_str))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return _answered(lambda: self._files.insert(command.path, command.insert_line, command.insert_text))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return _answered(lambda: self._files.delete(command.path))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return _answered(lambda: self._files.rename(command.old_path, command.new_path))

    def clear_all_memory(self) -> str:
        return _answered(self._files.clear)

    def close(self) -> None:
        self._files.memory.close()


class AsyncMunimentMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same, awaited."""

    def __init__(
        self,
        memory: Given,
        *,
        actor: str | Actor | None = None,
        user: str | None = None,
        tenant: str = "default",
        key: str | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
        on_decision: OnDecision | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = MunimentMemoryTool(memory, actor=actor, user=user, tenant=tenant, key=key, on_decision=on_decision)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await asyncio.to_thread(self._tool.view, command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await asyncio.to_thread(self._tool.create, command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await asyncio.to_thread(self._tool.str_replace, command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await asyncio.to_thread(self._tool.insert, command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await asyncio.to_thread(self._tool.delete, command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await asyncio.to_thread(self._tool.rename, command)

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self._tool.clear_all_memory)

    async def close(self) -> None:
        await asyncio.to_thread(self._tool.close)


class MemoryFiles:
    """A tree of text files below `/memories`. A directory is there as long as a file is below it."""

    def __init__(self, memory: AdapterMemory) -> None:
        self.memory = memory

    def view(self, path: str, lines: list[int] | None = None) -> str:
        place = _place(path)
        stored = self._file(place)
        if stored is not None:
            return _numbered(path, _text(stored), lines)
        below = self._below(place)
        if not below and place:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        return _listed(path, len(place), below)

    def create(self, path: str, text: str) -> str:
        place = _place(path)
        if not place or self._below(place) or any(self._file(place[:end]) for end in range(1, len(place))):
            raise ToolError(f"File {path} already exists" if place else f"The path {path} is not a file.")
        try:
            written = self.memory.put(_folder(place), place[-1], text, text=text, expected=Expected.NOTHING)
        except ChangedMeanwhile:
            raise ToolError(f"File {path} already exists") from None
        return _done(f"File created successfully at: {path}", written)

    def replace(self, path: str, old: str, new: str) -> str:
        def edited(text: str) -> tuple[str, str]:
            starts = _occurrences(text, old)
            if not starts:
                raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
            if len(starts) > 1:
                lines = ", ".join(str(text.count("\n", 0, start) + 1) for start in starts)
                raise ToolError(
                    f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. "
                    "Please ensure it is unique"
                )
            changed = text.replace(old, new)
            return changed, _snippet(changed, text.count("\n", 0, starts[0]))

        return self._edit(path, edited)

    def insert(self, path: str, line: int, text: str) -> str:
        def edited(present: str) -> tuple[str, str]:
            lines = present.removesuffix("\n").split("\n") if present else []
            if not 0 <= line <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
                )
            lines.insert(line, text.rstrip("\n"))
            return "\n".join(lines).removesuffix("\n") + "\n", f"The file {path} has been edited."

        return self._edit(path, edited)

    def delete(self, path: str) -> str:
        place = _place(path)
        if not place:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        gone = self._files(place)
        if not gone:
            raise ToolError(f"The path {path} does not exist")
        return self._all_done(f"Successfully deleted {path}", [self.memory.retract(one) for one in gone])

    def rename(self, old: str, new: str) -> str:
        place, target = _place(old), _place(new)
        if not place:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        if not target or self._files(target):
            raise ToolError(f"The destination {new} already exists")
        found = self._files(place)
        if not found:
            raise ToolError(f"The path {old} does not exist")
        if target[: len(place)] == place or any(self._file(target[:end]) for end in range(1, len(target))):
            raise ToolError(f"The path {new} cannot be made below a file or below itself")
        done = []
        for one in found:
            moved = (*target, *(*one.path[1:], one.key)[len(place) :])
            done.append(self.memory.move(one, _folder(moved), moved[-1]))
        return self._all_done(f"Successfully renamed {old} to {new}", done)

    def clear(self) -> str:
        return self._all_done("All memory cleared", [self.memory.retract(one) for one in self._below(())])

    def _edit(self, path: str, edited: Callable[[str], tuple[str, str]]) -> str:
        place = _place(path)
        for _ in range(_TRIES):
            stored = self._file(place)
            if stored is None:
                missing = f"The path {path} does not exist. Please provide a valid path."
                raise ToolError(missing if place and not self._below(place) else f"The path {path} is not a file.")
            text, answer = edited(_text(stored))
            try:
                written = self.memory.put(stored.path, stored.key, text, text=text, expected=stored.revision)
            except ChangedMeanwhile:
                continue
            return _done(answer, written)
        raise StoreBusy(f"{path} is being edited by others")

    def _all_done(self, answer: str, written: list[Written]) -> str:
        refused = [one for one in written if not one.ok]
        if refused:
            raise ToolError(f"{len(refused)} of {len(written)} files stay as they are. {refused[0].told}")
        return answer

    def _file(self, place: Labels) -> Stored | None:
        return self.memory.get(_folder(place), place[-1]) if place else None

    def _below(self, place: Labels) -> list[Stored]:
        return self.memory.below(("memories", *place))

    def _files(self, place: Labels) -> list[Stored]:
        one = self._file(place)
        return self._below(place) if one is None else [one]


def _place(path: str) -> Labels:
    """The parts of a path below `/memories`, with no way out of it."""
    if not path.startswith(ROOT):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    place: list[str] = []
    for part in path[len(ROOT) :].split("/"):
        if part == "..":
            if not place:
                raise ToolError(f"Path {path} would escape {ROOT} directory")
            place.pop()
        elif part not in ("", "."):
            place.append(part)
    return tuple(place)


def _folder(place: Labels) -> Labels:
    return ("memories", *place[:-1])


def _text(stored: Stored) -> str:
    return stored.value if isinstance(stored.value, str) else ""


def _done(answer: str, written: Written) -> str:
    if not written.ok:
        raise ToolError(written.told)
    return f"{answer}\n{written.told}" if written.changed else answer


def _answered(answer: Callable[[], _T]) -> _T:
    """What was wrong with a call, as the error that a model is shown."""
    try:
        return answer()
    except MunimentError as error:
        raise ToolError(f"{error}. {error.hint}".strip()) from error


def _numbered(path: str, text: str, wanted: list[int] | None) -> str:
    lines, first = text.split("\n"), 1
    if len(lines) > LINES_MAX:
        raise ToolError(f"File {path} exceeds maximum line limit of {LINES_MAX:,} lines.")
    if wanted is not None and len(wanted) == 2:
        first = max(1, wanted[0])
        lines = lines[first - 1 : None if wanted[1] == -1 else wanted[1]]
    shown = "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))
    return f"Here's the content of {path} with line numbers:\n{shown}"


def _snippet(text: str, changed: int) -> str:
    lines = text.split("\n")
    first = max(0, changed - 2)
    shown = "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines[first : changed + 3], first + 1))
    return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"


def _occurrences(text: str, wanted: str) -> list[int]:
    starts: list[int] = []
    start = text.find(wanted)
    while start != -1 and len(starts) <= LINES_MAX:
        starts.append(start)
        start = text.find(wanted, start + 1)
    return starts


def _listed(path: str, depth: int, below: list[Stored]) -> str:
    """The files and directories of two levels, each directory before what is in it."""
    sizes: dict[Labels, str] = {}
    for one in below:
        place = (*one.path[1:], one.key)[depth:]
        if any(part.startswith(".") for part in place[:_DEPTH]):
            continue
        for end in range(1, min(len(place), _DEPTH + 1)):
            sizes[place[:end]] = "4K"
        if len(place) <= _DEPTH:
            sizes[place] = _size(len(_text(one).encode()))
    folders = {(*one.path[1:], one.key)[depth : depth + end] for one in below for end in range(1, _DEPTH + 1)} - {
        (*one.path[1:], one.key)[depth:] for one in below
    }
    shown = [
        f"{size}\t{path}/{'/'.join(place)}{'/' if place in folders else ''}" for place, size in sorted(sizes.items())
    ]
    header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    return "\n".join([header, f"4K\t{path}", *shown])


def _size(count: int) -> str:
    unit = min(3, max(0, (count.bit_length() - 1) // 10))
    size = count / 1024**unit
    return f"{int(size) if size == int(size) else f'{size:.1f}'}{'BKMG'[unit]}"
