"""Ours, as always: policy, nine steps, ledger, receipts and gates on, every acknowledged write durable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from bench.peers.course import run
from bench.peers.job import Turn
from bench.peers.vectors import Vectors
from muniment import Memory
from muniment.model.claim import Claim
from muniment.model.claim_options import ClaimOptions, make_claim


class _Store:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._agent = memory.as_actor("race")
        self._numbers: dict[str, list[int]] = defaultdict(list)

    def add(self, first: int, turns: Sequence[Turn]) -> int:
        claims = [self._claim(turn) for turn in turns]
        verdicts = [self._agent.propose(claims[0])] if len(claims) == 1 else self._agent.propose(claims)
        for number, verdict in enumerate(verdicts, first):
            if stands_as := verdict.record_id or verdict.duplicate_of:
                self._numbers[stands_as].append(number)
        return sum(verdict.committed for verdict in verdicts)

    def _claim(self, turn: Turn) -> Claim:
        options: ClaimOptions = {
            "confidence": 0.8,
            "evidence": [f"session:{turn.session}"],
            "session_id": turn.session,
            "event_time": turn.said,
        }
        return make_claim(turn.text, self._agent.actor, options)

    def settle(self) -> None:
        self._memory.flush()

    def search(self, question: str, keep: int) -> list[int]:
        found = self._memory.recall(question, limit=keep).records
        return [number for one in found for number in self._numbers[one.record.id]][:keep]

    def close(self) -> None:
        self._memory.close()


class Muniment:
    version = version("muniment")
    settings = (
        "one tenant, built-in policy, an agent proposing with evidence; nine steps, ledger, receipts and gates on; "
        "every acknowledgement is on disk (synchronous=FULL); vectors trail and are waited for; "
        "a text longer than the model's window is embedded passage by passage, where the peers' vectors see its start"
    )

    def open(self, folder: Path, vectors: Vectors) -> _Store:
        return _Store(Memory.open(folder, embedder=vectors))


if __name__ == "__main__":
    run(Muniment())
