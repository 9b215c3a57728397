"""PostgreSQL beside SQLite: the same deeds leave the same rows, the same questions get the same answers and errors."""

from __future__ import annotations

import math
import random
import string
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.cases import each
from tests.postgres.server import Schemas, connect, schema_of
from tests.support.postgres import started
from tests.support.world import simulated_memory
from tests.unit.engine.test_memory import WRONG

from muniment.backends.postgres.vault import PostgresVault
from muniment.backends.sqlite.store import SqliteTenant
from muniment.engine.memory import Memory
from muniment.model.checks import CONTENT_BYTES_MAX, TEXT_BYTES_MAX
from muniment.model.errors import IntegrityError, MunimentError
from muniment.ports.store import TenantStore
from muniment_store_conformance.contents import Contents, contents
from muniment_store_conformance.makers import make_card, put_cards
from muniment_store_conformance.parity import TEXTS

ZONES = ("Asia/Kathmandu", "America/St_Johns", "Pacific/Apia", "UTC")
NUMBERS = (0.0, 5e-324, 0.1, 0.1 + 0.2, 1 / 3, 0.9999999999999999, 1.7976931348623157e308)
WHOLE = (-(2**62), -1, 0, 1, 2**53 + 1, 2**62)
Deed = Callable[[Memory], object]


@contextmanager
def file_store() -> Iterator[TenantStore]:
    with TemporaryDirectory() as folder:
        store = SqliteTenant(Path(folder) / "default.sqlite", "default", create=True)
        yield store
        store.close()


@contextmanager
def server_store(dsn: str) -> Iterator[TenantStore]:
    vault = PostgresVault(dsn)
    yield vault.open("default", create=True)
    vault.close()


@pytest.fixture
def twins(dsn: str) -> Iterator[tuple[TenantStore, TenantStore]]:
    """A store in a file and one on the server."""
    with file_store() as one, server_store(dsn) as other:
        yield one, other


def told(deed: Deed, memory: Memory) -> object:
    """What comes of a deed: its answer, or its error in full."""
    try:
        return deed(memory)
    except MunimentError as error:
        return type(error), error.code, str(error), error.hint


def speak(memory: Memory) -> list[object]:
    """Say every odd text, ask for each of its words, and for everything at once."""
    answers: list[object] = []
    for number, text in enumerate(TEXTS):
        answers.append(memory.remember(text, subject=f"{text[:20]} {number}", key=text[:40], value=text))
    for word in sorted({word for text in TEXTS for word in text.split() if word.isprintable()}):
        found = memory.recall(word, limit=20)
        answers.append([(hit.record, hit.score) for hit in found.records])
    answers.append(memory.recall("straße family السلام café", limit=3))
    return answers


def test_odd_texts_are_kept_and_found_alike_to_the_last_bit_of_the_score(
    twins: tuple[TenantStore, TenantStore],
) -> None:
    one, other = (speak(simulated_memory(store, seed=3)) for store in twins)
    assert one == other
    assert contents(twins[0]) == contents(twins[1])


@pytest.mark.parametrize("zone", ZONES)
def test_no_time_zone_of_a_session_changes_an_answer(dsn: str, zone: str) -> None:
    """Times are whole microseconds of UTC from end to end: no zone, no summer time, no missing day."""

    def deeds(memory: Memory) -> list[object]:
        memory.remember("the shop is closed", valid_from="2011-12-30", valid_until="2011-12-31T23:59:59.999999Z")
        memory.remember("clocks change", event_time="2026-03-29T01:30:00Z", expires_at="9999-12-31T23:59:59.999999Z")
        memory.remember("the first day", event_time="0001-01-01T00:00:00Z")
        asked = ("2011-12-29T23:59:59Z", "2011-12-30T00:00:00Z", "2011-12-31T23:59:59Z", "2012-01-01T00:00:00Z")
        return [memory.recall("shop closed", valid_at=moment) for moment in asked]

    with file_store() as one, server_store(f"{dsn}&options=-c%20timezone%3D{zone}") as other:
        assert deeds(simulated_memory(one)) == deeds(simulated_memory(other))
        assert contents(one) == contents(other)


def bits(kept: Contents) -> list[tuple[int, int | None, str, str]]:
    return [(card.created_at, card.expires_at, card.importance.hex(), card.effective.hex()) for card in kept.cards]


def test_numbers_are_kept_alike_to_the_last_bit(twins: tuple[TenantStore, TenantStore]) -> None:
    cards = [make_card(rid, importance=value, effective=min(value, 1.0)) for rid, value in enumerate(NUMBERS, start=1)]
    cards += [make_card(rid, created_at=value, expires_at=value) for rid, value in enumerate(WHOLE, start=50)]
    for store in twins:
        store.write(put_cards(*cards))
    one, other = (bits(contents(store)) for store in twins)
    assert one == other
    assert [created for created, *_ in other[-len(WHOLE) :]] == list(WHOLE)
    assert other[len(NUMBERS) - 1][2] == NUMBERS[-1].hex()


def test_the_sign_of_zero_is_told_by_neither(twins: tuple[TenantStore, TenantStore]) -> None:
    """A file does not keep it in its columns and a server does: whoever asks is told the same."""
    one, other = (simulated_memory(store) for store in twins)
    for memory in (one, other):
        memory.remember("nobody believes it", confidence=-0.0)
    assert one.recall("believes", confidence_min=0.0) == other.recall("believes", confidence_min=0.0)
    assert contents(twins[0]) == contents(twins[1])


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
def test_a_number_past_what_both_can_hold_is_refused_by_both(
    twins: tuple[TenantStore, TenantStore], value: int
) -> None:
    for store in twins:
        with pytest.raises((OverflowError, IntegrityError, MunimentError)):
            store.write(put_cards(make_card(1, created_at=value)))
        assert contents(store).cards == ()


def sized(letters: str, size: int) -> str:
    """A text of exactly so many bytes in these letters, such that it cannot be made much smaller by compression."""
    rng = random.Random(size)
    drawn = "".join(rng.choices(letters, k=size)).encode()[:size].decode(errors="ignore").strip()
    return drawn + "x" * (size - len(drawn.encode()))


PLAIN = string.ascii_letters + string.digits
WIDE = "".join(map(chr, range(0x4E00, 0x9FA0)))
WORDS = PLAIN + " " * 12


LONGEST: dict[str, Deed] = {
    "subject": lambda memory: memory.remember("a", subject=sized(WIDE, TEXT_BYTES_MAX), key="k", value="v"),
    "key": lambda memory: memory.remember("b", subject="s", key=sized(WIDE, TEXT_BYTES_MAX), value="v"),
    "value": lambda memory: memory.remember("c", subject="s", key="k", value=sized(WIDE, TEXT_BYTES_MAX)),
    "whole slot": lambda memory: memory.remember(
        "d", subject=sized(PLAIN, TEXT_BYTES_MAX), key=sized(PLAIN, TEXT_BYTES_MAX), value=sized(PLAIN, TEXT_BYTES_MAX)
    ),
    "namespace": lambda memory: memory.remember("e", namespace="".join("/" + sized(PLAIN, 127) for _ in range(4))),
    "content": lambda memory: memory.remember(sized(WORDS + "äöü", CONTENT_BYTES_MAX)),
    "one word": lambda memory: memory.remember(sized(PLAIN, CONTENT_BYTES_MAX)),
    "entities": lambda memory: memory.remember("f", entities=[sized(PLAIN, 4_000 - number) for number in range(60)]),
    "session": lambda memory: memory.remember("g", session_id="s" * 128),
    "alias": lambda memory: memory.review.alias(sized(WORDS, 4_000), sized(PLAIN, 3_999)),
    "evidence": lambda memory: memory.remember("h", evidence=[sized(PLAIN, TEXT_BYTES_MAX)] * 256),
}
"""Things as long as they may be."""
HUGE = ("content", "one word", "evidence")
"""Those of a mebibyte."""
TOO_LONG: dict[str, Deed] = {
    "subject": lambda memory: memory.remember("a", subject="ö" * TEXT_BYTES_MAX, key="k", value="v"),
    "key": lambda memory: memory.remember("b", subject="s", key="x" * (TEXT_BYTES_MAX + 1), value="v"),
    "namespace": lambda memory: memory.remember("c", namespace="/" + "x" * TEXT_BYTES_MAX * 2),
    "content": lambda memory: memory.remember("x" * (CONTENT_BYTES_MAX + 1)),
    "session": lambda memory: memory.remember("d", session_id="s" * 5_000),
    "nan": lambda memory: memory.remember("e", confidence=math.nan),
    "infinity": lambda memory: memory.remember("f", importance=math.inf),
    "nothing": lambda memory: memory.remember(""),
    "half a character": lambda memory: memory.remember("broken \ud800 text"),
    "zero byte": lambda memory: memory.remember("zero \x00 byte"),
    "zero byte in a slot": lambda memory: memory.remember("z", subject="a\x00b", key="k", value="v"),
    "zero byte in a query": lambda memory: memory.recall("zero\x00byte"),
}
"""Things that are too long, or not what they should be."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in HUGE else []) for name in LONGEST]
)
def test_the_longest_of_everything_is_kept_and_answered_alike(
    twins: tuple[TenantStore, TenantStore], name: str
) -> None:
    memories = [simulated_memory(store, seed=5) for store in twins]
    one, other = (told(LONGEST[name], memory) for memory in memories)
    assert one == other
    assert contents(twins[0]) == contents(twins[1])
    assert contents(twins[1]).cards or name == "alias"
    for memory in memories:
        assert memory.ledger.verify().findings == ()


@each("name", TOO_LONG)
def test_what_is_too_long_or_no_value_is_refused_in_the_same_words(
    twins: tuple[TenantStore, TenantStore], name: str
) -> None:
    memories = [simulated_memory(store) for store in twins]
    before = [contents(store) for store in twins]
    one, other = (told(TOO_LONG[name], memory) for memory in memories)
    assert one == other
    assert isinstance(one, tuple) == (contents(twins[0]).entries == before[0].entries), "refused, and nothing kept"
    assert contents(twins[0]) == contents(twins[1])


def test_every_wrong_call_is_refused_in_the_same_words(twins: tuple[TenantStore, TenantStore]) -> None:
    memories = [simulated_memory(store) for store in twins]
    for name, (call, _) in WRONG.items():
        one, other = (told(call, memory) for memory in memories)
        assert one == other, name
        assert isinstance(one, tuple), name
    assert contents(twins[0]) == contents(twins[1])


def test_every_column_of_text_is_compared_by_its_bytes(dsn: str) -> None:
    asked = """
        SELECT table_name, column_name FROM information_schema.columns
         WHERE table_schema = %s AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
    """
    with connect(dsn) as connection:
        assert connection.execute(asked, [schema_of(dsn)]).fetchall() == []


def other_locale() -> str:
    """A locale of this machine that is not the one of the other tests; the plainest of all when there is no other."""
    said = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=True).stdout.split()
    return next((name for name in said if name.lower().endswith(("utf8", "utf-8")) and not name.startswith("C")), "C")


def test_a_server_of_another_locale_gives_the_same_answers() -> None:
    with (
        started(durable=False, locale=other_locale()) as server,
        server_store(server.dsn()) as other,
        file_store() as one,
    ):
        assert speak(simulated_memory(one, seed=3)) == speak(simulated_memory(other, seed=3))
        assert contents(one) == contents(other)


def test_a_schema_of_one_deployment_is_not_seen_from_another(schemas: Schemas) -> None:
    places = [schemas.lend(), schemas.lend()]
    with server_store(places[0]) as one, server_store(places[1]) as other:
        simulated_memory(one).remember("the build is green")
        assert contents(other).entries == ()
        assert contents(other).documents == ()
    for place in places:
        schemas.take_back(place)
