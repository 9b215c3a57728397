"""One current successor of a record, or a conflict: the same for what is written here and for what is brought in."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.governance.fleet import open_fleet

from muniment import Memory
from muniment.engine.importing import Newcomer
from muniment.model.claim_options import ClaimOptions, make_claim
from muniment.model.errors import Stale


def newcomer(memory: Memory, record: str, content: str, supersedes: str | None = None) -> Newcomer:
    options = ClaimOptions(scope="agent_team", scope_id="field", kind="observation")
    if supersedes is not None:
        options["supersedes"] = supersedes
    return Newcomer(claim=make_claim(content, memory.actor, options), record=record)


def statuses(memory: Memory, *names: str) -> list[str]:
    return [memory.get(name).standing.status.value for name in names]


def test_two_histories_of_one_record_meet_in_a_conflict(vault: Path) -> None:
    """A buoy was moved twice, as two ships tell it, in files that come one after the other."""
    with open_fleet(vault) as owner:
        owner.imports.take_in("first", [newcomer(owner, "buoy", "La bouée est au nord")], contract="omir")
        moved = newcomer(owner, "buoy-east", "La bouée est à l'est depuis mai", "buoy")
        again = newcomer(owner, "buoy-west", "Die Boje liegt seit Mai westlich der Mole", "buoy")
        (first,) = owner.imports.take_in("second", [moved], contract="omir")
        assert (first.conflict_ids, statuses(owner, "buoy", "buoy-east")) == ((), ["superseded", "active"])
        (second,) = owner.imports.take_in("third", [again], contract="omir")
        assert statuses(owner, "buoy-east", "buoy-west") == ["contested", "contested"]
        (view,) = owner.review.conflicts()
        assert (view.why, view.strength, view.id) == ("successor", "established", second.conflict_ids[0])
        same = newcomer(owner, "buoy-again", "La bouée est à l'est depuis mai", "buoy")
        (third,) = owner.imports.take_in("fourth", [same], contract="omir")
        assert len(third.conflict_ids) <= 1, "the same again disputes only what says otherwise"
        with pytest.raises(Stale):
            owner.remember("La bouée est au sud", supersedes="buoy", scope="agent_team", scope_id="field")
        owner.ledger.replay()
        assert owner.ledger.verify().ok


def test_rival_successors_are_settled_where_the_policy_says_so(vault: Path) -> None:
    with open_fleet(vault, "disputes: {settle: [last_write_wins]}\n") as owner:
        owner.imports.take_in(
            "one", [newcomer(owner, "a", "Kran 1 steht"), newcomer(owner, "b", "Kran 1 geht", "a")], contract="omir"
        )
        owner.imports.take_in("two", [newcomer(owner, "c", "Kran 1 ist verkauft", "a")], contract="omir")
        assert statuses(owner, "a", "b", "c") == ["superseded", "superseded", "active"]
