"""The commands about encryption at rest: look, make a key, encrypt, change the key, decrypt. No key is ever printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypedDict

import typer
from rich.console import RenderableType

from muniment.engine import encryption as engine
from muniment.engine.database import INSTEAD_OF_ENCRYPTION
from muniment.engine.encryption import EncryptionResult, EncryptionStatus, Progress
from muniment.model.actor import OWNER
from muniment.model.errors import NotPermitted
from muniment.surfaces.cli.confirm import confirmed, must_ask
from muniment.surfaces.cli.layout import counted, pairs
from muniment.surfaces.cli.output import filling, note, plain
from muniment.surfaces.cli.root import CommandCall, app, command, group
from muniment.surfaces.problems import ExitCode, printable

encryption = typer.Typer(help="Encryption at rest: status, key, encrypt, rekey, decrypt.", rich_markup_mode="rich")
encryption.callback()(group)
app.add_typer(encryption, name="encryption")

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask before it is done.")]
_KEYS = {
    "none_needed": "none is needed",
    "fits": "the one that is set opens the vault",
    "missing": "none is set; MUNIMENT_ENCRYPTION_KEY_FILE names the file that holds it",
    "other": "the one that is set is not this vault's",
    "unused": "one is set, and the vault is not encrypted; `muniment encryption encrypt` encrypts it",
}


class EncryptionStatusShape(TypedDict):
    vault: str
    encrypted: bool
    key: str
    tenants: int
    bytes: int


class EncryptionKeyShape(TypedDict):
    file: str


class DoneShape(TypedDict):
    vault: str
    encrypted: bool
    tenants: int
    bytes: int


@command(encryption, "status", example="muniment encryption status")
def status(call: CommandCall) -> ExitCode:
    """Say whether the vault is encrypted and whether the key that is set opens it. Opens nothing."""
    call.tell(_status_shape(call, engine.status(_folder(call))), _show_status)
    return ExitCode.ANSWERED


@command(encryption, "key", example="muniment encryption key /etc/muniment/vault.key")
def key(
    call: CommandCall,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to put it; a file that is not there yet.")],
) -> ExitCode:
    """Make a new key in a file that only its owner can read. Keep a copy elsewhere: without it the vault is lost."""
    engine.make_key(Path(file))
    shape: EncryptionKeyShape = {"file": printable(file)}
    call.tell(shape, lambda told: plain(f"A new key is in {told['file']}. Keep a copy of it away from the vault."))
    return ExitCode.ANSWERED


@command(encryption, "encrypt", example="muniment encryption encrypt --yes")
def encrypt(call: CommandCall, yes: Yes = False) -> ExitCode:
    """Encrypt the vault with the key that is set. Nothing may have the vault open meanwhile.

    Works on copies, so it takes as much room again; a crash leaves the vault either as it was or encrypted.
    """
    return _reseal(
        call,
        yes,
        "Encrypt the vault?",
        lambda progress: engine.encrypt(_folder(call), progress=progress),
        encrypted=True,
    )


@command(encryption, "rekey", example="muniment encryption rekey --new-key-file new.key --yes")
def rekey(
    call: CommandCall,
    new_key_file: Annotated[str, typer.Option("--new-key-file", metavar="FILE", help="The file of the new key.")],
    yes: Yes = False,
) -> ExitCode:
    """Encrypt the vault with a new key; the one that is set opens it no longer. Nothing may have it open meanwhile."""
    return _reseal(
        call,
        yes,
        "Encrypt the vault with the new key?",
        lambda progress: engine.rekey(_folder(call), Path(new_key_file), progress=progress),
        encrypted=True,
    )


@command(encryption, "decrypt", example="muniment encryption decrypt --yes")
def decrypt(call: CommandCall, yes: Yes = False) -> ExitCode:
    """Take the encryption away, with the key that is set. Nothing may have the vault open meanwhile."""
    return _reseal(
        call,
        yes,
        "Decrypt the vault? What it holds can then be read from the disk.",
        lambda progress: engine.decrypt(_folder(call), progress=progress),
        encrypted=False,
    )


def _folder(call: CommandCall) -> Path:
    return call.folder(instead=INSTEAD_OF_ENCRYPTION)


def _reseal(
    call: CommandCall, yes: bool, question: str, work: Callable[[Progress], EncryptionResult], *, encrypted: bool
) -> ExitCode:
    if call.config.actor != OWNER:
        raise NotPermitted(call.config.actor, "change the encryption of a vault")
    _folder(call)
    if must_ask(yes, "change the encryption") and not confirmed(question):
        note("nothing was done")
        return ExitCode.ANSWERED
    with filling("copying bytes") as progress:
        done = work(progress)
    shape: DoneShape = {
        "vault": call.where,
        "encrypted": encrypted,
        "tenants": done.tenants,
        "bytes": done.bytes,
    }
    call.tell(shape, _show_done)
    return ExitCode.ANSWERED


def _status_shape(call: CommandCall, found: EncryptionStatus) -> EncryptionStatusShape:
    return {
        "vault": call.where,
        "encrypted": found.encrypted,
        "key": found.key.value,
        "tenants": found.tenants,
        "bytes": found.bytes,
    }


def _show_status(told: EncryptionStatusShape) -> RenderableType:
    return pairs(
        [
            ("vault", told["vault"]),
            ("encrypted", "yes" if told["encrypted"] else "no"),
            ("key", _KEYS[told["key"]]),
            ("tenants", f"{told['tenants']:,}"),
            ("bytes", f"{told['bytes']:,}"),
        ]
    )


def _show_done(told: DoneShape) -> RenderableType:
    state = "encrypted" if told["encrypted"] else "not encrypted any longer"
    return plain(f"The vault is {state}: {counted(told['tenants'], 'tenant', 'tenants')}, {told['bytes']:,} bytes.")
