"""Drafts: durable, their author's alone, and led into the open or dropped by nobody else."""

from __future__ import annotations

import pytest
from tests.support.world import simulated_memory

from muniment import Memory
from muniment.model.actor import Actor
from muniment.model.errors import Malformed, NotFound, Stale
from muniment.model.status import Status
from muniment.model.vocabulary import ActorType


def agents() -> tuple[Memory, Memory, Memory]:
    """The owner and two agents of one memory."""
    owner = simulated_memory()
    return owner, owner.as_actor("scout"), owner.as_actor("analyst")


def drafted(memory: Memory, content: str = "The harbour is deep", kind: str = "observation") -> str:
    verdict = memory.remember(content, draft=True, kind=kind)
    assert (verdict.outcome, verdict.rule) == ("committed", "drafts")
    assert verdict.record_id is not None
    return verdict.record_id


def test_a_draft_is_kept_and_seen_by_its_author_alone() -> None:
    owner, scout, analyst = agents()
    name = drafted(scout)
    assert scout.get(name).standing.status is Status.DRAFT
    assert [one.record.id for one in scout.insight.browse(statuses=["draft"])] == [name]
    for other in (owner, analyst):
        with pytest.raises(NotFound):
            other.get(name)
        with pytest.raises(NotFound):
            other.history(name)
        assert list(other.insight.browse(statuses=["draft"])) == []


def test_a_draft_answers_no_question_not_even_its_authors() -> None:
    _, scout, _ = agents()
    drafted(scout)
    assert scout.recall("harbour").records == ()


def test_a_draft_needs_no_evidence_is_nobodys_duplicate_and_disputes_nothing() -> None:
    _, scout, analyst = agents()
    analyst.remember("The tide turns at 6", kind="observation")
    drafted(scout, "The tide turns at 9", kind="fact")
    drafted(scout, "The tide turns at 9", kind="fact")
    said = analyst.remember("The tide turns at 9 in winter", kind="observation")
    assert (said.duplicate_of, analyst.review.conflicts()) == (None, ())


def test_what_supersedes_a_draft_of_the_same_author_commits_it() -> None:
    owner, scout, _ = agents()
    name = drafted(scout)
    verdict = scout.remember("The harbour is deep", kind="observation", supersedes=name)
    assert verdict.outcome == "committed"
    assert verdict.record_id is not None
    assert owner.get(verdict.record_id).standing.status is Status.ACTIVE
    draft = scout.get(name).standing
    assert (draft.status, draft.successor) == (Status.DISCARDED, verdict.record_id)


def test_a_revision_of_a_draft_keeps_its_id() -> None:
    _, scout, analyst = agents()
    name = drafted(scout)
    again = scout.propose(scout.get(name).record.claim, target=name, draft=True)
    assert (again.record_id, again.revision) == (name, 2)
    verdict = scout.revise(name, "The harbour is ten metres deep", kind="observation")
    assert (verdict.outcome, verdict.record_id, verdict.revision) == ("committed", name, 3)
    assert [one.record.revision for one in analyst.history(name).revisions] == [3]
    assert [one.record.revision for one in scout.history(name).revisions] == [1, 2, 3]


def test_nobody_else_leads_a_draft_anywhere() -> None:
    owner, scout, analyst = agents()
    name = drafted(scout)
    verdict = analyst.remember("The harbour is shallow", kind="observation", supersedes=name)
    assert (verdict.outcome, verdict.rule) == ("refused", "unknown-link")
    for other in (owner, analyst):
        with pytest.raises(NotFound):
            other.review.retract(name, reason="not mine")
    assert scout.get(name).standing.status is Status.DRAFT


def test_a_draft_that_was_dropped_stays_its_authors_alone() -> None:
    owner, scout, analyst = agents()
    name = drafted(scout)
    assert scout.review.retract(name, reason="on second thoughts").outcome == "committed"
    assert scout.get(name).standing.status is Status.DISCARDED
    for other in (owner, analyst):
        with pytest.raises(NotFound):
            other.get(name)
        assert list(other.insight.browse(statuses=["discarded"])) == []
    with pytest.raises(Stale):
        scout.remember("The harbour is deep", kind="observation", supersedes=name)


def test_a_draft_takes_authority_2_and_a_place_of_ones_own() -> None:
    owner, _, _ = agents()
    lowly = owner.as_actor(Actor(id="lowly", type=ActorType.AGENT, projects=("default",), authority=1))
    assert lowly.remember("The harbour is deep", draft=True).rule == "drafts"
    assert lowly.remember("The harbour is deep", draft=True).outcome == "refused"
    observer = owner.as_actor(Actor(id="observer", type=ActorType.AGENT, projects=("default",), authority=2))
    assert observer.remember("The harbour is deep", draft=True).outcome == "committed"
    assert owner.remember("The harbour is deep", draft=True).outcome == "committed"
    stranger = owner.as_actor(Actor(id="stranger", type=ActorType.AGENT, authority=4))
    assert (
        stranger.remember("The harbour is deep", draft=True, scope="project", scope_id="default").outcome == "refused"
    )


def test_a_committed_record_has_no_drafts() -> None:
    _, scout, _ = agents()
    kept = scout.remember("The harbour is deep", kind="observation").record_id
    assert kept is not None
    with pytest.raises(Malformed, match="draft"):
        scout.propose(scout.get(kept).record.claim, target=kept, draft=True)


def test_a_ledger_with_drafts_verifies_and_replays() -> None:
    owner, scout, _ = agents()
    scout.remember("The harbour is deep", kind="observation", supersedes=drafted(scout))
    assert owner.ledger.verify().ok
    assert owner.ledger.replay().identical
