"""A server that is killed under load: what was acknowledged is there, and every notice is heard exactly once."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.patience import WAIT_S
from tests.surfaces.http.agents import (
    Line,
    answered,
    message,
    number_at,
    record,
    register,
    socket,
    socket_url,
    subscribe,
    unit,
)
from websockets.exceptions import ConnectionClosed

WRITERS = 4
ENOUGH = 60
"""The server is killed once so many units were acknowledged."""


@contextmanager
def process(vault: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and its address."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    command = [sys.executable, "-m", "muniment", "--vault", str(vault), "serve", "--port", "0", "--embedder", "none"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=kept) as found:
        try:
            assert found.stdout is not None
            first = found.stdout.readline()
            address = re.search(r"http://\S+", first)
            assert address is not None, first
            yield found, address[0]
        finally:
            found.kill()


class Writers:
    """Agents that record without pause, and what was acknowledged to them."""

    def __init__(self, url: str) -> None:
        self.acknowledged: list[str] = []
        self.enough = threading.Event()
        self._url = url
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(WRITERS)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join(timeout=WAIT_S)
            assert not thread.is_alive()

    def _write(self, number: int) -> None:
        with httpx.Client(base_url=self._url, timeout=WAIT_S) as client:
            for turn in range(10_000):
                try:
                    self.acknowledged.append(record(client, "ana", f"Writer {number} saw cart {turn} arrive"))
                except httpx.HTTPError:
                    return
                if len(self.acknowledged) >= ENOUGH:
                    self.enough.set()


def heard_until_it_breaks(line: Line, heard: list[str]) -> int:
    """Listen until the line breaks; where to resume."""
    while True:
        try:
            frame = line.next()
        except (ConnectionClosed, EOFError):
            return line.cursor
        heard += [str(notice.memory_unit_id) for notice in frame.notices]


@pytest.mark.slow
def test_a_killed_server_loses_nothing_acknowledged_and_repeats_no_notice(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    heard: list[str] = []
    with process(vault) as (server, url), httpx.Client(base_url=url, timeout=WAIT_S) as client:
        register(client, "ana", "ben")
        after = number_at(subscribe(client, "ben"), "epoch")
        writers = Writers(url)
        with socket(socket_url(url, agent_id="ben", after=after)) as (line, _):
            line.next()
            writers.start()
            assert writers.enough.wait(WAIT_S)
            server.send_signal(signal.SIGKILL)
            cursor = heard_until_it_breaks(line, heard)
        writers.join()
    with process(vault) as (_, url), httpx.Client(base_url=url, timeout=WAIT_S) as client:
        last = answered(client, message("RECORD", "ana", unit("The last cart has arrived")))
        with socket(socket_url(url, agent_id="ben", after=cursor)) as (line, _):
            heard += line.until(number_at(last, "epoch"))
    assert len(heard) == len(set(heard)), "a notice was heard twice"
    assert {*writers.acknowledged, str(last["memory_unit_id"])} <= set(heard), "an acknowledged unit was not heard of"
    assert len(set(heard) - set(writers.acknowledged)) <= WRITERS + 1, "more was heard of than was ever under way"
