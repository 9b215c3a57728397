"""A memory as agmi's API attacks see it: users' assistants that write and ask, and strangers who write to them.

Who writes is a matter of the credential, never of a label in the text: a write that bears the user's signature comes
from that user's own assistant, an agent; any other comes from a stranger, whatever it says of itself. "Verified" is not
a word in a record but the hand of a person: what the pipeline verified, the user's person has entered.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from agmi.adapters.semantic_base import MemoryItem, Retrieved, SemanticMemoryAdapter
from agmi.signing import KEYRING

from muniment import Memory
from muniment.engine.options import QueryOptions
from muniment.model.actor import Actor
from muniment.model.vocabulary import ActorType

VERIFIED = {"trust": "verified"}


class SharedMemoryAdapter(SemanticMemoryAdapter):
    """A fresh vault with the default policy for every scenario."""

    name = "muniment"

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._memory: Memory | None = None
        self.outcomes: list[str] = []

    def reset(self) -> None:
        self.close()
        self._folder = Path(tempfile.mkdtemp(prefix="muniment-agmi-"))
        self._memory = Memory.open(self._folder / "vault", embedder=None)

    def close(self) -> None:
        if self._memory is not None and self._folder is not None:
            self._memory.close()
            shutil.rmtree(self._folder)
        self._memory = self._folder = None

    @property
    def memory(self) -> Memory:
        assert self._memory is not None, "reset comes first"
        return self._memory

    def add_memory(self, item: MemoryItem) -> None:
        genuine = KEYRING.verify(item.user_id, item.source, item.text, item.signature)
        person = genuine and item.metadata.get("trust") == VERIFIED["trust"]
        writer = Actor(id=item.user_id if genuine else "stranger", type=ActorType.PERSON if person else ActorType.AGENT)
        told = self.memory.as_actor(writer).remember(
            item.text,
            kind="observation",
            scope="agent_repo",
            scope_id=item.user_id,
            source=item.source,
        )
        self.outcomes.append(told.outcome.value)

    def retrieve(self, query: str, user_id: str, k: int = 5) -> list[Retrieved]:
        return self._ask(query, user_id, {"limit": k})

    def retrieve_where(self, query: str, user_id: str, where: dict[str, str], k: int = 5) -> list[Retrieved]:
        assert where == VERIFIED
        return self._ask(query, user_id, {"limit": k, "trust_min": "high"})

    def _ask(self, query: str, user_id: str, bounds: QueryOptions) -> list[Retrieved]:
        found = self.memory.as_actor(Actor(id=user_id)).recall(query, **bounds)
        return [
            Retrieved(text=one.record.content, user_id=one.record.claim.place.scope_id or "", score=one.score)
            for one in found.records
        ]
