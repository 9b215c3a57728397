"""A batch decides as its proposals would one by one, on PostgreSQL as in a file: the same verdicts, the same bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from psycopg.pq.abc import PGresult
from tests.postgres.server import Schemas
from tests.support.world import START, TickingClock, simulated_memory

from muniment.backends.postgres.pipeline import Pipeline
from muniment.backends.postgres.unit import TOGETHER_MAX
from muniment.backends.postgres.vault import PostgresVault
from muniment.backends.sqlite.store import SqliteTenant
from muniment.engine.importing import Newcomer
from muniment.engine.memory import Memory
from muniment.model.claim import Claim
from muniment.model.claim_options import ClaimOptions, make_claim
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed
from muniment.ports.store import TenantStore
from muniment_store_conformance.contents import contents

SIZE = TOGETHER_MAX + 40
"""More than is looked up ahead at once."""
THINGS = ("staging database", "payment gateway", "front door", "build server")
STATES = ("is running in Frankfurt", "is not running in Frankfurt", "is down", "moved to Oslo", "runs version 7")
LONG = "The report says that " + "the numbers of the third quarter were looked at by everybody in the room, and " * 3
Named = tuple[str, Claim]


@contextmanager
def memories(schemas: Schemas, count: int) -> Iterator[list[tuple[Memory, TenantStore]]]:
    """Memories of one world: the first in a file, the others on the server. Their clocks stand still."""
    with TemporaryDirectory() as folder:
        places = [schemas.lend() for _ in range(count - 1)]
        vaults = [PostgresVault(place) for place in places]
        stores: list[TenantStore] = [SqliteTenant(Path(folder) / "default.sqlite", "default", create=True)]
        stores += (vault.open("default", create=True) for vault in vaults)
        yield [(simulated_memory(store, seed=11, clock=TickingClock(START, step=0)), store) for store in stores]
        stores[0].close()
        for vault, place in zip(vaults, places, strict=True):
            vault.close()
            schemas.take_back(place)


def setting(memory: Memory) -> list[str]:
    """Some records to be repeated, contradicted, replaced and stood on, of which an agent was told."""
    kept = [memory.remember(f"The {thing} {state}", evidence=["log:1"]) for thing in THINGS for state in STATES[:1]]
    kept += [memory.remember(f"{thing} lives at 7", subject=thing, key="address", value="7") for thing in THINGS]
    kept += [memory.remember(LONG + "told by a stranger", source="web", source_type="web_page")]
    memory.as_actor("bench").recall("staging database numbers quarter report", limit=20)
    old = memory.remember("The build server runs version 7", evidence=["log:1"]).record_id  # of its end nobody was told
    memory.remember("The build server was switched off for good", evidence=["log:2"], supersedes=old)
    return [verdict.record_id for verdict in kept if verdict.record_id is not None]


def drawn(seed: int, memory: Memory, records: Sequence[str]) -> list[Named]:
    """A batch in which much is the same, is contradicted, answers one question, has links, or has been named before."""
    draw, left = random.Random(seed), list(records)
    batch: list[Named] = []
    for number in range(SIZE):
        thing, state = draw.choice(THINGS), draw.choice(STATES)
        options: ClaimOptions = {"confidence": draw.choice((0.3, 0.8)), "evidence": [f"log:{draw.randrange(9)}"]}
        match draw.randrange(8):
            case 0:
                text = f"{thing} lives at {draw.randrange(3)}"
                options |= {"subject": thing, "key": "address", "value": str(draw.randrange(3))}
            case 1 if left:  # whoever replaces what is replaced already is told so, and the batch is off
                text = f"The {thing} {state} since {draw.randrange(2_000, 2_030)}"
                options["supersedes"] = left.pop(draw.randrange(len(left)))
            case 2:
                text = f"The {thing} {state}, as was seen on {draw.randrange(30)} May"
                options["derived_from"] = [draw.choice(records)]
            case 3:
                text = LONG + draw.choice(("told by a stranger", f"counted to {number}"))
            case 4:
                text = f"Somebody saw {number} boxes in room {draw.randrange(9)}"
            case _:
                text = f"The {thing} {state}"
        claim = make_claim(text, memory.actor, options)
        batch.append((f"prp-{seed}-{number}", claim))
        if draw.random() < 0.1:
            batch.append(draw.choice(batch))
    return batch


def one_by_one(memory: Memory, batch: Sequence[Named]) -> tuple[Verdict, ...]:
    return tuple(memory.propose(claim, proposal_id=name) for name, claim in batch)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_a_batch_is_decided_as_its_proposals_would_be_one_by_one(schemas: Schemas, seed: int) -> None:
    with memories(schemas, 3) as worlds:
        (file, _), (server, _), (singly, _) = worlds
        records = [setting(memory) for memory, _ in worlds]
        assert records[0] == records[1] == records[2]
        agents = [memory.as_actor("bench") for memory in (file, server, singly)]
        batch = drawn(seed, agents[0], records[0])
        verdicts = [agents[0].propose(batch), agents[1].propose(batch), one_by_one(agents[2], batch)]
        assert verdicts[0] == verdicts[1] == verdicts[2]
        assert len({(verdict.outcome, verdict.rule) for verdict in verdicts[0]}) > 3, "the batch shows little"
        kept = [contents(store) for _, store in worlds]
        assert kept[0] == kept[1] == kept[2]
        assert kept[0].conflicts
        for memory, store in worlds:
            assert memory.ledger.verify().ok
            assert store.integrity() == ()


def test_what_was_named_for_something_else_undoes_the_whole_batch(schemas: Schemas) -> None:
    with memories(schemas, 2) as worlds:
        for memory, store in worlds:
            setting(memory)
            before = contents(store)
            batch = [(f"prp-{number % 150}", Claim(content=f"box {number}")) for number in range(151)]
            with pytest.raises(Malformed):
                memory.propose(batch)
            assert contents(store) == before
            assert memory.propose(batch[:150])[-1].outcome == "committed"


def test_memories_that_come_together_see_each_other(schemas: Schemas) -> None:
    """Some replace, stand on and repeat others that come with them, nearby and far apart, and some ids come twice."""
    with memories(schemas, 2) as worlds:
        verdicts = []
        for memory, _ in worlds:
            names = [f"alien-{number % (SIZE - 3)}" for number in range(SIZE)]
            newcomers = [
                Newcomer(
                    record=name,
                    claim=make_claim(
                        f"The {THINGS[number % 4]} {STATES[number % 5]} in year {number % 60}",
                        memory.actor,
                        {"derived_from": [names[number - 7]]} if number % 3 == 0 and number > 7 else {},
                    ),
                )
                for number, name in enumerate(names)
            ]
            verdicts.append(memory.imports.take_in("batch-1", newcomers, contract="matm"))
            again = memory.imports.take_in("batch-1", newcomers, contract="matm")
            assert again == verdicts[-1]
        assert verdicts[0] == verdicts[1]
        assert {verdict.rule for verdict in verdicts[0]} >= {"id-taken"}
        assert contents(worlds[0][1]) == contents(worlds[1][1])


@pytest.mark.parametrize("alike", [False, True])
def test_a_batch_asks_the_server_a_few_times_for_many_proposals(
    schemas: Schemas, monkeypatch: pytest.MonkeyPatch, *, alike: bool
) -> None:
    """Also where every proposal has many neighbours that must be read and compared."""
    waits: list[Pipeline] = []
    exchange = Pipeline._exchange

    def counted(channel: Pipeline) -> list[PGresult]:
        waits.append(channel)
        return exchange(channel)

    def said(number: int) -> str:
        return f"The letter about room {number} is at {number * 7}" if alike else f"w{number} x{number} y{number}"

    with memories(schemas, 2) as worlds:
        memory = worlds[1][0]
        memory.propose([Claim(content=said(number)) for number in range(50)])
        monkeypatch.setattr(Pipeline, "_exchange", counted)
        verdicts = memory.propose([Claim(content=said(50 + number)) for number in range(2 * TOGETHER_MAX)])
        monkeypatch.undo()
        assert {verdict.outcome for verdict in verdicts} == {"committed"}
        assert len(waits) < 50
