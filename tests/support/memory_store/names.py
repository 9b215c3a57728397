"""What revisions speak of by name, looked up by scanning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.support.memory_store.tables import Tables

from muniment.model.rows import AliasRow, MentionRow


class MemoryNames:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def groups(self, keys: Iterable[str], *, as_of: int) -> dict[str, tuple[str, ...]]:
        chiefs = {row.alias: row.entity for row in self.all_aliases() if row.seq <= as_of}
        found = {}
        for key in keys:
            chief = chiefs.get(key, key)
            others = sorted(name for name, entity in chiefs.items() if entity == chief and name != chief)
            if others or chief != key:
                found[key] = (chief, *others)
        return {key: group for key, group in found.items() if len(group) > 1}

    def mentions(self, rids: Iterable[int]) -> tuple[MentionRow, ...]:
        wanted = set(rids)
        return tuple(row for row in self.all_mentions() if row.rid in wanted)

    def latest(self, entity: str, *, upto: int, keep: int) -> tuple[MentionRow, ...]:
        found = [row for row in self.all_mentions() if row.entity == entity and row.rid <= upto]
        return tuple(reversed(found))[:keep]

    def holders(self, entities: Iterable[str], *, upto: int, keep: int) -> dict[str, tuple[int, ...]]:
        return {name: tuple(row.rid for row in self.latest(name, upto=upto, keep=keep)) for name in entities}

    def all_mentions(self) -> Iterator[MentionRow]:
        return iter(sorted(self._tables.mentions, key=lambda row: (row.rid, row.entity)))

    def all_aliases(self) -> Iterator[AliasRow]:
        return iter(sorted(self._tables.aliases, key=lambda row: (row.seq, row.doc)))
