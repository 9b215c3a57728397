"""The command `omir-conformance`: every case put to a command or an address, and a report."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

from omir_conformance.run import SUITES, Ask, Case, Found, Outcome, Result, Seen, Unanswered, cases, run

HELD, FAILED, UNUSABLE = 0, 1, 2
WAIT_S = 60.0
_UNREADABLE = range(400, 500)


class Failure(TypedDict):
    id: str
    name: str
    cites: list[str]
    reason: str


class Summary(TypedDict):
    """The machine-readable report."""

    contract: str
    implementation: str
    suites: dict[str, dict[str, int]]
    passed: int
    total: int
    failed: list[str]
    seconds: float
    failures: list[Failure]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite as a command. 0: all right. 1: a case fails. 2: there was nothing to examine."""
    made = parser()
    given = made.parse_args(arguments)
    if (given.command is None) == (given.url is None):
        made.error("give either --command or --url")
    if unknown := set(given.only) - {one.id for one in cases()}:
        made.error(f"there is no case {min(unknown)}")
    ask: Ask = by_command(given.command) if given.command is not None else by_url(given.url)
    began = time.monotonic()
    outcomes = run(ask, suites=given.suite or SUITES, only=given.only, told=_tell)
    if not outcomes:
        made.error("no case was chosen")
    if all(one.reason is not None and one.reason.startswith("no answer") for one in outcomes):
        sys.stderr.write(f"there is nothing to examine: {outcomes[0].reason}\n")
        return UNUSABLE
    summary = summary_of(outcomes, given.command or given.url, time.monotonic() - began)
    text = json.dumps(summary, ensure_ascii=False, indent=2)
    if given.report:
        Path(given.report).write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n" if given.json else table(summary))
    return HELD if summary["passed"] == summary["total"] else FAILED


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="omir-conformance", description="Put documents to an OMIR R1 validator and compare its findings."
    )
    made.add_argument("--command", help="reads a document on standard input, prints a report; {verdict} is filled in")
    made.add_argument("--url", help="a document is posted there, with ?verdict=spec or parity; the answer is a report")
    made.add_argument("--suite", choices=SUITES, action="append", help="this suite alone; repeatable")
    made.add_argument("--only", metavar="ID", action="append", default=[], help="this case alone; repeatable")
    made.add_argument("--json", action="store_true", help="print the report as JSON")
    made.add_argument("--report", metavar="FILE", help="write the report as JSON to this file too")
    return made


def by_command(command: str) -> Ask:
    """Ask by running a command once for each case."""

    def ask(case: Case) -> Seen:
        words = [word.replace("{verdict}", case.suite) for word in shlex.split(command)]
        try:
            done = subprocess.run(words, input=case.data, capture_output=True, timeout=WAIT_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unanswered(f"no answer: {error}") from None
        found = report_of(done.stdout)
        if found is None and done.returncode not in (1, 2):
            raise Unanswered(f"no answer: exit code {done.returncode} and no report on standard output")
        return found or Seen(result="unreadable")

    return ask


def by_url(url: str) -> Ask:
    """Ask by posting each document to an address."""
    opener = build_opener(ProxyHandler({}))

    def ask(case: Case) -> Seen:
        address = f"{url}{'&' if '?' in url else '?'}{urlencode({'verdict': case.suite})}"
        request = Request(address, data=case.data, headers={"Content-Type": "application/json"})
        try:
            with opener.open(request, timeout=WAIT_S) as answer:
                found = report_of(answer.read())
        except HTTPError as error:
            if error.code not in _UNREADABLE or error.code == 404:
                raise Unanswered(f"no answer: HTTP {error.code}") from None
            found = report_of(error.read()) or Seen(result="unreadable")
        except (URLError, OSError, ValueError) as error:
            raise Unanswered(f"no answer: {error}") from None
        if found is None:
            raise Unanswered("no answer: what came back is no report")
        return found

    return ask


def report_of(text: bytes) -> Seen | None:
    """A report out of its JSON, or out of a list with one report. None if it is none.

    >>> report_of(b'[{"result": "pass", "findings": []}]')
    Seen(result='pass', finds=())
    """
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if isinstance(found, list):
        found = found[0] if len(found) == 1 else None
    if not isinstance(found, dict) or not isinstance(found.get("findings"), list):
        return None
    results: dict[object, Result] = {"pass": "pass", "fail": "fail", "unreadable": "unreadable"}
    finds: list[Found] = []
    for one in found["findings"]:
        if not isinstance(one, dict):
            return None
        finds.append((str(one.get("code")), str(one.get("severity")), str(one.get("path"))))
    usual: Result = "fail" if any(severity == "error" for _, severity, _ in finds) else "pass"
    return Seen(result=results.get(found.get("result"), usual), finds=tuple(finds))


def _tell(outcome: Outcome) -> None:
    if outcome.reason is not None:
        sys.stderr.write(f"{outcome.case.id} failed: {printable(outcome.reason)}\n")


def printable(text: str) -> str:
    """Text as it may reach a terminal: what an implementation said cannot steer it."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def summary_of(outcomes: Sequence[Outcome], implementation: str, seconds: float) -> Summary:
    """The report as JSON."""
    failures: list[Failure] = [
        {"id": one.case.id, "name": one.case.name, "cites": list(one.case.cites), "reason": one.reason}
        for one in outcomes
        if one.reason is not None
    ]
    suites = {
        suite: {
            "passed": sum(one.case.suite == suite and one.reason is None for one in outcomes),
            "total": sum(one.case.suite == suite for one in outcomes),
        }
        for suite in SUITES
        if any(one.case.suite == suite for one in outcomes)
    }
    return {
        "contract": "omir",
        "implementation": implementation,
        "suites": suites,
        "passed": len(outcomes) - len(failures),
        "total": len(outcomes),
        "failed": [one["id"] for one in failures],
        "seconds": round(seconds, 1),
        "failures": failures,
    }


def table(summary: Summary) -> str:
    """The report for people."""
    lines = [f"{suite:8}{count['passed']} of {count['total']}" for suite, count in summary["suites"].items()]
    for one in summary["failures"]:
        lines += [f"{one['id']} {one['name']}", f"  failed: {printable(one['reason'])}"]
    lines.append(f"OMIR R1, {summary['implementation']}: {summary['passed']} of {summary['total']}")
    return "\n".join(lines) + "\n"
