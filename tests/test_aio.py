"""The async face on a real store: same answers, and callers that do not wait for one another."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from muniment import aio
from muniment.model.errors import Malformed


def test_an_async_caller_remembers_and_recalls(tmp_path: Path) -> None:
    async def story() -> tuple[str, list[str], bool]:
        async with await aio.Memory.open(tmp_path) as memory:
            verdict = await memory.remember("The nightly build uses Python 3.12")
            found = await memory.recall("nightly build")
            explained = await memory.explain(found.receipt_id)
            return verdict.decision, [one.record.content for one in found.records], explained.same_ids

    assert asyncio.run(story()) == ("append", ["The nightly build uses Python 3.12"], True)


def test_many_async_writers_are_all_acknowledged_and_kept(tmp_path: Path) -> None:
    async def story() -> tuple[int, int, bool]:
        async with await aio.Memory.open(tmp_path) as memory:
            agents = [memory.as_actor(f"agent-{number}") for number in range(20)]
            verdicts = await asyncio.gather(*(agent.remember(f"{agent.actor.id} was here") for agent in agents))
            stats, verified = await memory.stats(), await memory.ledger.verify()
            return len({verdict.record_id for verdict in verdicts}), stats.current, verified.ok

    assert asyncio.run(story()) == (20, 20, True)


def test_an_async_error_is_the_same_error(tmp_path: Path) -> None:
    async def story() -> None:
        async with await aio.Memory.open(tmp_path) as memory:
            await memory.remember("")

    with pytest.raises(Malformed, match="content"):
        asyncio.run(story())
