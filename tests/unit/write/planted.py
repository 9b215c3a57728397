"""One value of every sort that may not be kept, as somebody would write it, and a search for it in every spelling."""

from __future__ import annotations

import random
from collections.abc import Iterable

from tests.surfaces.traces import encoded, written
from tests.unit.write import people
from tests.unit.write.shapes import PHRASES, TOKENS, make

from muniment.model.value import Value

STRICT = "safety: {personal: {email: redact, phone: redact, ip_address: redact, birth_date: redact}}\n"
"""Everything that can be found is taken out."""


class Planted(Value):
    """What is said, and the part of it that must be nowhere."""

    sort: str
    text: str
    secret: str


def planted(seed: str) -> list[Planted]:
    """A value of every sort; another seed makes other values."""
    pick = random.Random(seed)
    found = []
    for sort, shapes in TOKENS.items():
        value = make(pick.choice(shapes[:1] if sort == "private key" else shapes), pick)
        found.append(Planted(sort=sort, text=value, secret=value[-40:]))
    for sort, phrases in PHRASES.items():
        around, shape = pick.choice([one for one in phrases if '"' not in one[0]])
        value = make(shape, pick)
        found.append(Planted(sort=sort, text=around.format(value), secret=value))
    for sort, makers in people.MAKERS.items():
        said = pick.choice(makers)(pick)
        found.append(Planted(sort=sort, text=said, secret=_number(said)))
    return found


def _number(said: str) -> str:
    """What of a phrase is the number: from the first digit on, unless it is an address."""
    if "@" in said:
        return said
    return said[next(place for place, char in enumerate(said) if char.isdigit()) :]


def spellings(values: Iterable[Planted]) -> dict[bytes, str]:
    """Everything to look for: the value whole, its end, and its digits without gaps, in every spelling there is."""
    sought: dict[bytes, str] = {}
    for one in values:
        digits = "".join(char for char in one.secret if char.isdigit())
        ends = {one.secret, one.secret[-16:], *({digits} if len(digits) >= 9 else ())}
        for text in ends:
            forms = [*written(text), *encoded(text.encode()), *encoded(text.encode("utf-16-le"))]
            sought |= {body: f"{one.sort}: {name}" for name, body in forms if len(body) >= 6}
    return sought


def found_in(body: bytes, sought: dict[bytes, str]) -> list[str]:
    """How the sorts that occur in some bytes are spelled there."""
    return sorted(name for spelling, name in sought.items() if spelling in body)
