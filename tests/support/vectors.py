"""Vectors as data, and the runner for them: documents with what a contract's check must say of each.

A vector is one entry of `vectors.json` beside its contract: `name`, `cites` (ids of requirements), the document as
`document` or, where the spelling matters, as raw `text`, and `finds`: the findings it must get, as pairs of code and
path. An empty list means that the document passes without an error. With `only` false others may be found too.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from muniment.contracts.finding import Severity
from muniment.contracts.registry import ContractName, contract
from muniment.model.decoding import decode_json
from muniment.model.value import Value

ROOT = Path(__file__).parents[2]
BESIDE = ROOT / "src/muniment/contracts"
PLACES = {ContractName.OMIR: ROOT / "kits/omir-conformance/src/omir_conformance/vectors.json"}
"""The vectors that belong to a kit; all others stand beside their contract."""


class Vector(Value):
    """One document and what must be found in it."""

    name: str
    cites: tuple[str, ...]
    finds: tuple[tuple[str, str], ...] = ()
    document: msgspec.Raw = msgspec.Raw(b"null")
    text: str | None = None
    only: bool = True

    @property
    def data(self) -> bytes:
        return self.text.encode() if self.text is not None else bytes(self.document)


def vectors(name: ContractName) -> tuple[Vector, ...]:
    """The vectors that stand beside a contract; none if it has no such file."""
    file = PLACES.get(name, BESIDE / name / "vectors.json")
    return decode_json(file.read_bytes(), tuple[Vector, ...]) if file.is_file() else ()


def run_vector(name: ContractName, vector: Vector) -> tuple[str, ...]:
    """What came out otherwise than the vector says; empty if all is as it should be."""
    found = [(one.code, one.path) for one in contract(name).check(vector.data) if one.severity is Severity.ERROR]
    missing = [f"not found: {pair}" for pair in vector.finds if pair not in found]
    extra = [f"found besides: {pair}" for pair in found if pair not in vector.finds] if vector.only else []
    return (*missing, *extra)
