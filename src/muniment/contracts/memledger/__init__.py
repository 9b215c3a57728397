"""memledger's governed record as documents."""

from muniment.contracts.memledger.contract import CONTRACT

__all__ = ["CONTRACT"]
