"""Take in a text: find what is worth remembering, leave out what is private, propose the rest in the agent's name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping

from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks
from muniment.model.errors import Malformed
from muniment_memledger.desk import Desk
from muniment_memledger.extract import PROMPT, Extraction, by_answer, by_rule, is_private, public_text
from muniment_memledger.policies.namespace_rbac import WRITE
from muniment_memledger.writing import Writing, build_record

RULES, MODEL = "deterministic", "llm"
EXTRACTIONS_MAX = 1000


class Ingest:
    """Taking texts in, over one desk."""

    def __init__(self, desk: Desk, writing: Writing) -> None:
        self._desk = desk
        self._writing = writing

    async def take(
        self,
        context: str,
        agent_id: str | None,
        *,
        namespace: str,
        strategy: str,
        most: int,
        least_sure: float,
        metadata: Mapping[str, object],
    ) -> JsonObject:
        if strategy not in (RULES, MODEL):
            raise Malformed("strategy", f"{MODEL} or {RULES}")
        checks.whole("max_extractions", most, least=0, most=EXTRACTIONS_MAX)
        checks.unit_interval("min_confidence", least_sure)
        self._desk.require(agent_id, namespace, WRITE)
        used, found = await self._found(context, strategy)
        kept = [one for one in found if one.confidence >= least_sure and not self._private(one, agent_id)][:most]
        told: list[Json] = []
        names: list[Json] = []
        for one in kept:
            name = await self._add(one, agent_id, namespace, metadata)
            told.append(
                {
                    "content": one.content,
                    "record_type": one.record_type.value,
                    "confidence": one.confidence,
                    "pattern_name": one.pattern_name,
                    "memory_id": name,
                }
            )
            if name:
                names.append(name)
        self._desk.audit.log("ingest", agent_id=agent_id, namespace=namespace, strategy=used, stored=len(names))
        return {
            "strategy_used": used,
            "extractions": told,
            "memory_ids": names,
            "total_extracted": len(kept),
            "total_stored": len(names),
        }

    def _private(self, one: Extraction, agent_id: str | None) -> bool:
        if not is_private(one.content):
            return False
        self._desk.audit.log("pii_blocked", agent_id=agent_id)
        return True

    async def _add(self, one: Extraction, agent_id: str | None, namespace: str, metadata: Mapping[str, object]) -> str:
        fields = {
            "namespace": namespace,
            "agent_id": agent_id,
            "created_by": agent_id,
            "confidence": one.confidence,
            "metadata": dict(metadata),
        }
        return await self._writing.add(build_record(one.content, one.record_type, fields, {}), chosen_id=False)

    async def _found(self, context: str, strategy: str) -> tuple[str, list[Extraction]]:
        """What was found, and by what. A model that is not there, fails or finds nothing gives way to the rules."""
        if strategy == MODEL and self._desk.complete is not None:
            (answer,) = await asyncio.gather(self._ask(public_text(context)), return_exceptions=True)
            found = by_answer(answer) if isinstance(answer, str) else []
            if found:
                return MODEL, found
        return RULES, by_rule(context)

    async def _ask(self, text: str) -> str:
        assert self._desk.complete is not None
        answer = self._desk.complete(PROMPT + text)
        return await answer if isinstance(answer, Awaitable) else answer
