"""What is wrong with a document: its shape, the names in it, and what its fields must say together.

Codes besides those of the shape (`missing`, `unknown`, `type`, `enum`, `range`, `length`, `pattern`, `format`):
`not_utc`, `direct_write`, `hidden_reasoning`, `credential`, `extension_name`, `extension_scope`, `evidence`, `target`,
`together`, `order`, `unusable`, `steps`, `abstention`, and the warnings `boundary` and `kind_part`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import get_args

import msgspec

from muniment.contracts.finding import Finding, Severity
from muniment.contracts.matm import usability, wire, words
from muniment.contracts.matm.forbidden_content import HIDDEN, WRITE, forbidden, says_no_more
from muniment.contracts.matm.parts import agent_name, object_in
from muniment.contracts.shape import Flaw, flaws
from muniment.contracts.strict.instants import instant_of, is_instant
from muniment.contracts.strict.pointer import below
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import convert
from muniment.model.reasoning import HIDDEN_REASONING_FLAG

_EXTENSION = re.compile(words.EXTENSION_NAME.removesuffix("$") + r"\Z", re.ASCII)
_LIKE_AN_EXTENSION = re.compile(r"x(?:[_-]|\Z)", re.IGNORECASE)
_TIMES = re.compile(r".*/(?:\w+_at|at|effective_from|effective_to|last_active)", re.ASCII)
_CORE = frozenset({"session", "project", "agent_team", "agent_repo", "discard"})
_SCOPES = ", ".join((*sorted(_CORE), "x_user_identity", "x_organization", "x_cross_organization"))

SHAPE_CODES = frozenset(
    {
        *("missing", "unknown", "type", "enum", "range", "length", "pattern", "format", "not_utc", "extension_name"),
        *(WRITE, HIDDEN),
    }
)
"""What a flaw in the shape of a document may be called."""

Rule = Callable[[JsonObject, str], Iterator[Finding]]


def error(code: str, path: str, message: str) -> Finding:
    return Finding(code=code, severity=Severity.ERROR, path=path, message=message)


def warning(code: str, path: str, message: str) -> Finding:
    return Finding(code=code, severity=Severity.WARNING, path=path, message=message)


def sort_of(document: JsonObject) -> str:
    """Which document it means to be: by its schema, else by what only one of them has. An event if nothing tells."""
    known = _SCHEMAS.get(str(document.get("schema_version")))
    if known is not None:
        return known
    return next((name for key, name in _TELLTALE if key in document), "MemoryEvent")


_SCHEMAS = {
    words.EVENT: "MemoryEvent",
    words.RECORD: "MemoryRecord",
    words.REPORT: "CurationReport",
    words.DIRECTORY: "TransactiveDirectory",
    words.REQUEST: "RetrievalRequest",
    words.RESPONSE: "RetrievalResponse",
}
_TELLTALE = (
    ("ticket_id", "MemoryTicket"),
    ("report_id", "CurationReport"),
    ("entries", "TransactiveDirectory"),
    ("results", "RetrievalResponse"),
    ("consumer_agent", "RetrievalRequest"),
    ("record_id", "MemoryRecord"),
)


def inspect(value: Json, path: str) -> tuple[Finding, ...]:
    """Everything that is wrong with one document, or worth a warning."""
    if not isinstance(value, dict):
        return (error("type", path, "expected a document, which is an object"),)
    sort = sort_of(value)
    rule = _RULES.get(sort)
    if sort in _QUICK and _fits(value, sort):
        found = [] if says_no_more(value) else [*forbidden(value, path)]
        return tuple([*found, *rule(value, path)] if rule is not None else found)
    found = [_told(flaw, value, path) for flaw in flaws(value, wire.DOCUMENTS[sort], path)]
    seen = {(one.code, one.path) for one in found}
    found += (one for one in forbidden(value, path) if (one.code, one.path) not in seen)
    if rule is not None:
        found += _ruled(rule, value, path, found)
    return tuple(found)


def _ruled(rule: Rule, document: JsonObject, path: str, found: list[Finding]) -> list[Finding]:
    """What a rule says, where the fields it looks at have their shape."""
    if any(one.code in ("type", "enum", "format", "not_utc") for one in found):
        return []
    return list(rule(document, path))


def _without_extensions(document: JsonObject) -> JsonObject:
    if not any(key.startswith("x_") for key in document):
        return document
    return {key: part for key, part in document.items() if _EXTENSION.match(key) is None}


_QUICK: dict[str, tuple[str, tuple[str, ...]]] = {
    "MemoryEvent": ("event_id", ("emitted_at", "effective_from", "effective_to", "expires_at")),
    "MemoryRecord": (
        "record_id",
        ("reviewed_at", "next_review_at", "effective_from", "effective_to", "expires_at", "created_at", "updated_at"),
    ),
}
_QUICK_INSIDE = (("decision", "decided_at"), ("review_hints", "next_review_at"), ("provenance", "captured_at"))


def _fits(document: JsonObject, sort: str) -> bool:
    """Whether a document certainly has its shape: the library says so, and what it cannot see holds too. A document
    that does not fit this way may still fit; the slow way decides."""
    try:
        convert(_without_extensions(document), wire.DOCUMENTS[sort])
    except msgspec.ValidationError:
        return False
    if document.get("durable_write_allowed") or object_in(document, "artifact").get(HIDDEN_REASONING_FLAG):
        return False
    id_, names = _QUICK[sort]
    times = [document[name] for name in names if name in document]
    for outer, inner in _QUICK_INSIDE:
        part = document.get(outer)
        if isinstance(part, dict) and inner in part:
            times.append(part[inner])
    exact = not any(str(document.get(name)).endswith("\n") for name in (id_, "suggested_scope"))
    return exact and all(isinstance(one, str) and is_instant(one) for one in times)


def _told(flaw: Flaw, document: JsonObject, path: str) -> Finding:
    """A flaw under the name this contract has for it."""
    inside = flaw.path[len(path) if path != "/" else 0 :]
    code = flaw.code
    if code == "unknown" and inside.count("/") == 1 and _LIKE_AN_EXTENSION.match(inside[1:]):
        return error(
            "extension_name", flaw.path, "expected a name of x_ and then a-z, 0-9 or _ for a field of your own"
        )
    if code == "pattern" and _TIMES.fullmatch(inside):
        return _told_time(flaw, document, inside)
    if code == "pattern" and inside.endswith("/suggested_scope"):
        return error("enum", flaw.path, f"expected one of {_SCOPES}, or a scope of your own named x_ and a-z, 0-9 or _")
    if inside == "/confidence" and code in ("enum", "type"):
        return error(code, flaw.path, "expected a number from 0 to 1, or low, medium or high")
    if code == "enum" and inside in ("/worker_write_mode", "/durable_write_allowed"):
        code = WRITE
    elif code == "enum" and inside == "/artifact/hidden_reasoning_included":
        code = HIDDEN
    return error(code, flaw.path, flaw.message)


def _told_time(flaw: Flaw, document: JsonObject, inside: str) -> Finding:
    value: Json = document
    for step in inside.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value.get(step) if isinstance(value, dict) else None
    if isinstance(value, str) and is_instant(value):
        return error("not_utc", flaw.path, "expected a time in UTC, ending in Z or +00:00")
    return error("format", flaw.path, "expected an instant in UTC, such as 2026-03-01T09:30:00Z")


def expectation(finding: Finding) -> str:
    """What a finding asks for, in words that follow "expected".

    >>> expectation(error("missing", "/", "record_id is missing")), expectation(error("unknown", "/a", "no field a"))
    ('an object with record_id', 'a valid document: no field a')
    """
    words_ = finding.message
    if words_.startswith("expected "):
        return words_.removeprefix("expected ")
    name, found, rest = words_.partition(" is missing")
    if found:
        return f"an object with {name}{rest}" if finding.code == "missing" else f"{name}{rest}"
    return (
        "no such field"
        if finding.code == "unknown" and words_.startswith("there is")
        else f"a valid document: {words_}"
    )


def _event(event: JsonObject, path: str) -> Iterator[Finding]:
    yield from _named(event, "source_agent", path)
    yield from _sure(event, path)
    kind, scope = event.get("memory_kind"), event.get("suggested_scope")
    if event.get("evidence_refs") == [] and kind != "hypothesis":
        yield error("evidence", below(path, "evidence_refs"), "expected evidence; only a hypothesis may come without")
    if kind == "deprecation" or event.get("disposition_hint") == "deprecate":
        yield from _needs_target(event, path, "supersedes", "expected the record that is superseded")
    if kind == "conflict":
        yield from _needs_target(event, path, "conflicts_with", "expected the record it disagrees with")
    yield from _both(event, path)
    yield from _chartered(event, scope, path)
    yield from _bounded(event, scope, path)
    yield from (
        warning("kind_part", path, f"a {kind} should say its {name}")
        for name in usability.missing_for_kind(event)
        if name != "expiry"
    )


def _named(document: JsonObject, name: str, path: str) -> Iterator[Finding]:
    agent = document.get(name)
    if isinstance(agent, dict) and agent_name(agent) is None:
        yield error("missing", below(path, name), "agent_id is missing")


def _sure(event: JsonObject, path: str) -> Iterator[Finding]:
    said = event.get("confidence")
    if isinstance(said, dict) and not any(name in said for name in ("score", "value", "level")):
        yield error("missing", below(path, "confidence"), "score is missing")


def _request(request: JsonObject, path: str) -> Iterator[Finding]:
    yield from _named(request, "consumer_agent", path)


def _needs_target(document: JsonObject, path: str, name: str, words_: str) -> Iterator[Finding]:
    if not document.get(name):
        yield error("target", below(path, name), words_)


def _both(document: JsonObject, path: str) -> Iterator[Finding]:
    """What two fields must say together."""
    first, last = document.get("effective_from"), document.get("effective_to")
    if isinstance(first, str) and isinstance(last, str) and instant_of(last) < instant_of(first):
        yield error("order", below(path, "effective_to"), "expected a time that is not before effective_from")
    claim = document.get("claim")
    if isinstance(claim, dict):
        said = [name for name in ("subject", "key", "value") if name in claim]
        if said and len(said) < 3:
            yield error("together", below(path, "claim"), "expected subject, key and value together, or none of them")


def _chartered(document: JsonObject, scope: Json, path: str) -> Iterator[Finding]:
    if not isinstance(scope, str) or scope in _CORE:
        return
    say = error if scope == "x_user_identity" else warning
    for name in usability.missing_in_charter(document):
        yield say("extension_scope", below(path, "charter"), f"{name} is missing: the scope {scope} needs it")


def _bounded(event: JsonObject, scope: Json, path: str) -> Iterator[Finding]:
    """Which project or team is meant should be said somewhere; a curator has to ask otherwise."""
    agent, task = event.get("source_agent"), event.get("task")
    if agent is None or task is None:
        return
    inside = {**(agent if isinstance(agent, dict) else {}), **(task if isinstance(task, dict) else {}), **event}
    if scope == "project" and "project_id" not in inside:
        yield warning("boundary", path, "project_id should say which project is meant")
    if scope == "agent_team" and "team_id" not in inside:
        yield warning("boundary", path, "team_id should say which team is meant")


def _record(record: JsonObject, path: str) -> Iterator[Finding]:
    kind = record.get("kind")
    if kind == "deprecation":
        yield from _needs_target(record, path, "supersedes", "expected the record that is superseded")
    if kind == "conflict" and not record.get("conflict_group"):
        yield from _needs_target(record, path, "conflicts_with", "expected the sides of the conflict")
    yield from _both(record, path)
    yield from _sure(record, path)
    if record.get("status") in usability.IN_USE:
        for name in usability.missing_for_use(record):
            yield error("unusable", path, f"{name} is missing: without it a record is not usable")
        yield from _chartered(record, record.get("scope"), path)


def _report(report: JsonObject, path: str) -> Iterator[Finding]:
    steps = report.get("steps")
    if not isinstance(steps, list):
        return
    told = [step for step in steps if isinstance(step, dict)]
    if [step.get("step") for step in told] != list(_STEPS):
        yield error("steps", below(path, "steps"), "expected the nine steps, each once, in their order")
    outcomes = [step.get("outcome") for step in told]
    ended = outcomes.index("refused") if "refused" in outcomes else None
    if ended is not None and any(one != "not_run" for one in outcomes[ended + 1 :]):
        yield error("steps", below(path, "steps"), "expected every step after a refusal to be not_run")


_STEPS = get_args(words.StepName)


def _response(response: JsonObject, path: str) -> Iterator[Finding]:
    abstained, reasons, results = (response.get(name) for name in ("abstained", "abstain_reasons", "results"))
    if bool(reasons) is not bool(abstained):
        yield error("abstention", below(path, "abstain_reasons"), "expected reasons if, and only if, it abstains")
    if abstained and isinstance(results, list):
        for number, result in enumerate(results):
            if isinstance(result, dict) and result.get("presented_as") == "claim":
                where = below(path, "results", number, "presented_as")
                yield error("abstention", where, "expected no answer where the response abstains")
    grants = response.get("grants")
    for name, given in (grants if isinstance(grants, dict) else {}).items():
        if given is True:
            yield error(
                "direct_write", below(path, "grants", name), "expected false: a retrieval grants nothing but reading"
            )


def _ticket(ticket: JsonObject, path: str) -> Iterator[Finding]:
    event = ticket.get("event")
    if isinstance(event, dict):
        yield from _event(event, below(path, "event"))


_RULES: dict[str, Rule] = {
    "MemoryEvent": _event,
    "MemoryRecord": _record,
    "CurationReport": _report,
    "RetrievalRequest": _request,
    "RetrievalResponse": _response,
    "MemoryTicket": _ticket,
}
