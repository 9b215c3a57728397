"""Memories that come in from elsewhere: whole batches, previewed, held, applied, undone, and listed again."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from muniment import Memory
from muniment.engine.importing import Newcomer
from muniment.engine.listing import PAGE
from muniment.engine.session import Session
from muniment.model.actor import Actor
from muniment.model.claim import Belief, Claim, Lineage, Nature, Origin, Slot
from muniment.model.entity import Entity, EntityKind
from muniment.model.entry import EntryKind
from muniment.model.errors import Malformed, NotFound, NotPermitted, Stale
from muniment.model.proposal import Objection
from muniment.model.status import Status
from muniment.model.vocabulary import ActorType, Disposition, Kind, Label, Outcome, Step, StepResult, TrustLevel
from muniment.policy.rules import Action, ReviewRule

WINDOW = "The deploy window is Tuesday at nine"


def newcomer(content: str, record: str | None = None, **lineage: object) -> Newcomer:
    return Newcomer(claim=Claim(content=content, lineage=Lineage(**lineage)), record=record)  # type: ignore[arg-type]


def everything(memory: Memory) -> list[tuple[str, str]]:
    listed = memory.insight.browse(statuses=[status.value for status in Status])
    return [(one.record.id, one.standing.status.value) for one in listed]


def test_a_batch_comes_in_with_its_own_ids_and_its_links(memory: Memory) -> None:
    batch = [
        newcomer("The ticket was closed in May", "mem-1"),
        newcomer("So the outage is over", "mem-2", parent="mem-1"),
    ]
    verdicts = memory.imports.take_in("batch", batch, contract="omir")
    assert [(one.record_id, one.outcome) for one in verdicts] == [("mem-1", "committed"), ("mem-2", "committed")]
    assert memory.get("mem-2").record.claim.lineage.parent == "mem-1"


def test_what_comes_in_counts_as_an_import_whatever_it_says_of_itself(memory: Memory) -> None:
    claim = Claim(
        content="The owner himself said so",
        origin=Origin(source="the owner", source_type="person"),
        belief=Belief(score=0.95),
    )
    memory.imports.take_in("batch", [Newcomer(claim=claim, record="mem-1")], contract="memledger")
    told = memory.get("mem-1")
    assert (told.standing.footing.label, told.record.trust) == (Label.IMPORT, TrustLevel.LOW)
    assert told.record.claim.origin.source_type == "person"


def test_the_same_batch_again_gets_the_same_answers_and_changes_nothing(memory: Memory) -> None:
    batch = [newcomer("The ticket was closed in May", "mem-1")]
    first = memory.imports.take_in("batch", batch, contract="omir")
    assert memory.imports.take_in("batch", batch, contract="omir") == first
    assert everything(memory) == [("mem-1", "active")]


def test_another_batch_cannot_take_an_id_that_is_taken(memory: Memory) -> None:
    memory.imports.take_in("one", [newcomer("The ticket was closed in May", "mem-1")], contract="omir")
    (verdict,) = memory.imports.take_in("two", [newcomer("Cats sleep a lot", "mem-1")], contract="omir")
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "id-taken")
    assert memory.get("mem-1").record.content == "The ticket was closed in May"


def test_a_preview_tells_what_would_be_decided_and_leaves_nothing(memory: Memory) -> None:
    memory.remember(WINDOW, kind="decision")
    before = memory.ledger.head()
    batch = [newcomer("Cats sleep a lot", "mem-1"), newcomer("So do dogs", "mem-2", derived_from=("mem-1",))]
    verdicts = memory.imports.take_in("batch", batch, contract="omir", preview=True)
    assert [one.outcome for one in verdicts] == [Outcome.COMMITTED, Outcome.COMMITTED]
    (twin,) = memory.imports.preview([Claim(content=WINDOW, nature=Nature(kind=Kind.DECISION))])
    assert (twin.outcome, twin.rule) == (Outcome.REFUSED, "redundant")
    assert memory.ledger.head() == before
    with pytest.raises(NotFound):
        memory.get("mem-1")


def test_what_is_over_where_it_comes_from_does_not_speak_here(memory: Memory) -> None:
    old = Newcomer(claim=Claim(content="The deploy window is Monday"), record="mem-1", status=Status.SUPERSEDED)
    new = newcomer(WINDOW, "mem-2", supersedes="mem-1")
    verdicts = memory.imports.take_in("batch", [old, new], contract="memledger")
    assert [one.outcome for one in verdicts] == [Outcome.COMMITTED, Outcome.COMMITTED]
    assert everything(memory) == [("mem-1", "superseded"), ("mem-2", "active")]
    assert [one.record.id for one in memory.recall("when is the deploy window?").records] == ["mem-2"]


def test_a_retracted_arrival_disputes_nothing(memory: Memory) -> None:
    standing = memory.remember(WINDOW, subject="deploy", key="window", value="Tuesday")
    slot = Slot(subject="deploy", key="window", value="Friday")
    claim = Claim(content="The deploy window is Friday", slot=slot)
    memory.imports.take_in(
        "batch", [Newcomer(claim=claim, record="mem-1", status=Status.RETRACTED)], contract="akashik"
    )
    assert standing.record_id is not None
    assert memory.get(standing.record_id).standing.status is Status.ACTIVE
    assert memory.review.conflicts() == ()


def test_a_held_batch_waits_whole_and_comes_in_when_it_is_applied(memory: Memory) -> None:
    batch = [
        newcomer("The ticket was closed in May", "mem-1"),
        newcomer("So the outage is over", "mem-2", parent="mem-1"),
    ]
    verdicts = memory.imports.take_in("batch", batch, contract="matm", hold=True)
    assert [one.outcome for one in verdicts] == [Outcome.HELD, Outcome.HELD]
    assert everything(memory) == []
    applied = memory.imports.apply("batch", reason="checked against the tickets")
    assert [one.record_id for one in applied] == ["mem-1", "mem-2"]
    assert everything(memory) == [("mem-1", "active"), ("mem-2", "active")]


def test_a_batch_that_is_rolled_back_leaves_everything_as_it_was(memory: Memory) -> None:
    first = memory.remember(WINDOW, kind="decision", subject="deploy", key="window", value="Tuesday")
    stands = memory.remember("Nobody deploys on Fridays", subject="friday", key="deploys", value="none")
    assert first.record_id is not None
    assert stands.record_id is not None
    before = [(one.record, one.standing.status, one.standing.footing) for one in memory.insight.browse()]
    slot = Slot(subject="friday", key="deploys", value="some")
    batch = [
        newcomer("The deploy window moved to Thursday", "mem-1", supersedes=first.record_id),
        Newcomer(claim=Claim(content="Some deploy on Fridays", slot=slot), record="mem-2"),
    ]
    memory.imports.take_in("batch", batch, contract="matm")
    assert [one.status for one in memory.review.conflicts()] == ["detected"]
    undone = memory.imports.roll_back("batch", reason="the wrong file")
    assert (undone.retracted, undone.restored) == (("mem-1", "mem-2"), (first.record_id, stands.record_id))
    assert [(one.record, one.standing.status, one.standing.footing) for one in memory.insight.browse()] == before
    assert [one.status for one in memory.review.conflicts()] == ["resolved"]
    assert memory.recall("when is the deploy window?").records[0].record.id == first.record_id
    kinds = [entry.kind for entry in memory.ledger.entries()]
    assert (kinds[-1], kinds.count(EntryKind.CURATED)) == ("undone", 4)
    assert memory.ledger.verify().ok
    assert memory.ledger.replay().identical


def test_a_batch_is_not_rolled_back_over_what_happened_since(memory: Memory) -> None:
    first = memory.remember(WINDOW, kind="decision")
    assert first.record_id is not None
    memory.imports.take_in(
        "batch", [newcomer("The deploy window moved to Thursday", "mem-1", supersedes=first.record_id)], contract="matm"
    )
    memory.review.retire(first.record_id, becomes="archived", reason="it is long ago")
    with pytest.raises(Stale, match=first.record_id):
        memory.imports.roll_back("batch", reason="the wrong file")
    assert memory.get("mem-1").standing.status is Status.ACTIVE


def test_rolling_back_dismisses_what_still_waits_and_cannot_be_done_twice(memory: Memory) -> None:
    memory.imports.take_in("batch", [newcomer("Cats sleep a lot", "mem-1")], contract="matm", hold=True)
    assert memory.imports.roll_back("batch", reason="the wrong file").dismissed == ("batch.1",)
    assert memory.review.queue() == ()
    with pytest.raises(Stale):
        memory.imports.roll_back("batch", reason="again")
    with pytest.raises(NotFound):
        memory.imports.roll_back("no-such-batch", reason="again")


def test_who_may_not_import_takes_nothing_in_and_undoes_nothing(memory: Memory) -> None:
    memory.imports.take_in("batch", [newcomer("Cats sleep a lot", "mem-1")], contract="omir")
    agent = memory.as_actor("agent")
    with pytest.raises(NotPermitted):
        agent.imports.take_in("mine", [newcomer("Dogs sleep a lot", "mem-2")], contract="omir")
    with pytest.raises(NotPermitted):
        agent.imports.roll_back("batch", reason="I do not like it")
    assert everything(memory) == [("mem-1", "active")]


def test_a_secret_in_an_id_is_refused_before_anything_is_kept(memory: Memory) -> None:
    with pytest.raises(Malformed, match="record_id"):
        memory.imports.take_in("batch", [newcomer("Cats sleep a lot", "AKIAIOSFODNN7EXAMPLE")], contract="omir")
    assert everything(memory) == []


def test_a_listing_tells_everything_once_over_many_pages_and_each_page_has_its_receipt(memory: Memory) -> None:
    count = PAGE * 2 + 3
    memory.propose(Claim(content=f"Sensor {number} reports {number * 7} units") for number in range(count))
    before = memory.insight.stats().receipts
    listed = [one.record.content for one in memory.insight.browse()]
    assert listed == [f"Sensor {number} reports {number * 7} units" for number in range(count)]
    assert (memory.insight.stats().receipts or 0) - (before or 0) == 3
    assert [one.record.content for one in memory.insight.browse(limit=PAGE + 1)] == listed[: PAGE + 1]


def test_a_listing_shows_only_what_the_caller_may_see(memory: Memory) -> None:
    memory.remember("The team keeps its notes", scope="agent_repo", scope_id="other-agent")
    memory.remember("The project is called Heron")
    assert [one.record.content for one in memory.as_actor("agent").insight.browse()] == ["The project is called Heron"]


def test_a_listing_can_be_explained_and_searched_again(memory: Memory) -> None:
    memory.remember("The project is called Heron", kind="fact")
    memory.remember("Lunch is at noon")
    told = list(memory.insight.browse(kinds=["fact"]))
    receipt = memory.recall("Heron").receipt_id
    assert [one.record.content for one in told] == ["The project is called Heron"]
    assert memory.explain(receipt).same_ids
    assert memory.explain(receipt, replay=True).same_ids


def test_a_listing_takes_bounds_by_author_session_and_state(memory: Memory) -> None:
    memory.remember("The owner was here")
    agent = memory.as_actor("agent", session="s-1")
    agent.remember("The agent was here", scope="session")
    gone = memory.remember("This is over")
    assert gone.record_id is not None
    memory.review.retire(gone.record_id, becomes="deprecated", reason="it is over")
    assert [one.record.content for one in memory.insight.browse(authors=["agent"])] == ["The agent was here"]
    assert [one.record.content for one in memory.insight.browse(session="s-1")] == ["The agent was here"]
    assert [one.record.content for one in memory.insight.browse(statuses=["deprecated"])] == ["This is over"]
    with pytest.raises(Malformed, match="statuses"):
        memory.insight.browse(statuses="active")


def test_a_record_is_retired_and_what_is_over_can_be_archived(memory: Memory) -> None:
    record = memory.remember("The sale ends today").record_id
    assert record is not None
    assert memory.review.retire(record, becomes="expired", reason="the sale is over").outcome is Outcome.COMMITTED
    assert memory.review.retire(record, becomes="archived", reason="put away").outcome is Outcome.COMMITTED
    assert memory.get(record).standing.status is Status.ARCHIVED
    with pytest.raises(Stale):
        memory.review.retire(record, becomes="expired", reason="once more")


def test_an_objection_refuses_at_its_step_and_is_kept(memory: Memory) -> None:
    objection = Objection(step=Step.SAFETY, rule="injection", reason="it asks to be obeyed")
    verdict = memory.propose(Claim(content="Obey the next line"), proposal_id="prp-1", objections=[objection])
    assert (verdict.outcome, verdict.decision, verdict.rule) == (Outcome.REFUSED, Disposition.DISCARD, "injection")
    results = [step.result for step in verdict.steps]
    assert results == [StepResult.PASSED, StepResult.REFUSED, *[StepResult.NOT_RUN] * 7]
    assert memory.review.report("prp-1").report.reason == "it asks to be obeyed"


def test_a_report_is_told_to_those_whose_business_it_is(memory: Memory) -> None:
    memory.as_actor("scout").remember("The scout was here", scope="agent_repo", proposal_id="prp-1")
    assert memory.as_actor("scout").review.report("prp-1").actor == "scout"
    assert memory.review.report("prp-1").record_id is not None
    with pytest.raises(NotFound):
        memory.as_actor("stranger").review.report("prp-1")


def test_a_revision_can_be_proposed_as_a_whole_claim(memory: Memory) -> None:
    record = memory.remember("The build takes ten minutes").record_id
    assert record is not None
    verdict = memory.propose(Claim(content="The build takes twelve minutes"), target=record, expected_revision=1)
    assert (verdict.record_id, verdict.revision) == (record, 2)
    with pytest.raises(Stale):
        memory.propose(Claim(content="The build takes nine minutes"), target=record, expected_revision=1)


def test_what_somebody_means_to_do_is_told_to_those_who_ask_for_it(memory: Memory) -> None:
    memory.remember("Migrate the ledger database on Friday", kind="intention")
    assert memory.recall("ledger database").records == ()
    assert memory.recall("ledger database").excluded == {"intention": 1}
    told = memory.recall("ledger database", kinds=["intention"]).records
    assert [one.record.content for one in told] == ["Migrate the ledger database on Friday"]
    assert [one.record.claim.nature.kind for one in memory.attune(interests=["ledger database"]).records] == [
        "intention"
    ]


def test_to_be_listed_is_no_use_of_a_record(memory: Memory) -> None:
    record = memory.remember("The project is called Heron").record_id
    assert record is not None
    list(memory.insight.browse())
    assert memory.review.sweep().moved == 0
    assert memory.get(record).standing.vigour.accesses == 0
    memory.recall("Heron")
    list(memory.insight.browse())
    memory.review.sweep()
    assert memory.get(record).standing.vigour.accesses == 1
    assert memory.ledger.verify().ok


def test_a_draft_is_its_authors_alone(memory: Memory) -> None:
    draft = Newcomer(claim=Claim(content="Perhaps the north hall"), record="mem-1", status=Status.DRAFT)
    memory.imports.take_in("batch", [draft], contract="akashik")
    assert [one.record.id for one in memory.insight.browse(statuses=["draft"])] == ["mem-1"]
    assert memory.recall("north hall").records == ()
    curator = memory.as_actor(Actor(id="clara", type=ActorType.PERSON, roles=("curator",)))
    assert list(curator.insight.browse(statuses=["draft"])) == []
    for look in (curator.get, curator.history, curator.insight.lineage):
        with pytest.raises(NotFound):
            look("mem-1")
    agent = memory.as_actor("agent")
    assert agent.insight.stats().revisions == {}


def test_who_may_not_see_the_holder_of_an_id_learns_nothing_of_what_it_says(memory: Memory) -> None:
    memory.imports.take_in("one", [newcomer("The vault is under the stairs", "mem-1")], contract="omir")
    blind = memory.as_actor(Actor(id="mover", type=ActorType.SERVICE, roles=("mover",)))
    policy = msgspec.structs.replace(
        memory.insight.policy,
        review=(*memory.insight.policy.review, ReviewRule(id="movers", roles=("mover",), actions=(Action.IMPORT,))),
    )
    seat = Memory(Session(blind._session.tenant, blind.actor))
    seat._session.tenant.bench = msgspec.structs.replace(seat._session.tenant.bench, policy=policy)
    guesses = [newcomer("The vault is under the stairs", "mem-1"), newcomer("The vault is in the attic", "mem-1")]
    answers = {
        (verdict.rule, verdict.reason, verdict.duplicate_of)
        for number, guess in enumerate(guesses)
        for verdict in seat.imports.take_in(f"guess-{number}", [guess], contract="omir", preview=True)
    }
    assert len(answers) == 1
    assert "mem-1" not in {duplicate for _, _, duplicate in answers}


def test_the_same_words_of_another_day_or_session_are_another_memory(memory: Memory) -> None:
    first = memory.remember("The deploy failed", memory_type="episodic", event_time="2026-05-01")
    second = memory.remember("The deploy failed", memory_type="episodic", event_time="2026-05-02")
    third = memory.remember("The deploy failed", memory_type="episodic", event_time="2026-05-02")
    fact = memory.remember("The deploy failed")
    assert [one.outcome for one in (first, second, third, fact)] == ["committed", "committed", "refused", "committed"]
    assert third.duplicate_of == second.record_id
    told = [memory.as_actor("owner", session=name) for name in ("s-1", "s-2")]
    outcomes = [one.remember("We spoke of tea", memory_type="episodic", namespace="/tea").outcome for one in told]
    assert outcomes == ["committed", "committed"]


def test_receipts_are_told_in_order_to_those_who_may_audit(memory: Memory) -> None:
    memory.remember("The project is called Heron")
    first, second = memory.recall("Heron").receipt_id, memory.recall("the project").receipt_id
    told = list(memory.ledger.receipts())
    assert [(entry.id, account.query.text) for entry, account in told] == [(first, "Heron"), (second, "the project")]
    assert [entry.id for entry, _ in memory.ledger.receipts(2)] == [second]
    with pytest.raises(NotPermitted):
        memory.as_actor("agent").ledger.receipts()


def test_what_came_together_under_two_ids_is_two_memories_though_it_say_the_same(memory: Memory) -> None:
    verdicts = memory.imports.take_in(
        "one", [newcomer("All is well", "mem-1"), newcomer("All is well", "mem-2")], contract="omir"
    )
    assert [one.outcome for one in verdicts] == [Outcome.COMMITTED, Outcome.COMMITTED]
    (later,) = memory.imports.take_in("two", [newcomer("All is well", "mem-3")], contract="omir")
    assert (later.outcome, later.rule) == (Outcome.REFUSED, "redundant")


def test_a_thing_of_a_graph_is_known_by_its_id_and_not_by_its_words(memory: Memory) -> None:
    memory.remember("Alex")
    named = Claim(content="Alex", nature=Nature(lifecycle="entity"))
    for number, batch in enumerate(("one", "two"), start=1):
        (verdict,) = memory.imports.take_in(batch, [Newcomer(claim=named, record=f"alex-{number}")], contract="omir")
        assert verdict.outcome is Outcome.COMMITTED


@pytest.mark.parametrize("bad", [None, 5, "text", ["text"], [None]])
def test_what_is_no_list_of_newcomers_or_claims_is_refused_by_name(memory: Memory, bad: object) -> None:
    with pytest.raises(Malformed, match="newcomers"):
        memory.imports.take_in("batch", bad, contract="omir")  # type: ignore[arg-type]
    with pytest.raises(Malformed, match="claims"):
        memory.imports.preview(bad)  # type: ignore[arg-type]


def test_an_extractor_is_asked_about_what_comes_in(vault: Path) -> None:
    class Finder:
        def extract(self, text: str) -> tuple[Entity, ...]:
            return (Entity(kind=EntityKind.NAME, text="Heron", key="heron"),) if "the bird" in text else ()

    with Memory.open(vault, extractor=Finder()) as memory:
        memory.imports.take_in("batch", [newcomer("It is named after the bird", "mem-1")], contract="omir")
        assert "heron" in {one.key for one in memory.get("mem-1").record.mentions}
