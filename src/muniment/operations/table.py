"""The table: every operation of the native REST face. Server, document and client are made from it."""

from __future__ import annotations

from muniment.operations.operation import OperationSpec
from muniment.operations.table_audit import AUDITING
from muniment.operations.table_guard import GUARDING
from muniment.operations.table_read import READING
from muniment.operations.table_write import WRITING

OPERATIONS: tuple[OperationSpec, ...] = (*WRITING, *READING, *GUARDING, *AUDITING)
_BY_NAME = {one.name: one for one in OPERATIONS}


def operation(name: str) -> OperationSpec:
    """The operation of a name.

    >>> operation("history").path
    '/api/records/{record_id}/history'
    """
    return _BY_NAME[name]
