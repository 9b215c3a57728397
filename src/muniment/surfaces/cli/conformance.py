"""The command that examines a server: every assertion of a contract against whatever answers at an address."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict, cast

import msgspec
import typer
from rich.console import Group, RenderableType

from muniment.config.files import open_file
from muniment.model.decoding import decode_json
from muniment.model.errors import ConfigurationError, Malformed
from muniment.surfaces.cli.layout import line, table
from muniment.surfaces.cli.output import filling, note, plain
from muniment.surfaces.cli.root import Call, app, command, group
from muniment.surfaces.problems import ExitCode

if TYPE_CHECKING:
    from muniment.testing.akashik.binding import Stage, Ways
    from muniment.testing.akashik.run import Outcome, Report

conformance = typer.Typer(help="How far a server keeps to a contract, assertion by assertion.", rich_markup_mode="rich")
conformance.callback()(group)
app.add_typer(conformance, name="conformance")

HTTP, MCP, NATIVE = "http", "mcp", "native"
_NEEDED = {HTTP: ("httpx", "websockets"), MCP: ("httpx", "websockets", "mcp"), NATIVE: ("httpx", "websockets", "mcp")}
_EXTRA = {HTTP: "server", MCP: "server,mcp", NATIVE: "server,mcp"}
_LEVELS = range(4)
_AUTHORITIES = tuple(str(authority) for authority in range(11))
_KNOCK_S = 30.0
_UNAUTHENTICATED = 401
_NOT_THERE = (404, 405, 501)


class FailureShape(TypedDict):
    id: str
    theme: str
    says: str
    reason: str


class ThemeShape(TypedDict):
    theme: str
    passed: int
    total: int


class ReportShape(TypedDict):
    contract: str
    binding: str
    url: str | None
    level: int
    passed: int
    total: int
    failed: list[str]
    seconds: float
    themes: list[ThemeShape]
    failures: list[FailureShape]


@command(conformance, "akashik", example="muniment conformance akashik --url http://127.0.0.1:8765")
def akashik(
    call: Call,
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="The server's address.", show_default=False)
    ] = None,
    level: Annotated[
        int, typer.Option("--level", help="Examine a Field of this level, 0 to 3; what is above does not count.")
    ] = 3,
    binding: Annotated[str, typer.Option("--binding", help="How to reach it: http, mcp or native.")] = HTTP,
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            help="A key that may start examinations (or MUNIMENT_KEY); - reads it from standard input.",
            show_default=False,
        ),
    ] = None,
    keys: Annotated[
        str | None,
        typer.Option(
            "--keys",
            metavar="FILE",
            help="A JSON object of tokens by authority, for a server that starts no examinations.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="ID", help="Only this assertion. Repeatable.", show_default=False),
    ] = None,
) -> ExitCode:
    """Try every assertion of the Akashik protocol on a server. Ends with 0 only if all of them hold."""
    _check(url, level, binding, tuple(only or ()))
    tokens = _tokens(keys) if keys is not None else None
    stage = _stage(_root(url), binding, key=_secret(key) or call.config.key, tokens=tokens, level=level)
    try:
        report = _run(stage, level, tuple(only or ()))
    finally:
        stage.close()
    call.tell(_shape(report, url=url, binding=binding, level=level), _shown)
    return ExitCode.ANSWERED if report.passed == report.total else ExitCode.DAMAGED


def _check(url: str | None, level: int, binding: str, only: tuple[str, ...]) -> None:
    if binding not in _NEEDED:
        raise Malformed("binding", "http, mcp or native")
    if level not in _LEVELS:
        raise Malformed("level", "a whole number from 0 to 3")
    if (url is None) != (binding == NATIVE):
        raise Malformed("url", "the server's address; native examines this installation and has none")
    if url is not None and not url.startswith(("http://", "https://")):
        raise Malformed("url", "an address that begins with http:// or https://")
    missing = [name for name in _NEEDED[binding] if find_spec(name) is None]
    if missing:
        extra = f"`pip install 'muniment[{_EXTRA[binding]}]'`"
        raise ConfigurationError("conformance", f"{missing[0]} is not installed", hint=extra)
    from muniment.testing.akashik.run import chosen

    known = {one.id for one in chosen(level)}
    if not set(only) <= known:
        raise Malformed("only", f"assertions of level {level} or below, such as {min(known)}")


def _root(url: str | None) -> str | None:
    """Where a server begins, if somebody gave the address of one of its bindings.

    >>> _root("http://127.0.0.1:8765/v1/")
    'http://127.0.0.1:8765'
    """
    return None if url is None else url.rstrip("/").removesuffix("/v1").removesuffix("/mcp").rstrip("/")


def _secret(key: str | None) -> str | None:
    said = sys.stdin.readline().strip() if key == "-" else key
    if said and not (said.isascii() and said.isprintable()):
        raise Malformed("key", "letters, digits and signs of ASCII")
    return said


def _tokens(file: str) -> dict[str, str]:
    try:
        with open_file(Path(file)) as opened:
            return decode_json(opened.read(), dict[str, str])
    except OSError as error:
        raise Malformed("keys", f"a file that can be read ({error.strerror})") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Malformed("keys", 'a JSON object of tokens by authority, such as {"4": "…", "10": "…"}') from None


def _stage(url: str | None, binding: str, *, key: str | None, tokens: dict[str, str] | None, level: int) -> Stage:
    if url is None:
        from muniment.testing.akashik.native import NativeStage

        return NativeStage()
    from muniment.testing.akashik.examined import SharedStage, stage_of

    way = cast("Ways", binding)
    status = _knock(url, binding, key)
    if tokens is not None:
        return SharedStage(url, way, tokens, level=level)
    if status == _UNAUTHENTICATED:
        words = "the server does not take it" if key else "the server asks for one"
        hint = "Give one with the grant admin (--key or MUNIMENT_KEY), or tokens by authority (--keys FILE)."
        raise ConfigurationError("key", words, hint=hint)
    stage = stage_of(url, way, key=key, tokens=None, level=level)
    if not isinstance(stage, SharedStage):
        return stage
    stage.close()
    if key:
        hint = (
            "Give one with the grant admin, on the server's own machine; elsewhere tokens by authority (--keys FILE)."
        )
        raise ConfigurationError("key", "the server opens no field for examination with it", hint=hint)
    return SharedStage(url, way, dict.fromkeys(_AUTHORITIES, ""), level=level)


def _knock(url: str, binding: str, key: str | None) -> int:
    """The status with which a server answers a message that says nothing. What speaks no Akashik is told apart here,
    once, and not by a hundred failures."""
    import httpx

    path = "/mcp" if binding == MCP else "/v1/register"
    headers = {"Accept": "application/json, text/event-stream"} | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        answer = httpx.post(f"{url}{path}", json={}, headers=headers, timeout=_KNOCK_S, trust_env=False)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ConfigurationError("url", f"nobody answers there ({type(error).__name__})") from None
    kind = answer.headers.get("content-type", "").partition(";")[0].strip()
    if answer.status_code in _NOT_THERE or not (kind.endswith("json") or kind == "text/event-stream"):
        raise ConfigurationError(
            "url", f"what answers there does not speak Akashik: POST {path} gave HTTP {answer.status_code}"
        )
    return answer.status_code


def _run(stage: Stage, level: int, only: tuple[str, ...]) -> Report:
    from muniment.testing.akashik.run import chosen, run

    total, done = len(chosen(level, only)), 0
    with filling("assertions") as share:

        def told(outcome: Outcome) -> None:
            nonlocal done
            done += 1
            share(done, total)
            if outcome.reason is not None:
                note(f"{outcome.id} failed: {outcome.reason}")

        return run(stage, level=level, only=only, told=told)


def _shape(report: Report, *, url: str | None, binding: str, level: int) -> ReportShape:
    outcomes = report.outcomes
    themes = list(dict.fromkeys(one.theme for one in outcomes))
    return {
        "contract": "akashik",
        "binding": binding,
        "url": url,
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
            for theme in themes
        ],
        "failures": [
            {"id": one.id, "theme": one.theme, "says": one.says, "reason": one.reason}
            for one in outcomes
            if one.reason is not None
        ],
    }


def _shown(shape: ReportShape) -> RenderableType:
    rows = [[one["theme"], f"{one['passed']} of {one['total']}"] for one in shape["themes"]]
    parts: list[RenderableType] = [table(("theme", "passed"), rows)]
    for one in shape["failures"]:
        parts += [plain(f"{one['id']} {one['says']}"), line("failed", one["reason"])]
    where = shape["url"] or "this installation"
    parts.append(
        plain(
            f"Akashik, level {shape['level']}, over {shape['binding']}, {where}: {shape['passed']} of {shape['total']}"
        )
    )
    return Group(*parts)
