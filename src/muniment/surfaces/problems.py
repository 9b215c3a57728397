"""The error tree as programs and people outside meet it: an exit code, a stable code, words. Knows no terminal."""

from __future__ import annotations

from enum import IntEnum

from muniment.model.errors import (
    CallerError,
    ConfigurationError,
    IntegrityError,
    MunimentError,
    OperationalError,
    SchemaMismatch,
)
from muniment.model.value import Value


class ExitCode(IntEnum):
    """What a command's exit code says. A refusal and an abstention are answers. `DAMAGED` is what contradicts itself or
    was changed, `RESTORED` what is sound and was put back to before what it is held against, `OTHER_VERSION` what a
    newer release wrote, or an older one and nobody has brought up to date, `TAKEN_AWAY` what an erasure or the
    retention of receipts took from it."""

    ANSWERED = 0
    DAMAGED = 1
    WRONG_CALL = 2
    WORLD_FAILED = 3
    INTERNAL = 4
    RESTORED = 5
    OTHER_VERSION = 6
    TAKEN_AWAY = 7
    INTERRUPTED = 130


class ProblemDocument(Value):
    """What is told of an error: who can do something about it (`exit`), what it is, what to do."""

    exit: ExitCode
    code: str
    message: str
    hint: str
    field: str | None = None


_BRANCHES: tuple[tuple[type[MunimentError], ExitCode], ...] = (
    (CallerError, ExitCode.WRONG_CALL),
    (ConfigurationError, ExitCode.WRONG_CALL),
    (OperationalError, ExitCode.WORLD_FAILED),
    (SchemaMismatch, ExitCode.OTHER_VERSION),
    (IntegrityError, ExitCode.DAMAGED),
)


def problem_of(error: BaseException) -> ProblemDocument:
    """Read an error. What is not of our tree and not the operating system's is a mistake of ours: it is not quoted.

    >>> from muniment.model.errors import Malformed
    >>> found = problem_of(Malformed("limit", "a whole number"))
    >>> int(found.exit), found.code, found.field
    (2, 'malformed', 'limit')
    """
    if isinstance(error, MunimentError):
        return ProblemDocument(
            exit=exit_code_of(error),
            code=error.code,
            message=printable(str(error)),
            hint=printable(error.hint),
            field=field_of(error),
        )
    if isinstance(error, OSError):
        return ProblemDocument(
            exit=ExitCode.WORLD_FAILED,
            code="system_error",
            message=printable(error.strerror or type(error).__name__),
            hint="Check that the files are there, that you may use them and that the disk has room.",
        )
    return ProblemDocument(
        exit=ExitCode.INTERNAL,
        code="internal",
        message=f"internal error ({type(error).__name__}); this is a fault of Muniment, not of your call",
        hint="Run the command again with --debug and report what it prints.",
    )


def exit_code_of(error: MunimentError) -> ExitCode:
    """The exit code of an error of our tree. Every branch has one; a test walks the tree."""
    for branch, code in _BRANCHES:
        if isinstance(error, branch):
            return code
    return ExitCode.INTERNAL


def field_of(error: MunimentError) -> str | None:
    """The field or setting an error names, if it names one."""
    named = getattr(error, "field", None) or getattr(error, "setting", None)
    return printable(named) if isinstance(named, str) else None


def printable(text: str) -> str:
    """Text that every encoder takes: half of a surrogate pair, as a path may hold, is shown escaped.

    >>> printable("vault\\udcff")
    'vault\\\\udcff'
    """
    return text.encode("utf-8", "backslashreplace").decode()
