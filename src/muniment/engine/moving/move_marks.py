"""Put the mark of a move on its target, and take it away name by name as tenants become whole there."""

from __future__ import annotations

import secrets

import msgspec

from muniment.engine.moving.endpoints import MoveSource, MoveTarget, same_place
from muniment.engine.moving.unfinished_moves import MARK, MoveMark, read_mark
from muniment.engine.moving.vault_assets import VaultAssets, in_turn
from muniment.model.errors import Malformed
from muniment.model.value import canonical

_TURN = "moving"


def demand_same_source(mark: MoveMark, key: str, begun: dict[str, str]) -> None:
    """Refuse to go on with what was begun from elsewhere. `begun` are the tenants of the source by the hash of the
    first entry of their ledgers. Its key may have been changed since, if every ledger is the one that was begun."""
    known = all(begun.get(name) == first for name, first in mark.tenants.items())
    if not known or (mark.key != key and not mark.tenants):
        raise Malformed(
            "from",
            "the source from which the move to this place was begun",
            hint="Finish that move, or take away what is at the target; two sources are never mixed.",
        )


class MoveMarks:
    """The mark of one move. Others may be moving other tenants to the same place, or the very same: what they have
    written into it stays."""

    def __init__(self, source: MoveSource, target: MoveTarget, begun: dict[str, str]) -> None:
        self._chest: VaultAssets = target.chest
        with in_turn(self._chest, _TURN):
            former = read_mark(self._chest.get(MARK))
            mark = MoveMark(
                source=str(source.place),
                key=source.key,
                token=secrets.token_hex(16),
                new=former.new if former is not None else target.key is None,
                tenants={**(former.tenants if former is not None else {}), **begun},
            )
            self._write(mark)
            if source.chest.get(MARK) == canonical(mark):  # one place under two names
                self._write(former)
                raise same_place()

    @property
    def unfinished(self) -> tuple[str, ...]:
        """The tenants that are not whole, whoever moves them."""
        mark = read_mark(self._chest.get(MARK))
        return () if mark is None else tuple(sorted(mark.tenants))

    def whole(self, tenant: str) -> None:
        """Take note that a tenant is whole. Where somebody else was done first there is nothing left to note."""
        with in_turn(self._chest, _TURN):
            mark = read_mark(self._chest.get(MARK))
            if mark is not None and tenant in mark.tenants:
                left = {name: first for name, first in mark.tenants.items() if name != tenant}
                self._write(msgspec.structs.replace(mark, tenants=left))

    def settle(self) -> bool:
        """Take note that all is whole, if it is; whether that is so."""
        with in_turn(self._chest, _TURN):
            done = not self.unfinished
            if done:
                self._write(None)
            return done

    def _write(self, mark: MoveMark | None) -> None:
        if mark is None:
            self._chest.remove(MARK)
        else:
            self._chest.replace(MARK, canonical(mark))
