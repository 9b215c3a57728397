"""Small bundles for the tests of the validator, and what a report says of them in a line. Knows no expected value."""

from __future__ import annotations

import json

from muniment.contracts.omir.report import Level, Report, ReportVerdict
from muniment.contracts.omir.validate import OPTIONS, Options, validate
from muniment.contracts.strict.values import Json, JsonObject

AT = "2026-05-30T11:42:05Z"
META: JsonObject = {"omirVersion": "R1"}


def record(id_: str = "m1", /, **fields: Json) -> JsonObject:
    return {"resourceType": "MemoryRecord", "id": id_, "meta": META, "content": "words", "createdAt": AT, **fields}


def entity(id_: str = "a", /, **fields: Json) -> JsonObject:
    return {"resourceType": "Entity", "id": id_, "meta": META, "name": "Ana", **fields}


def edge(id_: str = "r1", from_: str = "a", to: str = "a", /, **fields: Json) -> JsonObject:
    ends: JsonObject = {"from": {"ref": f"Entity/{from_}"}, "to": {"ref": f"Entity/{to}"}}
    return {
        "resourceType": "Relationship",
        "id": id_,
        "meta": META,
        **ends,
        "relationType": "works_with",
        **fields,
    }


def episode(id_: str = "e1", /, **fields: Json) -> JsonObject:
    return {"resourceType": "Episode", "id": id_, "meta": META, "content": "words", "createdAt": AT, **fields}


def bundle(*entries: Json, **fields: Json) -> bytes:
    return spelled({"resourceType": "Bundle", "omirVersion": "R1", **fields, "entry": list(entries)})


def spelled(value: Json) -> bytes:
    return json.dumps(value).encode()


def without(value: JsonObject, name: str) -> JsonObject:
    return {key: part for key, part in value.items() if key != name}


def parity(data: bytes, level: Level = Level.CORE) -> Report:
    return validate(data, verdict=ReportVerdict.PARITY, level=level)


def spec(data: bytes, level: Level = Level.CORE, options: Options = OPTIONS) -> Report:
    return validate(data, level=level, options=options)


def told(report: Report) -> list[tuple[str, str]]:
    """Code and path of every finding, in order."""
    return [(one.code, one.path) for one in report.findings]


def of(report: Report, *codes: str) -> list[tuple[str, str]]:
    """Code and path of the findings with one of these codes."""
    return [pair for pair in told(report) if pair[0] in codes]
