"""The address of a database: what libpq reads of it, what is ours, and what of it may be shown. Needs no driver."""

from __future__ import annotations

import re
from urllib.parse import unquote

from muniment.model.errors import Malformed
from muniment.model.value import Value

SCHEMA = "muniment"
"""The schema of a database in which a vault is if its address names no other."""
SCHEMES = ("postgresql://", "postgres://")
PATIENCE_S = 10.0
CONNECT_S = 5
"""So long a single server may take to answer a new connection, unless the address says otherwise."""
_PATIENCE_MOST_S = 3_600
_SILENCE = {
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
}
"""A machine that died without a word is noticed within half a minute, unless the address says otherwise."""
SCRUB_MB = 32
"""Tables of up to so many megabytes are written anew at once when something was erased; others wait meanwhile."""
_SCRUB_MOST_MB = 99_999_999
_OURS = ("schema", "patience", "allow_async_commit", "scrub_mb")
_TOLD = ("host", "port", "dbname", "schema", "target_session_attrs")
"""The parameters that may be shown; the others may hold a secret, or lead to one."""
_HOST = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^\[\]:]*)(?::(\d{1,5}))?")
_NAME = re.compile(r"(?!pg_)[a-z_][a-z0-9_]{0,39}")
_WORD = re.compile(r"[a-z_]{1,64}")
_WHAT = "the address of a database, such as postgresql://user@host/name"
_ENCODED = f"{_WHAT}; in names and passwords @ : / ? # % are written as %40 %3A %2F %3F %23 %25"
Parameters = tuple[tuple[str, str], ...]


class DatabaseAddress(Value):
    """An address that was read. No picture of it shows a password.

    `schema` is where in the database the vault is, `patience_s` how long a write waits for a server that has gone away,
    `scrub_mb` how large tables may be for an erasure to wait until they are written anew,
    and `allow_async_commit` whether the last moments may be lost when the server crashes.

    >>> address = DatabaseAddress.parse("postgres://ana:hunter2@db1:5432,db2/prod?sslpassword=x&schema=memory&patience=30")
    >>> str(address), address.schema, address.patience_s
    ('postgresql://ana@db1:5432,db2/prod?schema=memory', 'memory', 30.0)
    >>> address.conninfo.partition("?")[2].split("&")[:3]
    ['sslpassword=x', 'connect_timeout=5', 'application_name=muniment']
    """

    conninfo: str
    shown: str
    schema: str = SCHEMA
    patience_s: float = PATIENCE_S
    scrub_mb: int = SCRUB_MB
    allow_async_commit: bool = False

    @classmethod
    def parse(cls, dsn: str) -> DatabaseAddress:
        """Read an address; `Malformed` says what is wrong with it and quotes nothing of it."""
        scheme = next((one for one in SCHEMES if dsn.startswith(one)), None)
        if scheme is None or not dsn.isprintable() or " " in dsn:
            raise Malformed("vault", _WHAT)
        body, _, query = dsn.removeprefix(scheme).partition("?")
        authority, _, name = body.partition("/")
        credentials, _, hosts = authority.rpartition("@")
        if "@" in credentials or "@" in name or "/" in name or "#" in dsn:
            raise Malformed("vault", _ENCODED)
        for text in (credentials, hosts, name):
            _decoded(text)
        _check_hosts(hosts)
        parameters = _parameters(query)
        ours = _ours(parameters)
        return cls(
            conninfo=f"{SCHEMES[0]}{body if '/' in body else body + '/'}?{_libpqs(parameters)}",
            shown=_shown(credentials.partition(":")[0], hosts, name, parameters),
            schema=_schema(ours.get("schema", SCHEMA)),
            patience_s=_patience(ours.get("patience")),
            scrub_mb=_scrub_mb(ours.get("scrub_mb", str(SCRUB_MB))),
            allow_async_commit=_switch(ours.get("allow_async_commit", "false")),
        )

    def __str__(self) -> str:
        return self.shown

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


def _shown(user: str, hosts: str, name: str, parameters: Parameters) -> str:
    told = "&".join(f"{key}={value}" for key, value in parameters if key in _TOLD)
    return f"{SCHEMES[0]}{user + '@' if user else ''}{hosts}/{name}{'?' + told if told else ''}"


def _check_hosts(hosts: str) -> None:
    for one in hosts.split(","):
        found = _HOST.fullmatch(one)
        if found is None or int(found[2] or 0) > 65_535:
            raise Malformed("vault", f"{_WHAT}; hosts as name, name:port or [address]:port, with commas between them")


def _parameters(query: str) -> Parameters:
    found: dict[str, str] = {}
    for one in query.split("&") if query else ():
        key, equals, value = one.partition("=")
        if not equals or _WORD.fullmatch(key) is None or key in found:
            raise Malformed("vault", f"{_WHAT}; after ? parameters as name=value, each once, with & between them")
        _decoded(value)
        found[key] = value
    return tuple(found.items())


def _libpqs(parameters: Parameters) -> str:
    """What libpq is told: everything that is not ours, and what we would have if nothing else is said."""
    said = {key: value for key, value in parameters if key not in _OURS}
    otherwise = {"connect_timeout": str(CONNECT_S), "application_name": "muniment", **_SILENCE}
    added = {key: value for key, value in otherwise.items() if key not in said}
    return "&".join(f"{key}={value}" for key, value in {**said, **added}.items())


def _ours(parameters: Parameters) -> dict[str, str]:
    return {key: _decoded(value) for key, value in parameters if key in _OURS}


def _schema(name: str) -> str:
    if _NAME.fullmatch(name) is None:
        raise Malformed(
            "vault", f"{_WHAT}; its schema is 1 to 40 small letters, digits and _, not a digit or pg_ first"
        )
    return name


def _patience(text: str | None) -> float:
    if text is None:
        return PATIENCE_S
    if re.fullmatch(r"\d{1,4}", text) is None or int(text) > _PATIENCE_MOST_S:
        raise Malformed("vault", f"{_WHAT}; its patience is a whole number of seconds up to {_PATIENCE_MOST_S}")
    return float(text)


def _scrub_mb(text: str) -> int:
    if re.fullmatch(r"\d{1,8}", text, re.ASCII) is None:
        raise Malformed("vault", f"{_WHAT}; its scrub_mb is a whole number of megabytes up to {_SCRUB_MOST_MB}")
    return int(text)


def _switch(text: str) -> bool:
    if text not in ("true", "false"):
        raise Malformed("vault", f"{_WHAT}; its allow_async_commit is true or false")
    return text == "true"


def _decoded(text: str) -> str:
    """A part of an address as it is meant."""
    if re.search(r"%(?![0-9A-Fa-f]{2})|%00", text):
        raise Malformed("vault", _ENCODED)
    return unquote(text)
