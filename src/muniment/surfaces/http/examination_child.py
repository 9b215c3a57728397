"""An examined server in a process of its own: the command `serve`, until whoever started it is gone."""

from __future__ import annotations

import os
import signal
import sys
import threading

from muniment.surfaces.cli import run


def _watch() -> None:
    """End the server when its standard input closes: nothing is left behind by a server that was killed."""
    while os.read(sys.stdin.fileno(), 1024):
        continue
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=_watch, daemon=True).start()
    sys.exit(run(["serve", "--config", sys.argv[1]]))
