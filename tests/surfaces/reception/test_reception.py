"""The reception: who is let in as whom, what is open to nobody, and that closing loses nothing."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.patience import WAIT_S
from tests.surfaces.reception import issuer
from tests.surfaces.reception.test_denials import eventually
from tests.surfaces.reception.test_tokens import claims

from muniment import Memory
from muniment.config import ServerSettings
from muniment.model.errors import ConfigurationError, StoreUnavailable, TooManyRequests, Unauthenticated
from muniment.model.times import Instant
from muniment.model.vocabulary import ActorType
from muniment.surfaces.http.akashik_doors import credential_of
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.denials import denied_calls
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant, Principal
from muniment.surfaces.reception.server_context import ServerContext, ServerState, system_now

HERE = "127.0.0.1"


@pytest.fixture
def settings(vault: Path) -> ServerSettings:
    return ServerSettings(vault=str(vault), embedder="none", log_level="error")


@pytest.fixture
def reception(settings: ServerSettings) -> Iterator[ServerContext]:
    opened = ServerContext(settings)
    yield opened
    opened.close()


def bearer(token: str) -> str:
    return f"Bearer {token}"


def made(vault: Path, wish: KeyRequest) -> tuple[str, str]:
    key, token = keys.create(vault, wish, now=system_now())
    return key.id, token


def test_without_keys_whoever_is_on_this_machine_is_the_owner(reception: ServerContext) -> None:
    visitor = reception.admit(None, peer=HERE)
    assert (visitor.actor.id, visitor.tenant, visitor.anonymous) == ("owner", "default", True)
    assert visitor.grants == tuple(Grant)
    assert credential_of(visitor).speaks_for("anybody")


def test_the_first_key_ends_anonymous_calls_at_once_and_revoking_it_does_not_bring_them_back(
    reception: ServerContext, vault: Path
) -> None:
    owner = reception.admit(None, peer=HERE)
    key_id, _ = made(vault, KeyRequest(name="k", actor="planner"))
    with pytest.raises(Unauthenticated):
        reception.admit(None, peer=HERE)
    with pytest.raises(Unauthenticated):
        reception.recheck(owner)
    keys.revoke(vault, key_id, now=system_now())
    with pytest.raises(Unauthenticated):
        reception.admit(None, peer=HERE)


def test_a_key_gives_what_it_says_and_for_the_rest_what_the_policy_says(reception: ServerContext, vault: Path) -> None:
    wish = KeyRequest(
        name="k",
        actor="planner",
        type=ActorType.SERVICE,
        roles=("curator",),
        authority=7,
        grants=(Grant.READ,),
        agents=("scout",),
    )
    key_id, token = made(vault, wish)
    visitor = reception.admit(bearer(token), peer=HERE)
    plain = reception.owner("default").as_actor("planner").actor
    assert (visitor.actor.roles, visitor.actor.authority, visitor.actor.type) == (("curator",), 7, "service")
    assert visitor.actor.projects == plain.projects
    assert (visitor.credential, visitor.grants) == (f"key:{key_id}", (Grant.READ,))
    speaks_for = credential_of(visitor).speaks_for
    assert [speaks_for(agent) for agent in ("scout", "planner", "other")] == [True, True, False]


def test_a_key_that_says_nothing_of_its_actor_gives_exactly_what_the_policy_gives(
    reception: ServerContext, vault: Path
) -> None:
    _, token = made(vault, KeyRequest(name="k", actor="planner"))
    assert reception.admit(bearer(token), peer=HERE).actor == reception.owner("default").as_actor("planner").actor


@pytest.mark.parametrize("shown", ["{}", "Basic {}", "Bearer{}", "Bearer x {}", "Token {}", "Bearer", "Bearer {} {}"])
def test_a_credential_of_another_kind_is_none(reception: ServerContext, vault: Path, shown: str) -> None:
    _, token = made(vault, KeyRequest(name="k", actor="planner"))
    assert reception.admit(f"bearer {token}", peer=HERE).actor.id == "planner"
    with pytest.raises(Unauthenticated):
        reception.admit(shown.format(token, token), peer=HERE)


def test_a_refusal_tells_revoked_expired_and_unknown_keys_apart_for_nobody(
    reception: ServerContext, vault: Path
) -> None:
    revoked, first = made(vault, KeyRequest(name="k", actor="planner"))
    keys.revoke(vault, revoked, now=system_now())
    _, second = made(vault, KeyRequest(name="k", actor="planner", expires_at=Instant(1)))
    _, third = made(vault, KeyRequest(name="k", actor="planner", tenant="nowhere"))
    said = set()
    for token in (first, second, third, "mnk_" + "a" * 12 + "_" + "b" * 43, "garbage", ""):
        with pytest.raises(Unauthenticated) as refused:
            reception.admit(bearer(token), peer=HERE)
        said.add((str(refused.value), refused.value.hint))
    assert len(said) == 1


def test_a_key_of_another_tenant_sees_that_tenant_alone(reception: ServerContext, vault: Path) -> None:
    with Memory.open(vault, tenant="acme") as acme:
        acme.remember("The acme plan is green", kind="observation")
    _, token = made(vault, KeyRequest.everything("ana", tenant="acme"))
    visitor = reception.admit(bearer(token), peer=HERE)
    assert (visitor.tenant, reception.memory(visitor).tenant) == ("acme", "acme")
    assert [found.record.content for found in reception.memory(visitor).recall("acme plan").records] != []
    assert reception.owner("default").recall("acme plan").records == ()


def test_a_tenant_nobody_made_is_not_made_by_a_credential(reception: ServerContext, vault: Path) -> None:
    _, token = made(vault, KeyRequest.everything("ana", tenant="acme"))
    with pytest.raises(Unauthenticated):
        reception.admit(bearer(token), peer=HERE)
    assert not (vault / "acme.sqlite").exists()


def test_a_visitor_is_asked_again_and_found_revoked(reception: ServerContext, vault: Path) -> None:
    key_id, token = made(vault, KeyRequest(name="k", actor="planner"))
    visitor = reception.admit(bearer(token), peer=HERE)
    assert reception.recheck(visitor) == visitor
    keys.revoke(vault, key_id, now=system_now())
    with pytest.raises(Unauthenticated):
        reception.recheck(visitor)


def test_a_visitor_with_a_token_is_found_past_its_time(settings: ServerSettings, tmp_path: Path) -> None:
    (tmp_path / "jwks.json").write_bytes(issuer.jwks())
    tokens = msgspec.structs.replace(
        settings,
        jwt_issuer=issuer.ISSUER,
        jwt_audience=issuer.AUDIENCE,
        jwt_jwks=str(tmp_path / "jwks.json"),
        jwt_leeway_seconds=0.0,
        jwt_default_tenant=True,
    )
    late = 0

    def now() -> Instant:
        return Instant(system_now() + late)

    reception = ServerContext(tokens, now=now)
    try:
        visitor = reception.admit(bearer(issuer.token(claims(tenant=None))), peer=HERE)
        assert (visitor.credential, visitor.tenant) == ("token:planner", "default")
        assert reception.recheck(visitor) == visitor
        late = 601_000_000
        with pytest.raises(Unauthenticated):
            reception.recheck(visitor)
        with pytest.raises(Unauthenticated):
            reception.admit(None, peer=HERE)
    finally:
        reception.close()


def test_a_token_for_a_tenant_that_is_not_there_lets_nobody_in(settings: ServerSettings, tmp_path: Path) -> None:
    (tmp_path / "jwks.json").write_bytes(issuer.jwks())
    reception = ServerContext(
        msgspec.structs.replace(
            settings, jwt_issuer=issuer.ISSUER, jwt_audience=issuer.AUDIENCE, jwt_jwks=str(tmp_path / "jwks.json")
        )
    )
    try:
        with pytest.raises(Unauthenticated):
            reception.admit(bearer(issuer.token(claims(tenant="nowhere"))), peer=HERE)
    finally:
        reception.close()


def test_an_address_that_fails_too_often_is_told_to_wait_and_good_keys_from_there_still_pass(
    settings: ServerSettings, vault: Path
) -> None:
    reception = ServerContext(msgspec.structs.replace(settings, failures_per_minute=2))
    try:
        _, token = made(vault, KeyRequest(name="k", actor="planner"))
        for _ in range(2):
            with pytest.raises(Unauthenticated):
                reception.admit(None, peer="192.0.2.9")
        with pytest.raises(TooManyRequests):
            reception.admit(None, peer="192.0.2.9")
        with pytest.raises(Unauthenticated):
            reception.admit(None, peer="192.0.2.8")
        assert reception.admit(bearer(token), peer="192.0.2.9").actor.id == "planner"
    finally:
        reception.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_an_address_others_can_reach_is_not_served_without_keys_or_tokens(
    settings: ServerSettings, vault: Path, host: str
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        ServerContext(msgspec.structs.replace(settings, host=host))
    assert refused.value.setting == "host"
    assert not vault.exists()


def test_an_address_others_can_reach_is_served_with_a_key_and_never_anonymously(
    settings: ServerSettings, vault: Path
) -> None:
    with Memory.open(vault):
        _, token = made(vault, KeyRequest(name="k", actor="planner"))
    reception = ServerContext(msgspec.structs.replace(settings, host="0.0.0.0"))
    try:
        assert reception.admit(bearer(token), peer=HERE).actor.id == "planner"
        with pytest.raises(Unauthenticated):
            reception.admit(None, peer=HERE)
    finally:
        reception.close()


def test_a_call_runs_in_a_thread_with_the_callers_context(reception: ServerContext) -> None:
    mark: contextvars.ContextVar[str] = contextvars.ContextVar("mark")

    async def ask() -> tuple[str, str]:
        mark.set("mine")
        return await reception.run(lambda: (mark.get(), threading.current_thread().name))

    found, thread = asyncio.run(ask())
    assert found == "mine"
    assert thread.startswith("muniment-call")


def test_when_too_many_calls_wait_the_next_is_sent_away_and_those_that_wait_are_finished(
    settings: ServerSettings,
) -> None:
    reception = ServerContext(msgspec.structs.replace(settings, threads=1, waiting_max=2))
    gate = threading.Event()

    async def crowd() -> list[bool]:
        calls = [asyncio.ensure_future(reception.run(gate.wait, WAIT_S)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyRequests):
            await reception.run(gate.wait, WAIT_S)
        gate.set()
        return list(await asyncio.gather(*calls))

    try:
        assert asyncio.run(crowd()) == [True, True]
    finally:
        reception.close()


def test_closing_finishes_what_runs_then_refuses_and_writes_down_what_was_denied(
    settings: ServerSettings, vault: Path
) -> None:
    reception = ServerContext(settings)
    visitor = reception.admit(None, peer=HERE)
    told: list[str] = []
    reception.when_closing(lambda: told.append("closing"))
    begun = threading.Event()

    def slow() -> str:
        begun.set()
        while reception.state is not ServerState.CLOSED:
            threading.Event().wait(0.005)
        return reception.memory(visitor).remember("The last word", kind="observation").outcome

    async def scene() -> str:
        call = asyncio.ensure_future(reception.run(slow))
        await asyncio.to_thread(begun.wait, WAIT_S)
        for code in ("not_permitted", "too_many_requests", "unauthenticated"):
            reception.denied(visitor, what="GET /api", code=code, peer=HERE)
            await asyncio.to_thread(eventually, lambda: len(denied_calls(reception.owner("default"))) > 0)
        await asyncio.to_thread(reception.close)
        with pytest.raises(StoreUnavailable):
            reception.memory(visitor)
        with pytest.raises(StoreUnavailable):
            await reception.run(slow)
        return await call

    assert asyncio.run(scene()) == "committed"
    assert told == ["closing"]
    with Memory.open(vault) as memory:
        assert [record.record.content for record in memory.recall("last word").records] == ["The last word"]
        assert [(one.who, one.code) for one in denied_calls(memory)] == [
            ("owner", "not_permitted"),
            ("owner", "too_many_requests"),
            ("owner", "unauthenticated"),
        ]
        assert memory.ledger.verify().ok


def test_whoever_asks_late_to_be_told_of_the_closing_is_told_at_once(reception: ServerContext) -> None:
    told: list[int] = []
    reception.begin_closing()
    reception.begin_closing()
    reception.when_closing(lambda: told.append(1))
    assert (told, reception.state) == ([1], ServerState.CLOSING)


def test_a_visitor_sees_only_its_own_rights(reception: ServerContext, vault: Path) -> None:
    _, token = made(vault, KeyRequest(name="k", actor="planner", authority=0))
    visitor: Principal = reception.admit(bearer(token), peer=HERE)
    assert reception.memory(visitor).actor == visitor.actor
