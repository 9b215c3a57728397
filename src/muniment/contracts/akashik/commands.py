"""What each operation asks for, as a value: the payload read, its silences filled, in words of ours."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.contracts.akashik.words import (
    AttuneFormat,
    CompactStrategy,
    Depth,
    DetectMode,
    DisputeStatus,
    DisputeType,
    ReplayTarget,
    UnitStatus,
    UnitType,
)
from muniment.contracts.names import safe_id
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.claim import Claim
from muniment.model.query import Attunement
from muniment.model.value import Value


class FieldCaller(Value):
    """Who asks: known from the registration and the envelope, never from the payload."""

    id: str
    role: str
    session: str | None = None


class RecordCommand(Value):
    """Something to be remembered. `proposal` makes the same message twice count once."""

    claim: Claim
    draft: bool
    proposal: str | None = None


class AttuneCommand(Value):
    """What a caller should know, and within which bounds it wants to be told. With `since` it follows the Field: what
    was written or changed at or after that epoch, and nothing else."""

    about: Attunement
    limit: int
    since: int | None = None
    task: str | None = None
    budget: int | None = None
    threshold: float = 0.0
    recency: float | None = None
    format: AttuneFormat = AttuneFormat.FULL
    own: bool = False
    archived: bool = False


class DetectCommand(Value):
    """Which conflicts are asked for. None means "no bound", an empty list allows nothing."""

    mode: DetectMode
    target: str | None = None
    statuses: tuple[DisputeStatus, ...] | None = None
    types: tuple[DisputeType, ...] | None = None
    agents: tuple[str, ...] | None = None

    def selects(self, conflict: JsonObject, authors: Mapping[str, str]) -> bool:
        """Whether a conflict document is one of those; `authors` says who recorded which unit."""
        sides = {str(conflict["unit_a"]), str(conflict["unit_b"])}
        return (
            (self.mode is not DetectMode.CHECK or self.target in sides)
            and (self.statuses is None or conflict["status"] in self.statuses)
            and (self.types is None or conflict["type"] in self.types)
            and (self.agents is None or not sides.isdisjoint(_units_of(self.agents, authors)))
        )


def _units_of(agents: tuple[str, ...], authors: Mapping[str, str]) -> set[str]:
    return {unit for unit, author in authors.items() if author in agents}


class ReplayCommand(Value):
    """Whose past is asked for, and how much of it."""

    target_type: ReplayTarget
    target: str
    depth: Depth


class CompactCommand(Value):
    """Which units shall leave the foreground, and how."""

    strategy: CompactStrategy
    max_age: int | None = None
    session: str | None = None
    types: tuple[UnitType, ...] | None = None
    statuses: tuple[UnitStatus, ...] | None = None

    def selects(self, unit: JsonObject, *, epoch: int) -> bool:
        """Whether a unit is meant, at this epoch of the Field. A unit is too old when it is more epochs behind."""
        source = unit["source"]
        assert isinstance(source, dict), "a unit has a source"
        return (
            (self.max_age is None or epoch - _whole(unit["epoch"]) > self.max_age)
            and (self.session is None or _same(source.get("session_id"), self.session))
            and (self.types is None or unit["type"] in self.types)
            and (self.statuses is None or unit["status"] in self.statuses)
        )


def _same(said: Json, held: str) -> bool:
    return isinstance(said, str) and safe_id(said) == held


def _whole(value: Json) -> int:
    assert isinstance(value, int), "an epoch is a whole number"
    return value
