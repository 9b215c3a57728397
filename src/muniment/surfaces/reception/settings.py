"""What the settings of a server mean together: who may call, and which combinations may not be started."""

from __future__ import annotations

from muniment.config import ServerSettings, is_loopback
from muniment.model.errors import ConfigurationError
from muniment.surfaces.reception.jwks import is_trustworthy

__all__ = ["ASYMMETRIC", "ServerSettings", "check_settings", "open_to_anyone"]

ASYMMETRIC = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")


def check_settings(settings: ServerSettings, *, keys: bool) -> None:
    """Refuse a server whose settings leave a door open, or half of a check undone. `keys`: whether there is a key."""
    if settings.jwt:
        _check_tokens(settings)
    elif settings.jwt_grants or settings.jwt_default_tenant:
        raise ConfigurationError("jwt_issuer", "tokens are spoken of, but nobody is named who signs them")
    if not settings.loopback and not keys and not settings.jwt:
        raise ConfigurationError(
            "host",
            "an address that others can reach needs callers who prove who they are: make a key with "
            "`muniment keys create`, or set jwt_issuer, jwt_audience and jwt_jwks",
        )
    for origin in settings.origins:
        if not origin.startswith(("http://", "https://")) or origin.endswith("/"):
            raise ConfigurationError("origins", "web origins without a path, such as https://console.example")


def _check_tokens(settings: ServerSettings) -> None:
    parts = {
        "jwt_issuer": settings.jwt_issuer,
        "jwt_audience": settings.jwt_audience,
        "jwt_jwks": settings.jwt_jwks,
    }
    for name, value in parts.items():
        if not value:
            raise ConfigurationError(name, "is missing; tokens need an issuer, an audience and the issuer's keys")
    if not settings.jwt_algorithms:
        raise ConfigurationError("jwt_algorithms", "at least one of " + ", ".join(ASYMMETRIC))
    if any(name not in ASYMMETRIC for name in settings.jwt_algorithms):
        raise ConfigurationError("jwt_algorithms", "only of " + ", ".join(ASYMMETRIC))
    if not is_trustworthy(str(settings.jwt_jwks), loopback=is_loopback):
        raise ConfigurationError("jwt_jwks", "an https address or a file: keys that others can change prove nothing")


def open_to_anyone(settings: ServerSettings, *, keys: bool) -> bool:
    """Whether a caller needs no credential: this machine alone can call, and nobody asked for any."""
    return settings.loopback and not keys and not settings.jwt
