"""The commands about OMIR documents: validate them, by the reference validator's verdict or by the text's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Group, RenderableType
from rich.text import Text

from muniment.config.files import open_file
from muniment.contracts.omir.cbor import read_cbor
from muniment.contracts.omir.codes import CODES
from muniment.contracts.omir.profiles import Profile, r1_profiles, read_profile
from muniment.contracts.omir.report import Level, Report, ReportRequest, ReportStatus, ReportVerdict, unreadable
from muniment.contracts.omir.validate import Options, validate
from muniment.contracts.strict.reader import BYTES_MAX
from muniment.model.errors import CallerError, LimitExceeded, Malformed, Unreadable
from muniment.model.value import Value
from muniment.surfaces.cli.layout import counted, line, table
from muniment.surfaces.cli.output import note, plain, read_standard_input, write_human, write_json
from muniment.surfaces.cli.root import CommandCall, app, command, group
from muniment.surfaces.problems import ExitCode, printable

omir = typer.Typer(help="OMIR documents: validate them.", rich_markup_mode="rich")
omir.callback()(group)
app.add_typer(omir, name="omir")

STANDARD_INPUT = "-"
BINARY = ".omirb"
ROWS_MAX = 100
_EXITS = {
    ReportStatus.PASS: ExitCode.ANSWERED,
    ReportStatus.FAIL: ExitCode.DAMAGED,
    ReportStatus.UNREADABLE: ExitCode.WRONG_CALL,
}
_STYLES = {ReportStatus.PASS: "bold green", ReportStatus.FAIL: "bold red", ReportStatus.UNREADABLE: "bold red"}


class ReportFormat(StrEnum):
    """How reports are written: for a person, or as the reference validator writes them."""

    HUMAN = "human"
    JSON = "json"


class OmirRelease(StrEnum):
    """Which fields are taken for granted: those of R1, or also the drafts of R1.x."""

    R1 = "R1"
    R1X = "R1.x"


class _Ask(Value):
    """What is asked of every file of one call."""

    verdict: ReportVerdict
    level: Level
    options: Options


@command(omir, "validate", example="muniment omir validate memories.omir --level strict --json")
def validate_files(
    call: CommandCall,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help=".omir or .omirb; - reads standard input.", show_default=False),
    ],
    verdict: Annotated[
        ReportVerdict, typer.Option("--verdict", help="The reference validator's (parity), or the text's (spec).")
    ] = ReportVerdict.SPEC,
    level: Annotated[
        Level, typer.Option("--level", help="core; strict: no warnings, meta everywhere; profile: claims are kept.")
    ] = Level.CORE,
    profile: Annotated[
        list[str] | None,
        typer.Option(
            "--profile", metavar="FILE|URL", help="A profile definition, or one of R1. Repeatable.", show_default=False
        ),
    ] = None,
    require_profile: Annotated[
        list[str] | None,
        typer.Option("--require-profile", metavar="URL", help="Every eligible resource must claim it. Repeatable."),
    ] = None,
    release: Annotated[
        OmirRelease, typer.Option("--release", help="R1 tells draft fields as information; R1.x does not.")
    ] = OmirRelease.R1,
    layout: Annotated[
        ReportFormat,
        typer.Option("--format", help="json: one file gives an object, several a list, as the reference does."),
    ] = ReportFormat.HUMAN,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PATH", help="Write reports to a file, or one each to a folder."),
    ] = None,
) -> ExitCode:
    """Validate OMIR bundles. Exit code 0: all pass, 1: one fails, 2: one cannot be read. With --json the answer is a
    list with one report for each file that can be read."""
    ask = _Ask(verdict=verdict, level=level, options=_options(profile or (), require_profile or (), release))
    if verdict is ReportVerdict.PARITY and (profile or require_profile or level is Level.PROFILE):
        note("profiles are not looked into in the parity verdict; the reference validator skips them")
    reports = [_report(file, ask) for file in files]
    if output is not None:
        _write(Path(output), reports, as_list=call.as_json)
    elif call.as_json:
        write_json(_readable(reports))
    elif layout is ReportFormat.JSON:
        write_json(_as_reference(reports))
    else:
        write_human(Group(*map(_shown, reports)))
    return max((_EXITS[one.result] for one in reports), default=ExitCode.ANSWERED)


def _options(profiles: Sequence[str], required: Sequence[str], release: OmirRelease) -> Options:
    known = {one.url: one for one in r1_profiles()}
    named = tuple(known[text] if text in known else _profile(text) for text in profiles)
    for url in required:
        if url not in known and url not in {one.url for one in named}:
            raise Malformed("require_profile", "the url of a profile of R1, or of one given with --profile")
    return Options(profiles=named, required=tuple(required), tells_drafts=release is OmirRelease.R1)


def _profile(file: str) -> Profile:
    try:
        with open_file(Path(file)) as opened:
            return read_profile(opened.read())
    except OSError as error:
        words = f"the url of a profile of R1, or the file of a definition ({printable(error.strerror or 'unreadable')})"
        raise Malformed("profile", words) from None


def _report(file: str, ask: _Ask) -> Report:
    """The report of one file. What cannot be read is told on standard error as well."""
    asked = ReportRequest(target=printable(file), verdict=ask.verdict, level=ask.level)
    try:
        return validate(
            _text(file, ask.verdict), verdict=ask.verdict, level=ask.level, target=asked.target, options=ask.options
        )
    except (Unreadable, LimitExceeded, Malformed) as error:
        return _refused(asked, error)
    except OSError as error:
        return _refused(asked, Malformed("file", f"a file ({printable(error.strerror or type(error).__name__)})"))


def _refused(asked: ReportRequest, error: CallerError) -> Report:
    note(f"error (E000): {asked.target}: {printable(str(error))}")
    return unreadable(asked, error)


def _text(file: str, verdict: ReportVerdict) -> bytes:
    """What a file, or standard input, holds, as JSON."""
    if file == STANDARD_INPUT:
        sent = read_standard_input(BYTES_MAX + 1)
        if sent is None:
            raise Malformed("file", "a document; standard input is closed")
        return sent
    if not file or "\0" in file:
        raise Malformed("file", "the path of a file: not empty and without NUL")
    if Path(file).suffix == BINARY and verdict is ReportVerdict.PARITY:
        raise Malformed("file", "a .omir file: the reference validator does not read .omirb")
    with open_file(Path(file)) as opened:
        data = opened.read(BYTES_MAX + 1)
    return msgspec.json.encode(read_cbor(data)) if Path(file).suffix == BINARY else data


def _readable(reports: Sequence[Report]) -> list[Report]:
    return [one for one in reports if one.result is not ReportStatus.UNREADABLE]


def _as_reference(reports: Sequence[Report]) -> Report | list[Report]:
    """As the reference validator writes reports. Its own leave out what cannot be read; ours do not."""
    told = [one for one in reports if one.result is not ReportStatus.UNREADABLE or one.verdict is ReportVerdict.SPEC]
    return told[0] if len(told) == 1 else told


def _write(path: Path, reports: Sequence[Report], *, as_list: bool) -> None:
    if path.is_dir():
        for one in reports:
            name = "standard-input" if one.target == STANDARD_INPUT else Path(one.target).name
            _write_file(path / f"{name}.report.json", one)
    else:
        _write_file(path, _readable(reports) if as_list else _as_reference(reports))
    note(f"wrote {printable(str(path))}")


def _write_file(path: Path, told: Report | Sequence[Report]) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(told), indent=2) + b"\n")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _shown(report: Report) -> RenderableType:
    """A report for a person: the result, every finding, and what to do about each sort of them."""
    summary = report.summary
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in summary.entries_by_type.items())
    verdict = ReportVerdict.PARITY if report.verdict is msgspec.UNSET else report.verdict
    heading = Text.assemble((report.result.value, _STYLES[report.result]), plain(f": {report.target}"))
    parts: list[RenderableType] = [heading, line("verdict", f"{verdict}, level {report.level}")]
    if report.result is not ReportStatus.UNREADABLE:
        parts += [
            line("entries", f"{summary.entries_total:,}" + (f" ({kinds})" if kinds else "")),
            line("core conformant", "yes" if report.core_conformant else "no"),
        ]
    parts.append(line("found", _counts(report)))
    rows = [[one.severity.value, one.code, one.path, one.message] for one in report.findings[:ROWS_MAX]]
    if rows:
        parts.append(table(("severity", "code", "where", "what"), rows))
    if len(report.findings) > ROWS_MAX:
        parts.append(plain(f"  ... and {len(report.findings) - ROWS_MAX:,} more; --json tells all"))
    hints = {one.code: CODES[one.code].hint if one.hint is msgspec.UNSET else one.hint for one in report.findings}
    return Group(*parts, *(line(f"what to do about {code}", hint) for code, hint in hints.items()))


def _counts(report: Report) -> str:
    found = report.summary
    if not report.findings:
        return "nothing"
    return ", ".join(
        (
            counted(found.errors, "error", "errors"),
            counted(found.warnings, "warning", "warnings"),
            f"{found.info:,} for information",
        )
    )
