"""Decisions from rules and facts: first match, no rule means no, empty lists allow nothing, and one meaning for
`decide_read` and `narrow`."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make

from muniment.model.actor import Actor
from muniment.model.card import card_of
from muniment.model.claim import Belief, Charter, Claim, Handling, Nature, Place
from muniment.model.filter import NOTHING, matches
from muniment.model.record import Record, RecordState, TrustState
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.vocabulary import (
    ActorType,
    Kind,
    Label,
    MemoryClass,
    Scope,
    Sensitivity,
    TrustLevel,
)
from muniment.policy.decide import NO_RULE, belongs, decide_read, decide_review, decide_write, resolve, steers
from muniment.policy.narrow import narrow
from muniment.policy.rules import (
    Action,
    Policy,
    PolicyMember,
    ReadRule,
    ReviewRule,
    TrustPolicy,
    WriteDecision,
    WriteRule,
)

ANA = Actor(id="ana", roles=("worker",), teams=("north",), projects=("apollo",), sessions=("s1",))
CLAIM = Claim(content="x", place=Place(scope_id="apollo"))
RECORD = Record(
    id="rec_1",
    tenant="acme",
    revision=1,
    claim=CLAIM,
    created_at=Instant(0),
    proposal="prp_1",
    actor="ana",
    actor_type=ActorType.AGENT,
    label=Label.AGENT,
    trust=TrustLevel.MEDIUM,
)
STANDING = RecordState(status=Status.ACTIVE, since=1, footing=TrustState(own=0.5, effective=0.5, label=Label.AGENT))
PERSONAL = msgspec.structs.replace(
    RECORD,
    claim=Claim(
        content="x",
        place=Place(scope=Scope.X_USER_IDENTITY, scope_id="ana"),
        handling=Handling(owner="dan"),
        charter=Charter(access=("worker", "eve"), reviewer="rex"),
    ),
)


def _policy(**sections: object) -> Policy:
    return Policy(version=1, name="test", **sections)  # type: ignore[arg-type]  # sections are given by name


def _write(**bounds: object) -> WriteRule:
    return WriteRule(id="it", decision=WriteDecision.COMMIT, reason="because", **bounds)  # type: ignore[arg-type]


def _read(**bounds: object) -> ReadRule:
    return ReadRule(id="it", **bounds)  # type: ignore[arg-type]  # bounds are given by name


def test_no_rule_means_no() -> None:
    empty = _policy()
    assert decide_write(empty, ANA, CLAIM).decision is WriteDecision.REFUSE
    assert decide_write(empty, ANA, CLAIM).rule == NO_RULE
    assert decide_read(empty, ANA, "answer", RECORD) is None
    assert narrow(empty, ANA, "answer") == (NOTHING, ())
    assert all(decide_review(empty, ANA, action, CLAIM.place, "ana") is None for action in Action)


def test_the_first_rule_that_fits_decides() -> None:
    hold = WriteRule(id="facts-wait", decision=WriteDecision.HOLD, reason="a", kinds=(Kind.FACT,))
    refuse = WriteRule(id="no", decision=WriteDecision.REFUSE, reason="b")
    commit = WriteRule(id="yes", decision=WriteDecision.COMMIT, reason="c", review_days=7)
    fact = msgspec.structs.replace(CLAIM, nature=Nature(kind=Kind.FACT))
    assert decide_write(_policy(write=(hold, commit, refuse)), ANA, fact).rule == "facts-wait"
    decided = decide_write(_policy(write=(hold, commit, refuse)), ANA, CLAIM)
    assert (decided.decision, decided.rule, decided.reason, decided.review_days) == (
        WriteDecision.COMMIT,
        "yes",
        "c",
        7,
    )
    assert decide_write(_policy(write=(refuse, commit)), ANA, CLAIM).rule == "no"


@each("bound", ["actors", "roles", "types", "scopes", "namespaces", "kinds", "classes"])
def test_an_empty_list_allows_nothing(bound: str) -> None:
    assert decide_write(_policy(write=(_write(**{bound: ()}),)), ANA, CLAIM).decision is WriteDecision.REFUSE
    assert decide_read(_policy(read=(_read(**{bound: ()}),)), ANA, "answer", RECORD) is None
    condition, _ = narrow(_policy(read=(_read(**{bound: ()}),)), ANA, "answer")
    assert not matches(condition, card_of(RECORD, STANDING, rid=1, pepper=b"p"))


def test_an_empty_list_of_purposes_or_actions_allows_nothing() -> None:
    assert decide_read(_policy(read=(_read(purposes=()),)), ANA, "answer", RECORD) is None
    assert decide_review(_policy(review=(ReviewRule(id="it", actions=()),)), ANA, Action.AUDIT, None, None) is None


FITS: tuple[tuple[str, object, object], ...] = (
    ("actors", ("ana",), ("bob",)),
    ("roles", ("worker", "x"), ("owner",)),
    ("types", (ActorType.AGENT,), (ActorType.PERSON,)),
    ("scopes", (Scope.PROJECT,), (Scope.SESSION,)),
    ("namespaces", ("/",), ("/hr",)),
    ("kinds", (Kind.OBSERVATION,), (Kind.FACT,)),
    ("classes", (MemoryClass.LONG_TERM,), (MemoryClass.PROFILE,)),
    ("sensitivity_max", Sensitivity.INTERNAL, Sensitivity.PUBLIC),
)


@each(("bound", "fits", "misses"), FITS)
def test_each_bound_alone_decides(bound: str, fits: object, misses: object) -> None:
    for value, allowed in ((fits, True), (misses, False)):
        write = decide_write(_policy(write=(_write(**{bound: value}),)), ANA, CLAIM)
        assert (write.decision is WriteDecision.COMMIT) is allowed
        assert (decide_read(_policy(read=(_read(**{bound: value}),)), ANA, "answer", RECORD) == "it") is allowed


@each(
    ("bounds", "claim", "allowed"),
    [
        ({"confidence_min": 0.5}, Claim(content="x", belief=Belief(score=0.5)), True),
        ({"confidence_min": 0.5}, Claim(content="x", belief=Belief(score=0.49)), False),
        ({"evidence_min": 1}, Claim(content="x", belief=Belief(evidence=("e",))), True),
        ({"evidence_min": 1}, Claim(content="x"), False),
        ({"member": True}, Claim(content="x", place=Place(scope_id="apollo")), True),
        ({"member": True}, Claim(content="x", place=Place(scope_id="other")), False),
        ({"member": False}, Claim(content="x", place=Place(scope_id="apollo")), False),
        ({"member": False}, Claim(content="x", place=Place(scope_id="other")), True),
        ({"sensitivity_max": "secret"}, Claim(content="x", handling=Handling(sensitivity=Sensitivity.SECRET)), True),
    ],
)
def test_each_bound_of_a_write_rule_decides(bounds: dict[str, object], claim: Claim, allowed: bool) -> None:
    rule = msgspec.convert({"id": "it", "decision": "commit", "reason": "r", **bounds}, WriteRule)
    assert (decide_write(_policy(write=(rule,)), ANA, claim).decision is WriteDecision.COMMIT) is allowed


@each(
    ("bounds", "allowed"),
    [
        ({"purposes": ("answer",)}, True),
        ({"purposes": ("audit",)}, False),
        ({"trust_min": TrustLevel.MEDIUM}, True),
        ({"trust_min": TrustLevel.HIGH}, False),
        ({"label_min": Label.AGENT}, True),
        ({"label_min": Label.SYSTEM}, False),
    ],
)
def test_each_bound_of_a_read_rule_decides(bounds: dict[str, object], allowed: bool) -> None:
    assert (decide_read(_policy(read=(_read(**bounds),)), ANA, "answer", RECORD) == "it") is allowed


def test_a_read_rule_opens_only_own_scopes_unless_it_says_otherwise() -> None:
    foreign = msgspec.structs.replace(RECORD, claim=Claim(content="x", place=Place(scope_id="other")))
    assert decide_read(_policy(read=(_read(),)), ANA, "answer", foreign) is None
    assert decide_read(_policy(read=(_read(member=False),)), ANA, "answer", foreign) == "it"


@each(
    ("scope", "scope_id", "own"),
    [
        (Scope.PROJECT, "apollo", True),
        (Scope.PROJECT, "Apollo", False),
        (Scope.PROJECT, "north", False),
        (Scope.AGENT_TEAM, "north", True),
        (Scope.AGENT_REPO, "ana", True),
        (Scope.AGENT_REPO, "worker", True),
        (Scope.AGENT_REPO, "bob", False),
        (Scope.SESSION, "s1", True),
        (Scope.SESSION, "s2", False),
    ],
)
def test_membership_is_exact(scope: Scope, scope_id: str, own: bool) -> None:
    assert belongs(ANA, Place(scope=scope, scope_id=scope_id)) is own


def test_a_star_belongs_everywhere_of_its_sort_and_nowhere_else() -> None:
    anybody = Actor(id="ana", projects=("*",))
    assert belongs(anybody, Place(scope=Scope.PROJECT, scope_id="anything"))
    assert not belongs(anybody, Place(scope=Scope.SESSION, scope_id="anything"))


@each(
    ("rule", "place", "author", "allowed"),
    [
        (ReviewRule(id="it", actions=(Action.RETRACT,), own=True), CLAIM.place, "ana", True),
        (ReviewRule(id="it", actions=(Action.RETRACT,), own=True), CLAIM.place, "bob", False),
        (ReviewRule(id="it", actions=(Action.RETRACT,), own=True), CLAIM.place, None, False),
        (ReviewRule(id="it", actions=(Action.ACCEPT,)), CLAIM.place, "ana", False),
        (ReviewRule(id="it", actions=(Action.RETRACT,), scopes=(Scope.PROJECT,)), CLAIM.place, "bob", True),
        (ReviewRule(id="it", actions=(Action.RETRACT,), scopes=(Scope.SESSION,)), CLAIM.place, "bob", False),
        (ReviewRule(id="it", actions=(Action.RETRACT,), scopes=(Scope.PROJECT,)), None, "bob", False),
        (ReviewRule(id="it", actions=(Action.RETRACT,), roles=("owner",)), CLAIM.place, "bob", False),
        (ReviewRule(id="it", actions=(Action.RETRACT,), authority_min=4), CLAIM.place, "bob", True),
        (ReviewRule(id="it", actions=(Action.RETRACT,), authority_min=5), CLAIM.place, "bob", False),
    ],
)
def test_who_may_answer_for_what(rule: ReviewRule, place: Place | None, author: str | None, allowed: bool) -> None:
    assert (decide_review(_policy(review=(rule,)), ANA, Action.RETRACT, place, author) == "it") is allowed


def test_a_scope_about_people_is_opened_only_by_a_rule_that_names_it() -> None:
    place = Place(scope=Scope.X_USER_IDENTITY, scope_id="ana")
    claim = Claim(content="x", place=place)
    assert decide_write(_policy(write=(_write(),)), ANA, claim).rule == NO_RULE
    named = _policy(write=(_write(scopes=(Scope.X_USER_IDENTITY,)),))
    assert decide_write(named, ANA, claim).decision is WriteDecision.COMMIT
    reads_all = _policy(read=(_read(member=False),))
    assert decide_read(reads_all, ANA, "answer", PERSONAL) is None


@each(
    ("actor", "allowed"),
    [
        (Actor(id="eve"), True),
        (Actor(id="ana", roles=("worker",)), True),
        (Actor(id="dan"), True),
        (Actor(id="rex"), True),
        (Actor(id="bob"), False),
    ],
    ids=["named", "by role", "owner", "reviewer", "somebody else"],
)
def test_a_charter_says_who_may_read_whatever_the_rules_say(actor: Actor, allowed: bool) -> None:
    policy = _policy(read=(_read(member=False, scopes=tuple(Scope)),))
    assert (decide_read(policy, actor, "answer", PERSONAL) == "it") is allowed


def test_memory_about_people_without_a_charter_is_nobodys_to_read() -> None:
    bare = msgspec.structs.replace(PERSONAL, claim=Claim(content="x", place=PERSONAL.claim.place))
    assert decide_read(_policy(read=(_read(member=False, scopes=tuple(Scope)),)), ANA, "answer", bare) is None


def test_what_a_record_counts_as_now_decides_and_not_what_it_was_born_as() -> None:
    policy = _policy(read=(_read(label_min=Label.TOOL),))
    assert decide_read(policy, ANA, "answer", RECORD) is None
    assert decide_read(policy, ANA, "answer", RECORD, Label.PERSON) == "it"
    vouched = msgspec.structs.replace(RECORD, label=Label.PERSON)
    assert decide_read(policy, ANA, "answer", vouched, Label.EXTERNAL) is None


def test_a_purpose_that_is_not_declared_harmless_steers() -> None:
    policy = _policy(trust=TrustPolicy(inform=("answer",)))
    assert not steers(policy, "answer")
    assert steers(policy, "Answer")
    assert steers(policy, "deploy")
    assert steers(_policy(trust=TrustPolicy(inform=())), "answer")


def test_a_name_is_what_the_policy_says_or_what_a_star_says_or_nobody() -> None:
    policy = _policy(
        actors={"ana": PolicyMember(type=ActorType.PERSON, roles=("owner",)), "*": PolicyMember(projects=("default",))}
    )
    assert resolve(policy, "ana") == Actor(id="ana", type=ActorType.PERSON, roles=("owner",))
    assert resolve(policy, "bob", session="s9") == Actor(id="bob", projects=("default",), sessions=("s9",))
    assert resolve(_policy(), "bob") == Actor(id="bob")


@settings(max_examples=max(settings().max_examples, 300))
@given(
    make.policies,
    make.known_actors,
    make.known_records,
    st.sampled_from(["answer", "audit", "other"]),
    st.sampled_from(Label),
)
def test_the_filter_shows_exactly_what_the_decision_allows(
    policy: Policy, actor: Actor, record: Record, purpose: str, label: Label
) -> None:
    condition, grants = narrow(policy, actor, purpose)
    standing = msgspec.structs.replace(STANDING, footing=msgspec.structs.replace(STANDING.footing, label=label))
    shown = matches(condition, card_of(record, standing, rid=1, pepper=b"p"))
    grant = decide_read(policy, actor, purpose, record, label)
    assert shown is (grant is not None)
    assert grant is None or grant in grants


@given(make.policies, make.known_actors, make.claims)
def test_a_write_is_decided_by_the_first_rule_that_would_decide_alone(
    policy: Policy, actor: Actor, claim: Claim
) -> None:
    alone = [msgspec.structs.replace(policy, write=(rule,)) for rule in policy.write]
    fitting = [found for one in alone if (found := decide_write(one, actor, claim)).rule != NO_RULE]
    decided = decide_write(policy, actor, claim)
    assert decided == fitting[0] if fitting else decided.rule == NO_RULE
