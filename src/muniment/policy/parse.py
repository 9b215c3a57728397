"""Read a policy from YAML or TOML text, strictly, and say on which line it goes wrong. Touches no file itself."""

from __future__ import annotations

import math
import re
import tomllib
from functools import lru_cache
from typing import TypeVar

import msgspec
import yaml

from muniment.model import checks
from muniment.model.actor import Actor
from muniment.model.decoding import convert
from muniment.model.errors import CallerError, Malformed, PolicyInvalid
from muniment.model.gate import Thresholds
from muniment.model.value import Value
from muniment.policy.rules import ANYONE, Policy, PolicyMember, ReadRule, ReviewRule, SettleRule, WriteRule

BYTES_MAX = 262_144
DEPTH_MAX = 16
_PATH = re.compile(r" - at `([^`]*)`$")
_UNKNOWN = re.compile(r"unknown field `([^`]*)`")
_TOML_LINE = re.compile(r"\(at line (\d+)")
_TAGS: dict[type[yaml.Node], set[str]] = {
    yaml.ScalarNode: {f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null")},
    yaml.SequenceNode: {"tag:yaml.org,2002:seq"},
    yaml.MappingNode: {"tag:yaml.org,2002:map"},
}

Plain = str | int | float | bool | None | list["Plain"] | dict[str, "Plain"]
Lines = dict[str, int]
_V = TypeVar("_V", bound=Value)
NAME_SHOWN = 64


def parse_policy(text: str, *, place: str) -> Policy:
    """Read a policy. `place` is what errors call it, usually the file's name; `.toml` is read as TOML, else YAML."""
    if not _encodes(text):
        raise PolicyInvalid(place, 1, "a policy is text in UTF-8")
    if len(text.encode()) > BYTES_MAX:
        raise PolicyInvalid(place, 0, f"a policy is at most {BYTES_MAX} bytes long")
    policy = _parsed(text, place)
    return msgspec.structs.replace(policy, actors=dict(policy.actors))


@lru_cache(maxsize=16)  # every opening reads the same text, and reading YAML takes longer than the rest of it
def _parsed(text: str, place: str) -> Policy:
    plain, lines = _read_toml(text, place) if place.endswith(".toml") else _read_yaml(text, place)
    actors = plain.get("actors") if isinstance(plain, dict) else None
    for name, member in actors.items() if isinstance(actors, dict) else ():
        _convert(member, PolicyMember, f"$.actors.{name}", lines, place)
    _convert_thresholds(plain, lines, place)
    policy = _convert(plain, Policy, "$", lines, place)
    _check(policy, lines, place)
    return policy


def _encodes(text: str) -> bool:
    """Whether a text can be written down: halves of characters cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _convert_thresholds(plain: Plain, lines: Lines, place: str) -> None:
    """Read the gate's thresholds first, each on its own, so that an error names the line it is on."""
    trust = plain.get("trust") if isinstance(plain, dict) else None
    if not isinstance(trust, dict):
        return
    if "gate" in trust:
        _convert(trust["gate"], Thresholds, "$.trust.gate", lines, place)
    spaces = trust.get("namespaces")
    for space, thresholds in spaces.items() if isinstance(spaces, dict) else ():
        spot = f"$.trust.namespaces.{space}"
        _convert(thresholds, Thresholds, spot, lines, place)
        try:
            checks.namespace("namespace", space)
        except CallerError as error:
            raise PolicyInvalid(place, _line(lines, spot), f"{spot.removeprefix('$.')}: {error}") from None


def _convert(plain: Plain, kind: type[_V], path: str, lines: Lines, place: str) -> _V:
    try:
        return convert(plain, kind, strict=True)
    except msgspec.ValidationError as error:
        message = str(error)
    except CallerError as error:
        raise PolicyInvalid(place, _line(lines, path), f"{path.removeprefix('$.')}: {error}") from None
    found = _PATH.search(message)
    spot = path + (found[1].removeprefix("$") if found else "")
    unknown = _UNKNOWN.search(message)
    spot = f"{spot}.{unknown[1]}" if unknown else spot
    words = _PATH.sub("", message).replace("Object", "this part").replace("`", "'")
    line = _line(lines, spot)
    raise PolicyInvalid(place, line, f"{_short(spot.removeprefix('$.'))}: {_short(words)}")


def _short(words: str) -> str:
    """Words that may hold a name somebody made up, of a length that can be read."""
    return words if len(words) <= 3 * NAME_SHOWN else f"{words[: 2 * NAME_SHOWN]}…"


def _line(lines: Lines, path: str) -> int:
    """The line of a path, or of the nearest part above it that has one."""
    while path not in lines and path != "$":
        cut = max(path.rfind("."), path.rfind("["))
        path = path[:cut] if cut > 0 else "$"
    return lines.get(path, 1)


def _check(policy: Policy, lines: Lines, place: str) -> None:
    """What the types cannot say: one version, names that are ids, numbers in range, rule ids used once."""
    if policy.version != 1:
        raise PolicyInvalid(place, _line(lines, "$.version"), "version: this engine reads policies of version 1")
    try:
        checks.text("name", policy.name)
    except CallerError as error:
        raise PolicyInvalid(place, _line(lines, "$.name"), str(error)) from None
    try:
        checks.unit_interval("missing_floor", policy.trust.missing_floor)
        checks.identifiers("inform", policy.trust.inform)
    except CallerError as error:
        raise PolicyInvalid(place, _line(lines, "$.trust"), f"trust.{error}") from None
    if policy.trust.missing_floor >= 1.0:
        spot = "$.trust.missing_floor"
        raise PolicyInvalid(
            place, _line(lines, spot), "trust.missing_floor: below 1, or what is missing would be certain"
        )
    try:
        checks.whole("quorum", policy.disputes.quorum, least=1, most=1_000)
    except CallerError as error:
        raise PolicyInvalid(place, _line(lines, "$.disputes.quorum"), f"disputes.{error}") from None
    _check_settling(policy, lines, place)
    seen: set[str] = set()
    sections: tuple[tuple[str, tuple[WriteRule | ReadRule | ReviewRule, ...]], ...] = (
        ("write", policy.write),
        ("read", policy.read),
        ("review", policy.review),
    )
    for section, rules in sections:
        for number, rule in enumerate(rules):
            spot = f"$.{section}[{number}]"
            try:
                _check_rule(rule)
            except CallerError as error:
                raise PolicyInvalid(place, _line(lines, spot), f"{section}[{number}].{error}") from None
            if rule.id in seen:
                raise PolicyInvalid(
                    place, _line(lines, f"{spot}.id"), f"{section}[{number}].id: used by an earlier rule"
                )
            seen.add(rule.id)
    for name, member in policy.actors.items():
        try:
            Actor(
                id="anyone" if name == ANYONE else name,
                type=member.type,
                roles=member.roles,
                teams=member.teams,
                projects=member.projects,
                sessions=member.sessions,
                authority=member.authority,
            )
        except CallerError as error:
            field = getattr(error, "field", "").removeprefix("actor.")
            raise PolicyInvalid(place, _line(lines, f"$.actors.{name}.{field}"), f"actors.{name}: {error}") from None


def _check_settling(policy: Policy, lines: Lines, place: str) -> None:
    """The names in what settles disputes, and in how they are told."""
    names: set[str] = set()
    for number, rule in enumerate(policy.disputes.settle_rules):
        spot = f"disputes.settle[{number}]"
        try:
            checks.identifier("id", rule.id)
            _check_places(rule)
            if rule.id in names or not rule.by or len(set(rule.by)) < len(rule.by):
                raise Malformed("by" if rule.id not in names else "id", "given once, and not empty")
        except CallerError as error:
            raise PolicyInvalid(place, _line(lines, f"$.{spot}"), f"{spot}.{error}") from None
        names.add(rule.id)
    contested = policy.reading.contested
    for purpose in contested if isinstance(contested, dict) else ():
        try:
            checks.identifier("purpose", "any" if purpose == ANYONE else purpose)
        except CallerError as error:
            raise PolicyInvalid(place, _line(lines, "$.reading.contested"), f"reading.contested: {error}") from None


def _check_places(rule: WriteRule | ReadRule | ReviewRule | SettleRule) -> None:
    for number, space in enumerate(rule.namespaces or ()):
        checks.namespace(f"namespaces[{number}]", space)
    checks.identifiers("scope_ids", rule.scope_ids or ())


def _check_rule(rule: WriteRule | ReadRule | ReviewRule) -> None:
    checks.identifier("id", rule.id)
    _check_places(rule)
    if not isinstance(rule, ReadRule) and rule.authority_min is not None:
        checks.whole("authority_min", rule.authority_min, least=0, most=10)
    if isinstance(rule, WriteRule):
        checks.text("reason", rule.reason)
        checks.optional_unit_interval("confidence_min", rule.confidence_min)
        if rule.evidence_min is not None:
            checks.whole("evidence_min", rule.evidence_min, least=0, most=checks.LIST_LENGTH_MAX)
        if rule.review_days is not None:
            checks.whole("review_days", rule.review_days, least=1, most=36_500)


def _read_yaml(text: str, place: str) -> tuple[Plain, Lines]:
    lines: Lines = {}
    try:
        depth = 0
        for event in yaml.parse(text, yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > DEPTH_MAX:  # before the whole text is read: deep nesting is slow to read
                raise PolicyInvalid(place, _mark_line(event.start_mark), f"nested more than {DEPTH_MAX} deep")
            if isinstance(event, yaml.AliasEvent):
                raise PolicyInvalid(place, _mark_line(event.start_mark), "aliases are not allowed in a policy")
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise PolicyInvalid(place, _mark_line(mark), f"not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise PolicyInvalid(place, 1, f"not YAML: {error}") from None
    except (ValueError, ArithmeticError):
        raise PolicyInvalid(place, 1, "not YAML: a value that cannot be read") from None
    except RecursionError:
        raise PolicyInvalid(place, 1, "nested too deeply") from None
    if node is None:
        raise PolicyInvalid(place, 1, "the policy is empty; start from `muniment policy show`")
    return _plain(node, "$", lines, place), lines


def _mark_line(mark: object) -> int:
    """The line of a YAML mark; its two makes have no type in common."""
    return int(getattr(mark, "line", 0)) + 1


def _plain(node: yaml.Node, path: str, lines: Lines, place: str) -> Plain:
    line = node.start_mark.line + 1
    lines.setdefault(path, line)
    if node.tag not in _TAGS[type(node)]:
        raise PolicyInvalid(place, line, "only plain text, numbers, true, false and null are allowed as values")
    if isinstance(node, yaml.SequenceNode):
        return [_plain(child, f"{path}[{number}]", lines, place) for number, child in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, lines, place)
    try:
        value: Plain = yaml.SafeLoader("").construct_object(node)
    except (ValueError, ArithmeticError, LookupError, yaml.YAMLError):
        raise PolicyInvalid(place, line, "a value that cannot be read") from None
    if isinstance(value, str) and not _encodes(value):
        raise PolicyInvalid(place, line, "a value that is no text")
    if isinstance(value, float) and not math.isfinite(value):
        raise PolicyInvalid(place, line, "a number that is not finite")
    return value


def _mapping(node: yaml.MappingNode, path: str, lines: Lines, place: str) -> dict[str, Plain]:
    result: dict[str, Plain] = {}
    for key, child in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise PolicyInvalid(place, line, "keys are plain words")
        if not _encodes(key.value):
            raise PolicyInvalid(place, line, "keys are plain words")
        if key.value in result:
            raise PolicyInvalid(place, line, f"{key.value[:NAME_SHOWN]}: given twice")
        lines[f"{path}.{key.value}"] = line
        result[key.value] = _plain(child, f"{path}.{key.value}", lines, place)
    return result


def _read_toml(text: str, place: str) -> tuple[Plain, Lines]:
    try:
        return tomllib.loads(text), _toml_lines(text)
    except tomllib.TOMLDecodeError as error:
        found = _TOML_LINE.search(str(error))
        raise PolicyInvalid(place, int(found[1]) if found else 1, f"not TOML: {error}") from None
    except ValueError:
        raise PolicyInvalid(place, 1, "not TOML: a value that cannot be read") from None
    except RecursionError:
        raise PolicyInvalid(place, 1, "nested too deeply") from None


def _toml_lines(text: str) -> Lines:
    """Where tables and keys of a TOML text stand. The parser does not tell; headers and `key =` lines do."""
    lines: Lines = {"$": 1}
    counts: dict[str, int] = {}
    table = "$"
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if line.startswith("[["):
            name = line.strip("[] ").split("]")[0]
            counts[name] = counts.get(name, -1) + 1
            table = f"$.{name}[{counts[name]}]"
            lines[table] = number
        elif line.startswith("["):
            table = "$." + line.strip("[] ").split("]")[0].replace('"', "")
            lines[table] = number
        elif "=" in line and not line.startswith("#"):
            key = line.split("=")[0].strip().strip('"')
            lines.setdefault(f"{table}.{key}", number)
    return lines
