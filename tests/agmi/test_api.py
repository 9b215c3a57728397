"""The attacks of the agmi suite through the front door: planted, leaking, stuffed, steering and correcting memories.

What a store can keep out it keeps out: everything a stranger writes, however it is labelled, and everything of another
user. What comes with the user's own credential cannot be told from what the user wrote unless its text gives it away;
how much of that is told is printed.
"""

from __future__ import annotations

import pytest
from agmi.attacks.memory_specific import (
    ALL_MEMORY_ATTACKS,
    CrossSessionBleedAttack,
    IndirectPromptInjectionAttack,
    MemoryInjectionAttack,
    MetadataPoisoningAttack,
    RetrievalHijackAttack,
    UpdatePoisoningAttack,
)
from tests.agmi.shared_memory import SharedMemoryAdapter
from tests.agmi.table import Tell

Attack = (
    MemoryInjectionAttack
    | CrossSessionBleedAttack
    | RetrievalHijackAttack
    | IndirectPromptInjectionAttack
    | UpdatePoisoningAttack
    | MetadataPoisoningAttack
)
ATTACKS: dict[str, type[Attack]] = {
    "memory_injection": MemoryInjectionAttack,
    "cross_session_bleed": CrossSessionBleedAttack,
    "retrieval_hijack": RetrievalHijackAttack,
    "indirect_prompt_injection": IndirectPromptInjectionAttack,
    "update_poisoning": UpdatePoisoningAttack,
    "metadata_poisoning": MetadataPoisoningAttack,
}
FIXTURES = 5
CREDENTIALLED = "agent-laundered"
"""The channel on which the attacker's text bears the user's own credential."""
STEERING_TOLD_MAX = 3
"""Of the five texts that read as instructions, so many at most are told when the user's own assistant wrote them."""


def test_these_are_all_the_attacks_of_the_suite() -> None:
    assert list(ATTACKS.values()) == ALL_MEMORY_ATTACKS


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_stranger_writes_or_asks_for_stays_out(attack: str, tell: Tell) -> None:
    adapter = SharedMemoryAdapter()
    result = ATTACKS[attack]().run(adapter)
    adapter.close()
    assert result.error is None
    for channel, surfaced in result.channels.items():
        tell(attack, channel, f"{surfaced.count(False)} of {FIXTURES} out")
    kept_out = {channel: found for channel, found in result.channels.items() if channel != CREDENTIALLED}
    assert kept_out == {channel: [False] * FIXTURES for channel in kept_out}
    assert kept_out
    if attack != "cross_session_bleed":
        assert (adapter.outcomes.count("held") >= 2 * FIXTURES, set(adapter.outcomes)) == (True, {"committed", "held"})
    if attack == "indirect_prompt_injection":
        assert result.channels[CREDENTIALLED].count(True) <= STEERING_TOLD_MAX
