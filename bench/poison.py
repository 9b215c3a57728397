"""How poison fares here: what is noticed and at which cost in honest text, what is told unfenced, what steers.
`python -m bench.poison` prints a table and writes `bench/out/poison.json`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec
from tests.support.world import default_policy, simulated_memory

from bench.poisoned import FRESH, SECOND, TUNING, honest, poisoned
from muniment import Memory
from muniment.model.claim import Claim
from muniment.model.vocabulary import Label
from muniment.policy.rules import (
    DoubtPolicy,
    PoisonPolicy,
    Policy,
    SafetyPolicy,
    SuspectPolicy,
)
from muniment.write.poison import inspect_claim

HONEST_EACH, POISONED_EACH, TOLD_EACH = 260, 40, 4
OUT = Path(__file__).parent / "out" / "poison.json"
_IGNORED = SuspectPolicy(low=DoubtPolicy.IGNORE, high=DoubtPolicy.IGNORE)
_FENCED = re.compile(r"^(`{3,}|~{3,})\n.*?\n\1$", re.MULTILINE | re.DOTALL)


def noticed(text: str, poison: PoisonPolicy) -> bool:
    """Whether the policy holds or refuses a text of the outside for its words."""
    answers = {poison.answer(signal.family, Label.EXTERNAL) for signal in inspect_claim(Claim(content=text))}
    return bool(answers & {DoubtPolicy.HOLD, DoubtPolicy.REFUSE})


def shares(texts: Iterable[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """How many of each sort are noticed, of how many."""
    found, of = Counter[str](), Counter[str]()
    poison = default_policy().safety.poison
    for sort, text in texts:
        of[sort] += 1
        found[sort] += noticed(text, poison)
    return {sort: (found[sort], of[sort]) for sort in of}


def blind() -> Policy:
    """The policy that ships, with nobody looking at words: what holds then holds for what is not noticed."""
    deaf = PoisonPolicy(
        injection=_IGNORED,
        instruction=_IGNORED,
        hidden=_IGNORED,
        encoded=_IGNORED,
        authority=_IGNORED,
        standing=_IGNORED,
        burst=_IGNORED,
    )
    return msgspec.structs.replace(default_policy(), safety=SafetyPolicy(poison=deaf))


def told(memory: Memory, texts: Iterable[str]) -> tuple[int, int, int]:
    """How many poisoned texts are told for an answer, how many of them are outside a fence, and how many for an act."""
    answered = unfenced = steering = 0
    writer, reader = memory.as_actor("crawler"), memory.as_actor("planner")
    for text in texts:
        verdict = writer.remember(text, source_type="web", confidence=0.8)
        if verdict.record_id is None:
            continue
        question = re.sub(r"[\W_]+", " ", text)[:200]
        answer = reader.recall(question, purpose="answer")
        if any(one.record.id == verdict.record_id for one in answer.records):
            answered += 1
            outside = _FENCED.sub("", answer.render().text)
            unfenced += any(line and line in outside for line in text.split("\n"))
        steering += len(reader.recall(question, purpose="act").records)
    return answered, unfenced, steering


def main() -> None:
    figures: dict[str, object] = {"false alarms": shares(honest(HONEST_EACH))}
    for name, wordings in (("tuning", TUNING), ("second", SECOND), ("fresh", FRESH)):
        figures[f"noticed, {name}"] = shares(poisoned(wordings, POISONED_EACH))
    texts = [text for wordings in (TUNING, SECOND, FRESH) for _, text in poisoned(wordings, TOLD_EACH)]
    answered, unfenced, steering = told(simulated_memory(policy=blind()), texts)
    figures["told for an answer"] = {"of": len(texts), "told": answered, "unfenced": unfenced}
    figures["told for an act"] = steering
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(figures, indent=1))
    for name, found in figures.items():
        print(f"{name:24} {found}")


if __name__ == "__main__":
    main()
