"""The commands about signing: change the key, show and hand out public keys, check a checkpoint without a vault."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal, TypedDict

import msgspec
import typer
from rich.console import Group, RenderableType

from muniment.config.files import open_file
from muniment.engine.signing import KeySpan, Rotation, checkpointed, key_line, rotate
from muniment.model import checks, times
from muniment.model.actor import OWNER
from muniment.model.decoding import decode_json
from muniment.model.entry import Checkpoint, Handover, SignedCheckpoint, SignedHandover
from muniment.model.errors import Malformed, NotPermitted
from muniment.surfaces.cli.confirm import confirmed, must_ask
from muniment.surfaces.cli.layout import line, table
from muniment.surfaces.cli.output import note, plain
from muniment.surfaces.cli.root import CommandCall, app, command, group
from muniment.surfaces.problems import ExitCode, printable

signing = typer.Typer(help="The key that signs checkpoints and certificates: rotate, show, export.")
signing.callback()(group)
app.add_typer(signing, name="signing")
checkpoint = typer.Typer(help="Signed checkpoints, checked without a vault.")
checkpoint.callback()(group)
app.add_typer(checkpoint, name="checkpoint")

FILE_BYTES_MAX = 1_048_576
POSITION_MAX = 2**53
_HEX = re.compile("[0-9a-f]{64}")


class HandoverShape(TypedDict):
    after: str
    by_old: str
    by_new: str


class KeySpanShape(TypedDict):
    key: str
    since: int
    handover: HandoverShape | None


class LineShape(TypedDict):
    tenant: str
    keys: list[KeySpanShape]


class RotationShape(TypedDict):
    old: str
    new: str
    entries: dict[str, int]
    resumed: bool
    destroyed: bool


class CheckedHeadShape(TypedDict):
    ok: bool
    tenant: str
    seq: int
    key: str


@command(signing, "rotate", example='muniment signing rotate --reason "a laptop was lost" --yes')
def rotate_(
    call: CommandCall,
    reason: Annotated[str, typer.Option("--reason", help="Why; the ledger keeps it.", show_default=False)],
    keep_old: Annotated[
        bool, typer.Option("--keep-old", help="Keep the private half of the old key instead of destroying it.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> ExitCode:
    """Give the vault a new signing key, in every tenant's ledger. For the vault's owner.

    The old key's private half is destroyed; its public half stays, and what it signed until now stays valid.
    """
    _owner(call, "change the signing key")
    if must_ask(yes, "change the key") and not confirmed("Give the vault a new signing key?"):
        note("nothing was changed")
        return ExitCode.ANSWERED
    done = rotate(call.place, reason=reason, actor=call.config.actor, keep=keep_old)
    call.tell(_rotation_shape(done), _show_rotation)
    return ExitCode.ANSWERED


@command(signing, "show", example="muniment signing show --json")
def show(call: CommandCall) -> ExitCode:
    """Show the public keys of a tenant's ledger, and from which entry on each is in force. For the vault's owner."""
    call.tell(_line_shape(call), _show_line)
    return ExitCode.ANSWERED


@command(signing, "export", example="muniment signing export keys.json")
def export(
    call: CommandCall,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to write them.", show_default=False)],
) -> ExitCode:
    """Write the public keys of a tenant's ledger to a file: all that `checkpoint verify --key` needs."""
    shape, path = _line_shape(call), Path(file)
    try:
        with path.open("xb") as out:
            out.write(msgspec.json.format(msgspec.json.encode(shape)) + b"\n")
    except OSError as error:
        raise Malformed("file", f"a new file that can be written ({error.strerror})") from None
    call.tell(shape, _show_line)
    return ExitCode.ANSWERED


@command(checkpoint, "verify", example="muniment checkpoint verify checkpoint.json --key keys.json")
def verify(
    call: CommandCall,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="From `muniment ledger checkpoint --json`.", show_default=False)
    ],
    key: Annotated[
        str,
        typer.Option(
            "--key", metavar="PUB|FILE", help="A public key, or a file of `signing export`.", show_default=False
        ),
    ],
) -> ExitCode:
    """Check a signed checkpoint with public keys alone: no vault is needed. Exit code 1 if it is not genuine."""
    signed = _read_checkpoint(Path(file))
    point = signed.checkpoint
    found: CheckedHeadShape = {
        "ok": checkpointed(signed, _read_keys(key, point.tenant)),
        "tenant": point.tenant,
        "seq": point.seq,
        "key": point.key,
    }
    call.tell(found, _show_checked)
    return ExitCode.ANSWERED if found["ok"] else ExitCode.DAMAGED


def _owner(call: CommandCall, operation: str) -> None:
    if call.config.actor != OWNER:
        raise NotPermitted(call.config.actor, operation)


def _line_shape(call: CommandCall) -> LineShape:
    _owner(call, "list the signing keys")
    spans = key_line(call.place, call.config.tenant).spans
    return {"tenant": call.config.tenant, "keys": [_span_shape(span) for span in spans]}


def _span_shape(span: KeySpan) -> KeySpanShape:
    signed = span.handover
    return {
        "key": span.key,
        "since": span.since,
        "handover": None
        if signed is None
        else {"after": signed.handover.after, "by_old": signed.by_old, "by_new": signed.by_new},
    }


def _rotation_shape(done: Rotation) -> RotationShape:
    return {
        "old": done.old,
        "new": done.new,
        "entries": dict(sorted(done.entries.items())),
        "resumed": done.resumed,
        "destroyed": done.destroyed,
    }


class _Checkpoint(msgspec.Struct, forbid_unknown_fields=True):
    tenant: str
    seq: int
    head: str
    root: str
    receipts: int
    receipts_head: str
    at: str
    key: str
    signature: str
    previous: int = 0


class _Handover(msgspec.Struct, forbid_unknown_fields=True):
    after: str
    by_old: str
    by_new: str


class _Span(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    since: int
    handover: _Handover | None


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    tenant: str
    keys: list[_Span]


def _read(path: Path, field: Literal["file", "key"], expected: str) -> bytes:
    try:
        with open_file(path) as file:
            body = file.read(FILE_BYTES_MAX + 1)
    except (OSError, ValueError):
        raise Malformed(field, f"{expected}; it cannot be read") from None
    if len(body) > FILE_BYTES_MAX:
        raise Malformed(field, f"{expected}, of at most {FILE_BYTES_MAX} bytes")
    return body


def _read_checkpoint(path: Path) -> SignedCheckpoint:
    expected = "a file that `muniment ledger checkpoint --json` wrote"
    try:
        said = decode_json(_read(path, "file", expected), _Checkpoint)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError):
        raise Malformed("file", expected) from None
    for name, number in (("seq", said.seq), ("receipts", said.receipts), ("previous", said.previous)):
        checks.whole(f"file: {name}", number, least=0, most=POSITION_MAX)
    point = Checkpoint(
        tenant=said.tenant,
        seq=said.seq,
        head=said.head,
        root=said.root,
        receipts=said.receipts,
        receipts_head=said.receipts_head,
        at=times.parse(said.at, field="at"),
        key=said.key,
        previous=said.previous,
    )
    return SignedCheckpoint(checkpoint=point, signature=said.signature, peaks=())


def _read_keys(said: str, tenant: str) -> tuple[KeySpan, ...]:
    """A key as such, or from a file that holds one, or the line of keys that `signing export` wrote."""
    expected = "a public key (64 hex digits), a file with one, or a file that `muniment signing export` wrote"
    text = said
    if _HEX.fullmatch(said) is None:
        body = _read(Path(said), "key", expected)
        if body.lstrip()[:1] == b"{":
            return _read_line(body, expected, tenant)
        text = body.decode(errors="replace").strip()
    if _HEX.fullmatch(text) is None:
        raise Malformed("key", expected)
    return (KeySpan(key=text, since=0),)


def _read_line(body: bytes, expected: str, tenant: str) -> tuple[KeySpan, ...]:
    try:
        line_ = decode_json(body, _Line)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError):
        raise Malformed("key", expected) from None
    checks.identifier("key: tenant", line_.tenant)
    if line_.tenant != tenant:
        raise Malformed("key", "the keys of the tenant whose checkpoint it is; they are another's")
    spans: list[KeySpan] = []
    for one in line_.keys:
        checks.whole("key: since", one.since, least=1, most=POSITION_MAX)
        old, signed = spans[-1].key if spans else "", None
        if one.handover is not None:
            said = Handover(tenant=line_.tenant, seq=one.since, after=one.handover.after, old=old, new=one.key)
            signed = SignedHandover(handover=said, by_old=one.handover.by_old, by_new=one.handover.by_new)
        spans.append(KeySpan(key=one.key, since=one.since, handover=signed))
    return tuple(spans)


def _show_rotation(shape: RotationShape) -> RenderableType:
    told = [line(printable(tenant), f"entry {seq}") for tenant, seq in shape["entries"].items()]
    fate = "destroyed" if shape["destroyed"] else "not destroyed: it was to be kept, or is not gone from the disk yet"
    begun = [plain("A rotation that had been cut short was finished.")] if shape["resumed"] else []
    return Group(
        plain(f"The vault has a new signing key: {shape['new']}"),
        line("before", f"{shape['old']} (private half {fate})"),
        *told,
        *begun,
    )


def _show_line(shape: LineShape) -> RenderableType:
    keys = shape["keys"]
    until = [str(after["since"] - 1) for after in keys[1:]] + ["now"] * bool(keys)
    rows = [[one["key"], str(one["since"]), last] for one, last in zip(keys, until, strict=True)]
    return table(("public key", "from entry", "to"), rows)


def _show_checked(shape: CheckedHeadShape) -> RenderableType:
    if shape["ok"]:
        return plain(f"genuine: tenant {printable(shape['tenant'])}, up to entry {shape['seq']}")
    return plain("not genuine: it was altered, or signed with another key than the one in force there")
