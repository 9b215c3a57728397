"""Agents that fail: they say so or are found, others hear of it, their tasks wait for others, a REGISTER brings them
back."""

from __future__ import annotations

from pathlib import Path

from tests.contracts.akashik.field import Field, a_list, an_object, finding

from muniment import Memory
from muniment.compat.akashik import Credential
from muniment.compat.akashik import Field as RealField


def busy() -> tuple[Field, str]:
    field = Field().join("scout", "analyst", "chief")
    field.ask("SUBSCRIBE", "analyst", {"action": "subscribe", "subscription": {"events": ["agent.failed"]}})
    made = field.ask("COORDINATE", "scout", {"action": "create", "task": {"title": "T", "assignee": "scout"}})
    task = str(an_object(made["task"])["id"])
    field.ask("COORDINATE", "scout", {"action": "start", "task": {"id": task}})
    return field, task


def test_a_failure_is_told_and_what_was_in_hand_is_flagged() -> None:
    field, task = busy()
    answer = field.real.fail(field.credential("scout"), "scout", "out of memory")
    assert (answer["status"], answer["tasks_reassigned"]) == ("failed", 1)
    assert [one["event"] for one in field.mail("analyst")] == ["agent.failed"]
    agents = field.real.agents(field.credential("analyst"))["agents"]
    states = {str(an_object(one)["id"]): an_object(one)["status"] for one in a_list(agents)}
    assert states == {"scout": "failed", "analyst": "idle", "chief": "idle"}
    told = field.ask("COORDINATE", "analyst", {"action": "get", "task": {"id": task}})
    assert an_object(told["task"])["flagged"] is True
    offered = field.ask("HANDOFF", "chief", {"action": "offer", "task_id": task, "to_agent": "analyst"})
    assert offered["status"] == "offered"
    taken = field.ask("HANDOFF", "analyst", {"action": "accept", "task_id": task})
    assert "flagged" not in an_object(taken["task"])


def test_a_failed_agent_does_nothing_until_it_registers_again() -> None:
    field, _ = busy()
    field.meet("S", "chief", "scout")
    field.real.fail(field.credential("scout"), "scout", "lost")
    assert field.ask("RECORD", "scout", finding("It rains"))["code"] == "INVALID_TRANSITION"
    assert field.ask("ATTUNE", "scout", {"scope": {"role": "r", "max_units": 1}})["code"] == "INVALID_TRANSITION"
    again = field.ask("REGISTER", "scout", {"id": "scout", "role": "newcomer"})
    assert an_object(again["agent"])["status"] == "idle"
    assert field.ask("RECORD", "scout", finding("It rains"))["status"] == "accepted"
    assert field.ask("RECORD", "scout", finding("It pours"), session="S")["code"] == "INSUFFICIENT_AUTHORITY"
    assert field.ask("REGISTER", "scout", {"id": "scout", "role": "r"})["code"] == "AGENT_ID_TAKEN"


def test_to_report_another_takes_what_it_takes_to_let_it_go() -> None:
    field, _ = busy()
    weak = field.real.fail(field.credential("analyst"), "analyst", "it is silent", failed="scout")
    assert weak["code"] == "INSUFFICIENT_AUTHORITY"
    found = field.real.fail(field.credential("chief"), "chief", "it is silent", failed="scout")
    assert found["status"] == "failed"
    twice = field.real.fail(field.credential("chief"), "chief", "it is silent", failed="scout")
    assert twice["code"] == "INVALID_TRANSITION"
    nobody = field.real.fail(field.credential("chief"), "chief", "it is silent", failed="ghost")
    assert nobody["code"] == "AGENT_NOT_REGISTERED"
    stranger = field.real.fail(field.credential("chief"), "analyst", "not mine to say")
    assert stranger["code"] == "UNAUTHENTICATED"
    assert {one["operation"] for one in (weak, twice, nobody, stranger)} == {"FAIL"}


def test_a_failure_outlives_the_process_and_its_handle_can_report_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        scout = RealField(memory).register("scout", "researcher", authority_level=4)
        assert scout.fail("lost")["status"] == "failed"
    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        owner = Credential(actor=memory.actor, agents=("*",))
        (one,) = a_list(RealField(memory).agents(owner)["agents"])
        assert an_object(one)["status"] == "failed"
