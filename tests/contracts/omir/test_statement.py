"""The conformance statement says what the installation does, and follows from how it is set up."""

from __future__ import annotations

import json

import pytest
from tests.cases import each
from tests.contracts.cites import cites

from muniment.contracts.omir import rules as our_rules
from muniment.contracts.omir.statement import spell, statement
from muniment.contracts.omir.terms import OmirVersion
from muniment.model.errors import Malformed
from omir_conformance import activation, rules, sketch

PROFILE = "https://omir.io/spec/R1/profile/omir-coding-agent"


@cites("OMIR-088")
def test_a_statement_lists_what_is_demanded_of_one() -> None:
    found = json.loads(spell(statement("muniment/1.0", profiles=(PROFILE,))))
    assert found == {
        "statement": "OMIRConformanceStatement",
        "implementation": "muniment/1.0",
        "release": "R1",
        "reads": ["R1", "R1.x"],
        "writes": "R1",
        "roles": ["producer", "consumer"],
        "level": "strict",
        "profiles": [PROFILE],
        "omirb": ["writes", "reads"],
        "extensionUrls": [
            "urn:muniment:omir:memory",
            "urn:muniment:omir:draft-fields",
            "urn:muniment:omir:name",
            "urn:muniment:omir:evolution",
            "urn:muniment:omir:successor",
        ],
        "evolutionRules": ["urn:muniment:omir:rules:half-life:1", "urn:muniment:omir:rules:veld:1"],
        "activation": {
            "algorithm": "personalised PageRank",
            "damping": 0.5,
            "tolerance": 1e-9,
            "stepsMax": 32,
            "dangling": "stays",
        },
        "sketchHash": "sha256-2x64",
    }


@cites("OMIR-088")
def test_a_statement_follows_the_configuration() -> None:
    reader = statement("reader/1", profiles=(), level="core", roles=("consumer",))
    assert (reader.writes, reader.omirb, reader.extension_urls, reader.level) == ("none", ("reads",), (), "core")
    assert statement("writer/1", profiles=(), release=OmirVersion.R1X).writes == "R1.x"


@each(
    ("roles", "level", "field"), [(("king",), "core", "roles"), ((), "core", "roles"), (("consumer",), "gold", "level")]
)
def test_a_claim_that_is_none_is_refused(roles: tuple[str, ...], level: str, field: str) -> None:
    with pytest.raises(Malformed) as refused:
        statement("x/1", profiles=(), roles=roles, level=level)
    assert refused.value.field == field


def test_the_statement_names_the_algorithms_that_the_kit_has() -> None:
    found = statement("x", profiles=())
    assert found.evolution_rules == tuple(rules.RULE_SETS)
    assert (found.activation.damping, found.activation.tolerance) == (activation.DAMPING, activation.TOLERANCE)
    assert (found.activation.steps_max, found.sketch_hash) == (activation.STEPS_MAX, sketch.HASH)
    assert our_rules.calibrated(7, 2) == rules.calibrated(7, 2)
