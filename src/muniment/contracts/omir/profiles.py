"""Profiles of OMIR as data: how a definition is written and read, and whether resources keep to those they claim.

A profile only narrows. A definition that names a field, a value or a bound the base resource does not have, or that
forbids what the base demands, is refused when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import inspect

from muniment.contracts.omir.wire import RESOURCES
from muniment.contracts.strict.uris import is_uri
from muniment.contracts.strict.values import JsonObject
from muniment.model.decoding import decode_json
from muniment.model.errors import Malformed, Unreadable
from muniment.model.value import Value

Plain = bool | int | float | str
R1_PROFILES = ("omir-coding-agent", "omir-robotics", "omir-personal-assistant")


class RuleStrength(StrEnum):
    """How much a rule demands: breaking the first is an error, breaking the second a warning."""

    MUST = "must"
    SHOULD = "should"


class Bearing(StrEnum):
    """What a resource may be about that its fields do not say; see `Predicates`."""

    LOCATION = "location"
    PERSONAL = "personal"


class Rule(Value):
    """One rule: on which resources, under which condition, and exactly one demand.

    Conditions: `when` (a field has one of these values), `bearing`. Demands: `require` a field, `forbid` a field,
    require an `extension`; or, of a `field` that is there: that it is `among` values, `includes` one of them, is
    `at_least` or `at_most` so much. Fields within fields are written with a slash.
    """

    on: str
    level: RuleStrength
    says: str
    when: dict[str, tuple[Plain, ...]] = msgspec.field(default_factory=dict)
    bearing: Bearing | None = None
    require: str | None = None
    forbid: str | None = None
    extension: str | None = None
    field: str | None = None
    among: tuple[Plain, ...] | None = None
    includes: tuple[Plain, ...] | None = None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def place(self) -> str:
        """Where in a resource a breach of it is told."""
        return self.field or self.forbid or ("extension" if self.extension is not None else "")


class Profile(Value):
    """A profile: its address, the resources it is about, its rules."""

    url: str
    title: str
    base: tuple[str, ...]
    rules: tuple[Rule, ...]


class Predicates(Value):
    """What makes a resource bear a location or personal matter: an entity has one of these labels, a memory or an
    episode refers to such an entity. Empty labels: nothing does."""

    location: tuple[str, ...] = ("location",)
    personal: tuple[str, ...] = ("person",)

    def labels(self, bearing: Bearing) -> tuple[str, ...]:
        return self.location if bearing is Bearing.LOCATION else self.personal


_DEMANDS = ("require", "forbid", "extension", "among", "includes", "at_least", "at_most")


@cache
def r1_profiles() -> tuple[Profile, ...]:
    """The three profiles of R1."""
    folder = files("muniment.contracts.omir").joinpath("profiles")
    return tuple(read_profile(folder.joinpath(f"{name}.json").read_bytes()) for name in R1_PROFILES)


def read_profile(data: bytes) -> Profile:
    """Read a definition. Raises `Malformed` if it relaxes or contradicts the base, with a pointer to the rule."""
    try:
        profile = decode_json(data, Profile)
    except msgspec.ValidationError as error:
        raise Malformed("profile", f"a profile definition ({error})") from None
    except msgspec.MsgspecError:
        raise Unreadable("/", "a profile definition in JSON", line=1, column=1) from None
    if not is_uri(profile.url):
        raise Malformed("/url", "an absolute URI")
    for number, kind in enumerate(profile.base):
        if kind not in RESOURCES:
            raise Malformed(f"/base/{number}", "MemoryRecord, Entity, Relationship or Episode")
    for number, rule in enumerate(profile.rules):
        _narrows(rule, profile, f"/rules/{number}")
    return profile


def _narrows(rule: Rule, profile: Profile, path: str) -> None:
    if rule.on not in profile.base:
        raise Malformed(f"{path}/on", "a resource of the profile's base")
    made = [name for name in _DEMANDS if getattr(rule, name) is not None]
    bounds = {"at_least", "at_most"} == set(made)
    if len(made) != 1 and not bounds:
        raise Malformed(path, f"exactly one demand of {', '.join(_DEMANDS)}")
    on_field = made[0] not in ("require", "forbid", "extension")
    if on_field is (rule.field is None):
        raise Malformed(f"{path}/field", "the field that a demand on values is about, and none otherwise")
    for name in rule.when:
        _known(rule.on, name, f"{path}/when")
        _values(rule.on, name, rule.when[name], f"{path}/when")
    if rule.require is not None:
        _known(rule.on, rule.require, f"{path}/require")
    if rule.forbid is not None and _known(rule.on, rule.forbid, f"{path}/forbid").required:
        raise Malformed(f"{path}/forbid", "a field that the base does not require")
    if rule.extension is not None and not is_uri(rule.extension):
        raise Malformed(f"{path}/extension", "an absolute URI")
    if rule.field is not None:
        _tightens(rule, rule.field, path)


def _tightens(rule: Rule, field: str, path: str) -> None:
    _known(rule.on, field, f"{path}/field")
    _values(rule.on, field, (*(rule.among or ()), *(rule.includes or ())), path)
    for name in ("at_least", "at_most"):
        bound = getattr(rule, name)
        kind = _plain(_known(rule.on, field, path).type)
        if bound is None:
            continue
        if not isinstance(kind, (inspect.IntType, inspect.FloatType)):
            raise Malformed(f"{path}/{name}", "a bound of a number")
        if _outside(kind, bound):
            raise Malformed(f"{path}/{name}", "a bound within those of the base")


def _outside(kind: inspect.IntType | inspect.FloatType, bound: float) -> bool:
    least = kind.ge if kind.ge is not None else kind.gt
    most = kind.le if kind.le is not None else kind.lt
    return (least is not None and bound < least) or (most is not None and bound > most)


def _values(on: str, field: str, values: Iterable[Plain], path: str) -> None:
    """Refuse values that the base does not have: a profile may take values away, not add any."""
    kind = _plain(_known(on, field, path).type)
    if isinstance(kind, (inspect.ListType, inspect.VarTupleType)):
        kind = _plain(kind.item_type)
    if isinstance(kind, inspect.LiteralType) and not set(values) <= set(kind.values):
        raise Malformed(path, f"values of the base: {', '.join(map(str, kind.values))}")


def _known(on: str, field: str, path: str) -> inspect.Field:
    found: inspect.Field | None = None
    kind = inspect.type_info(RESOURCES[on])
    for name in field.split("/"):
        fields = kind.fields if isinstance(kind, inspect.StructType) else ()
        found = next((one for one in fields if one.encode_name == name), None)
        if found is None:
            raise Malformed(path, f"a field that a {on} has")
        kind = _plain(found.type)
    assert found is not None, "a text has at least one part"
    return found


def _plain(kind: inspect.Type) -> inspect.Type:
    """A type without its description and without the possibility of being absent."""
    while True:
        if isinstance(kind, inspect.Metadata):
            kind = kind.type
        elif isinstance(kind, inspect.UnionType):
            (kind,) = (one for one in kind.types if getattr(one, "cls", None) is not msgspec.UnsetType)
        else:
            return kind


class Breach(Value):
    """A rule that a resource does not keep, or a claim that cannot be looked into."""

    code: str
    place: str
    message: str
    value: str


class Claims:
    """The profiles that are known in a run, and which of them are asked for. `asked`: whether the run is about profiles
    at all; `every`: whether a claim of an unknown one is told."""

    def __init__(
        self, profiles: Sequence[Profile], *, required: Sequence[str], asked: bool, every: bool, predicates: Predicates
    ) -> None:
        self.asked = asked
        self._profiles = {profile.url: profile for profile in profiles}
        self._required = tuple(required)
        self._every = every
        self._predicates = predicates
        for url in required:
            if url not in self._profiles:
                raise Malformed("require_profile", f"the url of a known profile, not {url}")

    def breaches(self, resource: JsonObject, labels: Mapping[str, frozenset[str]]) -> Iterator[Breach]:
        """What one valid resource does not keep. `labels`: those of each entity of the bundle, by its id."""
        kind, claimed = str(resource["resourceType"]), _claimed(resource)
        for number, url in enumerate(claimed):
            profile = self._profiles.get(url)
            if profile is not None:
                yield from self._kept(profile, resource, kind, labels)
            elif self._every:
                yield Breach(code="E401", place=f"meta/profile/{number}", message=f"{url} is not known here", value=url)
        for url in self._required:
            if kind in self._profiles[url].base and url not in claimed:
                yield Breach(code="W402", place="", message=f"a {kind} must claim {url}", value=url)

    def _kept(
        self, profile: Profile, resource: JsonObject, kind: str, labels: Mapping[str, frozenset[str]]
    ) -> Iterator[Breach]:
        for rule in profile.rules:
            if rule.on != kind or not self._applies(rule, resource, labels) or keeps(rule, resource):
                continue
            code = "E400" if rule.level is RuleStrength.MUST else "W403"
            name = profile.url.rpartition("/")[2]
            yield Breach(
                code=code, place=rule.place, message=f"{name}: {_demand(rule)} ({rule.says})", value=profile.url
            )

    def _applies(self, rule: Rule, resource: JsonObject, labels: Mapping[str, frozenset[str]]) -> bool:
        for field, values in rule.when.items():
            found = _at(resource, field)
            if found not in values:
                return False
        if rule.bearing is None:
            return True
        wanted = frozenset(self._predicates.labels(rule.bearing))
        return not wanted.isdisjoint(_labels(resource, labels))


_ABSENT = object()


def _claimed(resource: JsonObject) -> list[str]:
    meta = resource.get("meta")
    profile = meta.get("profile") if isinstance(meta, dict) else None
    return [url for url in profile if isinstance(url, str)] if isinstance(profile, list) else []


def _labels(resource: JsonObject, labels: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The labels of an entity; of a memory or an episode those of the entities it refers to."""
    if resource["resourceType"] == "Entity":
        return labels.get(str(resource["id"]), frozenset())
    refs = resource.get("entityRefs")
    found: frozenset[str] = frozenset()
    for one in refs if isinstance(refs, list) else ():
        if isinstance(one, dict):
            found |= labels.get(str(one.get("ref")).partition("/")[2], frozenset())
    return found


def keeps(rule: Rule, resource: JsonObject) -> bool:
    """Whether a resource to which a rule applies does as it demands."""
    if rule.require is not None:
        return _at(resource, rule.require) is not _ABSENT
    if rule.forbid is not None:
        return _at(resource, rule.forbid) is _ABSENT
    if rule.extension is not None:
        extensions = resource.get("extension")
        many = extensions if isinstance(extensions, list) else []
        return any(isinstance(one, dict) and one.get("url") == rule.extension for one in many)
    assert rule.field is not None, "checked when it was read"
    return _value_keeps(rule, _at(resource, rule.field))


def _value_keeps(rule: Rule, found: object) -> bool:
    if rule.includes is not None:
        return isinstance(found, list) and any(one in rule.includes for one in found)
    if found is _ABSENT:
        return True
    if rule.among is not None:
        return all(one in rule.among for one in (found if isinstance(found, list) else [found]))
    assert isinstance(found, (int, float)), "a bound stands on a number"
    return (rule.at_least is None or found >= rule.at_least) and (rule.at_most is None or found <= rule.at_most)


def _at(resource: JsonObject, field: str) -> object:
    found: object = resource
    for name in field.split("/"):
        found = found.get(name, _ABSENT) if isinstance(found, dict) else _ABSENT
    return found


def _demand(rule: Rule) -> str:
    if rule.require is not None:
        return f"{rule.require} is missing"
    if rule.forbid is not None:
        return f"{rule.forbid} must not be there"
    if rule.extension is not None:
        return f"the extension {rule.extension} is missing"
    values = rule.among or rule.includes
    if values is not None:
        return f"{rule.field} must be one of {', '.join(map(str, values))}"
    bounds = [
        f"{word} {bound:g}" for word, bound in (("from", rule.at_least), ("to", rule.at_most)) if bound is not None
    ]
    return f"{rule.field} must be {' '.join(bounds)}"
