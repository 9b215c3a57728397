"""The six tools of a server object: listed with schemas, called by name, under the access rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contracts.cites import cites
from tests.contracts.memledger.room import play

from muniment.model.errors import ConfigurationError, Malformed
from muniment_memledger import (
    AccessRule,
    ConfidencePolicy,
    Memledger,
    MemledgerMCPServer,
    NamespaceAccessDenied,
    NamespacePolicy,
    NamespaceRBAC,
    Neo4jChainStore,
)

NAMES = ["memory_store", "memory_search", "memory_recall", "memory_delete", "memory_stats", "memory_namespaces"]


@cites("MEML-091")
def test_a_server_object_lists_the_six_tools_and_answers_in_text(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        server = MemledgerMCPServer(ml, identity="ana")
        tools = {str(tool["name"]): tool["inputSchema"] for tool in server.list_tools()}
        assert [*tools] == NAMES
        stored = tools["memory_store"]
        assert isinstance(stored, dict)
        assert stored["required"] == ["content"]
        assert isinstance(stored["properties"], dict)
        assert {"namespace", "record_type", "metadata", "confidence", "hedged"} < stored["properties"].keys()

        told = await server.call_tool("memory_store", {"content": "The pump is red", "namespace": "/ops"})
        name = told.removeprefix("Stored as ")
        kept = await ml.get(name)
        assert kept is not None
        assert (kept.created_by, kept.namespace, kept.confidence) == ("ana", "/ops", 0.5)
        assert (
            await server.call_tool("memory_search", {"query": "pump"})
            == f"1. ({name}) The pump is red [low confidence]"
        )
        assert await server.call_tool("memory_search", {"query": "pump", "min_threshold": 0.6}) == (
            "No relevant memories found."
        )
        assert await server.call_tool("memory_recall", {"query": "pump"}) == "No relevant memories found."
        assert await server.call_tool("memory_stats") == "1 memories: 1 semantic"
        assert await server.call_tool("memory_namespaces", {}) == "/ops"
        assert await server.call_tool("memory_delete", {"record_id": name}) == f"Memory {name} deleted."
        assert await server.call_tool("memory_delete", {"record_id": "none"}) == "Memory none not found."
        assert await server.call_tool("memory_stats") == "0 memories"

    play(vault, story, gate=ConfidencePolicy())


def test_the_tools_give_nothing_to_whoever_the_rules_give_nothing(vault: Path) -> None:
    rules = NamespaceRBAC()
    rules.set_policy(NamespacePolicy("*", [AccessRule("root", {"read", "write"})], default_permissions=set()))

    async def story(ml: Memledger) -> None:
        name = await ml.add("The code is 4711", agent_id="root")
        for server in (MemledgerMCPServer(ml), MemledgerMCPServer(ml, identity="eve")):
            with pytest.raises(NamespaceAccessDenied):
                await server.call_tool("memory_store", {"content": "Mine"})
            answers = [
                await server.call_tool("memory_search", {"query": "code"}),
                await server.call_tool("memory_recall", {"query": "code"}),
                await server.call_tool("memory_delete", {"record_id": name}),
                await server.call_tool("memory_stats", {"namespace": "/"}),
                await server.call_tool("memory_namespaces"),
            ]
            nothing = "No relevant memories found."
            assert answers == [nothing, nothing, f"Memory {name} not found.", "0 memories", "There are none."]
        assert "4711" in await MemledgerMCPServer(ml).call_tool("memory_search", {"query": "code", "agent_id": "root"})

    play(vault, story, rbac=rules)


def test_a_tool_or_argument_that_is_not_there_is_refused(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        server = MemledgerMCPServer(ml)
        for name, arguments, field in (
            ("memory_burn", {}, "tool"),
            ("memory_store", {}, "arguments"),
            ("memory_store", {"content": "x", "mood": "red"}, "arguments"),
            ("memory_search", {"query": 7}, "arguments"),
        ):
            with pytest.raises(Malformed) as refused:
                await server.call_tool(name, arguments)
            assert refused.value.field == field

    play(vault, story)


def test_a_chain_store_that_is_not_served_says_so() -> None:
    with pytest.raises(ConfigurationError) as refused:
        Neo4jChainStore("bolt://localhost:7687", "neo4j", password="x")

    assert refused.value.setting == "chain_store"
