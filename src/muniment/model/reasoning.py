"""Private thought, by the names it goes under. It is kept nowhere; a public rationale is welcome."""

from __future__ import annotations

import re

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
