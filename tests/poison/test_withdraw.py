"""Withdrawal: everything that one origin contributed goes at once, and who was told of it is known."""

from __future__ import annotations

import pytest
from tests.trust.world import entries_since, footing, kept, sentence, standing, told

from muniment import Memory
from muniment.model.entry import EntryKind
from muniment.model.errors import Malformed, NotPermitted, Stale
from muniment.model.status import Status
from muniment.model.vocabulary import Outcome


def test_everything_of_an_actor_is_taken_back_in_one_entry(team: Memory) -> None:
    bad = [kept(team.as_actor("worker").remember(sentence(number))) for number in range(5)]
    good = kept(team.as_actor("runner").remember(sentence(9)))
    head = team.ledger.head().seq
    done = team.erasure.withdraw("actor", "worker", reason="its key was stolen")
    assert done.records == tuple(bad)
    assert done.verdict is not None
    assert done.verdict.committed
    (entry,) = entries_since(team, head)
    assert (entry.kind, entry.actor, len(entry.changes)) == (EntryKind.WITHDRAWN, "owner", 5)
    assert {standing(team, name).status for name in bad} == {Status.RETRACTED}
    assert standing(team, good).status is Status.ACTIVE
    assert team.ledger.verify().ok
    assert team.ledger.replay().identical


def test_a_source_and_a_session_are_withdrawn_by_their_exact_names(team: Memory) -> None:
    worker, runner = team.as_actor("worker"), team.as_actor("runner")
    page = kept(worker.remember(sentence(1), source="page one"))
    same = kept(runner.remember(sentence(2), source="page one"))
    other = kept(worker.remember(sentence(3), source="page one hundred"))
    noted = kept(worker.remember(sentence(4), session_id="s1"))
    assert team.erasure.withdraw("source", "page one", reason="a forgery").records == (page, same)
    assert team.erasure.withdraw("session", "s1", reason="it was taken over").records == (noted,)
    assert team.erasure.withdraw("source", "page", reason="no such source").records == ()
    assert standing(team, other).status is Status.ACTIVE


def test_what_stands_on_it_is_judged_anew_and_named(team: Memory) -> None:
    ground = kept(team.as_actor("worker").remember(sentence(1), confidence=0.9))
    first = kept(team.as_actor("runner").remember(sentence(2), derived_from=[ground], confidence=0.9))
    second = kept(team.remember(sentence(3), derived_from=[first], confidence=0.9))
    done = team.erasure.withdraw("actor", "worker", reason="stolen key")
    assert (done.records, set(done.judged)) == ((ground,), {first, second})
    assert [footing(team, name).support for name in (first, second)] == ["fallen", "fallen"]
    assert told(team.recall(sentence(2))) == []


def test_the_receipts_that_told_of_it_are_named_and_no_others(team: Memory) -> None:
    ground = kept(team.as_actor("worker").remember("The portal rotates on Mondays", confidence=0.9))
    derived = kept(team.as_actor("runner").remember(f"{sentence(2)} alpha", derived_from=[ground], confidence=0.9))
    kept(team.remember("The gate is blue"))
    asked = team.as_actor("gauge").recall("portal mondays", purpose="act")
    later = team.as_actor("runner").recall("alpha")
    team.as_actor("runner").recall("gate blue")
    done = team.erasure.withdraw("actor", "worker", reason="stolen key")
    assert [(one.receipt, one.actor, one.purpose, one.records) for one in done.receipts] == [
        (asked.receipt_id, "gauge", "act", (ground,)),
        (later.receipt_id, "runner", "answer", (derived,)),
    ]


def test_who_may_not_audit_is_told_of_their_own_receipts_only(team: Memory) -> None:
    kept(team.as_actor("worker").remember("The portal rotates on Mondays", confidence=0.9))
    team.as_actor("gauge").recall("portal mondays")
    own = team.as_actor("worker").recall("portal mondays")
    done = team.as_actor("worker").erasure.withdraw("actor", "worker", reason="I was wrong all along")
    assert [one.receipt for one in done.receipts] == [own.receipt_id]


def test_what_waits_of_it_no_longer_waits(team: Memory) -> None:
    waiting = team.as_actor("worker").remember("We buy through the reseller", kind="decision")
    other = team.as_actor("runner").remember("We sell through the reseller shop", kind="decision")
    assert (waiting.outcome, other.outcome) == (Outcome.HELD, Outcome.HELD)
    done = team.erasure.withdraw("actor", "worker", reason="stolen key")
    assert done.dismissed == (waiting.proposal_id,)
    assert [one.proposal.id for one in team.review.queue()] == [other.proposal_id]


def test_what_is_in_quarantine_goes_too(team: Memory) -> None:
    name = kept(team.as_actor("worker").remember(sentence(1)))
    team.review.quarantine(name, reason="odd")
    assert team.erasure.withdraw("actor", "worker", reason="poison").records == (name,)
    assert standing(team, name).status is Status.RETRACTED


def test_what_others_made_of_it_and_what_it_had_replaced_are_named(team: Memory) -> None:
    first = kept(team.as_actor("worker").remember(sentence(1)))
    kept(team.revise(first, sentence(2)))
    older = kept(team.as_actor("runner").remember(sentence(3)))
    newer = kept(team.as_actor("worker").remember(sentence(4), supersedes=older))
    done = team.erasure.withdraw("actor", "worker", reason="stolen key")
    assert (done.records, done.followed, done.replaced) == ((newer,), (first,), (older,))
    assert [standing(team, name).status for name in (first, older)] == [Status.ACTIVE, Status.SUPERSEDED]


def test_a_rehearsal_says_the_same_and_changes_nothing(team: Memory) -> None:
    ground = kept(team.as_actor("worker").remember("The portal rotates on Mondays"))
    kept(team.as_actor("runner").remember(sentence(2), derived_from=[ground]))
    team.as_actor("worker").remember("We buy through the reseller", kind="decision")
    team.as_actor("gauge").recall("portal mondays")
    head = team.ledger.head()
    planned = team.erasure.withdraw("actor", "worker", reason="stolen key", dry_run=True)
    assert team.ledger.head() == head
    assert planned.verdict is None
    done = team.erasure.withdraw("actor", "worker", reason="stolen key")
    for name in ("records", "judged", "followed", "replaced", "dismissed", "receipts"):
        assert getattr(planned, name) == getattr(done, name), name


def test_it_takes_the_right_to_retract_anywhere_and_everybody_may_withdraw_their_own(team: Memory) -> None:
    name = kept(team.as_actor("worker").remember(sentence(1)))
    runner = team.as_actor("runner")
    refused = runner.erasure.withdraw("actor", "worker", reason="I dislike it")
    assert refused.verdict is not None
    assert (refused.verdict.outcome, refused.records, refused.receipts) == (Outcome.REFUSED, (), ())
    assert team.ledger.entries(1)[-1].actor == "runner", "the attempt is on record"
    with pytest.raises(NotPermitted):
        runner.erasure.withdraw("actor", "worker", reason="x", dry_run=True)
    with pytest.raises(NotPermitted):
        runner.erasure.withdraw("session", "s1", reason="x", dry_run=True)
    assert standing(team, name).status is Status.ACTIVE
    own = team.as_actor("worker").erasure.withdraw("actor", "worker", reason="I was wrong")
    assert own.records == (name,)


def test_nothing_is_withdrawn_by_what_cannot_be_an_origin(team: Memory) -> None:
    for by, value, reason in (
        ("record", "rec_1", "x"),
        ("subject", "Ana", "x"),
        ("planet", "mars", "x"),
        ("actor", "", "x"),
        ("actor", "no spaces here", "x"),
        ("source", "", "x"),
        ("actor", "worker", " "),
    ):
        head = team.ledger.head()
        with pytest.raises(Malformed):
            team.erasure.withdraw(by, value, reason=reason)
        assert team.ledger.head() == head


def test_what_the_caller_may_not_see_goes_and_is_not_named(team: Memory) -> None:
    """Whoever may take back anything takes back this too; its name is not for them all the same."""
    worker = team.as_actor("worker")
    proposed = worker.remember(
        sentence(1),
        scope="x_user_identity",
        scope_id="worker",
        owner="worker",
        lawful_basis="consent",
        access=["worker"],
        erasure="on request",
        retention_days=30,
        source_quality="first hand",
        reviewer="worker",
        barred_scopes=["agent_team"],
    )
    name = kept(team.review.decide(proposed.proposal_id, accept=True, reason="fine"))
    done = team.erasure.withdraw("actor", "worker", reason="stolen key")
    assert name not in str(done)
    assert [change.status for change in team.ledger.entries(1)[-1].changes] == [Status.RETRACTED]


def test_what_is_withdrawn_is_what_was_shown_or_nothing(team: Memory) -> None:
    worker = team.as_actor("worker")
    first = kept(worker.remember(sentence(1)))
    shown = team.erasure.withdraw("actor", "worker", reason="stolen key", dry_run=True)
    later = kept(worker.remember(sentence(2)))
    head = team.ledger.head()
    with pytest.raises(Stale):
        team.erasure.withdraw("actor", "worker", reason="stolen key", expected=shown.digest)
    assert team.ledger.head() == head
    now = team.erasure.withdraw("actor", "worker", reason="stolen key", dry_run=True)
    assert team.erasure.withdraw("actor", "worker", reason="stolen key", expected=now.digest).records == (first, later)


@pytest.mark.parametrize("what", ["revised", "built on", "proposed"])
def test_a_plan_to_withdraw_is_another_once_what_it_reaches_is(team: Memory, what: str) -> None:
    worker = team.as_actor("worker")
    first = kept(worker.remember(sentence(1)))

    def plan() -> str:
        return team.erasure.withdraw("actor", "worker", reason="stolen key", dry_run=True).digest

    before = plan()
    assert plan() == before
    match what:
        case "revised":
            worker.revise(first, sentence(3))
        case "built on":
            kept(team.as_actor("runner").remember(sentence(2), derived_from=[first]))
        case _:
            worker.remember("We buy through the reseller", kind="decision")
    assert plan() != before


def test_who_may_not_withdraw_is_refused_on_the_record_whatever_was_expected(team: Memory) -> None:
    kept(team.as_actor("worker").remember(sentence(1)))
    shown = team.erasure.withdraw("actor", "worker", reason="stolen key", dry_run=True)
    done = team.as_actor("runner").erasure.withdraw("actor", "worker", reason="mine now", expected=shown.digest)
    assert done.verdict is not None
    assert done.verdict.outcome is Outcome.REFUSED
