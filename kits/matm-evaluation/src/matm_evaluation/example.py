"""The worked example: every event handed in, curated, answered for by its stewards, and asked for by its consumer."""

from __future__ import annotations

from importlib.resources import files

import msgspec

from matm_evaluation.scratch import StillClock
from muniment.compat.matm.desk import Filed, MatmHandler
from muniment.compat.matm.grounds import RefusalGround
from muniment.compat.matm.sources import Sources
from muniment.contracts.strict.values import JsonObject
from muniment.engine import Memory
from muniment.model.decoding import decode_json
from muniment.model.times import parse
from muniment.model.value import Value
from muniment.model.vocabulary import Outcome
from muniment.ports.clock_and_ids import Clock

UNSAFE = {"evt_demo_005": "it quotes a credential"}
"""What a steward turns away, and why. Everything else that waits for a steward is accepted."""
REASONS = {
    "evt_demo_000": "decided by the project's steward, with the minutes as evidence",
    "evt_demo_000b": "the guide in force until now",
    "evt_demo_001": "tested and cited; it belongs to the team",
    "evt_demo_003": "credible, and against what was decided: both sides are kept",
    "evt_demo_004": "the older guide no longer holds",
}


class Script(Value):
    """The example as data."""

    about: str
    project_id: str
    team_id: str
    producers: tuple[str, ...]
    curator: str
    consumer: str
    stewards: tuple[str, ...]
    sources: tuple[str, ...]
    events: tuple[msgspec.Raw, ...]
    expected: tuple[dict[str, str], ...]
    request: msgspec.Raw
    returns: dict[str, tuple[str, ...]]


class Played(Value):
    """What came of it: the final report of every event in order, and the response to the consumer."""

    filed: tuple[Filed, ...]
    response: JsonObject

    @property
    def reports(self) -> tuple[bytes, ...]:
        return tuple(one.document for one in self.filed)


class _Agent(msgspec.Struct):
    agent_id: str


class _Named(msgspec.Struct):
    """What has to be known of an event before the desk reads it: which it is, from whom, when."""

    event_id: str
    source_agent: _Agent
    emitted_at: str


def script() -> Script:
    text = files("muniment.contracts.matm").joinpath("example.json").read_bytes()
    return decode_json(text, Script)


def desk_for(memory: Memory, told: Script, clock: Clock | None = None) -> MatmHandler:
    """The desk of the example: its curator, its first steward, and the sources that exist."""
    return MatmHandler(
        memory, curator=told.curator, steward=told.stewards[0], sources=Sources(told.sources), clock=clock
    )


def play(memory: Memory, clock: StillClock | None = None) -> Played:
    """Hand in every event at its hour and let it be answered for before the next; then let the consumer ask."""
    told = script()
    desk = desk_for(memory, told, clock)
    filed = tuple(_play(desk, told, bytes(event), clock) for event in told.events)
    return Played(filed=filed, response=desk.retrieve(bytes(told.request), actor=told.consumer))


def _play(desk: MatmHandler, told: Script, data: bytes, clock: StillClock | None) -> Filed:
    event = decode_json(data, _Named)
    if clock is not None:
        clock.reach(parse(event.emitted_at, field="emitted_at"))
    first = desk.emit(data, actor=event.source_agent.agent_id)
    if first.verdict.outcome is not Outcome.HELD:
        return first
    for one in desk.curate():
        if one.event == event.event_id:
            return one
    steward = told.stewards[1] if first.report["scope"] == "agent_team" else told.stewards[0]
    if event.event_id in UNSAFE:
        reason = UNSAFE[event.event_id]
        return desk.decide(event.event_id, actor=steward, accept=False, ground=RefusalGround.UNSAFE, reason=reason)
    return desk.decide(event.event_id, actor=steward, accept=True, reason=REASONS[event.event_id])
