"""Activation spreads in a bundle as published, fans are normalised, and sketches know what they were made of."""

from __future__ import annotations

import base64
import json
import random
from fractions import Fraction
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.omir.example import document

from muniment.contracts.finding import passes
from muniment.contracts.omir import CONTRACT
from muniment.contracts.omir.cbor import read_cbor, write_cbor
from muniment.contracts.strict.values import JsonObject
from muniment.model.times import parse
from omir_conformance import activation
from omir_conformance.activation import activated, normalised
from omir_conformance.instants import WrongValue
from omir_conformance.sketch import familiar, sketch, sketched

GOLDEN = json.loads(files("omir_conformance").joinpath("activation_golden.json").read_bytes())
IDS = ["a", "b", "c", "d"]


@st.composite
def graphs(draw: st.DrawFn) -> JsonObject:
    """Bundles of entities and relations with every sort of weight, some of them invalidated."""
    entries: list[JsonObject] = [
        {"resourceType": "Entity", "id": id_, "name": id_, "salience": draw(st.floats(0, 1))} for id_ in IDS
    ]
    for number in range(draw(st.integers(0, 6))):
        relation: JsonObject = {
            "resourceType": "Relationship",
            "id": f"r{number}",
            "from": {"ref": f"Entity/{draw(st.sampled_from(IDS))}"},
            "to": {"ref": f"Entity/{draw(st.sampled_from(IDS))}"},
            "relationType": "related_to",
        }
        relation |= draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "strength": st.floats(0, 1),
                    "reverseStrength": st.floats(0, 1),
                    "invalidatedAt": st.just("2026-01-01T00:00:00Z"),
                },
            )
        )
        entries.append(relation)
    return {"resourceType": "Bundle", "omirVersion": "R1", "entry": list(entries)}


@cites("OMIR-079")
@each("case", GOLDEN["cases"], ids=lambda case: case["name"])
def test_activation_comes_out_as_published(case: dict[str, JsonObject]) -> None:
    at = case.get("at")
    found = activated(case["bundle"], at=parse(str(at), field="at") if at is not None else None)
    wanted = {id_: float(Fraction(str(share))) for id_, share in case["shares"].items()}
    assert found == pytest.approx(wanted, abs=1e-9)


@cites("OMIR-079")
def test_the_parameters_are_those_that_are_published() -> None:
    assert GOLDEN["parameters"] == {
        "algorithm": "personalised PageRank",
        "damping": activation.DAMPING,
        "tolerance": activation.TOLERANCE,
        "stepsMax": activation.STEPS_MAX,
        "dangling": "stays",
    }
    assert (activation.DAMPING, activation.TOLERANCE, activation.STEPS_MAX) == (0.5, 1e-9, 32)


@cites("OMIR-079")
@given(graphs(), st.randoms(use_true_random=False))
def test_neither_the_order_of_entries_nor_the_binary_form_changes_a_share(
    bundle: JsonObject, chance: random.Random
) -> None:
    entries = bundle["entry"]
    assert isinstance(entries, list)
    shuffled = {**bundle, "entry": chance.sample(entries, len(entries))}
    packed = read_cbor(write_cbor(bundle))
    assert isinstance(packed, dict)
    assert activated(shuffled) == activated(bundle) == activated(packed)
    assert sum(activated(bundle).values()) == pytest.approx(1.0)


@cites("OMIR-075")
def test_an_invalidated_relation_does_not_spread() -> None:
    bundle = document()
    assert isinstance(bundle["entry"], list)
    bundle["entry"] = [one for one in bundle["entry"] if isinstance(one, dict) and one["id"] != "runs"]
    seeds = {"mara": 1.0}
    assert activated(bundle, seeds=seeds) == {"kiln": 0.0, "mara": 1.0}
    before = parse("2026-01-31", field="at")
    assert activated(bundle, seeds=seeds, at=before)["kiln"] == pytest.approx(0.5)


def test_a_bundle_without_entities_activates_nothing() -> None:
    assert activated({"resourceType": "Bundle", "omirVersion": "R1", "entry": []}) == {}


@cites("OMIR-078")
@given(graphs())
def test_the_fan_of_a_source_is_never_more_than_whole(bundle: JsonObject) -> None:
    whole = normalised(bundle)
    assert passes(CONTRACT.check(json.dumps(whole).encode()))
    entries = whole["entry"]
    assert isinstance(entries, list)
    sums: dict[str, float] = {}
    for one in entries:
        assert isinstance(one, dict)
        if "normalizedStrength" in one:
            assert "invalidatedAt" not in one
            share = one["normalizedStrength"]
            assert isinstance(share, float)
            sums[str(one["from"])] = sums.get(str(one["from"]), 0.0) + share
    assert all(total == pytest.approx(1.0) and total <= 1.0 + 1e-6 for total in sums.values())


@cites("OMIR-078")
@pytest.mark.parametrize(
    ("share", "regime", "code"),
    [(0.6, {"scheme": "fan", "over": "source"}, "E250"), (0.4, None, "E251")],
)
def test_a_fan_that_is_more_than_whole_or_without_its_rule_is_found(
    share: float, regime: JsonObject | None, code: str
) -> None:
    case = GOLDEN["cases"][2]["bundle"]
    entries = [dict(one) for one in case["entry"]]
    for one in entries[3:]:
        one["normalizedStrength"] = share
        if regime is None:
            del one["normalization"]
    found = CONTRACT.check(json.dumps({**case, "entry": entries}).encode())
    assert code in {one.code for one in found}


@cites("OMIR-080")
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), max_size=20), st.integers(1, 200))
def test_a_sketch_knows_everything_it_was_made_of(keys: list[str], bits: int) -> None:
    found = sketch(keys, bits=bits)
    stored = found["data"]
    assert isinstance(stored, str)
    assert len(base64.b64decode(stored)) == -(-bits // 8)
    assert all(familiar(found, key) for key in keys)


@cites("OMIR-080")
def test_every_entity_of_a_bundle_is_familiar_and_a_stranger_is_not() -> None:
    bundle = sketched(document())
    found = bundle["familiaritySketch"]
    assert isinstance(found, dict)
    assert (found["bits"], found["hashes"], found["hashAlg"]) == (64, 7, "sha256-2x64")
    assert [familiar(found, name) for name in ("Mara Oduya", "  mara   ODUYA", "the large kiln")] == [True] * 3
    assert not familiar(found, "Tomas Lind")
    assert passes(CONTRACT.check(json.dumps(bundle).encode()))


def test_a_sketch_is_the_same_in_whatever_order_and_as_published() -> None:
    assert sketch(["tea", "mate"], bits=16, hashes=2) == sketch(["mate", "tea", "Tea"], bits=16, hashes=2)
    assert sketch(["tea"], bits=16, hashes=2)["data"] == "AAk="


@each(
    ("change", "field"),
    [
        ({"hashAlg": "xxh3-64"}, "hashAlg"),
        ({"data": "AA=="}, "data"),
        ({"data": "?"}, "data"),
        ({"kind": "count_min"}, "hashAlg"),
    ],
)
def test_a_sketch_of_another_make_is_refused(change: JsonObject, field: str) -> None:
    with pytest.raises(WrongValue) as refused:
        familiar({**sketch(["tea"]), **change}, "tea")
    assert refused.value.field == field
