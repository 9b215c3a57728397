"""memledger's lexical check of two texts, and its count of how often a judge changes its mind with the order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from muniment.contracts.strict.values import Json, JsonObject
from muniment_memledger.records import MemoryRecord

_WORD = re.compile(r"\w+")
_WHOLE = re.compile(r"\d+")


def word_likeness(a: str, b: str) -> float:
    """The share of words two texts have in common, of all they have.

    >>> word_likeness("five pods run", "six pods run")
    0.5
    """
    one, other = set(_WORD.findall(a.lower())), set(_WORD.findall(b.lower()))
    return len(one & other) / len(one | other) if one | other else 0.0


class ConflictResult(msgspec.Struct, frozen=True):
    """Whether a text disagrees with a record, and with which."""

    has_conflict: bool = False
    existing_memory_id: str | None = None
    existing_agent: str | None = None
    similarity: float = 0.0
    action: str = "none"
    reason: str = ""


def check_conflict(
    new_content: str, new_agent: str, existing_records: Sequence[MemoryRecord], similarity_threshold: float = 0.7
) -> ConflictResult:
    """The record that says nearly the same in words and not the same in numbers; of several the most alike."""
    numbers = set(_WHOLE.findall(new_content))
    rivals = [
        (word_likeness(_WHOLE.sub("", new_content), _WHOLE.sub("", record.content)), record)
        for record in existing_records
        if set(_WHOLE.findall(record.content)) != numbers
    ]
    near = [(alike, record) for alike, record in rivals if alike >= similarity_threshold]
    if not near:
        return ConflictResult()
    alike, record = max(near, key=lambda pair: (pair[0], pair[1].id))
    author = record.created_by or record.agent_id
    same = author == new_agent
    return ConflictResult(
        has_conflict=True,
        existing_memory_id=record.id,
        existing_agent=author,
        similarity=alike,
        action="supersede" if same else "review",
        reason="the same author tells other numbers" if same else "two authors tell different numbers",
    )


class PositionBiasEvent(msgspec.Struct, frozen=True):
    """What a judge said of two texts in one order and in the other."""

    memory_a_id: str
    memory_b_id: str
    verdict_ab: str
    verdict_ba: str
    agreed: bool
    judge_id: str = "conflict_resolution"


_MIRROR = {"a": "b", "b": "a", "A": "B", "B": "A"}


class PositionBiasTracker:
    """Asks a judge twice, in both orders, and counts where the answers differ."""

    def __init__(self) -> None:
        self.events: list[PositionBiasEvent] = []

    @property
    def total_checks(self) -> int:
        return len(self.events)

    @property
    def disagreements(self) -> int:
        return sum(not event.agreed for event in self.events)

    @property
    def bias_rate(self) -> float:
        return self.disagreements / self.total_checks if self.events else 0.0

    def run_paired(
        self, judge_fn: Callable[[str, str], str], text_a: str, text_b: str, id_a: str = "", id_b: str = ""
    ) -> str:
        """The verdict of the first order. A judge that names a side by its place is read as naming the text."""
        first, second = judge_fn(text_a, text_b), judge_fn(text_b, text_a)
        agreed = first == _MIRROR.get(second, second)
        self.events.append(PositionBiasEvent(id_a, id_b, first, second, agreed))
        return first

    def summary(self) -> str:
        return f"{self.disagreements} of {self.total_checks} verdicts changed with the order ({self.bias_rate:.0%})"

    def to_otel_attributes(self) -> JsonObject:
        return {
            "memledger.judge.position_bias_rate": self.bias_rate,
            "memledger.judge.total_checks": self.total_checks,
            "memledger.judge.disagreements": self.disagreements,
        }

    def events_json(self) -> list[Json]:
        found: list[Json] = msgspec.to_builtins(self.events)
        return found
