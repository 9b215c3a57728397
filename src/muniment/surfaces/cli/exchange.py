"""The commands that speak the contracts: validate, convert, import, export."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, TypedDict, cast

import msgspec
import typer

from muniment.compat.exchange import (
    CheckedDocument,
    DocumentResult,
    as_file,
    as_json,
    convert,
    read_in,
    validate,
    write_out,
)
from muniment.config.files import open_file
from muniment.contracts.contract import Encoded
from muniment.contracts.finding import Finding, Severity, finding_of
from muniment.contracts.registry import ContractName, contract
from muniment.contracts.strict.reader import BYTES_MAX
from muniment.engine import Memory
from muniment.engine.options import QueryOptions
from muniment.importers.export import give_out as export_store
from muniment.importers.kinds import SourceKind
from muniment.importers.omp.exchange import ExchangeMode
from muniment.importers.omp.receive import receive
from muniment.importers.takeover import move_in, planned
from muniment.model.actor import OWNER
from muniment.model.claim_options import read_instant
from muniment.model.errors import LimitExceeded, Malformed, Unreadable
from muniment.model.status import Status
from muniment.surfaces.cli import show_exchange
from muniment.surfaces.cli.flags import BOUNDS, Flags, Given
from muniment.surfaces.cli.movein import (
    Maps,
    Split,
    given_shape,
    mapping_of,
    moved_shape,
    pairs_of,
    received_shape,
    show_given,
    show_moved,
    show_received,
)
from muniment.surfaces.cli.output import is_terminal, note, read_standard_input, working, write_json, write_text
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.cli.shapes_exchange import (
    NarrowedShape,
    checked_shape,
    imported_shape,
    narrowed_shape,
)
from muniment.surfaces.problems import ExitCode, printable

STANDARD_INPUT = "-"
_EXIT = {
    DocumentResult.PASS: ExitCode.ANSWERED,
    DocumentResult.FAIL: ExitCode.DAMAGED,
    DocumentResult.UNREADABLE: ExitCode.WRONG_CALL,
}

_OF_AN_ANSWER = frozenset(
    {
        "asked_at",
        "budget_tokens",
        "contested",
        "floor",
        "gate_flag",
        "gate_min",
        "known_at",
        "min_fit",
        "precise",
        "valid_at",
    }
)
FILTERS = Flags(
    name="bounds",
    panel="What to export",
    flags=tuple(
        msgspec.structs.replace(flag, meaning="At most so many records (default: all).")
        if flag.field == "limit"
        else flag
        for flag in BOUNDS.flags
        if flag.field not in _OF_AN_ANSWER
    ),
)
"""The bounds of an export: those of a recall that speak of the record and not of the answer."""

Name = Annotated[ContractName, typer.Option("--contract", help="Which contract it speaks.", show_default=False)]
File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="JSON, or YAML by its name, or .omirb; - reads standard input.", show_default=False
    ),
]
Output = Annotated[
    str | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write the document there instead of standard output."),
]


class DocumentShape(TypedDict):
    """A document inside an answer, as it is."""

    document: msgspec.Raw
    narrowed: list[NarrowedShape]


class WrittenShape(TypedDict):
    file: str
    narrowed: list[NarrowedShape]


@command(app, "validate", example="muniment validate --contract omir memories.omir more.yaml --json")
def check(
    call: CommandCall,
    name: Name,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="JSON, YAML or .omirb; - reads standard input.", show_default=False),
    ],
) -> ExitCode:
    """Say everything that is wrong with documents of a contract. Exit code 0: all pass, 1: one fails, 2: one cannot be
    read."""
    checked = [(printable(file), _checked(name, file)) for file in files]
    call.tell([checked_shape(file, one) for file, one in checked], show_exchange.checks)
    return max((_EXIT[one.result] for _, one in checked), default=ExitCode.ANSWERED)


@command(app, "convert", example="muniment convert --from omir --to matm memories.omir")
def translate(
    call: CommandCall,
    file: File,
    source: Annotated[ContractName, typer.Option("--from", help="The contract it is in.", show_default=False)],
    target: Annotated[ContractName, typer.Option("--to", help="The contract to write.", show_default=False)],
    output: Output = None,
) -> ExitCode:
    """Turn a document of one contract into one of another. The document goes to standard output, and what the other
    contract has no field for is told on standard error."""
    encoded = convert(source, target, _read(file))
    _tell_document(call, target, encoded, output)
    return ExitCode.ANSWERED


@command(app, "import", example="muniment import --from mem0 mem0-export/ --preview")
def take_in(
    call: CommandCall,
    file: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A document of a contract (- reads standard input), or with --from the store of another system.",
            show_default=False,
        ),
    ],
    name: Annotated[
        ContractName | None, typer.Option("--contract", help="Which contract the document speaks.", show_default=False)
    ] = None,
    kind: Annotated[
        SourceKind | None, typer.Option("--from", help="Which other system wrote the store.", show_default=False)
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Say what would become of it, and change nothing.")
    ] = False,
    hold: Annotated[bool, typer.Option("--hold", help="Let everything wait until a person has looked at it.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Take it in once more if it was rolled back.")] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="With --from: leave out what cannot be read, and count it.")
    ] = False,
    maps: Maps = None,
    split: Split = "note",
    principals: Annotated[
        list[str] | None,
        typer.Option("--principal", metavar="NAME=USER", help="omp: which user here a name there is. Repeatable."),
    ] = None,
    mode: Annotated[
        ExchangeMode, typer.Option("--mode", help="omp: keep the identity of what comes, or make it new here.")
    ] = ExchangeMode.PRESERVE,
) -> ExitCode:
    """Propose every memory of a document of a contract (--contract) or of another system's store (--from). Their origin
    is an import whatever they say; the policy decides on each. The same source again changes nothing; one that was
    rolled back is refused unless --again is given."""
    if (name is None) == (kind is None):
        raise Malformed("contract", "either --contract or --from")
    if kind is SourceKind.OMP and Path(file).is_file():
        with _opened(call, preview=preview) as memory:
            received = receive(
                memory,
                Path(file),
                pairs_of("principal", principals),
                mode=mode,
                preview=preview,
                hold=hold,
                again=again,
            )
        call.tell(received_shape(received), show_received)
        return ExitCode.ANSWERED
    if kind is not None:
        with (
            planned(kind, file, mapping_of(maps, split), skip_bad=skip_bad, preview=preview) as plan,
            _opened(call, preview=preview) as memory,
            working(f"importing from {kind}") as progress,
        ):
            moved = move_in(memory, plan, preview=preview, hold=hold, again=again, progress=progress)
        call.tell(moved_shape(moved), show_moved)
        return ExitCode.ANSWERED
    assert name is not None
    data = _read(file)
    if not call.has_vault:
        contract(name).decode(data)  # what cannot be read makes no vault
    with _opened(call, preview=preview) as memory, working(f"importing {name}") as progress:
        imported = read_in(memory, name, data, preview=preview, hold=hold, again=again, progress=progress)
    call.tell(imported_shape(imported), show_exchange.imported)
    return ExitCode.ANSWERED


@command(
    app,
    "export",
    example="muniment export --to mem0 -o get_all.json",
    flags=(FILTERS,),
)
def give_out(
    call: CommandCall,
    name: Annotated[
        ContractName | None, typer.Option("--contract", help="Write a document of this contract.", show_default=False)
    ] = None,
    kind: Annotated[
        SourceKind | None,
        typer.Option("--to", help="Write a store of this other system, at --output.", show_default=False),
    ] = None,
    status: Annotated[
        list[Status] | None,
        typer.Option("--status", help="Only what is in this state (default: active and contested). Repeatable."),
    ] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Only this session.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only what was recorded then or later.")
    ] = None,
    output: Output = None,
    *,
    bounds: Given,
) -> ExitCode:
    """Write every record the caller may see, within these bounds: as one document of a contract (--contract), to
    standard output or --output, or as a store of another system (--to), a new file or folder at --output. What the
    other side has no field for is told."""
    statuses = None if status is None else [one.value for one in status]
    if (name is None) == (kind is None):
        raise Malformed("contract", "either --contract or --to")
    if kind is not None:
        if not output:
            raise Malformed("output", "the file or folder to write")
        start = read_instant("since", since) if since is not None else None
        with call.memory(session=session) as memory, working(f"exporting to {kind}"):
            browsed = memory.insight.browse(statuses=statuses, session=session, **cast(QueryOptions, bounds))
            told = (one for one in browsed if start is None or one.record.created_at >= start)
            given = export_store(memory, kind, Path(output), told)
        call.tell(given_shape(given, printable(output)), show_given)
        return ExitCode.ANSWERED
    assert name is not None
    with call.memory(session=session) as memory, working(f"exporting {name}"):
        exported = write_out(
            memory, name, statuses=statuses, session=session, since=since, **cast(QueryOptions, bounds)
        )
    _tell_document(call, name, exported, output)
    for words in show_exchange.cautions(exported.delicate, exported.foreign):
        note(words)
    return ExitCode.ANSWERED


@contextmanager
def _opened(call: CommandCall, *, preview: bool) -> Iterator[Memory]:
    """The memory of this call; for a preview where there is none yet, an empty one that is gone afterwards."""
    if not preview or call.has_vault:
        with call.memory(create=not preview) as memory:
            yield memory
        return
    config = call.config
    if config.policy is not None and config.actor != OWNER:
        raise Malformed("policy", "the vault's own policy: only its owner may bring another")
    with (
        TemporaryDirectory(prefix="muniment-preview-") as folder,
        Memory.open(folder, tenant=config.tenant, actor=config.actor, policy=config.policy, embedder=None) as memory,
    ):
        note("there is no vault yet; this is what an empty one would make of it")
        yield memory


def _checked(name: ContractName, file: str) -> CheckedDocument:
    try:
        data = _read(file)
    except (LimitExceeded, Malformed, Unreadable) as error:
        return CheckedDocument(contract=name, result=DocumentResult.UNREADABLE, findings=(finding_of(error),))
    except OSError as error:
        words = f"the file cannot be read: {printable(error.strerror or type(error).__name__)}"
        finding = Finding(code=Unreadable.code, severity=Severity.ERROR, path="/", message=words)
        return CheckedDocument(contract=name, result=DocumentResult.UNREADABLE, findings=(finding,))
    return validate(name, data)


def _read(file: str) -> bytes:
    """What a file, or standard input, holds, as JSON text."""
    if file == STANDARD_INPUT:
        if is_terminal(sys.stdin):
            note("reading standard input; end with Ctrl-D")
        data = read_standard_input(BYTES_MAX + 1)
        if data is None:
            raise Malformed("file", "a document; standard input is closed")
        return as_json(data, "")
    if not file or "\0" in file:
        raise Malformed("file", "the path of a file: not empty and without NUL")
    with open_file(Path(file)) as opened:
        return as_json(opened.read(BYTES_MAX + 1), Path(file).suffix)


def _tell_document(call: CommandCall, name: ContractName, encoded: Encoded, output: str | None) -> None:
    told = narrowed_shape(encoded.narrowed)
    if output is not None:
        _write_file(Path(output), as_file(encoded.data, Path(output).suffix))
    if call.as_json:
        written: WrittenShape | DocumentShape = (
            {"document": msgspec.Raw(encoded.data), "narrowed": told}
            if output is None
            else {"file": printable(output), "narrowed": told}
        )
        write_json(written)
        return
    if output is None:
        write_text(encoded.data.decode() + "\n")
    else:
        note(f"wrote {printable(output)}")
    for words in show_exchange.narrowed(name, encoded.narrowed):
        note(words)


def _write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_bytes(data)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
