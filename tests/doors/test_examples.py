"""Every example of an adapter runs, without network or keys."""

import asyncio
import inspect
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "doors"
TOLD = {
    "adk_memory": "favourite colour is teal",
    "agent_framework_context": "You take the 7:40.",
    "anthropic_memory_tool": "waits for a person",
    "claude_agent_sessions": "2 entries",
    "crewai_memory": "The launch is on Friday",
    "haystack_store": "I take the 7:40 train 1.0",
    "langchain_retriever": "The train to Bern runs hourly agent",
    "langgraph_store": "above all users: []",
    "llama_index_block": "I am allergic to walnuts",
    "mem0_program": "['ADD', 'ADD']",
    "openai_agents_session": "8 items in the session",
    "pydantic_ai_store": "Bern on Monday",
    "strands_store": "Ada takes the 7:40 train agent",
}


def test_every_example_is_run() -> None:
    assert sorted(TOLD) == sorted(one.stem for one in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", TOLD)
def test_an_example_prints_what_it_should(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_EMBEDDER", "none")
    main = runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]
    done = main(str(tmp_path / "vault"))
    if inspect.isawaitable(done):
        asyncio.run(done)
    assert TOLD[name] in capsys.readouterr().out
