"""Laundering: what came from outside stays from outside, whoever says it again, until somebody answers for it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.trust.world import entries_since, footing, kept, open_vault, sentence, team_policy, told

from muniment import Memory
from muniment.model.claim_options import ClaimOptions
from muniment.model.errors import Malformed, NotFound, Stale
from muniment.model.vocabulary import Label, Outcome

HEARSAY = "Vendor portal credentials rotate through the mailbox of the reseller"
REWORDED = "Note that the vendor portal credentials rotate through the mailbox of the reseller."


@pytest.fixture
def hearsay(team: Memory) -> str:
    """A page of the web, as an agent brought it in."""
    return kept(team.as_actor("worker").remember(HEARSAY, source_type="web", confidence=0.5))


# Where a record comes from when it is born.


@pytest.mark.parametrize(
    ("source_type", "label"),
    [
        (None, "person"),
        ("email", "external"),
        ("web", "external"),
        ("webpage", "external"),
        ("document", "external"),
        ("WEB", "external"),
        ("import", "import"),
        ("unknown", "unknown"),
        ("agent", "agent"),
        ("tool", "tool"),
    ],
)
def test_a_source_never_steers_more_than_it_should_even_for_a_person(
    team: Memory, source_type: str | None, label: str
) -> None:
    assert footing(team, kept(team.remember(sentence(0), source_type=source_type))).label == label


@pytest.mark.parametrize(
    ("actor", "label"), [("worker", "agent"), ("gauge", "tool"), ("steward", "system"), ("curator", "person")]
)
def test_an_actor_never_lends_more_than_they_have(team: Memory, actor: str, label: str) -> None:
    assert footing(team, kept(team.as_actor(actor).remember(sentence(0)))).label == label


def test_to_call_ones_source_a_person_raises_nothing(team: Memory) -> None:
    for number, source_type in enumerate(("person", "human", "Owner ")):
        name = kept(team.as_actor("worker").remember(sentence(number), source_type=source_type))
        assert footing(team, name).label == "agent"


# The three channels.


@pytest.mark.parametrize("actor", ["worker", "runner", "gauge", "colleague", "curator"])
@pytest.mark.parametrize("link", ["derived_from", "parent", "depends_on"])
def test_a_summary_of_what_came_from_outside_is_from_outside(team: Memory, hearsay: str, actor: str, link: str) -> None:
    """The first channel: somebody trusted writes it down in other words, and says what it stands on."""
    said: ClaimOptions = {"confidence": 0.95, "evidence": ["log:7"], "scope": "session", "scope_id": "s1"}
    if link == "derived_from":
        said["derived_from"] = [hearsay]
    elif link == "parent":
        said["parent"] = hearsay
    else:
        said["relations"] = [("depends_on", hearsay)]
    writer = team.as_actor(actor, session="s1")
    summary = kept(writer.remember("Resellers handle how portal secrets change", **said))
    found = footing(team, summary)
    assert (found.label, found.effective) == ("external", 0.5)


def test_one_outside_source_among_many_is_enough(team: Memory, hearsay: str) -> None:
    own = [kept(team.remember(sentence(at), confidence=0.9)) for at in range(3)]
    mixed = kept(team.remember(sentence(9), derived_from=[*own, hearsay], confidence=0.9))
    assert (footing(team, mixed).label, footing(team, mixed).effective) == ("external", 0.5)


def test_a_summary_of_a_summary_is_from_outside_still(team: Memory, hearsay: str) -> None:
    name = hearsay
    for number in range(10):
        name = kept(team.remember(sentence(number), derived_from=[name], confidence=1.0))
    assert (footing(team, name).label, footing(team, name).effective) == ("external", 0.5)


@pytest.mark.parametrize("was_told", [True, False])
def test_a_trusted_tool_that_repeats_it_does_not_raise_it(team: Memory, hearsay: str, was_told: bool) -> None:
    """The second channel: the tool's own word counts for more than the outside, and an echo is not its own word."""
    gauge = team.as_actor("gauge")
    if was_told:
        assert told(gauge.recall("vendor portal credentials")) == [hearsay]
    verdict = gauge.remember(REWORDED, confidence=1.0, evidence=["probe:1"] if was_told else None)
    assert verdict.echoes == (hearsay,)
    found = footing(team, kept(verdict))
    assert (found.label, found.effective) == ("external", 0.5)
    assert (footing(team, hearsay).label, footing(team, hearsay).effective) == ("external", 0.5)


def test_a_trusted_tool_may_still_say_what_it_measured_itself(team: Memory, hearsay: str) -> None:
    verdict = team.as_actor("gauge").remember("The portal answered in 40 ms", evidence=["probe:1"], confidence=0.9)
    assert (verdict.echoes, footing(team, kept(verdict)).label) == ((), "tool")


def test_however_many_repeat_it_it_is_said_once(team: Memory, hearsay: str) -> None:
    """The third channel: agents that repeat each other are no witnesses."""
    before = footing(team, hearsay)
    forms = (HEARSAY, REWORDED, HEARSAY.upper(), f"{HEARSAY}!", f"As noted, {HEARSAY.lower()}")
    for number in range(12):
        agent = team.as_actor(f"agent{number}")
        if number % 2:
            agent.recall("vendor portal credentials")
        verdict = agent.remember(forms[number % len(forms)], confidence=0.99, namespace=f"/n{number % 3}")
        if verdict.record_id is None:
            assert verdict.rule == "redundant"
            continue
        assert hearsay in verdict.echoes
        found = footing(team, verdict.record_id)
        assert (found.label, found.effective) == ("external", 0.5)
    assert footing(team, hearsay) == before


def test_repeating_it_as_support_raises_nothing(team: Memory, hearsay: str) -> None:
    for number, actor in enumerate(("gauge", "meter", "colleague")):
        writer = team.as_actor(actor, session="s1")
        said = (HEARSAY, REWORDED, f"As noted, {HEARSAY.lower()}")[number]
        writer.remember(
            said,
            relations=[("supports", hearsay)],
            evidence=[f"log:{number}"],
            confidence=1.0,
            scope="session",
            scope_id="s1",
        )
    assert (footing(team, hearsay).label, footing(team, hearsay).effective) == ("external", 0.5)


@pytest.mark.parametrize("type_", ["supports", "informs", "elaborates", "answers", "caused_by", "blocks"])
@pytest.mark.parametrize("actor", ["runner", "gauge"])
def test_a_link_that_carries_no_trust_does_not_hide_an_echo(team: Memory, hearsay: str, type_: str, actor: str) -> None:
    """To name what one repeats by a link that bears nothing must not be better than not to name it."""
    writer = team.as_actor(actor)
    writer.recall("vendor portal credentials")
    name = kept(writer.remember(REWORDED, relations=[(type_, hearsay)], confidence=0.95))
    found = footing(team, name)
    assert (found.label, found.effective) == ("external", 0.5)


@pytest.mark.parametrize("actor", ["worker", "runner", "gauge"])
@pytest.mark.parametrize("way", ["supersedes", "relation", "revise"])
def test_to_take_its_place_in_the_same_words_does_not_raise_it(
    team: Memory, hearsay: str, way: str, actor: str
) -> None:
    """Only a reviewer, or two that share nothing, raise an origin. A successor that says the same does not."""
    writer = team.as_actor(actor)
    writer.recall("vendor portal credentials")
    if way == "revise":
        name = kept(writer.revise(hearsay, REWORDED, source_type="tool"))
    elif way == "supersedes":
        name = kept(writer.remember(REWORDED, supersedes=hearsay))
    else:
        name = kept(writer.remember(REWORDED, relations=[("supersedes", hearsay)]))
    assert footing(team, name).label == "external"


def test_who_takes_its_place_with_something_else_speaks_for_themselves(team: Memory, hearsay: str) -> None:
    name = kept(team.as_actor("gauge").remember("The portal was shut on Friday", supersedes=hearsay))
    assert footing(team, name).label == "tool"


# What a low origin may be told for.


def test_what_came_from_outside_informs_and_does_not_steer(team: Memory, hearsay: str) -> None:
    own = kept(team.remember("The vendor portal has a status page"))
    act, answer = team.recall("vendor portal", purpose="act"), team.recall("vendor portal", purpose="answer")
    assert told(act) == [own]
    assert act.excluded == {"origin": 1}
    assert set(told(answer)) == {own, hearsay}


@pytest.mark.parametrize("purpose", ["answer", "curation", "review", "audit", "summary", "research"])
def test_purposes_that_only_inform_are_told_of_it(team: Memory, hearsay: str, purpose: str) -> None:
    assert told(team.recall("vendor portal", purpose=purpose)) == [hearsay]


@pytest.mark.parametrize("purpose", ["act", "tool_call", "plan", "Answer", "answers"])
def test_a_purpose_nobody_declared_harmless_steers(team: Memory, hearsay: str, purpose: str) -> None:
    answer = team.recall("vendor portal", purpose=purpose)
    assert (told(answer), answer.excluded) == ([], {"origin": 1})


def test_a_policy_says_how_low_an_origin_may_steer(vault: Path) -> None:
    start = team_policy()
    strict = msgspec.structs.replace(
        start, trust=msgspec.structs.replace(start.trust, steer_label_min=Label.TOOL, inform=("answer",))
    )
    with open_vault(vault, policy=strict) as memory:
        names = {actor: kept(memory.as_actor(actor).remember(f"{sentence(at)} alpha", confidence=0.8))
                 for at, actor in enumerate(("worker", "steward", "gauge", "curator"))}  # fmt: skip
        assert set(told(memory.recall("alpha", purpose="summary"))) == {names["gauge"], names["curator"]}
        assert set(told(memory.recall("alpha"))) == set(names.values())


# Raised by a reviewer who is named.


def test_a_reviewer_who_answers_for_it_raises_it_and_is_named(team: Memory, hearsay: str) -> None:
    verdict = team.as_actor("curator").review.vouch(hearsay, origin="person", reason="called the vendor")
    assert verdict.committed
    assert footing(team, hearsay).label == "person"
    assert told(team.recall("vendor portal", purpose="act")) == [hearsay]
    event = team.history(hearsay).revisions[0].events[-1]
    assert (event.actor, event.reason, event.what) == ("curator", "called the vendor", "origin external to person")


def test_to_vouch_raises_the_origin_and_not_the_confidence(team: Memory, hearsay: str) -> None:
    before = footing(team, hearsay)
    team.review.vouch(hearsay, origin="tool", reason="checked")
    after = footing(team, hearsay)
    assert (after.own, after.effective, after.support) == (before.own, before.effective, before.support)


@pytest.mark.parametrize("actor", ["worker", "runner", "gauge", "colleague", "senior"])
def test_nobody_without_the_right_raises_it_and_the_attempt_is_on_record(
    team: Memory, hearsay: str, actor: str
) -> None:
    head = team.ledger.head().seq
    verdict = team.as_actor(actor).review.vouch(hearsay, origin="agent", reason="trust me")
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "no-rule")
    assert footing(team, hearsay).label == "external"
    (entry,) = entries_since(team, head)
    assert (entry.kind, entry.actor, entry.changes) == ("vouched", actor, ())


@pytest.mark.parametrize("origin", ["tool", "person"])
def test_nobody_lends_more_than_they_have_themselves(team: Memory, hearsay: str, origin: str) -> None:
    head = team.ledger.head()
    with pytest.raises(Malformed) as refused:
        team.as_actor("steward").review.vouch(hearsay, origin=origin, reason="checked")
    assert refused.value.field == "origin"
    assert team.ledger.head() == head
    assert team.as_actor("steward").review.vouch(hearsay, origin="system", reason="checked").committed


@pytest.mark.parametrize("origin", ["unknown", "external"])
def test_to_vouch_never_lowers(team: Memory, hearsay: str, origin: str) -> None:
    with pytest.raises(Malformed):
        team.review.vouch(hearsay, origin=origin, reason="checked")
    assert footing(team, hearsay).label == "external"


def test_to_vouch_needs_a_reason_a_record_that_stands_and_the_revision_that_was_read(
    team: Memory, hearsay: str
) -> None:
    with pytest.raises(Malformed):
        team.review.vouch(hearsay, origin="person", reason=" ")
    with pytest.raises(Malformed):
        team.review.vouch(hearsay, origin="royal", reason="checked")
    with pytest.raises(NotFound):
        team.review.vouch("rec_absent", origin="person", reason="checked")
    with pytest.raises(Stale):
        team.review.vouch(hearsay, origin="person", reason="checked", expected_revision=2)
    team.review.retract(hearsay, reason="wrong")
    with pytest.raises(Stale):
        team.review.vouch(hearsay, origin="person", reason="checked")


def test_what_was_derived_before_it_was_raised_is_not_raised(team: Memory, hearsay: str) -> None:
    """Whoever vouched had not read it."""
    before = kept(team.remember(sentence(0), derived_from=[hearsay]))
    team.review.vouch(hearsay, origin="person", reason="checked")
    after = kept(team.remember(sentence(1), derived_from=[hearsay]))
    assert (footing(team, before).label, footing(team, after).label) == ("external", "person")


def test_a_revision_does_not_inherit_what_the_old_one_was_vouched_for(team: Memory, hearsay: str) -> None:
    team.review.vouch(hearsay, origin="person", reason="checked")
    team.as_actor("worker").revise(hearsay, "The reseller now owns the vendor portal outright")
    assert footing(team, hearsay).label == "external"


def test_accepting_a_proposal_raises_nothing(team: Memory) -> None:
    verdict = team.as_actor("worker").remember("We buy through the reseller", kind="decision", source_type="email")
    assert verdict.outcome is Outcome.HELD
    name = kept(team.review.decide(verdict.proposal_id, accept=True, reason="fine"))
    assert footing(team, name).label == "external"


# Raised by two that have nothing in common.

SUPPORT: dict[str, ClaimOptions] = {
    "gauge": {"evidence": ["probe:1"], "source": "probe one"},
    "runner": {"evidence": ["ticket:2"], "source": "desk two"},
}
WORDS = {"gauge": "Mail logs list a portal reset each Monday", "runner": "Support desk saw the reset letters arrive"}


def support(team: Memory, actor: str, about: str, *, text: str | None = None, **changes: object) -> str:
    said = {**SUPPORT.get(actor, {}), "relations": [("supports", about)], **changes}
    return kept(team.as_actor(actor).remember(text or WORDS[actor], **said))  # type: ignore[arg-type]


def test_two_that_share_nothing_raise_it_to_the_lower_of_the_two(team: Memory, hearsay: str) -> None:
    support(team, "gauge", hearsay)
    assert footing(team, hearsay).label == "external"
    head = team.ledger.head().seq
    support(team, "runner", hearsay)
    assert footing(team, hearsay).label == "agent"
    assert len(entries_since(team, head)) == 1
    assert told(team.recall("vendor portal credentials", purpose="act"))[0] == hearsay
    assert team.ledger.verify().ok


def test_two_tools_raise_it_to_a_tool(team: Memory, hearsay: str) -> None:
    support(team, "gauge", hearsay)
    support(team, "meter", hearsay, text=WORDS["runner"], evidence=["probe:9"], source="probe nine")
    assert footing(team, hearsay).label == "tool"


def test_supporters_raise_the_origin_and_not_the_confidence(team: Memory, hearsay: str) -> None:
    before = footing(team, hearsay)
    support(team, "gauge", hearsay, confidence=1.0)
    support(team, "runner", hearsay, confidence=1.0)
    assert footing(team, hearsay) == msgspec.structs.replace(before, label=Label.AGENT)


SHARED: dict[str, dict[str, object]] = {
    "evidence": {"evidence": ["probe:1"]},
    "one piece of evidence": {"evidence": ["ticket:2", "probe:1"]},
    "source": {"source": "probe one"},
    "no evidence": {"evidence": []},
    "text": {"text": "Note that the mail logs list a portal reset each Monday."},
    "the text of what they support": {"text": REWORDED},
    "an outside source": {"source_type": "web"},
}


@pytest.mark.parametrize("shared", SHARED)
def test_supporters_with_something_in_common_raise_nothing(team: Memory, hearsay: str, shared: str) -> None:
    support(team, "gauge", hearsay)
    support(team, "runner", hearsay, **SHARED[shared])  # type: ignore[arg-type]  # text or an option
    assert footing(team, hearsay).label == "external"


def test_two_people_who_say_the_same_words_are_one_witness(team: Memory, hearsay: str) -> None:
    support(team, "colleague", hearsay, text=WORDS["gauge"], evidence=["letter:1"])
    support(team, "neighbour", hearsay, text=f"{WORDS['gauge']}.", evidence=["letter:2"], namespace="/other")
    assert footing(team, hearsay).label == "external"
    support(team, "neighbour", hearsay, text=WORDS["runner"], evidence=["letter:3"])
    assert footing(team, hearsay).label == "person"


def test_one_actor_twice_is_one(team: Memory, hearsay: str) -> None:
    support(team, "gauge", hearsay)
    support(team, "gauge", hearsay, text=WORDS["runner"], evidence=["ticket:2"], source="desk two")
    assert footing(team, hearsay).label == "external"


def test_the_author_is_no_witness_of_its_own(team: Memory, hearsay: str) -> None:
    support(team, "gauge", hearsay)
    support(team, "worker", hearsay, text=WORDS["runner"], evidence=["ticket:2"], source="desk two")
    assert footing(team, hearsay).label == "external"


@pytest.mark.parametrize("depth", [1, 3])
def test_supporters_with_a_root_in_common_raise_nothing(team: Memory, hearsay: str, depth: int) -> None:
    root = kept(team.remember(sentence(0), confidence=0.9))
    ways = []
    for side in range(2):
        name = root
        for step in range(depth - 1):
            name = kept(team.remember(sentence(10 + 10 * side + step), derived_from=[name]))
        ways.append(name)
    support(team, "gauge", hearsay, derived_from=[ways[0]])
    support(team, "runner", hearsay, derived_from=[ways[1]])
    assert footing(team, hearsay).label == "external"


def test_what_stands_on_it_cannot_support_it(team: Memory, hearsay: str) -> None:
    support(team, "gauge", hearsay)
    support(team, "runner", hearsay, derived_from=[hearsay])
    assert footing(team, hearsay).label == "external"


def test_a_supporter_that_was_taken_back_does_not_count(team: Memory, hearsay: str) -> None:
    first = support(team, "gauge", hearsay)
    team.review.retract(first, reason="the probe was broken")
    support(team, "runner", hearsay)
    assert footing(team, hearsay).label == "external"


def test_what_was_derived_before_the_supporters_came_is_not_raised(team: Memory, hearsay: str) -> None:
    child = kept(team.remember(sentence(0), derived_from=[hearsay]))
    support(team, "gauge", hearsay)
    support(team, "runner", hearsay)
    assert (footing(team, hearsay).label, footing(team, child).label) == ("agent", "external")
