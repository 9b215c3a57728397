"""How much authority each operation takes, as a table, and whether somebody has it."""

from __future__ import annotations

from muniment.contracts.akashik.words import CompactStrategy, FieldOperation, Mode
from muniment.model.value import Value

HUMAN = 10
"""Who may override, purge, and settle what was escalated."""


class AuthorityRow(Value):
    """One line of the table. `detail` tells apart what one operation can do."""

    operation: FieldOperation
    least: int
    detail: str = ""


OWN, OTHERS, ESCALATED = "own", "others", "escalated"
CANCEL, LEAD, TAKE_PART = "cancel", "lead", "take part"
"""What is done to a task that somebody else made, to a session that somebody else leads, and as a member of one."""

MINIMUM: tuple[AuthorityRow, ...] = (
    AuthorityRow(operation=FieldOperation.REGISTER, least=0),
    AuthorityRow(operation=FieldOperation.RECORD, detail=Mode.COMMITTED, least=4),
    AuthorityRow(operation=FieldOperation.RECORD, detail=Mode.DRAFT, least=2),
    AuthorityRow(operation=FieldOperation.ATTUNE, least=2),
    AuthorityRow(operation=FieldOperation.DETECT, least=4),
    AuthorityRow(operation=FieldOperation.MERGE, least=6),
    AuthorityRow(operation=FieldOperation.MERGE, detail=ESCALATED, least=HUMAN),
    AuthorityRow(operation=FieldOperation.COMPACT, detail=CompactStrategy.ARCHIVE, least=6),
    AuthorityRow(operation=FieldOperation.COMPACT, detail=CompactStrategy.SUMMARIZE, least=6),
    AuthorityRow(operation=FieldOperation.COMPACT, detail=CompactStrategy.PURGE, least=HUMAN),
    AuthorityRow(operation=FieldOperation.DEREGISTER, detail=OWN, least=4),
    AuthorityRow(operation=FieldOperation.DEREGISTER, detail=OTHERS, least=8),
    AuthorityRow(operation=FieldOperation.SUBSCRIBE, least=2),
    AuthorityRow(operation=FieldOperation.REPLAY, least=0),
    AuthorityRow(operation=FieldOperation.COORDINATE, detail=OWN, least=4),
    AuthorityRow(operation=FieldOperation.COORDINATE, detail=OTHERS, least=6),
    AuthorityRow(operation=FieldOperation.COORDINATE, detail=CANCEL, least=8),
    AuthorityRow(operation=FieldOperation.HANDOFF, detail=OWN, least=4),
    AuthorityRow(operation=FieldOperation.HANDOFF, detail=OTHERS, least=6),
    AuthorityRow(operation=FieldOperation.SESSION, detail=LEAD, least=8),
    AuthorityRow(operation=FieldOperation.SESSION, detail=TAKE_PART, least=2),
)
"""The protocol's minimum-authority table; the rows from SUBSCRIBE on, and summarize, stand as its roles imply."""


def least(operation: FieldOperation, detail: str = "") -> int | None:
    """What an operation takes, or None if the table says nothing of it."""
    return next((row.least for row in MINIMUM if (row.operation, row.detail) == (operation, detail)), None)


def permitted(authority: int, operation: FieldOperation, detail: str = "") -> bool:
    """Whether this much authority is enough. What the table says nothing of is not permitted.

    >>> permitted(4, FieldOperation.RECORD, Mode.COMMITTED), permitted(3, FieldOperation.RECORD, Mode.COMMITTED)
    (True, False)
    """
    needed = least(operation, detail)
    return needed is not None and authority >= needed
