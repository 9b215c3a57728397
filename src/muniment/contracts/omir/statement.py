"""The conformance statement: what this system does of OMIR, as a document that follows from how it is set up."""

from __future__ import annotations

import msgspec

from muniment.contracts.omir.activation import DAMPING, STEPS_MAX, TOLERANCE
from muniment.contracts.omir.rules import RULE_SETS
from muniment.contracts.omir.sketch import HASH
from muniment.contracts.omir.terms import RELEASE, URLS, Release
from muniment.contracts.shape import Wire
from muniment.model.errors import Malformed

ROLES = ("producer", "consumer")
LEVELS = ("core", "strict", "profile")


class Activation(Wire, rename="camel"):
    """How activation spreads, so that another system gets the same figures."""

    algorithm: str
    damping: float
    tolerance: float
    steps_max: int
    dangling: str


class Statement(Wire, rename="camel"):
    """What is claimed, and by whom."""

    statement: str
    implementation: str
    release: str
    reads: tuple[str, ...]
    writes: str
    roles: tuple[str, ...]
    level: str
    profiles: tuple[str, ...]
    omirb: tuple[str, ...]
    extension_urls: tuple[str, ...]
    evolution_rules: tuple[str, ...]
    activation: Activation
    sketch_hash: str


def statement(
    implementation: str,
    *,
    profiles: tuple[str, ...],
    level: str = "strict",
    release: Release = Release.R1,
    roles: tuple[str, ...] = ROLES,
) -> Statement:
    """What an installation claims. `level` is what its bundles pass; without the role of producer it writes none."""
    if level not in LEVELS:
        raise Malformed("level", "one of " + ", ".join(LEVELS))
    if not roles or not set(roles) <= set(ROLES):
        raise Malformed("roles", "some of " + ", ".join(ROLES))
    return Statement(
        statement="OMIRConformanceStatement",
        implementation=implementation,
        release=RELEASE,
        reads=tuple(one.value for one in Release) if "consumer" in roles else (),
        writes=release.value if "producer" in roles else "none",
        roles=roles,
        level=level,
        profiles=tuple(sorted(profiles)),
        omirb=tuple({"producer": "writes", "consumer": "reads"}[role] for role in roles),
        extension_urls=URLS if "producer" in roles else (),
        evolution_rules=tuple(RULE_SETS),
        activation=Activation(
            algorithm="personalised PageRank",
            damping=DAMPING,
            tolerance=TOLERANCE,
            steps_max=STEPS_MAX,
            dangling="stays",
        ),
        sketch_hash=HASH,
    )


def spell(found: Statement) -> bytes:
    """The statement as JSON, for people to read and programs to compare."""
    return msgspec.json.format(msgspec.json.encode(found), indent=2)
