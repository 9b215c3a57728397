"""The commands that turn OMIR documents into other forms of themselves: binary, text, linked data, stamped; and the
statement of what we do of OMIR."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from muniment.config.files import open_file
from muniment.contracts.omir.cbor import read_cbor, write_cbor
from muniment.contracts.omir.decode import decode_bundle
from muniment.contracts.omir.encode import Stamp, encode_bundle
from muniment.contracts.omir.linked import BASE, linked
from muniment.contracts.omir.profiles import r1_profiles
from muniment.contracts.omir.reading import LIMITS
from muniment.contracts.omir.statement import spell, statement
from muniment.contracts.omir.terms import OmirVersion
from muniment.contracts.strict.reader import BYTES_MAX, read_json
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import times
from muniment.model.errors import Malformed
from muniment.surfaces.cli.omir import omir
from muniment.surfaces.cli.output import note, read_standard_input, write_text
from muniment.surfaces.cli.root import CommandCall, command
from muniment.surfaces.problems import ExitCode, printable

BINARY = ".omirb"
STANDARD_INPUT = "-"

File = Annotated[
    str, typer.Argument(metavar="FILE", help=".omir or .omirb; - reads standard input.", show_default=False)
]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="Write there instead of standard output.")
]


@command(omir, "pack", example="muniment omir pack memories.omir -o memories.omirb")
def pack(
    call: CommandCall,
    file: File,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The .omirb file to write.")],
) -> ExitCode:
    """Write a document in the binary form: deterministic CBOR, the same bytes for the same document."""
    _save(output, write_cbor(_document(file), described=True))
    return ExitCode.ANSWERED


@command(omir, "unpack", example="muniment omir unpack memories.omirb")
def unpack(call: CommandCall, file: File, output: Output = None) -> ExitCode:
    """Write a document as text: what the binary form says, in JSON."""
    _give(output, msgspec.json.encode(_document(file)))
    return ExitCode.ANSWERED


@command(omir, "link", example="muniment omir link memories.omir --base https://example.org/memory/")
def link(
    call: CommandCall,
    file: File,
    base: Annotated[str, typer.Option("--base", metavar="URL", help="What the names of nodes begin with.")] = BASE,
    output: Output = None,
) -> ExitCode:
    """Write a document with a context under which it is linked data: every reference names the node it means."""
    _give(output, json.dumps(linked(_bundle(file), base=base), ensure_ascii=False).encode())
    return ExitCode.ANSWERED


@command(omir, "rewrite", example="muniment omir rewrite memories.omir --stamp -o ours.omir")
def rewrite(
    call: CommandCall,
    file: File,
    release: Annotated[
        OmirVersion, typer.Option("--release", help="R1 moves draft fields to an extension; R1.x leaves them in place.")
    ] = OmirVersion.R1,
    stamp: Annotated[
        bool, typer.Option("--stamp", help="Say who wrote it and when, so that it passes the strict level.")
    ] = False,
    output: Output = None,
) -> ExitCode:
    """Write a bundle as we write bundles: entries sorted, fields in order, of the release that is asked for."""
    bundle = decode_bundle(_text(file))
    ours = Stamp(source=_name(), at=times.from_datetime(datetime.now(UTC), field="now")) if stamp else None
    encoded = encode_bundle(bundle.memories, envelope=bundle.envelope, release=release, stamp=ours)
    _give(output, encoded.data)
    return ExitCode.ANSWERED


@command(omir, "statement", example="muniment omir statement")
def state(call: CommandCall, output: Output = None) -> ExitCode:
    """Write the conformance statement of this installation: release, roles, level, profiles, and our extensions."""
    profiles = tuple(profile.url for profile in r1_profiles())
    _give(output, spell(statement(_name(), profiles=profiles)))
    return ExitCode.ANSWERED


def _name() -> str:
    return f"muniment/{version('muniment')}"


def _bundle(file: str) -> JsonObject:
    """A document that was found to be a bundle."""
    text = _text(file)
    decode_bundle(text)
    found = read_json(text, limits=LIMITS)
    assert isinstance(found, dict), "checked"
    return found


def _document(file: str) -> Json:
    """What a file says, whatever it is."""
    sent = _read(file)
    return read_cbor(sent) if Path(file).suffix == BINARY else read_json(sent, limits=LIMITS)


def _text(file: str) -> bytes:
    """A file as JSON text, to the byte if it is one."""
    sent = _read(file)
    return msgspec.json.encode(read_cbor(sent)) if Path(file).suffix == BINARY else sent


def _read(file: str) -> bytes:
    if file == STANDARD_INPUT:
        sent = read_standard_input(BYTES_MAX + 1)
        if sent is None:
            raise Malformed("file", "a document; standard input is closed")
        return sent
    if not file or "\0" in file:
        raise Malformed("file", "the path of a file: not empty and without NUL")
    with open_file(Path(file)) as opened:
        return opened.read(BYTES_MAX + 1)


def _give(output: str | None, text: bytes) -> None:
    if output is None:
        write_text(text.decode() + "\n")
    else:
        _save(output, text + b"\n")


def _save(output: str, written: bytes) -> None:
    """Write a file whole or not at all."""
    path = Path(output)
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_bytes(written)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    note(f"wrote {printable(output)}")
