"""Write the JSON Schemas of the contracts from their wire types; with `--check`, say which of them are stale.

The same code always gives the same files.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

from muniment.contracts.registry import ContractName
from muniment.contracts.schemas import file_of, schema_of

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "src" / "muniment" / "contracts"
COPIES = {ContractName.AKASHIK: ROOT / "kits" / "akashik-conformance" / "src" / "akashik_conformance" / "schemas"}
"""A kit that checks documents has schemas of its own, so that it needs no implementation."""


def pages(name: ContractName) -> dict[str, str]:
    """File name to text of every schema of a contract."""
    documents: dict[str, type] = import_module(f"muniment.contracts.{name}.wire").DOCUMENTS
    return {
        file_of(document): json.dumps(schema_of(name, document, kind), indent=2, ensure_ascii=False) + "\n"
        for document, kind in documents.items()
    }


def stale(name: ContractName, folder: Path = FOLDER) -> list[str]:
    """The schemas of a contract that its wire types no longer give, that are missing, or that nobody writes."""
    wanted, found = pages(name), set[str]()
    for place in places(name, folder):
        there = {file.name: file.read_text(encoding="utf-8") for file in place.glob("*.json")}
        found |= {file for file in {*wanted, *there} if wanted.get(file) != there.get(file)}
    return sorted(found)


def places(name: ContractName, folder: Path) -> list[Path]:
    """Where the schemas of a contract are written."""
    copies = [COPIES[name]] if name in COPIES and folder == FOLDER else []
    return [folder / name / "schemas", *copies]


def write(name: ContractName, folder: Path = FOLDER) -> None:
    wanted = pages(name)
    for place in places(name, folder):
        place.mkdir(exist_ok=True)
        for old in place.glob("*.json"):
            if old.name not in wanted:
                old.unlink()
        for file, text in wanted.items():
            (place / file).write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write the JSON Schemas of the contracts.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a schema is stale")
    given = parser.parse_args(arguments)
    found = [f"{name}/schemas/{file}" for name in ContractName for file in stale(name)]
    if given.check:
        sys.stderr.writelines(f"{file} is stale; run `python scripts/schemas.py`\n" for file in found)
        return 1 if found else 0
    for name in ContractName:
        write(name)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
