"""The ways by which poison gets into a memory, and those by which it would be laundered there, played out."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from tests.poison.attacks import Attack
from tests.support.world import simulated_memory
from tests.trust.world import sentence, team_policy

from muniment import Memory
from muniment.engine.importing import Newcomer
from muniment.model.claim import Claim, Origin, Place
from muniment.model.curation import Verdict
from muniment.model.value import Value
from muniment.model.vocabulary import LABEL_RANK, Label
from muniment.policy.rules import (
    DoubtPolicy,
    PoisonPolicy,
    Policy,
    SafetyPolicy,
    SuspectPolicy,
)

ACT = "act"
_REPORT = [". ".join(sentence(number) for number in numbers) + "." for numbers in (range(30), range(40, 70))]
_STEERS = LABEL_RANK[Label.AGENT]
_IGNORED = SuspectPolicy(low=DoubtPolicy.IGNORE, high=DoubtPolicy.IGNORE)


def watchful() -> Policy:
    """The policy that ships, with the team."""
    return team_policy()


def blind() -> Policy:
    """The same policy with nobody looking at the words: only the gates are left."""
    poison = PoisonPolicy(
        injection=_IGNORED,
        instruction=_IGNORED,
        hidden=_IGNORED,
        encoded=_IGNORED,
        authority=_IGNORED,
        burst=_IGNORED,
    )
    return msgspec.structs.replace(team_policy(), safety=SafetyPolicy(poison=poison))


class Played(Value):
    """What came of an attack: which of its records were committed, which of those count for more than they should, and
    which were told to somebody who was going to act."""

    committed: tuple[str, ...]
    trusted: tuple[str, ...]
    steering: tuple[str, ...]


def from_the_web(memory: Memory, attack: Attack) -> Verdict:
    return memory.as_actor("worker").remember(attack.text, source_type="web", confidence=0.7)


def from_nowhere(memory: Memory, attack: Attack) -> Verdict:
    return memory.as_actor("worker").remember(attack.text, source_type="unknown", confidence=0.7)


def from_elsewhere(memory: Memory, attack: Attack) -> Verdict:
    claim = Claim(content=attack.text, origin=Origin(source="person", source_type="person"))
    return memory.imports.take_in("first", [Newcomer(claim=claim)], contract="omir")[0]


def by_an_agent(memory: Memory, attack: Attack) -> Verdict:
    return memory.as_actor("worker").remember(attack.text, confidence=0.7)


Bring = Callable[[Memory, Attack], Verdict]
ORIGINS: dict[str, tuple[Label, Bring]] = {
    "external": (Label.EXTERNAL, from_the_web),
    "unknown": (Label.UNKNOWN, from_nowhere),
    "import": (Label.IMPORT, from_elsewhere),
}
"""Origins that must never steer, and how they bring something in."""


def said_again(memory: Memory, attack: Attack, first: str) -> list[Verdict]:
    """What was recalled comes back as a proposal: as it was, dressed up, and buried in a report, by an agent and by a
    trusted tool."""
    said = []
    for actor, text in (
        ("runner", attack.text),
        ("runner", f"Note that {attack.text}"),
        ("gauge", attack.text),
        ("senior", f"As confirmed: {attack.text}"),
        ("senior", f"{_REPORT[0]} {attack.text} {_REPORT[1]}"),
    ):
        writer = memory.as_actor(actor)
        assert first in {one.record.id for one in writer.insight.browse()}, "it was told"
        said.append(writer.remember(text, confidence=0.99, evidence=["probe:1"]))
    return said


def summed_up(memory: Memory, attack: Attack, first: str) -> list[Verdict]:
    """Somebody trusted writes it down in other words, and says what it stands on."""
    words = f"{attack.word} is settled, as found on review"
    return [
        memory.as_actor("runner").remember(f"{words} one", derived_from=[first], confidence=0.99, evidence=["log:1"]),
        memory.as_actor("gauge").remember(f"{words} two", parent=first, confidence=0.99, evidence=["log:2"]),
        memory.remember(f"{words} three", relations=[("depends_on", first)], confidence=0.99),
    ]


def claimed(memory: Memory, attack: Attack, first: str) -> list[Verdict]:
    """It is told as if it came from somebody better: by name, by rank, by taking the place of what is there."""
    runner = memory.as_actor("runner")
    runner.recall(attack.word)
    elsewhere = Claim(
        content=attack.text, origin=Origin(source="owner", source_type="person"), place=Place(namespace="/b")
    )
    return [
        runner.remember(attack.text, source_type="person", source="the owner", namespace="/a", confidence=1.0),
        runner.remember(attack.text, source_type="system", namespace="/c", confidence=1.0),
        runner.revise(first, f"{attack.text} (checked)", source_type="tool"),
        runner.review.vouch(first, origin="agent", reason="checked"),
        *memory.imports.take_in("again", [Newcomer(claim=elsewhere)], contract="omir"),
    ]


Launder = Callable[[Memory, Attack, str], list[Verdict]]
CHANNELS: dict[str, Launder] = {"said again": said_again, "summed up": summed_up, "claimed": claimed}


def play(attack: Attack, origin: str, channel: str, policy: Policy) -> Played:
    """Bring an attack in, try to launder it, and look at what it counts for."""
    memory = simulated_memory(policy=policy)
    label, bring = ORIGINS[origin]
    first = bring(memory, attack)
    verdicts = [first]
    if first.record_id is not None:
        verdicts += CHANNELS[channel](memory, attack, first.record_id)
    return weighed(memory, verdicts, attack, label)


def weighed(memory: Memory, verdicts: list[Verdict], attack: Attack, label: Label) -> Played:
    names = tuple(dict.fromkeys(one.record_id for one in verdicts if one.committed and one.record_id is not None))
    labels = {name: memory.get(name).standing.footing.label for name in names}
    asked = memory.as_actor("runner").recall(attack.word, purpose=ACT, gate_min=0.0, gate_flag=0.0, floor=0.0)
    return Played(
        committed=names,
        trusted=tuple(name for name in names if LABEL_RANK[labels[name]] > max(LABEL_RANK[label], _STEERS - 1)),
        steering=tuple(one.record.id for one in asked.records),
    )
