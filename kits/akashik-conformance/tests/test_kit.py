"""The kit by itself: what it refuses before it begins, what it takes from a launcher, and which shapes are right."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from akashik_conformance.binding import Settings, Unobservable
from akashik_conformance.command import main
from akashik_conformance.registry import assertions
from akashik_conformance.servers import LaunchedField, Launcher, launcher_of
from akashik_conformance.shapes import flaws

LAUNCHER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "hello":
        answer = {"name": "mine", "version": "1", "same": asked["url"] == "http://127.0.0.1:1"}
    elif asked["do"] == "open" and asked["settings"].get("level") == 2:
        answer = {"error": "no level 2"}
    elif asked["do"] == "open":
        answer = {"id": "f", "url": "http://127.0.0.1:1", "mcp_url": "http://127.0.0.1:1/mcp", "tokens": {"4": "four"}}
    else:
        sys.exit(1)
    print(json.dumps(answer), flush=True)
"""


class Website(BaseHTTPRequestHandler):
    """A web server that knows nothing of the protocol."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        page = b"<html>Welcome</html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def website() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Website)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_web_server_is_not_failed_but_named_for_what_it_is(website: str, capsys: pytest.CaptureFixture[str]) -> None:
    for way, path in (("http", "/v1/register"), ("mcp", "/mcp")):
        assert main(["--url", website, "--binding", way, "--json"]) == 2
        said = json.loads(capsys.readouterr().err)["error"]
        assert said["message"] == f"url: what answers there does not speak Akashik: POST {path} gave HTTP 200"


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ([], "url"),
        (["--url", "localhost"], "url"),
        (["--url", "http://127.0.0.1:9"], "url"),
        (["--url", "http://127.0.0.1:9", "--only", "AKAS-999"], "only"),
        (["--url", "http://127.0.0.1:9", "--keys", "nowhere.json"], "keys"),
        (["--url", "http://127.0.0.1:9", "--key", "ключ"], "key"),
        (["--launcher", "no-such-command-here"], "launcher"),
    ],
)
def test_a_call_that_makes_no_sense_is_refused(
    words: list[str], field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--json"]) == 2
    assert json.loads(capsys.readouterr().err)["error"]["field"] == field


def test_a_launcher_is_any_command_that_answers_line_by_line(tmp_path: Path) -> None:
    script = tmp_path / "launcher.py"
    script.write_text(LAUNCHER)
    launcher = launcher_of(f"{sys.executable} {script}")
    assert launcher.knows("http://127.0.0.1:1")
    assert not launcher.knows("http://127.0.0.1:2")
    field = LaunchedField(launcher, Settings())
    assert field.token(4) == "four"
    with pytest.raises(Unobservable, match="no token for 9 was given"):
        field.token(9)
    with pytest.raises(Unobservable, match="did not open: no level 2"):
        LaunchedField(launcher, Settings(level=2))
    with pytest.raises(Unobservable, match="did not restart: it has ended"):
        field.restart("kill")
    launcher.close()


def test_what_cannot_be_launched_counts_as_failed_and_the_report_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    told = 'print(\'{\\"error\\": \\"\\\\u001b[2J\\"}\', flush=True)'
    words = ["--launcher", f'{sys.executable} -c "import sys; [{told} for _ in sys.stdin]"', "--only", "AKAS-001"]
    assert main([*words, "--report", str(report)]) == 1
    said = capsys.readouterr()
    assert "0 of 1" in said.out
    assert "\x1b" not in said.out + said.err
    found = json.loads(report.read_text())
    assert (found["passed"], found["total"], found["failed"]) == (0, 1, ["AKAS-001"])
    assert found["failures"][0]["reason"].startswith("could not be observed: the launcher did not open")


def test_there_are_a_hundred_and_eight_assertions_and_each_has_a_theme() -> None:
    found = assertions()
    assert [one.id for one in found] == [f"AKAS-{number:03}" for number in range(1, 109)]
    assert [sum(one.level == level for one in found) for level in range(4)] == [32, 20, 29, 27]
    assert len({one.theme for one in found}) == 14
    assert len({one.show for one in found}) == 108


def test_a_wrong_shape_is_told_with_its_place() -> None:
    assert flaws("relation", {"type": "supports", "target_id": "u-1"}) == ()
    (told,) = flaws("relation", {"type": "supports"})
    assert "target_id" in told
    assert flaws("attune_response", {"record": [{}]})[-1] == "/record/0 has no memory_unit"


def test_a_launcher_that_ends_is_noticed() -> None:
    launcher = Launcher([sys.executable, "-c", ""])
    with pytest.raises(Unobservable, match="it has ended"):
        launcher.ask("open", settings={})
    launcher.close()
