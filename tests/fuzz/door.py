"""A door: one way in which text or bytes from outside become a value, with samples that pass it. Knows no decoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.fuzz.spoil import CANARY, LONG_KEY, Spoiler, spelled
from tests.fuzz.steps import TooManySteps, counted

from muniment.contracts.strict.values import Json
from muniment.model.errors import MunimentError

Open = Callable[[bytes], object]
WORDS_MAX = 2_000
"""How long a message and its hint may be together: as long as naming what was expected takes."""
STEPS_FEW, STEPS_PER_BYTE = 60_000, 400


class Told(Exception):
    """A refusal that was told in a document instead of being raised: its code, and all of its words."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code


@dataclass(frozen=True)
class Door:
    """`documents` are spoiled as JSON, `samples` by their bytes, or by lines; `marks` are what means something in their
    language. `turned` are refusals of its own beside our errors; each has a `code`. `few` steps are always allowed."""

    name: str
    open: Open
    documents: tuple[Json, ...] = ()
    samples: tuple[bytes, ...] = ()
    marks: tuple[bytes, ...] = ()
    by_lines: bool = False
    turned: tuple[type[Exception], ...] = (Told,)
    few: int = STEPS_FEW

    def spoilt(self, seed: str, number: int) -> bytes:
        """The spoilt document of a number. The same seed and number make the same one."""
        spoiler = Spoiler(f"{seed} {self.name} {number}")
        choices = len(self.documents) + len(self.samples)
        choice = spoiler.chance.randrange(choices)
        if choice < len(self.documents):
            return spoiler.document(self.documents[choice], self.documents)
        sample = self.samples[choice - len(self.documents)]
        return spoiler.spoilt_lines(sample, self.marks) if self.by_lines else spoiler.spoilt(sample, self.marks)

    def whole(self) -> Iterator[bytes]:
        """The samples as they are."""
        yield from (spelled(document) for document in self.documents)
        yield from self.samples


def outcome(door: Door, text: bytes) -> str:
    """`value`, or the code of the refusal. Anything else is a finding, and is raised with the text that led to it."""
    try:
        counted(lambda: door.open(text), most=door.few + STEPS_PER_BYTE * len(text))
    except (Exception, TooManySteps) as error:
        if isinstance(error, (MunimentError, *door.turned)):
            return judged(door, text, error)
        raise AssertionError(f"{door.name}: {type(error).__name__}: {error}\nof {shown(text)}") from error
    return "value"


def judged(door: Door, text: bytes, error: BaseException) -> str:
    """The code of a refusal whose words are as they should be."""
    code = getattr(error, "code", "")
    words = f"{error} {getattr(error, 'hint', '')}"
    where = f"{door.name}: {type(error).__name__}: {words[:2_000]!r}\nof {shown(text)}"
    assert isinstance(code, str), f"no code: {where}"
    assert code, f"an empty code: {where}"
    assert CANARY not in words, f"a value is repeated: {where}"
    assert LONG_KEY not in words, f"a long name is repeated: {where}"
    assert len(words) <= WORDS_MAX, f"{len(words)} characters: {where}"
    return code


def shown(text: bytes) -> str:
    """A spoilt text as it can be put into a test, unless it is very long."""
    return repr(text) if len(text) <= 6_000 else f"{text[:5_000]!r}… ({len(text)} bytes)"


def least(door: Door, text: bytes) -> bytes:
    """A shorter text with the same fault, found by taking out halves, quarters and so on."""
    fault = _fault(door, text)
    size = max(1, len(text) // 2)
    while size:
        place = 0
        while place < len(text):
            shorter = text[:place] + text[place + size :]
            if _fault(door, shorter) == fault:
                text = shorter
            else:
                place += size
        size //= 2
    return text


def _fault(door: Door, text: bytes) -> type[BaseException] | None:
    try:
        outcome(door, text)
    except AssertionError as error:
        return type(error.__cause__) if error.__cause__ is not None else AssertionError
    return None
