"""What is counted while the engine works: every operation once, its steps in order, what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import Memory
from muniment.model.actor import Actor
from muniment.model.claim import Claim
from muniment.model.claim_options import make_claim
from muniment.model.errors import NotFound
from muniment.surfaces.telemetry.exposition import expose
from muniment.surfaces.telemetry.meters import Meters
from muniment.surfaces.telemetry.watcher import Begun, Ended, Watcher


class Kept:
    """Keeps what a span would be made of."""

    def __init__(self) -> None:
        self.all: list[tuple[Begun, Ended]] = []

    def begin(self, begun: Begun) -> Kept:
        return self

    def end(self, begun: Begun, ended: Ended) -> None:
        self.all.append((begun, ended))


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def meters() -> Meters:
    return Meters()


@pytest.fixture
def watched(vault: Path, meters: Meters, kept: Kept) -> Iterator[Memory]:
    with Memory.open(vault, tracer=Watcher(meters, kept)) as memory:
        yield memory


def lines(meters: Meters) -> list[str]:
    return expose(meters.families()).splitlines()


def test_a_write_tells_its_steps_in_the_order_they_are_taken(watched: Memory, kept: Kept) -> None:
    verdict = watched.remember("The staging database moved to eu-west-2")

    ((begun, ended),) = kept.all
    assert (begun.name, begun.tenant, begun.actor.id) == ("propose", "default", "owner")
    assert [step for step, _ in ended.laps] == ["admit", "wait", "gather", "curate", "plan", "commit", "sync"]
    times = [begun.tick, *(tick for _, tick in ended.laps), ended.tick]
    assert times == sorted(times)
    assert ended.answer == verdict
    assert ended.failure is None


def test_a_recall_tells_its_steps_in_the_order_they_are_taken(watched: Memory, kept: Kept) -> None:
    watched.remember("The staging database moved to eu-west-2")
    answer = watched.recall("where is the staging database?")

    begun, ended = kept.all[-1]
    assert begun.name == "recall"
    assert [step for step, _ in ended.laps] == [
        "question",
        "plan",
        "search",
        "rank",
        "gate",
        "reasons",
        "receipt",
    ]
    assert ended.answer == answer


def test_a_job_that_runs_again_tells_its_steps_once(meters: Meters, kept: Kept) -> None:
    with Watcher(meters, kept).operation("propose", tenant="t", actor=Actor(id="a")) as operation:
        for step in ("admit", "wait", "gather", "wait", "gather", "commit"):
            operation.lap(step)

    ((_, ended),) = kept.all
    assert [step for step, _ in ended.laps] == ["admit", "wait", "gather", "commit"]


def test_verdicts_are_counted_by_what_was_decided(watched: Memory, meters: Meters) -> None:
    watched.remember("The build is green on main")
    watched.remember("The build is green on main")
    watched.as_actor("stranger").remember("Deploys happen on Tuesdays", kind="decision")

    counted = [line for line in lines(meters) if line.startswith("muniment_verdicts_total")]
    assert counted == [
        'muniment_verdicts_total{operation="propose",outcome="committed",disposition="append"} 1',
        'muniment_verdicts_total{operation="propose",outcome="held",disposition="hold"} 1',
        'muniment_verdicts_total{operation="propose",outcome="refused",disposition="discard"} 1',
    ]
    assert 'muniment_curation_steps_total{step="safety_redaction",result="passed"} 3' in lines(meters)


def test_what_is_only_rehearsed_is_timed_and_not_counted(watched: Memory, meters: Meters) -> None:
    held = watched.as_actor("stranger").remember("Deploys happen on Tuesdays", kind="decision")
    before = [line for line in lines(meters) if line.startswith(("muniment_verdicts", "muniment_curation"))]

    watched.review.decide(held.proposal_id, accept=True, reason="agreed", dry_run=True)

    assert [line for line in lines(meters) if line.startswith(("muniment_verdicts", "muniment_curation"))] == before
    assert any('operation="decide"' in line for line in lines(meters))


def test_a_batch_counts_each_of_its_verdicts(watched: Memory, meters: Meters) -> None:
    claims = [verdict_claim(watched, text) for text in ("The sky is blue", "Grass is green")]
    watched.propose(claims)

    assert ('muniment_verdicts_total{operation="propose_many",outcome="committed",disposition="append"} 2') in lines(
        meters
    )


def test_what_is_kept_back_is_counted_by_rule_and_what_is_told_by_gate(watched: Memory, meters: Meters) -> None:
    for number in range(3):
        watched.remember(f"Server {number} of the staging cluster runs Debian", confidence=0.9, evidence=["ops:1"])
    answer = watched.recall("what does the staging cluster run?", limit=1)

    found = lines(meters)
    assert answer.excluded == {"limit": 2}
    assert 'muniment_records_excluded_total{rule="limit"} 2' in found
    assert f'muniment_records_told_total{{gate="{answer.records[0].gate.value}"}} 1' in found


def test_an_answer_that_tells_nothing_is_counted_with_its_reason(watched: Memory, meters: Meters) -> None:
    answer = watched.recall("where is the staging database?")

    assert answer.abstained is not None
    assert f'muniment_abstentions_total{{reason="{answer.abstained.value}"}} 1' in lines(meters)


def test_an_operation_that_fails_is_counted_under_its_code(watched: Memory, meters: Meters, kept: Kept) -> None:
    with pytest.raises(NotFound):
        watched.get("rec_nowhere")

    assert kept.all[-1][1].failure == "not_found"
    assert 'muniment_operation_seconds_count{operation="get",outcome="not_found"} 1' in lines(meters)


def test_operations_of_the_face_are_told_by_their_names(watched: Memory, kept: Kept) -> None:
    verdict = watched.remember("The staging database moved to eu-west-2")
    assert verdict.record_id is not None
    watched.get(verdict.record_id)
    watched.history(verdict.record_id)
    watched.review.outcome(verdict.record_id, "helpful")
    watched.attune(interests=["staging"])
    list(watched.insight.browse())
    watched.review.retract(verdict.record_id, reason="it moved again")

    names = [begun.name for begun, _ in kept.all]
    assert names == ["propose", "get", "history", "outcome", "attune", "browse", "retract"]


def verdict_claim(memory: Memory, text: str) -> tuple[str, Claim]:
    return f"prp_{text.replace(' ', '_')}", make_claim(text, memory.actor, {})
