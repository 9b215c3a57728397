"""Print what is past the size marks: modules over 400 lines, functions over 60. A place to look again, not a law."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

MODULE_LINES = 400
FUNCTION_LINES = 60


def past_marks(path: Path) -> list[str]:
    text = path.read_text()
    found = []
    if (lines := text.count("\n")) > MODULE_LINES:
        found.append(f"{path}: {lines} lines")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                found.append(f"{path}:{node.lineno} {node.name}: {length} lines")
    return found


def main() -> None:
    found = [
        line
        for path in [*sorted(Path("src").rglob("*.py")), *sorted(Path("kits").rglob("*.py"))]
        for line in past_marks(path)
    ]
    if found:
        sys.stdout.write("past the size marks (look again):\n" + "".join(f"  {line}\n" for line in found))


if __name__ == "__main__":
    main()
