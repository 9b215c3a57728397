"""The settings of the server, declared once: each field says its type, its bounds, its default and what it is for."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from muniment.config.shared import AUTO, PREFIX, SETTINGS, ConfigSetting, pictured
from muniment.model.value import Value

Whole = Annotated[int, Meta(ge=0, le=2**53)]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Names = tuple[str, ...]
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


def _said(meaning: str, flag: str = "") -> Meta:
    return Meta(description=meaning, extra={"flag": flag})


class ServerSettings(Value):
    """What a server goes by. The first are shared with every other command."""

    vault: str = "./muniment-data"
    tenant: str = "default"
    policy: str | None = None
    embedder: str = AUTO
    witness: str | None = None
    encryption_key_file: str | None = None
    content_keys: str | None = None

    host: Annotated[str, _said("the address to listen on; others than this machine need keys or JWT", "--host")] = (
        "127.0.0.1"
    )
    port: Annotated[
        Annotated[int, Meta(ge=0, le=65_535)], _said("the port to listen on; 0 lets the system choose", "--port")
    ] = 8765
    level: Annotated[
        Annotated[int, Meta(ge=0, le=3)], _said("the highest Akashik level that is offered, 0 to 3", "--level")
    ] = 3
    workers: Annotated[
        Annotated[int, Meta(ge=1, le=64)], _said("processes that answer at the address", "--workers")
    ] = 1
    hosts: Annotated[Names, _said("names the server is called by, beside its address; others are turned away")] = ()
    origins: Annotated[Names, _said("web origins that may call from a browser, such as https://console.example")] = ()

    jwt_issuer: Annotated[str | None, _said("who signs tokens (`iss`); turns tokens on")] = None
    jwt_audience: Annotated[str | None, _said("for whom tokens must be made out (`aud`)")] = None
    jwt_jwks: Annotated[str | None, _said("the issuer's public keys: an https address or a file")] = None
    jwt_algorithms: Annotated[Names, _said("signatures that count; symmetric ones and none are refused")] = (
        "RS256",
        "ES256",
        "EdDSA",
    )
    jwt_leeway_seconds: Annotated[
        Annotated[float, Meta(ge=0, le=300)], _said("how far the issuer's clock may be off")
    ] = 30.0
    jwt_actor_claim: Annotated[str, _said("which claim names the actor")] = "sub"
    jwt_claim_prefix: Annotated[str, _said("what stands before our claim names in a token")] = ""
    jwt_default_tenant: Annotated[bool, _said("whether a token without a tenant is for the server's own")] = False
    jwt_grants: Annotated[Names, _said("what a token without a `scope` may be used for; nothing unless said here")] = ()

    rate_per_second: Annotated[
        Annotated[float, Meta(ge=0, le=1e6)], _said("requests a second that one actor may make; 0 for any number")
    ] = 2000.0
    rate_burst: Annotated[Count, _said("how many requests an actor may make at once after a rest")] = 4000
    failures_per_minute: Annotated[
        Count, _said("failed attempts to authenticate that one address may make in a minute")
    ] = 60
    concurrent_per_actor: Annotated[Count, _said("requests of one actor that are under way at once")] = 256
    waiting_max: Annotated[Count, _said("calls that may wait for a thread before callers are sent away")] = 1024
    threads: Annotated[Annotated[int, Meta(ge=1, le=256)], _said("threads that work on calls")] = 16
    body_bytes_max: Annotated[Whole, _said("the largest body of a command, in bytes")] = 1_048_576
    import_bytes_max: Annotated[Whole, _said("the largest body of an import, in bytes")] = 67_108_864
    body_seconds: Annotated[Seconds, _said("how long a body may take to arrive")] = 20.0
    header_bytes_max: Annotated[Count, _said("the largest head of a request, in bytes")] = 32_768
    url_bytes_max: Annotated[Count, _said("the longest address of a request, in bytes")] = 8_192
    header_seconds: Annotated[Seconds, _said("how long the head of a request may take to arrive")] = 10.0
    idle_seconds: Annotated[Seconds, _said("how long a connection may stay open with nothing to do")] = 30.0
    connections_max: Annotated[Count, _said("connections that are open at once")] = 1000
    shutdown_seconds: Annotated[Seconds, _said("how long running requests may take to finish at the end")] = 20.0
    drain_seconds: Annotated[
        Annotated[float, Meta(ge=0, le=300)], _said("how long /readyz says no before connections are refused")
    ] = 0.0

    heartbeat_seconds: Annotated[Seconds, _said("how often a push stream shows that it lives")] = 15.0
    stall_seconds: Annotated[
        Seconds,
        _said("how long a push stream may go unread before it is closed; other answers, about twice as long"),
    ] = 30.0
    recheck_seconds: Annotated[Seconds, _said("how often a push stream asks whether its credential still holds")] = 3.0
    ticket_seconds: Annotated[Seconds, _said("how long a ticket for a push stream is good")] = 30.0
    watch_ms: Annotated[Count, _said("how often a tenant with open streams is asked for news, in milliseconds")] = 75
    streams_per_actor: Annotated[Count, _said("push streams of one actor that are open at once")] = 32

    detection_timeout_ms: Annotated[
        Whole | None, _said("how long a search for contradictions may hold up a write; then it is deferred")
    ] = None
    replay_limit: Annotated[Count, _said("how many events one REPLAY may ask for")] = 10_000
    capacity: Annotated[Whole | None, _said("the largest size of a tenant's store, in bytes")] = None
    cross_session: Annotated[bool, _said("whether agents see the memory units of sessions they are not in")] = False
    commons_in_sessions: Annotated[bool, _said("whether agents in a session see what belongs to no session")] = False
    type_rules: Annotated[Names, _said("least authority for a type in the field (/v1), such as human_directive=6")] = ()

    log_format: Annotated[Literal["text", "json"], _said("how log lines are written", "--log-format")] = "text"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], _said("the least that is logged", "--log-level")
    ] = "info"
    traces: Annotated[
        Literal["off", "otlp", "console", "provided"], _said("where OpenTelemetry traces and metrics go")
    ] = "off"
    trace_content: Annotated[bool, _said("whether traces carry content; leave it off")] = False
    trace_names: Annotated[Literal["muniment", "memledger"], _said("whether spans carry memledger's names too")] = (
        "muniment"
    )
    metrics_open: Annotated[
        Literal["loopback", "audit", "off"], _said("who may read /metrics: this machine, the grant audit, nobody")
    ] = "loopback"

    @property
    def folder(self) -> Path:
        return Path(self.vault)

    def __repr__(self) -> str:
        return pictured(self)

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def jwt(self) -> bool:
        """Whether anything is said about tokens, completely or not."""
        return any(part is not None for part in (self.jwt_issuer, self.jwt_audience, self.jwt_jwks))


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host in LOOPBACK_NAMES:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _declared() -> tuple[ConfigSetting, ...]:
    """The table of the fields above that are the server's own."""
    shared = {setting.field for setting in SETTINGS}
    found = []
    for field in msgspec.structs.fields(ServerSettings):
        if field.name in shared:
            continue
        meta = [one for one in getattr(field.type, "__metadata__", ()) if one.description is not None]
        assert len(meta) == 1, f"{field.name} says once what it is for"
        found.append(
            ConfigSetting(
                name=PREFIX + field.name.upper(),
                flag=str((meta[0].extra or {}).get("flag", "")),
                default=_spelled(field.default),
                meaning=str(meta[0].description),
            )
        )
    return tuple(found)


def _spelled(default: object) -> str:
    """A default as it would be written.

    >>> _spelled(True), _spelled(("a", "b")), _spelled(None), _spelled(20.0)
    ('true', 'a, b', '', '20')
    """
    if default is None:
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple):
        return ", ".join(str(one) for one in default)
    return f"{default:g}" if isinstance(default, float) else str(default)


FILE = ConfigSetting(
    name="MUNIMENT_CONFIG",
    flag="--config",
    default="",
    meaning="a TOML file of settings, named in it without `MUNIMENT_` and in lower case",
)
SERVING = (*_declared(), FILE)
