"""API keys: made once, shown once, kept as salted digests in a file of the vault, or in its database."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec

from muniment.engine.place import Folder, Said, place_of
from muniment.engine.tenant import SYSTEM
from muniment.model import checks
from muniment.model.errors import Malformed, MunimentError, NotFound, StoreUnavailable
from muniment.model.times import Instant
from muniment.model.value import Value, canonical, read_canonical
from muniment.model.vocabulary import ActorType
from muniment.surfaces.reception.principal import ANYONE, Grant
from muniment.surfaces.reception.shared_file import DatabaseSharedFile, FolderSharedFile, SharedFile, Stamp

KEYS_FILE = "keys/api-keys.json"
_KEYS_ROW = "api-keys"
KEYS_MAX = 10_000
_TOKEN = re.compile(r"mnk_([a-z2-7]{12})_([A-Za-z0-9_-]{43})", re.ASCII)
_NOBODY = bytes(16)
_SALT_HEX, _DIGEST_HEX = 32, 64
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


class KeyRequest(Value):
    """What a key is to be good for. What is not said about the actor is what the policy gives that name."""

    name: str
    tenant: str = "default"
    actor: str
    type: ActorType | None = None
    roles: tuple[str, ...] | None = None
    teams: tuple[str, ...] | None = None
    projects: tuple[str, ...] | None = None
    authority: int | None = None
    grants: tuple[Grant, ...] = (Grant.READ, Grant.WRITE)
    agents: tuple[str, ...] = ()
    expires_at: Instant | None = None

    def __post_init__(self) -> None:
        checks.text("name", self.name, limit=200)
        checks.identifier("tenant", self.tenant)
        checks.identifier("actor", self.actor)
        for field, named in (("actor", (self.actor,)), ("agent", self.agents)):
            if SYSTEM in named:
                raise Malformed(field, "a name of its own: this one is the engine's")
        for field, names in (("role", self.roles), ("team", self.teams), ("project", self.projects)):
            checks.identifiers(field, names or ())
        checks.identifiers("agent", tuple(one for one in self.agents if one != ANYONE))
        if self.authority is not None:
            checks.whole("authority", self.authority, least=0, most=10)
        checks.instant("expires_at", self.expires_at)

    @classmethod
    def everything(cls, actor: str, *, tenant: str = "default", authority: int = 10) -> KeyRequest:
        """A key that opens every door and speaks for any agent."""
        return cls(name=actor, tenant=tenant, actor=actor, authority=authority, grants=tuple(Grant), agents=(ANYONE,))


class ApiKey(Value):
    """A key as it is kept: everything but the secret. `sort` is what its actor was when it was made, if anybody knew:
    a name that the policy gives to another sort of actor later does not take the key with it."""

    id: str
    wish: KeyRequest
    salt: str
    digest: str
    created_at: Instant
    revoked_at: Instant | None = None
    sort: ActorType | None = None

    def __post_init__(self) -> None:
        for name, size in (("salt", _SALT_HEX), ("digest", _DIGEST_HEX)):
            if re.fullmatch(f"[0-9a-f]{{{size}}}", getattr(self, name)) is None:
                raise Malformed(name, f"{size} hexadecimal digits")

    def holds(self, now: Instant) -> bool:
        """Whether it is neither revoked nor past its time."""
        return self.revoked_at is None and (self.wish.expires_at is None or now < self.wish.expires_at)


class _File(Value):
    format: int = 1
    keys: tuple[ApiKey, ...] = ()


def create(vault: Said, wish: KeyRequest, *, now: Instant) -> tuple[ApiKey, str]:
    """Make a key for a vault and keep it. The text that is returned is never to be had again."""
    return create_many(vault, [wish], now=now)[0]


def create_many(vault: Said, wishes: Sequence[KeyRequest], *, now: Instant) -> list[tuple[ApiKey, str]]:
    """Make several keys at once: all of them count, or none."""
    made = [draft(wish, now=now) for wish in wishes]
    keep(vault, *(key for key, _ in made))
    return made


def draft(wish: KeyRequest, *, now: Instant, sort: ActorType | None = None) -> tuple[ApiKey, str]:
    """A key that nobody knows of yet, and what its holder will send."""
    secret = secrets.token_urlsafe(32)
    salt = secrets.token_bytes(16)
    key = ApiKey(
        id="".join(secrets.choice(_LETTERS) for _ in range(12)),
        wish=wish,
        salt=salt.hex(),
        digest=_digest(salt, secret),
        created_at=now,
        sort=sort,
    )
    return key, f"mnk_{key.id}_{secret}"


def keep(vault: Said, *added: ApiKey) -> None:
    """Let keys count from now on."""
    with _opened(vault) as shelf, shelf.turn():
        kept = _stamped(shelf)[1]
        if len(kept) + len(added) > KEYS_MAX:
            raise StoreUnavailable(f"the vault keeps {KEYS_MAX} keys; no more")
        _write(shelf, (*kept, *added))


def revoke(vault: Said, key_id: str, *, now: Instant) -> ApiKey:
    """End a key. It stays listed. Whoever uses it is turned away from the next request on."""
    with _opened(vault) as shelf, shelf.turn():
        kept = _stamped(shelf)[1]
        found = next((key for key in kept if key.id == key_id), None)
        if found is None:
            raise NotFound("key", key_id)
        ended = found if found.revoked_at is not None else msgspec.structs.replace(found, revoked_at=now)
        if ended is not found:
            _write(shelf, tuple(ended if key.id == key_id else key for key in kept))
    return ended


def listed(vault: Said) -> tuple[ApiKey, ...]:
    """Every key there is or was, oldest first."""
    with _opened(vault) as shelf:
        return _stamped(shelf)[1]


class KeyRing:
    """The keys of a vault as they stand now: where they are kept is looked at whenever somebody asks."""

    def __init__(self, vault: Said) -> None:
        self._shelf = _shelf(vault)
        self._turn = threading.Lock()
        self._stamp: Stamp | None = None
        self._keys: dict[str, ApiKey] = {}
        self._seen = False
        self.refresh()

    @property
    def near(self) -> bool:
        """Whether it is told at once how the keys stand: nobody on another machine is asked."""
        return self._shelf.near

    def close(self) -> None:
        self._shelf.close()

    @property
    def version(self) -> Stamp | None:
        """Changes whenever the keys do."""
        return self._stamp

    @property
    def any(self) -> bool:
        """Whether there is, or was, any key. Revoking the last one does not open the door."""
        return self._seen

    def refresh(self) -> None:
        """Read the keys again if they are others than last time. What cannot be read lets nobody in."""
        if self._shelf.stamp() == self._stamp:
            return
        with self._turn:
            try:
                stamp, keys = _stamped(self._shelf)
            except MunimentError:
                self._keys = {}
                raise
            self._keys = {key.id: key for key in keys}
            self._seen = self._seen or bool(keys)
            self._stamp = stamp

    def of(self, key_id: str, *, now: Instant) -> ApiKey | None:
        """A key by its id, if it still holds."""
        self.refresh()
        key = self._keys.get(key_id)
        return key if key is not None and key.holds(now) else None

    def match(self, token: str, *, now: Instant) -> ApiKey | None:
        """The key a caller shows, if it is one, is theirs, and still holds."""
        found = _TOKEN.fullmatch(token)
        if found is None:
            return None
        key = self.of(found[1], now=now)
        salt = bytes.fromhex(key.salt) if key is not None else _NOBODY
        same = hmac.compare_digest(_digest(salt, found[2]), key.digest if key is not None else "")
        return key if same else None


def is_key(token: str) -> bool:
    """Whether a credential is meant to be one of our keys."""
    return token.startswith("mnk_")


def id_in(token: str) -> str:
    """The id that a key shows, be it a key or not."""
    return token[4:16]


def _digest(salt: bytes, secret: str) -> str:
    """The secret has 256 bits of chance: one round of SHA-256 is as good as many, and quick."""
    return hashlib.sha256(salt + secret.encode()).hexdigest()


def _shelf(vault: Said) -> SharedFile:
    place = place_of(vault)
    return (
        FolderSharedFile(place.path / KEYS_FILE) if isinstance(place, Folder) else DatabaseSharedFile(place, _KEYS_ROW)
    )


@contextmanager
def _opened(vault: Said) -> Iterator[SharedFile]:
    shelf = _shelf(vault)
    try:
        yield shelf
    finally:
        shelf.close()


def _stamped(shelf: SharedFile) -> tuple[Stamp | None, tuple[ApiKey, ...]]:
    """The keys, and by what they are known from those before."""
    stamp, body = shelf.read()
    return stamp, () if body is None else read_canonical(body, _File).keys


def _write(shelf: SharedFile, keys: tuple[ApiKey, ...]) -> None:
    shelf.write(canonical(_File(keys=keys)))
