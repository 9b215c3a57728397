"""What a person who pressed Ctrl-C is told: what the command may have changed before it ended. Knows no memories."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.surfaces.cli.command_table import PLACES
from muniment.surfaces.cli.flags import SHARED
from muniment.surfaces.problems import ExitCode, ProblemDocument

_LOOKS = frozenset(
    {
        "attune",
        "cascade",
        "conflicts",
        "convert",
        "directory",
        "entity",
        "explain",
        "export",
        "get",
        "history",
        "inspect-memory",
        "ledger entries",
        "ledger head",
        "ledger verify",
        "lineage",
        "policy check",
        "policy show",
        "quality",
        "queue",
        "recall",
        "stats",
        "validate",
    }
)
"""What changes no record, whenever it ends. A question may have left its receipt."""
_STEPS = frozenset({"flush", "ledger trim"})
"""What is done in steps, each of which is kept, and goes on where it stopped when it is run again."""
_NOTHING = "interrupted; nothing was changed"
_GOES_ON = "interrupted; the steps that were finished are kept, and the same command goes on from there"
_WHOLE = "interrupted; whatever was being written to the memory is there whole or not at all"
_LOOK = "`muniment ledger head` says where the ledger stands: look before you run it again."


def interruption(words: Sequence[str]) -> ProblemDocument:
    """What to tell of a line that was interrupted.

    >>> interruption(["--tenant", "forget", "conflicts", "--all"]).message
    'interrupted; nothing was changed'
    >>> interruption(["remember", "stats"]).message
    'interrupted; whatever was being written to the memory is there whole or not at all'
    """
    names = _names(words)
    if names & _LOOKS:
        message, hint = _NOTHING, ""
    elif names & _STEPS:
        message, hint = _GOES_ON, ""
    else:
        message, hint = _WHOLE, _LOOK
    return ProblemDocument(exit=ExitCode.INTERRUPTED, code="interrupted", message=message, hint=hint)


def _names(words: Sequence[str]) -> frozenset[str]:
    """The command on a line, alone and with the word behind it, which for a group is the command."""
    plain = list(_without_shared(words))
    if not plain or plain[0] not in PLACES:
        return frozenset()
    return frozenset({plain[0], " ".join(plain[:2])})


def _without_shared(words: Sequence[str]) -> list[str]:
    """The words of a line that are no options of every command, nor the values of those."""
    valued = {name for flag in SHARED.flags if flag.metavar is not None for name in (flag.flag, *flag.also)}
    found: list[str] = []
    left = iter(words)
    for word in left:
        if word in valued:
            next(left, None)
        elif not word.startswith("-"):
            found.append(word)
    return found
