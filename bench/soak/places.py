"""The processes of a soak: a server, commands, and a writer that is interrupted and killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from muniment.model.errors import StoreBusy

WAIT_S = 600
LIMITLESS = "rate_per_second = 0\nconcurrent_per_actor = 1000\n"


def environment() -> dict[str, str]:
    """Ours, with the installed model on whatever the tests set."""
    return {**os.environ, "MUNIMENT_EMBEDDER": "auto"}


def command(vault: Path, *words: str, ok: tuple[int, ...] = (0,)) -> Any:
    """Run `muniment` in a process of its own; what it answers in JSON."""
    said = [sys.executable, "-m", "muniment", "--vault", str(vault), *words, "--json"]
    done = subprocess.run(said, capture_output=True, text=True, timeout=WAIT_S, check=False, env=environment())
    if '"code":"store_busy"' in done.stderr:
        raise StoreBusy(f"{words[0]}: the store was busy")
    if done.returncode not in ok:
        raise RuntimeError(f"muniment {words[0]} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout) if done.stdout.strip() else None


class Server:
    """`muniment serve` on the vault."""

    def __init__(self, vault: Path) -> None:
        settings = vault.parent / "serve.toml"
        settings.write_text(LIMITLESS)
        words = ["serve", "--port", "0", "--embedder", "auto", "--log-level", "warning", "--config", str(settings)]
        self._log = (vault.parent / "server.log").open("a")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "muniment", "--vault", str(vault), *words],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=environment(),
        )
        self.url = self._listens()
        self.pid = self._process.pid
        assert self._process.stdout is not None
        threading.Thread(target=self._process.stdout.read, daemon=True).start()

    def _listens(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                return found[0]
        raise RuntimeError(f"the server did not start; see {self._log.name}")

    def stop(self) -> int:
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(WAIT_S)
        self._log.close()
        return code


class Victim:
    """A process that writes. `interrupt` is Ctrl-C, which it survives; `kill` is kill -9."""

    def __init__(self, vault: Path, seed: str, heard: Callable[[list[Any]], None]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.soak.victim", str(vault), seed],
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        self._heard = heard
        self.ready = threading.Event()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if not line.endswith("\n"):
                return  # killed in the middle of a line: nobody was acknowledged anything
            self.ready.set()
            self._heard(json.loads(line))

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End it, and wait until everything it said was heard."""
        self._process.kill()
        self._process.wait(WAIT_S)
        self._listener.join(WAIT_S)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None
