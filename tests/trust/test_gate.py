"""The gate: two thresholds, exact to the last bit, of the call, the namespace or the engine, before anything is cut."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.cases import each
from tests.trust.world import SetClock, contents, entries_since, footing, kept, open_vault, sums_up, team_policy, told

from muniment import Memory
from muniment.model.errors import CallerError, PolicyInvalid
from muniment.model.gate import Thresholds
from muniment.model.query import Abstention
from muniment.model.vocabulary import GateFlag
from muniment.policy.rules import Policy, TrustPolicy

BELOW, ABOVE = math.nextafter(0.7, 0.0), math.nextafter(0.7, 1.0)


def gated(policy: Policy, *, gate: Thresholds | None = None, **namespaces: Thresholds) -> Policy:
    """A policy with other thresholds; a namespace is given without its slash, `__` for each further one."""
    spaces = {"/" + name.replace("__", "/"): thresholds for name, thresholds in namespaces.items()}
    trust = msgspec.structs.replace(policy.trust, gate=gate or policy.trust.gate, namespaces=spaces)
    return msgspec.structs.replace(policy, trust=trust)


@pytest.mark.parametrize(
    ("confidence", "flag"),
    [(0.7, GateFlag.PASS), (ABOVE, GateFlag.PASS), (1.0, GateFlag.PASS), (BELOW, GateFlag.FLAG), (0.4, GateFlag.FLAG)],
)
def test_a_confidence_at_the_threshold_has_reached_it(team: Memory, confidence: float, flag: GateFlag) -> None:
    name = kept(team.remember("alpha", confidence=confidence))
    (found,) = team.recall("alpha", gate_min=0.4, gate_flag=0.7).records
    assert (found.record.id, found.gate) == (name, flag)


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 0.4, 0.6, 0.7, 0.9, 1.0])
def test_every_threshold_lets_its_own_value_by_and_keeps_the_next_one_below_back(
    team: Memory, threshold: float
) -> None:
    team.remember("alpha", confidence=threshold)
    assert contents(team.recall("alpha", gate_min=threshold, gate_flag=threshold)) == {"alpha"}
    if threshold < 1.0:
        closed = team.recall("alpha", gate_min=math.nextafter(threshold, 1.0), gate_flag=1.0)
        assert (closed.records, closed.excluded, closed.abstained) == ((), {"gate": 1}, Abstention.NOTHING_ELIGIBLE)


def test_the_engine_has_thresholds_of_its_own(team: Memory) -> None:
    for confidence in (0.39, 0.4, 0.59, 0.6):
        team.remember(f"alpha at {confidence}", confidence=confidence)
    answer = team.recall("alpha")
    assert {one.record.content: one.gate for one in answer.records} == {
        "alpha at 0.4": GateFlag.FLAG,
        "alpha at 0.59": GateFlag.FLAG,
        "alpha at 0.6": GateFlag.PASS,
    }
    assert answer.excluded == {"gate": 1}


def test_the_gate_asks_for_the_effective_confidence_and_not_the_declared_one(team: Memory) -> None:
    weak = kept(team.remember("omega", confidence=0.1))
    kept(team.remember("alpha", confidence=1.0, derived_from=[weak]))
    assert (team.recall("alpha").records, team.recall("alpha").excluded) == ((), {"gate": 1})
    (found,) = team.recall("alpha", gate_min=0.1).records
    assert (found.gate, found.standing.footing.own) == (GateFlag.FLAG, 1.0)


def test_an_answer_says_what_the_gate_said(team: Memory) -> None:
    team.remember("alpha", confidence=0.5)
    assert "effective confidence 0.50, FLAG" in team.recall("alpha").records[0].reasons


# Which threshold is in force.


@pytest.fixture
def spaced(vault: Path) -> Iterator[Memory]:
    policy = gated(
        team_policy(),
        gate=Thresholds(min=0.3, flag=0.5),
        hr=Thresholds(min=0.7, flag=0.9),
        hr__open=Thresholds(min=0.1, flag=0.2),
    )
    with open_vault(vault, policy=policy) as memory:
        yield memory


@pytest.mark.parametrize(
    ("namespace", "confidence", "flag"),
    [
        ("/", 0.3, "FLAG"),
        ("/", 0.5, "PASS"),
        ("/", 0.29, "FILTER"),
        ("/hr", 0.69, "FILTER"),
        ("/hr", 0.7, "FLAG"),
        ("/hr", 0.9, "PASS"),
        ("/hr/pay", 0.69, "FILTER"),
        ("/hr/pay/bonus", 0.7, "FLAG"),
        ("/hr/open", 0.1, "FLAG"),
        ("/hr/open/desk", 0.2, "PASS"),
        ("/hr/open", 0.09, "FILTER"),
        ("/hr/opening", 0.69, "FILTER"),
        ("/hrx", 0.3, "FLAG"),
        ("/hrx", 0.69, "PASS"),
    ],
)
def test_the_nearest_namespace_decides(spaced: Memory, namespace: str, confidence: float, flag: str) -> None:
    name = kept(spaced.remember("alpha", namespace=namespace, confidence=confidence))
    assert spaced.get(name).gate == flag
    answer = spaced.recall("alpha")
    assert [one.gate for one in answer.records] == ([] if flag == "FILTER" else [flag])
    assert answer.excluded == ({"gate": 1} if flag == "FILTER" else {})
    assert spaced.insight.lineage(name).nodes[0].gate == flag


def test_a_call_that_names_both_thresholds_is_held_to_them_everywhere(spaced: Memory) -> None:
    for namespace in ("/", "/hr", "/hr/open"):
        spaced.remember("alpha", namespace=namespace, confidence=0.6)
    assert len(spaced.recall("alpha", gate_min=0.6, gate_flag=0.6).records) == 3
    assert spaced.recall("alpha", gate_min=0.61, gate_flag=0.7).excluded == {"gate": 3}
    assert {one.gate for one in spaced.recall("alpha", gate_min=0.5, gate_flag=0.7).records} == {GateFlag.FLAG}


def test_a_call_that_names_one_threshold_leaves_the_other(spaced: Memory) -> None:
    spaced.remember("alpha", namespace="/hr", confidence=0.8)
    assert [one.gate for one in spaced.recall("alpha", gate_min=0.0).records] == [GateFlag.FLAG]
    assert [one.gate for one in spaced.recall("alpha", gate_flag=0.8).records] == [GateFlag.PASS]
    assert spaced.recall("alpha", gate_min=0.95).records == ()
    spaced.remember("omega", namespace="/hr", confidence=0.96)
    assert [one.gate for one in spaced.recall("omega", gate_min=0.95).records] == [GateFlag.PASS]


# Before anything is cut.


@pytest.mark.parametrize("weak", [5, 60])
def test_weak_records_do_not_take_the_place_of_good_ones(team: Memory, weak: int) -> None:
    for number in range(weak):
        team.remember(f"alpha alpha alpha beta beta weak{number}", confidence=0.2)
    for number in range(8):
        team.remember(f"alpha, among many other words that make it a worse match, good{number}", confidence=0.9)
    answer = team.recall("alpha beta", limit=5)
    assert len(answer.records) == 5
    assert all("good" in one.record.content and one.gate is GateFlag.PASS for one in answer.records)
    assert answer.excluded == {"gate": weak, "limit": 3}
    assert answer.considered == weak + 8
    assert sums_up(answer)


def test_exclusions_add_up_whatever_keeps_records_out(team: Memory) -> None:
    root = kept(team.remember("omega", confidence=0.9))
    for number in range(4):
        team.remember(f"alpha weak {number}", confidence=0.1)
        team.remember(f"alpha outside {number}", confidence=0.9, source_type="web")
        team.remember(f"alpha good {number}", confidence=0.9)
        team.remember(f"alpha fallen {number}", confidence=0.9, derived_from=[root])
    team.review.retract(root, reason="wrong")
    answer = team.recall("alpha", purpose="act", limit=3)
    assert answer.excluded == {"gate": 4, "origin": 4, "support": 4, "limit": 1}
    assert (len(answer.records), answer.considered) == (3, 16)


def test_what_lost_its_support_is_kept_back_even_by_an_open_gate(team: Memory) -> None:
    root = kept(team.remember("omega", confidence=0.9))
    child = kept(team.remember("alpha", confidence=0.9, derived_from=[root]))
    team.review.retract(root, reason="wrong")
    answer = team.recall("alpha", gate_min=0.0, gate_flag=0.0)
    assert (answer.records, answer.excluded) == ((), {"support": 1})
    assert team.get(child).gate is GateFlag.FILTER


def test_what_stands_on_something_disputed_is_at_most_flagged(team: Memory) -> None:
    root = kept(team.remember("omega", confidence=1.0))
    team.remember("alpha", confidence=1.0, derived_from=[root])
    team.remember("omega is wrong", relations=[("contradicts", root)], confidence=1.0)
    (found,) = team.recall("alpha", gate_min=0.0, gate_flag=0.0).records
    assert found.gate is GateFlag.FLAG


# Wrong thresholds.

WRONG: dict[str, tuple[dict[str, object], str]] = {
    "no number (lowest)": ({"gate_min": float("nan")}, "gate_min"),
    "no number (flag)": ({"gate_flag": float("nan")}, "gate_flag"),
    "below 0": ({"gate_min": -0.1}, "gate_min"),
    "above 1": ({"gate_flag": 1.1}, "gate_flag"),
    "without end": ({"gate_flag": float("inf")}, "gate_flag"),
    "swapped": ({"gate_min": 0.8, "gate_flag": 0.2}, "gate_flag"),
    "flag below what is in force": ({"gate_flag": 0.2}, "gate_flag"),
    "text": ({"gate_min": "0.5"}, "gate_min"),
    "a word": ({"gate_flag": "off"}, "gate_flag"),
    "true": ({"gate_min": True}, "gate_min"),
    "false": ({"gate_flag": False}, "gate_flag"),
    "a list": ({"gate_min": [0.5]}, "gate_min"),
}


@each("name", WRONG)
def test_a_wrong_threshold_is_an_error_and_nothing_is_logged(team: Memory, name: str) -> None:
    options, field = WRONG[name]
    team.remember("alpha")
    before, head = team.insight.stats().receipts, team.ledger.head()
    with pytest.raises(CallerError) as refused:
        team.recall("alpha", **options)  # type: ignore[arg-type]  # the wrong type is the point
    assert getattr(refused.value, "field", None) == field
    assert (team.insight.stats().receipts, team.ledger.head()) == (before, head)


@pytest.mark.parametrize(
    "trust",
    [
        "{gate: {min: 0.8, flag: 0.2}}",
        "{gate: {min: .nan, flag: 0.2}}",
        "{gate: {min: -1, flag: 0.2}}",
        '{gate: {min: "0.1", flag: 0.2}}',
        "{namespaces: {/hr: {min: 0.8, flag: 0.2}}}",
        "{namespaces: {hr: {min: 0.1, flag: 0.2}}}",
        "{gate: off}",
    ],
)
def test_a_policy_with_a_wrong_threshold_opens_nothing_and_names_the_line(vault: Path, trust: str) -> None:
    path = vault.parent / "wrong.yaml"
    path.write_text(f"version: 1\nname: wrong\ntrust: {trust}\n")
    with pytest.raises(PolicyInvalid) as refused:
        Memory.open(vault, policy=path)
    assert refused.value.line == 3
    assert list(vault.glob("*.sqlite")) == []


# Explained, and run again.


def test_an_answer_can_be_explained_and_run_again_after_everything_has_moved(team: Memory, clock: SetClock) -> None:
    names = [
        kept(team.remember(f"alpha number {at}", confidence=0.35 + at / 20, half_life_hours=24.0)) for at in range(8)
    ]
    clock.forward(3_600_000_000)
    answers = [
        team.recall("alpha number"),
        team.recall("alpha number", gate_min=0.5, gate_flag=0.6, limit=3),
        team.recall("alpha number", purpose="act"),
    ]
    shown = [told(answer) for answer in answers]
    clock.forward(90 * 24 * 3_600_000_000)
    for name in names[:4]:
        team.review.outcome(name, "misleading")
    team.review.retract(names[7], reason="wrong")
    team.revise(names[5], "beta", confidence=0.1)
    team.review.sweep()
    for answer, ids in zip(answers, shown, strict=True):
        for replay in (False, True):
            explained = team.explain(answer.receipt_id, replay=replay)
            assert explained.same_ids
            assert list(explained.again) == ids


def test_an_answer_is_explained_under_the_thresholds_it_was_given_under(vault: Path) -> None:
    with open_vault(vault, policy=gated(team_policy(), gate=Thresholds(min=0.3, flag=0.5))) as memory:
        memory.remember("alpha", confidence=0.35)
        answer = memory.recall("alpha")
        assert contents(answer) == {"alpha"}
    with open_vault(vault, policy=gated(team_policy(), gate=Thresholds(min=0.9, flag=0.9))) as memory:
        assert memory.recall("alpha").records == ()
        for replay in (False, True):
            assert memory.explain(answer.receipt_id, replay=replay).same_ids


def test_what_was_believed_then_is_told_as_it_was_believed_then(team: Memory, clock: SetClock) -> None:
    root = kept(team.remember("omega", confidence=0.9))
    name = kept(team.remember("alpha", confidence=0.9, derived_from=[root]))
    believed = clock.now()
    clock.forward(1_000_000)
    team.review.retract(root, reason="wrong")
    assert team.recall("alpha").excluded == {"support": 1}
    (found,) = team.recall("alpha", known_at=believed).records
    assert (found.record.id, found.gate, found.standing.footing.effective) == (name, GateFlag.PASS, 0.9)


def test_a_recall_writes_no_entry(team: Memory) -> None:
    team.remember("alpha")
    head = team.ledger.head()
    team.recall("alpha", gate_min=0.1)
    assert entries_since(team, head.seq) == ()


def test_the_usual_thresholds_are_those_of_the_default_policy(team: Memory) -> None:
    assert team.insight.policy.trust.gate == TrustPolicy().gate == Thresholds(min=0.4, flag=0.6)
    assert footing(team, kept(team.remember("alpha"))).effective == TrustPolicy().priors.person == 0.7
