"""What revisions speak of by name, for one tenant. Names may be sealed, so they are put in order here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from muniment.backends.postgres.transaction import Row, Transaction
from muniment.backends.rows import alias_from, mention_from
from muniment.model.rows import AliasRow, MentionRow


class PostgresNames:
    def __init__(self, link: Transaction) -> None:
        self._link = link

    def groups(self, keys: Iterable[str], *, as_of: int) -> dict[str, tuple[str, ...]]:
        seal = self._link.seal
        wanted = [seal.word(key) for key in dict.fromkeys(keys)]
        rows = self._link.rows("names_beside", wanted, as_of) if wanted else []
        groups = {seal.read(name): self._group(chief, names) for name, chief, names in rows}
        return {key: group for key, group in groups.items() if len(group) > 1}

    def _group(self, chief: str, names: list[str]) -> tuple[str, ...]:
        read = self._link.seal.read
        return (read(chief), *sorted(read(name) for name in {*names} - {chief}))

    def mentions(self, rids: Iterable[int]) -> tuple[MentionRow, ...]:
        wanted = list(dict.fromkeys(rids))
        rows = self._link.rows("mentions_of", wanted) if wanted else []
        return tuple(sorted(map(self.read, rows), key=lambda row: (row.rid, row.entity)))

    def latest(self, entity: str, *, upto: int, keep: int) -> tuple[MentionRow, ...]:
        return tuple(map(self.read, self._link.rows("latest_mentioning", self._link.seal.word(entity), upto, keep)))

    def holders(self, entities: Iterable[str], *, upto: int, keep: int) -> dict[str, tuple[int, ...]]:
        seal = self._link.seal
        wanted = [seal.word(entity) for entity in entities]
        rows = self._link.rows("holders", wanted, upto, keep) if wanted else []
        return {seal.read(name): tuple(found) for name, found in rows}

    def all_mentions(self) -> Iterator[MentionRow]:
        rows = map(self.read, self._link.stream("all_mentions"))
        for _, of_one in groupby(rows, key=lambda row: row.rid):
            yield from sorted(of_one, key=lambda row: row.entity)

    def all_aliases(self) -> Iterator[AliasRow]:
        read = self._link.seal.read
        for alias, entity, seq, doc in self._link.stream("all_aliases"):
            yield alias_from((read(alias), read(entity), seq, doc))

    def read(self, row: Row) -> MentionRow:
        rid, entity, kind = row
        return mention_from((rid, self._link.seal.read(entity), kind))
