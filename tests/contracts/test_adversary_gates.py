"""Actors who may take memories in and may not see everything: what a batch, a preview or an export tells them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from muniment import Memory
from muniment.compat.exchange import Fate, read_in, write_out
from muniment.contracts.registry import ContractName
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import NotFound, NotPermitted, Stale
from muniment.model.status import Status

MEMLEDGER = ContractName.MEMLEDGER
SECRET = "The merger is on Friday"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory with porters: agents who may take files in, and see what any agent sees."""
    text = files("muniment.policy").joinpath("default.yaml").read_text(encoding="utf-8")
    text = text.replace(
        "actors:\n",
        "actors:\n  porter: {type: agent, roles: [porter], projects: [default]}\n"
        "  carrier: {type: agent, roles: [porter], projects: [default]}\n",
        1,
    )
    text = text.replace(
        "write:\n",
        "write:\n  - {id: porters-commit, roles: [porter], scopes: [project], decision: commit, reason: porters may}\n",
        1,
    )
    text = text.replace("review:\n", "review:\n  - {id: porters-import, roles: [porter], actions: [import]}\n", 1)
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    with Memory.open(tmp_path / "vault", policy=tmp_path / "policy.yaml") as opened:
        yield opened


def hide(memory: Memory, content: str = SECRET) -> str:
    name = memory.remember(content, sensitivity="secret").record_id
    assert name is not None
    return name


def note(id_: str, content: str, **more: Json) -> JsonObject:
    return {"id": id_, "content": content, "record_type": "semantic", **more}


def taken(memory: Memory, *documents: JsonObject, preview: bool = False) -> tuple[str, tuple[Fate, ...]]:
    imported = read_in(memory, MEMLEDGER, json.dumps(list(documents)).encode(), preview=preview)
    return imported.batch, imported.fates


def answer(memory: Memory, *documents: JsonObject) -> list[tuple[str, str | None, str | None, bool]]:
    """All that a preview says of each memory, but for its own id."""
    _, fates = taken(memory, *documents, preview=True)
    return [
        (
            fate.outcome,
            fate.verdict.reason.replace(fate.id, "ID") if fate.verdict is not None else fate.error,
            fate.verdict.duplicate_of if fate.verdict is not None else None,
            bool(fate.loose),
        )
        for fate in fates
    ]


def test_a_preview_does_not_tell_whether_a_hidden_record_says_the_same(memory: Memory) -> None:
    hidden, porter = hide(memory), memory.as_actor("porter")
    assert answer(porter, note("mem-1", SECRET)) == answer(porter, note("mem-1", "The merger is in May"))
    same, other = answer(porter, note(hidden, SECRET)), answer(porter, note(hidden, "The merger is in May"))
    assert same == other
    assert same[0][2] is None


def test_a_link_to_a_hidden_record_is_a_link_to_nothing(memory: Memory) -> None:
    hidden, porter = hide(memory), memory.as_actor("porter")
    for link in ("derived_from", "supersedes"):
        there, nowhere = (
            answer(porter, {**note("mem-1", "Trains run"), link: [name] if link == "derived_from" else name})
            for name in (hidden, "rec_nowhere")
        )
        assert there == nowhere
        assert there[0][3]


def test_what_was_hidden_from_the_importer_is_not_replaced_by_way_of_an_export(memory: Memory) -> None:
    hidden, porter = hide(memory), memory.as_actor("porter")
    taken(porter, note("mem-1", "The merger is off", supersedes=hidden))
    told: list[JsonObject] = json.loads(write_out(memory, MEMLEDGER).data)
    assert [one["supersedes"] for one in told if one["id"] == "mem-1"] == [None]


def test_a_porter_undoes_what_it_brought_and_nothing_of_others(memory: Memory) -> None:
    porter, carrier = memory.as_actor("porter"), memory.as_actor("carrier")
    own, _ = taken(porter, note("mem-1", "The mill is old"))
    others, _ = taken(carrier, note("mem-2", "The inn is new"))
    owners, _ = taken(memory, note("mem-3", SECRET))
    for batch in (others, owners, "no-such-batch"):
        with pytest.raises(NotFound, match="no batch"):
            porter.imports.roll_back(batch, reason="because")
    assert porter.imports.roll_back(own, reason="because").retracted == ("mem-1",)
    assert memory.get("mem-2").standing.status is Status.ACTIVE
    assert memory.imports.roll_back(others, reason="the owner may").retracted == ("mem-2",)


def test_what_was_proposed_under_the_name_of_a_batch_is_not_undone_by_a_porter(memory: Memory) -> None:
    scout, porter = memory.as_actor("scout"), memory.as_actor("porter")
    noted = scout.remember("Quokkas smile", proposal_id="batch.1").record_id
    assert noted is not None
    with pytest.raises(NotFound):
        porter.imports.roll_back("batch", reason="because")
    batch, _ = taken(porter, note("mem-1", "The mill is old"))
    joined = scout.remember("Wombats dig", proposal_id=f"{batch}.2").record_id
    assert joined is not None
    assert porter.imports.roll_back(batch, reason="because").retracted == ("mem-1",)
    assert [memory.get(name).standing.status for name in (noted, joined)] == [Status.ACTIVE, Status.ACTIVE]


def test_rolling_back_names_no_record_the_caller_may_not_see(memory: Memory) -> None:
    seen = memory.remember("The window is Tuesday", kind="observation").record_id
    assert seen is not None
    hidden = memory.remember("So the merger is Tuesday", derived_from=[seen], sensitivity="secret").record_id
    assert hidden is not None
    porter = memory.as_actor("porter")
    batch, _ = taken(porter, note("mem-1", "The window is Thursday", supersedes=seen))
    assert memory.get(hidden).standing.footing.support != "standing"
    undone = porter.imports.roll_back(batch, reason="the wrong file")
    assert (undone.retracted, undone.restored) == (("mem-1",), (seen,))
    assert memory.get(hidden).standing.footing.support == "standing"
    assert memory.ledger.verify().ok


def test_a_rollback_that_is_stale_for_a_hidden_record_does_not_name_it(memory: Memory) -> None:
    seen = memory.remember("The window is Tuesday", kind="observation").record_id
    assert seen is not None
    hidden = memory.remember("So the merger is Tuesday", derived_from=[seen], sensitivity="secret").record_id
    assert hidden is not None
    porter = memory.as_actor("porter")
    batch, _ = taken(porter, note("mem-1", "The window is Thursday", supersedes=seen))
    memory.review.retract(hidden, reason="it is off")
    with pytest.raises(Stale) as told:
        porter.imports.roll_back(batch, reason="the wrong file")
    assert hidden not in str(told.value)


def test_who_has_nothing_to_do_with_a_batch_is_not_told_that_there_is_one(memory: Memory) -> None:
    batch, _ = taken(memory, note("mem-1", "The mill is old"))
    scout = memory.as_actor("scout")
    for name in (batch, "no-such-batch"):
        with pytest.raises(NotFound, match="no batch"):
            scout.imports.apply(name, reason="because")
        with pytest.raises(NotPermitted):
            scout.imports.roll_back(name, reason="because")
    with pytest.raises(NotFound):
        scout.review.report("prp_nowhere")


def test_a_hidden_successor_is_not_named_on_the_way_out(memory: Memory) -> None:
    old = memory.remember("The window is Tuesday", kind="observation").record_id
    assert old is not None
    new = memory.remember("The window is the merger", supersedes=old, sensitivity="secret").record_id
    assert new is not None
    scout = memory.as_actor("scout")
    for name in ContractName:
        assert new in write_out(memory, name, statuses=["superseded", "active"]).data.decode()
        told = write_out(scout, name, statuses=["superseded", "active"]).data.decode()
        assert old in told
        assert new not in told


def test_each_page_of_an_export_has_its_receipt_and_counts_what_is_delicate(memory: Memory) -> None:
    for number in range(3):
        memory.remember(f"Reading {number} of the gauge")
    hide(memory)
    memory.remember("The board meets on Monday", sensitivity="confidential")
    before = memory.insight.stats().receipts
    assert before is not None
    assert write_out(memory, MEMLEDGER).delicate == 2
    assert memory.insight.stats().receipts == before + 1
    assert write_out(memory, MEMLEDGER, sensitivity_max="internal").delicate == 0
    assert write_out(memory.as_actor("scout"), MEMLEDGER).delicate == 0
