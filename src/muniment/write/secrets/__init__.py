"""Find credentials and personal data in text and take them out. Anchored shapes and checksums; no guess by entropy.

What is found is named by its sort. The value itself goes no further than this package.
"""

from __future__ import annotations

from muniment.write.secrets.screen import DEFAULT, Screen, screen_of, words

__all__ = ["DEFAULT", "Screen", "redact", "refuse_secret", "screen_of", "suspicious", "words"]


def suspicious(text: str) -> bool:
    """Whether a closer look is worth it, under a policy that says nothing."""
    return DEFAULT.suspicious(text)


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without what must not be kept, and the sorts that were taken out, under a policy that says nothing.

    >>> redact("deploy with AKIAIOSFODNN7EXAMPLE today")
    ('deploy with [redacted: cloud access key] today', ('cloud access key',))
    """
    return DEFAULT.redact(text)


def refuse_secret(field: str, name: str | None) -> None:
    """Refuse a name that holds what must not be kept, under a policy that says nothing."""
    DEFAULT.refuse(field, name)
