"""Where an actor sits before one tenant: the tenant, who is asking, and how a write is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

import msgspec

from muniment.engine.tenant import Tenant
from muniment.model.actor import Actor
from muniment.model.claim import Claim
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed
from muniment.model.proposal import Objection
from muniment.model.user import user_id
from muniment.policy.rules import Policy
from muniment.ports.store import Snapshot, Unit
from muniment.ports.tracer import UNWATCHED, Operation
from muniment.write.admit import clean as clean_claim
from muniment.write.secrets import DEFAULT, Screen, screen_of

WriteJob = Callable[[Unit], Verdict]
T = TypeVar("T")


class _GivenUp(Exception):
    """Ends a transaction that is to leave nothing behind. Never leaves this module."""


class Seat:
    """One tenant as one actor sees it. The parts of the face are built on it."""

    def __init__(self, tenant: Tenant, actor: Actor) -> None:
        self._tenant = tenant
        self.actor = actor

    @property
    def policy(self) -> Policy:
        return self._tenant.bench.policy

    @property
    def tenant(self) -> str:
        return self._tenant.store.tenant

    @property
    def _screen(self) -> Screen:
        return screen_of(self.policy.safety)

    def _clean(self, text: str) -> str:
        """Free text goes where content goes, so what may not be kept is taken out of it too."""
        return self._screen.clean(text) if isinstance(text, str) else text

    def _grounds(self, objections: Sequence[Objection]) -> tuple[Objection, ...]:
        """Objections as they may be kept: they are words of somebody too."""
        return tuple(msgspec.structs.replace(one, reason=self._clean(one.reason)) for one in objections)

    def _watch(self, name: str, about: object = None) -> Operation:
        """Let whoever watches the tenant know that an operation begins. What may not be kept is not shown to them."""
        tracer = self._tenant.tracer
        if isinstance(about, Claim) and tracer is not UNWATCHED:
            cleaned = clean_claim(about, self._screen)
            about = cleaned.claim if not cleaned.unsafe else None
        return tracer.operation(name, tenant=self.tenant, actor=self.actor, about=about)

    def _write(self, job: WriteJob) -> Verdict:
        verdict = self._tenant.store.write(job)
        self._tenant.wrote(verdict.epoch)
        return verdict

    def _rehearse(self, job: Callable[[Unit], T]) -> T:
        """What a write would come to. It is done in a transaction that is given up, so that nothing of it is left."""
        answers: list[T] = []

        def given_up(unit: Unit) -> None:
            answers.append(job(unit))
            raise _GivenUp

        try:
            self._tenant.store.write(given_up)
        except _GivenUp:
            return answers[-1]
        raise AssertionError("a rehearsal never ends in a write")


def bound(actor: Actor, user: str) -> Actor:
    """The actor, acting for a user. Who acts for one already acts for no other."""
    named = user_id(user)
    if actor.user not in (None, named):
        raise Malformed("user", "the user the memory was opened for", hint="Ask the memory it was made from instead.")
    DEFAULT.refuse("user", named)
    return msgspec.structs.replace(actor, user=named)


def clean(text: str) -> str:
    """A text without secrets, and without what a policy that says nothing takes out: for what is told and not kept."""
    return DEFAULT.clean(text) if isinstance(text, str) else text


def window(seat: Seat) -> AbstractContextManager[Snapshot]:
    """One moment of the store that a memory is of, for those who build on the engine. Like the notebook it knows no
    gate, and no surface hands it out."""
    return seat._tenant.store.read()
