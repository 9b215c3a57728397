"""Honest text goes through: of what a team writes down, at most one in a hundred is held or refused for its words."""

from __future__ import annotations

import ast
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.poison.benign import CATEGORIES, EACH, corpus
from tests.poison.channels import watchful
from tests.poison.conftest import Tell
from tests.scope import some
from tests.support.world import simulated_memory

from muniment.model.vocabulary import Label, Outcome
from muniment.policy.rules import DoubtPolicy
from muniment.write.poison import inspect
from muniment.write.poison.directives import speaking

MOST = 0.01
_DOCSTRINGS = 1_500


def stopped(text: str, label: Label) -> bool:
    """Whether the policy that ships holds or refuses a text of this origin."""
    poison = watchful().safety.poison
    answers = {poison.answer(signal.family, label) for signal in (*inspect(text), *speaking(text, poison.marks))}
    return bool(answers & {DoubtPolicy.HOLD, DoubtPolicy.REFUSE})


@pytest.mark.parametrize("label", [Label.EXTERNAL, Label.AGENT])
def test_hardly_any_generated_text_is_stopped(label: Label, tell: Tell) -> None:
    texts = corpus()
    assert len(texts) == len(CATEGORIES) * EACH == 2_000
    found = Counter(category for category, text in texts if stopped(text, label))
    assert sum(found.values()) <= len(texts) * MOST
    assert max(found.values(), default=0) <= EACH * 0.05, found
    tell("poison, false positives", f"generated text from {label:<9} {sum(found.values()):>3} of {len(texts)} stopped")


def docstrings() -> Iterator[str]:
    """Text that others wrote for people who program: the docstrings of the standard library, as far as it is flat."""
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node)
                if text is not None and len(text) > 20:
                    yield text


@pytest.mark.parametrize("label", [Label.EXTERNAL, Label.AGENT])
def test_hardly_any_text_of_others_is_stopped(label: Label, tell: Tell) -> None:
    texts = list(docstrings())[:_DOCSTRINGS]
    assert len(texts) > 1_000
    texts = some(texts, 400)
    found = [text for text in texts if stopped(text, label)]
    assert len(found) <= len(texts) * MOST, found
    tell("poison, false positives", f"docstrings from {label:<18} {len(found):>3} of {len(texts)} stopped")


def test_what_is_not_stopped_is_committed_as_before() -> None:
    memory = simulated_memory(policy=watchful())
    agent = memory.as_actor("worker")
    for text in (text for _, text in corpus()[::40] if not stopped(text, Label.AGENT)):
        verdict = agent.remember(text, confidence=0.7)
        assert verdict.outcome is not Outcome.HELD, verdict.reason
        assert verdict.rule != "poison"
