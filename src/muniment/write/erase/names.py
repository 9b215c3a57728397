"""A name as it stands in texts: by its letters, in whatever script, and how certain it is that it is that name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from unicodedata import normalize

from muniment.model.erasure import ERASED, Certainty
from muniment.text.inflection import certain, hint, probable
from muniment.text.languages import language_of
from muniment.text.scripts import RUNS, ScriptRun, canonical_spelling, runs, script_of

_BREAKS = re.compile(r"\\[nrt]")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_NEVER = "(?!)"
_BETWEEN = r"[\W_]+"
_BETWEEN_OR_NOT = r"[\W_]*"


def read_json(text: str) -> str:
    """The JSON of a text with letters in the place of what JSON writes for them."""
    if "\\" not in text:
        return text
    return _BREAKS.sub(" ", _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text))


def spelled(text: str) -> str:
    """A text in which forms that are read as the same are the same; letters of the Latin script keep their accents.

    >>> spelled("JOSÉ, İstanbul; Ёлка"), loose("JOSÉ, İstanbul")
    ('josé, istanbul; елка', 'jose, istanbul')
    """
    return text.lower() if text.isascii() else RUNS.sub(_spelled, normalize("NFKC", text))


def loose(text: str) -> str:
    """The same without accents."""
    return text.lower() if text.isascii() else RUNS.sub(_loose, normalize("NFKC", text))


def _spelled(found: re.Match[str]) -> str:
    shown = found[0]
    script = script_of(shown)
    if script != "latin":
        return canonical_spelling(shown, script)
    return normalize("NFC", shown.casefold().replace("i\u0307", "i").replace("ı", "i"))


def _loose(found: re.Match[str]) -> str:
    return canonical_spelling(found[0], script_of(found[0]))


class SubjectName:
    """The names of somebody or something. `wide`: what only may be the name is taken for it too."""

    def __init__(self, names: Iterable[str], *, wide: bool = False) -> None:
        self._names = sorted({_words(name) for name in names} - {()}, reverse=True)
        self._wide = wide
        self._hints = {loose(hint(words[0].text, words[0].script)) for words in self._names}
        letters = (
            _BETWEEN_OR_NOT.join(probable(loose(word.text), word.script) for word in words) for words in self._names
        )
        self._probable = re.compile("|".join(letters) or _NEVER)
        self._certain = cache(self._shape)

    def _shape(self, language: str | None) -> re.Pattern[str]:
        return re.compile("|".join(_joined(words, language) for words in self._names) or _NEVER)

    def certainty(self, text: str) -> Certainty | None:
        """How certain it is that a text, or the JSON of one, holds the name; None when its letters are not there."""
        if not self._names:
            return None
        text = read_json(text)
        letters = loose(text)
        if not any(one in letters for one in self._hints):
            return None
        if self._certain(language_of(text)).search(spelled(text)) is not None:
            return Certainty.CERTAIN
        return Certainty.PROBABLE if self._probable.search(letters) is not None else None

    def within(self, text: str) -> bool:
        """Whether a text, or the JSON of one, holds the name."""
        found = self.certainty(text)
        return found is Certainty.CERTAIN or (self._wide and found is Certainty.PROBABLE)

    def certainty_in(self, body: bytes) -> Certainty | None:
        """The certainty of the bytes of a document. Plain letters are looked at before anything is folded."""
        if body.isascii() and b"\\u" not in body:
            lower = body.lower()
            if not any(one.encode() in lower for one in self._hints):
                return None
        return self.certainty(body.decode())

    def cut(self, text: str) -> str:
        """The text with the name struck out, folded only if the name was there."""
        if not self.within(text):
            return text
        certain_ = self._certain(language_of(text))
        text = re.compile(certain_.pattern, re.IGNORECASE).sub(ERASED, normalize("NFKC", text))
        if certain_.search(spelled(text)):
            text = certain_.sub(ERASED, spelled(text))
        return self._probable.sub(ERASED, loose(text)) if self._wide and self.within(text) else text


NO_NAME = SubjectName(())


def _words(name: str) -> tuple[ScriptRun, ...]:
    """The words of a name. Where a script has no spaces, one that was put into a name parts nothing."""
    found: list[ScriptRun] = []
    for run in runs(spelled(name)):
        if found and found[-1].script == run.script == "unspaced":
            found[-1] = ScriptRun(run.script, found[-1].text + run.text)
        else:
            found.append(run)
    return tuple(found)


def _joined(words: tuple[ScriptRun, ...], language: str | None) -> str:
    """A pattern of a whole name. What is of two scripts may stand without anything between."""
    shape = ""
    for before, word in zip((None, *words), words, strict=False):
        if before is not None:
            shape += _BETWEEN if before.script == word.script else _BETWEEN_OR_NOT
        shape += certain(word.text, word.script, language)
    return shape
