"""`muniment mcp` as a process: what it writes where, how it ends, and who it lets act."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from tests.patience import WAIT_S
from tests.surfaces.mcp.talking import LEGACY, MODERN, started, talking
from tests.surfaces.shell import outside

from muniment import Memory
from muniment.engine.session import window
from muniment.surfaces.mcp.stdin_lines import LINE_BYTES_MAX

OPENING = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


def call(number: int, name: str, **arguments: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


class Wire:
    """The two ends of the process's streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self._to, self._from = process, process.stdin, process.stdout

    def send(self, message: dict[str, object] | bytes) -> None:
        self._to.write((message if isinstance(message, bytes) else msgspec.json.encode(message)) + b"\n")
        self._to.flush()

    def hear(self) -> Any:
        return msgspec.json.decode(self._from.readline())

    def ask(self, message: dict[str, object]) -> Any:
        self.send(message)
        return self.hear()


@pytest.fixture
def wire(vault: Path) -> Any:
    """A server to which the test speaks line by line."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    with subprocess.Popen(
        [sys.executable, "-m", "muniment", "mcp", "--vault", str(vault), "--tools", "all"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**ours, "MUNIMENT_EMBEDDER": "none"},
    ) as process:
        try:
            yield Wire(process)
        finally:
            if process.poll() is None:
                process.kill()


def test_standard_output_carries_the_protocol_alone_and_the_end_of_input_ends_it(wire: Wire, vault: Path) -> None:
    assert wire.ask(OPENING)["result"]["serverInfo"]["name"] == "muniment"
    wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    said = wire.ask(call(1, "remember", content="The nightly build takes 40 minutes"))

    out, err = wire.process.communicate(timeout=WAIT_S)

    assert said["result"]["structuredContent"]["outcome"] == "committed"
    assert (wire.process.returncode, out) == (0, b"")
    assert err.decode().splitlines() == [f"made a new vault at {vault}"]
    with Memory.open(vault) as memory:
        assert memory.get(said["result"]["structuredContent"]["record_id"]).record.actor == "owner"
        assert memory.ledger.verify().ok


@pytest.mark.sampled(1)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_with_everything_kept_and_signed(how: signal.Signals, wire: Wire, vault: Path) -> None:
    wire.ask(OPENING)
    said = wire.ask(call(1, "remember", content="The nightly build takes 40 minutes"))

    wire.process.send_signal(how)
    code = wire.process.wait(timeout=WAIT_S)

    assert code == 0
    with Memory.open(vault) as memory:
        assert memory.get(said["result"]["structuredContent"]["record_id"]).standing.status == "active"
        with window(memory) as snapshot:
            signed = snapshot.ledger.last_checkpoint()
        assert signed is not None
        assert signed.checkpoint.seq == memory.ledger.head().seq


def test_killed_it_has_kept_what_it_acknowledged(wire: Wire, vault: Path) -> None:
    wire.ask(OPENING)
    said = wire.ask(call(1, "remember", content="The nightly build takes 40 minutes"))

    wire.process.kill()
    wire.process.wait(timeout=WAIT_S)

    with Memory.open(vault) as memory:
        assert memory.get(said["result"]["structuredContent"]["record_id"]).record.content.startswith("The nightly")
        assert memory.ledger.verify().ok


def test_a_client_that_reads_no_more_ends_it_cleanly(wire: Wire, vault: Path) -> None:
    wire.ask(OPENING)
    said = wire.ask(call(1, "remember", content="The nightly build takes 40 minutes"))
    assert wire.process.stdout is not None
    assert wire.process.stderr is not None
    wire.process.stdout.close()

    wire.send(call(2, "remember", content="The build is green on Sundays"))
    code = wire.process.wait(timeout=WAIT_S)

    assert (code, wire.process.stderr.read().decode().splitlines()) == (0, [f"made a new vault at {vault}"])
    with Memory.open(vault) as memory:
        assert memory.get(said["result"]["structuredContent"]["record_id"]).standing.status == "active"
        assert memory.ledger.verify().ok


def test_lines_that_are_no_message_leave_it_alive(wire: Wire) -> None:
    wire.ask(OPENING)
    for line in (b"", b"{", b"\xff\xfe", b"[]", b'"hello"', b'{"jsonrpc":"1.0"}', b"x" * (LINE_BYTES_MAX + 2)):
        wire.send(line)

    assert wire.ask(call(5, "queue"))["id"] == 5


def test_an_argument_that_is_not_a_number_is_refused(wire: Wire) -> None:
    wire.ask(OPENING)
    body = msgspec.json.encode(call(1, "remember", content="x", confidence=0)).replace(b":0}}", b":NaN}}")

    wire.send(body)
    answer = wire.hear()

    assert answer["result"]["isError"] is True
    assert answer["result"]["structuredContent"]["error"]["field"] == "confidence"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_a_call_that_is_given_up_leaves_it_alive(mode: str, vault: Path) -> None:
    with talking(started(vault), mode) as talk:

        async def give_up() -> bool:
            with anyio.move_on_after(0) as scope:
                await talk.client.call_tool("remember", {"content": "The build is green", "proposal_id": "prp-1"})
            return scope.cancelled_caught

        assert talk.run(give_up)
        again = talk.call("remember", content="The build is green", proposal_id="prp-1")

    assert again.document["outcome"] == "committed"


def test_it_acts_as_the_actor_and_in_the_session_it_was_started_for(vault: Path) -> None:
    with Memory.open(vault):
        pass
    with talking(started(vault, "--as", "planner", "--session", "s-1")) as talk:
        said = talk.call("remember", content="Today we look at the build", scope="session")
        held = talk.call("remember", content="We deploy on Fridays", kind="decision")

    with Memory.open(vault) as memory:
        found = memory.get(said.document["record_id"]).record
        assert (found.actor, found.claim.place.scope_id) == ("planner", "s-1")
    assert held.document["outcome"] == "held"
    assert held.text.startswith("Held: proposal ")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (["mcp", "--as", "planner"], 2, "configuration_error"),
        (["mcp", "--tools", "everything"], 2, "malformed"),
        (["mcp", "--tenant", "no such tenant"], 2, "malformed"),
    ],
)
def test_a_wrong_start_says_why_on_standard_error(words: list[str], code: int, error: str, tmp_path: Path) -> None:
    found = outside(*words, "--json", cwd=tmp_path)

    assert (found.returncode, found.stdout) == (code, b"")
    assert msgspec.json.decode(found.stderr)["error"]["code"] == error


def test_without_the_sdk_it_names_what_to_install(tmp_path: Path) -> None:
    program = "import sys; sys.modules['mcp'] = None; from muniment.surfaces.cli import run; sys.exit(run(['mcp']))"
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, timeout=WAIT_S, check=False
    )

    assert found.returncode == 2
    assert b"pip install 'muniment[mcp]'" in found.stderr
    assert not (tmp_path / "muniment-data").exists()


def test_the_command_line_does_not_load_the_sdk_for_other_commands(tmp_path: Path) -> None:
    program = "import sys; from muniment.surfaces.cli import run; run(['--version']); print('mcp' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, timeout=WAIT_S, check=True
    )

    assert found.stdout.splitlines()[-1] == b"False"
