"""The command line. `run` is its outermost surface: whatever goes wrong inside ends here, as words and an exit code."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence

import msgspec
import typer

from muniment.engine.seat import clean
from muniment.surfaces.cli import (
    audit,
    backup,
    batches,
    conformance,
    denied,
    encryption,
    exchange,
    forget,
    guard,
    inspect,
    keys,
    matm,
    mcp,
    model,
    omir,
    omir_files,
    read,
    search,
    serve,
    signing,
    trust,
    write,
)
from muniment.surfaces.cli.flags import spelling
from muniment.surfaces.cli.output import complain, prepare
from muniment.surfaces.cli.root import app, ledger, policy
from muniment.surfaces.problems import ExitCode, Problem, printable, problem_of

__all__ = ["app", "run"]

_DECLARED = (
    write,
    search,
    read,
    trust,
    forget,
    guard,
    backup,
    audit,
    exchange,
    batches,
    inspect,
    omir_files,
    mcp,
    denied,
    serve,
)  # by importing them

app.add_typer(ledger, name="ledger")
app.add_typer(policy, name="policy")
app.add_typer(forget.certificate, name="certificate")
app.add_typer(guard.hold, name="hold")
app.add_typer(guard.quarantine, name="quarantine")
app.add_typer(backup.archive, name="archive")
app.add_typer(signing.signing, name="signing")
app.add_typer(signing.checkpoint, name="checkpoint")
app.add_typer(encryption.encryption, name="encryption")
app.add_typer(model.model, name="model")
app.add_typer(keys.keys, name="keys")
app.add_typer(conformance.conformance, name="conformance")
app.add_typer(omir.omir, name="omir")
app.add_typer(matm.matm, name="matm")


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Never raises, never shows a traceback unless asked to."""
    words = list(sys.argv[1:] if argv is None else argv)
    prepare()
    try:
        return _exit_code(typer.main.get_command(app).main(args=words, prog_name="muniment", standalone_mode=False))
    except SystemExit:  # the reader of a help page has gone away
        return ExitCode.ANSWERED
    except Exception as error:  # noqa: BLE001  # the outermost surface: nothing passes it
        return _told(error, words)


def _exit_code(returned: object) -> int:
    return int(returned) if isinstance(returned, int) else ExitCode.ANSWERED


def _told(error: Exception, words: Sequence[str]) -> int:
    found = _usage(error) if isinstance(error, typer.TyperException) else _by_flag(problem_of(error))
    if found.exit is ExitCode.INTERNAL and _given(words, "--debug"):
        traceback.print_exception(error)
    complain(found, as_json=_given(words, "--json"))
    return found.exit


def _given(words: Sequence[str], flag: str) -> bool:
    """Whether a flag stands on the line; the parser may have failed before it got there."""
    upto = words.index("--") if "--" in words else len(words)
    return flag in words[:upto]


def _by_flag(problem: Problem) -> Problem:
    """Tell what to do in the words of the command line: the flag instead of the field."""
    flag = spelling(problem.field)
    if problem.field is None or flag is None:
        return problem
    return msgspec.structs.replace(problem, hint=problem.hint.replace(f"Correct {problem.field} ", f"Correct {flag} "))


def _usage(error: typer.TyperException) -> Problem:
    """A line the parser cannot read."""
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "muniment"
    field = getattr(getattr(error, "param", None), "name", None) or getattr(error, "option_name", None)
    return Problem(
        exit=ExitCode.WRONG_CALL,
        code="usage",
        message=printable(clean(error.format_message())).strip(),
        hint=f"`{where} --help` shows what it takes.",
        field=printable(clean(field.removeprefix("flag_"))) if isinstance(field, str) else None,
    )
