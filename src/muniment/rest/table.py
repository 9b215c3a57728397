"""The table: every operation of the native REST face. Server, document and client are made from it."""

from __future__ import annotations

from muniment.rest.operation import Operation
from muniment.rest.table_audit import AUDITING
from muniment.rest.table_guard import GUARDING
from muniment.rest.table_read import READING
from muniment.rest.table_write import WRITING

OPERATIONS: tuple[Operation, ...] = (*WRITING, *READING, *GUARDING, *AUDITING)
_BY_NAME = {one.name: one for one in OPERATIONS}


def operation(name: str) -> Operation:
    """The operation of a name.

    >>> operation("history").path
    '/api/records/{record_id}/history'
    """
    return _BY_NAME[name]
