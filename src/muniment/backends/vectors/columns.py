"""The cards of one tenant as columns in memory: a filter is a few array operations. A mirror, which can be lost."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from muniment.backends.vectors.arrays import Codes, Longs, Ordinals
from muniment.model.card import Card
from muniment.model.errors import IntegrityError

Changed = Callable[[int], Iterable[Card]]
"""Every card that was born or changed after a position, by rising `rid`."""

WORDS = (
    "kind",
    "memory_class",
    "scope",
    "scope_id",
    "namespace",
    "session_id",
    "status",
    "actor",
    "support",
    "readers",
)
NUMBERS: dict[str, npt.DTypeLike] = {
    "rid": np.int64,
    "seq": np.int64,
    "created_at": np.int64,
    "sensitivity": np.int8,
    "trust": np.int8,
    "label": np.int8,
    "provenance": np.bool_,
    "confidence": np.float64,
    "effective": np.float64,
}
LOWEST, HIGHEST = int(np.iinfo(np.int64).min), int(np.iinfo(np.int64).max)
BOUNDS = {"valid_from": LOWEST, "valid_until": HIGHEST, "expires_at": HIGHEST}
"""Optional instants, and what stands for none: a bound that excludes nothing."""

MARKS = ("id_high", "id_low")
TYPES: dict[str, npt.DTypeLike] = {
    **NUMBERS,
    **dict.fromkeys(BOUNDS, np.int64),
    **dict.fromkeys(MARKS, np.int64),
    **dict.fromkeys(WORDS, np.int32),
}
NONE = -1
_BATCH = 4_096
_REMEMBERED = 256
_NOTHING: Ordinals = np.empty(0, np.intp)


class WordColumn(dict[str | None, int]):
    """The words of one field, numbered as they turn up. None is no word."""

    def __init__(self, spelled: Iterable[str] = ()) -> None:
        super().__init__({None: NONE})
        self.spelled: list[str] = []
        for word in spelled:
            self[word]

    def __missing__(self, word: str) -> int:
        code = self[word] = len(self.spelled)
        self.spelled.append(str(word))
        return code


def mark(record: str) -> tuple[int, int]:
    """A record's id as two numbers: as good as the id for telling records apart, and 16 bytes whatever its length."""
    digest = hashlib.blake2b(record.encode(), digest_size=16).digest()
    return int.from_bytes(digest[:8], "little", signed=True), int.from_bytes(digest[8:], "little", signed=True)


class CardColumns:
    """One row for each revision, by rising `rid`, as of a ledger position. Not safe for threads: the index holds a
    lock around it."""

    def __init__(self) -> None:
        self.count = 0
        self.position = 0
        self.version = 0
        self.words = {field: WordColumn() for field in WORDS}
        self.last_start, self.first_end, self.first_expiry = LOWEST, HIGHEST, HIGHEST
        self._arrays: dict[str, npt.NDArray[np.generic]] = {name: np.empty(0, type_) for name, type_ in TYPES.items()}
        self._touched: deque[tuple[int, Ordinals]] = deque(maxlen=_REMEMBERED)

    def column(self, name: str) -> npt.NDArray[np.generic]:
        return self._arrays[name][: self.count]

    def fractions(self, name: str) -> npt.NDArray[np.float64]:
        return self._arrays[name][: self.count]  # type: ignore[return-value]  # TYPES says which columns are fractions

    def longs(self, name: str) -> Longs:
        return self._arrays[name][: self.count]  # type: ignore[return-value]  # TYPES says which columns are whole

    def codes(self, name: str) -> Codes:
        return self._arrays[name][: self.count]  # type: ignore[return-value]  # TYPES says which columns are words

    def sync(self, head: int, changed: Changed) -> None:
        """Take over what changed since `position`. What was taken over when `changed` fails is taken over again."""
        if head <= self.position:
            return
        cards, touched = iter(changed(self.position)), [_NOTHING]
        try:
            while batch := list(islice(cards, _BATCH)):
                touched.append(self._take(batch))
        finally:
            self.version += 1
            self._touched.append((self.version, np.concatenate(touched)))
        self.position = head

    def changed_since(self, version: int) -> Ordinals | None:
        """Rows that were written after `version`, some perhaps twice; None when that is too long ago to say."""
        if version == self.version:
            return _NOTHING
        recent = [rows for at, rows in self._touched if at > version]
        return np.concatenate(recent) if len(recent) == self.version - version else None

    def ordinals(self, rids: Longs) -> Ordinals:
        """Where revisions stand; -1 for those that are not here."""
        here = self.longs("rid")
        places = np.searchsorted(here, rids)
        if not self.count:
            return np.full(len(rids), NONE, np.intp)
        found = here[np.minimum(places, self.count - 1)] == rids
        return np.where(found, places, NONE)

    def born_by(self, position: int) -> int:
        """How many revisions there were at a position. They are numbered in the order of their birth."""
        return int(np.searchsorted(self.longs("seq"), min(position, HIGHEST), side="right"))

    def restore(self, arrays: dict[str, npt.NDArray[np.generic]], words: dict[str, WordColumn], position: int) -> None:
        """Become what was saved."""
        self._arrays, self.words, self.position = arrays, words, position
        self.count = len(arrays["rid"])
        self._note_bounds(slice(0, self.count))

    def _take(self, cards: list[Card]) -> Ordinals:
        rids = np.array([card.rid for card in cards], np.int64)
        old = int(np.searchsorted(rids, self.longs("rid")[-1], side="right")) if self.count else 0
        places = np.concatenate([self.ordinals(rids[:old]), np.arange(self.count, self.count + len(cards) - old)])
        if np.any(places[:old] == NONE) or np.any(np.diff(rids) <= 0):
            raise IntegrityError("the cards of a tenant are not in the order of their births")
        self._grow(self.count + len(cards) - old)
        self._write(places, cards)
        self.count += len(cards) - old
        self._note_bounds(places)
        return places

    def _grow(self, needed: int) -> None:
        size = len(self._arrays["rid"])
        if needed <= size:
            return
        for name, array in self._arrays.items():
            grown = np.empty(max(needed, 2 * size, 64), array.dtype)
            grown[: self.count] = array[: self.count]
            self._arrays[name] = grown

    def _write(self, places: Ordinals, cards: list[Card]) -> None:
        try:
            for name, type_ in NUMBERS.items():
                self._arrays[name][places] = np.array(list(map(attrgetter(name), cards)), type_)
            for name, none in BOUNDS.items():
                given = map(attrgetter(name), cards)
                self._arrays[name][places] = np.array([none if at is None else at for at in given], np.int64)
        except OverflowError:
            raise IntegrityError("a stored card holds a number that no card can hold") from None
        for name in WORDS:
            codes = self.words[name]
            self._arrays[name][places] = np.array([codes[word] for word in map(attrgetter(name), cards)], np.int32)
        marks = np.array([mark(card.id) for card in cards], np.int64)
        for name, column in zip(MARKS, marks.T, strict=True):
            self._arrays[name][places] = column

    def _note_bounds(self, places: Ordinals | slice) -> None:
        """Keep the outermost bounds, so that a filter on time is free as long as no row is near its bound."""
        if not len(self.longs("valid_from")[places]):
            return
        self.last_start = max(self.last_start, int(self.longs("valid_from")[places].max()))
        self.first_end = min(self.first_end, int(self.longs("valid_until")[places].min()))
        self.first_expiry = min(self.first_expiry, int(self.longs("expires_at")[places].min()))
