"""What the tests of trust share: a team with known rights, a vault under a changed policy, and short ways to look."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Unpack

import msgspec
from tests.support.world import default_policy

from muniment import Memory
from muniment.model.claim_options import ClaimOptions
from muniment.model.curation import Verdict
from muniment.model.entry import Entry
from muniment.model.recall import Recall
from muniment.model.record import RecordState, TrustState
from muniment.model.times import Instant, parse
from muniment.model.vocabulary import ActorType
from muniment.policy.rules import Policy, PolicyMember
from muniment.ports.judge import Judge

_PROJECT = ("default",)
MEMBERS = {
    "curator": PolicyMember(type=ActorType.PERSON, roles=("curator",), projects=_PROJECT, authority=10),
    "colleague": PolicyMember(type=ActorType.PERSON, projects=_PROJECT),
    "neighbour": PolicyMember(type=ActorType.PERSON, projects=_PROJECT),
    "gauge": PolicyMember(type=ActorType.TOOL, roles=("agent",), projects=_PROJECT),
    "meter": PolicyMember(type=ActorType.TOOL, roles=("agent",), projects=_PROJECT),
    "senior": PolicyMember(roles=("agent",), projects=_PROJECT, authority=6),
    "steward": PolicyMember(type=ActorType.SERVICE, roles=("curator",), projects=_PROJECT, authority=10),
}
"""A person who reviews, two who do not, two tools, an agent with authority, a machine that reviews. Every other name is
an agent of the project."""
_SYLLABLES = ("ba", "ke", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "qua", "tre")


class SetClock:
    """A clock that stands still until it is moved."""

    def __init__(self, start: str = "2026-01-01") -> None:
        self.instant = parse(start, field="start")

    def now(self) -> Instant:
        return self.instant

    def forward(self, micros: int) -> None:
        self.instant = Instant(self.instant + micros)


def team_policy(
    policy: Policy | None = None, members: dict[str, PolicyMember] | None = None, **others: PolicyMember
) -> Policy:
    """A policy, the default one if none is given, that also knows the team and these members."""
    start = policy if policy is not None else default_policy()
    return msgspec.structs.replace(start, actors={**MEMBERS, **start.actors, **(members or {}), **others})


def open_vault(
    folder: Path,
    *,
    policy: Policy | None = None,
    clock: SetClock | None = None,
    judge: Judge | None = None,
    tenant: str = "default",
) -> Memory:
    """A memory on SQLite, under a policy or else under the team's, seen by its owner."""
    rules = msgspec.to_builtins(policy if policy is not None else team_policy())
    path = folder.parent / "policy-under-test.toml"  # read in a tenth of the time that YAML takes
    path.write_text("\n".join(f"{name} = {_toml(value)}" for name, value in rules.items()))
    return Memory.open(folder, policy=path, clock=clock, judge=judge, tenant=tenant)


def _toml(value: object) -> str:
    """A plain value on one line of TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def word(number: int) -> str:
    """A made-up word of three syllables or more, so that it is none of the language; another number, another word.

    >>> word(0), word(17), word(300), word(4096)
    ('bababa', 'kekeba', 'vidike', 'bababakebaba')
    """
    syllables = [_SYLLABLES[number // 16**place % 16] for place in range(3)]
    return "".join(syllables) + (word(number // 16**3) if number >= 16**3 else "")


def sentence(number: int) -> str:
    """A sentence that shares no telling word with that of another number, so that nothing is found to be alike."""
    return f"{word(3 * number)} keeps {word(3 * number + 1)} beside {word(3 * number + 2)}"


def together(*parts: ClaimOptions, **more: Unpack[ClaimOptions]) -> ClaimOptions:
    """Options put together; what comes later holds."""
    whole: ClaimOptions = {}
    for part in (*parts, more):
        whole.update(part)
    return whole


def kept(verdict: Verdict) -> str:
    """The id of what was committed."""
    assert verdict.record_id is not None, f"{verdict.rule}: {verdict.reason}"
    return verdict.record_id


def told(answer: Recall) -> list[str]:
    """The ids of an answer, the best first."""
    return [one.record.id for one in answer.records]


def contents(answer: Recall) -> set[str]:
    return {one.record.content for one in answer.records}


def standing(memory: Memory, record: str) -> RecordState:
    return memory.get(record).standing


def footing(memory: Memory, record: str) -> TrustState:
    return standing(memory, record).footing


def entries_since(memory: Memory, seq: int) -> tuple[Entry, ...]:
    """What the ledger has gained since it stood at `seq`."""
    return memory.ledger.entries(seq + 1)


def sums_up(answer: Recall) -> bool:
    """Whether what was considered is what was told on its own merit and everything that was left out."""
    brought = [
        one
        for one in answer.records
        if "comes with another record" in one.reasons[0] or any("took the place" in notice for notice in one.notices)
    ]
    return answer.considered == len(answer.records) - len(brought) + sum(answer.excluded.values())
