"""Turning a memory back: by new entries, with nothing deleted, and nothing erased that comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.governance.fleet import open_fleet
from tests.unit.world import HOUR, SetClock

from muniment import Memory
from muniment.model.errors import Malformed, NotFound, NotPermitted
from muniment.model.times import show

Stand = dict[tuple[str, int], tuple[str, str | None, float, str]]


def stand(memory: Memory) -> Stand:
    """What every revision counts for, use apart."""
    found: Stand = {}
    for record in memory.insight.browse(statuses=["active", "contested", "superseded", "retracted", "deprecated"]):
        standing = record.standing
        support = (standing.footing.effective, standing.footing.support.value)
        found[record.record.id, record.record.revision] = (standing.status.value, standing.successor, *support)
    return found


def say(memory: Memory, content: str, **more: object) -> str:
    verdict = memory.remember(content, scope="agent_team", scope_id="field", **more)  # type: ignore[arg-type]
    assert verdict.record_id is not None, verdict.reason
    return verdict.record_id


def head(memory: Memory) -> int:
    found = memory.ledger.head()
    assert found is not None
    return found.seq


def test_a_bad_afternoon_is_turned_back_and_the_turn_is_turned_back(vault: Path) -> None:
    """A revision, a retraction with what falls, a settlement, and new records: all is as in the morning."""
    clock = SetClock()
    with open_fleet(vault, clock=clock) as owner:
        scout, pilot = owner.as_actor("scout"), owner.as_actor("pilot")
        depth = say(scout, "The channel is 9 metres deep", kind="fact")
        plan = say(scout, "So the tanker may pass the channel", derived_from=[depth])
        watch = say(owner, "Wachwechsel ist um 20 Uhr")
        crane = say(scout, "The crane lifts 40 tonnes", kind="fact")
        rival = pilot.remember("The crane lifts 30 tonnes", kind="fact", scope="agent_team", scope_id="field")
        morning, noon, as_it_stood = head(owner), clock.now(), stand(owner)
        clock.forward(HOUR)

        owner.revise(watch, "Wachwechsel ist um 22 Uhr")
        owner.revise(watch, "Wachwechsel ist um 23 Uhr")
        owner.review.retract(depth, reason="the lead line was wrong")
        owner.review.resolve(rival.conflict_ids[0], strategy="last_write_wins", rationale="newer")
        false = say(pilot, "The pier is closed for good")
        told = scout.recall("is the pier closed?")
        assert [one.record.id for one in told.records] == [false]
        afternoon, after = stand(owner), head(owner)

        planned = owner.review.rewind(show(noon), dry_run=True)
        assert (planned.to, head(owner)) == (morning, after)
        assert {*planned.restored} == {depth, crane, watch}
        assert plan in planned.judged
        assert {false, watch} <= {*planned.withdrawn}
        scouts = [(one.receipt, one.records) for one in planned.receipts if one.actor == "scout"]
        assert scouts == [(told.receipt_id, (false,))]
        done = owner.review.rewind(morning, reason="the survey of the afternoon was of another harbour")
        assert (done.restored, done.epoch, head(owner)) == (planned.restored, after + 1, after + 1)
        now = stand(owner)
        assert {key: now[key] for key in as_it_stood} == as_it_stood
        assert now[false, 1][0] == "retracted"
        assert {view.status for view in owner.review.conflicts()} == {"detected"}
        assert {one.why for one in scout.recall("anything new?").withdrawn} == {"retracted"}
        assert [one.record.content for one in pilot.recall("Wachwechsel").records] == ["Wachwechsel ist um 20 Uhr"]

        owner.review.rewind(after)
        assert stand(owner) == afternoon
        owner.review.rewind(morning)
        later = owner.revise(watch, "Wachwechsel ist um 21 Uhr")
        assert (later.revision, owner.get(watch).record.content) == (4, "Wachwechsel ist um 21 Uhr")
        assert owner.review.rewind(head(owner)).changed == 0
        before = stand(owner)
        owner.ledger.replay()
        assert stand(owner) == before
        assert owner.ledger.verify().ok


def test_one_scope_is_turned_back_and_the_others_stay(vault: Path) -> None:
    with open_fleet(vault) as owner:
        base = owner.remember("The survey ship is reliable", scope="project", scope_id="harbour").record_id or ""
        kept = say(owner, "Its soundings hold", derived_from=[base])
        start = head(owner)
        other = owner.remember("The office moved to pier 2", scope="agent_team", scope_id="office").record_id or ""
        mine = say(owner, "The tug is out of order")
        owner.review.retract(kept, reason="doubtful")
        owner.review.retract(base, reason="it is not")
        owner.review.rewind(start, scope="agent_team", scope_id="field")
        status = {name: owner.get(name).standing.status.value for name in (other, mine, kept, base)}
        assert status == {other: "active", mine: "retracted", kept: "active", base: "retracted"}
        found = owner.get(kept).standing.footing
        assert (found.support, found.effective) == ("fallen", 0.2), "what it stood on outside is gone still"
        assert owner.ledger.verify().ok


def test_a_rewind_never_brings_back_what_was_erased(vault: Path) -> None:
    """Neither it, nor what was kept back because it stood on it, nor trust in what stood on it."""
    with open_fleet(vault) as owner:
        secret = say(owner, "Ilse Braun lives at Hafenstrasse 12")
        copy = say(owner, "Letters for the harbour master go to Hafenstrasse 12", derived_from=[secret])
        start = head(owner)
        owner.revise(secret, "Ilse Braun lives at Hafenstrasse 14")
        owner.forget(secret, reason="she asked for it", cascade="review")
        left = owner.get(copy).standing.footing
        assert left.support == "fallen"
        done = owner.review.rewind(start)
        assert (done.restored, done.kept, done.erased) == ((), (copy,), 2)
        assert owner.get(copy).standing.footing == left
        with pytest.raises(NotFound):
            owner.get(secret)
        assert b"Hafenstrasse 14" not in b"".join(path.read_bytes() for path in vault.rglob("*") if path.is_file())
        assert owner.ledger.verify().ok


def test_who_may_not_turn_back_changes_nothing(vault: Path) -> None:
    with open_fleet(vault) as owner:
        start = head(owner)
        say(owner, "The tug is out of order")
        end = head(owner)
        for name in ("scout", "lead"):
            for dry_run in (True, False):
                with pytest.raises(NotPermitted):
                    owner.as_actor(name).review.rewind(start, dry_run=dry_run)
        with pytest.raises(Malformed):
            owner.review.rewind(end + 1)
        with pytest.raises(Malformed):
            owner.review.rewind(start, scope_id="field")
        with pytest.raises(Malformed):
            owner.review.rewind("yesterday")
        with pytest.raises(NotPermitted):
            owner.for_user("alice").review.rewind(start)
        assert head(owner) == end
        with pytest.raises(Malformed):
            owner.review.rewind(True)
