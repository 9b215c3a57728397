"""The world behind a server: a key for each caller, and the hidden side's doings in the shared field."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from tests.surfaces.http.agents import (
    answered,
    contradicting,
    message,
    record,
    register,
    sent,
    subscribe,
    text_at,
    unit,
)
from tests.surfaces.http.conftest import Served, serving, settings_for
from tests.walls.world import ANA, OTHER, TENANT, World, opened

from muniment.contracts.strict.values import JsonObject
from muniment.model.vocabulary import ActorType
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant
from muniment.surfaces.reception.server_context import system_now

LEVEL = 3


class ServedWorld:
    """A world, the server before it, and who shows which key."""

    def __init__(self, world: World, served: Served, shown: dict[str, str]) -> None:
        self.world = world
        self.served = served
        self.keys = shown
        self.clients = {name: served.client(key) for name, key in shown.items()}

    def close(self) -> None:
        for client in self.clients.values():
            client.close()


def _wishes(world: World) -> dict[str, KeyRequest]:
    every = tuple(Grant)
    named = {
        name: KeyRequest(name=f"k-{name}", tenant=TENANT, actor=name, authority=7, grants=every, agents=(name,))
        for name in ("bob", "nat", "guest")
    }
    secret = world.canaries.word("key/name")
    named[ANA] = KeyRequest(name=secret, tenant=TENANT, actor=ANA, authority=9, grants=every, agents=(ANA,))
    named["eve"] = KeyRequest(
        name="e",
        tenant=OTHER,
        actor="eve",
        type=ActorType.PERSON,
        roles=("owner",),
        authority=10,
        grants=every,
        agents=("eve", "bob", "nat"),
    )
    return named


@contextmanager
def served_world(folder: Path) -> Iterator[ServedWorld]:
    with opened(folder) as world:
        wishes = _wishes(world)
        made = keys.create_many(world.vault, list(wishes.values()), now=system_now())
        shown = {name: key for name, (_, key) in zip(wishes, made, strict=True)}
        with serving(settings_for(world.vault, tenant=TENANT, level=LEVEL)) as served:
            found = ServedWorld(world, served, shown)
            try:
                _fill_field(found)
                yield found
            finally:
                found.close()


def _fill_field(found: ServedWorld) -> None:
    """A session of Ana's with a goal, units, a dispute, a task, an offer and a subscription."""
    ana, new, hide = found.clients[ANA], found.world.canaries.word, found.world.canaries.hide
    said: JsonObject = {"id": ANA, "role": new("agent/role"), "interests": [new("agent/interest")]}
    said["authority_level"] = 9
    answered(ana, message("REGISTER", ANA, said))
    for name in ("bob", "nat", "eve"):
        register(found.clients[name], name)
    made = answered(ana, message("SESSION", ANA, {"action": "create", "goal": new("field session/goal")}))
    session = hide("session", "field session", text_at(made, "session", "id"))
    name = record(ana, ANA, f"the pump of {new('unit/content')} leaks at noon", session=session)
    hide("unit", "unit", name)
    rival = contradicting(name, f"the pump of {new('rival/content')} leaks at one")
    against = answered(ana, message("RECORD", ANA, rival, session=session))
    hide("unit", "rival", text_at(against, "memory_unit_id"))
    conflicts = against["conflicts_detected"]
    assert isinstance(conflicts, list)
    hide("dispute", "field dispute", str(conflicts[0]))
    draft = answered(
        ana, message("RECORD", ANA, unit(f"not yet {new('field draft/content')}", mode="draft"), session=session)
    )
    hide("unit", "field draft", text_at(draft, "memory_unit_id"))
    wish: JsonObject = {"title": new("task/title")}
    task = answered(ana, message("COORDINATE", ANA, {"action": "create", "task": wish}, session=session))
    hide("task", "task", text_at(task, "task", "id"))
    listening = subscribe(ana, ANA)
    hide("subscription", "subscription", text_at(listening, "subscription", "id"))


def said_back(answer: httpx.Response) -> str:
    """Everything an answer over HTTP says: its status, its heads and its body."""
    heads = sorted(f"{name}: {value}" for name, value in answer.headers.items() if name not in _OWN_HEADS)
    return "\n".join([str(answer.status_code), *heads, "", answer.text])


_OWN_HEADS = frozenset({"date", "x-request-id", "ratelimit-remaining", "ratelimit-reset", "ratelimit", "traceparent"})

__all__ = ["ServedWorld", "said_back", "sent", "served_world"]
