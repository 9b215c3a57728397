"""Nothing leaks: what an actor may not see is not told, named, counted or felt, whichever way a search goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.patience import WAIT_S
from tests.recall.world import Toy, contents, kept, on_disk, policy

from muniment import Memory
from muniment.model.claim import Claim, Handling
from muniment.model.claim_options import ClaimOptions
from muniment.model.errors import NotFound
from muniment.model.query import Abstention
from muniment.model.recall import Recall
from muniment.model.vocabulary import Sensitivity

RULES = policy()
CANARY = "zanzibar"
QUESTIONS = ("pump pressure", "Maria Lopez", "vehicle", "where is OPS-7?", "door colour", "gasket")


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[tuple[Memory, list[str]]]:
    """A memory as `bot` sees it, and the ids of what `bot` may not see: beside, linked to, named like, near to, in
    dispute with and in the place of what it may."""
    with on_disk(tmp_path, Toy(), RULES) as memory:
        first = kept(memory.remember("the pump pressure fell, says Maria Lopez", session_id="s1"))
        private = {"sensitivity": "private", "session_id": "s1"}
        hidden = [
            memory.remember(f"{CANARY} gasket of OPS-7, says Maria Lopez", derived_from=[first], **private),  # type: ignore[arg-type]
            memory.remember(f"{CANARY} automobile relates", relations=[("supports", first)], **private),  # type: ignore[arg-type]
        ]
        memory.remember("the car is in the yard of Maria Lopez", session_id="s1")
        memory.remember("the door is red", subject="door", key="colour", value="red")
        slot = {"subject": "door", "key": "colour", "value": "blue"}
        hidden.append(memory.remember(f"the door is blue, {CANARY}", sensitivity="private", **slot))  # type: ignore[arg-type]
        old = kept(memory.remember("the gasket is old"))
        hidden.append(memory.remember(f"the gasket is {CANARY}", supersedes=old, sensitivity="private"))
        memory.remember("the boiler of OPS-7 hums")
        memory.flush(timeout=WAIT_S)
        yield memory.as_actor("bot"), [kept(verdict) for verdict in hidden]


def everything_told(memory: Memory) -> str:
    """All that one actor can get at by asking, as one text."""
    answers = [memory.recall(question) for question in QUESTIONS]
    answers += [memory.recall(question, floor=0.0, limit=200) for question in QUESTIONS]
    answers += [memory.attune(), memory.attune(task="pump pressure", interests=["gasket", "car"], role="fitter")]
    views: list[object] = [memory.insight.entity(name) for name in ("Maria Lopez", "OPS-7", "door")]
    views += [memory.explain(answer.receipt_id) for answer in answers]
    views += [memory.explain(answers[0].receipt_id, replay=True), memory.insight.stats(), memory.insight.directory()]
    views += [memory.review.conflicts(), memory.review.queue(), *(answer.render().text for answer in answers)]
    return msgspec.json.encode([*answers, *views]).decode()


def test_no_word_and_no_id_of_a_hidden_record_is_ever_told(seen: tuple[Memory, list[str]]) -> None:
    memory, hidden = seen
    told = everything_told(memory)
    assert CANARY not in told
    assert [name for name in hidden if name in told] == []
    assert "the pump pressure fell" in told, "the rest is told"


def test_its_own_word_finds_a_hidden_record_no_more_than_a_word_nobody_used(seen: tuple[Memory, list[str]]) -> None:
    memory, _ = seen
    for floor in (None, 0.0):
        one, other = (memory.recall(word, floor=floor) for word in (CANARY, "qwortz"))
        assert (contents(one), one.excluded, one.considered) == (contents(other), other.excluded, other.considered)
        assert one.abstained == other.abstained


def test_who_may_see_it_is_told(seen: tuple[Memory, list[str]]) -> None:
    memory, hidden = seen
    owner = memory.as_actor("owner")
    told = everything_told(owner)
    assert [name for name in hidden if name not in told] == []


def test_who_may_see_nothing_is_told_nothing(seen: tuple[Memory, list[str]]) -> None:
    memory, _ = seen
    guest = memory.as_actor("guest")
    for answer in (guest.recall("pump"), guest.attune(), guest.attune(task="pump", since=1)):
        assert (answer.records, answer.considered, answer.excluded) == ((), 0, {})
        assert answer.abstained is Abstention.NOT_AUTHORIZED
    view = guest.insight.entity("Maria Lopez")
    assert (view.records, view.related) == ((), ())


def test_a_receipt_is_read_by_whom_it_was_given_to_and_by_auditors(seen: tuple[Memory, list[str]]) -> None:
    memory, _ = seen
    owner = memory.as_actor("owner")
    receipt = owner.recall("pump").receipt_id
    with pytest.raises(NotFound):
        memory.explain(receipt)
    with pytest.raises(NotFound):
        memory.explain(receipt, replay=True)
    assert owner.explain(memory.recall("pump").receipt_id).same_ids


Told = tuple[str, ClaimOptions]
PRIVATE: ClaimOptions = {"sensitivity": "private"}


def felt(folder: Path, visible: list[Told], hidden: list[Told]) -> list[list[object]]:
    """What `bot` is told where only the visible was written, and where what is hidden was written after each of it."""
    found: list[list[object]] = []
    for secretive in (False, True):
        place = folder / str(secretive)
        place.mkdir()
        with on_disk(place, Toy(), RULES) as memory:
            for number, (text, options) in enumerate(visible):
                kept(memory.remember(text, **options))
                for secret, said in hidden if secretive else []:
                    kept(memory.remember(f"{secret} {number}", **said))
            memory.flush(timeout=WAIT_S)
            found.append(impressions(memory.as_actor("bot")))
    return found


def impressions(memory: Memory) -> list[object]:
    """Everything but scores, positions and ids: those may differ by what else was written."""
    answers: list[Recall] = []
    for question in ("pump", "Maria Lopez", "vehicle", "valve of OPS-7"):
        answers += [memory.recall(question, floor=0.0, limit=limit) for limit in (2, 200)]
        answers.append(memory.recall(question, kinds=["risk"]))
    answers += [memory.attune(), memory.attune(interests=["pump"])]
    seen: list[object] = [
        (sorted(contents(one)), one.excluded, one.considered, one.abstained, one.notices) for one in answers
    ]
    for name in ("Maria Lopez", "OPS-7"):
        view = memory.insight.entity(name)
        seen.append((view.names, len(view.records), [(one.entity, one.records) for one in view.related]))
    return seen


def test_counts_and_answers_are_the_same_whether_or_not_there_is_something_hidden(tmp_path: Path) -> None:
    visible: list[Told] = [
        ("the pump leaks, says Maria Lopez", {}),
        ("a car passed the pump", {"kind": "risk"}),
        ("the pump is blue", {"valid_until": "2020-01-01"}),
        ("the valve of OPS-7 belongs to Maria Lopez", {}),
    ]
    hidden: list[Told] = [
        (text, PRIVATE) for text in ("the pump leaks", "a vehicle", "Maria Lopez knows OPS-7", "valve")
    ]
    one, other = felt(tmp_path, visible, hidden)
    assert one == other


def test_a_hidden_turn_of_a_session_does_not_part_its_neighbours(tmp_path: Path) -> None:
    visible: list[Told] = [("the pump leaks", {"session_id": "s1"}), ("so I called for help", {"session_id": "s1"})]
    one, other = felt(tmp_path, visible, [("hush", {"session_id": "s1", **PRIVATE})])
    assert one == other
    assert ["so I called for help", "the pump leaks"] in [answer[0] for answer in one if isinstance(answer, tuple)]


def test_many_hidden_records_that_share_a_name_do_not_push_a_visible_one_out(tmp_path: Path) -> None:
    visible: list[Told] = [("the boiler hums for Maria Lopez", {}), ("the pump leaks, says Maria Lopez", {})]
    one, other = felt(tmp_path, visible, [(f"gossip {number} of Maria Lopez", PRIVATE) for number in range(20)])
    assert one == other


def test_counts_of_many_matches_do_not_depend_on_as_many_hidden_ones(tmp_path: Path) -> None:
    """Past the depth to which a ranking is looked at."""
    found = []
    for secretive in (False, True):
        place = tmp_path / str(secretive)
        place.mkdir()
        with on_disk(place, None, RULES) as memory:
            claims = [Claim(content=f"alpha gauge{number} reads{number}") for number in range(280)]
            secret = Handling(sensitivity=Sensitivity.PRIVATE)
            mixed = [
                twin
                for number, claim in enumerate(claims)
                for twin in (claim, Claim(content=f"alpha hush{number} quiet{number}", handling=secret))
                if twin is claim or (secretive and number % 2)
            ]
            memory.propose(mixed)
            bot = memory.as_actor("bot")
            answers = [
                bot.recall("alpha", floor=0.0, limit=5),
                bot.recall("alpha", floor=0.0, limit=200),
                bot.recall("alpha", floor=0.0, kinds=["risk"]),
            ]
            found.append([(contents(one), one.excluded, one.considered, one.abstained) for one in answers])
    assert found[0] == found[1]
    told, excluded, considered, _ = found[0][1]
    assert len(told) == 200
    assert considered == len(told) + sum(excluded.values()) >= 200
    assert found[0][2][1] == {"kind": 280}
