"""The reception of a server: lets callers in, opens the memory of their tenant, and runs their calls in threads."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import ParamSpec, TypeVar

from muniment.compat.akashik import Field
from muniment.config import AS_SET
from muniment.engine import Memory
from muniment.model.actor import Actor
from muniment.model.errors import StoreUnavailable, TooManyRequests, Unauthenticated
from muniment.model.times import Instant
from muniment.surfaces.reception.denials import Denial, DenialLog
from muniment.surfaces.reception.fair_threads import FairThreads
from muniment.surfaces.reception.field_settings import field_settings
from muniment.surfaces.reception.identity import Identity
from muniment.surfaces.reception.limits import ServerLimits
from muniment.surfaces.reception.principal import Principal
from muniment.surfaces.reception.settings import ServerSettings
from muniment.surfaces.reception.worker_group import WorkerGroup
from muniment.surfaces.telemetry.settings import telemetry_of
from muniment.surfaces.telemetry.telemetry import Telemetry

P = ParamSpec("P")
T = TypeVar("T")
_BUSY_S = 1.0
_WHAT_MAX = 120


class ServerState(StrEnum):
    """Where a server is in its life."""

    OPENING = "opening"
    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"


def system_now() -> Instant:
    return Instant(time.time_ns() // 1000)


class ServerContext:
    """One per process of a server; `crew` says which, where there are several. Any thread may call its methods."""

    def __init__(
        self, settings: ServerSettings, *, now: Callable[[], Instant] = system_now, crew: WorkerGroup | None = None
    ) -> None:
        self.settings = settings
        self.crew = crew
        self.state = ServerState.OPENING
        self.limits = ServerLimits(settings)
        self._now = now
        self._opening = threading.RLock()
        self._memories: dict[str, Memory] = {}
        self._field_settings = field_settings(settings)
        self._fields: dict[str, Field] = {}
        self._closers: list[Callable[[], None]] = []
        self._counting = threading.Lock()
        self._waiting = 0
        self._over = False
        self.telemetry = Telemetry(telemetry_of(settings), sharing=None if crew is None else (crew.path, crew.worker))
        self._identity = Identity(settings, self._resolve, now)
        with ExitStack() as undone:
            undone.callback(self._identity.keys.close)
            self._open(settings.tenant)
            undone.pop_all()
        self._turns = FairThreads(settings.threads)
        self._denials = DenialLog(self._open)
        self.state = ServerState.OPEN

    @property
    def anonymous(self) -> bool:
        """Whether a caller needs no credential, as things stand now."""
        return self._identity.anonymous

    @property
    def keyed(self) -> bool:
        """Whether there is, or was, a key."""
        return self._identity.keys.any

    def admit(self, authorization: str | None, *, peer: str) -> Principal:
        """Let a caller in, or raise: `Unauthenticated` if it does not prove who it is, `TooManyRequests`."""
        visitor = self.identify(authorization, peer=peer)
        self.limits.ask(visitor)
        return visitor

    def identify(self, authorization: str | None, *, peer: str) -> Principal:
        """Who a caller is; its request is not counted yet."""
        try:
            return self._identity.identify(authorization)
        except Unauthenticated:
            self.limits.failed(peer)
            raise

    def quick(self, authorization: str | None) -> bool:
        """Whether `admit` would answer at once; if not it is better asked in a thread."""
        return self._identity.quick(authorization)

    def recheck(self, visitor: Principal) -> Principal:
        """The visitor as its credential stands now; raises `Unauthenticated` if it no longer does."""
        return self._identity.recheck(visitor)

    def memory(self, visitor: Principal) -> Memory:
        """The memory of the visitor's tenant, as the visitor sees it."""
        return self._open(visitor.tenant).as_actor(visitor.actor)

    def owner(self, tenant: str) -> Memory:
        """The memory of a tenant as its owner sees it. For the server's own purposes, never for a caller's."""
        return self._open(tenant)

    def field(self, tenant: str) -> Field:
        """The shared field of a tenant. There is one."""
        with self._opening:
            if tenant not in self._fields:
                self._fields[tenant] = Field(self._open(tenant), self._field_settings)
            return self._fields[tenant]

    async def run(self, call: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Run a call in a thread when it is its caller's turn. When too many wait already it is not begun."""
        with self._counting:
            if self.state is ServerState.CLOSED:
                raise StoreUnavailable("the server is closed")
            if self._waiting >= self.settings.waiting_max:
                raise TooManyRequests("calls under way", retry_after=_BUSY_S)
            self._waiting += 1
            job = functools.partial(call, *args, **options)
            future: Future[T] = self._turns.submit(functools.partial(contextvars.copy_context().run, job))
        future.add_done_callback(self._done)
        return await asyncio.wrap_future(future)

    def denied(self, visitor: Principal | None, *, what: str, code: str, peer: str) -> None:
        """Keep that a call was denied. Never waits for the disk."""
        now = self._now()
        denial = Denial(
            what=what[:_WHAT_MAX],
            code=code,
            peer=peer,
            first=now,
            last=now,
            who=visitor.actor.id if visitor is not None else None,
            credential=visitor.credential if visitor is not None else None,
        )
        self.telemetry.denied(code)
        self._denials.add(visitor.tenant if visitor is not None else self.settings.tenant, denial)

    def when_closing(self, callback: Callable[[], None]) -> None:
        """Be told, in any thread, that the server is about to close."""
        with self._opening:
            if self.state is ServerState.OPEN:
                self._closers.append(callback)
                return
        callback()

    def begin_closing(self) -> None:
        """Say that the server is about to close: streams end, readiness ends, running calls go on."""
        with self._opening:
            if self.state is not ServerState.OPEN:
                return
            self.state = ServerState.CLOSING
            closers, self._closers = self._closers, []
        for callback in closers:
            callback()

    def close(self) -> None:
        """Finish what runs, write what is left, sign the last checkpoints. Loses nothing."""
        self.begin_closing()
        with self._counting:
            if self.state is ServerState.CLOSED:
                return
            self.state = ServerState.CLOSED
        self._turns.close()
        self._denials.close()
        with self._opening:
            self._over = True
            while self._memories:
                self._memories.popitem()[1].close()
        self._identity.keys.close()
        self.telemetry.close()

    def _done(self, _: Future[T]) -> None:
        with self._counting:
            self._waiting -= 1

    def _resolve(self, tenant: str, name: str) -> Actor:
        return self._open(tenant).as_actor(name).actor

    def _open(self, tenant: str) -> Memory:
        """The owner's view of a tenant, opened once. Only the server's own tenant is made if it is not there."""
        found = self._memories.get(tenant)
        if found is not None:
            return found
        with self._opening:
            if self._over:
                raise StoreUnavailable("the server is closed")
            if tenant not in self._memories:
                settings, key = self.settings, self.settings.encryption_key_file
                opened = Memory.open(
                    settings.vault,
                    tenant=tenant,
                    policy=settings.policy,
                    embedder=settings.embedder,
                    create=tenant == settings.tenant,
                    capacity=settings.capacity,
                    witness=settings.witness,
                    encryption_key=AS_SET if key is None else Path(key).expanduser(),
                    content_keys=settings.content_keys,
                    tracer=self.telemetry.tracer,
                )
                self.telemetry.opened(tenant, opened)
                self._memories[tenant] = opened
            return self._memories[tenant]
