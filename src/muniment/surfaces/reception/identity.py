"""Who a credential stands for: nobody's, a key's or a token's holder, as things stand now. Raises, or says who."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import msgspec

from muniment.model.actor import OWNER, Actor
from muniment.model.errors import NotFound, Unauthenticated
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ActorType
from muniment.surfaces.reception.keys import ApiKey, KeyRing, id_in, is_key
from muniment.surfaces.reception.principal import ANYONE, Principal
from muniment.surfaces.reception.settings import ServerSettings, check_settings, open_to_anyone
from muniment.surfaces.reception.shared_file import Stamp
from muniment.surfaces.reception.tokens import BadToken, Tokens

Resolve = Callable[[str, str], Actor]
"""Who a name stands for in a tenant, by its policy."""
_KEY = "key:"
_TOKEN = "token:"
_HOW = "Send `Authorization: Bearer KEY`; the owner of the vault makes keys with `muniment keys create`."
_OTHER_SORT = "The policy knows this name as another sort of actor than the credential was made for; make a new one."


class CredentialClaims(Value):
    """What a credential says of its actor; None: what the policy gives that name."""

    type: ActorType | None = None
    roles: tuple[str, ...] | None = None
    teams: tuple[str, ...] | None = None
    projects: tuple[str, ...] | None = None
    authority: int | None = None

    def over(self, actor: Actor) -> Actor:
        said = {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not None}
        return msgspec.structs.replace(actor, **said) if said else actor


def unproven(hint: str = _HOW) -> Unauthenticated:
    """The one refusal of whoever does not prove who they are. It does not tell unknown from revoked or expired."""
    refusal = Unauthenticated("authorization")
    refusal.hint = hint
    return refusal


class Identity:
    """Tells who is calling. Reads the keys whenever they change; knows each holder until then."""

    def __init__(self, settings: ServerSettings, resolve: Resolve, now: Callable[[], Instant]) -> None:
        self._settings = settings
        self._resolve = resolve
        self._now = now
        self._known: dict[str, Principal] = {}
        self._known_at: Stamp | None = None
        self._anyone: Principal | None = None
        self.keys = KeyRing(settings.vault)
        with ExitStack() as undone:
            undone.callback(self.keys.close)
            check_settings(settings, keys=self.keys.any)
            self._tokens = Tokens(settings) if settings.jwt else None
            undone.pop_all()

    @property
    def anonymous(self) -> bool:
        """Whether a caller needs no credential, as things stand now."""
        self.keys.refresh()
        return open_to_anyone(self._settings, keys=self.keys.any)

    def quick(self, authorization: str | None) -> bool:
        """Whether the caller can be told at once: no store is to be opened for it and nobody else asked."""
        if not self.keys.near:
            return False
        if authorization is None:
            return True
        credential = authorization.partition(" ")[2].strip()
        self.keys.refresh()
        return is_key(credential) and self._known_at == self.keys.version and id_in(credential) in self._known

    def identify(self, authorization: str | None) -> Principal:
        if authorization is None:
            return self._owner()
        scheme, _, shown = authorization.strip().partition(" ")
        credential = shown.strip()
        if scheme.lower() != "bearer":
            raise unproven()
        if not is_key(credential):
            return self._bearer(credential)
        key = self.keys.match(credential, now=self._now())
        if key is None:
            raise unproven()
        return self._holder(key)

    def recheck(self, visitor: Principal) -> Principal:
        """The visitor as its credential stands now."""
        if visitor.credential is None:
            return self._owner()
        if visitor.credential.startswith(_KEY):
            key = self.keys.of(visitor.credential.removeprefix(_KEY), now=self._now())
            if key is None:
                raise unproven()
            return self._holder(key)
        if visitor.expires_at is None or self._now() >= visitor.expires_at:
            raise unproven()
        return visitor

    def _owner(self) -> Principal:
        if not self.anonymous:
            raise unproven()
        if self._anyone is None:
            tenant = self._settings.tenant
            self._anyone = Principal(actor=self._resolve(tenant, OWNER), tenant=tenant, agents=(ANYONE,))
        return self._anyone

    def _holder(self, key: ApiKey) -> Principal:
        version = self.keys.version
        if self._known_at != version:
            self._known, self._known_at = {}, version
        found = self._known.get(key.id)
        if found is None:
            found = self._known[key.id] = self._made(key)
        return found

    def _made(self, key: ApiKey) -> Principal:
        wish = key.wish
        traits = CredentialClaims(
            type=wish.type, roles=wish.roles, teams=wish.teams, projects=wish.projects, authority=wish.authority
        )
        actor = self._actor(wish.tenant, wish.actor, traits)
        if key.sort not in (None, actor.type):
            raise unproven(_OTHER_SORT)
        return Principal(
            actor=actor,
            tenant=wish.tenant,
            credential=_KEY + key.id,
            grants=wish.grants,
            agents=wish.agents,
            expires_at=wish.expires_at,
        )

    def _bearer(self, credential: str) -> Principal:
        if self._tokens is None:
            raise unproven()
        try:
            found = self._tokens.read(credential)
        except BadToken:
            raise unproven() from None
        traits = CredentialClaims(
            type=found.type, roles=found.roles, teams=found.teams, projects=found.projects, authority=found.authority
        )
        return Principal(
            actor=self._actor(found.tenant, found.actor, traits),
            tenant=found.tenant,
            credential=_TOKEN + found.id,
            grants=found.grants,
            agents=found.agents,
            expires_at=found.expires_at,
        )

    def _actor(self, tenant: str, name: str, traits: CredentialClaims) -> Actor:
        """The actor of a credential. One that the policy knows as a person, a service or a tool is never of another
        sort because a key or a token says so."""
        try:
            known = self._resolve(tenant, name)
        except NotFound:  # a credential for a tenant that is not there is good for nothing
            raise unproven() from None
        if known.type is not ActorType.AGENT and traits.type not in (None, known.type):
            raise unproven(_OTHER_SORT)
        return traits.over(known)
