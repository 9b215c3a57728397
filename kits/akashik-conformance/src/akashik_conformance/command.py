"""The command `akashik-conformance`: every assertion of the protocol on a server, and a report."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TypedDict

import httpx

from akashik_conformance.binding import JsonObject, SetupError, Stage, Ways
from akashik_conformance.run import Outcome, Report, chosen, run
from akashik_conformance.servers import (
    AUTHORITIES,
    LaunchedStage,
    Launcher,
    SharedStage,
    launcher_for,
    launcher_of,
)

BINDINGS: tuple[Ways, ...] = ("http", "mcp")
HELD, FAILED, UNUSABLE = 0, 1, 2
KNOCK_S = 30.0
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_NOT_THERE = (404, 405, 501)
_UNAUTHENTICATED = 401


class Failure(TypedDict):
    id: str
    theme: str
    says: str
    reason: str


class Theme(TypedDict):
    theme: str
    passed: int
    total: int


class Summary(TypedDict):
    """The machine-readable report."""

    contract: str
    binding: str
    url: str | None
    launcher: str | None
    level: int
    passed: int
    total: int
    failed: list[str]
    seconds: float
    themes: list[Theme]
    failures: list[Failure]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite as a command. 0: all hold. 1: something fails. 2: there was nothing to examine."""
    given = parser().parse_args(arguments)
    try:
        summary = examine(
            given.url,
            binding=given.binding,
            level=given.level,
            only=given.only,
            tokens=tokens_of(given.keys) if given.keys else None,
            key=sys.stdin.readline().strip() if given.key == "-" else given.key,
            launcher=given.launcher,
        )
    except SetupError as error:
        said: JsonObject = {"error": {"field": error.field, "message": str(error), "hint": error.hint}}
        sys.stderr.write(f"{json.dumps(said, ensure_ascii=False) if given.json else error}\n")
        if error.hint and not given.json:
            sys.stderr.write(f"{error.hint}\n")
        return UNUSABLE
    text = json.dumps(summary, ensure_ascii=False, indent=2)
    if given.report:
        Path(given.report).write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n" if given.json else table(summary))
    return HELD if summary["passed"] == summary["total"] else FAILED


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="akashik-conformance", description="Try every assertion of the Akashik protocol on a server."
    )
    made.add_argument("--url", help="where the server begins; the address of its /v1 or /mcp will do")
    made.add_argument("--launcher", metavar="COMMAND", help="starts Fields with the settings an assertion needs; none")
    made.add_argument("--binding", choices=BINDINGS, default="http", help="how to reach it")
    made.add_argument("--level", type=int, choices=range(4), default=3, help="what is above this level does not count")
    made.add_argument("--keys", metavar="FILE", help="a JSON object of tokens by authority, 0 to 10, and expired")
    made.add_argument("--key", help="one token for every authority; - reads it from standard input")
    made.add_argument("--only", metavar="ID", action="append", default=[], help="this assertion alone; repeatable")
    made.add_argument("--json", action="store_true", help="print the report as JSON")
    made.add_argument("--report", metavar="FILE", help="write the report as JSON to this file too")
    return made


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"{printable(line)}\n")


def printable(text: str) -> str:
    """Text as it may reach a terminal: what a server said cannot steer it.

    >>> printable("plain\\x1b[2J")
    'plain\\\\x1b[2J'
    """
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def examine(
    url: str | None,
    *,
    binding: str = "http",
    level: int = 3,
    only: Sequence[str] = (),
    tokens: dict[str, str] | None = None,
    key: str | None = None,
    launcher: str | None = None,
    note: Callable[[str], None] = _to_stderr,
) -> Summary:
    """Run the suite and sum up. `note` is told of each failure as it is found.

    With `tokens` the server at `url` is examined as it is, and what needs other settings comes from the launcher.
    Without, all Fields come from the launcher if one was named, or if an installed one says that the server at a
    loopback address is what it starts. `launcher="none"` examines the server as it is, with one token or with none.
    """
    way, root = _check(url, binding, level, only), _root(url)
    status = _knock(root, way, key) if root is not None else None
    found = _launcher(root, launcher, alone=tokens is None, note=note)
    if found is not None and (root is None or tokens is None):
        stage: Stage = LaunchedStage(found, way)
    else:
        assert root is not None, "there is an address or a launcher"
        if tokens is None and status == _UNAUTHENTICATED:
            words = "the server does not take it" if key else "the server asks for one"
            raise SetupError("key", words, hint="Give a token (--key), or tokens by authority (--keys FILE).")
        stage = SharedStage(root, way, tokens or dict.fromkeys(AUTHORITIES, key or ""), level=level, launcher=found)
    try:
        report = run(stage, level=level, only=only, told=lambda one: _tell(one, note))
    finally:
        stage.close()
    return summary_of(report, binding=way, url=url, level=level, launcher=found.name if found else None)


def _check(url: str | None, binding: str, level: int, only: Sequence[str]) -> Ways:
    if binding not in BINDINGS:
        raise SetupError("binding", "expected http or mcp")
    if level not in range(4):
        raise SetupError("level", "expected a whole number from 0 to 3")
    if url is not None and not url.startswith(("http://", "https://")):
        raise SetupError("url", "expected an address that begins with http:// or https://")
    if binding == "mcp" and find_spec("mcp") is None:
        raise SetupError("binding", "mcp is not installed", hint="pip install 'akashik-conformance[mcp]'")
    known = {one.id for one in chosen(level)}
    if not set(only) <= known:
        raise SetupError("only", f"expected assertions of level {level} or below, such as {min(known)}")
    return "mcp" if binding == "mcp" else "http"


def _root(url: str | None) -> str | None:
    """Where a server begins, if somebody gave the address of one of its bindings.

    >>> _root("http://127.0.0.1:8765/v1/")
    'http://127.0.0.1:8765'
    """
    return None if url is None else url.rstrip("/").removesuffix("/v1").removesuffix("/mcp").rstrip("/")


def _launcher(root: str | None, said: str | None, *, alone: bool, note: Callable[[str], None]) -> Launcher | None:
    if said is not None and said != "none":
        return launcher_of(said)
    if root is None:
        raise SetupError("url", "expected the address of a server, or a launcher")
    if said == "none" or not alone or httpx.URL(root).host not in _LOOPBACK:
        return None
    found = launcher_for(root)
    if found is not None:
        note(f"the server at {root} is one that {found.name} starts: assertions are tried on servers of their own")
    return found


def tokens_of(file: str) -> dict[str, str]:
    """Tokens by authority out of a file."""
    try:
        found = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise SetupError("keys", f"expected a file that can be read ({error.strerror})") from None
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise SetupError("keys", 'expected a JSON object of tokens by authority, such as {"4": "…", "10": "…"}')
    return {str(name): str(token) for name, token in found.items()}


def _knock(url: str, way: Ways, key: str | None) -> int:
    """The status with which a server answers an empty message. What speaks no Akashik is found out here, once, and not
    by a hundred failures."""
    if key and not (key.isascii() and key.isprintable()):
        raise SetupError("key", "expected letters, digits and signs of ASCII")
    path = "/mcp" if way == "mcp" else "/v1/register"
    headers = {"Accept": "application/json, text/event-stream"} | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        answer = httpx.post(f"{url}{path}", json={}, headers=headers, timeout=KNOCK_S, trust_env=False)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise SetupError("url", f"nobody answers there ({type(error).__name__})") from None
    kind = answer.headers.get("content-type", "").partition(";")[0].strip()
    if answer.status_code in _NOT_THERE or not (kind.endswith("json") or kind == "text/event-stream"):
        words = f"what answers there does not speak Akashik: POST {path} gave HTTP {answer.status_code}"
        raise SetupError("url", words)
    return answer.status_code


def _tell(outcome: Outcome, note: Callable[[str], None]) -> None:
    if outcome.reason is not None:
        note(f"{outcome.id} failed: {outcome.reason}")


def summary_of(report: Report, *, binding: str, url: str | None, level: int, launcher: str | None) -> Summary:
    """The report as JSON."""
    outcomes = report.outcomes
    return {
        "contract": "akashik",
        "binding": binding,
        "url": url,
        "launcher": launcher,
        "level": level,
        "passed": report.passed,
        "total": report.total,
        "failed": list(report.failed),
        "seconds": round(sum(one.seconds for one in outcomes), 1),
        "themes": [
            {
                "theme": theme,
                "passed": sum(one.passed for one in outcomes if one.theme == theme),
                "total": sum(one.theme == theme for one in outcomes),
            }
            for theme in dict.fromkeys(one.theme for one in outcomes)
        ],
        "failures": [
            {"id": one.id, "theme": one.theme, "says": one.says, "reason": one.reason}
            for one in outcomes
            if one.reason is not None
        ],
    }


def table(summary: Summary) -> str:
    """The report for people."""
    wide = max(len(one["theme"]) for one in summary["themes"])
    lines = [f"{'theme':{wide}}  passed"]
    lines += [f"{one['theme']:{wide}}  {one['passed']} of {one['total']}" for one in summary["themes"]]
    for one in summary["failures"]:
        lines += [f"{one['id']} {one['says']}", f"  failed: {printable(one['reason'])}"]
    where = summary["url"] or summary["launcher"]
    held = f"{summary['passed']} of {summary['total']}"
    lines.append(f"Akashik, level {summary['level']}, over {summary['binding']}, {where}: {held}")
    return "\n".join(lines) + "\n"
