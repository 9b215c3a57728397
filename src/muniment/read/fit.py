"""Know when not to answer: how likely anything that was found fits, and how weak is too weak to be told."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.model.receipt import Plan
from muniment.ports.store import Snapshot
from muniment.read.find import Found


def fit_of(snapshot: Snapshot, plan: Plan, found: Mapping[int, Found]) -> float | None:
    return None


def weak_below(plan: Plan, best: float) -> float:
    return 0.0
