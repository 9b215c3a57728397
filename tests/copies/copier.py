"""Processes that copy a vault or put it back, and die at a touch of the file system that they are told.

An order is `JOB FOLDER TOUCH`: in FOLDER are a vault and, for `restore`, a backup. Touches below it are counted from
one; zero is never met. Says how many there were, if the job lived to its end, and then `end STATUS`.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from muniment.engine.copies.backup import back_up
from muniment.engine.copies.restore import RestoreRequest, restore

TOUCHES = ("open", "os.", "shutil.")


class Counted:
    """Counts what is done below a folder, and ends the process at one of them."""

    def __init__(self, folder: Path, at: int) -> None:
        self._folder, self._at = str(folder), at
        self.count = 0

    def __call__(self, event: str, about: tuple[object, ...]) -> None:
        if event.startswith(TOUCHES) and any(str(one).startswith(self._folder) for one in about):
            self.touch()

    def touch(self) -> None:
        self.count += 1
        if self.count == self._at:
            os.kill(os.getpid(), signal.SIGKILL)


def run(job: str, folder: Path, at: int) -> None:
    counted = Counted(folder, at)
    sys.addaudithook(counted)
    if job == "backup":
        back_up(folder / "vault", folder / "copy", progress=lambda what, done, whole: counted.touch())
    else:
        restore(
            RestoreRequest(backup=folder / "copy", vault=folder / "vault"),
            progress=lambda what, done, whole: counted.touch(),
        )
    os.write(1, f"{counted.count}\n".encode())


def main() -> None:
    for order in sys.stdin:
        job, folder, at = order.split()
        child = os.fork()
        if child == 0:
            run(job, Path(folder), int(at))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        os.write(1, f"end {status}\n".encode())


if __name__ == "__main__":
    main()
