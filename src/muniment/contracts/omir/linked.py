"""A bundle as linked data: a context of ours, laid over the canonical one, under which references meet their targets.

The shape of the document does not change. With our context every resource is a node named by its type and id, each
reference is a link to such a node, and values that RDF cannot spell as the canonical context types them are typed so
that it can. It is made for the bundle: an id with a colon would be read as a name of its own, so its first part becomes
a prefix; and times stay plain text where XML Schema does not know one of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files

from muniment.contracts.omir.terms import ORDER
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import Malformed

BASE = "https://muniment.invalid/omir/"
"""What names of nodes begin with where nobody says otherwise. Nothing can be fetched there."""

INSTANTS = (
    "createdAt",
    "lastUpdated",
    "eventTime",
    "validUntil",
    "lastAccess",
    "lastSeenAt",
    "validAt",
    "invalidatedAt",
    "generatedAt",
)
_KNOWN = re.compile(
    r"(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:(?!60)\d\d(\.\d+)?(Z|[+-](0\d|1[0-3]):\d\d|[+-]14:00)", re.ASCII
)
_LINKS = ("from", "to", "sourceEpisode", "entityRefs", "competesWith")
_FIELDS = {kind.value: frozenset(fields) for kind, fields in ORDER.items()} | {
    "Bundle": frozenset({"id", "resourceType", "omirVersion", "entry", "generatedAt", "source", "familiaritySketch"})
}
_RESERVED = frozenset({"", "_", "omir", "xsd"})


def context() -> JsonObject:
    """Our context as it is published: what it needs for any bundle."""
    found: JsonObject = json.loads(files("muniment.contracts.omir").joinpath("context.json").read_bytes())
    return found


def linked(bundle: JsonObject, *, base: str = BASE) -> JsonObject:
    """The bundle with a context under which it can be lifted. Whoever reads it as plain JSON sees no difference.

    Raises `Malformed` for an id that linked data cannot tell from one of its own words.
    """
    found = context()
    if not all(_KNOWN.fullmatch(text) for text in _instants(bundle)):
        found |= {name: {"@id": f"omir:{name}"} for name in INSTANTS}
    for name in _LINKS:
        _scope(found, name)["@base"] = base
    for kind, fields in _FIELDS.items():
        scope = _scope(found, kind)
        scope["@base"] = f"{base}{kind}/"
        for word in sorted(_prefixes(bundle, kind, fields)):
            scope[word] = {"@id": f"{base}{kind}/{word}:", "@prefix": True}
    rest = {key: value for key, value in bundle.items() if key != "@context"}
    return {"@context": found, **rest}


def _scope(found: JsonObject, term: str) -> JsonObject:
    """The part of a context that holds for one term."""
    term_of = found[term]
    assert isinstance(term_of, dict), "written so"
    scope = term_of["@context"]
    assert isinstance(scope, dict), "written so"
    return scope


def _prefixes(bundle: JsonObject, kind: str, fields: frozenset[str]) -> set[str]:
    """The first parts of the ids of one type that have a colon."""
    found: set[str] = set()
    for path, resource in _resources(bundle):
        for name in ("id", "parentId"):
            id_ = resource.get(name)
            if resource["resourceType"] != kind or not isinstance(id_, str) or ":" not in id_:
                continue
            word = id_.partition(":")[0]
            if word in fields or word in _RESERVED:
                raise Malformed(f"{path}/{name}", "an id that does not begin with a word of OMIR and a colon")
            found.add(word)
    return found


def _resources(bundle: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    yield "", bundle
    entries = bundle["entry"]
    assert isinstance(entries, list), "a bundle has entries"
    for number, entry in enumerate(entries):
        assert isinstance(entry, dict), "checked as a document"
        yield f"/entry/{number}", entry


def _instants(bundle: JsonObject) -> Iterator[str]:
    """Every time in the bundle that is a field of OMIR's."""
    for _, resource in _resources(bundle):
        for holder in (resource, resource.get("meta"), resource.get("decay")):
            if isinstance(holder, dict):
                yield from (text for name in INSTANTS if isinstance(text := holder.get(name), str))


def node(kind: str, id_: Json, *, base: str = BASE) -> str:
    """The name of a resource as linked data."""
    assert kind in _FIELDS, "one of the resources, or the bundle"
    return f"{base}{kind}/{id_}"
