"""Whatever a worker hands in, the desk comes to an answer, in valid documents, and remembers nothing of its own."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.cites import cites
from tests.contracts.matm.at_work import STEWARD, TESTER, World, outcomes
from tests.contracts.matm.strategies import documents, events

from muniment.contracts.finding import passes
from muniment.contracts.matm import CONTRACT
from muniment.contracts.strict.values import Json, JsonObject

FIVE = {"append", "update", "deprecate", "conflict", "discard"}


def at_home(event: JsonObject) -> JsonObject:
    """The event as the tester of the example could have sent it: from its places, with sources that exist."""
    own: JsonObject = {
        "source_agent": TESTER,
        "project_id": "checkout",
        "team_id": "checkout-repair",
        "session_id": "session-retry-repair",
        "agent_id": TESTER,
        "provenance": {"source_refs": ["ci:run/1"]},
    }
    if event["evidence_refs"]:
        own["evidence_refs"] = ["ci:run/1"]
    left_out = ("tenant_id", "derived_from")
    return {name: value for name, value in {**event, **own}.items() if name not in left_out}


def linked(event: JsonObject, record: str) -> JsonObject:
    """The event with every link to a record that is there."""
    return {**event, **{name: [record] for name in ("supersedes", "conflicts_with") if name in event}}


@cites("MATM-016", "MATM-019")
@given(events())
def test_every_valid_event_ends_in_one_of_five_ways_with_valid_papers(event: JsonObject) -> None:
    world = World()
    sent = linked(at_home(event), world.keep("Checkout has three regions"))
    before = world.records()
    first = world.emit(sent)
    assert world.records() == before
    assert all(passes(CONTRACT.check(json.dumps(one).encode())) for one in world.desk.tickets())
    world.desk.curate()
    for ticket in world.desk.tickets():
        world.desk.decide(str(ticket["ticket_id"]), actor=STEWARD, accept=True, reason="checked")
    last = world.emit(sent)
    assert last.report["decision"] in FIVE
    assert len(outcomes(last.report)) == 9
    assert CONTRACT.check(first.document) == CONTRACT.check(last.document) == ()
    assert passes(CONTRACT.check(world.desk.export(actor=STEWARD)))
    assert world.memory.ledger.verify().ok


@cites("MATM-017")
@given(documents() | st.binary(max_size=64).map(lambda data: data.decode("latin-1")))
def test_whatever_is_handed_in_by_somebody_else_is_refused_on_record(document: Json) -> None:
    world = World()
    done = world.desk.emit(json.dumps(document).encode(), actor="nobody.known")
    assert done.report["decision"] == "discard"
    found = outcomes(done.report)
    at = found.index("refused")
    assert set(found[:at]) <= {"passed", "changed", "flagged"}
    assert set(found[at + 1 :]) <= {"not_run"}
    assert CONTRACT.check(done.document) == ()
    assert world.records() == 0


def test_an_event_whose_name_is_a_secret_is_refused_without_its_name() -> None:
    world = World()
    done = world.emit(world.event("Checkout has three regions", event_id="AKIAIOSFODNN7EXAMPLE"))
    assert (done.report["decision"], done.report["rule"]) == ("discard", "credential")
    assert b"AKIA" not in done.document
