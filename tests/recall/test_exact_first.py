"""What a question points at comes first, whatever the lengths of the texts: a code or a rare word that one record
holds, or the very text of a record. An answer is never longer than asked for, and the same question gives the same."""

from __future__ import annotations

import os
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.recall.world import Toy, contents, ids, kept, on_disk, policy

from muniment import Memory
from muniment.model.claim_options import make_claim

LONG = 20 if os.environ.get("MUNIMENT_TEST_LONG") else 1
FEW = settings(
    max_examples=LONG * 2, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
WORDS = [
    "pump", "valve", "pressure", "station", "night", "release", "review", "budget", "engine", "garden", "river",
    "window", "table", "signal", "paper", "morning", "project", "customer", "invoice", "server", "report",
    "meeting", "team", "quarter", "status", "ticket", "change", "owner", "summary", "figure",
]  # fmt: skip
SHAPES = (
    "abc-{0}", "2.{0}.0", "flag_{0}", "user{0}@example.com", "src/app/part{0}/main.py", "zorb{0}", "INC{0:05}",
    "web-{0:02}", "rec_{0:06}x", "v3.{0}.1",
)  # fmt: skip
QUESTIONS = ("{0}", "what do we know about {0}?", "status of the ticket {0} in the report", "who is the owner of {0}")


def filler(random_: random.Random, length: int) -> str:
    words: list[str] = []
    size = 0
    while size < length:
        words.append(random_.choice(WORDS))
        size += len(words[-1]) + 1
    return " ".join(words)


def fill(memory: Memory, random_: random.Random, *, long: int, short: int) -> list[tuple[str, str]]:
    """Records of 1 to 20,000 characters, every long one with a code of its own in its middle; some of one session."""
    named: list[tuple[str, str]] = []
    texts: list[str] = []
    for number in range(long):
        code = SHAPES[number % len(SHAPES)].format(random_.randrange(100) * 100 + number + 11)
        size = random_.choice((20, 2_000, 8_000, 20_000))
        place = random_.randrange(size)
        texts.append(f"{filler(random_, place)} {code} {filler(random_, size - place)}")
        named.append((code, texts[-1]))
    texts += [filler(random_, random_.choice((1, 20, 60, 200))) for _ in range(short)]
    random_.shuffle(texts)
    for number, text in enumerate(texts):
        session = f"s{number % 4}" if number % 3 else None
        memory.propose(make_claim(text, memory.actor, {"session_id": session}))
    memory.flush()
    return named


@FEW
@given(st.integers(0, 2**32))
def test_what_only_one_record_holds_is_found_first_however_long_the_record_is(seed: int) -> None:
    random_ = random.Random(seed)
    with TemporaryDirectory() as name, on_disk(Path(name), Toy(), policy(QUIET)) as memory:
        named = fill(memory, random_, long=8, short=40)
        for code, text in named:
            question = random_.choice(QUESTIONS).format(code)
            answer = memory.recall(question, limit=random_.choice((1, 5, 10)))
            assert contents(answer)[:1] == [text], question
            assert ids(answer) == ids(memory.recall(question, limit=len(answer.records)))
            assert memory.explain(answer.receipt_id).same_ids


QUIET = """\
version: 1
name: quiet
actors:
  owner: {type: person, roles: [owner], authority: 10}
write:
  - {id: all, scopes: [project], decision: commit, reason: may}
read:
  - {id: owner-reads, roles: [owner], member: false}
review:
  - {id: owner-reviews, roles: [owner], actions: [accept, discard, retract, queue, audit, observe, resolve, name]}
"""

TEMPLATES = (
    "The staging database {0} moved to eu-west-2",
    "Order {0} shipped on Tuesday",
    "Invoice {0} comes to {1} euros",
    "Flag ff_{0} is enabled",
    "Flag ff_{0} is not enabled",
    "Dana {2}. prefers tea to coffee",
    "release 2.{0}.{1} is out",
    "The release was moved to last March {0}",
    'They call it "plan {0}" there',
    "I live in Hamburg since {0}",
)
facts = st.builds(
    lambda template, one, other, letter: template.format(one, other, letter),
    st.sampled_from(TEMPLATES),
    st.integers(0, 30),
    st.integers(0, 5),
    st.sampled_from("ABCDE"),
)
loose = st.lists(st.sampled_from(WORDS[:6]), min_size=1, max_size=6).map(" ".join)
long_texts = st.builds(
    lambda seed, size: filler(random.Random(seed), size), st.integers(0, 99), st.integers(300, 4_000)
)
stores = st.lists(st.one_of(facts, facts, loose, long_texts), min_size=1, max_size=14, unique=True)


@settings(FEW, max_examples=LONG * 3)
@given(stores, st.booleans(), st.integers(1, 12))
def test_asked_for_the_text_of_a_record_it_is_first_and_no_more_are_told_than_asked_for(
    texts: list[str], meaning: bool, limit: int
) -> None:
    with TemporaryDirectory() as name, on_disk(Path(name), Toy() if meaning else None) as memory:
        for text in texts:
            memory.remember(text, confidence=0.7)
        memory.flush()
        for text in texts[:5]:
            answer = memory.recall(text, limit=limit)
            assert len(answer.records) <= limit
            if any(one.record.content == text for one in memory.insight.browse()):
                assert answer.records[0].record.content == text
            assert answer.render(budget_tokens=300).citations[:1][0].record == answer.records[0].record.id
            again = memory.recall(text, limit=limit)
            assert (ids(again), again.excluded) == (ids(answer), answer.excluded)
            assert memory.explain(answer.receipt_id).same_ids


def test_of_texts_that_differ_in_case_the_very_one_comes_first(tmp_path: Path) -> None:
    with on_disk(tmp_path) as memory:
        for text in ("Flag FF is on", "flag ff is on", "FLAG FF is on"):
            memory.remember(text, namespace=f"/n{len(memory.recall('flag').records)}")
        for text in ("Flag FF is on", "flag ff is on", "FLAG FF is on"):
            assert contents(memory.recall(text))[0] == text


@pytest.mark.parametrize("question", ["zorbulax", "does the pump need zorbulax?"])
def test_a_rare_word_decides_before_records_that_hold_none_of_the_question(tmp_path: Path, question: str) -> None:
    random_ = random.Random(4)
    with on_disk(tmp_path, Toy(), policy(QUIET)) as memory:
        text = f"{filler(random_, 9_000)} zorbulax {filler(random_, 9_000)}"
        kept(memory.remember(text))
        for number in range(40):
            memory.remember(f"garden river {number} window", session_id="s")
        memory.flush()
        assert contents(memory.recall(question))[0] == text
