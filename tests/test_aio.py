"""The async face on a real store: same answers, and callers that do not wait for one another."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.patience import WAIT_S

from muniment import aio
from muniment.model.entity import Entity, EntityKind
from muniment.model.errors import Malformed, OnHold


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
            stats, verified = await memory.insight.stats(), await memory.ledger.verify()
            return len({verdict.record_id for verdict in verdicts}), stats.current, verified.ok

    assert asyncio.run(story()) == (20, 20, True)


def test_an_async_error_is_the_same_error(tmp_path: Path) -> None:
    async def story() -> None:
        async with await aio.Memory.open(tmp_path) as memory:
            await memory.remember("")

    with pytest.raises(Malformed, match="content"):
        asyncio.run(story())


def test_an_async_caller_weighs_follows_and_settles(tmp_path: Path) -> None:
    async def story() -> list[object]:
        async with await aio.Memory.open(tmp_path) as memory:
            source = (await memory.remember("A forum post says that caches may be shared", confidence=0.5)).record_id
            assert source is not None
            plan = (await memory.remember("One cache serves all", confidence=0.9, derived_from=[source])).record_id
            assert plan is not None
            graph = await memory.insight.lineage(plan, direction="up", depth=1, types=["derived_from"], limit=2)
            foreseen = await memory.insight.foresee(source, becomes="expired")
            moved = await memory.review.outcome(source, "misleading", weight=0.5, evidence="it failed")
            sides = [
                await memory.as_actor(name).remember(f"The nightly build takes {number} minutes", confidence=0.8)
                for name, number in (("a", 40), ("b", 55))
            ]
            (conflict,) = sides[1].conflict_ids
            settled = await memory.review.resolve(
                conflict, strategy="last_write_wins", rationale="it was measured again"
            )
            vouched = await memory.review.vouch(str(settled.winner), origin="person", reason="measured it")
            promoted = await memory.review.promote(
                plan, scope="agent_team", scope_id="core", evidence=["e"], owner="lead"
            )
            swept, known = await memory.review.sweep(), await memory.insight.directory("nightly build", limit=5)
            quality = await memory.insight.quality(profile="memledger")
            return [
                [node.depth for node in graph.nodes],
                [fall.after.support.value for fall in foreseen.falls],
                (moved.outcome.value, vouched.outcome.value, promoted.outcome.value),
                (settled.status, settled.winner == sides[1].record_id),
                (swept.expired, [knower.actor for knower in known.knowers]),
                (quality.profile.value, quality.records),
            ]

    assert asyncio.run(story()) == [
        [-1, 0],
        ["fallen"],
        ("committed", "committed", "held"),
        ("resolved", True),
        ((), ["b"]),
        ("memledger", 3),
    ]


COLOURS = ("red", "blue")


def _colours(texts: list[str]) -> list[list[float]]:
    """A model that knows two colours, and crimson as a red."""
    words = [text.lower().replace("crimson", "red").split() for text in texts]
    return [[0.01, *(float(colour in held) for colour in COLOURS)] for held in words]


class Sirens:
    """An extractor that finds one name."""

    def extract(self, text: str) -> tuple[Entity, ...]:
        found = "siren" in text
        return (Entity(kind=EntityKind.NAME, text="siren", key="siren"),) if found else ()


def test_an_async_caller_finds_by_meaning_by_name_and_by_what_is_new(tmp_path: Path) -> None:
    async def story() -> list[object]:
        async with await aio.Memory.open(tmp_path, embedder=_colours, extractor=Sirens()) as memory:
            await memory.remember("The siren is crimson")
            reached, state = await memory.flush(timeout=WAIT_S), await memory.insight.searching()
            found = await memory.recall("something red", limit=1)
            names, view = await memory.review.alias("alarm", "siren"), await memory.insight.entity("alarm", limit=5)
            news = await memory.attune(role="guard", task="red things", interests=["noise"], since=found.epoch + 1)
            return [
                (reached.upto, reached.model == state.model == found.searched.model, state.trailing),
                [one.record.content for one in found.records],
                (names, len(view.records)),
                (news.records, found.render(budget_tokens=200).citations[0].marker),
            ]

    assert asyncio.run(story()) == [
        (3, True, 0),
        ["The siren is crimson"],
        (("siren", "alarm"), 1),
        ((), "[1]"),
    ]


def test_an_async_guardian_erases_holds_and_withdraws(tmp_path: Path) -> None:
    async def story() -> list[object]:
        async with await aio.Memory.open(tmp_path, embedder=None) as memory:
            name = (await memory.remember("The siren is crimson", source="forum.example")).record_id
            other = (await memory.remember("The door is oak", source="carpenter")).record_id
            assert name is not None
            assert other is not None
            placed = await memory.erasure.hold(source="forum.example", reason="case 7")
            held = await memory.erasure.holds()
            with pytest.raises(OnHold):
                await memory.forget(name, reason="asked to")
            await memory.erasure.lift(placed.id, reason="closed")
            apart = await memory.review.quarantine(name, reason="odd")
            listed = await memory.review.quarantined()
            await memory.review.release(name, reason="fine")
            withdrawn = await memory.erasure.withdraw("source", "carpenter", reason="he left", dry_run=True)
            plan = await memory.forget(source="forum.example", reason="asked to", dry_run=True)
            done = await memory.forget(source="forum.example", reason="asked to", expected=plan.plan.digest)
            certificates = await memory.erasure.certificates()
            return [
                (held == (placed,), apart.outcome.value, [one.record.id == name for one in listed]),
                (withdrawn.records == (other,), withdrawn.verdict),
                (certificates == (done.certificate,), done.scrubbed),
            ]

    assert asyncio.run(story()) == [(True, "committed", [True]), (True, None), (True, True)]
