"""What revisions speak of by name, in one tenant's file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import apsw

from muniment.backends.rows import alias_from, mention_from
from muniment.backends.sqlite.connection import listed, queries
from muniment.backends.sqlite.reading import BEFORE_ALL, paged
from muniment.model.decoding import json_decoder
from muniment.model.rows import AliasRow, MentionRow

_Q = queries()
_numbers = json_decoder(tuple[int, ...])


class SqliteNames:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def groups(self, keys: Iterable[str], *, as_of: int) -> dict[str, tuple[str, ...]]:
        wanted = list(dict.fromkeys(keys))
        known = {str(key) for (key,) in self._execute(_Q["known_names"], (listed(wanted), as_of)).fetchall()}
        groups = {key: self._group(key, as_of) for key in wanted if key in known}
        return {key: group for key, group in groups.items() if len(group) > 1}

    def _group(self, key: str, as_of: int) -> tuple[str, ...]:
        chief = self._chief(key, as_of)
        given = {alias_from(row).alias for row in self._execute(_Q["names_of"], (chief, as_of)).fetchall()}
        return (chief, *sorted(name for name in given if name != chief and self._chief(name, as_of) == chief))

    def _chief(self, key: str, as_of: int) -> str:
        row = self._execute(_Q["alias"], (key, as_of)).fetchone()
        return key if row is None else alias_from(row).entity

    def mentions(self, rids: Iterable[int]) -> tuple[MentionRow, ...]:
        return tuple(
            mention_from(row) for row in self._execute(_Q["mentions_of"], (listed(dict.fromkeys(rids)),)).fetchall()
        )

    def latest(self, entity: str, *, upto: int, keep: int) -> tuple[MentionRow, ...]:
        return tuple(
            mention_from(row) for row in self._execute(_Q["latest_mentioning"], (entity, upto, keep)).fetchall()
        )

    def holders(self, entities: Iterable[str], *, upto: int, keep: int) -> dict[str, tuple[int, ...]]:
        rows = self._execute(_Q["holders"], (listed(entities), upto, keep)).fetchall()
        return {str(name): _numbers.decode(cast(str, found)) for name, found in rows}

    def all_mentions(self) -> Iterator[MentionRow]:
        return map(mention_from, paged(self._connection, "all_mentions", (0, 1), (BEFORE_ALL, "")))

    def all_aliases(self) -> Iterator[AliasRow]:
        return map(alias_from, paged(self._connection, "all_aliases", (2, 3, 0), (BEFORE_ALL, BEFORE_ALL, "")))
