"""The knowledge graph of MCP's reference server (`server-memory`): entities with observations, and relations.

Each entity and each relation is a record. Two processes that add to one entity at once lose nothing: the second reads
again what the first wrote.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, cast

from muniment.adapters.core import (
    AdapterMemory,
    ChangedMeanwhile,
    Expected,
    Json,
    Labels,
    NotKept,
    Stored,
    Written,
)
from muniment.model.errors import Malformed, StoreBusy

ENTITIES, RELATIONS = ("entities",), ("relations",)
_TRIES = 10
Entity: TypeAlias = "dict[str, Json]"
Relation: TypeAlias = "dict[str, Json]"
GraphView: TypeAlias = "dict[str, Json]"


class EntityMissing(Exception):
    """An observation about an entity that is not in the graph. The words are those of the reference server."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Entity with name {name} not found")


class KnowledgeGraph:
    """The nine operations of that server. What the policy does not keep is `NotKept`, when the rest is done."""

    def __init__(self, memory: AdapterMemory) -> None:
        self._memory = memory

    def create_entities(self, entities: Sequence[Entity], *, role: str = "agent") -> list[Entity]:
        """Add entities whose name is not taken; return those."""
        added, written = [], []
        for one in entities:
            value = {name: one[name] for name in ("name", "entityType", "observations")}
            done = self._create(ENTITIES, str(one["name"]), value, _words(value), role)
            if done is not None:
                written.append(done)
                added += [value] if done.ok else []
        _all_kept(written)
        return added

    def create_relations(self, relations: Sequence[Relation], *, role: str = "agent") -> list[Relation]:
        """Add relations that are not there; return those."""
        added, written = [], []
        for one in relations:
            value = {name: one[name] for name in ("from", "to", "relationType")}
            said = f"{one['from']} {one['relationType']} {one['to']}"
            done = self._create(RELATIONS, _relation_key(one), value, said, role)
            if done is not None:
                written.append(done)
                added += [value] if done.ok else []
        _all_kept(written)
        return added

    def add_observations(self, observations: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
        """Add to entities what they do not say yet. If one of them is not there, nothing is added to any."""
        for one in observations:
            if self._memory.get(ENTITIES, str(one["entityName"])) is None:
                raise EntityMissing(str(one["entityName"]))
        results: list[dict[str, Json]] = []
        written = []
        for one in observations:
            contents = cast("list[str]", one["contents"])
            done, new = self._changed(str(one["entityName"]), add=contents)
            written += [done] if done is not None else []
            kept: list[Json] = list(new) if done is None or done.ok else []
            results.append({"entityName": one["entityName"], "addedObservations": kept})
        _all_kept(written)
        return results

    def delete_entities(self, names: Sequence[str]) -> None:
        """Take entities back, and the relations at them."""
        gone = [one for one in self._memory.below(RELATIONS) if {_field(one, "from"), _field(one, "to")} & set(names)]
        found = [one for name in names if (one := self._memory.get(ENTITIES, name)) is not None]
        _all_kept([self._memory.retract(one) for one in (*gone, *found)])

    def delete_observations(self, deletions: Sequence[Mapping[str, Json]]) -> None:
        written = [
            self._changed(str(one["entityName"]), drop=cast("list[str]", one["observations"]))[0] for one in deletions
        ]
        _all_kept([one for one in written if one is not None])

    def delete_relations(self, relations: Sequence[Relation]) -> None:
        done = [self._memory.delete(RELATIONS, _relation_key(one)) for one in relations]
        _all_kept([one for one in done if one is not None])

    def read_graph(self) -> GraphView:
        return {
            "entities": [one.value for one in self._memory.below(ENTITIES)],
            "relations": [one.value for one in self._memory.below(RELATIONS)],
        }

    def search_nodes(self, query: str) -> GraphView:
        """Entities in which the words of the query stand as they are, or which answer it, and the relations at them."""
        wanted = query.lower()
        answering: set[str] = set()
        if query.strip():
            answering = {one.key for one in self._memory.search(ENTITIES, query, limit=10)}
        return self._around(lambda one: one.key in answering or any(wanted in text.lower() for text in _texts(one)))

    def open_nodes(self, names: Sequence[str]) -> GraphView:
        return self._around(lambda one: one.key in names)

    def take_in(self, file: Path) -> int:
        """Read a `memory.jsonl` of the reference server; what is there already stays as it is. Returns how many are
        new."""
        entities: list[Entity] = []
        relations: list[Relation] = []
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            if not line.strip():
                continue
            item = _item(file, number, line)
            (entities if item.get("type") == "entity" else relations).append(item)
        return len(self.create_entities(entities, role="import")) + len(self.create_relations(relations, role="import"))

    def _create(self, path: Labels, key: str, value: Entity, said: str, role: str) -> Written | None:
        try:
            return self._memory.put(path, key, value, text=said, role=role, expected=Expected.NOTHING)
        except ChangedMeanwhile:
            return None

    def _changed(
        self, name: str, *, add: Sequence[str] = (), drop: Sequence[str] = ()
    ) -> tuple[Written | None, list[str]]:
        """Change what an entity says; whoever changed it meanwhile is heard first."""
        for _ in range(_TRIES):
            present = self._memory.get(ENTITIES, name)
            if present is None:
                return None, []
            said = _observations(present)
            new = [one for one in dict.fromkeys(add) if one not in said]
            kept = [one for one in said if one not in drop] + new
            if kept == said:
                return None, []
            value = {**cast("dict[str, Json]", present.value), "observations": cast(Json, kept)}
            try:
                return self._memory.put(ENTITIES, name, value, text=_words(value), expected=present.revision), new
            except ChangedMeanwhile:
                continue
        raise StoreBusy(f"{name} is being changed by others")

    def _around(self, chosen: Callable[[Stored], bool]) -> GraphView:
        entities = [one for one in self._memory.below(ENTITIES) if chosen(one)]
        names = {one.key for one in entities}
        relations = [one for one in self._memory.below(RELATIONS) if {_field(one, "from"), _field(one, "to")} & names]
        return {"entities": [one.value for one in entities], "relations": [one.value for one in relations]}


def _all_kept(written: Iterable[Written]) -> None:
    refused = next((one for one in written if not one.ok), None)
    if refused is not None:
        raise NotKept(refused)


def _item(file: Path, number: int, line: str) -> dict[str, Json]:
    expected = Malformed(f"{file.name}, line {number}", "an entity or a relation of server-memory as JSON")
    try:
        item = json.loads(line)
    except ValueError:
        raise expected from None
    fields = {"entity": ("name", "entityType", "observations"), "relation": ("from", "to", "relationType")}
    if not isinstance(item, dict) or not all(name in item for name in fields.get(item.get("type", ""), ("?",))):
        raise expected
    return item


def _relation_key(relation: Mapping[str, Json]) -> str:
    return json.dumps([relation["from"], relation["relationType"], relation["to"]], ensure_ascii=False)


def _words(entity: Mapping[str, Json]) -> str:
    said = [str(one) for one in cast("list[Json]", entity["observations"])]
    return "\n".join([f"{entity['name']} ({entity['entityType']})", *(f"{entity['name']}: {one}" for one in said)])


def _observations(stored: Stored) -> list[str]:
    return cast("list[str]", cast("dict[str, Json]", stored.value)["observations"])


def _texts(stored: Stored) -> list[str]:
    value = cast("dict[str, Json]", stored.value)
    return [str(value["name"]), str(value["entityType"]), *_observations(stored)]


def _field(stored: Stored, name: str) -> str:
    return str(cast("dict[str, Json]", stored.value)[name])
