"""Strategies that ask a language model. The model is a function of the caller's; what it says is read with care, and
when it fails or says nothing of use, the answer is the one that was agreed on before."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Iterator
from itertools import islice

from muniment.contracts.strict.values import Json
from muniment_memledger.records import MemoryRecord
from muniment_memledger.strategies.policies import (
    Complete,
    ConflictResolution,
    ConflictResolverStrategy,
    ImportanceStrategy,
    Rerank,
    RerankerStrategy,
    WriteDecision,
    WritePolicyStrategy,
    reranked,
)

ACTIONS = frozenset({"store_anyway", "supersede", "merge", "accept_both", "reject_new"})
_WHOLE = re.compile(r"-?\d+")
_OPENING = re.compile(r"[\[{]")
_TRIES = 64
"""From so many brackets a value is read; an answer that has more before its JSON has none."""


def model_name(model: str, provider: str | None = None) -> str:
    """A model with its provider in front, once.

    >>> model_name("m-1", "acme"), model_name("acme/m-1", "acme"), model_name("m-1")
    ('acme/m-1', 'acme/m-1', 'm-1')
    """
    return model if not provider or model.startswith(f"{provider}/") else f"{provider}/{model}"


def extract_json(text: str) -> Json:
    """The first JSON object or list in a text, whatever stands around it; None if there is none.

    >>> extract_json('Sure: {"a": 1}.'), extract_json("no")
    ({'a': 1}, None)
    """
    return next(_values(text), None)


def _values(text: str) -> Iterator[Json]:
    decoder = json.JSONDecoder()
    for found in islice(_OPENING.finditer(text), _TRIES):
        try:
            value: Json = decoder.raw_decode(text, found.start())[0]
        except (json.JSONDecodeError, RecursionError):
            continue
        yield value


class _Asking:
    """What these strategies share: the model's name and the function that reaches it."""

    def __init__(self, model: str, provider: str | None, complete: Complete | None, prompt: str) -> None:
        self.model = model_name(model, provider)
        self.prompt = prompt
        self._complete = complete

    async def ask(self, *words: str) -> str | None:
        """What the model says; None if there is no model, or it failed."""
        if self._complete is None:
            return None
        (answer,) = await asyncio.gather(self._call("\n".join((self.prompt, *words))), return_exceptions=True)
        return answer if isinstance(answer, str) else None

    async def _call(self, prompt: str) -> str:
        assert self._complete is not None
        answer = self._complete(prompt)
        return await answer if isinstance(answer, Awaitable) else answer


class LLMImportance(_Asking, ImportanceStrategy):
    """The first whole number the model says, out of ten."""

    def __init__(
        self,
        model: str = "",
        provider: str | None = None,
        prompt: str = "How important is it to remember this, from 1 to 10? Answer with the number.",
        fallback: float = 0.5,
        complete: Complete | None = None,
    ) -> None:
        super().__init__(model, provider, complete, prompt)
        self._fallback = fallback

    async def score(self, record: MemoryRecord) -> float:
        found = _WHOLE.search(await self.ask(record.content) or "")
        return min(1.0, max(0.0, int(found[0]) / 10)) if found is not None else self._fallback


class LLMGated(_Asking, WritePolicyStrategy):
    """The model says whether a record is worth keeping."""

    def __init__(
        self,
        model: str = "",
        provider: str | None = None,
        prompt: str = 'Is this worth remembering? Answer with JSON: {"store": true or false, "reason": "..."}',
        fallback_store: bool = True,
        complete: Complete | None = None,
    ) -> None:
        super().__init__(model, provider, complete, prompt)
        self._fallback = fallback_store

    async def should_store(self, record: MemoryRecord) -> WriteDecision:
        said = extract_json(await self.ask(record.content) or "")
        store = said.get("store", said.get("should_store")) if isinstance(said, dict) else None
        if not isinstance(said, dict) or not isinstance(store, bool):
            return WriteDecision(should_store=self._fallback, reason="the model gave no usable answer")
        reason = said.get("reason")
        return WriteDecision(should_store=store, reason=reason if isinstance(reason, str) else None)


class LLMResolver(_Asking, ConflictResolverStrategy):
    """The model says what to do about two records that are too near to each other."""

    def __init__(
        self,
        model: str = "",
        provider: str | None = None,
        prompt: str = 'What is to be done with the NEW memory? Answer with JSON: {"action": one of '
        + ", ".join(sorted(ACTIONS))
        + ', "merged_content": "..."}',
        fallback_action: str = "store_anyway",
        complete: Complete | None = None,
    ) -> None:
        if fallback_action not in ACTIONS:
            raise ValueError(f"fallback_action: expected one of {', '.join(sorted(ACTIONS))}")
        super().__init__(model, provider, complete, prompt)
        self._fallback = fallback_action

    async def resolve(
        self, new_record: MemoryRecord, existing_record: MemoryRecord, similarity: float
    ) -> ConflictResolution:
        words = (f"EXISTING: {existing_record.content}", f"NEW: {new_record.content}", f"alike: {similarity:.2f}")
        said = extract_json(await self.ask(*words) or "")
        action = said.get("action") if isinstance(said, dict) else None
        if not isinstance(said, dict) or action not in ACTIONS:
            return ConflictResolution(action=self._fallback, reason="the model gave no usable answer")
        reason, merged = said.get("reason"), said.get("merged_content")
        if action == "merge" and not (isinstance(merged, str) and merged.strip()):
            return ConflictResolution(action=self._fallback, reason="the model merged without a text")
        return ConflictResolution(
            action=str(action),
            reason=reason if isinstance(reason, str) else None,
            supersede_id=existing_record.id if action == "supersede" else None,
            merged_content=str(merged) if action == "merge" else None,
        )


class LLMRerank(_Asking, RerankerStrategy):
    """The model names the ids in order; those it forgets come after, in the order they had."""

    def __init__(
        self,
        model: str = "",
        provider: str | None = None,
        rerank_fn: Rerank | None = None,
        top_k: int = 10,
        prompt: str = "Order these memories by how well they answer. Answer with a JSON list of their ids.",
        complete: Complete | None = None,
    ) -> None:
        super().__init__(model, provider, complete, prompt)
        self._rerank = rerank_fn
        self._top_k = top_k

    async def rerank(self, query: str, records: list[MemoryRecord]) -> list[MemoryRecord]:
        if not records:
            return []
        ordered = await reranked(self._rerank, records)
        shown = [f"{record.id}: {record.content}" for record in ordered[: self._top_k]]
        said = extract_json(await self.ask(f"QUESTION: {query}", *shown) or "")
        names = said.get("ids", said.get("order")) if isinstance(said, dict) else said
        if not isinstance(names, list):
            return ordered
        known = {record.id: record for record in ordered}
        first = [known[name] for name in dict.fromkeys(map(str, names)) if name in known]
        return [*first, *(record for record in ordered if record not in first)]
