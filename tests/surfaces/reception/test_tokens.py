"""Tokens: what is let in is checked whole; whatever is missing, foreign, stale or forged lets nobody in."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from pathlib import Path

import jwt
import msgspec
import pytest
from tests.cases import each
from tests.surfaces.reception import issuer
from tests.surfaces.reception.issuer import Claims, Publisher, publishing

from muniment.config import ServerSettings
from muniment.model.errors import ConfigurationError
from muniment.model.vocabulary import ActorType
from muniment.surfaces.reception.jwks import ASK_AGAIN_S, FRESH_S, Jwks
from muniment.surfaces.reception.principal import Grant
from muniment.surfaces.reception.settings import check_settings
from muniment.surfaces.reception.tokens import BadToken, Tokens


@pytest.fixture
def settings(tmp_path: Path) -> ServerSettings:
    (tmp_path / "jwks.json").write_bytes(issuer.jwks())
    return ServerSettings(jwt_issuer=issuer.ISSUER, jwt_audience=issuer.AUDIENCE, jwt_jwks=str(tmp_path / "jwks.json"))


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    with publishing() as found:
        yield found


def claims(**said: object) -> Claims:
    """Good claims, with what is said changed; None takes one away."""
    now = int(time.time())
    good: Claims = {
        "iss": issuer.ISSUER,
        "aud": issuer.AUDIENCE,
        "sub": "planner",
        "exp": now + 600,
        "iat": now,
        "tenant": "acme",
        "scope": "openid muniment:read",
    }
    return {name: value for name, value in {**good, **said}.items() if value is not None}


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
def test_a_good_token_names_its_actor_tenant_and_grants(settings: ServerSettings, algorithm: str) -> None:
    found = Tokens(settings).read(issuer.token(claims(jti="t-1"), algorithm=algorithm))
    assert (found.actor, found.tenant, found.grants, found.id) == ("planner", "acme", (Grant.READ,), "t-1")
    assert (found.roles, found.authority, found.agents) == (None, None, ())


def test_every_claim_of_the_table_reaches_the_actor(settings: ServerSettings) -> None:
    said = claims(
        **{
            "x/tenant": "acme",
            "x/roles": ["curator"],
            "x/teams": "red blue",
            "x/projects": [],
            "x/authority": 7,
            "x/actor_type": "service",
            "x/agents": ["scout", "*"],
        },
        roles=["owner"],
        scope="muniment:write muniment:audit other:admin admin",
        email="pl@example.org",
        sub="somebody",
        name="planner-7",
    )
    prefixed = msgspec.structs.replace(settings, jwt_claim_prefix="x/", jwt_actor_claim="name")
    found = Tokens(prefixed).read(issuer.token(said))
    assert (found.actor, found.roles, found.teams, found.projects) == ("planner-7", ("curator",), ("red", "blue"), ())
    assert (found.authority, found.type, found.agents) == (7, ActorType.SERVICE, ("scout", "*"))
    assert found.grants == (Grant.WRITE, Grant.AUDIT)


@each(
    "said",
    [
        {"iss": "https://other.example"},
        {"iss": None},
        {"aud": "other"},
        {"aud": None},
        {"aud": []},
        {"exp": None},
        {"exp": 1},
        {"exp": "tomorrow"},
        {"nbf": 32_503_680_000},
        {"iat": 32_503_680_000},
        {"sub": None},
        {"sub": ""},
        {"sub": "has space"},
        {"sub": "owner"},
        {"sub": "muniment"},
        {"sub": "a" * 129},
        {"tenant": None},
        {"tenant": 7},
        {"tenant": "../up"},
        {"roles": {"a": 1}},
        {"roles": [1]},
        {"authority": 11},
        {"authority": -1},
        {"authority": "10"},
        {"authority": True},
        {"actor_type": "root"},
        {"agents": "a\x00b"},
    ],
    ids=lambda said: "-".join(f"{name}={str(value)[:12]}" for name, value in said.items()),
)
def test_a_claim_that_is_wrong_or_missing_lets_nobody_in(settings: ServerSettings, said: Claims) -> None:
    with pytest.raises(BadToken):
        Tokens(settings).read(issuer.token(claims(**said)))


def _unsigned() -> str:
    return jwt.encode(claims(), "", algorithm="none", headers={"kid": "EdDSA"})


def _signed_with_the_public_key() -> str:
    """The old trick: the public key as the secret of a symmetric signature."""
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT","kid":"RS256"}').rstrip(b"=")
    body = base64.urlsafe_b64encode(msgspec.json.encode(claims())).rstrip(b"=")
    return f"{head.decode()}.{body.decode()}.AAAA"


def _changed() -> str:
    head, _, signature = issuer.token(claims()).split(".")
    body = base64.urlsafe_b64encode(msgspec.json.encode(claims(authority=10))).rstrip(b"=").decode()
    return f"{head}.{body}.{signature}"


@each(
    "forged",
    [
        _unsigned,
        _signed_with_the_public_key,
        _changed,
        lambda: issuer.token(claims(), kid="RS256"),
        lambda: issuer.token(claims(), kid="nobody"),
        lambda: issuer.token(claims(), headers={"crit": ["b64"], "b64": False}),
        lambda: issuer.token(claims(), headers={"typ": "logout+jwt"}),
        lambda: "",
        lambda: "a.b.c",
        lambda: "é.é.é",
        lambda: "." * 20_000,
        lambda: issuer.token(claims())[:-4],
    ],
)
def test_what_the_issuer_did_not_sign_lets_nobody_in(settings: ServerSettings, forged: object) -> None:
    assert callable(forged)
    with pytest.raises(BadToken):
        Tokens(settings).read(forged())


def test_an_algorithm_that_is_not_allowed_lets_nobody_in(settings: ServerSettings) -> None:
    only = msgspec.structs.replace(settings, jwt_algorithms=("RS256",))
    assert Tokens(only).read(issuer.token(claims(), algorithm="RS256")).actor == "planner"
    with pytest.raises(BadToken):
        Tokens(only).read(issuer.token(claims(), algorithm="ES256"))


def test_a_token_past_its_time_is_good_for_no_longer_than_the_leeway(settings: ServerSettings) -> None:
    late = claims(exp=int(time.time()) - 20)
    assert Tokens(settings).read(issuer.token(late)).actor == "planner"
    strict = msgspec.structs.replace(settings, jwt_leeway_seconds=0.0)
    with pytest.raises(BadToken):
        Tokens(strict).read(issuer.token(late))


def test_a_token_without_a_scope_is_good_for_nothing_unless_the_settings_say_so(settings: ServerSettings) -> None:
    assert Tokens(settings).read(issuer.token(claims(scope=None))).grants == ()
    kind = msgspec.structs.replace(settings, jwt_grants=("read", "write"))
    assert Tokens(kind).read(issuer.token(claims(scope=None))).grants == (Grant.READ, Grant.WRITE)
    assert Tokens(kind).read(issuer.token(claims(scope="openid"))).grants == ()


def test_a_token_without_a_tenant_is_for_the_servers_own_only_if_the_settings_say_so(settings: ServerSettings) -> None:
    open_handed = msgspec.structs.replace(settings, jwt_default_tenant=True, tenant="home")
    assert Tokens(open_handed).read(issuer.token(claims(tenant=None))).tenant == "home"
    assert Tokens(open_handed).read(issuer.token(claims())).tenant == "acme"


def test_a_private_or_symmetric_key_in_the_set_is_not_used(tmp_path: Path) -> None:
    leaked = {**issuer.public("RS256")[0], "d": "AQAB"}
    symmetric = {"kty": "oct", "k": "c2VjcmV0", "kid": "s"}
    (tmp_path / "set.json").write_bytes(msgspec.json.encode({"keys": [leaked, symmetric]}))
    with pytest.raises(ConfigurationError) as refused:
        Jwks(str(tmp_path / "set.json"))
    assert refused.value.setting == "jwt_jwks"


def test_a_key_of_a_new_id_is_asked_for_at_most_once_a_minute(publisher: Publisher) -> None:
    at = 0.0
    publisher.body = issuer.jwks("RS256")
    keys = Jwks(publisher.url, clock=lambda: at)
    assert keys.find("EdDSA", "EdDSA") is None
    publisher.body = issuer.jwks("RS256", "EdDSA")
    assert publisher.asked == 1
    at = ASK_AGAIN_S + 1
    assert keys.find("EdDSA", "EdDSA") is not None
    for _ in range(5):
        assert keys.find("made-up", "EdDSA") is None
    assert publisher.asked == 2


def test_when_the_issuer_cannot_be_asked_known_keys_stay_and_unknown_ones_stay_unknown(publisher: Publisher) -> None:
    at = 0.0
    keys = Jwks(publisher.url, clock=lambda: at)
    publisher.status = 500
    at = FRESH_S + 1
    assert keys.find("RS256", "RS256") is not None
    assert keys.find("made-up", "RS256") is None
    assert publisher.asked == 2


def test_a_key_the_issuer_has_withdrawn_is_forgotten_within_the_hour(publisher: Publisher) -> None:
    at = 0.0
    keys = Jwks(publisher.url, clock=lambda: at)
    publisher.body = issuer.jwks("RS256")
    assert keys.find("EdDSA", "EdDSA") is not None
    at = FRESH_S + 1
    assert keys.find("EdDSA", "EdDSA") is None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("body", [b"", b"[]", b'{"keys":[]}', b'{"keys":[{"kty":"RSA"}]}', b"\xff", b"x" * 300_000])
def test_keys_that_cannot_be_had_at_the_start_refuse_the_start(publisher: Publisher, body: bytes) -> None:
    publisher.body = body
    with pytest.raises(ConfigurationError) as refused:
        Jwks(publisher.url)
    assert refused.value.setting == "jwt_jwks"


def test_keys_are_not_fetched_from_where_the_issuers_address_points(publisher: Publisher) -> None:
    publisher.status, publisher.location = 302, publisher.url
    with pytest.raises(ConfigurationError):
        Jwks(publisher.url)
    assert publisher.asked == 1


@pytest.mark.parametrize(
    ("said", "setting"),
    [
        ({"jwt_audience": None}, "jwt_audience"),
        ({"jwt_issuer": None}, "jwt_issuer"),
        ({"jwt_jwks": None}, "jwt_jwks"),
        ({"jwt_jwks": "http://issuer.example/keys"}, "jwt_jwks"),
        ({"jwt_jwks": "ftp://issuer.example/keys"}, "jwt_jwks"),
        ({"jwt_algorithms": ("HS256",)}, "jwt_algorithms"),
        ({"jwt_algorithms": ("none",)}, "jwt_algorithms"),
        ({"jwt_algorithms": ()}, "jwt_algorithms"),
    ],
)
def test_half_a_setting_for_tokens_refuses_the_start(
    settings: ServerSettings, said: dict[str, object], setting: str
) -> None:
    check_settings(settings, keys=False)
    with pytest.raises(ConfigurationError) as refused:
        check_settings(msgspec.structs.replace(settings, **said), keys=True)
    assert refused.value.setting == setting


def test_a_grant_nobody_knows_refuses_the_start(settings: ServerSettings) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Tokens(msgspec.structs.replace(settings, jwt_grants=("everything",)))
    assert refused.value.setting == "jwt_grants"
