"""The commands about proof: the ledger's (show, head, checkpoint, verify, replay); the policy's (check, put, show)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from muniment.config.files import open_file
from muniment.engine import VerificationResult
from muniment.engine.audit import VerificationState, verify_vault
from muniment.engine.place import Folder
from muniment.engine.policies import policy_file
from muniment.engine.vault import default_policy_text, policy_text, put_policy, read_policy
from muniment.model import checks, times
from muniment.model.actor import OWNER
from muniment.model.decoding import decode_json
from muniment.model.entry import LedgerHead, VerifyFinding
from muniment.model.errors import IntegrityError, Malformed, MunimentError, NotPermitted, SchemaMismatch
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Policy
from muniment.surfaces.cli import show
from muniment.surfaces.cli.output import working, write_json, write_text
from muniment.surfaces.cli.proofs import (
    PolicyCheckShape,
    PolicyShape,
    checkpoint_shape,
    entries_shape,
    head_shape,
    replay_shape,
    trimmed_shape,
    verified_shape,
)
from muniment.surfaces.cli.root import CommandCall, command, ledger, policy
from muniment.surfaces.problems import ExitCode, printable

POSITION_MAX = 2**53
ANCHOR_BYTES_MAX = 65_536


@command(ledger, "show", example="muniment ledger show --first 10 --limit 5")
def show_entries(
    call: CommandCall,
    first: Annotated[int | None, typer.Option("--first", help="From this entry on.")] = None,
    last: Annotated[int | None, typer.Option("--last", help="Up to this entry.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="At most so many.")] = 50,
) -> ExitCode:
    """Show entries of the ledger, oldest first: the newest ones, unless --first says where to begin."""
    checks.whole("limit", limit, least=1, most=10_000)
    for name, value in (("first", first), ("last", last)):
        if value is not None:
            checks.whole(name, value, least=1, most=POSITION_MAX)
    with call.memory() as memory:
        end = min(last or POSITION_MAX, memory.ledger.head().seq)
        begin = first if first is not None else max(1, end - limit + 1)
        entries = memory.ledger.entries(begin, min(end, begin + limit - 1))
    call.tell(entries_shape(entries), show.entries)
    return ExitCode.ANSWERED


@command(ledger, "head", example="muniment ledger head > head.json")
def head(call: CommandCall) -> ExitCode:
    """Print where the ledger stands, as JSON. Keep it elsewhere: `ledger verify --anchor` reads it back."""
    with call.memory() as memory:
        found = memory.ledger.head()
    write_json(head_shape(found))
    return ExitCode.ANSWERED


@command(ledger, "checkpoint", example="muniment ledger checkpoint --json")
def checkpoint(call: CommandCall) -> ExitCode:
    """Sign where the ledger stands now."""
    with call.memory() as memory:
        signed = memory.ledger.checkpoint()
    call.tell(checkpoint_shape(signed), show.checkpoint)
    return ExitCode.ANSWERED


@command(ledger, "verify", example="muniment ledger verify --anchor head.json")
def verify(
    call: CommandCall,
    anchor: Annotated[
        str | None, typer.Option("--anchor", metavar="FILE", help="A head kept elsewhere, from `ledger head`.")
    ] = None,
) -> ExitCode:
    """Check everything against everything. Exit code 0 if nothing is wrong, 1 if something is, 5 if the ledger is sound
    and a restore put it back to before the anchor, 6 if another release of Muniment wrote the store."""
    kept = _read_anchor(Path(anchor), call.config.tenant) if anchor is not None else None
    found = _verified(call, kept)
    call.tell(verified_shape(found), show.verified)
    return _EXIT[found.state]


def _verified(call: CommandCall, anchor: LedgerHead | None) -> VerificationResult:
    """Verify; a store too damaged to be opened, or to be checked to the end, is a finding like any other."""
    try:
        with call.memory() as memory, working("checking entries") as progress:
            return memory.ledger.verify(anchor=anchor, progress=progress)
    except SchemaMismatch:
        raise
    except IntegrityError as error:
        if call.config.actor == OWNER:  # too damaged to work with; whoever holds the vault may still have it checked
            return verify_vault(call.place, call.config.tenant, anchor=anchor)
        return _damaged(VerifyFinding(code="store_damaged", message=str(error), seq=getattr(error, "seq", None)))
    except (MunimentError, OSError):
        raise
    except Exception as error:
        if call.debug:
            raise
        # Whoever checks a store must learn that it did not pass, even when the check itself fell over it.
        message = f"the check fell over what is stored ({type(error).__name__}); --debug shows where"
        return _damaged(VerifyFinding(code="check_failed", message=message))


def _damaged(finding: VerifyFinding) -> VerificationResult:
    return VerificationResult(ok=False, entries=0, receipts=0, findings=(finding,), head=None)


@command(ledger, "trim", example="muniment ledger trim --older-than 90")
def trim(
    call: CommandCall,
    older_than: Annotated[
        float | None,
        typer.Option(
            "--older-than", metavar="DAYS", help="Receipts older than so many days (or MUNIMENT_RECEIPTS_DAYS)."
        ),
    ] = None,
    keep_bytes: Annotated[
        int | None,
        typer.Option(
            "--keep-bytes",
            metavar="N",
            help="The oldest, until the others take no more than so many bytes (or MUNIMENT_RECEIPTS_BYTES).",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say how many, and change nothing.")] = False,
) -> ExitCode:
    """Take from old receipts everything but who was told what and when. They can no longer be decided again; the log
    still verifies. Without options the settings decide; without those the call is refused."""
    if older_than is None and keep_bytes is None:
        older_than, keep_bytes = call.config.receipts_days, call.config.receipts_bytes
    with call.memory() as memory, working("trimming receipts") as progress:
        done = memory.ledger.trim(older_than_days=older_than, keep_bytes=keep_bytes, dry_run=dry_run, progress=progress)
    call.tell(trimmed_shape(done, dry_run=dry_run), show.trimmed)
    return ExitCode.ANSWERED


@command(ledger, "replay", example="muniment ledger replay")
def replay(call: CommandCall) -> ExitCode:
    """Rebuild every table from the ledger and say whether anything was different."""
    with call.memory() as memory, working("rebuilding from entries") as progress:
        rebuilt = memory.ledger.replay(progress=progress)
    call.tell(replay_shape(rebuilt), show.rebuilt)
    return ExitCode.ANSWERED


_EXIT = {
    VerificationState.SOUND: ExitCode.ANSWERED,
    VerificationState.RESTORED: ExitCode.RESTORED,
    VerificationState.DAMAGED: ExitCode.DAMAGED,
}


class _Anchor(msgspec.Struct, forbid_unknown_fields=True):
    tenant: str
    seq: int
    hash: str
    at: str
    receipts: int = 0
    receipts_head: str = ""
    checkpoint: int = 0


def _read_anchor(path: Path, tenant: str) -> LedgerHead:
    """Read back what `ledger head` printed, and nothing else."""
    expected = "a file that `muniment ledger head` wrote"
    try:
        with open_file(path) as file:
            kept = decode_json(file.read(ANCHOR_BYTES_MAX), _Anchor)
    except OSError as error:
        raise Malformed("anchor", f"a file that can be read ({error.strerror})") from None
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError):
        raise Malformed("anchor", expected) from None
    if re.fullmatch("[0-9a-f]{64}", kept.hash) is None:
        raise Malformed("anchor", f"{expected}; its hash is not one")
    checks.whole("anchor.seq", kept.seq, least=1, most=POSITION_MAX)
    checks.whole("anchor.receipts", kept.receipts, least=0, most=POSITION_MAX)
    checks.whole("anchor.checkpoint", kept.checkpoint, least=0, most=POSITION_MAX)
    if kept.tenant != tenant:
        raise Malformed("anchor", "the head of this tenant; it is another's")
    at = times.parse(kept.at, field="anchor.at")
    return LedgerHead(
        tenant=kept.tenant,
        seq=kept.seq,
        hash=bytes.fromhex(kept.hash),
        at=at,
        receipts=kept.receipts,
        receipts_head=kept.receipts_head,
        checkpoint=kept.checkpoint,
    )


@command(policy, "check", example="muniment policy check policy.yaml")
def check_policy(
    call: CommandCall,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A YAML or TOML policy.", show_default=False)],
) -> ExitCode:
    """Check a policy file without using it. Exit code 2 with the line number if it is wrong."""
    found = read_policy(Path(file))
    call.tell(_policy_check_shape(file, found), show.policy_check)
    return ExitCode.ANSWERED


@command(policy, "put", example="muniment policy put policy.yaml --vault postgresql://db/prod")
def put_policy_(
    call: CommandCall,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A YAML or TOML policy.", show_default=False)],
) -> ExitCode:
    """Let a file be the vault's own policy. It counts wherever the vault is opened from now on; a server that runs goes
    on with the policy it began with until it is started again. For the vault's owner."""
    if call.config.actor != OWNER:
        raise NotPermitted(call.config.actor, "change the policy")
    found = put_policy(call.place, Path(file))
    call.tell(_policy_check_shape(file, found), show.policy_put)
    return ExitCode.ANSWERED


def _policy_check_shape(file: str, found: Policy) -> PolicyCheckShape:
    return {
        "ok": True,
        "file": printable(file),
        "name": found.name,
        "write": len(found.write),
        "read": len(found.read),
        "review": len(found.review),
    }


@command(policy, "show", example="muniment policy show > policy.yaml")
def show_policy(
    call: CommandCall,
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A policy file.", show_default=False)] = None,
) -> ExitCode:
    """Show a policy: the file's, or the vault's, or without a vault the default."""
    source, name, text = _policy_in_force(call, file)
    found = parse_policy(text, place=name)
    if call.as_json:
        shape: PolicyShape = {"source": source, "policy": msgspec.to_builtins(found)}
        write_json(shape)
    else:
        write_text(text)
    return ExitCode.ANSWERED


def _policy_in_force(call: CommandCall, file: str | None) -> tuple[str, str, str]:
    """The policy that is asked for: what to call it, the name of its file, and its text."""
    named = file if file is not None else call.config.policy
    if named is not None:
        return printable(named), *policy_file(Path(named))
    if not call.has_vault:
        return "default", "default.yaml", default_policy_text()
    name, text = policy_text(call.place)
    return f"{call.where}/{name}" if isinstance(call.place, Folder) else f"{name} in {call.where}", name, text
