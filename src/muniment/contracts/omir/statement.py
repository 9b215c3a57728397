"""The conformance statement: what this system does of OMIR, as a document that follows from how it is set up."""

from __future__ import annotations

import msgspec

from muniment.contracts.omir.rules import HALF_LIFE_RULES, VELD_RULES
from muniment.contracts.omir.terms import RELEASE, URLS, OmirVersion
from muniment.contracts.shape import Wire
from muniment.model.errors import Malformed

ROLES = ("producer", "consumer")
LEVELS = ("core", "strict", "profile")
DAMPING, TOLERANCE, STEPS_MAX = 0.5, 1e-9, 32
SKETCH_HASH = "sha256-2x64"
"""The choices that the draft leaves open. The kit `omir-conformance` has the algorithms; a test compares the two."""


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
    release: OmirVersion = OmirVersion.R1,
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
        reads=tuple(one.value for one in OmirVersion) if "consumer" in roles else (),
        writes=release.value if "producer" in roles else "none",
        roles=roles,
        level=level,
        profiles=tuple(sorted(profiles)),
        omirb=tuple({"producer": "writes", "consumer": "reads"}[role] for role in roles),
        extension_urls=URLS if "producer" in roles else (),
        evolution_rules=(HALF_LIFE_RULES, VELD_RULES),
        activation=Activation(
            algorithm="personalised PageRank",
            damping=DAMPING,
            tolerance=TOLERANCE,
            steps_max=STEPS_MAX,
            dangling="stays",
        ),
        sketch_hash=SKETCH_HASH,
    )


def spell(found: Statement) -> bytes:
    """The statement as JSON, for people to read and programs to compare."""
    return msgspec.json.format(msgspec.json.encode(found), indent=2)
