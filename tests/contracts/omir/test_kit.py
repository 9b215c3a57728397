"""Our validator under the kit that other implementations are put under."""

from __future__ import annotations

import sys

from muniment.contracts.omir.report import ReportVerdict
from muniment.contracts.omir.validate import validate
from muniment.model.errors import CallerError
from omir_conformance import Case, Seen, run
from omir_conformance.command import main


def ours(case: Case) -> Seen:
    try:
        report = validate(case.data, verdict=ReportVerdict(case.suite))
    except CallerError:
        return Seen(result="unreadable")
    found = tuple((one.code, one.severity.value, one.path) for one in report.findings)
    return Seen(result="fail" if any(severity == "error" for _, severity, _ in found) else "pass", finds=found)


def test_every_case_of_the_kit_comes_out_right() -> None:
    assert [(one.case.id, one.case.name, one.reason) for one in run(ours) if one.reason is not None] == []


def test_our_command_is_understood() -> None:
    command = f"{sys.executable} -m muniment omir validate --json --verdict {{verdict}} -"
    assert main(["--command", command, "--only", "spec-001", "--only", "parity-140", "--only", "parity-200"]) == 0
