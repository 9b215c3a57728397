"""A session: one tenant as one actor sees it, and how a write is sent. `Memory` and its parts are built on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

import msgspec

from muniment.engine.tenant import Tenant
from muniment.model.actor import Actor
from muniment.model.claim import Claim
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed
from muniment.model.proposal import Objection
from muniment.model.user import user_id
from muniment.policy.rules import Policy
from muniment.ports.store import Snapshot, TenantStore, Unit
from muniment.ports.tracer import UNWATCHED, Operation
from muniment.write.admit import clean as clean_claim
from muniment.write.pipeline import Bench
from muniment.write.secrets import DEFAULT, Screen, screen_of

WriteJob = Callable[[Unit], Verdict]
T = TypeVar("T")


class _RolledBack(Exception):
    """Ends a transaction that is to leave nothing behind. Never leaves this module."""


class Session:
    """One tenant as one actor sees it. Everything that `Memory` and its parts do goes through it."""

    __slots__ = ("actor", "tenant")

    def __init__(self, tenant: Tenant, actor: Actor) -> None:
        self.tenant = tenant
        self.actor = actor

    @property
    def policy(self) -> Policy:
        return self.tenant.bench.policy

    @property
    def bench(self) -> Bench:
        """What every decision of this tenant uses."""
        return self.tenant.bench

    @property
    def store(self) -> TenantStore:
        return self.tenant.store

    @property
    def screen(self) -> Screen:
        """What takes secrets out of a text, as the policy says."""
        return screen_of(self.policy.safety)

    def clean(self, text: str) -> str:
        """A free text without what the policy does not let be kept."""
        return self.screen.clean(text) if isinstance(text, str) else text

    def grounds(self, objections: Sequence[Objection]) -> tuple[Objection, ...]:
        """Objections with their reasons cleaned."""
        return tuple(msgspec.structs.replace(one, reason=self.clean(one.reason)) for one in objections)

    def for_user(self, user: str) -> Session:
        """The session of the same actor, acting for one user."""
        return Session(self.tenant, bound(self.actor, user))

    def watch(self, name: str, about: object = None) -> Operation:
        """Tell the tracer that an operation begins. It is not shown what may not be kept."""
        tracer = self.tenant.tracer
        if isinstance(about, Claim) and tracer is not UNWATCHED:
            cleaned = clean_claim(about, self.screen)
            about = cleaned.claim if not cleaned.unsafe else None
        return tracer.operation(name, tenant=self.tenant.name, actor=self.actor, about=about)

    def write(self, job: WriteJob) -> Verdict:
        verdict = self.tenant.store.write(job)
        self.tenant.wrote(verdict.epoch)
        return verdict

    def rehearse(self, job: Callable[[Unit], T]) -> T:
        """What a write would return. Its transaction is rolled back, so that it leaves nothing behind."""
        answers: list[T] = []

        def rolled_back(unit: Unit) -> None:
            answers.append(job(unit))
            raise _RolledBack

        try:
            self.tenant.store.write(rolled_back)
        except _RolledBack:
            return answers[-1]
        raise AssertionError("a rehearsal never ends in a write")


class Sessioned(Protocol):
    """Whatever is built on a session: `Memory` and each of its parts."""

    _session: Session


def bound(actor: Actor, user: str) -> Actor:
    """The actor, acting for a user. Who acts for one already acts for no other."""
    named = user_id(user)
    if actor.user not in (None, named):
        raise Malformed("user", "the user the memory was opened for", hint="Ask the memory it was made from instead.")
    DEFAULT.refuse("user", named)
    return msgspec.structs.replace(actor, user=named)


def clean(text: str) -> str:
    """A text without secrets, by the default policy: for what is shown and not kept."""
    return DEFAULT.clean(text) if isinstance(text, str) else text


def window(memory: Sessioned) -> AbstractContextManager[Snapshot]:
    """One moment of the store behind a memory, for those who build on the engine. It asks no policy, and no surface
    hands it out."""
    return memory._session.store.read()
