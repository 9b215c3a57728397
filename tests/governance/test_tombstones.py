"""A deletion before the record: an archive that arrives later is refused for it and for all that stands on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.governance.fleet import open_fleet

from muniment import Memory
from muniment.engine.importing import Newcomer
from muniment.model.claim_options import ClaimOptions, make_claim
from muniment.model.errors import Malformed, NotPermitted
from muniment.write.tombstones import content_digest

SALT = bytes(range(16))


def newcomer(memory: Memory, record: str, content: str, *grounds: str, external_id: str | None = None) -> Newcomer:
    options = ClaimOptions(scope="agent_team", scope_id="field", derived_from=list(grounds), external_id=external_id)
    return Newcomer(claim=make_claim(content, memory.actor, options), record=record)


def test_what_has_a_tombstone_does_not_arrive_nor_what_stands_on_it(vault: Path) -> None:
    with open_fleet(vault) as owner:
        owner.erasure.tombstone(record_id="mem-7", reason="erased at the other port")
        owner.erasure.tombstone(external_id="crm/4711", reason="asked for in person")
        owner.erasure.tombstone(digest=content_digest("Ilse wohnt am Kai 3", SALT), reason="erased there")
        batch = [
            newcomer(owner, "mem-7", "The pilot is called Ilse"),
            newcomer(owner, "mem-8", "Ilse likes coffee", "mem-7"),
            newcomer(owner, "mem-9", "So offer coffee", "mem-8"),
            newcomer(owner, "mem-a", "Customer 12 is late", external_id="crm/4711"),
            newcomer(owner, "mem-b", "Ilse wohnt am Kai 3"),
            newcomer(owner, "mem-c", "Der Kai ist lang", external_id="crm/4712"),
        ]
        verdicts = owner.imports.take_in("archive", batch, contract="omir")
        assert [verdict.rule for verdict in verdicts[:5]] == ["erased"] * 5
        assert verdicts[5].committed
        later = owner.imports.take_in("more", [newcomer(owner, "mem-d", "Coffee is offered", "mem-9")], contract="omir")
        assert later[0].rule == "erased"
        assert {stone.value for stone in owner.erasure.tombstones() if stone.by == "id"} >= {"mem-7", "mem-8", "mem-9"}
        assert "crm/4711" not in "".join(json.dumps(stone.value) for stone in owner.erasure.tombstones())
        owner.ledger.replay()
        assert (
            owner.imports.take_in("again", [newcomer(owner, "mem-7", "It is Ilse")], contract="omir")[0].rule
            == "erased"
        )
        assert owner.ledger.verify().ok


def test_the_same_file_again_after_it_was_forgotten_is_told_to_be_erased(vault: Path) -> None:
    with open_fleet(vault) as owner:
        owner.remember("The quay is long", scope="agent_team", scope_id="field")
        batch = [newcomer(owner, "one", "Frau Braun wohnt am Kai"), newcomer(owner, "two", "Der Kai ist lang")]
        assert all(verdict.committed for verdict in owner.imports.take_in("file", batch, contract="omir"))
        owner.forget("one", reason="she asked for it")
        again = owner.imports.take_in("file", batch, contract="omir")
        assert [verdict.outcome for verdict in again] == ["refused", "committed"]
        assert again[0].rule == "erased"


def test_a_tombstone_takes_the_right_to_forget_and_one_name(vault: Path) -> None:
    with open_fleet(vault) as owner:
        scout = owner.as_actor("scout")
        here = scout.remember("The net is torn", scope="agent_team", scope_id="field").record_id or ""
        before = owner.ledger.head()
        with pytest.raises(NotPermitted):
            scout.erasure.tombstone(record_id="mem-1", reason="no")
        with pytest.raises(NotPermitted):
            scout.erasure.tombstones()
        for wrong in ({}, {"record_id": "a", "external_id": "b"}, {"digest": "abc"}, {"record_id": here}):
            with pytest.raises(Malformed):
                owner.erasure.tombstone(reason="why", **wrong)
        assert owner.ledger.head() == before
