"""The same message twice: one effect, the same answer; the same id with something else in it: an error."""

from __future__ import annotations

from pathlib import Path

from tests.cases import each
from tests.contracts.akashik.field import POLICY_TEXT, Field, an_object, finding
from tests.contracts.akashik.test_conflicts import disputed
from tests.contracts.akashik.test_tasks import made

from muniment import Memory
from muniment.compat.akashik import FieldSettings
from muniment.contracts.strict.values import JsonObject


def payload_of(operation: str, field: Field) -> JsonObject:
    """Something that each operation does once."""
    if operation == "MERGE":
        _, conflict, *_ = disputed(field)
        return {"conflict_id": conflict, "strategy": "last_write_wins", "resolution": {"rationale": "newer"}}
    if operation == "HANDOFF":
        task = made(field, "human", assignee="human")
        intent: JsonObject = {"purpose": "p", "task_id": task}
        field.ask("RECORD", "scout", finding("We sound at low water", type="decision", intent=intent))
        wish: JsonObject = {"summary": "half done", "open_questions": ["Who has the lead line?"]}
        return {"action": "offer", "task_id": task, "to_agent": "scout", "package": wish}
    payloads: dict[str, JsonObject] = {
        "REGISTER": {"id": "human", "role": "r"},
        "DEREGISTER": {"agent_id": "scout"},
        "RECORD": finding("The harbour is deep"),
        "SUBSCRIBE": {"action": "subscribe", "subscription": {"events": ["memory.recorded"]}},
        "COMPACT": {"strategy": "archive"},
        "COORDINATE": {"action": "create", "task": {"title": "t"}},
        "SESSION": {"action": "create", "goal": "g"},
    }
    return payloads[operation]


def prepared(operation: str) -> Field:
    field = Field().join("scout", "analyst", "senior", "chief")
    return field if operation == "REGISTER" else field.join("human")


OPERATIONS = ["REGISTER", "DEREGISTER", "RECORD", "MERGE", "SUBSCRIBE", "COMPACT", "COORDINATE", "HANDOFF", "SESSION"]


@each("operation", OPERATIONS)
def test_the_same_message_again_gets_the_same_answer_and_changes_nothing(operation: str) -> None:
    field = prepared(operation)
    message = field.message(operation, "human", payload_of(operation, field))
    first = field.send(message)
    assert "code" not in first
    head = field.memory.ledger.head().seq
    assert field.send(message) == first
    assert field.memory.ledger.head().seq == head


@each("operation", [word for word in OPERATIONS if word != "MERGE"])
def test_the_same_id_with_something_else_in_it_is_an_error_and_changes_nothing(operation: str) -> None:
    field = prepared(operation)
    payload = payload_of(operation, field)
    message = field.message(operation, "human", payload)
    assert "code" not in field.send(message)
    others: dict[str, JsonObject] = {
        "REGISTER": {"role": "another"},
        "DEREGISTER": {"agent_id": "analyst"},
        "RECORD": {"content": "The harbour is shallow"},
        "SUBSCRIBE": {"subscription": {"events": ["agent.joined"]}},
        "COMPACT": {"filter": {"types": []}},
        "COORDINATE": {"task": {"title": "u"}},
        "HANDOFF": {"to_agent": "analyst"},
        "SESSION": {"goal": "h"},
    }
    head = field.memory.ledger.head().seq
    answer = field.send({**message, "payload": {**payload, **others[operation]}})
    assert answer["code"] == "INVALID_ENVELOPE"
    assert field.memory.ledger.head().seq == head


def test_an_answer_outlives_the_process_and_is_its_agents_alone(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY_TEXT)
    with Memory.open(tmp_path / "vault", policy=file) as memory:
        field = Field(memory).join("scout", "analyst")
        message = field.message("COORDINATE", "scout", {"action": "create", "task": {"title": "t"}})
        first = field.send(message)
    with Memory.open(tmp_path / "vault", policy=file) as memory:
        again = Field(memory)
        assert again.send(message) == first
        other = again.send({**message, "agent_id": "analyst"})
        assert an_object(other["task"])["id"] != an_object(first["task"])["id"]


def test_a_message_that_would_be_refused_by_now_gets_the_answer_it_got() -> None:
    field = Field().join("scout", "analyst", "chief").meet("s-1", "chief", "scout")
    work = field.message("COORDINATE", "scout", {"action": "create", "task": {"title": "t"}}, session="s-1")
    note = field.message("RECORD", "scout", finding("The harbour is deep"), session="s-1")
    leave = field.message("DEREGISTER", "analyst", {"agent_id": "analyst"})
    firsts = [field.send(message) for message in (work, note, leave)]
    assert field.ask("SESSION", "chief", {"action": "end", "session_id": "s-1"})["status"] == "ok"
    head = field.memory.ledger.head()
    assert [field.send(message) for message in (work, note, leave)] == firsts
    assert field.memory.ledger.head() == head
    fresh = [{**work, "id": "w"}, {**note, "id": "n"}]
    assert [field.send(message)["code"] for message in fresh] == ["INVALID_TRANSITION", "INVALID_TRANSITION"]
    assert field.send({**leave, "id": "l"})["code"] == "AGENT_NOT_REGISTERED"


def test_of_each_agent_so_many_answers_are_kept_and_the_oldest_go() -> None:
    field = Field(settings=FieldSettings(answers_kept=2)).join("scout", "analyst")
    messages = [
        field.message("COORDINATE", "scout", {"action": "create", "task": {"title": title}}) for title in "abcd"
    ]
    firsts = [field.send(message) for message in messages]
    assert [field.send(message) for message in messages[2:]] == firsts[2:]
    assert field.send(messages[0]) != firsts[0]
    kept = [note.key for note in field.real._room.notebook.read("answers") if note.key.startswith("scout ")]
    assert len(kept) == 2


def test_no_answer_that_is_kept_and_no_offer_holds_words_of_a_unit() -> None:
    field = prepared("HANDOFF")
    field.ask("HANDOFF", "human", payload_of("HANDOFF", field))
    message = field.message("MERGE", "human", payload_of("MERGE", field))
    field.send(message)
    noted, _ = field.real._room.notebook.since(0)
    text = "\n".join(note.body or "" for note in noted)
    assert "half done" in text
    for words in ("low water", "23 percent", "it was 23"):
        assert words not in text


def test_a_package_that_is_asked_for_again_is_made_anew() -> None:
    field = prepared("HANDOFF")
    payload = payload_of("HANDOFF", field)
    message = field.message("HANDOFF", "human", payload)
    package = an_object(field.send(message)["package"])
    assert package["decisions"] == ["We sound at low water"]
    assert package["open_questions"] == ["Who has the lead line?"]
    taken = an_object(field.ask("HANDOFF", "scout", {"action": "accept", "task_id": payload["task_id"]})["package"])
    assert (taken["summary"], taken["open_questions"]) == ("half done", ["Who has the lead line?"])
    assert taken["decisions"] == ["We sound at low water"]
    field.ask("COMPACT", "human", {"strategy": "purge", "filter": {"types": ["decision"]}})
    assert an_object(field.send(message)["package"])["decisions"] == []


def test_what_an_agent_says_again_on_other_grounds_is_a_revision_of_its_unit() -> None:
    field = Field().join("scout")
    first = field.ask("RECORD", "scout", finding("The harbour is deep"))
    grounds: JsonObject = {"score": 0.4, "reasoning": "one sounding", "evidence": ["log:7"]}
    message = field.message("RECORD", "scout", {**finding("The harbour is deep"), "confidence": grounds})
    for _ in range(2):  # the same message counts once
        again = field.send(message)
        assert (again["status"], again["memory_unit_id"]) == ("accepted", first["memory_unit_id"])
        kept = field.memory.get(str(first["memory_unit_id"])).record
        belief = kept.claim.belief
        assert (kept.revision, belief.score, belief.reasoning, belief.evidence) == (2, 0.4, "one sounding", ("log:7",))


def test_what_an_agent_says_again_is_its_unit_and_what_another_says_is_another() -> None:
    field = Field().join("scout", "analyst")
    first = field.ask("RECORD", "scout", finding("The harbour is deep"))
    again = field.ask("RECORD", "scout", finding("The harbour is deep"))
    assert (again["status"], again["memory_unit_id"]) == ("accepted", first["memory_unit_id"])
    assert "no second one was made" in str(again["warning"])
    other = field.ask("RECORD", "analyst", finding("The harbour is deep"))
    assert other["status"] == "accepted"
    assert other["memory_unit_id"] != first["memory_unit_id"]
