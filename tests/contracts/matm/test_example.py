"""The worked example, from the first event to the cited answer, and once more without a trace."""

from __future__ import annotations

import json
from functools import cache

import pytest
from tests.contracts.cites import cites
from tests.contracts.matm.at_work import named, notices, outcomes, result, told, warnings

from matm_evaluation.example import Played, Script, desk_for, play, script
from matm_evaluation.scratch import StillClock, scratch_memory
from muniment.contracts.matm import CONTRACT
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import NotFound
from muniment.model.status import Status


@cache
def played() -> tuple[Played, Played, dict[str, str], dict[str, tuple[str, str, str]]]:
    """The example twice on one vault: both runs, the record of each event, and what the records are in the end."""
    clock = StillClock()
    with scratch_memory(clock) as memory:
        first = play(memory, clock)
        count = sum(memory.insight.stats().revisions.values())
        second = play(memory, clock)
        assert sum(memory.insight.stats().revisions.values()) == count
        assert memory.ledger.verify().ok
        states = {
            one.record.proposal: (
                one.record.claim.place.scope.value,
                one.record.claim.nature.kind.value,
                one.standing.status.value,
            )
            for one in memory.insight.browse(statuses=list(Status))
        }
    records = {one.event: str(one.report.get("record_id")) for one in first.filed}
    return first, second, records, states


def reports() -> dict[str, JsonObject]:
    return {one.event: one.report for one in played()[0].filed}


@cites("MATM-073")
def test_the_scope_matrix_comes_out() -> None:
    _, _, _, states = played()
    assert states["evt_demo_006"] == ("session", "hypothesis", "active")
    assert states["evt_demo_001"] == ("agent_team", "procedure", "active")
    assert states["evt_demo_007"] == ("agent_repo", "procedure", "active")
    assert states["evt_demo_000"] == ("project", "decision", "contested")
    assert "evt_demo_005" not in states
    assert (reports()["evt_demo_005"]["scope"], reports()["evt_demo_005"]["kind"]) == ("discard", "risk")


@cites("MATM-073")
def test_the_three_printed_decisions_come_in_order_with_linked_audit() -> None:
    first, _, records, _ = played()
    order = [one.event for one in first.filed if one.event in ("evt_demo_001", "evt_demo_002", "evt_demo_003")]
    assert order == ["evt_demo_001", "evt_demo_002", "evt_demo_003"]
    assert [reports()[name]["decision"] for name in order] == ["append", "discard", "conflict"]
    assert reports()["evt_demo_002"]["duplicate_of"] == records["evt_demo_001"]
    assert outcomes(reports()["evt_demo_002"])[6] == "refused"
    assert reports()["evt_demo_003"]["conflicts_with"] == [records["evt_demo_000"]]


@cites("MATM-073")
def test_every_event_is_decided_as_the_example_says_and_every_report_is_valid() -> None:
    found = [
        {name: str(reports()[str(one["event_id"])][name]) for name in ("event_id", "decision", "scope", "kind")}
        for one in script().expected
    ]
    wanted = [{name: one[name] for name in ("event_id", "decision", "scope", "kind")} for one in script().expected]
    assert found == wanted
    assert [CONTRACT.check(one.document) for one in played()[0].filed] == [()] * 9


def test_the_hypothesis_expires_and_the_older_guide_is_deprecated() -> None:
    _, _, records, states = played()
    assert states["evt_demo_000b"] == ("agent_team", "procedure", "deprecated")
    assert reports()["evt_demo_004"]["decision"] == "deprecate"
    assert records["evt_demo_004"] != records["evt_demo_000b"]
    clock = StillClock()
    with scratch_memory(clock) as memory:
        play(memory, clock)
        clock.forward(30 * 86_400_000_000)
        guess = next(one.record.id for one in memory.insight.browse() if one.record.proposal == "evt_demo_006")
        assert memory.review.sweep().expired == (guess,)


def test_the_credential_is_nowhere_and_its_redaction_is_on_record() -> None:
    report = reports()["evt_demo_005"]
    assert report["redactions"] == [{"field": "content", "what": "cloud access key", "count": 1}]
    everything = b"".join(played()[0].reports) + json.dumps(played()[0].response).encode()
    assert b"AKIA" not in everything


@cites("MATM-074")
def test_the_consumer_gets_the_procedure_cited_with_a_warning_that_names_the_open_conflict() -> None:
    first, _, records, _ = played()
    response, procedure = first.response, records["evt_demo_001"]
    sides = sorted([records["evt_demo_000"], records["evt_demo_003"]])
    assert [one for one in told(response) if one not in sides] == [procedure]
    assert told(response)[0] == procedure, "what is asserted comes before what is disputed"
    disputed = [result(response, one) for one in told(response)[1:]]
    assert [(one["presented_as"], one["status"]) for one in disputed] == [("contested", "conflicted")] * len(disputed)
    found = result(response, procedure)
    assert (found["presented_as"], found["status"], found["kind"]) == ("claim", "reviewed", "procedure")
    assert found["source_refs"] == ["artifact:checkout/runs/118"]
    assert found["curation_report_ids"] == ["evt_demo_001"]
    assert response["abstained"] is False
    (warning,) = warnings(response, procedure)
    (notice,) = notices(response, "conflict")
    assert named(notice) == sides
    assert all(side in warning for side in sides)


@cites("MATM-074")
def test_the_consumer_gets_neither_the_hypothesis_nor_the_docs_rule_nor_the_credential_note() -> None:
    first, _, records, _ = played()
    everything = json.dumps(first.response)
    for event in script().returns["never"]:
        assert records[event] not in everything
    for word in ("neighbouring region", "runbook step", "access key"):
        assert word not in everything


@cites("MATM-075")
def test_a_second_run_gives_the_same_bytes_and_no_new_record() -> None:
    first, second, _, _ = played()
    assert second.reports == first.reports
    without = {name: value for name, value in first.response.items() if name != "receipt_id"}
    assert {name: value for name, value in second.response.items() if name != "receipt_id"} == without


@cites("MATM-075")
def test_two_vaults_that_play_the_example_hold_the_same_decisions_to_the_byte() -> None:
    clock = StillClock()
    with scratch_memory(clock) as memory:
        assert play(memory, clock).reports == played()[0].reports


def test_the_example_is_told_apart_from_its_own_events() -> None:
    told_: Script = script()
    clock = StillClock()
    with scratch_memory(clock) as memory:
        desk = desk_for(memory, told_, clock)
        with pytest.raises(NotFound):
            desk.report("evt_demo_001")
