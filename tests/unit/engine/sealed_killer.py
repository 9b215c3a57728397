"""Dies at every change of the file system while a vault is encrypted anew, and says after each death what is there.

A fork for each death, so that a start costs no imports. Python tells of each change before it is made; the process
kills itself there. Says the number of changes of a run that is let through, then a line for each death. In the mode
`again` the run is the opening of a vault that was left in the middle.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
from tests.patience import WAIT_S
from tests.unit.engine.sealed import KEY, NEW, TEXT, embed, shown, vectors

from muniment import Memory
from muniment.engine import encryption
from muniment.model.errors import ConfigurationError

TENANTS = ("acme", "zenith")
CHANGES = frozenset({"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.truncate"})
_KEYS: dict[str, tuple[str | None, str | None]] = {
    "encrypt": (None, KEY),
    "rekey": (KEY, NEW),
    "decrypt": (KEY, None),
    "again": (KEY, NEW),
}


class Death(msgspec.Struct):
    """What was found after a death: which key opens the vault, and what is wrong with it."""

    at: int
    killed: bool
    opens: str
    wrong: list[str]


def make(vault: Path, key: str | None) -> None:
    for tenant in TENANTS:
        with Memory.open(vault, tenant=tenant, embedder=embed, encryption_key=key) as memory:
            memory.remember(f"{TEXT} ({tenant})")
            memory.flush(timeout=WAIT_S)


def reseal(mode: str, vault: Path) -> None:
    old, new = _KEYS[mode]
    if mode == "encrypt":
        encryption.encrypt(vault, key=new)
    elif mode == "rekey":
        encryption.rekey(vault, new, key=old)
    else:
        encryption.decrypt(vault, key=old)


def dying(at: int) -> Callable[[str, tuple[object, ...]], None]:
    """Count the changes and die before the one with this number; before none when it is nought."""
    count = 0

    def heard(event: str, told: tuple[object, ...]) -> None:
        nonlocal count
        writes = event == "open" and isinstance(told[2], int) and told[2] & (os.O_WRONLY | os.O_RDWR)
        if event in CHANGES or writes:
            count += 1
            if count == at:
                os.kill(os.getpid(), signal.SIGKILL)
            if not at:
                os.write(2, b".")

    return heard


def forked(work: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run(mode: str, vault: Path, at: int) -> int:
    def work() -> None:
        sys.addaudithook(dying(at))
        if mode == "again":
            Memory.open(vault, tenant=TENANTS[0], create=False, embedder=None, encryption_key=NEW)
        else:
            reseal(mode, vault)

    return forked(work)


def opening(mode: str, vault: Path) -> tuple[str, list[str]]:
    """Which of the two keys opens every tenant, and what is not as it should be."""
    wrong: list[str] = []
    opens = []
    for name, key in zip(("old", "new"), _KEYS[mode], strict=True):
        try:
            for tenant in TENANTS:
                wrong += [] if vectors(vault, tenant, key) == 1 else ["vectors were lost"]
                with Memory.open(vault, tenant=tenant, create=False, embedder=None, encryption_key=key) as memory:
                    wrong += judged(memory, f"{TEXT} ({tenant})")
        except ConfigurationError:
            continue
        opens.append(name)
        if key is not None:
            wrong += sorted(shown(vault))
    wrong += [name for name in os.listdir(vault) if name.startswith(".")]
    return "+".join(opens), wrong


def judged(memory: Memory, text: str) -> list[str]:
    found = [one.record.content for one in memory.recall("marzipanettes").records]
    wrong = [] if found == [text] else [f"recalled {len(found)}"]
    return wrong + [finding.code for finding in memory.ledger.verify().findings]


def cut_short(folder: Path) -> None:
    """Leave behind a vault whose copies are ready and not one of which is in its place."""
    for at in range(1, 1_000):
        vault = folder / f"try-{at}"
        shutil.copytree(folder / "whole", vault)
        run("rekey", vault, at)
        if (vault / ".sealing" / "ready").exists():
            shutil.rmtree(folder / "whole")
            vault.rename(folder / "whole")
            return
        shutil.rmtree(vault)


def main(mode: str, place: str, every: str) -> None:
    folder = Path(place)
    make(folder / "whole", _KEYS[mode][0])
    if mode == "again":
        cut_short(folder)
    shutil.copytree(folder / "whole", folder / "rehearsal")
    errors = os.dup(2)
    out = os.open(folder / "changes", os.O_RDWR | os.O_CREAT)
    os.dup2(out, 2)
    assert run(mode, folder / "rehearsal", 0) == 0
    os.dup2(errors, 2)
    changes = os.fstat(out).st_size
    print(changes, flush=True)
    for at in range(1, changes + 1, int(every)):
        vault = folder / f"at-{at}"
        shutil.copytree(folder / "whole", vault)
        killed = run(mode, vault, at) == -signal.SIGKILL
        opens, wrong = opening(mode, vault)
        print(msgspec.json.encode(Death(at=at, killed=killed, opens=opens, wrong=wrong)).decode(), flush=True)
        shutil.rmtree(vault)


if __name__ == "__main__":
    main(*sys.argv[1:])
