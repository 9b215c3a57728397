"""What is known about a situation, by record type."""

from __future__ import annotations

import msgspec

from muniment_memledger.records import EpisodicRecord, MemoryRecord, Model, ProceduralRecord

NOTHING = "No relevant memories found."


class ContextualRecall(Model):
    """What is known about a situation: like episodes, procedures that may help, and what failed before."""

    similar_episodes: list[MemoryRecord] = msgspec.field(default_factory=list)
    suggested_procedures: list[MemoryRecord] = msgspec.field(default_factory=list)
    known_failures: list[MemoryRecord] = msgspec.field(default_factory=list)
    query: str = ""
    search_time_ms: float = 0.0

    @property
    def has_results(self) -> bool:
        return self.total_count > 0

    @property
    def total_count(self) -> int:
        return len(self.similar_episodes) + len(self.suggested_procedures) + len(self.known_failures)

    def summary(self) -> str:
        """All of it as text for a prompt."""
        if not self.has_results:
            return NOTHING
        parts = (
            ("similar episode(s)", "## Similar Episodes", self.similar_episodes),
            ("suggested procedure(s)", "## Suggested Procedures", self.suggested_procedures),
            ("known failure(s) to avoid", "## Known Failures (avoid these approaches)", self.known_failures),
        )
        counts = ", ".join(f"{len(records)} {what}" for what, _, records in parts if records)
        lines = [f"Found {counts} (search took {self.search_time_ms:.0f}ms):"]
        for _, title, records in parts:
            if records:
                lines += [title, *(_line(number, record) for number, record in enumerate(records, start=1))]
        return "\n".join(lines)


def _line(number: int, record: MemoryRecord) -> str:
    outcome = f" → {record.outcome}" if isinstance(record, EpisodicRecord) and record.outcome else ""
    score = f" (score: {record.score:.3f})" if record.score else ""
    steps = record.steps if isinstance(record, ProceduralRecord) else []
    listed = "".join(f"\n     {place}. {step}" for place, step in enumerate(steps, start=1))
    return f"  {number}. [{record.namespace}]{score}: {record.content}{outcome}{listed}"
