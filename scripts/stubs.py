"""Write the type stubs of the async memory and of the clients, whose methods are made from those of the embedded one;
with `--check`, say which of them are stale.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from muniment import engine
from muniment.client.methods import carried
from muniment.engine.audit import LedgerFace
from muniment.operations import OPERATIONS

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "muniment"
PARTS: dict[str, type] = {
    "review": engine.Review,
    "erasure": engine.Erasure,
    "imports": engine.Imports,
    "insight": engine.Insight,
    "ledger": LedgerFace,
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
Keep = Callable[[str], set[str] | None]
_ROWS = {row.name: row for row in OPERATIONS}


def _class(path: Path, name: str) -> ast.ClassDef:
    return next(one for one in ast.parse(path.read_text()).body if isinstance(one, ast.ClassDef) and one.name == name)


def _functions(kind: ast.ClassDef) -> Iterator[Function]:
    for one in kind.body:
        if isinstance(one, Function) and (not one.name.startswith("_") or one.name in _DUNDERS):
            yield one


_DUNDERS = {"__init__", "__enter__", "__exit__", "__aenter__", "__aexit__"}


def _source(kind: type) -> ast.ClassDef:
    return _class(Path(inspect.getsourcefile(kind) or ""), kind.__name__)


def _decorators(function: Function) -> set[str]:
    return {one.id for one in function.decorator_list if isinstance(one, ast.Name)}


def _plain(default: ast.expr) -> ast.expr:
    """A default as a stub says it."""
    return default if isinstance(default, ast.Constant) else ast.Constant(...)


def _rendered(function: Function, *, awaited: bool, kept: set[str] | None) -> list[str]:
    """The lines of one method."""
    made = ast.parse(ast.unparse(function)).body[0]
    assert isinstance(made, Function)
    decorators = _decorators(made) & {"overload", "property", "classmethod"}
    args = made.args
    if kept is not None:
        args.args = [one for one in args.args if one.arg in kept]
        left = [(one, why) for one, why in zip(args.kwonlyargs, args.kw_defaults, strict=True) if one.arg in kept]
        args.kwonlyargs, args.kw_defaults = [one for one, _ in left], [why for _, why in left]
    args.defaults = [_plain(one) for one in args.defaults]
    args.kw_defaults = [None if one is None else _plain(one) for one in args.kw_defaults]
    gives = ast.unparse(made.returns) if made.returns is not None else "None"
    streams = gives.startswith("Iterator[")
    gives = f"Async{gives}" if streams and awaited else gives
    word = "async def" if (awaited and not streams and "property" not in decorators) else "def"
    lines = [f"    @{one}" for one in sorted(decorators)]
    return [*lines, f"    {word} {made.name}({ast.unparse(args)}) -> {gives}: ..."]


def _methods(source: ast.ClassDef, *, awaited: bool, keep: Keep, but: set[str]) -> Iterator[str]:
    found = [one for one in _functions(source) if one.name not in but and one.name not in _DUNDERS]
    overloaded = {one.name for one in found if "overload" in _decorators(one)}
    for one in found:
        kept = keep(one.name)
        if (kept is not None and not kept) or (one.name in overloaded and "overload" not in _decorators(one)):
            continue
        yield from _rendered(one, awaited=awaited, kept=kept)


def _own(path: Path, name: str) -> tuple[list[str], set[str]]:
    """What a class declares itself, as it stands."""
    functions = list(_functions(_class(path, name)))
    lines = [
        line for one in functions for line in _rendered(one, awaited=isinstance(one, ast.AsyncFunctionDef), kept=None)
    ]
    return lines, {one.name for one in functions}


def _all(_: str) -> None:
    return None


def _over_a_wire(part: str, source: type) -> Keep:
    """Which parameters of a method a request carries; none for a method that is not in the table."""

    def keep(name: str) -> set[str] | None:
        row = _ROWS.get(f"{part}.{name}" if part else name)
        return set() if row is None else {one.name for one in carried(row, vars(source)[name])}

    return keep


def aio_stub() -> str:
    path, lines = PACKAGE / "aio" / "memory.py", []
    for source in PARTS.values():
        name = "AsyncLedger" if source is LedgerFace else f"Async{source.__name__}"
        own, but = _own(path, name)
        lines += [f"class {name}:", *own, *_methods(_source(source), awaited=True, keep=_all, but=but), ""]
    own, but = _own(path, "Memory")
    opening = next(one for one in _functions(_source(engine.Memory)) if one.name == "open")
    own = [line for line in own if "def open(" not in line and line.strip() != "@classmethod"]
    lines += [
        "class Memory:",
        *(f"    {part}: Async{'Ledger' if kind is LedgerFace else kind.__name__}" for part, kind in PARTS.items()),
        *own,
        *_rendered(opening, awaited=True, kept=None),
        *_methods(_source(engine.Memory), awaited=True, keep=_all, but=but),
    ]
    return _module(path, lines, [engine.Memory, *PARTS.values()])


def client_stub() -> str:
    path, lines = PACKAGE / "client" / "client.py", []
    for awaited in (False, True):
        prefix = "Async" if awaited else ""
        for part, source in PARTS.items():
            keep = _over_a_wire(part, source)
            lines += [
                f"class {prefix}{source.__name__}:",
                *_methods(_source(source), awaited=awaited, keep=keep, but=set()),
                "",
            ]
        own, but = _own(path, f"{prefix}Client")
        lines += [
            f"class {prefix}Client:",
            *(f"    {part}: {prefix}{kind.__name__}" for part, kind in PARTS.items()),
            *own,
            *_methods(_source(engine.Memory), awaited=awaited, keep=_over_a_wire("", engine.Memory), but=but),
            "",
        ]
    return _module(path, lines, [engine.Memory, *PARTS.values()])


def _module(path: Path, lines: list[str], sources: list[type]) -> str:
    """The stub with the imports that its lines need."""
    body = "\n".join(lines)
    used = {one.id for one in ast.walk(ast.parse(body)) if isinstance(one, ast.Name)}
    used -= {one.name for one in ast.parse(body).body if isinstance(one, ast.ClassDef)}
    if "engine." in body:
        used.add("engine")
    found: dict[str, str] = {}
    for file in [path, *(Path(inspect.getsourcefile(kind) or "") for kind in sources)]:
        room = ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
        for one in ast.parse(file.read_text()).body:
            if isinstance(one, ast.ImportFrom) and one.module is not None:
                found |= {name.asname or name.name: f"from {one.module} import {name.name}" for name in one.names}
            elif file != path and isinstance(one, (ast.ClassDef, ast.Assign)):
                names = [one.name] if isinstance(one, ast.ClassDef) else [ast.unparse(to) for to in one.targets]
                found |= {name: found.get(name, f"from {room} import {name}") for name in names}
    found |= {name: f"from collections.abc import {name}" for name in ("AsyncIterator",)}
    imports = sorted({found[name] for name in used if name in found} | {"from typing import overload"})
    text = f"# Written by scripts/stubs.py.\n\n{chr(10).join(imports)}\n\n{body}\n"
    for arguments in (["check", "--fix", "--select", "I,F401"], ["format"]):
        text = subprocess.run(
            [sys.executable, "-m", "ruff", *arguments, "--quiet", "--stdin-filename", str(path) + "i", "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    return text


STUBS = {PACKAGE / "aio" / "memory.pyi": aio_stub, PACKAGE / "client" / "client.pyi": client_stub}


def stale() -> list[Path]:
    """The stubs that their sources no longer give."""
    return [path for path, made in STUBS.items() if not path.exists() or path.read_text() != made()]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write the type stubs of the async memory and of the clients.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a stub is stale")
    if parser.parse_args(arguments).check:
        found = stale()
        sys.stderr.writelines(f"{path.name} is stale; run `python scripts/stubs.py`\n" for path in found)
        return 1 if found else 0
    for path, made in STUBS.items():
        path.write_text(made())
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
