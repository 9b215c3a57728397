"""Tell a request for a profile from a question: it asks for nothing in particular, so nothing in particular fits it."""

from __future__ import annotations

import re

_WHOM = r"(?:me|myself|(?:the|this|my|your) user)"
_KNOWN = r"(?: (?:do|have|can) (?:you|we)(?: (?:know|remember|learned|learnt|say|tell))?| is known| you know| we know)"
_PROFILE = re.compile(
    rf"(?:please )?(?:"
    rf"(?:tell (?:me|us)|what|all|everything)(?: all| everything)?{_KNOWN}? about {_WHOM}"
    rf"|(?:describe|summari[sz]e|introduce) {_WHOM}"
    rf"|(?:a |the |user |your |my )*(?:profile|summary)(?: of {_WHOM})?"
    rf"|(?:about {_WHOM}|who am i|who is {_WHOM})"
    rf")",
    re.IGNORECASE,
)


def asks_for_profile(text: str) -> bool:
    """Whether a text asks who somebody is on the whole.

    >>> [asks_for_profile(text) for text in ("Tell me about the user.", "what do you know about me?", "who am I?")]
    [True, True, True]
    >>> [asks_for_profile(text) for text in ("Tell me about the user table", "what did Ana say about me?")]
    [False, False]
    """
    return _PROFILE.fullmatch(" ".join(text.split()).strip(" .!?")) is not None
