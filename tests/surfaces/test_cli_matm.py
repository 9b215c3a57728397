"""matm: policy, example, emit, tickets, curate, decide, report, retrieve, adopt, level."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.surfaces.shell import Shell

from matm_evaluation.example import script

TESTER, STEWARD, CONSUMER = "producer.tester", "steward.checkout", "consumer.demo"


@pytest.fixture
def desk(shell: Shell, tmp_path: Path) -> Shell:
    """A vault under the policy of the profile."""
    policy = tmp_path / "matm.yaml"
    policy.write_text(shell("matm", "policy").out)
    assert shell("init", "--policy", str(policy)).code == 0
    return shell


def event(name: str, **fields: object) -> bytes:
    found = next(json.loads(bytes(one)) for one in script().events if json.loads(bytes(one))["event_id"] == name)
    return json.dumps({**found, **fields}).encode()


def emit(desk: Shell, name: str, actor: str = TESTER, **fields: object) -> dict[str, object]:
    said = desk("matm", "emit", "-", "--as", actor, "--json", stdin=event(name, **fields))
    assert said.code == 0
    report: dict[str, object] = said.json
    return report


def test_the_policy_that_is_shown_is_one_that_a_vault_takes(desk: Shell) -> None:
    said = desk("policy", "show")
    assert said.code == 0
    assert "name: matm" in said.out


def test_the_example_is_played_on_a_scratch_vault_and_touches_no_other(shell: Shell) -> None:
    said = shell("matm", "example", "--json")
    assert said.code == 0
    assert said.json["same_again"] is True
    decisions = [one["decision"] for one in said.json["reports"]]
    assert decisions == "append append append discard conflict deprecate discard append append".split()  # noqa: SIM905
    told = [one["presented_as"] for one in said.json["response"]["results"]]
    assert told == ["claim", "contested", "contested"]
    assert not shell.vault.exists()


def test_the_example_in_words(shell: Shell) -> None:
    said = shell("matm", "example")
    assert said.code == 0
    decided = [line.split()[:2] for line in said.out.splitlines() if line.split()[:1] == ["evt_demo_003"]]
    assert decided == [["evt_demo_003", "conflict"]]
    assert "claim: The retry step succeeded only after the cache key was cleared." in said.out
    assert "a second run decided the same to the byte" in said.out


def test_an_event_is_emitted_waits_and_is_answered_for(desk: Shell) -> None:
    report = emit(desk, "evt_demo_000")
    assert (report["decision"], report["event_id"]) == ("hold", "evt_demo_000")
    (ticket,) = desk("matm", "tickets", "--as", STEWARD, "--json").json
    assert (ticket["ticket_id"], ticket["opened_by"]) == ("evt_demo_000", TESTER)
    assert "its producer asks for a person" in desk("matm", "tickets", "--as", STEWARD).out
    assert desk("matm", "curate", "--json").json == []
    said = desk("matm", "decide", "evt_demo_000", "accept", "--reason", "checked", "--as", STEWARD, "--json")
    assert (said.json["decision"], said.json["reviewer"]) == ("append", STEWARD)
    assert desk("matm", "report", "evt_demo_000", "--as", TESTER, "--json").json == said.json
    assert desk("matm", "tickets").out == "nothing waits\n"


def test_the_curator_answers_for_what_needs_no_person(desk: Shell) -> None:
    emit(desk, "evt_demo_007", "producer.docs")
    (report,) = desk("matm", "curate", "--json").json
    assert (report["decision"], report["reviewer"], report["scope"]) == ("append", "curator.demo", "agent_repo")
    assert desk("matm", "curate").out == "nothing that the curator may answer for\n"


def test_a_discard_names_its_ground(desk: Shell) -> None:
    emit(desk, "evt_demo_005")
    words = ("matm", "decide", "evt_demo_005", "discard", "--ground", "unsafe", "--reason", "it quotes a credential")
    said = desk(*words, "--as", STEWARD)
    assert said.code == 0
    assert said.out.startswith("discard: evt_demo_005, unsafe: it quotes a credential\n")
    assert "AKIA" not in said.out


def test_a_malformed_event_is_refused_and_that_is_an_answer(desk: Shell) -> None:
    report = emit(desk, "evt_demo_000", memory_kind="lesson")
    assert (report["decision"], report["rule"]) == ("discard", "enum")
    assert str(report["reason"]).startswith("malformed: enum at /memory_kind")


def test_a_list_of_sources_is_asked(desk: Shell, tmp_path: Path) -> None:
    known = tmp_path / "sources.txt"
    known.write_text("artifact:checkout/runs/118\n")
    said = desk("matm", "emit", "-", "--sources", str(known), "--as", TESTER, "--json", stdin=event("evt_demo_000"))
    assert (said.json["decision"], said.json["rule"]) == ("discard", "unresolved-source")


def test_a_request_is_answered_with_citations_or_abstained_from(desk: Shell, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    request.write_bytes(bytes(script().request))
    assert "no answer: nothing_found" in desk("matm", "retrieve", str(request), "--as", CONSUMER).out
    emit(desk, "evt_demo_001")
    desk("matm", "decide", "evt_demo_001", "accept", "--reason", "checked", "--as", STEWARD)
    said = desk("matm", "retrieve", str(request), "--as", CONSUMER, "--json")
    (result,) = said.json["results"]
    assert (result["curation_report_ids"], said.json["grants"]["write"]) == (["evt_demo_001"], False)
    words = desk("matm", "retrieve", str(request), "--as", CONSUMER).out
    assert "sources: artifact:checkout/runs/118" in words
    other = desk("matm", "retrieve", str(request), "--as", TESTER, "--json")
    assert other.json["abstain_reasons"] == ["missing_authorization"]


def test_a_batch_is_previewed_taken_in_let_in_and_taken_back(desk: Shell, tmp_path: Path) -> None:
    file = tmp_path / "events.json"
    file.write_text(json.dumps([json.loads(event("evt_demo_000")), json.loads(event("evt_demo_007"))]))
    seen = desk("matm", "adopt", str(file), "--preview", "--json").json
    assert (seen["preview"], seen["counts"]) == (True, {"append": 2})
    assert desk("queue", "--json").json["proposals"] == []
    taken = desk("matm", "adopt", str(file), "--json").json
    assert [one["outcome"] for one in taken["entries"]] == ["held", "held"]
    assert desk("apply", taken["batch"], "--reason", "checked").code == 0
    undone = desk("rollback", taken["batch"], "--reason", "the wrong file", "--json").json
    assert undone["retracted"] == ["evt_demo_000", "evt_demo_007"]
    refused = desk("matm", "adopt", str(file), "--preview", "--json")
    assert (refused.code, refused.error["code"]) == (2, "rolled_back")
    assert "let in: 2 append" in desk("matm", "adopt", str(file), "--preview", "--again").out


def test_the_level_of_an_empty_vault_is_told_with_what_the_next_one_lacks(desk: Shell) -> None:
    said = desk("matm", "level", "--json")
    assert (said.code, said.json["level"]) == (0, "MATM-H2")
    assert said.json["missing"] == ["reviewed records: 0 of 0 lasting current records are reviewed and complete"]
    assert set(said.json["evaluation"]) == {"paper", "simulation", "probe", "field"}


def test_labels_of_ones_own_measure_routing_on_the_vault_itself(desk: Shell, tmp_path: Path) -> None:
    emit(desk, "evt_demo_001")
    desk("matm", "decide", "evt_demo_001", "accept", "--reason", "checked", "--as", STEWARD)
    labels = tmp_path / "labels.json"
    labels.write_text(json.dumps({"decisions": {"evt_demo_001": "append:agent_team"}}))
    said = desk("matm", "level", "--labels", str(labels), "--json")
    field = {one["name"]: one for one in said.json["evaluation"]["field"]}
    assert (field["routing accuracy"]["value"], field["routing accuracy"]["family"]) == (1.0, "routing")
    labels.write_text("{}")
    said = desk("matm", "level", "--labels", str(labels), "--json")
    assert (said.code, said.error["code"]) == (2, "malformed")


def test_the_level_of_a_vault_where_agents_commit_is_told_in_words(shell: Shell) -> None:
    shell("init")
    said = shell("matm", "level")
    assert said.code == 0
    assert said.out.startswith("level: none\n")
    assert "missing: roles: 1 named actors, 1 of them people" in said.out
    ban = shell("matm", "level", "--json").json["levels"][1]["checks"][-1]
    assert (ban["name"], ban["met"]) == ("direct-write ban", False)
    rules = "operators-direct, users-own-memory, field-records, session-notes, own-repo-notes, project-findings"
    assert ban["evidence"] == f"rules that commit without review: {rules}"
    assert "simulation: algebra, no deployment" in said.out
    assert "no certification" in said.out


def test_a_vault_without_a_curator_has_no_desk(shell: Shell) -> None:
    shell("init")
    said = shell("matm", "emit", "-", "--json", stdin=event("evt_demo_000"))
    assert (said.code, said.error["code"]) == (2, "configuration_error")
    assert "curator" in said.error["message"]


def test_who_may_not_audit_sees_no_tickets_and_no_level(desk: Shell) -> None:
    emit(desk, "evt_demo_000")
    for words in (("tickets",), ("curate",), ("level",)):
        said = desk("matm", *words, "--as", TESTER, "--json")
        assert (said.code, said.error["code"]) == (2, "not_permitted"), words


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("matm", "emit", "none.json"), 3),
        (("matm", "retrieve", "-"), 2),
        (("matm", "report", "evt_none"), 2),
        (("rollback", "matm-none", "--reason", "why"), 2),
        (("matm", "adopt", "-"), 2),
        (("matm", "decide", "evt_none", "accept", "--reason", "why", "--as", STEWARD), 2),
    ],
)
def test_what_is_not_there_or_cannot_be_read_is_a_clear_error(desk: Shell, words: tuple[str, ...], code: int) -> None:
    said = desk(*words, "--json", stdin=b"{")
    assert (said.code, said.out) == (code, "")
    assert said.error["message"]
