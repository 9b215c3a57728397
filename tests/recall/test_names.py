"""Names: what records speak of, which names are one thing's, who may say so, and that nobody changes them unseen."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from tests.patience import WAIT_S
from tests.recall.world import Toy, both, contents, kept, on_disk, policy

from muniment import Memory
from muniment.model.entity import ENTITIES_MAX, ENTITY_LENGTH_MAX, Entity, EntityKind
from muniment.model.errors import Malformed, NotPermitted
from muniment.model.record import Record

SECRET = "AKIAIOSFODNN7EXAMPLE"
RULES = policy()


def mentions(memory: Memory, record: str) -> set[str]:
    return {entity.key for entity in record_of(memory, record).mentions}


def record_of(memory: Memory, record: str) -> Record:
    return memory.get(record).record


def test_a_question_that_uses_one_name_finds_records_that_use_another(tmp_path: Path) -> None:
    with both(tmp_path, Toy) as memories:
        for memory in memories:
            memory.remember("PostgreSQL runs on db-7")
            memory.remember("the garden is green")
            memory.flush(timeout=WAIT_S)
            assert contents(memory.recall("where does PG run?", floor=0.0)) in ([], ["PostgreSQL runs on db-7"])
            assert contents(memory.recall("pg")) == []
            assert memory.review.alias("PG", "PostgreSQL") == ("postgresql", "pg")
            answer = memory.recall("pg")
            assert contents(answer) == ["PostgreSQL runs on db-7"]
            assert set(answer.searched.names) == {"postgresql", "pg"}


def test_a_name_of_several_words_is_recognised_in_a_question(memory: Memory) -> None:
    memory.remember("Big Blue hired three people")
    memory.review.alias("International Business Machines", "Big Blue")
    assert contents(memory.recall("what about international business machines?")) == ["Big Blue hired three people"]


def test_names_of_names_are_names_of_the_same_thing(tmp_path: Path) -> None:
    with both(tmp_path, Toy) as memories:
        for memory in memories:
            assert memory.review.alias("b", "c") == ("c", "b")
            assert memory.review.alias("a", "b") == ("c", "a", "b")
            assert memory.review.alias("c", "d") == ("d", "a", "b", "c"), "all that it was known by comes along"
            assert memory.review.alias("A", "The D") == ("d", "a", "b", "c"), "said again, nothing changes"
            assert memory.insight.entity("b").names == ("d", "a", "b", "c")


def test_saying_again_what_is_known_writes_nothing(memory: Memory) -> None:
    memory.review.alias("PG", "PostgreSQL")
    head = memory.ledger.head()
    memory.review.alias("pg", "postgresql")
    memory.review.alias("heron", "heron")
    assert memory.ledger.head() == head


def test_a_name_that_means_itself_stands_alone_again(tmp_path: Path) -> None:
    with both(tmp_path, Toy) as memories:
        for memory in memories:
            memory.remember("Postgres sleeps")
            memory.review.alias("PG", "Postgres")
            memory.review.alias("Elephant", "Postgres")
            assert memory.review.alias("PG", "PG") == ("pg",)
            assert memory.insight.entity("Postgres").names == ("postgres", "elephant")
            assert contents(memory.recall("pg")) == []
            assert contents(memory.recall("elephant")) == ["Postgres sleeps"]
            assert memory.review.alias("Postgres", "Postgres") == ("postgres",), "the chief name as well"
            assert contents(memory.recall("elephant")) == []


def test_the_past_is_read_with_the_names_of_the_past(tmp_path: Path) -> None:
    with both(tmp_path, Toy) as memories:
        for memory in memories:
            memory.remember("Postgres sleeps")
            before = memory._session.tenant.clock.now()
            memory.review.alias("PG", "Postgres")
            named = memory._session.tenant.clock.now()
            memory.review.alias("PG", "PG")
            assert [contents(memory.recall("pg", known_at=at)) for at in (before, named, None)] == [
                [],
                ["Postgres sleeps"],
                [],
            ]


def test_names_survive_a_replay_and_a_verification(tmp_path: Path) -> None:
    with both(tmp_path, Toy) as memories:
        for memory in memories:
            record = kept(memory.remember("Maria Lopez sees OPS-7"))
            memory.review.alias("PG", "PostgreSQL")
            memory.review.alias("PG", "PG")
            memory.review.alias("OPS-7", "The Outage")
            assert memory.ledger.verify().ok
            assert memory.ledger.replay().identical
            assert memory.ledger.verify().ok
            assert memory.insight.entity("the outage").names == ("outage", "ops-7")
            assert memory.insight.entity("Maria Lopez").records == (record,)


TAMPERINGS = {
    "a mention is removed": ("DELETE FROM mentions WHERE entity = 'ops-7'", "mention_differs"),
    "a mention is added": ("INSERT INTO mentions VALUES (3, 'zebra', 'name')", "mention_differs"),
    "a mention is of another thing": ("UPDATE mentions SET entity = 'x' WHERE entity = 'ops-7'", "mention_differs"),
    "a mention is of another sort": ("UPDATE mentions SET kind = 'path' WHERE entity = 'ops-7'", "mention_differs"),
    "a mention is somebody else's": ("UPDATE mentions SET rid = 99 WHERE entity = 'ops-7'", "mention_differs"),
    "a name is removed": ("DELETE FROM aliases", "alias_differs"),
    "a name is added": ("INSERT INTO aliases VALUES ('a', 'b', 3, 3)", "alias_differs"),
    "a name means another thing": ("UPDATE aliases SET entity = 'zebra'", "alias_differs"),
    "a name is another": ("UPDATE aliases SET alias = 'zebra'", "alias_differs"),
    "a name was given earlier": ("UPDATE aliases SET seq = 1", "alias_differs"),
    "a name is from another document": ("UPDATE aliases SET doc = 1", "alias_differs"),
}


@pytest.mark.parametrize(("statement", "code"), TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_names_that_were_tampered_with_are_reported_and_written_anew(vault: Path, statement: str, code: str) -> None:
    with Memory.open(vault) as memory:
        memory.remember("Maria Lopez sees OPS-7")
        memory.review.alias("PG", "PostgreSQL")
    connection = apsw.Connection(str(vault / "default.sqlite"))
    connection.execute(statement)
    assert connection.changes() == 1
    connection.close()
    with Memory.open(vault) as memory:
        assert {finding.code for finding in memory.ledger.verify().findings} == {code}
        assert not memory.ledger.replay().identical
        assert memory.ledger.verify().ok
        assert memory.insight.entity("pg").names == ("postgresql", "pg")


def test_giving_names_needs_the_right_to(tmp_path: Path) -> None:
    with on_disk(tmp_path, None, RULES) as memory:
        head = memory.ledger.head()
        for actor in ("ana", "bot", "auditor", "guest"):
            with pytest.raises(NotPermitted) as caught:
                memory.as_actor(actor).review.alias("PG", "PostgreSQL")
            assert caught.value.code == "not_permitted"
        assert memory.ledger.head() == head
        assert memory.as_actor("owner").review.alias("PG", "PostgreSQL") == ("postgresql", "pg")


@pytest.mark.parametrize(("name", "means", "field"), [("", "a", "name"), ("a", "  ", "means")])
def test_what_is_no_name_is_refused_by_its_field(memory: Memory, name: str, means: str, field: str) -> None:
    with pytest.raises(Malformed) as caught:
        memory.review.alias(name, means)
    assert caught.value.field == field


class Pharmacist:
    """Knows the names of drugs, and tells more than it should."""

    def __init__(self, *found: Entity) -> None:
        self._found = found
        self.asked: list[str] = []

    def extract(self, text: str) -> tuple[Entity, ...]:
        self.asked.append(text)
        return self._found


def name(text: str, key: str | None = None) -> Entity:
    return Entity(kind=EntityKind.NAME, text=text, key=text.lower() if key is None else key)


def test_an_extractor_adds_names_to_those_that_are_found_by_rule(tmp_path: Path) -> None:
    extractor = Pharmacist(name("aspirin"))
    with on_disk(tmp_path, None, extractor=extractor) as memory:
        record = kept(memory.remember("she takes it since OPS-7", entities=["Doctor Who"]))
        assert mentions(memory, record) == {"aspirin", "ops-7", "doctor who"}
        assert memory.insight.entity("Aspirin").records == (record,)
        assert {one.entity for one in memory.insight.entity("Aspirin").related} == {"ops-7", "doctor who"}
        assert memory.ledger.verify().ok
        assert memory.ledger.replay().identical, "it is not asked again: what it found is kept"
    assert extractor.asked == ["she takes it since OPS-7"]


def test_a_secret_never_becomes_a_name(tmp_path: Path) -> None:
    extractor = Pharmacist(name(SECRET), name("key", SECRET), name("fine"))
    with on_disk(tmp_path, Toy(), extractor=extractor) as memory:
        record = kept(memory.remember(f"deploy OPS-7 with {SECRET} today"))
        memory.flush(timeout=WAIT_S)
        assert mentions(memory, record) == {"fine", "ops-7"}
        assert all(SECRET not in text for text in extractor.asked), "nor is it shown to an extractor"
        for names in ((SECRET, "a"), ("a", SECRET)):
            with pytest.raises(Malformed):
                memory.review.alias(*names)
        with memory._session.tenant.store.read() as snapshot:
            kept_keys = {row.entity for row in snapshot.names.all_mentions()}
        assert not any(SECRET.lower() in key.lower() for key in kept_keys)


def test_names_are_bounded_in_number_and_length(tmp_path: Path) -> None:
    flood = [name(f"drug{number}") for number in range(500)]
    with on_disk(tmp_path, None, extractor=Pharmacist(name("x" * 5_000), *flood)) as memory:
        text = "OPS-1 " + " ".join(f"Person{number} Smith{number}," for number in range(300))
        record = record_of(memory, kept(memory.remember(text, entities=["y" * 3_000, "Doctor Who"])))
        assert len(record.mentions) <= ENTITIES_MAX
        assert all(len(entity.key) <= ENTITY_LENGTH_MAX for entity in record.mentions)
        keys = {entity.key for entity in record.mentions}
        assert "doctor who" in keys, "what the author says is not pushed out"
        assert "ops-1" in keys, "nor is what is found by rule"
        assert memory.ledger.verify().ok


def test_a_record_that_only_shares_a_name_with_what_fits_comes_with_it(tmp_path: Path) -> None:
    with on_disk(tmp_path, None) as memory:
        memory.remember("the boiler failed, says Maria Lopez")
        memory.remember("call Maria Lopez on extension 12")
        answer = memory.recall("boiler", floor=0.0)
        assert contents(answer)[0] == "the boiler failed, says Maria Lopez"
        candidates = memory.explain(answer.receipt_id).account.candidates
        assert [one.via for one in candidates] == [None, "it shares names or links with what matches"]


def test_an_entity_is_known_by_all_its_names_newest_record_first(memory: Memory) -> None:
    first = kept(memory.remember("Maria Lopez leads OPS-7"))
    second = kept(memory.remember("ask Marie about OPS-7 and OPS-8"))
    memory.remember("OPS-9 is somebody else's")
    memory.review.alias("Marie", "Maria Lopez")
    gone = kept(memory.remember("then Marie left"))
    memory.review.retract(gone, reason="no")
    view = memory.insight.entity("marie")
    assert (view.entity, view.names) == ("maria lopez", ("maria lopez", "marie"))
    assert view.records == (second, first)
    assert [(one.entity, one.records) for one in view.related] == [("ops-7", 2), ("ops-8", 1)]
    assert memory.insight.entity("marie", limit=1).records == (second,)
    assert memory.insight.entity("nobody at all").records == ()
