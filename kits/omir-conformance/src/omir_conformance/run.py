"""The cases, what an implementation answers to each, and whether that is right."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypedDict

Result = Literal["pass", "fail", "unreadable"]
Found = tuple[str, str, str]
"""Code, severity and path of a finding."""
SUITES = ("spec", "parity")
CANNOT_READ = "E000"
_AT_ONCE = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One document and what must be said of it. `only`: nothing else may be found."""

    id: str
    suite: str
    name: str
    data: bytes
    result: Result
    finds: tuple[Found, ...]
    cites: tuple[str, ...] = ()
    only: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """What an implementation answered: its result and its findings, in its order."""

    result: Result
    finds: tuple[Found, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What came of one case; `reason` says why it failed, and is None if it passed."""

    case: Case
    reason: str | None


class Unanswered(Exception):
    """The implementation gave no answer that can be judged."""


Ask = Callable[[Case], Seen]


@cache
def cases() -> tuple[Case, ...]:
    """All cases: `spec` by the text of OMIR R1, `parity` by the reference validator 0.1.0."""
    return (*_spec(), *_parity())


def _spec() -> Iterable[Case]:
    for number, one in enumerate(_read("vectors.json"), 1):
        finds = tuple((code, "error", path) for code, path in one["finds"])
        yield Case(
            id=f"spec-{number:03}",
            suite="spec",
            name=one["name"],
            data=one["text"].encode() if one.get("text") is not None else json.dumps(one["document"]).encode(),
            result=_result([code for code, _ in one["finds"]]),
            finds=finds,
            cites=tuple(one["cites"]),
            only=one.get("only", True),
        )


def _result(codes: Sequence[str]) -> Result:
    if not codes:
        return "pass"
    return "unreadable" if CANNOT_READ in codes else "fail"


def _parity() -> Iterable[Case]:
    for number, one in enumerate(_read("parity.json"), 1):
        yield Case(
            id=f"parity-{number:03}",
            suite="parity",
            name=one["name"],
            data=one["text"].encode() if "text" in one else base64.b64decode(one["base64"]),
            result=one["result"],
            finds=tuple((code, severity, path) for code, severity, path in one["finds"]),
        )


class Row(TypedDict, total=False):
    name: str
    cites: list[str]
    finds: list[list[str]]
    document: object
    text: str
    base64: str
    result: Result
    only: bool


def _read(name: str) -> list[Row]:
    found: list[Row] = json.loads(files("omir_conformance").joinpath(name).read_bytes())
    return found


def judge(case: Case, seen: Seen) -> str | None:
    """Why an answer is wrong; None if it is right.

    By the text the errors count, in any order. By the reference all findings count, in its order; among findings of one
    code alone the order is left open.
    """
    if case.suite == "parity":
        if seen.result != case.result:
            return f"expected {case.result}, saw {seen.result}"
        expected, found = case.finds, seen.finds
        if len({code for code, _, _ in found}) == 1:
            expected, found = tuple(sorted(expected)), tuple(sorted(found))
        return None if found == expected else f"expected {_told(expected)}, saw {_told(found)}"
    if case.result == "unreadable" and seen.result == "unreadable":
        return None  # a report of what cannot be read may be empty, or there may be none
    errors = [one for one in seen.finds if one[1] == "error"]
    missing = [one for one in case.finds if one not in errors]
    extra = [one for one in errors if one not in case.finds] if case.only else []
    if missing or extra:
        return f"missing {_told(missing)}, not expected {_told(extra)}"
    if not case.finds and seen.result == "unreadable":
        return "expected a report, saw none"
    return None


def _told(finds: Sequence[Found]) -> str:
    return ", ".join(" ".join(one) for one in finds) or "nothing"


def run(
    ask: Ask, *, suites: Sequence[str] = SUITES, only: Sequence[str] = (), told: Callable[[Outcome], None] | None = None
) -> tuple[Outcome, ...]:
    """Put every case to an implementation and tell of each outcome, in order."""
    chosen = [one for one in cases() if one.suite in suites and (not only or one.id in only)]
    outcomes = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for outcome in pool.map(lambda case: _tried(ask, case), chosen):
            if told is not None:
                told(outcome)
            outcomes.append(outcome)
    return tuple(outcomes)


def _tried(ask: Ask, case: Case) -> Outcome:
    try:
        return Outcome(case=case, reason=judge(case, ask(case)))
    except Unanswered as error:
        return Outcome(case=case, reason=str(error))
