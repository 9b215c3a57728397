"""Run one command of the command line and end it: an exit code, and words for whatever went wrong."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

import msgspec
import typer

from muniment.engine.session import clean
from muniment.model.errors import Malformed
from muniment.surfaces.cli import root
from muniment.surfaces.cli.flags import spelling
from muniment.surfaces.cli.interrupts import interruption
from muniment.surfaces.cli.output import complain, prepare
from muniment.surfaces.problems import ExitCode, ProblemDocument, printable, problem_of


def run_command(words: list[str]) -> int:
    """Run the command on a line. Never raises, never shows a traceback unless asked to."""
    prepare()
    try:
        code = _exit_code(
            typer.main.get_command(root.front).main(args=words, prog_name="muniment", standalone_mode=False)
        )
    except SystemExit:  # the reader of a help page has gone away
        return ExitCode.ANSWERED
    except Exception as error:  # noqa: BLE001  # the outermost surface: nothing passes it
        return _told(error, words)
    except KeyboardInterrupt:
        code = ExitCode.INTERRUPTED
    if code == ExitCode.INTERRUPTED:  # the parser turns Ctrl-C into this code, and says nothing
        complain(interruption(words), as_json=_given(words, "--json"))
    return code


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


def _by_flag(problem: ProblemDocument) -> ProblemDocument:
    """Tell what to do in the words of the command line: the flag instead of the field, and with it what is to be
    changed where the hint only says how."""
    flag = spelling(problem.field)
    if flag is None:
        return problem
    hint = problem.hint
    for verb in ("Change", "Correct", "leave"):
        hint = hint.replace(f"{verb} {problem.field} ", f"{verb} {flag} ")
    if problem.code == Malformed.code and "--" not in hint:
        hint = f"Change {flag}. {hint}"
    return msgspec.structs.replace(problem, hint=hint)


def _usage(error: typer.TyperException) -> ProblemDocument:
    """A line the parser cannot read."""
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "muniment"
    field = getattr(getattr(error, "param", None), "name", None) or getattr(error, "option_name", None)
    return ProblemDocument(
        exit=ExitCode.WRONG_CALL,
        code="usage",
        message=printable(clean(error.format_message())).strip(),
        hint=f"`{where} --help` shows what it takes.",
        field=printable(clean(field.removeprefix("flag_"))) if isinstance(field, str) else None,
    )
