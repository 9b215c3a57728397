"""A confidence that nobody stated: taken for what the policy grants its origin, and shown as not stated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import Actor, Claim, Memory
from muniment.model.query import Disclosure
from muniment.model.vocabulary import ActorType

POLICY = "version: 1\nname: own\nactors: {owner: {type: person, roles: [owner]}}\n"
RULES = """write:
  - {id: all, decision: commit, reason: anybody may}
read:
  - {id: any, member: false}
"""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, embedder=None) as opened:
        yield opened


def told(memory: Memory, record: str | None) -> Disclosure:
    assert record is not None
    return memory.get(record)


@pytest.mark.parametrize(
    ("kind", "options", "taken", "gate"),
    [
        (ActorType.PERSON, {}, 0.7, "PASS"),
        (ActorType.TOOL, {}, 0.7, "PASS"),
        (ActorType.SERVICE, {}, 0.6, "PASS"),
        (ActorType.AGENT, {}, 0.6, "PASS"),
        (ActorType.PERSON, {"source_type": "web"}, 0.5, "FLAG"),
        (ActorType.AGENT, {"source_type": "import"}, 0.5, "FLAG"),
    ],
)
def test_it_is_what_the_policy_grants_whoever_says_it(
    memory: Memory, kind: ActorType, options: dict[str, str], taken: float, gate: str
) -> None:
    who = memory.as_actor(Actor(id="somebody", type=kind, projects=("default",)))
    one = told(memory, who.remember("User prefers dark mode", **options).record_id)  # type: ignore[arg-type]
    belief = one.record.claim.belief
    assert (belief.score, belief.unstated, one.standing.footing.effective) == (taken, True, taken)
    assert one.gate.value == gate


def test_the_owners_own_words_are_not_called_weak(memory: Memory) -> None:
    memory.remember("User prefers dark mode")
    text = memory.recall("which mode?").render().text
    assert "confidence 0.70 (not stated), passed the gate" in text
    assert "weak" not in text


def test_what_is_stated_counts_also_if_it_is_the_old_default(memory: Memory) -> None:
    one = told(memory, memory.remember("User prefers dark mode", confidence=0.5).record_id)
    assert (one.record.claim.belief.unstated, one.gate.value) == (False, "FLAG")
    assert "not stated" not in memory.recall("which mode?").render().text


def test_a_revision_keeps_what_was_stated_and_judges_anew_what_was_not(memory: Memory) -> None:
    said = memory.remember("The build takes 40 minutes", confidence=0.9).record_id
    unsaid = memory.as_actor("bot").remember("The deploy takes 4 minutes").record_id
    assert said is not None
    assert unsaid is not None
    memory.revise(said, "The build takes 41 minutes")
    memory.revise(unsaid, "The deploy takes 5 minutes")
    assert [told(memory, name).record.claim.belief.score for name in (said, unsaid)] == [0.9, 0.7]
    memory.revise(unsaid, "The deploy takes 6 minutes", confidence=0.95)
    belief = told(memory, unsaid).record.claim.belief
    assert (belief.score, belief.unstated) == (0.95, False)


def test_what_waits_says_so_and_gets_its_authors_prior_when_it_is_accepted(memory: Memory) -> None:
    held = memory.as_actor("bot").remember("We deploy on Fridays", kind="decision", evidence=["ticket:1"])
    (waiting,) = memory.review.queue()
    assert waiting.proposal.claim.belief.unstated
    verdict = memory.review.decide(held.proposal_id, accept=True, reason="so it is")
    assert told(memory, verdict.record_id).record.claim.belief.score == 0.6


def test_a_claim_made_by_hand_keeps_what_it_says(memory: Memory) -> None:
    one = told(memory, memory.propose(Claim(content="User prefers dark mode")).record_id)
    assert (one.record.claim.belief.score, one.record.claim.belief.unstated) == (0.5, False)


def test_the_numbers_are_the_policys(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(POLICY + RULES + "trust: {priors: {person: 0.45}}\n")
    with Memory.open(tmp_path / "vault", policy=file, embedder=None) as memory:
        one = told(memory, memory.remember("User prefers dark mode").record_id)
        assert one.standing.footing.effective == 0.45


def test_replay_and_verify_agree(memory: Memory) -> None:
    memory.remember("User prefers dark mode")
    memory.as_actor("bot").remember("The nightly build is slow", user="ana")
    assert not memory.ledger.verify().findings
    assert memory.ledger.replay().identical
