"""The five contracts by name, each loaded when it is first asked for."""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module

from muniment.contracts.contract import Contract


class ContractName(StrEnum):
    MATM = "matm"
    OMIR = "omir"
    RETRIEVAL = "retrieval"
    MEMLEDGER = "memledger"
    AKASHIK = "akashik"


def contract(name: ContractName) -> Contract:
    """The contract of that name."""
    found: Contract = import_module(f"muniment.contracts.{name}").CONTRACT
    return found
