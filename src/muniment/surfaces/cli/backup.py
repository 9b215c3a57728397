"""The commands about copies of a vault: backup, restore, and the archive of one tenant. All for the vault's owner."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TypedDict

import typer
from rich.console import Group, RenderableType

from muniment.engine.copies.archive import Archive, Trailer
from muniment.engine.copies.backup import back_up
from muniment.engine.copies.manifest import BackupManifest, read_manifest
from muniment.engine.copies.restore import RestoreRequest, RestoreResult
from muniment.engine.copies.restore import restore as put_back
from muniment.engine.copies.staging import RestoredTenant
from muniment.engine.copies.transfer import ArchiveImportResult, export_archive, import_archive
from muniment.engine.database import INSTEAD_OF_BACKUP
from muniment.model import times
from muniment.model.actor import OWNER
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import Malformed, NotPermitted
from muniment.surfaces.cli.certified import read_certificate
from muniment.surfaces.cli.confirm import confirmed
from muniment.surfaces.cli.forget import STILL_THERE
from muniment.surfaces.cli.layout import counted, line, table
from muniment.surfaces.cli.output import is_terminal, note, plain, working
from muniment.surfaces.cli.root import CommandCall, app, command, group
from muniment.surfaces.problems import ExitCode, printable

archive = typer.Typer(help="One tenant with its ledger as one file, for any store.", rich_markup_mode="rich")
archive.callback()(group)
app.add_typer(archive, name="archive")

Many = list[str] | None
ArchiveFile = Annotated[str, typer.Argument(metavar="FILE", help="The archive.", show_default=False)]
Erasures = Annotated[
    Many,
    typer.Option("--erasures", metavar="FILE", help="A certificate of an erasure that must not be undone. Repeatable."),
]
SigningKey = Annotated[
    str | None,
    typer.Option("--signing-key", metavar="FILE", help="The private key it was made with.", show_default=False),
]


class CopyShape(TypedDict):
    tenant: str
    seq: int
    hash: str
    at: str
    receipts: int


class BackupShape(TypedDict):
    path: str
    made_at: str
    key: str
    with_keys: bool
    bytes: int
    tenants: list[CopyShape]


class RestoredTenantShape(TypedDict):
    tenant: str
    was: int | None
    backup: int
    seq: int
    hash: str
    ahead: bool
    erasures: list[str]
    records: int
    proposals: int
    holds: list[str]


class RestoredShape(TypedDict):
    vault: str
    aside: str | None
    tenants: list[RestoredTenantShape]


class ArchiveShape(TypedDict):
    file: str
    tenant: str
    seq: int
    hash: str
    key: str
    entries: int
    documents: int
    receipts: int
    checkpoints: int
    certificates: int
    sha256: str


class TakenInShape(TypedDict):
    vault: str
    tenant: str
    seq: int
    hash: str
    handed_over: bool
    erasures: list[str]
    records: int
    proposals: int


@command(app, "backup", example="muniment backup ../backups/monday")
def backup(
    call: CommandCall,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A folder that is not there yet.", show_default=False)],
    with_keys: Annotated[
        bool,
        typer.Option(
            "--with-keys/--without-keys",
            help="Whether the signing key and the API keys go along; without, it can be put back only where they are.",
        ),
    ] = True,
) -> ExitCode:
    """Copy the vault, or with --tenant one tenant of it, while it is written to. The copy is verified from the first
    entry to the last before it gets its name."""
    _owners_alone(call, "back up the vault")
    folder = call.folder(instead=INSTEAD_OF_BACKUP)
    with working("backing up") as progress:
        made = back_up(
            folder,
            _path("path", path),
            tenant=call.said.tenant,
            with_keys=with_keys,
            progress=lambda _, done, __: progress(done),
        )
    call.tell(_backup_shape(path, made), _show_backup)
    return ExitCode.ANSWERED


@command(app, "restore", example="muniment restore ../backups/monday")
def restore(
    call: CommandCall,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The folder of a backup.", show_default=False)],
    erasures: Erasures = None,
    signing_key: SigningKey = None,
    despite_damage: Annotated[
        bool,
        typer.Option("--despite-damage", help="Go on though the present store cannot say what was erased since."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask at a terminal before it is done.")] = False,
) -> ExitCode:
    """Put a backup back: in an empty place, or in the place of what the vault holds, which is set aside. What was
    erased since is erased again. With --tenant only one tenant is put back. Nothing may have the vault open."""
    _owners_alone(call, "restore the vault")
    wish = RestoreRequest(
        backup=_path("path", path),
        vault=call.folder(instead=INSTEAD_OF_BACKUP),
        tenant=call.said.tenant,
        erasures=_certificates(erasures),
        signing_key=_path("signing_key", signing_key) if signing_key is not None else None,
        despite_damage=despite_damage,
    )
    if call.has_vault and not yes and is_terminal(sys.stdin):
        shown = _show_backup(_backup_shape(path, read_manifest(wish.backup)))
        if not confirmed("Put this backup in the place of what the vault holds?", shown):
            note("nothing was changed")
            return ExitCode.ANSWERED
    with working("restoring") as progress:
        done = put_back(wish, progress=lambda _, count, __: progress(count))
    call.tell(_restored_shape(call, done), _show_restored)
    return ExitCode.ANSWERED


@command(archive, "export", example="muniment archive export acme.ndjson --tenant acme")
def give_out(call: CommandCall, file: ArchiveFile) -> ExitCode:
    """Write everything that is true of a tenant to a new file: ledger, documents, receipts, checkpoints, certificates.
    It is not encrypted, whatever the vault is."""
    _owners_alone(call, "export the vault")
    with working("exporting entries") as progress:
        trailer = export_archive(call.place, call.config.tenant, _path("file", file), progress=progress)
    call.tell(_archive_shape(file, trailer), _show_archive)
    return ExitCode.ANSWERED


@command(archive, "import", example="muniment archive import acme.ndjson --vault ./elsewhere --signing-key signing.key")
def take_in(
    call: CommandCall, file: ArchiveFile, signing_key: SigningKey = None, erasures: Erasures = None
) -> ExitCode:
    """Take a tenant in from an archive where there is none of that name. Every hash, commitment and signature is
    checked; the ledger ends where it ended. What certificates named with --erasures say is erased again."""
    _owners_alone(call, "import into the vault")
    with working("importing entries") as progress:
        taken = import_archive(
            call.place,
            _path("file", file),
            tenant=call.said.tenant,
            signing_key=_path("signing_key", signing_key) if signing_key is not None else None,
            erasures=_certificates(erasures),
            progress=progress,
        )
    if not taken.scrubbed:
        note(STILL_THERE)
    call.tell(_taken_shape(call, taken), _show_taken)
    return ExitCode.ANSWERED


@command(archive, "check", example="muniment archive check acme.ndjson")
def check(call: CommandCall, file: ArchiveFile) -> ExitCode:
    """Say whether an archive is whole and signed by the key it names. Needs no vault, and changes nothing."""
    with working("checking lines") as progress:
        _, trailer = Archive(_path("file", file)).check(progress=progress)
    call.tell(_archive_shape(file, trailer), _show_archive)
    return ExitCode.ANSWERED


def _owners_alone(call: CommandCall, operation: str) -> None:
    """A copy knows no gate, so only whoever holds the vault makes one."""
    if call.config.actor != OWNER:
        raise NotPermitted(call.config.actor, operation)


def _certificates(files: Many) -> tuple[SignedCertificate, ...]:
    return tuple(read_certificate(_path("erasures", file)) for file in files or ())


def _path(field: str, text: str) -> Path:
    if not text or "\0" in text:
        raise Malformed(field, "a path: not empty and without NUL")
    return Path(text)


def _backup_shape(path: str, made: BackupManifest) -> BackupShape:
    return {
        "path": printable(path),
        "made_at": times.show(made.made_at),
        "key": made.key,
        "with_keys": made.with_keys,
        "bytes": sum(part.size for part in made.parts),
        "tenants": [
            {
                "tenant": copy.tenant,
                "seq": copy.seq,
                "hash": copy.hash,
                "at": times.show(copy.at),
                "receipts": copy.receipts,
            }
            for copy in made.tenants
        ],
    }


def _restored_shape(call: CommandCall, done: RestoreResult) -> RestoredShape:
    return {
        "vault": call.where,
        "aside": None if done.aside is None else printable(str(done.aside)),
        "tenants": [_back_shape(back) for back in done.tenants],
    }


def _back_shape(back: RestoredTenant) -> RestoredTenantShape:
    return {
        "tenant": back.tenant,
        "was": back.was,
        "backup": back.backup,
        "seq": back.head.seq,
        "hash": back.head.hash.hex(),
        "ahead": back.ahead,
        "erasures": list(back.redone.certificates),
        "records": back.redone.records,
        "proposals": back.redone.proposals,
        "holds": list(back.redone.holds),
    }


def _archive_shape(file: str, trailer: Trailer) -> ArchiveShape:
    return {
        "file": printable(file),
        "tenant": trailer.tenant,
        "seq": trailer.entries,
        "hash": trailer.head,
        "key": trailer.key,
        "entries": trailer.entries,
        "documents": trailer.documents,
        "receipts": trailer.receipts,
        "checkpoints": trailer.checkpoints,
        "certificates": trailer.certificates,
        "sha256": trailer.sha256,
    }


def _taken_shape(call: CommandCall, taken: ArchiveImportResult) -> TakenInShape:
    return {
        "vault": call.where,
        "tenant": taken.head.tenant,
        "seq": taken.head.seq,
        "hash": taken.head.hash.hex(),
        "handed_over": taken.handed_over,
        "erasures": list(taken.redone.certificates),
        "records": taken.redone.records,
        "proposals": taken.redone.proposals,
    }


def _show_backup(shape: BackupShape) -> RenderableType:
    rows = [[one["tenant"], str(one["seq"]), one["hash"][:16], one["at"]] for one in shape["tenants"]]
    return Group(
        plain(f"backup {shape['path']}, {counted(shape['bytes'], 'byte', 'bytes')}, made {shape['made_at']}"),
        line("signed by", shape["key"]),
        line("private keys", "in it; keep it as safe as the vault" if shape["with_keys"] else "not in it"),
        table(("tenant", "entries", "head", "last entry"), rows),
    )


def _show_restored(shape: RestoredShape) -> RenderableType:
    told = [plain(_told(one)) for one in shape["tenants"]]
    aside = [line("set aside", shape["aside"])] if shape["aside"] is not None else []
    return Group(plain(f"restored {shape['vault']}"), *told, *aside)


def _told(one: RestoredTenantShape) -> str:
    """What became of one tenant, in a sentence.

    >>> _told({"tenant": "acme", "was": 120, "backup": 100, "seq": 104, "hash": "", "ahead": True,
    ...        "erasures": ["a", "b", "c"], "records": 7, "proposals": 1, "holds": []})
    'acme: the ledger went back from 120 to 100; 3 erasures were done again (7 records, 1 waiting proposal)'
    """
    parts = [f"{one['tenant']}: {_way(one)}"]
    if one["erasures"]:
        done = counted(len(one["erasures"]), "erasure was", "erasures were")
        parts.append(f"{done} done again ({_taken(one['records'], one['proposals'])})")
    if one["holds"]:
        parts.append(f"{counted(len(one['holds']), 'hold stands', 'holds stand')} again")
    return "; ".join(parts)


def _taken(records: int, proposals: int) -> str:
    waiting = f", {counted(proposals, 'waiting proposal', 'waiting proposals')}" if proposals else ""
    return f"{counted(records, 'record', 'records')}{waiting}"


def _way(one: RestoredTenantShape) -> str:
    if one["was"] is None:
        return f"put back with {counted(one['backup'], 'entry', 'entries')}"
    if not one["ahead"]:
        return f"the ledger stood at {one['was']} and had parted from the backup's, which ends at {one['backup']}"
    if one["was"] == one["backup"]:
        return f"the ledger stood at {one['was']}, as the backup does"
    return f"the ledger went back from {one['was']} to {one['backup']}"


def _show_archive(shape: ArchiveShape) -> RenderableType:
    return Group(
        plain(f"archive {shape['file']} of tenant {shape['tenant']}"),
        line("entries", str(shape["entries"])),
        line("documents", str(shape["documents"])),
        line("receipts", str(shape["receipts"])),
        line("certificates", str(shape["certificates"])),
        line("head", shape["hash"]),
        line("signed by", shape["key"]),
    )


def _show_taken(shape: TakenInShape) -> RenderableType:
    told = f"took in tenant {shape['tenant']}: its ledger stands at {shape['seq']}"
    handed = [line("key", "handed over to this vault's own")] if shape["handed_over"] else []
    again = []
    if shape["erasures"]:
        done = counted(len(shape["erasures"]), "erasure", "erasures")
        again = [line("erased again", f"{done} ({_taken(shape['records'], shape['proposals'])})")]
    return Group(plain(told), line("head", shape["hash"]), *handed, *again)
