"""How far a record can be leaned on, as a number from 0 to 100, by our formula or by the one memledger publishes.

A quality is told beside a record, with the profile it was computed by. It decides nothing: what may be told is the
gate's to say. Attribution over several records is in `trust.attribution`.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import assert_never

from muniment.model import checks
from muniment.model.errors import Malformed
from muniment.model.value import Value

UNATTRIBUTED_COST = 20
UNSOURCED_COST = 10
HEDGED_COST = 5
CONFLICT_COST = 15
CONFLICTS_COUNTED = 3
DOUBT = 2.0
"""As many outcomes as we wait for before they weigh as much as the benefit of the doubt."""


class QualityFormula(StrEnum):
    """Whose formula: ours, or memledger's for callers that compare with it."""

    MUNIMENT = "muniment"
    MEMLEDGER = "memledger"


class QualityInputs(Value):
    """What is known about one record that its quality may depend on.

    `effective` is the weakest link: the lowest confidence, after outcomes, of the record and everything it was derived
    from. `confidence` is its own. `helpful` and `misleading` are outcomes beyond the prior, by weight. `attributed` is
    whether somebody is named as its author, which `actor`, who brought it, need not be. `conflicts` are open ones.
    """

    effective: float
    confidence: float
    helpful: float = 0.0
    misleading: float = 0.0
    accesses: int = 0
    conflicts: int = 0
    hedged: bool = False
    attributed: bool = True
    sourced: bool = True
    session: bool = True
    actor: str = ""

    def __post_init__(self) -> None:
        checks.unit_interval("effective", self.effective)
        checks.unit_interval("confidence", self.confidence)
        for name in ("helpful", "misleading"):
            checks.number(name, getattr(self, name))
            if getattr(self, name) < 0:
                raise Malformed(name, "a number that is not below 0")
        checks.whole("accesses", self.accesses, least=0, most=2**63 - 1)
        checks.whole("conflicts", self.conflicts, least=0, most=2**63 - 1)
        for name in ("hedged", "attributed", "sourced", "session"):
            checks.flag(name, getattr(self, name))
        checks.plain_text("actor", self.actor)


def memory_quality(merits: QualityInputs, profile: QualityFormula = QualityFormula.MUNIMENT) -> int:
    """The quality of one record, 0 to 100, by the formula of a profile.

    >>> fresh = QualityInputs(effective=1.0, confidence=1.0)
    >>> memory_quality(fresh), memory_quality(fresh, QualityFormula.MEMLEDGER)
    (100, 72)
    """
    match profile:
        case QualityFormula.MUNIMENT:
            return _ours(merits)
        case QualityFormula.MEMLEDGER:
            return _theirs(merits)
        case _:
            assert_never(profile)


def _ours(merits: QualityInputs) -> int:
    """100 · min(effective, borne out) − 20 unattributed − 10 unsourced − 15 per open conflict, to three − 5 hedged.

    - `effective`, the weakest link, is the ceiling and is taken as it stands. A record that is believed wholly is not
      marked down for being new, and one that is not believed at all gets no points for anything else.
    - Borne out is (helpful + 2) / (helpful + misleading + 2): one with no outcomes, falling to the share that helped.
      It is the lower of the two that counts and not their product, since outcomes have already moved the confidence.
      Good outcomes therefore raise a record by raising its confidence, and never above what it stands on.
    - Nobody named as author: nobody can be asked. No source or evidence: nothing can be looked up.
    - Each open conflict costs, up to three: a claim in dispute is not to be leaned on, but a crowd of rivals must not
      be a way to bury it.
    - A hedge is the author's own warning and costs the same everywhere, because costs are whole points and the only
      rounding, half up, is done before them.
    - Uses are left out. That a record is often told says that it matches often, not that it is right.
    """
    borne_out = 1.0 / (1.0 + merits.misleading / (merits.helpful + DOUBT))
    costs = CONFLICT_COST * min(merits.conflicts, CONFLICTS_COUNTED)
    costs += 0 if merits.attributed else UNATTRIBUTED_COST
    costs += 0 if merits.sourced else UNSOURCED_COST
    costs += HEDGED_COST if merits.hedged else 0
    return max(0, math.floor(100.0 * min(merits.effective, borne_out) + 0.5) - costs)


def _theirs(merits: QualityInputs) -> int:
    """round(60 · effective + 25 · (s + 1) / (s + f + 2) + 1.5 · min(accesses, 10) − 10 · conflicts − 5 · hedged).

    As published, its rounding of halves to even included. Two things differ from what their code gives: confidence 0
    is scored as 0 (their code reads it as 0.5, so 42 where the formula says 12), and conflicts count, which their
    stores do not keep.
    """
    outcomes = (merits.helpful + 1.0) / (merits.helpful + merits.misleading + 2.0)
    points = 60.0 * merits.effective + 25.0 * outcomes + 1.5 * min(merits.accesses, 10)
    return min(100, max(0, round(points - 10.0 * merits.conflicts - (5.0 if merits.hedged else 0.0))))
