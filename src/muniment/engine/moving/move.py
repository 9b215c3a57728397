"""Move a vault, or one tenant of it, to another place: plan, copy while the source is used, a short last pass in which
nobody writes there, and a comparison of all of it before anybody may work at the target.

The source is never changed. Where a move was cut short the same call goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Literal

from muniment.backends.clock_and_ids import SystemClock
from muniment.engine.keyholding import KEY
from muniment.engine.moving.endpoints import (
    MoveEndpoint,
    MoveSource,
    MoveTarget,
    look_at_target,
    make_target,
    open_source,
    refuse_other_key,
    refuse_same,
)
from muniment.engine.moving.follow_ledger import Told, demand_same_way, genesis_hash, place_of, silent
from muniment.engine.moving.move_marks import MoveMarks, demand_same_source
from muniment.engine.moving.tenant_copy import CopiedTenant, TenantCopy
from muniment.engine.moving.unfinished_moves import MARK, MoveMark, read_mark
from muniment.engine.moving.vault_assets import private_text, refuse_rotation, take_along
from muniment.model.checks import identifier
from muniment.model.errors import Malformed, NotFound, Stale
from muniment.model.value import Value
from muniment.ports.clock_and_ids import Clock
from muniment.ports.store import Snapshot

State = Literal["new", "begun", "behind", "there"]
"""Not at the target yet; begun and cut short; whole at the target, which is behind; the same at both."""


class TenantPlan(Value):
    """One tenant that is to be moved: how much there is of it, and how much of that is at the target."""

    tenant: str
    entries: int
    receipts: int
    there: int
    state: State


class MovePlan(Value):
    """What a move would do. `new`: a vault is made at the target, with the keys and the policy of the source."""

    source: str
    target: str
    key: str
    new: bool
    tenants: tuple[TenantPlan, ...]


class MoveResult(Value):
    """What a move did. `brought` are the things of the whole vault that came along; `unfinished` are tenants that are
    not whole at the target yet; `open` says whether one may work there."""

    plan: MovePlan
    tenants: tuple[CopiedTenant, ...]
    brought: tuple[str, ...]
    unfinished: tuple[str, ...]
    open: bool


class VaultMove(Value):
    """From where to where, one tenant or all. With `standby` the target is brought up to date and stays closed, so that
    a later run has little left to do."""

    source: MoveEndpoint
    target: MoveEndpoint
    tenant: str | None = None
    standby: bool = False

    def plan(self) -> MovePlan:
        """What is to be moved. Changes nothing and makes nothing."""
        with self._ends() as (source, target):
            return _Matter(self, source, target).plan

    def run(self, *, clock: Clock | None = None, progress: Told = silent) -> MoveResult:
        """Move, or go on with it. Everything is looked at before anything is written."""
        with self._ends() as (source, target):
            matter = _Matter(self, source, target)
            private = private_text(source.chest)
            refuse_other_key(self.target, private)
            if target is not None:
                return matter.carry_out(target, private, clock or SystemClock(), progress)
            made = make_target(self.target)
            try:
                return matter.carry_out(made, private, clock or SystemClock(), progress)
            finally:
                made.stores.close()

    @contextmanager
    def _ends(self) -> Iterator[tuple[MoveSource, MoveTarget | None]]:
        if self.tenant is not None:
            identifier("tenant", self.tenant)
        refuse_same(self.source.place, self.target.place)
        self.source.demand_sense("from_content_keys")
        self.target.demand_sense("to_content_keys")
        with ExitStack() as ends:
            source = open_source(self.source)
            ends.callback(source.stores.close)
            target = look_at_target(self.target)
            if target is not None:
                ends.callback(target.stores.close)
            yield source, target


class _Matter:
    """One move thought through: every tenant, at both ends."""

    def __init__(self, move: VaultMove, source: MoveSource, target: MoveTarget | None) -> None:
        self._move = move
        self._source = source
        refuse_rotation(source.chest)
        mark = None if target is None else read_mark(target.chest.get(MARK))
        self._begun = _begun(source, move.tenant)
        _demand_fitting(source, target, mark)
        self.plan = MovePlan(
            source=str(move.source.place),
            target=str(move.target.place),
            key=source.key,
            new=target is None or target.key is None or (mark is not None and mark.new),
            tenants=tuple(_going(name, source, target, mark) for name in self._begun),
        )

    def carry_out(self, target: MoveTarget, private: bytes, clock: Clock, progress: Told) -> MoveResult:
        marked = {one.tenant: self._begun[one.tenant] for one in self.plan.tenants if one.state != "there"}
        marking = MoveMarks(self._source, target, marked)
        carried = tuple(self._carried(one, target, marking, clock, progress) for one in self.plan.tenants)
        brought: tuple[str, ...] = ()
        if not self._move.standby and not (marking.unfinished and self.plan.new):
            brought = take_along(self._source.chest, target.chest, callers=self._move.tenant is None)
            if self.plan.new:
                target.found(private)
                brought = (KEY, *brought)
        done = not (self._move.standby and self.plan.new) and marking.settle()
        return MoveResult(
            plan=self.plan,
            tenants=carried,
            brought=brought,
            unfinished=marking.unfinished,
            open=done or not self.plan.new,
        )

    def _carried(
        self, going: TenantPlan, target: MoveTarget, marking: MoveMarks, clock: Clock, progress: Told
    ) -> CopiedTenant:
        here = self._source.stores.open(going.tenant, create=False)
        carrying = TenantCopy(here, target.stores.open(going.tenant, create=True), clock=clock, progress=progress)
        try:
            if self._move.standby:
                return carrying.catch_up()
            done = carrying.finish(frozenset(one.key_id for one in self._source.keys.here()))
        except Stale:
            if going.state == "behind" and not carrying.wrote:
                marking.whole(going.tenant)  # it was whole, and somebody works there
            raise
        marking.whole(going.tenant)
        return done


def _begun(source: MoveSource, tenant: str | None) -> dict[str, str]:
    """The tenants that are meant and have a ledger, each with the hash of its first entry."""
    found: dict[str, str] = {}
    for name in source.stores.tenants():
        if tenant in (None, name):
            with source.stores.open(name, create=False).read() as snapshot:
                first = genesis_hash(snapshot)
            if first is not None:
                found[name] = first
    if tenant is not None and tenant not in found:
        raise NotFound("tenant", tenant)
    return found


def _demand_fitting(source: MoveSource, target: MoveTarget | None, mark: MoveMark | None) -> None:
    """Refuse a target that was begun from another source, and a vault that signs with another key."""
    if mark is not None:
        demand_same_source(mark, source.key, _begun(source, None))
    if target is not None and target.key not in (None, source.key):
        raise Malformed(
            "to",
            "a place without a vault, or a vault with the same signing key",
            hint="A tenant is taken into a vault with another key by `muniment archive export` and "
            "`muniment archive import --signing-key`.",
        )


def _going(name: str, source: MoveSource, target: MoveTarget | None, mark: MoveMark | None) -> TenantPlan:
    with source.stores.open(name, create=False).read() as there:
        place = place_of(there)
        if target is None or name not in target.stores.tenants():
            return TenantPlan(tenant=name, entries=place.seq, receipts=place.receipts, there=0, state="new")
        with target.stores.open(name, create=False).read() as here:
            demand_same_way(there, here)
            state = _state(there, here, begun=mark is not None and name in mark.tenants)
            at = place_of(here).seq
    return TenantPlan(tenant=name, entries=place.seq, receipts=place.receipts, there=at, state=state)


def _state(there: Snapshot, here: Snapshot, *, begun: bool) -> State:
    if begun:
        return "begun"
    if place_of(here).seq == 0:
        return "new"
    same = place_of(there) == place_of(here)
    sealed = there.ledger.last_checkpoint() == here.ledger.last_checkpoint()
    return "there" if same and sealed else "behind"
