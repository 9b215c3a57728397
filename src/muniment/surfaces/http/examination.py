"""The examination extension: isolated fields for whoever examines this server, each on a vault of its own.

Offered on a loopback address alone, to its owner or to a credential with the grant `admin`. Nothing here touches the
server's own vault.
"""

from __future__ import annotations

import threading
import time
from typing import Literal, TypeVar
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from muniment.model import times
from muniment.model.decoding import decode_json
from muniment.model.errors import Malformed, NotFound, TooManyRequests
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.surfaces.http.bodies import read_body
from muniment.surfaces.http.doors import permitted
from muniment.surfaces.http.examination_servers import ExaminedServer, Servers, Wish
from muniment.surfaces.http.handing import hand_on
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.crew import Crew
from muniment.surfaces.reception.reception import Reception, system_now
from muniment.surfaces.reception.visitor import Grant

PATH = "/v1/examination"
SERVERS_MAX, FIELDS_MAX = 8, 64
LASTS_S, IDLE_S, LOOK_S = 600.0, 120.0, 5.0
BODY_BYTES_MAX = 16_384
AUTHORITIES = range(11)
EXPIRED = "expired"
T = TypeVar("T")


class Restart(Value):
    how: Literal["kill", "stop"]


class Enrichment(Value):
    works: bool


class Told(Value):
    """Where an examined field is, the tokens for it by authority, and until when it is there."""

    id: str
    url: str
    mcp_url: str
    tokens: dict[str, str]
    expires_at: str


class _Field:
    """One examined field: a tenant of an examined server, with a key for every authority and one that has expired."""

    def __init__(self, server: ExaminedServer) -> None:
        self.id, self.server = uuid4().hex, server
        self.tenant = server.tenant()
        self.ends = time.monotonic() + LASTS_S
        now = system_now()
        self._expires = Instant(now + int(LASTS_S * 1_000_000))
        wishes = [self._wish(str(number), number, self._expires) for number in AUTHORITIES]
        wishes.append(self._wish(EXPIRED, 10, Instant(now - 1)))
        made = keys.create_many(server.vault, wishes, now=now)
        self._tokens = {wish.name: token for wish, (_, token) in zip(wishes, made, strict=True)}

    def _wish(self, name: str, authority: int, until: Instant) -> keys.KeyWish:
        return keys.KeyWish(
            name=name,
            tenant=self.tenant,
            actor=f"bearer-{name}",
            authority=authority,
            grants=tuple(Grant),
            agents=("*",),
            expires_at=until,
        )

    @property
    def told(self) -> Told:
        url = self.server.url
        return Told(
            id=self.id,
            url=url,
            mcp_url=f"{url}/mcp?tools=field",
            tokens=self._tokens,
            expires_at=times.show(self._expires),
        )


class Examinations:
    """All examined fields of this server. They end when they are told to, after a while, and with the server."""

    def __init__(self, *, own_model: str | None) -> None:
        self._servers = Servers(SERVERS_MAX, own_model=own_model)
        self._fields: dict[str, _Field] = {}
        self._turn = threading.Lock()
        self._over = threading.Event()
        self._keeper: threading.Thread | None = None

    def open(self, wish: Wish) -> Told:
        with self._turn:
            if self._over.is_set():
                raise NotFound("page", PATH)
            if len(self._fields) >= FIELDS_MAX:
                raise TooManyRequests("examined fields", retry_after=1)
            if self._keeper is None:
                self._keeper = threading.Thread(target=self._keep, daemon=True)
                self._keeper.start()
        server = self._servers.take(wish)
        if server is None:
            raise TooManyRequests("examined servers", retry_after=1)
        try:
            field = _Field(server)
        except BaseException:
            self._servers.give_back(server)
            raise
        with self._turn:
            self._fields[field.id] = field
        return field.told

    def restart(self, name: str, how: Literal["kill", "stop"]) -> Told:
        field = self._alone(name)
        field.server.restart(how)
        return field.told

    def rebuild(self, name: str) -> Told:
        field = self._alone(name)
        field.server.rebuild(field.tenant)
        return field.told

    def enrich(self, name: str, *, works: bool) -> Told:
        field = self._find(name)
        if field.server.model is None:
            raise Malformed("enrichment", "a field whose enrichment was asked to fail")
        field.server.model.works = works
        return field.told

    def end(self, name: str) -> None:
        with self._turn:
            field = self._fields.pop(name, None)
        if field is None:
            raise NotFound("examination", name)
        self._servers.give_back(field.server)

    def close(self) -> None:
        """End everything, whoever still uses it."""
        self._over.set()
        with self._turn:
            self._fields.clear()
        self._servers.close()

    def _find(self, name: str) -> _Field:
        found = self._fields.get(name)
        if found is None:
            raise NotFound("examination", name)
        return found

    def _alone(self, name: str) -> _Field:
        field = self._find(name)
        if not field.server.wish.alone:
            raise Malformed("alone", "true, when the field was asked for: only then has it a server of its own")
        return field

    def _keep(self) -> None:
        """Let go of what has lasted long enough."""
        while not self._over.wait(LOOK_S):
            with self._turn:
                late = [one for one in self._fields.values() if one.ends < time.monotonic()]
                for field in late:
                    del self._fields[field.id]
            for field in late:
                self._servers.give_back(field.server)
            self._servers.drop_idle(IDLE_S)


def routes(reception: Reception) -> list[BaseRoute]:
    """Nothing where the server can be reached from elsewhere, or where its settings say so."""
    settings = reception.settings
    if not (settings.loopback and settings.examination):
        return []
    crew = reception.crew
    if crew is not None and not crew.first:
        elsewhere = _Elsewhere(crew)
        return [Route(path, elsewhere.ask, methods=["POST", "DELETE"]) for path in (PATH, PATH + "/{rest:path}")]
    desk = _Desk(reception)
    return [
        Route(PATH, desk.open, methods=["POST"]),
        Route(PATH + "/{name}/restart", desk.restart, methods=["POST"]),
        Route(PATH + "/{name}/rebuild", desk.rebuild, methods=["POST"]),
        Route(PATH + "/{name}/enrichment", desk.enrich, methods=["POST"]),
        Route(PATH + "/{name}", desk.end, methods=["DELETE"]),
    ]


class _Elsewhere:
    """The same in another process of the server: examined fields are kept by the first worker."""

    def __init__(self, crew: Crew) -> None:
        assert crew.desk is not None, "where fields are examined the first worker can be called"
        self._port = crew.desk

    async def ask(self, request: Request) -> Response:
        await permitted(request, Grant.ADMIN)
        return await hand_on(request, self._port, body_bytes_max=BODY_BYTES_MAX)


class _Desk:
    """What is asked over HTTP, each once its caller has shown that it may."""

    def __init__(self, reception: Reception) -> None:
        self._reception = reception
        self._made: Examinations | None = None
        self._making = threading.Lock()
        reception.when_closing(self._close)

    async def open(self, request: Request) -> Response:
        await permitted(request, Grant.ADMIN)
        wish = await _asked(request, Wish)
        return _answer(201, await self._reception.run(self._open, wish))

    async def restart(self, request: Request) -> Response:
        await permitted(request, Grant.ADMIN)
        asked = await _asked(request, Restart)
        return _answer(200, await self._reception.run(self._known().restart, _name(request), asked.how))

    async def rebuild(self, request: Request) -> Response:
        await permitted(request, Grant.ADMIN)
        return _answer(200, await self._reception.run(self._known().rebuild, _name(request)))

    async def enrich(self, request: Request) -> Response:
        await permitted(request, Grant.ADMIN)
        asked = await _asked(request, Enrichment)
        told = await self._reception.run(self._known().enrich, _name(request), works=asked.works)
        return _answer(200, told)

    async def end(self, request: Request) -> Response:
        await permitted(request, Grant.ADMIN)
        await self._reception.run(self._known().end, _name(request))
        return Response(status_code=204)

    def _open(self, wish: Wish) -> Told:
        with self._making:
            if self._made is None:
                settings = self._reception.settings
                has_model = self._reception.owner(settings.tenant).insight.searching().model is not None
                self._made = Examinations(own_model=settings.embedder if has_model else None)
        return self._made.open(wish)

    def _known(self) -> Examinations:
        if self._made is None:
            raise NotFound("examination", "any")
        return self._made

    def _close(self) -> None:
        if self._made is not None:
            self._made.close()


async def _asked(request: Request, kind: type[T]) -> T:
    body = await read_body(request, BODY_BYTES_MAX)
    try:
        return decode_json(body, kind)
    except msgspec.ValidationError:
        raise Malformed("body", "the settings that the examination extension describes") from None
    except msgspec.DecodeError:
        raise Malformed("body", "a JSON document") from None


def _name(request: Request) -> str:
    return str(request.path_params["name"])


def _answer(status: int, told: Told) -> Response:
    return Response(msgspec.json.encode(told), status_code=status, media_type="application/json")
