"""How much authority each operation takes, as a table, and whether somebody has it."""

from __future__ import annotations

from muniment.contracts.akashik.words import CompactStrategy, Mode, Operation
from muniment.model.value import Value

HUMAN = 10
"""Who may override, purge, and settle what was escalated."""


class Row(Value):
    """One line of the table. `detail` tells apart what one operation can do."""

    operation: Operation
    least: int
    detail: str = ""


OWN, OTHERS, ESCALATED = "own", "others", "escalated"
CANCEL, LEAD, TAKE_PART = "cancel", "lead", "take part"
"""What is done to a task that somebody else made, to a session that somebody else leads, and as a member of one."""

MINIMUM: tuple[Row, ...] = (
    Row(operation=Operation.REGISTER, least=0),
    Row(operation=Operation.RECORD, detail=Mode.COMMITTED, least=4),
    Row(operation=Operation.RECORD, detail=Mode.DRAFT, least=2),
    Row(operation=Operation.ATTUNE, least=2),
    Row(operation=Operation.DETECT, least=4),
    Row(operation=Operation.MERGE, least=6),
    Row(operation=Operation.MERGE, detail=ESCALATED, least=HUMAN),
    Row(operation=Operation.COMPACT, detail=CompactStrategy.ARCHIVE, least=6),
    Row(operation=Operation.COMPACT, detail=CompactStrategy.SUMMARIZE, least=6),
    Row(operation=Operation.COMPACT, detail=CompactStrategy.PURGE, least=HUMAN),
    Row(operation=Operation.DEREGISTER, detail=OWN, least=4),
    Row(operation=Operation.DEREGISTER, detail=OTHERS, least=8),
    Row(operation=Operation.SUBSCRIBE, least=2),
    Row(operation=Operation.REPLAY, least=0),
    Row(operation=Operation.COORDINATE, detail=OWN, least=4),
    Row(operation=Operation.COORDINATE, detail=OTHERS, least=6),
    Row(operation=Operation.COORDINATE, detail=CANCEL, least=8),
    Row(operation=Operation.HANDOFF, detail=OWN, least=4),
    Row(operation=Operation.HANDOFF, detail=OTHERS, least=6),
    Row(operation=Operation.SESSION, detail=LEAD, least=8),
    Row(operation=Operation.SESSION, detail=TAKE_PART, least=2),
)
"""The protocol's minimum-authority table; the rows from SUBSCRIBE on, and summarize, stand as its roles imply."""


def least(operation: Operation, detail: str = "") -> int | None:
    """What an operation takes, or None if the table says nothing of it."""
    return next((row.least for row in MINIMUM if (row.operation, row.detail) == (operation, detail)), None)


def permitted(authority: int, operation: Operation, detail: str = "") -> bool:
    """Whether this much authority is enough. What the table says nothing of is not permitted.

    >>> permitted(4, Operation.RECORD, Mode.COMMITTED), permitted(3, Operation.RECORD, Mode.COMMITTED)
    (True, False)
    """
    needed = least(operation, detail)
    return needed is not None and authority >= needed
