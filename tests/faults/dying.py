"""Kills a process at each call to the disk that a deed makes, and looks at what it left behind."""

from __future__ import annotations

import base64
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from tests.faults.deeds import LATER, ON_A_FOLDER, SECRET_WORD, aged, backup_of, opened, perform, reopened
from tests.patience import WAIT_S
from tests.support.vfs import Call, Recorder, watched_disk

from muniment.engine.copies.restore import RestoreRequest, restore
from muniment.engine.marker import check_of
from muniment_store_conformance.contents import Contents, contents

ROOT = Path(__file__).parents[2]
ERASING = ("forget",)
SIGNING = ("forget", "close")
"""Deeds that sign a checkpoint apart from what they do: it may be there or not."""
MAKING = ("make", "migrate")
NEEDLES = tuple(
    form
    for word in (SECRET_WORD, SECRET_WORD.lower(), SECRET_WORD.upper())
    for form in (
        word.encode(),
        word.encode("utf-16-le"),
        word.encode("utf-16-be"),
        base64.b64encode(word.encode())[:12],
    )
)


@dataclass(frozen=True)
class Rehearsal:
    """A deed done once in peace: what was there before and after, and every call to the disk in between, and those of
    the opening before."""

    before: Contents | None
    after: Contents
    opening: tuple[Call, ...]
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Death:
    """How a process ended, and what it had said."""

    killed: bool
    acked: bool
    failed: str | None


class Victims:
    """Starts processes one after another, each with the call at which it is to die."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.victim"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def kill(self, vault: Path, deed: str, at: int, *, torn: bool) -> Death:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(f"{vault} {deed} {at} {'torn' if torn else 'whole'}\n")
        self._parent.stdin.flush()
        said: list[str] = []
        while not (said and said[-1].startswith("end ")):
            line = self._parent.stdout.readline()
            assert line, "the parent of the victims is gone"
            said.append(line.strip())
        status = int(said[-1].split()[1])
        assert status in (0, signal.SIGKILL), f"{deed} at call {at} ended with {status}: it hung or broke"
        failed = next((line.split()[1] for line in said if line.startswith("failed ")), None)
        return Death(killed=status != 0, acked="ack" in said, failed=failed)

    def end(self) -> None:
        self._parent.communicate(timeout=WAIT_S)


def prepare(deed: str, vault: Path, template: Path) -> None:
    """Put a copy of the template where a deed is to be done."""
    for left in vault.parent.glob(f"*{vault.name}*"):
        shutil.rmtree(left)
    if deed == "make":
        return
    shutil.copytree(template, vault)
    if deed == "migrate":
        aged(vault)
    if deed == "restore":
        perform("backup", vault, lambda: None, lambda _: None)
        with opened(vault, seed=5, start=LATER) as memory:
            memory.remember("written since the backup", proposal_id="p-since")


def rehearse(deed: str, vault: Path, template: Path) -> Rehearsal:
    """Do a deed without disturbance and take note of everything."""
    prepare(deed, vault, template)
    before = None if deed in MAKING else look(vault)
    prepare(deed, vault, template)
    seen = Recorder()
    start: list[int] = []
    with watched_disk(seen):
        memory = perform(deed, vault, lambda: start.append(len(seen.calls)), lambda _: None)
        end = len(seen.calls)
        if deed != "close" and memory is not None:
            memory._session.tenant.store.close()
    opening, calls = seen.calls[: start[0]], seen.calls[start[0] : end]
    return Rehearsal(before=before, after=look(vault), opening=tuple(opening), calls=tuple(calls))


def look(vault: Path) -> Contents:
    """What a vault holds, which must verify, be whole and be open to a new write."""
    memory = reopened(vault, seed=3, start=LATER)
    try:
        found = contents(memory._session.tenant.store)
        verified = memory.ledger.verify()
        assert verified.findings == ()
        return found
    finally:
        memory._session.tenant.indexer.close()
        memory._session.tenant.store.close()


def check(deed: str, vault: Path, rehearsal: Rehearsal, death: Death) -> str:
    """What a death left is what was there before or what was to be, and the latter if anybody was told so. Says which
    of the two."""
    found = look(vault)
    assert death.failed is None, f"{deed} failed with {death.failed} though nothing was refused"
    done = _same(deed, found, rehearsal.after) and (deed != "encrypt" or check_of(vault) is not None)
    if death.acked or not death.killed:
        assert done, "an acknowledged deed is lost"
    if not done and rehearsal.before is not None:
        assert _same(deed, found, rehearsal.before), "what is there is neither what was nor what was to be"
    if done and deed in ERASING:
        assert traces(vault) == [], "what was erased can be read in the files"
    if deed == "encrypt" and done:
        assert _readable(vault, (b"keeper", SECRET_WORD.encode())) == [], "a vault that is encrypted shows a word"
    if deed in ON_A_FOLDER and not (deed == "encrypt" and done):
        _go_on(deed, vault, rehearsal)
    return "done" if done else "not done"


def _go_on(deed: str, vault: Path, rehearsal: Rehearsal) -> None:
    """Do a deed that was cut short again: it comes to its end, whatever the first attempt left, and leaves no more."""
    if deed == "backup" and backup_of(vault).exists():
        copy = vault.with_name(f"{vault.name}-again")
        restore(RestoreRequest(backup=backup_of(vault), vault=copy))
        assert look(copy).cards == rehearsal.after.cards, "a backup that is there is whole"
        shutil.rmtree(copy)
        shutil.rmtree(backup_of(vault))
    perform(deed, vault, lambda: None, lambda _: None)
    look(vault)
    drafts = [path.name for path in vault.parent.iterdir() if path.name.startswith(".")]
    assert drafts == [], "what an attempt that was cut short left is taken away by the next"


def _same(deed: str, found: Contents, wanted: Contents) -> bool:
    if deed in ("make", "rotate"):  # a key is another one each time
        return len(found.entries) == len(wanted.entries)
    if deed == "restore":  # what it writes itself has names of its own each time
        return [row.id for row in found.proposals] == [row.id for row in wanted.proposals]
    if deed in SIGNING:
        return replace(found, checkpoints=()) == replace(wanted, checkpoints=())
    return found == wanted


def traces(vault: Path) -> list[str]:
    """The files below a folder in which the erased word can be read in some form."""
    return _readable(vault, NEEDLES)


def _readable(vault: Path, needles: tuple[bytes, ...]) -> list[str]:
    return [
        str(path.relative_to(vault))
        for path in sorted(vault.rglob("*"))
        if path.is_file() and any(needle in path.read_bytes() for needle in needles)
    ]
