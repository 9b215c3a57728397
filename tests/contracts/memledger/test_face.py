"""The face is theirs: every name, method, parameter and default; and their commands have counterparts among ours."""

from __future__ import annotations

import inspect

import typer
from tests.cases import each

from muniment.compat import memledger
from muniment.surfaces.cli import app
from muniment_memledger import Memledger
from muniment_memledger.mapping import COMMANDS, TOOLS

NAMES = [
    "Memledger",
    "MemledgerConfig",
    "register_backend",
    "BackendProvider",
    "MemoryRecord",
    "SemanticRecord",
    "EpisodicRecord",
    "ProceduralRecord",
    "RecordType",
    "MemoryStatus",
    "MemoryStats",
    "SearchResult",
    "record_from_dict",
    "AuditLog",
    "ContextualRecall",
    "ScoringConfig",
    "compute_confidence",
    "compute_final_score",
    "compute_policy_score",
    "ConfidencePolicy",
    "AttributionRecord",
    "AttributionChain",
    "ChainHop",
    "instrument",
    "setup_telemetry",
    "__version__",
    "ConflictRef",
    "compute_mqs",
    "EmbeddingConfig",
    "BackendConfig",
    "EmbeddingProvider",
    "NamespaceAccessDenied",
    "LifecycleHooks",
    "NamespaceRBAC",
    "NamespacePolicy",
    "AccessRule",
    "AccessDecision",
    "TemporalDecayPolicy",
    "check_conflict",
    "ConflictResult",
    "PositionBiasTracker",
    "build_chain",
    "propagate_attribution",
    "truncate_chain",
    "JsonArrayChainStore",
    "Neo4jChainStore",
    "compute_effective_confidence",
    "compute_effective_confidence_map",
    "apply_confidence_gating",
    "build_strategies",
    "register_strategy",
    "create_memory_tools",
    "MemledgerMCPServer",
]

METHODS = {
    "add": "content record_type namespace='/' agent_id user_id session_id importance=0.5 metadata record_id supersedes "
    "derived_from created_by workflow_id triggered_by turn_context confidence=0.5 hedged=False",
    "add_record": "record",
    "search": "query namespace top_k=5 record_type agent_id requester_id user_id filters confidence_policy",
    "search_hybrid": "query namespace top_k=5 record_type agent_id filters confidence_policy",
    "recall_context": "query namespace top_k=5",
    "record_outcome": "record_id success=True description namespace",
    "update": "record_id description namespace",
    "delete": "record_id description namespace",
    "get": "record_id description namespace",
    "health": "",
    "list_namespaces": "",
    "stats": "namespace",
    "close": "",
    "get_by_session": "session_id",
    "get_by_timerange": "start end namespace",
    "get_stale": "days=30 min_access=0 namespace",
    "get_by_status": "status namespace",
    "bulk_update_status": "ids status",
    "bulk_archive": "ids",
    "get_lineage": "record_id description namespace depth=5",
    "get_attribution": "memory_id",
    "get_attribution_chain": "memory_id direction='upstream' max_hops=5",
    "get_downstream": "memory_id max_depth=5",
    "plan_cascade": "memory_id new_memory_id",
    "execute_cascade": "plan",
    "ingest": "context agent_id namespace='/' strategy='llm' max_extractions=10 min_confidence=0.5 metadata",
}
"""Each method with its parameters in order; a default is said unless it is None, or the parameter has none."""


def test_every_name_of_theirs_can_be_imported_from_here() -> None:
    assert [name for name in NAMES if not hasattr(memledger, name)] == []


@each("name", METHODS)
def test_a_method_takes_what_theirs_takes(name: str) -> None:
    method = getattr(Memledger, name)
    wanted = [word.partition("=") for word in METHODS[name].split()]

    ours = inspect.signature(method).parameters

    assert inspect.iscoroutinefunction(method)
    assert [word for word in ours if word in {one for one, _, _ in wanted}] == [one for one, _, _ in wanted]
    for parameter, said, default in wanted:
        if said:
            assert repr(ours[parameter].default) == default
    extra = set(ours) - {one for one, _, _ in wanted} - {"self", "requester_id", "session_id", "typed_fields", "kwargs"}
    assert extra == set()


def test_every_command_and_tool_of_theirs_has_its_counterpart_among_ours() -> None:
    commands = getattr(typer.main.get_command(app), "commands", {})
    flags = {name: {flag for param in one.params for flag in param.opts} for name, one in commands.items()}

    for theirs, found in {**COMMANDS, **TOOLS}.items():
        if found.ours is None:
            assert found.note, theirs
        else:
            assert found.ours in commands, theirs
            assert set(found.flags) - flags[found.ours] == set(), theirs
    assert sorted(TOOLS) == [
        "memory_delete",
        "memory_namespaces",
        "memory_recall",
        "memory_search",
        "memory_stats",
        "memory_store",
    ]
    assert sorted({name.split()[0] for name in COMMANDS}) == [
        "add",
        "conflict",
        "eval",
        "get",
        "init",
        "reset",
        "search",
        "status",
        "trace",
    ]
