"""The assertions of the contracts as data: what each demands, and where we do otherwise and why."""

from __future__ import annotations

import tomllib
from pathlib import Path

from muniment.contracts.registry import ContractName
from muniment.model.decoding import convert
from muniment.model.value import Value

ROOT = Path(__file__).parents[2]
BESIDE = ROOT / "src/muniment/contracts"
PLACES = {ContractName.AKASHIK: ROOT / "kits/akashik-conformance/src/akashik_conformance/assertions.toml"}
"""The assertions that belong to a kit; all others stand beside their contract."""


class Requirement(Value):
    """One assertion of a contract, in our words. `source` says who demands it, `level` how strongly or from which
    conformance level on; `diverges` is our reason to do otherwise, and None if we do as it says."""

    id: str
    source: str
    level: str
    says: str
    diverges: str | None = None


class _Line(Value):
    source: str
    level: str
    says: str
    diverges: str | None = None


class _Page(Value):
    contract: ContractName
    title: str
    requirement: dict[str, _Line]


class Requirements(Value):
    """All assertions of one contract, in the order of its page."""

    contract: ContractName
    title: str
    lines: tuple[Requirement, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(line.id for line in self.lines)


def requirements(name: ContractName) -> Requirements:
    """Read the requirements that stand beside a contract."""
    page = convert(
        tomllib.loads(PLACES.get(name, BESIDE / name / "requirements.toml").read_text(encoding="utf-8")), _Page
    )
    lines = (
        Requirement(id=id_, source=line.source, level=line.level, says=line.says, diverges=line.diverges)
        for id_, line in page.requirement.items()
    )
    return Requirements(contract=page.contract, title=page.title, lines=tuple(lines))
