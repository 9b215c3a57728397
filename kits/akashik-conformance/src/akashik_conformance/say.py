"""What the suite says, and how it reads what it is told: payloads made, documents taken apart, wishes in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise

import msgspec

from akashik_conformance.binding import TRANSPORT_ERROR, Json, JsonObject
from akashik_conformance.shapes import flaws

PURPOSE: JsonObject = {"purpose": "to be told"}
OLD, NEW = "The market grows at 23 percent a year", "The market grows at 14 percent a year"
SUBJECTS = ("harbour", "library", "orchard", "railway", "theatre", "quarry", "brewery", "archive")


def finding(content: str, **more: Json) -> JsonObject:
    """The payload of a RECORD that a Field of any level takes, with whatever is said of it beside."""
    return {
        "type": "finding",
        "content": content,
        "intent": PURPOSE,
        "confidence": {"score": 0.8, "reasoning": "seen"},
        **more,
    }


def scope(max_units: int = 50, /, **more: Json) -> JsonObject:
    """The payload of an ATTUNE; `format`, `context_hint` and `beside` (a top-level `since_epoch`) stand beside it."""
    top: JsonObject = {name: more.pop(name) for name in ("format", "context_hint") if name in more}
    if "beside" in more:
        top["since_epoch"] = more.pop("beside")
    return {"scope": {"role": "researcher", "max_units": max_units, **more}, **top}


def link(kind: str, target: str, description: str | None = None) -> list[Json]:
    """One relation, as a list of relations."""
    found: JsonObject = {"type": kind, "target_id": target}
    return [found if description is None else {**found, "description": description}]


def merge(conflict: str, strategy: str, **more: Json) -> JsonObject:
    """The payload of a MERGE with a rationale."""
    return {
        "conflict_id": conflict,
        "strategy": strategy,
        "resolution": {"rationale": "for good reasons", **more},
    }


def replay(kind: str, target: str, depth: str = "full_trace") -> JsonObject:
    return {"target_type": kind, "target_id": target, "depth": depth}


def without(payload: JsonObject, name: str) -> JsonObject:
    return {key: value for key, value in payload.items() if key != name}


def read_object(text: bytes | str) -> JsonObject:
    """A JSON object out of its text."""
    found: Json = msgspec.json.decode(text)
    if not isinstance(found, dict):
        raise AssertionError(f"expected a JSON object, saw {brief(found)}")
    return found


def part(document: JsonObject, name: str) -> JsonObject:
    """The object under a name."""
    found = document.get(name)
    if not isinstance(found, dict):
        raise AssertionError(f"expected an object under {name!r}, saw {brief(document)}")
    return found


def parts(document: JsonObject, name: str) -> list[JsonObject]:
    """The objects in a list under a name."""
    found = document.get(name)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise AssertionError(f"expected a list of objects under {name!r}, saw {brief(document)}")
    return [one for one in found if isinstance(one, dict)]


def words(document: JsonObject, name: str) -> list[str]:
    """The texts in a list under a name."""
    found = document.get(name)
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise AssertionError(f"expected a list of texts under {name!r}, saw {brief(document)}")
    return [str(one) for one in found]


def word(document: JsonObject, name: str) -> str:
    """The text under a name, which says something."""
    found = document.get(name)
    if not isinstance(found, str) or not found.strip():
        raise AssertionError(f"expected a text under {name!r}, saw {brief(document)}")
    return found


def whole(document: JsonObject, name: str) -> int:
    """The whole number under a name."""
    found = document.get(name)
    if not isinstance(found, int) or isinstance(found, bool):
        raise AssertionError(f"expected a whole number under {name!r}, saw {brief(document)}")
    return found


def fraction(document: JsonObject, name: str) -> float:
    """The number from 0 to 1 under a name."""
    found = document.get(name)
    if not isinstance(found, (int, float)) or isinstance(found, bool) or not 0.0 <= found <= 1.0:
        raise AssertionError(f"expected a number from 0 to 1 under {name!r}, saw {brief(document)}")
    return float(found)


def brief(value: object) -> str:
    """A value in few words."""
    text = repr(value)
    return text if len(text) <= 300 else text[:300] + "…"


def holds(true: bool, told: str) -> None:
    if not true:
        raise AssertionError(told)


def same(seen: object, expected: object, what: str) -> None:
    if seen != expected:
        raise AssertionError(f"{what}: expected {brief(expected)}, saw {brief(seen)}")


def refused(answer: JsonObject, codes: str | Collection[str] | None, what: str) -> None:
    """An error document, complete, under one of these codes; under any if there is None."""
    code = answer.get("code")
    allowed = [codes] if isinstance(codes, str) else codes
    if not isinstance(code, str) or (allowed is not None and code not in allowed):
        expected = "an error" if allowed is None else " or ".join(allowed)
        raise AssertionError(f"{what}: expected {expected}, saw {brief(answer)}")
    if code != TRANSPORT_ERROR:
        valid("error", answer)


def went(answer: JsonObject, status: str, what: str) -> JsonObject:
    """An answer of that status."""
    if answer.get("status") != status:
        raise AssertionError(f"{what}: expected the status {status!r}, saw {brief(answer)}")
    return answer


def valid(name: str, document: JsonObject) -> JsonObject:
    """A document that has the shape which the protocol gives it."""
    if wrong := flaws(name, document):
        raise AssertionError(f"no valid {name}: {wrong[0]}; saw {brief(document)}")
    return document


def rising(numbers: Iterable[int]) -> bool:
    """Whether each is higher than the one before."""
    return all(later > earlier for earlier, later in pairwise(numbers))
