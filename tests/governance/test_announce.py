"""Passing a record on from group to group: who said it first stays visible, and when it falls, all that was passed on
falls."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.governance.fleet import open_fleet

from muniment.model.errors import NotFound

MORE = """
  - {id: office-sees, actors: [clerk], scopes: [project], scope_ids: [harbour], member: false}
"""


def test_an_announcement_reaches_three_groups_and_falls_with_its_source(vault: Path) -> None:
    with open_fleet(vault) as owner:
        lead, scout, clerk = owner.as_actor("lead"), owner.as_actor("scout"), owner.as_actor("clerk")
        said = owner.remember("Nobody sails in fog", kind="directive", scope="agent_team", scope_id="lead")
        rule = said.record_id or ""
        hop = lead.review.announce(rule, scope="agent_team", scope_id="field")
        assert hop.committed, hop.reason
        (told,) = scout.recall("may we sail in fog?").records
        assert told.record.id == hop.record_id
        assert (told.origin.actor, told.origin.scope_id, told.origin.authority) == ("owner", "lead", 10)  # type: ignore[union-attr]
        assert [(one.actor, one.scope_id) for one in told.via] == [("lead", "field")]
        assert (told.binds.by, told.binds.authority, told.binds.scope_id) == ("owner", 10, "field")  # type: ignore[union-attr]
        assert told.record.claim.nature.kind == "directive"
        with pytest.raises(NotFound):
            scout.get(rule)
        second = scout.review.announce(told.record.id, scope="project", scope_id="harbour")
        third = owner.review.announce(second.record_id or "", scope="agent_team", scope_id="office")
        assert second.committed
        (far,) = clerk.recall("sail in fog").records
        hands = [("lead", "field"), ("scout", "harbour"), ("owner", "office")]
        assert [(one.actor, one.scope_id) for one in far.via] == hands
        assert far.origin == told.origin
        assert far.binds is not None
        assert lead.review.announce(rule, scope="agent_team", scope_id="field").rule == "redundant"

        owner.review.retract(rule, reason="radar came")
        for agent, record in ((scout, hop), (clerk, third)):
            assert agent.recall("sail in fog").records == ()
            assert owner.get(record.record_id or "").standing.footing.support == "fallen"
            assert {one.why for one in agent.attune(since=1).withdrawn} == {"fallen"}
        owner.ledger.replay()
        assert owner.ledger.verify().ok


def test_who_may_not_see_or_write_announces_nothing(vault: Path) -> None:
    with open_fleet(vault) as owner:
        lead, scout, clerk = owner.as_actor("lead"), owner.as_actor("scout"), owner.as_actor("clerk")
        note = lead.remember("The tug is slow", scope="agent_team", scope_id="lead").record_id or ""
        for record in (note, "rec_none"):
            with pytest.raises(NotFound):
                scout.review.announce(record, scope="agent_team", scope_id="field")
        here = scout.remember("The net is torn", scope="agent_team", scope_id="field").record_id or ""
        assert scout.review.announce(here, scope="agent_team", scope_id="office").outcome == "refused"
        assert scout.review.announce(here, scope="agent_team", scope_id="field").rule == "announce-route"
        assert scout.review.announce(here, scope="session", scope_id="s1").rule == "announce-route"
        hers = clerk.for_user("alice").remember("Alice is seasick").record_id or ""
        assert owner.review.announce(hers, scope="agent_team", scope_id="office").rule == "unknown-link"
        owner.review.retract(note, reason="no longer")
        assert lead.review.announce(note, scope="agent_team", scope_id="field").rule == "not-current"
        assert owner.attune(since=1, namespace="/").records is not None
