"""Private thought, by the names it goes under. It is kept nowhere; a public rationale is welcome."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

HIDDEN_REASONING = frozenset(
    {
        "chain_of_thought",
        "cot",
        "hidden_reasoning",
        "private_reasoning",
        "internal_reasoning",
        "scratchpad",
        "inner_monologue",
    }
)
"""Names of private thought. `reasoning` and `rationale` are none of them."""

HIDDEN_REASONING_FLAG = "hidden_reasoning_included"
"""The name of the flag that says whether there is any."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def plain_name(key: str) -> str:
    """A key as it is compared with the names above, however it is spelled.

    >>> plain_name("chainOfThought"), plain_name("API-Key"), plain_name("CoT")
    ('chain_of_thought', 'api_key', 'cot')
    """
    if key.islower() and "-" not in key and " " not in key:
        return key
    spaced = _HUMP.sub("_", key) if not key.isupper() else key
    folded = spaced.casefold().replace("-", "_").replace(" ", "_")
    joined = key.casefold()
    return joined if joined in HIDDEN_REASONING else folded.replace("__", "_")


def squeezed(key: str) -> str:
    """A name without everything that only spells it: case, width, separators, and the prefix of an extension.

    >>> squeezed("x_Chain-of.THOUGHT "), squeezed("scratch_pad"), squeezed("xylophone")
    ('chainofthought', 'scratchpad', 'xylophone')
    """
    folded = unicodedata.normalize("NFKC", key).casefold().strip()
    if folded[:1] == "x" and folded[1:2] in ("_", "-"):
        folded = folded[2:]
    return "".join(char for char in folded if char.isalnum())


_NAMES = frozenset(squeezed(name) for name in HIDDEN_REASONING)
_FLAG = squeezed(HIDDEN_REASONING_FLAG)


@lru_cache(maxsize=4_096)  # the same few hundred names come again and again
def names_thought(key: str) -> bool:
    """Whether a field of this name holds private thought."""
    return squeezed(key) in _NAMES


@lru_cache(maxsize=4_096)
def flags_thought(key: str) -> bool:
    """Whether a field of this name says that private thought is included."""
    return squeezed(key) == _FLAG
