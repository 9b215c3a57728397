"""What an actor may do somewhere: a hint that never leaves out what some decision allows, and allows nothing itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment.model.actor import Actor
from muniment.model.claim import Place
from muniment.model.vocabulary import ActorType, Scope
from muniment.policy.decide import OF_THE_WHOLE, decide_review, may_somewhere
from muniment.policy.rules import Action, Policy, ReviewRule

ANA = Actor(id="ana", roles=("worker",), authority=4)
RETRACT, AUDIT = Action.RETRACT, Action.AUDIT


def policy(*rules: ReviewRule) -> Policy:
    return Policy(version=1, name="test", review=rules)


@each(
    ("rule", "may"),
    [
        (ReviewRule(id="it", actions=(AUDIT, RETRACT)), (RETRACT, AUDIT)),
        (ReviewRule(id="it", actions=()), ()),
        (ReviewRule(id="it", actions=(RETRACT,), own=True), (RETRACT,)),
        (ReviewRule(id="it", actions=(RETRACT,), scopes=(Scope.SESSION,)), (RETRACT,)),
        (ReviewRule(id="it", actions=(RETRACT,), scopes=()), ()),
        (ReviewRule(id="it", actions=(RETRACT,), namespaces=("/a",)), (RETRACT,)),
        (ReviewRule(id="it", actions=(RETRACT,), namespaces=()), ()),
        (ReviewRule(id="it", actions=(RETRACT,), actors=("bob",)), ()),
        (ReviewRule(id="it", actions=(RETRACT,), roles=("owner",)), ()),
        (ReviewRule(id="it", actions=(RETRACT,), types=(ActorType.PERSON,)), ()),
        (ReviewRule(id="it", actions=(RETRACT,), authority_min=4), (RETRACT,)),
        (ReviewRule(id="it", actions=(RETRACT,), authority_min=5), ()),
        (ReviewRule(id="it", actions=(AUDIT,), own=True), ()),
        (ReviewRule(id="it", actions=(AUDIT,), scopes=(Scope.PROJECT,)), ()),
        (ReviewRule(id="it", actions=(AUDIT,), namespaces=("/a",)), ()),
    ],
)
def test_each_bound_of_a_rule_counts(rule: ReviewRule, may: tuple[Action, ...]) -> None:
    assert may_somewhere(policy(rule), ANA) == may


def test_no_rule_means_nothing_anywhere() -> None:
    assert may_somewhere(policy(), ANA) == ()


def test_each_action_is_named_once_in_a_fixed_order() -> None:
    twice = ReviewRule(id="it", actions=tuple(reversed(Action)))
    assert may_somewhere(policy(twice, twice), ANA) == tuple(Action)


_few = st.none() | st.lists(st.sampled_from(["ana", "worker", "/a", "/a/b"]), max_size=2).map(tuple)
_rules = st.builds(
    ReviewRule,
    id=st.just("it"),
    actions=st.lists(st.sampled_from(Action), max_size=4).map(tuple),
    actors=_few,
    roles=_few,
    scopes=st.none() | st.lists(st.sampled_from([Scope.PROJECT, Scope.SESSION]), max_size=2).map(tuple),
    own=st.booleans(),
    authority_min=st.none() | st.integers(3, 5),
    namespaces=st.none() | st.lists(st.sampled_from(["/a", "/b/c"]), max_size=2).map(tuple),
)


@given(st.lists(_rules, max_size=4).map(tuple))
def test_the_hint_is_what_some_decision_allows(rules: tuple[ReviewRule, ...]) -> None:
    """Every place and author that these rules can tell apart is asked about."""
    found = policy(*rules)
    places = [
        Place(scope=scope, scope_id="x", namespace=space)
        for scope in (Scope.PROJECT, Scope.SESSION, Scope.AGENT_TEAM)
        for space in ("/", "/a", "/b/c")
    ]
    allowed = {
        action
        for action in Action
        for place in [None, *([] if action in OF_THE_WHOLE else places)]
        for author in [None, *([] if action in OF_THE_WHOLE else ["ana", "bob"])]
        if decide_review(found, ANA, action, place, author) is not None
    }
    assert set(may_somewhere(found, ANA)) == allowed
