"""Everything that is wrong with the shape of an envelope or of an entry, and how the reference validator counts it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from muniment.contracts.omir.quoting import quoted
from muniment.contracts.omir.wire import RESOURCES, Envelope
from muniment.contracts.shape import flaws
from muniment.contracts.strict.pointer import ROOT
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.value import Value

_SUBS = {"missing": "required"}
_UNKNOWN = "unknown"
_WHOLE: dict[str, tuple[int, int | None]] = {
    "version": (1, None),
    "accessCount": (0, None),
    "mentionCount": (0, None),
    "maturity": (0, 5),
    "hashes": (1, None),
    "bits": (1, None),
}
"""The whole numbers of the resources, and their bounds."""


class Violation(Value):
    """One thing that is not as the schema wants it. Of what is missing or too much `path` is the object it should be
    in or is in, and `value` its name. `sub`: required, unknown, type, enum, range, format, pattern."""

    sub: str
    path: str
    message: str
    value: str | None = None


def envelope_violations(fields: JsonObject, *, entry: Json, has_entry: bool) -> list[Violation]:
    """What is wrong with an envelope. Its entries are looked at apart: of a list of them nothing is asked here."""
    shown: Json = [] if isinstance(entry, list) else entry
    whole: JsonObject = {**fields, "entry": shown} if has_entry else fields
    return _violations(whole, Envelope, ROOT)


def entry_violations(value: JsonObject, kind: str, path: str) -> list[Violation]:
    """What is wrong with an entry of a known type."""
    found = _violations(value, RESOURCES[kind], path)
    if kind == "Relationship" and "normalizedStrength" in value and "normalization" not in value:
        what = "normalization is missing: a normalizedStrength needs it"
        found.append(Violation(sub="together", path=path, message=what, value="normalization"))
    return found


def _violations(value: Json, kind: type, path: str) -> list[Violation]:
    found = []
    for flaw in flaws(value, kind, path):
        sub = _SUBS.get(flaw.code, flaw.code)
        if sub == _UNKNOWN:
            parent, _, name = flaw.path.rpartition("/")
            key = name.replace("~1", "/").replace("~0", "~")
            what = f"there is no field {quoted(key)} here"
            found.append(Violation(sub=sub, path=parent or ROOT, message=what, value=key))
        else:
            found.append(Violation(sub=sub, path=flaw.path, message=flaw.message))
    return found


def as_counted(found: Iterable[Violation], value: JsonObject, path: str) -> Iterator[Violation]:
    """The same violations as the reference validator's schema engine counts them: all unknown fields of one object
    together, and what breaks two rules at once twice."""
    crowded: dict[str, list[str]] = {}
    for one in found:
        if one.sub == _UNKNOWN:
            crowded.setdefault(one.path, []).append(str(one.value))
            continue
        yield one
        if _wrong_twice(one, value, path):
            yield one
    for parent, names in crowded.items():
        words = ", ".join(quoted(name) for name in names)
        yield Violation(sub=_UNKNOWN, path=parent, message=f"there is no field {words} here")


def _wrong_twice(one: Violation, value: JsonObject, path: str) -> bool:
    """Whether a value is of the wrong sort and out of bounds as well: a fraction where a whole number from 0 to 5 is
    wanted, a number where the text R1 is."""
    name = one.path.rpartition("/")[2]
    if one.sub == "enum" and name == "omirVersion":
        return not isinstance(_part(value, one.path, path), str)
    if one.sub != "type" or name not in _WHOLE:
        return False
    number = _part(value, one.path, path)
    least, most = _WHOLE[name]
    return isinstance(number, float) and (number < least or (most is not None and number > most))


def _part(value: Json, where: str, path: str) -> Json:
    start = "" if path == ROOT else path
    for step in where[len(start) :].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list):
            value = value[int(name)]
    return value
