"""Policies are read strictly, from YAML and from TOML, and every refusal says on which line. No files here."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment.model.errors import PolicyInvalid
from muniment.model.gate import Thresholds
from muniment.model.vocabulary import Consequence, Kind, Label, Sensitivity
from muniment.policy.parse import BYTES_MAX, parse_policy
from muniment.policy.rules import (
    Action,
    CascadePolicy,
    DetectorEffect,
    DisputePolicy,
    Policy,
    TrustPolicy,
    WriteDecision,
)

YAML = """\
version: 1
name: test
actors:
  ana:
    type: person
    roles: [owner]
write:
  - id: all-commit
    decision: commit
    reason: because
  - id: rest-waits
    kinds: [fact, risk]
    confidence_min: 0.5
    decision: hold
    reason: because
read:
  - id: all-read
    sensitivity_max: internal
review:
  - id: ana-reviews
    actions: [accept]
"""
TRUST = """\
trust:
  gate: {min: 0.3, flag: 0.5}
  namespaces:
    /hr: {min: 0.7, flag: 0.9}
    /hr/pay:
      min: 0.8
      flag: 0.8
  missing_floor: 0.1
  inform: [answer, audit]
  steer_label_min: tool
cascade:
  retracted: deprecate
  superseded: leave
disputes:
  detector: note
  judge: ignore
  quorum: 5
"""
"""Lines 22 to 38 of a policy that goes on from YAML."""
TOML = """\
version = 1
name = "test"

[actors.ana]
type = "person"
roles = ["owner"]

[[write]]
id = "all-commit"
decision = "commit"
reason = "because"

[[write]]
id = "rest-waits"
kinds = ["fact", "risk"]
confidence_min = 0.5
decision = "hold"
reason = "because"

[[read]]
id = "all-read"
sensitivity_max = "internal"

[[review]]
id = "ana-reviews"
actions = ["accept"]
"""


def _yaml(text: str) -> Policy:
    return parse_policy(text, place="policy.yaml")


def _toml(text: str) -> Policy:
    return parse_policy(text, place="policy.toml")


def _refused(text: str, place: str) -> PolicyInvalid:
    with pytest.raises(PolicyInvalid) as refused:
        parse_policy(text, place=place)
    assert refused.value.code == "policy_invalid"
    assert refused.value.place == place
    return refused.value


def test_both_spellings_say_the_same() -> None:
    policy = _yaml(YAML)
    assert policy == _toml(TOML)
    assert [rule.decision for rule in policy.write] == [WriteDecision.COMMIT, WriteDecision.HOLD]
    assert policy.write[1].kinds == (Kind.FACT, Kind.RISK)
    assert policy.read[0].sensitivity_max is Sensitivity.INTERNAL
    assert policy.review[0].actions == (Action.ACCEPT,)


def test_the_policy_that_ships_is_valid() -> None:
    policy = _yaml(files("muniment.policy").joinpath("default.yaml").read_text())
    assert [rule.id for rule in policy.write][-1] == "people-decide-on-people"
    assert policy.trust == TrustPolicy(namespaces={"/field": Thresholds(min=0.0, flag=0.4)})
    assert (policy.cascade, policy.disputes) == (CascadePolicy(), DisputePolicy())
    assert {action for rule in policy.review for action in rule.actions} == set(Action), "somebody may do each thing"


def test_what_is_said_of_trust_cascade_and_disputes_is_read() -> None:
    policy = _yaml(YAML + TRUST)
    assert policy.trust == TrustPolicy(
        gate=Thresholds(min=0.3, flag=0.5),
        namespaces={"/hr": Thresholds(min=0.7, flag=0.9), "/hr/pay": Thresholds(min=0.8, flag=0.8)},
        missing_floor=0.1,
        inform=("answer", "audit"),
        steer_label_min=Label.TOOL,
    )
    assert policy.cascade == CascadePolicy(retracted=Consequence.DEPRECATE, superseded=Consequence.LEAVE)
    assert policy.disputes == DisputePolicy(detector=DetectorEffect.NOTE, judge=DetectorEffect.IGNORE, quorum=5)
    assert [policy.trust.gates.at(space).min for space in ("/", "/hrx", "/hr", "/hr/pay/x")] == [0.3, 0.3, 0.7, 0.8]


def test_what_is_not_said_of_trust_is_the_quiet_default() -> None:
    assert _yaml(YAML).trust == TrustPolicy()
    assert (_yaml(YAML).cascade, _yaml(YAML).disputes) == (CascadePolicy(), DisputePolicy())


@each(
    ("old", "new", "line", "word"),
    [
        ("gate: {min: 0.3, flag: 0.5}", "gate: {min: 0.6, flag: 0.5}", 23, "gate_flag"),
        ("gate: {min: 0.3, flag: 0.5}", "gate: {min: 0.3, flag: 1.5}", 23, "gate_flag"),
        ("gate: {min: 0.3, flag: 0.5}", "gate: {min: 0.3}", 23, "flag"),
        ("gate: {min: 0.3, flag: 0.5}", "gate: {min: 0.3, flag: 0.5, off: true}", 23, "off"),
        ("gate: {min: 0.3, flag: 0.5}", "gate: 0.3", 23, "gate"),
        ("/hr: {min: 0.7, flag: 0.9}", "/hr: {min: 0.7, flag: 0.6}", 25, "gate_flag"),
        ("/hr: {min: 0.7, flag: 0.9}", "hr: {min: 0.7, flag: 0.9}", 25, "namespace"),
        ("/hr: {min: 0.7, flag: 0.9}", "/hr/: {min: 0.7, flag: 0.9}", 25, "namespace"),
        ("      flag: 0.8", "      flag: 0.7", 26, "gate_flag"),
        ("missing_floor: 0.1", "missing_floor: -0.1", 22, "missing_floor"),
        ("missing_floor: 0.1", "missing_floor: 1.0", 29, "missing_floor"),
        ("inform: [answer, audit]", "inform: ['not an id']", 22, "inform"),
        ("steer_label_min: tool", "steer_label_min: robot", 31, "robot"),
        ("retracted: deprecate", "retracted: forget", 33, "forget"),
        ("superseded: leave", "withdrawn: leave", 34, "withdrawn"),
        ("detector: note", "detector: guess", 36, "guess"),
        ("quorum: 5", "quorum: 0", 38, "quorum"),
        ("quorum: 5", "quorum: 1001", 38, "quorum"),
    ],
    ids=lambda part: repr(part)[:40],
)
def test_a_wrong_line_about_trust_is_named(old: str, new: str, line: int, word: str) -> None:
    assert old in TRUST
    refused = _refused(YAML + TRUST.replace(old, new, 1), "policy.yaml")
    assert word in str(refused)
    assert refused.line == line


@pytest.mark.parametrize("least", [-1, 11])
def test_an_authority_out_of_range_is_refused(least: int) -> None:
    refused = _refused(
        YAML.replace("actions: [accept]", f"authority_min: {least}\n    actions: [accept]"), "policy.yaml"
    )
    assert "authority_min" in str(refused)
    assert refused.line == 20


@each(
    ("old", "new", "line", "word"),
    [
        ("name: test", "name: test\ncolour: blue", 3, "colour"),
        ("    decision: commit", "    decision: commit\n    colour: blue", 10, "colour"),
        ("    roles: [owner]", "    rolls: [owner]", 6, "rolls"),
        ("    decision: commit", "    decision: perhaps", 9, "perhaps"),
        ("    decision: commit", "    decision: 5", 9, "decision"),
        ("    decision: commit\n", "", 8, "decision"),
        ("kinds: [fact, risk]", "kinds: [fact, gossip]", 12, "gossip"),
        ("kinds: [fact, risk]", "kinds: fact", 12, "kinds"),
        ("confidence_min: 0.5", "confidence_min: 1.5", 11, "confidence_min"),
        ("confidence_min: 0.5", "confidence_min: .nan", 13, "finite"),
        ("confidence_min: 0.5", "confidence_min: -.inf", 13, "finite"),
        ("confidence_min: 0.5", "confidence_min: yes", 13, "confidence_min"),
        ("confidence_min: 0.5", "confidence_min: 2026-01-01", 13, "plain"),
        ("confidence_min: 0.5", "evidence_min: -1", 11, "evidence_min"),
        ("confidence_min: 0.5", "review_days: 0", 11, "review_days"),
        ("id: all-commit", "id: all commits", 8, "id"),
        ("id: all-commit", "id: ../x", 8, "id"),
        ("id: rest-waits", "id: all-commit", 11, "earlier"),
        ("id: all-read", "id: all-commit", 17, "earlier"),
        ("version: 1", "version: 2", 1, "version"),
        ("version: 1", "version: true", 1, "version"),
        ("version: 1", "version: '1'", 1, "version"),
        ("  ana:\n", "  'a b':\n", 4, "actors"),
        ("    type: person", "    type: robot", 5, "robot"),
        ("    type: person", "    authority: 11", 5, "authority"),
        ("    roles: [owner]", "    roles: ['not an id']", 6, "roles"),
        ("    roles: [owner]", "    sessions: ['']", 6, "sessions"),
        ("name: test", "name: test\nname: again", 3, "twice"),
        ("    reason: because\n  - id: rest", "    reason: because\n    reason: again\n  - id: rest", 11, "twice"),
        ("sensitivity_max: internal", "namespaces: [hr]", 17, "namespaces"),
        ("sensitivity_max: internal", "member: 1", 18, "member"),
        ("actions: [accept]", "actions: [obliterate]", 21, "obliterate"),
        ("name: test", "name: &x test\nsafety: *x", 3, "alias"),
        ("name: test", "name: !!python/name:os.system x", 2, "plain"),
        ("name: test", "name: !secret test", 2, "plain"),
    ],
    ids=lambda part: repr(part)[:40],
)
def test_a_wrong_yaml_line_is_named(old: str, new: str, line: int, word: str) -> None:
    assert old in YAML
    refused = _refused(YAML.replace(old, new, 1), "policy.yaml")
    assert refused.line == line
    assert word in str(refused)


@pytest.mark.parametrize("tagged", ["safety: !custom {secrets: redact}", "safety: !!python/dict {secrets: redact}"])
def test_a_tag_on_a_whole_part_is_refused(tagged: str) -> None:
    assert _refused(YAML + tagged + "\n", "policy.yaml").line == 22


def test_a_tag_on_a_list_is_refused() -> None:
    assert _refused(YAML.replace("kinds: [fact", "kinds: !custom [fact"), "policy.yaml").line == 12


@each(
    ("old", "new", "line", "word"),
    [
        ('name = "test"', 'name = "test"\ncolour = "blue"', 3, "colour"),
        ('decision = "commit"', 'decision = "commit"\ncolour = 1', 11, "colour"),
        ('decision = "commit"', 'decision = "perhaps"', 10, "perhaps"),
        ('roles = ["owner"]', 'rolls = ["owner"]', 6, "rolls"),
        ('kinds = ["fact", "risk"]', 'kinds = "fact"', 15, "kinds"),
        ("confidence_min = 0.5", "confidence_min = nan", 13, "confidence_min"),
        ("confidence_min = 0.5", "confidence_min = 1979-05-27", 16, "confidence_min"),
        ('id = "rest-waits"', 'id = "all-commit"', 14, "earlier"),
        ('id = "all-commit"', 'id = "../x"', 8, "id"),
        ('name = "test"', 'name = "test"\nname = "again"', 3, "TOML"),
        ('name = "test"', "name = ", 2, "TOML"),
        ("version = 1", "version = 2", 1, "version"),
        ('actions = ["accept"]', 'actions = ["obliterate"]', 26, "obliterate"),
    ],
    ids=lambda part: repr(part)[:40],
)
def test_a_wrong_toml_line_is_named(old: str, new: str, line: int, word: str) -> None:
    assert old in TOML
    refused = _refused(TOML.replace(old, new, 1), "policy.toml")
    assert refused.line == line
    assert word in str(refused)


@each(
    "text",
    [
        "",
        "\n\n",
        "# only a comment\n",
        "null",
        "[]",
        "just words",
        "5",
        "version: 1",
        "a: b: c",
        "{",
        "- version: 1",
        "version: 1\nname: x\n---\nversion: 1\nname: y\n",
        "? [a, b]\n: c\n",
        "version: 1\nname: \x07\n",
        "version: 1\nname: x\nwrite: {}\n",
        "version: 1\nname: ''\n",
        "version: 1\nname: '  '\n",
        'version: 1\nname: "\\ud800"\n',
        "%YAML 9.9\n---\nversion: 1\nname: x\n",
        "<<: {version: 1}\nname: x\n",
        "\ud800",
    ],
    ids=repr,
)
def test_what_is_no_policy_is_refused_with_a_line(text: str) -> None:
    assert _refused(text, "policy.yaml").line >= 1


@each("text", ["", "name = 'x'", "version = 1", "=", "[", "version = 1\nname = 'x'\nwrite = 5\n", "\ud800"])
def test_what_is_no_policy_in_toml_is_refused_with_a_line(text: str) -> None:
    assert _refused(text, "policy.toml").line >= 1


def test_a_policy_that_is_nested_deeply_is_refused() -> None:
    assert _refused("name: " + "[" * 200 + "]" * 200, "policy.yaml").line == 1
    assert _refused("a = " + "[" * 100_000, "policy.toml").line == 1


@pytest.mark.parametrize("place", ["policy.yaml", "policy.toml"])
def test_a_huge_policy_is_refused_before_it_is_read(place: str) -> None:
    assert str(BYTES_MAX) in str(_refused("#" * (BYTES_MAX + 1), place))
    assert str(BYTES_MAX) in str(_refused("é" * (BYTES_MAX // 2 + 1), place))


def _line(text: str, place: str) -> int:
    """The line a text is refused on; 1 for a text that is a policy."""
    try:
        parse_policy(text, place=place)
    except PolicyInvalid as refused:
        return refused.line
    return 1


@given(st.text(max_size=80))
def test_no_text_whatever_raises_anything_else(text: str) -> None:
    assert _line(text, "policy.yaml") >= 1
    assert _line(text, "policy.toml") >= 1


@given(st.sampled_from(YAML.splitlines()), st.text(max_size=20))
def test_no_garbled_line_raises_anything_else(line: str, garbage: str) -> None:
    assert _line(YAML.replace(line, line[: len(line) // 2] + garbage, 1), "policy.yaml") >= 1
