"""The witness: a folder outside the vault that remembers where each ledger stood, so that an older copy is noticed.

Everything inside a vault can be put back to an earlier state together. What stands in another folder, on another disk
or under another user's rights, cannot be, and a ledger that is shorter than what was seen there is refused.

A witness is told after a commit and never before, so it may trail the ledger and never leads it. It moves forward
only, and only to a head whose chain goes through the one it saw last.
"""

from __future__ import annotations

from pathlib import Path

from muniment.backends.clock_and_ids import replace_file
from muniment.backends.permits import Permits
from muniment.backends.sqlite.store import SUFFIX, file_name
from muniment.backends.vectors.lock import FileLock
from muniment.config import AS_SET, read_environment
from muniment.engine.place import Folder, Place, Said, place_of
from muniment.ledger.chain import link
from muniment.model.entry import VerifyFinding
from muniment.model.errors import (
    ConfigurationError,
    IntegrityError,
    LedgerBroken,
    MunimentError,
    StoreBusy,
    StoreUnavailable,
)
from muniment.model.times import Instant
from muniment.model.value import Value, canonical, read_canonical
from muniment.ports.store import Snapshot, TenantStore

EVERY = 1_000_000
"""The least time between two tellings of writes, in microseconds: what a witness costs does not grow with the load."""
_BYTES_MAX = 65_536


class Sight(Value):
    """Where a ledger and its receipt log stood, and which checkpoint was the last, when the witness was told."""

    v: int = 1
    tenant: str
    seq: int
    hash: str
    receipts: int
    receipts_hash: str
    checkpoint: int
    at: Instant


class Witness:
    """What one folder remembers of one tenant's ledger."""

    def __init__(self, folder: Path, tenant: str) -> None:
        if not folder.is_dir():
            raise ConfigurationError(
                "MUNIMENT_WITNESS",
                "the folder is not there; it is not made here, because a disk that is missing must not pass for an "
                "empty one",
                hint="Make the folder, or mount what it is on, or unset the setting.",
            )
        self._tenant = tenant
        self._path = folder / f"{file_name(tenant).removesuffix(SUFFIX)}.json"
        self._lock = FileLock(self._path.with_suffix(".lock"))
        self._telling = Permits(1)
        self._told = -(2**63)
        self._trouble: MunimentError | None = None

    def remembered(self) -> Sight | None:
        """What was seen last; None before anything was."""
        try:
            with self._path.open("rb") as file:
                sight = read_canonical(file.read(_BYTES_MAX), Sight)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreUnavailable(f"the witness cannot be read: {error.strerror}") from None
        if sight.tenant != self._tenant:
            raise IntegrityError("the witness's file is about another tenant")
        return sight

    def findings(self, snapshot: Snapshot) -> list[VerifyFinding]:
        """In what a ledger contradicts what was seen of it."""
        try:
            sight = self.remembered()
        except MunimentError as error:
            return [VerifyFinding(code="witness_unreadable", message=str(error))]
        found = [] if sight is None else _contradictions(sight, snapshot)
        if self._trouble is not None:
            found.append(VerifyFinding(code="witness_behind", message=str(self._trouble)))
        return found

    def admit(self, store: TenantStore, now: Instant) -> None:
        """Refuse a ledger that contradicts what was seen of it; else remember where it stands."""
        with store.read() as snapshot:
            sight = self.remembered()
            found = [] if sight is None else _contradictions(sight, snapshot)
            if found:
                refusal = LedgerBroken(found[0].message, seq=found[0].seq)
                refusal.hint = (
                    "The vault is older than what was seen of it, or another one. Run `muniment ledger verify`; "
                    "restore a newer copy. If an older one is meant, take "
                    f"{self._path.name} out of the witness's folder."
                )
                raise refusal
            self._remember(snapshot, now)
        self._told = now

    def saw(self, store: TenantStore, now: Instant, *, at_once: bool = False) -> None:
        """Be told that the ledger has moved. What was written is kept whatever becomes of the telling: trouble with it
        is kept too, for `settled` and for `verify`."""
        if now - self._told < EVERY and not at_once:
            return
        permit = self._telling.take(timeout=None if at_once else 0.0)
        if permit is None:
            return  # another thread is at it
        try:
            with store.read() as snapshot:
                self._remember(snapshot, now)
            self._told, self._trouble = now, None
        except (StoreUnavailable, IntegrityError) as error:
            self._trouble = error
        finally:
            permit.give_back()

    def settled(self) -> None:
        """Raise what went wrong with the last telling, if it did."""
        if self._trouble is not None:
            raise self._trouble

    def reset(self, snapshot: Snapshot, now: Instant) -> None:
        """Begin anew with where a ledger stands now, whatever was seen before: the way back for whoever restores an
        older copy on purpose."""
        with self._lock.briefly():
            self._write(_sight(snapshot, now))

    def _remember(self, snapshot: Snapshot, now: Instant) -> None:
        try:
            with self._lock.briefly():
                seen, here = self.remembered(), _sight(snapshot, now)
                if seen is not None and (seen.seq, seen.receipts, seen.checkpoint) == (
                    here.seq,
                    here.receipts,
                    here.checkpoint,
                ):
                    return
                if seen is None or _goes_on(seen, here, snapshot):
                    self._write(here)
        except OSError as error:
            raise StoreUnavailable(f"the witness cannot be told: {error.strerror}") from None
        except StoreBusy:
            raise StoreUnavailable("another process has held the witness for too long") from None

    def _write(self, sight: Sight) -> None:
        replace_file(self._path, canonical(sight).decode() + "\n", mode=0o600)


def _sight(snapshot: Snapshot, now: Instant) -> Sight:
    head, last = snapshot.ledger.head(), snapshot.ledger.last_checkpoint()
    assert head is not None, "a ledger begins with its genesis"
    receipts, receipts_hash = snapshot.receipts.head()
    return Sight(
        tenant=head.tenant,
        seq=head.seq,
        hash=head.hash.hex(),
        receipts=receipts,
        receipts_hash=receipts_hash.hex(),
        checkpoint=last.checkpoint.seq if last is not None else 0,
        at=now,
    )


def _goes_on(seen: Sight, here: Sight, snapshot: Snapshot) -> bool:
    """Whether the chain leads from what was seen to here. False when somebody else has told of more already."""
    if here.seq < seen.seq or here.receipts < seen.receipts:
        return False
    before = bytes.fromhex(seen.hash)
    for stored in snapshot.ledger.entries(seen.seq, here.seq):
        follows = stored.hash == (before if stored.seq == seen.seq else link(before, stored.body))
        if not follows:
            raise LedgerBroken(f"entry {stored.seq} does not follow from what the witness saw", seq=stored.seq)
        before = stored.hash
    return True


def _contradictions(sight: Sight, snapshot: Snapshot) -> list[VerifyFinding]:
    head, last = snapshot.ledger.head(), snapshot.ledger.last_checkpoint()
    seq = head.seq if head is not None else 0
    found: list[VerifyFinding] = []
    if seq < sight.seq:
        message = f"the witness saw {sight.seq} entries, the ledger ends at {seq}"
        found.append(VerifyFinding(code="ledger_rolled_back", message=message, seq=seq))
    else:
        stored = snapshot.ledger.entry(sight.seq)
        if stored is None or stored.hash.hex() != sight.hash:
            message = f"entry {sight.seq} is not the one that the witness saw"
            found.append(VerifyFinding(code="head_differs", message=message, seq=sight.seq))
    receipts, receipts_hash = snapshot.receipts.head()
    if receipts < sight.receipts:
        message = f"the witness saw {sight.receipts} receipts, the log has {receipts}"
        found.append(VerifyFinding(code="receipts_truncated", message=message))
    elif receipts == sight.receipts and receipts_hash.hex() != sight.receipts_hash:
        message = f"receipt {receipts} is not the one that the witness saw"
        found.append(VerifyFinding(code="receipt_altered", message=message))
    if (last.checkpoint.seq if last is not None else 0) < sight.checkpoint:
        message = f"the witness saw a checkpoint at entry {sight.checkpoint}, which is gone"
        found.append(VerifyFinding(code="checkpoint_missing", message=message, seq=sight.checkpoint))
    return found


def witness_of(vault: Said, tenant: str, said: str | Path | None = AS_SET) -> Witness | None:
    """The witness of a tenant: in the folder that is named, else in the one the environment names, else none."""
    chosen = read_environment().witness if said == AS_SET else said
    if chosen is None:
        return None
    folder = Path(chosen).expanduser()
    if _within(place_of(vault), folder.resolve()):
        raise ConfigurationError(
            "MUNIMENT_WITNESS", "a folder outside the vault: what is inside goes back with the vault"
        )
    return Witness(folder, tenant)


def _within(place: Place, folder: Path) -> bool:
    """Whether a folder is the vault's, or a part of it. No folder is a part of a database."""
    if not isinstance(place, Folder):
        return False
    here = place.path.resolve()
    return here == folder or here in folder.parents
