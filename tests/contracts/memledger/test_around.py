"""What stands around the store: agent tools, integrity scores, the harness, pages, defaults and registries."""

from __future__ import annotations

import ast
import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.cites import cites, diverges
from tests.contracts.memledger.golden import GOLDEN
from tests.contracts.memledger.room import play
from tests.support.world import simulated_memory

from muniment import compat
from muniment.engine import Memory
from muniment.model.errors import ConfigurationError
from muniment_memledger import (
    BackendProvider,
    Memledger,
    MemledgerConfig,
    create_memory_tools,
    evaluate_attribution_integrity,
    evaluate_from_memory_records,
    evaluate_structural,
    instrument,
    metrics,
    register_backend,
    setup_telemetry,
)
from muniment_memledger.cli.dashboard import render_dashboard_html, render_lineage_html
from muniment_memledger.cli.eval import (
    Run,
    expand_variables,
    render_markdown,
    score_files_exist,
    score_files_valid_json,
    score_run,
    summarize,
)
from muniment_memledger.embeddings import AnyEmbedder
from muniment_memledger.integrations import langgraph
from muniment_memledger.telemetry import log_evaluation, reset_metrics

GOOD = {"created_by": "ana", "confidence": 0.9, "session_id": "s", "hedged": False}


@cites("MEML-090")
def test_the_agent_tools_store_recall_and_forget_and_two_agents_share_a_memory(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        remember, recall, forget = create_memory_tools(ml, "/team", "ana")
        _, bob_recalls, _ = create_memory_tools(ml, "/team", "bob")

        said = await remember.ainvoke({"content": "The pump is red"})
        name = said.removeprefix("Stored as ")
        record = await ml.get(name)
        assert record is not None
        assert (record.created_by, record.namespace) == ("ana", "/team")
        assert await bob_recalls.ainvoke({"query": "pump"}) == f"1. ({name}) The pump is red"
        assert await forget.ainvoke({"record_id": name}) == f"Memory {name} deleted."
        assert await recall.ainvoke({"query": "pump"}) == "No relevant memories found."
        assert [tool.name for tool in (remember, recall, forget)] == ["remember", "recall", "forget"]

    play(vault, story)


def test_without_langchain_the_agent_tools_are_plain_functions(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(langgraph, "find_spec", lambda name: None)

    async def story(ml: Memledger) -> None:
        remember, recall, forget = create_memory_tools(ml, "/team", "ana")
        name = (await remember("The pump is red")).removeprefix("Stored as ")
        assert await recall("pump") == f"1. ({name}) The pump is red"
        assert await forget("none") == "Memory none not found."
        assert [tool.__name__ for tool in (remember, recall, forget)] == ["remember", "recall", "forget"]

    play(vault, story)


@cites("MEML-092")
def test_the_first_tier_of_integrity_goes_by_author_confidence_and_threshold() -> None:
    def score(*memories: Mapping[str, object]) -> float:
        return evaluate_attribution_integrity("d", memories).score

    nothing = evaluate_attribution_integrity("d", [])
    assert (nothing.score, nothing.passed, nothing.details) == (0.0, False, {"error": "no_retrieved_memories"})
    assert evaluate_attribution_integrity("d", [GOOD]).passed
    assert score(GOOD) == 1.0
    assert score({**GOOD, "created_by": None}) == 0.6
    assert score({**GOOD, "confidence": 0.3}) == 0.6
    assert score({**GOOD, "confidence": 0.3, "hedged": True}) == 0.85
    assert score({**GOOD, "confidence": 0.0}) == 0.45
    weak = [{**GOOD, "confidence": 0.5}]
    assert [evaluate_attribution_integrity("d", weak, threshold=limit).passed for limit in (0.85, 0.86)] == [
        True,
        False,
    ]
    chained = evaluate_attribution_integrity("d", [GOOD], {"min_confidence": 0.2, "truncated": True})
    assert chained.score == 0.75


A, S = {"created_by": "a", "session_id": "s"}, {"session_id": "s"}


@each(
    ("memories", "chain", "score"),
    [
        ([{**A, "confidence": 0.01}], None, 0.455),  # 1 - 0.25 - 0.5 * 0.59
        ([{**A, "confidence": 0.05, "hedged": True}], None, 0.725),  # 1 - 0.5 * 0.55
        (
            [{**A, "confidence": 0.05, "hedged": True}, {**S, "created_by": "b", "confidence": 0.05, "hedged": True}],
            None,
            0.775,
        ),
        (
            [{**A, "confidence": 1.0}] * 96
            + [{**A, "confidence": 0.3}] * 3
            + [{**S, "created_by": "b", "confidence": 0.3}],
            None,
            0.05,
        ),
        ([{**A, "confidence": 0.4}, {**A, "confidence": 0.8}], None, 0.9),  # one in the grey, mean 0.6
        ([{**A, "confidence": 0.6}], None, 1.0),
        ([{**A, "confidence": 0.9}, {**S, "confidence": 0.9}], None, 0.8),  # half without an author
        (
            [{**A, "confidence": 0.9}, {"created_by": "a", "confidence": 0.9}],
            None,
            1.0,
        ),  # half with a session is enough
        ([{**A, "confidence": 0.9}] + [{"created_by": "a", "confidence": 0.9}] * 3, None, 0.8875),  # 0.15 * 0.75
        ([{**A, "confidence": 0.9}], {"min_confidence": 0.39}, 0.8),
        ([{**A, "confidence": 0.9}], {"min_confidence": 0.4, "truncated": True}, 0.95),
        ([{**A, "confidence": 0.0}] * 9, None, 0.0),
        ([{"agent_id": "a", "session_id": "s", "confidence": 0.9}], None, 0.6),  # an author is who created it
    ],
)
def test_the_first_tier_follows_the_published_formula_to_the_digit(
    memories: list[Mapping[str, object]], chain: Mapping[str, object] | None, score: float
) -> None:
    assert evaluate_attribution_integrity("d", memories, chain).score == pytest.approx(score, abs=1e-9)


@cites("MEML-093")
def test_the_third_tier_of_integrity_has_five_named_checks() -> None:
    def failed(*records: Mapping[str, object]) -> list[str]:
        return [check.check_name for check in evaluate_from_memory_records(records).checks if not check.passed]

    nothing = evaluate_structural([])
    assert (nothing.score, nothing.passed, nothing.checks) == (0.0, False, [])
    assert nothing.explanation == "No memory spans found in trace data."
    assert [check.check_name for check in evaluate_from_memory_records([GOOD]).checks] == [
        "confidence_populated",
        "confidence_above_threshold",
        "source_agent_present",
        "chain_depth_bounded",
        "no_low_confidence_unhedged",
    ]
    assert (failed(GOOD), evaluate_from_memory_records([GOOD]).score) == ([], 1.0)
    assert failed({**GOOD, "created_by": None}) == ["source_agent_present"]
    low = evaluate_from_memory_records([{**GOOD, "confidence": 0.1}] + [GOOD] * 9)
    assert [check.check_name for check in low.checks if not check.passed] == ["no_low_confidence_unhedged"]
    assert low.score == 0.7
    span = {"name": "memledger.memory.search", "attributes": {"memledger.memory.confidence": 0.1}}
    assert "no_low_confidence_unhedged" in evaluate_structural([span]).explanation


@cites("MEML-094")
def test_the_golden_set_comes_out_as_it_is_labelled() -> None:
    scores = [
        (case.label, evaluate_attribution_integrity(case.name, case.memories, case.chain).score) for case in GOLDEN
    ]
    bands = ["well" if score >= 0.7 else "partial" if score >= 0.4 else "bad" for _, score in scores]

    assert len(GOLDEN) == 30
    assert min(score for label, score in scores if label == "well") >= 0.7
    assert max(score for label, score in scores if label == "bad") < 0.4
    assert sum(label == band for (label, _), band in zip(scores, bands, strict=True)) >= 21


@cites("MEML-095")
def test_logging_an_evaluation_never_raises_and_does_nothing() -> None:
    assert log_evaluation("mai", 0.7) is False
    assert log_evaluation("mai", float("nan"), span_id="x", metadata={"a": 1}) is False


def test_instrumenting_changes_nothing_but_the_counts(vault: Path) -> None:
    reset_metrics()
    assert setup_telemetry("ml", "otlp") is False

    async def story(ml: Memledger) -> None:
        assert instrument(ml) is ml
        name = await ml.add("The pump is red")
        await ml.search("pump", session_id="s-1")
        await ml.search("pump")
        await ml.record_outcome(name, True)
        told = metrics()
        latency = told.pop("avg_search_latency_ms")
        assert isinstance(latency, float)
        assert latency > 0.0
        assert told == {
            "total_adds": 1,
            "total_searches": 2,
            "search_hit_rate": 0.5,
            "total_outcomes": 1,
            "outcome_success_rate": 1.0,
            "total_promotions": 0,
            "total_conflicts": 0,
        }

    play(vault, story)
    reset_metrics()
    assert metrics()["total_adds"] == 0


def test_counts_go_beyond_what_the_audit_log_keeps_and_begin_when_an_instance_is_watched(vault: Path) -> None:
    reset_metrics()

    async def story(ml: Memledger) -> None:
        ml.audit.log("add")
        instrument(instrument(ml))
        for number in range(1500):
            ml.audit.log("outcome", success=number % 3 == 0)
        assert len(ml.audit) == 1000
        told = metrics()
        assert (told["total_adds"], told["total_outcomes"], told["outcome_success_rate"]) == (0, 1500, 1 / 3)

    play(vault, story)
    reset_metrics()


@cites("MEML-096")
def test_the_harness_scores_files_expands_variables_sums_up_and_renders(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text(json.dumps({"a": 1}))
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "empty.txt").touch()

    assert score_files_exist(tmp_path, ["good.json"]).success
    assert score_files_exist(tmp_path, ["empty.txt", "none.txt"]).reason == "missing or empty: empty.txt, none.txt"
    assert score_files_valid_json(tmp_path, ["good.json"]).success
    assert score_files_valid_json(tmp_path, ["good.json", "bad.json"]).reason == "no JSON: bad.json"
    assert not score_run(tmp_path, {"files_exist": ["good.json"], "files_valid_json": ["bad.json"]}).success
    assert expand_variables("${A}/${B:b}", {"A": "a"}) == "a/b"
    with pytest.raises(ConfigurationError, match="C"):
        expand_variables("${C}", {})
    runs = [Run(config_name="x", success=second < 3, duration_seconds=second) for second in (1.0, 2.0, 3.0)]
    summary = summarize("x", [*runs, Run(config_name="y", success=False, duration_seconds=9.0)])
    assert (summary.reps, summary.success_count, summary.duration_p50) == (3, 2, 2.0)
    assert "| x | 3 | 67% | 2.0 | 0 |" in render_markdown([summary])


@cites("MEML-097")
def test_the_dashboard_and_the_lineage_render_as_pages_with_every_text_escaped(vault: Path) -> None:
    async def story(ml: Memledger) -> tuple[str, str]:
        old = await ml.add("The <b>cache</b> lives in Frankfurt")
        new = await ml.add("The cache lives in Dublin now", supersedes=old, created_by="ana")
        records = await ml.get_by_status("active")
        audit = ml.audit.recent()
        return render_dashboard_html(await ml.stats(), records, audit), render_lineage_html(
            await ml.get_lineage(new), audit
        )

    dashboard, lineage = play(vault, story)

    assert "<p>1 records</p>" in dashboard
    assert "The cache lives in Dublin now" in dashboard
    assert "The &lt;b&gt;cache&lt;/b&gt; lives in Frankfurt" in lineage
    assert "<dt>Created by</dt><dd>ana</dd>" in lineage
    assert "<h1>Memledger Dashboard</h1>" in dashboard
    assert "<title>Memledger · Lineage · " in lineage
    assert "<b>" not in lineage


@cites("MEML-098")
def test_no_module_imports_the_kit_of_a_language_models_vendor() -> None:
    vendors = {"openai", "anthropic", "litellm", "cohere", "google", "boto3", "mistralai", "groq", "ollama"}
    root = Path(str(compat.__file__)).parent.parent
    imported = {
        name.split(".")[0]
        for path in root.rglob("*.py")
        if "adapters" not in path.parts  # each adapter is for one framework, and imported with it alone
        for node in ast.walk(ast.parse(path.read_text()))
        for name in _imported(node)
    }

    assert "msgspec" in imported
    assert imported & vendors == set()


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


@diverges("MEML-099")
def test_by_default_the_backend_is_pgvector_and_the_embedder_local() -> None:
    config = MemledgerConfig()
    assert (config.embeddings.provider, config.embeddings.dimensions) == ("local", 384)
    assert config.default_backend == "pgvector"


class Simulated(BackendProvider):
    """A memory that is kept nowhere."""

    name = "simulated"

    async def initialize(self, config: Mapping[str, object]) -> None:
        self.told = dict(config)

    def open(self, embedder: AnyEmbedder) -> Memory:
        return simulated_memory()


@cites("MEML-100")
def test_a_backend_of_the_callers_own_can_be_registered() -> None:
    register_backend("simulated", Simulated)

    async def story() -> tuple[str, list[str]]:
        async with await Memledger.create("simulated", {"any": "thing"}) as ml:
            await ml.add("The pump is red")
            return ml.backend_name, [record.content for record in await ml.search("pump")]

    assert asyncio.run(story()) == ("simulated", ["The pump is red"])
    with pytest.raises(ConfigurationError, match="backend"):
        register_backend("broken", dict)  # type: ignore[arg-type]  # that is the point


@each("name", ["opensearch", "dynamodb", "nonsense"])
def test_a_backend_that_is_not_served_is_refused_with_what_is(name: str) -> None:
    with pytest.raises(ConfigurationError, match="muniment, pgvector, s"):
        asyncio.run(Memledger.create(name))


def test_a_server_is_not_taken_for_a_folder() -> None:
    with pytest.raises(ConfigurationError, match="the path of a vault, or postgresql"):
        asyncio.run(Memledger.create("sqlite", connection_string="mysql://localhost/db"))


def test_a_configuration_file_opens_a_vault_and_one_with_an_unknown_word_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "memledger.yaml"
    file.write_text(
        "embeddings: {provider: none}\ndefault_backend: main\n"
        "backends:\n  main:\n    provider: sqlite\n    config: {path: '${ROOM}/vault'}\n"
        "confidence_policy: {min_threshold: 0.6, flag_threshold: 0.8}\n"
    )

    async def story() -> list[int]:
        async with await Memledger.from_config(file, variables={"ROOM": str(tmp_path)}) as ml:
            await ml.add("The pump is red", confidence=0.5)
            return [len(await ml.search("pump")), len(await ml.search("pump", confidence_policy={}))]

    assert asyncio.run(story()) == [0, 1]
    assert (tmp_path / "vault" / "vault.toml").is_file()
    with pytest.raises(ConfigurationError, match="ROOM"):
        asyncio.run(Memledger.from_config(file, variables={}))

    async def surrounded() -> str:
        async with await Memledger.from_config(str(file)) as ml:
            return (await ml.get_by_status("active"))[0].content

    monkeypatch.setenv("ROOM", str(tmp_path))
    assert asyncio.run(surrounded()) == "The pump is red"
    file.write_text("confidence_polcy: {}\n")
    with pytest.raises(ConfigurationError, match="confidence_polcy"):
        asyncio.run(Memledger.from_config(file))
