"""The kit by itself: right answers pass, each kind of wrong answer is noticed, over a command and over an address."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from omir_conformance import Case, Seen, cases, judge, run
from omir_conformance.command import main
from omir_conformance.run import SUITES


def right(case: Case) -> Seen:
    return Seen(result=case.result, finds=case.finds)


def test_every_case_has_an_answer_that_passes_and_one_that_does_not() -> None:
    assert {one.suite for one in cases()} == set(SUITES)
    assert len({one.id for one in cases()}) == len(cases()) == 270
    assert [one.case.id for one in run(right) if one.reason is not None] == []
    for case in cases():
        wrong = Seen(result="fail", finds=(("Z999", "error", "/"),))
        assert judge(case, wrong) is not None, case.id


def test_by_the_reference_order_and_severity_count_and_by_the_text_they_do_not() -> None:
    parity = Case(
        id="p", suite="parity", name="", data=b"", result="fail", finds=(("E1", "error", "/a"), ("W2", "warning", "/b"))
    )
    assert judge(parity, Seen(result="fail", finds=parity.finds[::-1])) is not None
    assert judge(parity, Seen(result="pass", finds=parity.finds)) == "expected fail, saw pass"
    spec = Case(
        id="s", suite="spec", name="", data=b"", result="fail", finds=(("E1", "error", "/a"), ("E2", "error", "/"))
    )
    assert judge(spec, Seen(result="fail", finds=(*spec.finds[::-1], ("W9", "warning", "/x")))) is None
    assert judge(spec, Seen(result="fail", finds=spec.finds[:1])) == "missing E2 error /, not expected nothing"


SCRIPT = """
import json, sys
text = sys.stdin.buffer.read()
try:
    json.loads(text.decode())
except ValueError:
    sys.exit(2)
print(json.dumps([{"result": "pass", "findings": [], "verdict": sys.argv[1]}]))
"""


def test_a_command_is_asked_with_the_verdict_and_the_report_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, report = tmp_path / "implementation.py", tmp_path / "report.json"
    script.write_text(SCRIPT)
    empty = next(one.id for one in cases() if one.name == "an empty bundle")
    refused = next(one.id for one in cases() if one.result == "fail" and one.suite == "parity")
    unreadable = next(one.id for one in cases() if one.name == "UTF-16")
    words = ["--command", f"{sys.executable} {script} {{verdict}}", "--report", str(report)]
    assert main([*words, "--only", empty, "--only", unreadable]) == 0
    assert main([*words, "--only", empty, "--only", refused]) == 1
    found = json.loads(report.read_text())
    assert (found["passed"], found["total"], found["failed"]) == (1, 2, [refused])
    assert f"{refused} failed: expected fail, saw pass" in capsys.readouterr().err


class Implementation(BaseHTTPRequestHandler):
    """Passes everything it can decode."""

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            sent.decode("utf-8")
        except UnicodeDecodeError:
            self.send_response(422)
            self.end_headers()
            return
        body = json.dumps({"result": "pass", "findings": []}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Implementation)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/validate"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_an_address_is_asked_by_posting(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    unreadable = next(one.id for one in cases() if one.name == "UTF-16")
    accepted = next(one.id for one in cases() if one.result == "pass" and one.suite == "parity")
    assert main(["--url", address, "--only", unreadable, "--only", accepted, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"] == 2


def test_where_nobody_answers_there_is_nothing_to_examine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--url", "http://127.0.0.1:9/", "--only", "spec-001"]) == 2
    assert main(["--command", "no-such-command-here", "--only", "spec-001"]) == 2
    assert "there is nothing to examine" in capsys.readouterr().err
