"""A credential is one sort of actor: what it was made for. Every sort of key against every sort of name, everywhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from tests.surfaces.http.agents import message, sent, unit
from tests.surfaces.http.conftest import Served, serving, settings_for
from tests.surfaces.mcp.talking import talking_to
from tests.surfaces.reception import issuer

from muniment import Memory
from muniment.compat.akashik import Credential, Field
from muniment.contracts.strict.values import JsonObject
from muniment.model.actor import Actor
from muniment.model.errors import Unauthenticated
from muniment.model.vocabulary import ActorType
from muniment.surfaces.reception.key_issuing import issue
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.server_context import system_now

POLICY = """
version: 1
name: sorts
actors:
  owner: {type: person, roles: [owner], authority: 10}
  maria: {type: person, roles: [curator], projects: [default], authority: 9}
  ben: {type: person, projects: [default]}
  deployer: {type: service, projects: [default]}
  gauge: {type: tool, projects: [default]}
  critic: {type: agent, roles: [curator], projects: [default], authority: 9}
  "*": {type: agent, roles: [agent], projects: [default]}
write:
  - {id: writes, decision: commit, reason: "a test", word: true}
read:
  - {id: reads, member: false}
review:
  - {id: curators, roles: [owner, curator], actions: [accept, vouch]}
"""
NAMES = ("scout", "critic", "maria", "ben", "deployer", "gauge", "owner")
SORTS = {"bot": "agent", "ann": "person", "mover": "service", "probe": "tool"}
"""The keys, each under a name of its own that the policy does not list, and the sort each is made for."""
ALLOWED = {
    ("agent", "*"): {"scout"},
    ("person", "*"): {"scout"},
    ("service", "*"): {"scout"},
    ("tool", "*"): {"scout"},
    ("agent", "named"): {"scout", "critic"},
    ("person", "named"): {"scout", "critic", "maria", "ben", "owner"},
    ("service", "named"): {"scout", "critic", "deployer"},
    ("tool", "named"): {"scout", "critic", "gauge"},
}


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY)
    return path


def agents_of(lent: str) -> tuple[str, ...]:
    return ("*",) if lent == "*" else NAMES


def wish(name: str, lent: str) -> KeyRequest:
    return KeyRequest(name=name, actor=name, type=ActorType(SORTS[name]), authority=8, agents=agents_of(lent))


def registering(name: str) -> JsonObject:
    return {"id": name, "role": "scout"}


def matrix(speak: Callable[[str, str, str], bool]) -> list[str]:
    """Every key against every name: where what happened is not what may."""
    found = []
    for key, lent, name in product(SORTS, ("*", "named"), (*NAMES, "muniment")):
        may = name in ALLOWED[SORTS[key], lent]
        if speak(key, lent, name) is not may:
            found.append(f"a key of sort {SORTS[key]} for {lent} speaks as {name}: {not may}")
    return found


def test_in_the_library(vault: Path, policy: Path) -> None:
    with Memory.open(vault, policy=policy) as memory:
        field = Field(memory)

        def speak(key: str, lent: str, name: str) -> bool:
            actor = Actor(id=key, type=ActorType(SORTS[key]), projects=("default",), authority=8)
            credential = Credential(actor=actor, agents=agents_of(lent))
            field.send(message("REGISTER", name, registering(name)), credential)
            said = field.send(message("RECORD", name, unit(f"{key} {lent} {name} says so")), credential)
            return "code" not in said

        assert matrix(speak) == []
        by_sort = {one.record.actor: one.standing.footing.label for one in memory.insight.browse(limit=100)}
        assert by_sort["scout"] == "agent"


@pytest.fixture
def server(vault: Path, policy: Path) -> Iterator[Served]:
    with Memory.open(vault, policy=policy):
        pass
    with serving(settings_for(vault, policy=str(policy))) as found:
        yield found


def test_over_http(server: Served) -> None:
    keys = {(name, lent): server.key(wish(name, lent)) for name, lent in product(SORTS, ("*", "named"))}

    def speak(key: str, lent: str, name: str) -> bool:
        with server.client(keys[key, lent]) as client:
            sent(client, message("REGISTER", name, registering(name)))
            said = sent(client, message("RECORD", name, unit(f"{key} {lent} {name} says so")))
            taken = client.post("/v1/x/retract", json={"agent_id": name, "memory_unit_id": "rec_1", "reason": "a test"})
            seen = client.get("/v1/agents", params={"agent_id": name})
        unproven = {response.status_code == 401 for response in (said, taken, seen)}
        assert len(unproven) == 1, f"{key} {lent} {name}: the doors disagree"
        return unproven == {False}

    assert matrix(speak) == []


def test_over_mcp(server: Served) -> None:
    for name, lent in product(SORTS, ("*", "named")):
        with talking_to(f"{server.url}/mcp", server.key(wish(name, lent))) as talk:
            spoken = set()
            for agent in (*NAMES, "muniment"):
                talk.call("akashik_register", agent_id=agent, payload=registering(agent))
                said = talk.call("akashik_record", agent_id=agent, payload=unit(f"{name} {lent} {agent} says so"))
                spoken |= set() if said.failed else {agent}
        assert spoken == ALLOWED[SORTS[name], lent]


def test_by_the_claims_of_a_token(vault: Path, policy: Path, tmp_path: Path) -> None:
    (tmp_path / "jwks.json").write_bytes(issuer.jwks())
    said = {"jwt_issuer": issuer.ISSUER, "jwt_audience": issuer.AUDIENCE, "jwt_jwks": str(tmp_path / "jwks.json")}
    plain = {"iss": issuer.ISSUER, "aud": issuer.AUDIENCE, "exp": int(time.time()) + 600, "tenant": "default"}
    plain["scope"] = "muniment:read muniment:write"
    with Memory.open(vault, policy=policy):
        pass
    with serving(settings_for(vault, policy=str(policy), **said)) as server:

        def speak(key: str, lent: str, name: str) -> bool:
            names = [one for one in agents_of(lent) if one != "owner"]  # an issuer names the owner never
            claims = {**plain, "sub": key, "actor_type": SORTS[key], "authority": 8, "agents": names}
            with server.client(issuer.token(claims)) as client:
                sent(client, message("REGISTER", name, registering(name)))
                answer = sent(client, message("RECORD", name, unit(f"{key} {lent} {name} says so")))
            return answer.status_code == 200

        assert matrix(speak) == ["a key of sort person for named speaks as owner: False"]
        for name, sort in (("maria", "agent"), ("maria", "service"), ("deployer", "person"), ("gauge", "agent")):
            with server.client(issuer.token({**plain, "sub": name, "actor_type": sort})) as client:
                assert client.get("/api/caller").status_code == 401, f"{name} as {sort}"


def test_a_key_does_not_become_a_persons_with_its_name(vault: Path, policy: Path) -> None:
    policy.write_text(POLICY.replace("  maria: {type: person", "  other: {type: person"))
    with Memory.open(vault, policy=policy) as memory:
        _, of_an_agent = issue(memory, vault, KeyRequest(name="k", actor="maria"), now=system_now())
        _, of_a_person = issue(memory, vault, KeyRequest(name="k", actor="ben"), now=system_now())
    policy.write_text(POLICY)
    with serving(settings_for(vault, policy=str(policy))) as server:
        for key, lets_in in ((of_an_agent, False), (of_a_person, True)):
            try:
                server.reception.admit(f"Bearer {key}", peer="127.0.0.1")
                admitted = True
            except Unauthenticated:
                admitted = False
            assert admitted is lets_in
