"""The suite can fail: whatever a Field does wrong, the assertions that speak of it notice."""

from __future__ import annotations

from itertools import count
from threading import Lock

import pytest
from tests.conformance.broken import Breakage, BrokenStage, Send

from akashik_conformance.registry import assertions
from akashik_conformance.run import tried
from muniment.contracts.strict.values import Json, JsonObject

FRESH = count(1)
HIGHEST = "authority-10"


def of(message: JsonObject, operation: str) -> bool:
    return message.get("operation") == operation


def payload(message: JsonObject) -> JsonObject:
    found = message.get("payload")
    return found if isinstance(found, dict) else {}


def lets_names_be_taken_twice(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    answer = send(message, token)
    return {"status": "registered"} if answer.get("code") == "AGENT_ID_TAKEN" else answer


def drops_writes(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    """Acknowledges a RECORD and keeps nothing."""
    if not of(message, "RECORD"):
        return send(message, token)
    number = next(FRESH)
    answer: JsonObject = {"status": "accepted", "memory_unit_id": f"rec_{number}", "epoch": number}
    return {**answer, "conflicts_detected": [], "rejection_reason": None}


def records_twice(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    return send({**message, "id": f"fresh-{next(FRESH)}"}, token)


def tells_the_worst_first(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    answer = send(message, token)
    found = answer.get("record")
    return {**answer, "record": found[::-1]} if isinstance(found, list) else answer


def tells_ones_own(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    if not of(message, "ATTUNE"):
        return send(message, token)
    said = payload(message)
    scope = said.get("scope")
    wider: Json = {**scope, "include_own": True} if isinstance(scope, dict) else scope
    return send({**message, "payload": {**said, "scope": wider}}, token)


def forgets_what_is_new(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    answer = send(message, token)
    scope = payload(message).get("scope")
    polls = of(message, "ATTUNE") and isinstance(scope, dict) and "since_epoch" in scope
    found = answer.get("record")
    return {**answer, "record": found[1:]} if polls and isinstance(found, list) else answer


def keeps_quiet_about_conflicts(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    answer = send(message, token)
    return {**answer, "conflicts_detected": []} if "conflicts_detected" in answer else answer


def settles_nothing(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    """Says that a conflict is resolved and leaves both sides as they are."""
    if not of(message, "MERGE"):
        return send(message, token)
    asked = {**payload(message), "strategy": "human_escalation"}
    answer = send({**message, "payload": asked}, token)
    return {**answer, "status": "resolved"} if answer.get("status") == "escalated" else answer


def leaves_out_the_last_event(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    answer = send(message, token)
    found = answer.get("timeline")
    return {**answer, "timeline": found[:-1]} if isinstance(found, list) else answer


def compacts_nothing(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    if not of(message, "COMPACT"):
        return send(message, token)
    answer = send({**message, "payload": {**payload(message), "filter": {"types": []}}}, token)
    return {**answer, "units_affected": 1} if answer.get("status") == "ok" else answer


def takes_every_step(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    answer = send(message, token)
    if of(message, "COORDINATE") and answer.get("code") == "INVALID_TRANSITION":
        task: JsonObject = {"status": "assigned"}
        return {"status": "ok", "task": task, "side_effects": {"events": [], "notified_agents": []}}
    return answer


def leaks_sessions(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    """Whatever is recorded in a session is everybody's."""
    return send({**message, "session_id": None} if of(message, "RECORD") else message, token)


def ignores_authority(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    return send(message, HIGHEST if token is not None and token.startswith("authority-") else token)


def ignores_tokens(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    return send(message, token if token is not None and token.startswith("authority-") else HIGHEST)


def forgives_envelopes(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    return send({**message, "protocol": "akashik", "version": "0.1.0"}, token)


def stands_still(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    answer = send(message, token)
    return {**answer, "epoch": 7} if of(message, "RECORD") and "epoch" in answer else answer


def ignores_later_epochs(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    return send({**message, "epoch": 0}, token)


def lets_everybody_win(message: JsonObject, token: str | None, send: Send) -> JsonObject:
    answer = send(message, token)
    too_late = of(message, "MERGE") and answer.get("code") == "INVALID_TRANSITION"
    return {"status": "resolved", "conflict": {}, "side_effects": {}} if too_late else answer


class LosesEveryOther:
    """Every other record of a crowd is acknowledged under the id of the one before."""

    def __init__(self) -> None:
        self._turn, self._last = Lock(), ""

    def __call__(self, message: JsonObject, token: str | None, send: Send) -> JsonObject:
        answer = send(message, token)
        name = answer.get("memory_unit_id")
        if not of(message, "RECORD") or not isinstance(name, str):
            return answer
        with self._turn:
            told, self._last = self._last or name, "" if self._last else name
        return {**answer, "memory_unit_id": told}


BROKEN: list[tuple[str, Breakage, tuple[str, ...]]] = [
    ("names taken twice", Breakage(lets_names_be_taken_twice), ("AKAS-003",)),
    ("writes dropped", Breakage(drops_writes), ("AKAS-020", "AKAS-047", "AKAS-104")),
    ("messages taken twice", Breakage(records_twice), ("AKAS-051",)),
    ("the worst first", Breakage(tells_the_worst_first), ("AKAS-023", "AKAS-024", "AKAS-026")),
    ("one's own told", Breakage(tells_ones_own), ("AKAS-019",)),
    ("polling loses", Breakage(forgets_what_is_new), ("AKAS-047", "AKAS-039")),
    ("conflicts kept quiet", Breakage(keeps_quiet_about_conflicts), ("AKAS-043", "AKAS-063", "AKAS-104")),
    ("nothing settled", Breakage(settles_nothing), ("AKAS-066", "AKAS-069", "AKAS-092", "AKAS-105")),
    ("a notice doubled", Breakage(tell=lambda notices: notices * 2), ("AKAS-071", "AKAS-072")),
    (
        "a notice lost",
        Breakage(tell=lambda notices: [one for one in notices if one["event"] != "memory.contested"]),
        ("AKAS-071",),
    ),
    ("a field of a notice missing", Breakage(tell=lambda notices: [_bare(one) for one in notices]), ("AKAS-071",)),
    ("the last event left out", Breakage(leaves_out_the_last_event), ("AKAS-073", "AKAS-075", "AKAS-097")),
    ("nothing compacted", Breakage(compacts_nothing), ("AKAS-076", "AKAS-078", "AKAS-097")),
    ("every step taken", Breakage(takes_every_step), ("AKAS-082", "AKAS-083")),
    ("sessions leak", Breakage(leaks_sessions), ("AKAS-014", "AKAS-086", "AKAS-087", "AKAS-107")),
    ("authority ignored", Breakage(ignores_authority), ("AKAS-084", "AKAS-089", "AKAS-090", "AKAS-091", "AKAS-096")),
    ("tokens ignored", Breakage(ignores_tokens), ("AKAS-081",)),
    ("views open", Breakage(views_for=HIGHEST), ("AKAS-081", "AKAS-107")),
    ("envelopes forgiven", Breakage(forgives_envelopes), ("AKAS-030",)),
    ("a clock that stands still", Breakage(stands_still), ("AKAS-037", "AKAS-038", "AKAS-039", "AKAS-104")),
    ("later epochs ignored", Breakage(ignores_later_epochs), ("AKAS-038", "AKAS-103")),
    ("a restart forgets", Breakage(forgets=True), ("AKAS-033",)),
    ("everybody wins", Breakage(lets_everybody_win), ("AKAS-065", "AKAS-105")),
    ("ids given twice", Breakage(LosesEveryOther()), ("AKAS-015", "AKAS-104")),
]
CASES = [pytest.param(breakage, id_, id=f"{what}: {id_}") for what, breakage, ids in BROKEN for id_ in ids]


def _bare(notice: JsonObject) -> JsonObject:
    return {key: value for key, value in notice.items() if key != "requires_action"}


@pytest.mark.sampled(18)
@pytest.mark.parametrize(("breakage", "id_"), CASES)
def test_a_field_that_does_this_wrong_does_not_pass(breakage: Breakage, id_: str) -> None:
    (assertion,) = [one for one in assertions() if one.id == id_]
    stage = BrokenStage(breakage)
    try:
        outcome = tried(assertion, stage)
    finally:
        stage.close()
    assert outcome.reason, f"{assertion.says} passed"
    assert not outcome.reason.startswith("could not be observed")
