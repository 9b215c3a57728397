"""Words and ids that may be told to some and not to others, and the search for them in whatever comes back."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

import msgspec

_LETTERS = "bcdfghjklmnpqrtvwxyz"


def word(about: str) -> str:
    """A word that occurs nowhere by itself, always the same for the same place. No stemmer shortens it.

    >>> word("ana/draft/content") == word("ana/draft/content") != word("ana/draft/reason")
    True
    """
    return "zq" + "".join(_LETTERS[byte % len(_LETTERS)] for byte in sha256(about.encode()).digest()[:10]) + "k"


class Canaries:
    """Everything that one side must not be told: words by what they stand for, and ids of what is hidden."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self.ids: dict[str, dict[str, str]] = {}

    def word(self, about: str) -> str:
        """A new word of the hidden side."""
        made = word(about)
        self._names[made] = about
        return made

    def hide(self, kind: str, about: str, name: str | None) -> str:
        """Note the id of something hidden; returns it."""
        assert name is not None, about
        self.ids.setdefault(kind, {})[about] = name
        self._names[name.lower()] = f"id of {about}"
        return name

    def found_in(self, text: str, *, asked: Iterable[str] = ()) -> list[str]:
        """What of it stands in a text. What the caller said itself and only hears again is no news to it."""
        plain, said = text.lower(), "\n".join(asked).lower()
        return sorted(about for name, about in self._names.items() if name in plain and name not in said)

    def __len__(self) -> int:
        return len(self._names)


def spoken(answer: object) -> str:
    """Everything an answer says, as one text."""
    if isinstance(answer, str):
        return answer
    return msgspec.json.encode(answer, enc_hook=repr).decode()


def complaint(error: BaseException) -> str:
    """Everything an error says: its words, its fields, and what stands behind it."""
    told: list[str] = []
    seen: BaseException | None = error
    while seen is not None and len(told) < 10:
        told.append(f"{type(seen).__name__} {seen!s} {vars(seen)!r}")
        seen = seen.__cause__ or seen.__context__
    return "\n".join(told)
