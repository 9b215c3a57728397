"""A value in a line, for those who print it. A text of somebody else's is shown with nothing hidden in it."""

from __future__ import annotations

SHOWN_MAX = 80
"""So many characters of a text are shown."""

Parts = list[tuple[str, object]]
"""What a value tells rich of itself, by name."""


def quoted(text: str) -> str:
    """The beginning of a text on one line, in quotes; what cannot be printed is spelled out.

    >>> print(quoted("a\\x1b[31mb"), quoted("long " * 30))
    'a\\x1b[31mb' 'long long long long long long long long long long long long long long long long …'
    """
    return repr(short(text))


def short(text: str) -> str:
    """The beginning of a text on one line."""
    plain = " ".join(text.split())
    return plain if len(plain) <= SHOWN_MAX else plain[:SHOWN_MAX] + "…"


def sure(score: float, *, unstated: bool) -> str:
    """A confidence as it is shown: one that nobody stated is said to be none."""
    return f"confidence not stated, taken for {score:.2f}" if unstated else f"confidence {score:.2f}"


def spelled(name: str, parts: Parts) -> str:
    """A short form of a value: what it is and what matters of it.

    >>> spelled("Record", [("id", "rec_1"), ("revision", 2)])
    "<Record id='rec_1' revision=2>"
    """
    return f"<{' '.join([name, *(f'{part}={value!r}' for part, value in parts)])}>"
