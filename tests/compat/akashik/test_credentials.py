"""Who may speak for whom: a credential bounds every agent that uses it, on every operation, view and feed."""

from __future__ import annotations

import msgspec
import pytest
from tests.cases import each
from tests.contracts.akashik.field import Field, a_list, an_object, attune, contents, finding
from tests.contracts.akashik.test_levels import PAYLOADS

from muniment.compat.akashik import Credential
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import JsonObject
from muniment.model.actor import Actor
from muniment.model.errors import NotFound, NotPermitted, Unauthenticated
from muniment.model.vocabulary import ActorType

KEY = Credential(actor=Actor(id="key-7", roles=("agent",), projects=("default",), authority=6), agents=("scout",))


@each("operation", list(FieldOperation))
def test_a_credential_that_does_not_speak_for_an_agent_does_nothing_in_its_name(operation: FieldOperation) -> None:
    field = Field().join("scout", "analyst")
    before = field.memory.ledger.head()
    message = field.message(operation.value, "analyst", PAYLOADS[operation])
    assert field.send(message, KEY)["code"] == "UNAUTHENTICATED"
    assert field.memory.ledger.head() == before


def test_nobody_registers_an_agent_it_may_not_speak_for() -> None:
    field = Field()
    payload: JsonObject = {"id": "analyst", "role": "r"}
    assert field.send(field.message("REGISTER", "scout", payload), KEY)["code"] == "UNAUTHENTICATED"
    assert field.roster.members == ()


def test_an_agent_has_the_authority_of_its_credential_and_no_more_than_who_speaks_for_it_now() -> None:
    field = Field()
    answer = field.send(field.message("REGISTER", "scout", {"id": "scout", "role": "r"}), KEY)
    assert an_object(answer["agent"])["authority_level"] == 6
    lesser = Credential(actor=Actor(id="key-8", projects=("default",), authority=2), agents=("*",))
    record = field.message("RECORD", "scout", finding("The harbour is deep"))
    assert field.send(record, lesser)["code"] == "INSUFFICIENT_AUTHORITY"
    assert field.send(record, KEY)["status"] == "accepted"
    greater = Credential(actor=Actor(id="key-9", projects=("default",), authority=10), agents=("*",))
    purge = field.message("COMPACT", "scout", {"strategy": "purge"})
    assert field.send(purge, greater)["code"] == "INSUFFICIENT_AUTHORITY"


def test_the_name_of_an_owner_gives_no_rights_of_an_owner() -> None:
    field = Field().join("scout", "chief").meet("s-1", "chief", "scout")
    field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")
    join = field.message("REGISTER", "owner", {"id": "owner", "role": "r"})
    agent = Actor(id="key-7", projects=("default",), authority=6)
    assert field.send(join, Credential(actor=agent, agents=("owner",)))["code"] == "UNAUTHENTICATED"
    person = msgspec.structs.replace(agent, type=ActorType.PERSON)
    key = Credential(actor=person, agents=("owner",))
    assert field.send(join, key)["status"] == "registered"
    assert contents(field.send(field.message("ATTUNE", "owner", attune()), key)) == []
    member = field.member("owner")
    seat = field.real._room.seat(key, member, ())
    assert (seat.actor.roles, seat.actor.authority, seat.actor.sessions) == ((), 6, ())


def test_views_and_notices_ask_who_is_there() -> None:
    field = Field().join("scout", "analyst")
    for view in (field.real.status, field.real.agents, field.real.conflicts):
        assert view(KEY, "analyst")["code"] == "UNAUTHENTICATED"
        assert view(Credential(actor=KEY.actor, agents=("*",)), "ghost")["code"] == "AGENT_NOT_REGISTERED"
    with pytest.raises(Unauthenticated):
        field.real.notices("analyst", KEY, 0)
    with pytest.raises(NotFound):
        field.real.notices("key-7", KEY, 0)
    nobody = Credential(actor=Actor(id="scout", authority=1))
    with pytest.raises(NotPermitted):
        field.real.notices("scout", nobody, 0)
    assert field.real.conflicts(nobody, "scout")["code"] == "INSUFFICIENT_AUTHORITY"
    wrong = field.real.conflicts(field.credential("scout"), "scout", filter={"status": ["lost"]})
    assert wrong["code"] == "INVALID_PAYLOAD"


def test_what_is_linked_to_must_be_seen_by_the_field_too() -> None:
    field = Field().join("scout", "analyst", "chief").meet("s-1", "chief", "scout")
    common = field.ask("RECORD", "analyst", finding("The harbour is deep"))["memory_unit_id"]
    payload = finding("It is shallow", relations=[{"type": "supersedes", "target_id": common}])
    assert field.ask("RECORD", "scout", payload, session="s-1")["code"] == "UNIT_NOT_FOUND"
    assert field.unit(str(common))["status"] == "active"
    assert field.ask("RECORD", "scout", payload)["status"] == "accepted"


def test_a_conflict_with_what_is_hidden_is_not_told() -> None:
    field = Field().join("scout", "analyst", "chief").meet("s-1", "chief", "scout", "analyst")
    rule: JsonObject = {"role": "researcher", "types": ["finding"], "effect": "hide"}
    policies: JsonObject = {"visibility_rules": [rule]}
    session: JsonObject = {"action": "set_policy", "session_id": "s-1", "policies": policies}
    assert field.ask("SESSION", "chief", session)["status"] == "ok"
    field.ask("RECORD", "analyst", finding("The market grows at 23 percent a year"), session="s-1")
    other = finding("The market grows at 14 percent a year")
    answer = field.ask("RECORD", "scout", other, session="s-1")
    assert (answer["status"], answer["conflicts_detected"]) == ("accepted", [])
    assert field.ask("ATTUNE", "scout", attune(include_own=True), session="s-1")["conflicts"] == []
    owner = Credential(actor=field.memory.actor)
    field.real.send(field.message("REGISTER", "owner", {"id": "owner", "role": "operator"}), owner)
    join = field.message("SESSION", "owner", {"action": "join", "session_id": "s-1"})
    assert field.real.send(join, owner)["status"] == "ok"
    found = field.real.conflicts(owner, "owner", field.names["s-1"])["conflicts"]
    assert len(a_list(found)) == 1


@each(
    ("agents", "agent", "speaks"),
    [
        (("*",), "scout", True),
        (("*",), "owner", False),
        (("*",), "muniment", False),
        (("owner",), "owner", True),
        (("muniment", "*"), "muniment", False),
        ((), "ci", True),
    ],
)
def test_nobody_takes_a_name_that_the_vault_gives(agents: tuple[str, ...], agent: str, speaks: bool) -> None:
    assert Credential(actor=Actor(id="ci"), agents=agents).speaks_for(agent) is speaks
