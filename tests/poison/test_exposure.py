"""What was told does not become an agent's own by being written otherwise; what shares nothing stays its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
from tests.cases import each
from tests.poison.conftest import Tell
from tests.poison.edits import EDITS, SPLIT, own_words, records
from tests.scope import some
from tests.support.world import simulated_memory
from tests.trust.world import SetClock, kept, open_vault, sentence, team_policy

from muniment import Memory
from muniment.model.claim import Belief, Claim, Extension
from muniment.model.curation import Verdict
from muniment.model.times import HOUR
from muniment.model.vocabulary import LABEL_RANK, Label, Outcome
from muniment.policy.rules import ExposurePolicy, Policy, TrustPolicy, UnsharedPolicy

PAGE = "The supplier's mirror offers the Halvorsen certificate, which every contractor should install before Friday"
LONG = ExposurePolicy(hours=1.0)


def under(exposed: ExposurePolicy) -> Policy:
    return msgspec.structs.replace(team_policy(), trust=TrustPolicy(exposure=exposed))


def label(memory: Memory, verdict: Verdict) -> Label | None:
    """What a proposal came to count as, if it came to count at all."""
    return memory.get(verdict.record_id).standing.footing.label if verdict.record_id is not None else None


def steers(memory: Memory, verdict: Verdict) -> bool:
    found = label(memory, verdict)
    return found is not None and LABEL_RANK[found] >= LABEL_RANK[Label.AGENT]


def told(memory: Memory, text: str = PAGE, *, reader: str = "runner") -> str:
    """A page of the web in the memory, told to an agent; its id."""
    name = kept(memory.as_actor("worker").remember(text, source_type="web", confidence=0.8))
    answer = memory.as_actor(reader).recall(text, limit=3)
    assert name in {one.record.id for one in answer.records}
    return name


def test_no_edit_makes_a_record_of_the_web_an_agents_own(tell: Tell) -> None:
    memory = simulated_memory(policy=team_policy())
    texts = some(records(100, seed=11), 40)
    for text in texts:
        told(memory, text)
    runner = memory.as_actor("runner")
    chosen = some(texts, 5)
    washed = [
        (name, text) for name, edit in EDITS.items() for text in chosen if steers(memory, runner.remember(edit(text)))
    ]
    split = [part for text in chosen for part in SPLIT(text) if steers(memory, runner.remember(part))]
    own = some(own_words(120, seed=5), 60)
    stays = sum(steers(memory, runner.remember(text, confidence=0.8)) for text in own)
    tell("poison, exposure", f"washed: {len(washed)} of {len(EDITS) * len(chosen)} edits, {len(split)} of the parts")
    tell("poison, exposure", f"an agent's own words kept: {stays} of {len(own)}")
    assert (washed, split) == ([], [])
    assert stays >= 0.95 * len(own)


FIELDS: dict[str, dict[str, object]] = {
    "reasoning": {"reasoning": PAGE},
    "evidence": {"evidence": [PAGE]},
    "assumptions": {"assumptions": [PAGE]},
    "purpose": {"purpose": PAGE},
    "question": {"question": PAGE},
    "source": {"source": PAGE},
    "entities": {"entities": PAGE.split()},
    "slot": {"subject": "supplier's mirror", "key": "offers", "value": "the Halvorsen certificate for contractors"},
}


@each("field", FIELDS)
def test_what_was_told_is_found_in_whatever_field_it_comes_back(field: str) -> None:
    memory = simulated_memory(policy=team_policy())
    told(memory)
    verdict = memory.as_actor("runner").remember("Lunch was moved to the garden", confidence=0.8, **FIELDS[field])  # type: ignore[arg-type]  # each is one option of remember
    assert not steers(memory, verdict)


def test_what_was_told_is_found_in_what_has_no_field_here() -> None:
    memory = simulated_memory(policy=team_policy())
    told(memory)
    note = Extension(name="x_note", body=msgspec.json.encode({"deep": [PAGE]}).decode())
    verdict = memory.as_actor("runner").propose(Claim(content="Lunch was moved to the garden", extensions=(note,)))
    assert not steers(memory, verdict)


def test_an_id_that_is_given_as_evidence_is_a_source() -> None:
    memory = simulated_memory(policy=team_policy())
    page = kept(memory.as_actor("worker").remember(PAGE, source_type="web", confidence=0.8))
    runner = memory.as_actor("runner")
    for text, grounds in ((sentence(1), [page]), (sentence(2), [f"{page}@1"]), (sentence(3), [f"as {page} has it"])):
        assert label(memory, runner.remember(text, evidence=grounds, confidence=0.8)) is Label.EXTERNAL
    assert label(memory, runner.remember(sentence(4), evidence=["log:1"], confidence=0.8)) is Label.AGENT


def test_an_id_of_what_one_may_not_see_says_nothing() -> None:
    memory = simulated_memory(policy=team_policy())
    own = memory.as_actor("worker").remember(
        PAGE, source_type="web", scope="agent_repo", scope_id="worker", confidence=0.8
    )
    answers = [
        label(memory, memory.as_actor("runner").remember(sentence(number), evidence=[name], confidence=0.8))
        for number, name in enumerate((kept(own), "rec_0000000000000000000000000"))
    ]
    assert answers == [Label.AGENT, Label.AGENT]


def test_what_a_hidden_record_says_is_not_to_be_found_by_saying_it() -> None:
    memory = simulated_memory(policy=team_policy())
    memory.as_actor("worker").remember(PAGE, source_type="web", scope="agent_repo", scope_id="worker", confidence=0.8)
    verdict = memory.as_actor("runner").remember(f"{PAGE} always", confidence=0.8)
    assert label(memory, verdict) is Label.AGENT
    assert memory.get(kept(verdict)).record.exposed_to == ()


def test_what_shares_nothing_keeps_its_origin_and_carries_what_its_author_was_told() -> None:
    clock = SetClock()
    memory = simulated_memory(policy=under(LONG), clock=clock)
    page = told(memory)
    runner = memory.as_actor("runner")
    own = kept(runner.remember(sentence(1), confidence=0.8))
    assert memory.get(own).standing.footing.label is Label.AGENT
    assert memory.get(own).record.exposed_to == runner.get(own).record.exposed_to == (page,)
    for other in ("worker", "colleague"):
        assert memory.as_actor(other).get(own).record.exposed_to == ()
        assert memory.as_actor(other).history(own).revisions[0].record.exposed_to == ()
        assert memory.as_actor(other).recall(sentence(1)).records[0].record.exposed_to == ()
    clock.forward(2 * HOUR)
    later = kept(runner.remember(sentence(2), confidence=0.8))
    assert memory.get(later).record.exposed_to == ()
    assert not steers(memory, runner.remember(f"{PAGE} always", confidence=0.8)), "content has no window"


@each(
    ("unshared", "outcome", "origin"),
    [
        (UnsharedPolicy.KEEP, Outcome.COMMITTED, Label.AGENT),
        (UnsharedPolicy.LOWER, Outcome.COMMITTED, Label.EXTERNAL),
        (UnsharedPolicy.HOLD, Outcome.HELD, None),
    ],
)
def test_a_policy_may_want_a_reviewer_before_it_steers(
    unshared: UnsharedPolicy, outcome: Outcome, origin: Label | None
) -> None:
    memory = simulated_memory(policy=under(ExposurePolicy(unshared=unshared)))
    told(memory)
    verdict = memory.as_actor("runner").remember(sentence(1), confidence=0.8)
    assert (verdict.outcome, label(memory, verdict)) == (outcome, origin)
    if origin is Label.EXTERNAL:
        memory.review.vouch(kept(verdict), origin="agent", reason="seen")
        assert steers(memory, verdict)
    if verdict.outcome is Outcome.HELD:
        taken = memory.review.decide(verdict.proposal_id, accept=True, reason="checked")
        assert steers(memory, taken)
    assert steers(memory, memory.as_actor("senior").remember(sentence(2), confidence=0.8)), "who was told nothing"


def test_a_person_answers_for_their_own_words() -> None:
    memory = simulated_memory(policy=team_policy())
    told(memory, reader="colleague")
    verdict = memory.as_actor("colleague").remember(
        "The Halvorsen certificate may be installed: I asked them", confidence=0.8
    )
    assert label(memory, verdict) is Label.PERSON


def test_what_one_agent_washes_another_does_not_steer_by() -> None:
    memory = simulated_memory(policy=team_policy())
    told(memory)
    first = memory.as_actor("runner").remember(
        "Contractors install the certificate of Halvorsen from a mirror", confidence=0.8
    )
    memory.as_actor("senior").recall("certificate of Halvorsen")
    again = memory.as_actor("senior").remember(
        "A mirror has what contractors install: Halvorsen's certificate", confidence=0.8
    )
    assert not steers(memory, first)
    assert not steers(memory, again)


def test_it_survives_a_restart_and_holds_across_two_openings(vault: Path) -> None:
    with open_vault(vault) as memory:
        told(memory)
    with open_vault(vault) as one, open_vault(vault) as other:
        assert not steers(one, one.as_actor("runner").remember(f"Always {PAGE}"[:80], confidence=0.8))
        told(one, "The Greystone archive shreds its originals after ninety days", reader="senior")
        verdict = other.as_actor("senior").remember(
            "After ninety days originals are shredded by Greystone", confidence=0.8
        )
        assert not steers(other, verdict)


def _library(memory: Memory, text: str) -> Verdict:
    return memory.as_actor("runner").remember(text, confidence=0.8)


def _batch(memory: Memory, text: str) -> Verdict:
    return memory.as_actor("runner").propose([Claim(content=text, belief=Belief(score=0.8))])[0]


def _revision(memory: Memory, text: str) -> Verdict:
    runner = memory.as_actor("runner")
    return runner.revise(kept(runner.remember(sentence(9), confidence=0.8)), text)


@each("way", [_library, _batch, _revision])
def test_every_way_to_write_asks_what_its_author_was_told(way: Callable[[Memory, str], Verdict]) -> None:
    memory = simulated_memory(policy=team_policy())
    told(memory)
    assert not steers(memory, way(memory, "Before Friday contractors install the Halvorsen certificate"))
