"""Tokens of an issuer (JWT, OpenID Connect): checked whole, and mapped to an actor by one table.

| claim | means |
|---|---|
| `sub` (or what `jwt_actor_claim` names) | the actor |
| `tenant` | whose memory |
| `roles`, `teams`, `projects` | where the actor belongs: a list, or words with spaces between |
| `authority` | 0 to 10 |
| `actor_type` | agent, person, service or tool |
| `agents` | names it may speak for beside its own |
| `scope` | what it may be used for: `muniment:read`, `muniment:write`, … |

`jwt_claim_prefix` stands before all but the first and `scope`. What a token does not say is what the policy says.
"""

from __future__ import annotations

import jwt
import msgspec

from muniment.engine.tenant import RESERVED
from muniment.model import checks
from muniment.model.errors import ConfigurationError, MunimentError
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ActorType
from muniment.surfaces.reception.jwks import Jwks
from muniment.surfaces.reception.principal import Grant
from muniment.surfaces.reception.settings import ServerSettings

SCOPE = "muniment:"
TOKEN_BYTES_MAX = 16_384
_TYPES = (None, "jwt", "at+jwt", "application/at+jwt")
Claims = dict[str, object]


class Bearer(Value):
    """What a token says, once it has been found to be good."""

    id: str
    actor: str
    tenant: str
    grants: tuple[Grant, ...]
    expires_at: Instant
    type: ActorType | None = None
    roles: tuple[str, ...] | None = None
    teams: tuple[str, ...] | None = None
    projects: tuple[str, ...] | None = None
    authority: int | None = None
    agents: tuple[str, ...] = ()


class BadToken(Exception):
    """A token that is good for nothing; why is nobody's business."""


class Tokens:
    """Reads tokens of one issuer for one audience."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._jwks = Jwks(str(settings.jwt_jwks))
        try:
            self._grants = tuple(Grant(word) for word in settings.jwt_grants)
        except ValueError:
            raise ConfigurationError("jwt_grants", "of " + ", ".join(Grant)) from None

    def read(self, token: str) -> Bearer:
        """Check a token and read it. Raises `BadToken`, for whatever reason."""
        if len(token) > TOKEN_BYTES_MAX:
            raise BadToken
        try:
            return self._read(self._checked(token))
        except (jwt.PyJWTError, msgspec.ValidationError, MunimentError, ValueError, TypeError, OverflowError):
            raise BadToken from None

    def _checked(self, token: str) -> Claims:
        settings = self._settings
        head = jwt.get_unverified_header(token)
        algorithm, kid, kind = head.get("alg"), head.get("kid"), head.get("typ")
        if algorithm not in settings.jwt_algorithms or "crit" in head:
            raise BadToken
        if (kind.lower() if isinstance(kind, str) else kind) not in _TYPES:
            raise BadToken
        key = self._jwks.find(kid if isinstance(kid, str) else None, algorithm)
        if key is None:
            raise BadToken
        claims: Claims = jwt.decode(
            token,
            key.key,
            algorithms=[algorithm],
            audience=settings.jwt_audience,
            issuer=settings.jwt_issuer,
            leeway=settings.jwt_leeway_seconds,
            options={"require": ["exp", "iss", "aud"], "verify_signature": True},
        )
        return claims

    def _read(self, claims: Claims) -> Bearer:
        settings = self._settings
        actor = _text(claims.get(settings.jwt_actor_claim))
        agents = _words(self._ours(claims, "agents")) or ()
        checks.identifier("actor", actor)
        if not RESERVED.isdisjoint((actor, *agents)):  # names that the vault gives, not an issuer
            raise BadToken
        seconds = claims["exp"]
        if not isinstance(seconds, (int, float)):
            raise BadToken
        return Bearer(
            id=_name(claims.get("jti"), actor),
            actor=actor,
            tenant=self._tenant(self._ours(claims, "tenant")),
            grants=self._granted(claims.get("scope")),
            expires_at=Instant(int((seconds + settings.jwt_leeway_seconds) * 1_000_000)),
            type=_type(self._ours(claims, "actor_type")),
            roles=_words(self._ours(claims, "roles")),
            teams=_words(self._ours(claims, "teams")),
            projects=_words(self._ours(claims, "projects")),
            authority=_authority(self._ours(claims, "authority")),
            agents=agents,
        )

    def _ours(self, claims: Claims, name: str) -> object:
        return claims.get(self._settings.jwt_claim_prefix + name)

    def _tenant(self, said: object) -> str:
        if said is None and self._settings.jwt_default_tenant:
            return self._settings.tenant
        tenant = _text(said)
        checks.identifier("tenant", tenant)
        return tenant

    def _granted(self, scope: object) -> tuple[Grant, ...]:
        if scope is None:
            return self._grants
        words = _words(scope) or ()
        return tuple(grant for grant in Grant if SCOPE + grant in words)


def _text(said: object) -> str:
    if not isinstance(said, str):
        raise BadToken
    return said


def _words(said: object) -> tuple[str, ...] | None:
    if said is None:
        return None
    words = said.split() if isinstance(said, str) else said
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise BadToken
    checks.texts("claims", tuple(words))
    return tuple(words)


def _type(said: object) -> ActorType | None:
    return None if said is None else ActorType(_text(said))


def _authority(said: object) -> int | None:
    if said is None:
        return None
    if not isinstance(said, int):
        raise BadToken
    checks.whole("authority", said, least=0, most=10)
    return said


def _name(jti: object, actor: str) -> str:
    """What a token is called in the audit: its own id if it has one that can be told, else its actor's."""
    try:
        checks.identifier("jti", _text(jti))
    except (MunimentError, BadToken):
        return actor
    return str(jti)
