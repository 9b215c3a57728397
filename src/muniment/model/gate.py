"""The confidence gate: two thresholds on effective confidence, and what they say of one record."""

from __future__ import annotations

from muniment.model import checks
from muniment.model.errors import Malformed
from muniment.model.filter import covers
from muniment.model.value import Value, as_fraction
from muniment.model.vocabulary import GateFlag, Support

TOLD = (Support.STANDING, Support.FLAGGED)
"""The support under which a record may be told at all."""


class Thresholds(Value):
    """Below `min` a record is kept back, below `flag` it is told with a warning. There is no "off": 0 lets all by."""

    min: float
    flag: float

    def __post_init__(self) -> None:
        checks.unit_interval("gate_min", self.min)
        checks.unit_interval("gate_flag", self.flag)
        if self.min > self.flag:
            raise Malformed("gate_flag", f"a number that is not below gate_min, which is {self.min:g}")
        for name in ("min", "flag"):
            as_fraction(self, name)


USUAL = Thresholds(min=0.4, flag=0.6)


class Gates(Value):
    """The thresholds in force: one pair for everything, and others for single namespaces and what is below them."""

    engine: Thresholds = USUAL
    namespaces: tuple[tuple[str, Thresholds], ...] = ()

    def at(self, namespace: str) -> Thresholds:
        """The thresholds of the nearest namespace above.

        >>> Gates(namespaces=(("/hr", Thresholds(min=0.7, flag=0.9)),)).at("/hr/pay").min
        0.7
        """
        over = [(len(space), thresholds) for space, thresholds in self.namespaces if covers(space, namespace)]
        return max(over, key=lambda found: found[0])[1] if over else self.engine

    def asked(self, lowest: float | None, flag: float | None) -> Gates:
        """The same with what one call asks for put in place of it, everywhere. A threshold the call is silent about
        gives way to the other, so that the two are never crossed by mixing."""
        if lowest is None and flag is None:
            return self
        if lowest is not None and flag is not None:
            return Gates(engine=Thresholds(min=lowest, flag=flag))
        spaces = tuple((space, _mixed(one, lowest, flag)) for space, one in self.namespaces)
        return Gates(engine=_mixed(self.engine, lowest, flag), namespaces=spaces)


def _mixed(thresholds: Thresholds, lowest: float | None, flag: float | None) -> Thresholds:
    if lowest is not None:
        checks.unit_interval("gate_min", lowest)
        return Thresholds(min=lowest, flag=max(lowest, thresholds.flag))
    assert flag is not None
    return Thresholds(min=thresholds.min, flag=flag)


def gate_flag(effective: float, support: Support, thresholds: Thresholds) -> GateFlag:
    """What the gate says. What has lost its support is kept back, however sure it was.

    >>> gate_flag(0.7, Support.STANDING, Thresholds(min=0.4, flag=0.7)).value
    'PASS'
    """
    if support not in TOLD or effective < thresholds.min:
        return GateFlag.FILTER
    return GateFlag.FLAG if support is Support.FLAGGED or effective < thresholds.flag else GateFlag.PASS
