"""Programs written for memledger, as they stand: only the import is ours."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.contracts.memledger.room import WordCounts, play

from muniment_memledger import (
    AccessRule,
    BackendConfig,
    ConfidencePolicy,
    EmbeddingConfig,
    EpisodicRecord,
    Memledger,
    MemledgerConfig,
    MemoryStatus,
    NamespaceAccessDenied,
    NamespacePolicy,
    NamespaceRBAC,
    RecordType,
    SearchResult,
    SemanticRecord,
    compute_effective_confidence_map,
    record_from_dict,
)

NO_MODEL = EmbeddingConfig(provider="none")


def test_the_quickstart_of_a_single_agent(vault: Path) -> None:
    async def program() -> None:
        ml = await Memledger.create(
            backend_name="sqlite",
            backend_config={"path": str(vault / "memory.db"), "dimensions": 384},
            embedding_config=NO_MODEL,
        )
        assert ml.backend_name == "sqlite"
        assert await ml.health() is True
        name = await ml.add(
            "User prefers dark mode",
            record_type=RecordType.SEMANTIC,
            namespace="/users/ann",
            agent_id="assistant",
            user_id="ann",
            confidence=0.9,
            source="settings page",
            metadata={"topic": "ui"},
        )
        found = await ml.search("dark mode", namespace="/users/ann", top_k=3, record_type="semantic", user_id="ann")
        assert isinstance(found, SearchResult)
        assert (found.query, found.backend, found.search_time_ms > 0.0) == ("dark mode", "sqlite", True)
        (record,) = found.records
        assert isinstance(record, SemanticRecord)
        assert (record.id, record.source, record.metadata, record.user_id) == (
            name,
            "settings page",
            {"topic": "ui"},
            "ann",
        )
        assert record.score is not None
        assert 0.4 < record.score <= 1.0
        assert await ml.update(name, metadata={"topic": "look"})
        again = await ml.get(name)
        assert again is not None
        assert (again.metadata, again.access_count) == ({"topic": "look"}, 1)
        assert record_from_dict(again.model_dump()) == again
        assert await ml.list_namespaces() == ["/users/ann"]
        assert (await ml.stats("/users/ann"))["total_count"] == 1
        assert [entry.operation for entry in ml.audit.by_record(name)] == ["add", "update"]
        assert await ml.delete(name) is True
        assert (await ml.search("dark mode", namespace="/users/ann")).records == []
        kept = await ml.get(name)
        assert kept is not None
        assert kept.status == MemoryStatus.ARCHIVED
        await ml.close()
        assert await ml.health() is False
        await ml.close()

    asyncio.run(program())


def test_several_agents_with_access_rules_a_gate_and_a_lineage(vault: Path) -> None:
    rbac = NamespaceRBAC()
    rbac.set_policy(
        NamespacePolicy(
            namespace="/research",
            rules=[AccessRule(agent_pattern="researcher-*", permissions={"read", "write"})],
            default_permissions={"read"},
        )
    )
    rbac.set_policy(
        NamespacePolicy(
            namespace="/finance",
            rules=[AccessRule(agent_pattern="cfo", permissions={"read", "write"})],
            default_permissions=set(),
        )
    )

    async def program(ml: Memledger) -> None:
        assert ml.rbac is rbac
        rumour = await ml.add(
            "A blog says the vendor doubles its prices",
            namespace="/research",
            agent_id="researcher-1",
            confidence=0.3,
            session_id="q3",
        )
        claim = await ml.add(
            "The vendor doubles its prices next year",
            namespace="/research",
            agent_id="researcher-2",
            confidence=0.85,
            derived_from=[rumour],
            session_id="q3",
            workflow_id="budget",
            triggered_by="weekly run",
        )
        fact = await ml.add(
            "The vendor contract runs until December",
            namespace="/research",
            agent_id="researcher-1",
            confidence=0.95,
            session_id="q3",
        )
        await ml.add("The vendor budget is 4 million", namespace="/finance", agent_id="cfo", confidence=0.9)
        with pytest.raises(NamespaceAccessDenied) as denied:
            await ml.add("The vendor is great", namespace="/research", agent_id="intern")
        assert (denied.value.decision.operation, denied.value.decision.allowed) == ("write", False)
        assert isinstance(denied.value, PermissionError)

        gated = await ml.search(
            "vendor", requester_id="intern", top_k=10, confidence_policy={"min_threshold": 0.4, "flag_threshold": 0.6}
        )
        assert [(record.id, record.confidence_flag) for record in gated.records] == [(fact, "PASS")]
        assert gated.metadata["confidence_gating"] == {
            "passed": 1,
            "flagged": 0,
            "filtered": 2,
            "policy": {"min": 0.4, "flag": 0.6},
            "uses_effective_confidence": True,
        }
        everything = await ml.search("vendor", requester_id="intern", top_k=10)
        assert {record.id for record in everything.records} == {rumour, claim, fact}
        assert "confidence_gating" not in everything.metadata

        chain = await ml.get_attribution_chain(claim, direction="upstream", max_hops=5, requester_id="intern")
        assert (chain["root_memory_id"], chain["chain_depth"], chain["truncated"]) == (claim, 2, False)
        assert (chain["min_confidence"], chain["agents_involved"]) == (0.3, ["researcher-1", "researcher-2"])
        lineage = await ml.get_lineage(rumour, requester_id="intern")
        assert isinstance(lineage["derived_records"], list)
        assert [one["id"] for one in lineage["derived_records"] if isinstance(one, dict)] == [claim]
        assert {"record", "created_by", "workflow_id", "triggered_by", "accessed_by", "supersedes_chain"} < {*lineage}
        attribution = await ml.get_attribution(fact, requester_id="intern")
        assert (attribution["creator"], attribution["total_accesses"]) == ("researcher-1", 2)
        assert [user["agent_id"] for user in attribution["users"] if isinstance(user, dict)] == ["intern"]  # type: ignore[union-attr]  # a list
        assert len(await ml.get_by_session("q3", requester_id="intern")) == 3
        assert await ml.list_namespaces(requester_id="cfo") == ["/finance", "/research"]

    play(vault, program, rbac=rbac)


def test_a_lifecycle_of_outcomes_promotion_cascade_and_batches(vault: Path) -> None:
    told: list[str] = []

    async def program(ml: Memledger) -> None:
        ml.hooks.on_promote.append(lambda *_: told.append("promote"))
        ml.hooks.on_outcome.append(lambda *_: told.append("outcome"))
        episode = await ml.add(
            "Restarted the pods, and the queue drained",
            record_type=RecordType.EPISODIC,
            namespace="/ops",
            agent_id="sre",
            event_time=datetime(2026, 3, 1, tzinfo=UTC),
            duration_ms=9000,
            outcome="success",
            actors=["sre"],
        )
        for _ in range(3):
            assert await ml.record_outcome(episode, success=True) is True
        assert told == ["outcome", "outcome", "outcome", "promote"]
        (procedure,) = await ml.get_downstream(episode, max_depth=1)
        assert (procedure.record_type, procedure.created_by, procedure.importance) == (
            RecordType.PROCEDURAL,
            "memledger:auto_promote",
            0.8,
        )

        root = await ml.add("The queue limit is 500", namespace="/ops", agent_id="sre", confidence=0.9)
        only = await ml.add("Alerts fire at 400", namespace="/ops", agent_id="sre", derived_from=[root])
        both = await ml.add("Page the team at 450", namespace="/ops", agent_id="sre", derived_from=[root, episode])
        newer = await ml.add("The queue limit is 900", namespace="/ops", agent_id="sre", supersedes=root)
        plan = await ml.plan_cascade(root, new_memory_id=newer)
        assert (plan["source_memory_id"], plan["new_memory_id"], plan["downstream_count"]) == (root, newer, 2)
        assert {step["memory_id"]: step["action"] for step in plan["actions"] if isinstance(step, dict)} == {  # type: ignore[union-attr]  # a list
            only: "auto_deprecate",
            both: "flag_for_review",
        }
        assert await ml.execute_cascade(plan) == {"deprecated": [only], "flagged": [both], "skipped": []}
        flagged = await ml.get(both)
        assert flagged is not None
        assert (flagged.metadata["needs_review"], flagged.metadata["cascade_source"]) == (True, root)
        assert {record.id for record in await ml.get_by_status(MemoryStatus.DEPRECATED)} == {root, only}

        today = datetime.now(UTC)
        assert len(await ml.get_by_timerange(today - timedelta(hours=1), today + timedelta(hours=1), "/ops")) == 6
        assert await ml.bulk_update_status(ids=[both, newer], status="expired") == 2
        assert await ml.bulk_archive([both]) == 1
        assert {record.id for record in await ml.get_by_status("expired")} == {newer}
        assert await ml.record_outcome(both, True) is False
        assert await ml.update(both, metadata={"late": 1}) is False
        context = await ml.recall_context("pods queue", namespace="/ops", top_k=2)
        assert [record.id for record in context.similar_episodes] == [episode]
        assert [record.id for record in context.suggested_procedures] == [procedure.id]

    play(vault, program)

    async def later(ml: Memledger) -> list[str]:
        ml.hooks.on_promote.append(lambda *_: told.append("promote"))
        (episode,) = [one for one in await ml.get_by_status("active") if isinstance(one, EpisodicRecord)]
        assert await ml.record_outcome(episode.id, success=True)
        return [entry.operation for entry in ml.audit.recent(9)]

    assert play(vault, later) == ["outcome"]
    assert told.count("promote") == 1


def test_sixty_four_callers_on_two_instances_of_one_vault_lose_nothing(vault: Path) -> None:
    async def program() -> None:
        async with contextlib.AsyncExitStack() as stack:
            pair = [
                await stack.enter_async_context(await Memledger.create("sqlite", {"path": str(vault)}, NO_MODEL))
                for _ in range(2)
            ]

            async def work(number: int) -> tuple[str, bool]:
                own, other = pair[number % 2], pair[1 - number % 2]
                name = await own.add(f"Sensor {number} stands in room {number * 7}", agent_id=f"agent-{number % 5}")
                assert await own.record_outcome(name, True)
                seen = await other.get(name)
                found = await other.search(f"sensor {number} room {number * 7}", top_k=64)
                assert seen is not None
                assert seen.success_count == 1
                return name, name in {record.id for record in found}

            done = await asyncio.gather(*(work(number) for number in range(64)))
            assert len({name for name, _ in done}) == 64
            assert all(found for _, found in done)
            assert [len(await ml.get_by_status("active")) for ml in pair] == [64, 64]
            same = await asyncio.gather(*(pair[number % 2].add("All say this at once") for number in range(16)))
            assert len(set(same)) == 1
            pair[0].memory.ledger.verify()

    asyncio.run(program())


def test_an_instance_is_made_of_its_parts_with_plain_mappings(vault: Path) -> None:
    async def program() -> None:
        config = MemledgerConfig(
            backends={"main": {"provider": "sqlite", "config": {"path": str(vault)}}},  # type: ignore[dict-item]  # as a program may say it
            embeddings={"provider": "none"},  # type: ignore[arg-type]  # as a program may say it
            confidence_policy={"min_threshold": 0.2},  # type: ignore[arg-type]  # as a program may say it
        )
        assert config.backends["main"] == BackendConfig(provider="sqlite", config={"path": str(vault)})
        assert (config.embeddings, config.confidence_policy) == (NO_MODEL, ConfidencePolicy(0.2, 0.6))
        async with await Memledger.create(
            "sqlite", {"path": str(vault)}, NO_MODEL, config, confidence_policy=ConfidencePolicy(0.5, 0.7)
        ) as ml:
            await ml.add("The pump is red", confidence=0.45)
            assert len(await ml.search("pump")) == 0
            assert len(await ml.search("pump", confidence_policy=ConfidencePolicy(0.1, 0.2))) == 1
            everything = await ml.search("pump", top_k=1000)
            assert everything.metadata["top_k_max"] == 200
        assert config.confidence_policy == ConfidencePolicy(0.2, 0.6)

    asyncio.run(program())


def test_the_gate_helpers_work_on_found_records_and_the_chain_store(vault: Path) -> None:
    async def program(ml: Memledger) -> dict[str, float]:
        weak = await ml.add("Somebody heard the pump leaks", confidence=0.2)
        await ml.add("The pump leaks", confidence=0.9, derived_from=[weak])
        found = await ml.search("pump")
        effective = await compute_effective_confidence_map(found.records, ml.chain_store)
        return {record.content: effective[record.id] for record in found}

    assert play(vault, program, embedder=WordCounts()) == {"Somebody heard the pump leaks": 0.2, "The pump leaks": 0.2}
