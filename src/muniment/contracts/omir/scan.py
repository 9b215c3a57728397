"""One pass over the entries of a bundle: which resources there are, what they refer to, what is wrong with their shape.

A resource that is as it should be is read straight into its wire type; only what is not is looked at slowly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

import msgspec
from msgspec import UNSET, Raw

from muniment.contracts.omir.explain import Violation, entry_violations
from muniment.contracts.omir.reading import ENTRY_DEPTH, Opened, too_large
from muniment.contracts.omir.report import Holder
from muniment.contracts.omir.wire import (
    RESOURCES,
    Decay,
    Entity,
    Episode,
    Extension,
    Interference,
    MemoryRecord,
    MetaBlock,
    Reference,
    Relationship,
    Resource,
)
from muniment.contracts.strict.instants import is_instant
from muniment.contracts.strict.uris import is_uri
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import json_decoder
from muniment.model.value import Value

Look = Callable[[int, Resource | None, Raw], None]
"""What else is done with an entry while it is at hand: its place, the resource if it is as it should be, its text."""
Link = tuple[int, str, str, str]
"""A reference: the entry it stands in, where in it, what it names as type and id, the type it must name."""

_RESOURCE: msgspec.json.Decoder[Resource] = json_decoder(MemoryRecord | Entity | Relationship | Episode)
_plain_instant = re.compile(
    r"[0-9]{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
).fullmatch
_KINDS: dict[type[Resource], str] = {struct: kind for kind, struct in RESOURCES.items()}
_is_uri = lru_cache(maxsize=4_096)(is_uri)
_place = lru_cache(maxsize=1_024)("entityRefs/{}/ref".format)
_VALUE_DEPTH = ENTRY_DEPTH + 3
"""How deep the value of an extension stands: in an extension, in a list, in an entry."""


class Bad(Value):
    """An entry that is not as it should be. `value` is None if it is no object, `kind` if it has no type of ours."""

    index: int
    value: JsonObject | None
    kind: str | None
    violations: tuple[Violation, ...] = ()


class Unversioned(Value):
    """An entry that does not say that it is of R1: without a meta block, or with one that says something else."""

    index: int
    has_meta: bool
    found: str | None = None


class Scan:
    """What one pass finds. `holders` has the type and the id of each entry, empty where it has none."""

    def __init__(self, opened: Opened, look: Look | None = None) -> None:
        self.opened = opened
        self.holders: list[tuple[str, str]] = []
        self.by_type: dict[str, int] = {}
        self.ids: dict[str, dict[str, int]] = {kind: {} for kind in RESOURCES}
        self.repeated: list[int] = []
        self.links: list[Link] = []
        self.bad: list[Bad] = []
        self.unversioned: list[Unversioned] = []
        self._look = look
        self._pass()
        for kind, _ in self.holders:
            if kind in self.ids:
                self.by_type[kind] = self.by_type.get(kind, 0) + 1

    def holder(self, index: int) -> Holder:
        kind, id_ = self.holders[index]
        return Holder(index=index, resource_type=kind, id=id_)

    def _pass(self) -> None:
        decode, look, opened = _RESOURCE.decode, self._look, self.opened
        for index, raw in enumerate(opened.entries or ()):
            try:
                one = decode(raw)
            except (msgspec.ValidationError, RecursionError):
                self._slowly(index, raw)
                continue
            except msgspec.MsgspecError:
                opened.refuse()
            if not _holds(one, opened):
                self._slowly(index, raw)
                continue
            self._take(index, one)
            if look is not None:
                look(index, one, raw)

    def _take(self, index: int, one: Resource) -> None:
        kind, id_ = _KINDS[type(one)], one.id
        self.holders.append((kind, id_))
        known = self.ids[kind]
        if known.setdefault(id_, index) != index:
            self.repeated.append(index)
        meta = one.meta
        if meta is UNSET:
            self.unversioned.append(Unversioned(index=index, has_meta=False))
        elif meta.omir_version is UNSET:
            self.unversioned.append(Unversioned(index=index, has_meta=True))
        if isinstance(one, Entity):
            return
        add = self.links.append
        if isinstance(one, Relationship):
            add((index, "from/ref", one.from_.ref, "Entity"))
            add((index, "to/ref", one.to.ref, "Entity"))
            if one.source_episode is not UNSET:
                add((index, "sourceEpisode/ref", one.source_episode.ref, "Episode"))
            return
        if one.entity_refs is not UNSET:
            for number, target in enumerate(one.entity_refs):
                add((index, _place(number), target.ref, "Entity"))
        if isinstance(one, MemoryRecord) and one.parent_id is not UNSET:
            add((index, "parentId", f"MemoryRecord/{one.parent_id}", "MemoryRecord"))

    def _name(self, index: int, kind: str, id_: str | None) -> None:
        self.holders.append((kind, id_ or ""))
        if id_ is None:
            return
        known = self.ids[kind]
        if id_ in known:
            self.repeated.append(index)
        else:
            known[id_] = index

    def _slowly(self, index: int, raw: Raw) -> None:
        """An entry that its wire type does not take as it is written: say why, or find that it is only unusual."""
        value = self.opened.json(raw, ENTRY_DEPTH)
        sound = self._judge(index, value)
        if self._look is not None:
            self._look(index, _RESOURCE.decode(msgspec.json.encode(_whole(value))) if sound else None, raw)

    def _judge(self, index: int, value: Json) -> bool:
        """Whether an entry is as it should be after all."""
        if not isinstance(value, dict):
            self.bad.append(Bad(index=index, value=None, kind=None))
            self.holders.append(("", ""))
            self.unversioned.append(Unversioned(index=index, has_meta=False))
            return False
        kind, id_ = value.get("resourceType"), _text(value.get("id"))
        self._version(index, value)
        if not isinstance(kind, str) or kind not in RESOURCES:
            self.bad.append(Bad(index=index, value=value, kind=None))
            self.holders.append((_text(kind) or "", id_ or ""))
            return False
        self._name(index, kind, id_)
        self.links.extend((index, where, ref, target) for where, ref, target in _references(value, kind))
        found = entry_violations(value, kind, f"/entry/{index}")
        if found:
            self.bad.append(Bad(index=index, value=value, kind=kind, violations=tuple(found)))
        return not found

    def _version(self, index: int, value: JsonObject) -> None:
        meta = value.get("meta")
        said = meta.get("omirVersion") if isinstance(meta, dict) else None
        if said != "R1":
            self.unversioned.append(Unversioned(index=index, has_meta="meta" in value, found=_text(said)))


def _references(value: JsonObject, kind: str) -> Iterator[tuple[str, str, str]]:
    """The references of an entry, whatever else is wrong with it: where, what, and the type it must name."""
    if kind in ("MemoryRecord", "Episode"):
        many = value.get("entityRefs")
        for number, one in enumerate(many if isinstance(many, list) else ()):
            yield from _reference(one, _place(number), "Entity")
        parent = value.get("parentId")
        if kind == "MemoryRecord" and isinstance(parent, str):
            yield "parentId", f"MemoryRecord/{parent}", "MemoryRecord"
    elif kind == "Relationship":
        for name, target in (("from", "Entity"), ("to", "Entity"), ("sourceEpisode", "Episode")):
            yield from _reference(value.get(name), f"{name}/ref", target)


def _reference(one: Json, where: str, target: str) -> Iterator[tuple[str, str, str]]:
    ref = one.get("ref") if isinstance(one, dict) else None
    if isinstance(ref, str) and "/" in ref:
        yield where, ref, target


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: Json) -> Json:
    """The same value with whole numbers spelled as such: 2.0 is 2."""
    if isinstance(value, dict):
        return {name: _whole(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_whole(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _holds(one: Resource, opened: Opened) -> bool:
    """Whether what a wire type cannot ask while it is read holds too: times, addresses, the end of an id, the size of a
    number, and that what extensions carry can be read."""
    made, meta = one.created_at, one.meta
    if one.id[-1] == "\n" or not (made is UNSET or _plain_instant(made) or is_instant(made)):
        return False
    if (
        meta is not UNSET
        and not (meta.last_updated is meta.created_at is meta.profile is UNSET)
        and not _meta_holds(meta)
    ):
        return False
    if one.extension is not UNSET and not _extensions_hold(one.extension, opened):
        return False
    if isinstance(one, MemoryRecord):
        return _memory_holds(one)
    if isinstance(one, Entity):
        return (one.last_seen_at is UNSET or _instant(one.last_seen_at)) and (
            one.mention_count is UNSET or not too_large(one.mention_count)
        )
    if isinstance(one, Relationship):
        return _edge_holds(one)
    return (one.event_time is UNSET or _instant(one.event_time)) and (
        one.entity_refs is UNSET or _refs_hold(one.entity_refs)
    )


def _memory_holds(one: MemoryRecord) -> bool:
    return not (
        (one.event_time is not UNSET and not _instant(one.event_time))
        or (one.valid_until is not UNSET and not _instant(one.valid_until))
        or (one.entity_refs is not UNSET and not _refs_hold(one.entity_refs))
        or (one.parent_id is not UNSET and one.parent_id[-1] == "\n")
        or (one.version is not UNSET and too_large(one.version))
        or (one.decay is not UNSET and not _decay_holds(one.decay))
        or (one.interference is not UNSET and not _interference_holds(one.interference))
    )


def _decay_holds(decay: Decay) -> bool:
    if decay.last_access is not UNSET and not _instant(decay.last_access):
        return False
    return decay.access_count is UNSET or not too_large(decay.access_count)


def _interference_holds(interference: Interference) -> bool:
    return interference.competes_with is UNSET or _refs_hold(interference.competes_with)


def _edge_holds(one: Relationship) -> bool:
    if one.normalized_strength is not UNSET and one.normalization is UNSET:
        return False
    if one.source_episode is not UNSET and one.source_episode.ref[-1] == "\n":
        return False
    return not (
        (one.valid_at is not UNSET and not _instant(one.valid_at))
        or (one.invalidated_at is not UNSET and not _instant(one.invalidated_at))
        or one.from_.ref[-1] == "\n"
        or one.to.ref[-1] == "\n"
    )


def _refs_hold(refs: list[Reference]) -> bool:
    for one in refs:  # noqa: SIM110  # a generator would cost as much again, for every reference of a bundle
        if one.ref[-1] == "\n":
            return False
    return True


def _instant(text: str) -> bool:
    return _plain_instant(text) is not None or is_instant(text)


def _meta_holds(meta: MetaBlock) -> bool:
    if meta.profile is not UNSET and not all(map(_is_uri, meta.profile)):
        return False
    if meta.created_at is not UNSET and not _instant(meta.created_at):
        return False
    return meta.last_updated is UNSET or _instant(meta.last_updated)


def _extensions_hold(extensions: list[Extension], opened: Opened) -> bool:
    for one in extensions:
        if not _is_uri(one.url):
            return False
        if one.value_json is not UNSET:
            opened.json(one.value_json, _VALUE_DEPTH)
    return True
