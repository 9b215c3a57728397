"""What is raced on: texts, questions, and for each question which texts answer it."""

from __future__ import annotations

import gzip
import hashlib
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bench.peers.job import Turn
from muniment.model.value import Value


class Question(Value):
    """A question and the numbers of the texts that answer it, with the conversations they are in. Some have none."""

    text: str
    turns: tuple[int, ...] = ()
    sessions: tuple[str, ...] = ()


class Corpus(Value):
    name: str
    digest: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


class _Said(msgspec.Struct):
    content: str


class _Session(msgspec.Struct):
    date: str
    turns: list[_Said]


class _Asked(msgspec.Struct):
    question_id: str
    question: str
    gold_sessions: list[str]
    gold_turns: list[tuple[str, int]]


class _LongMemEval(msgspec.Struct):
    sessions: dict[str, _Session]
    questions: list[_Asked]


class NotACorpus(Exception):
    """The file is not one that can be raced on."""


def read_longmemeval(path: Path) -> Corpus:
    """All sessions pooled, turn by turn, in the order of the file; empty turns are left out."""
    try:
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        read = msgspec.json.decode(body, type=_LongMemEval)
    except (OSError, msgspec.MsgspecError) as error:
        wanted = "LongMemEval as JSON, or JSON in gzip, with `sessions` and `questions`"
        raise NotACorpus(f"{path}: {error}. It must be {wanted}.") from None
    turns: list[Turn] = []
    numbers: dict[tuple[str, int], int] = {}
    for name, session in read.sessions.items():
        for at, said in enumerate(session.turns):
            if said.content.strip():
                numbers[name, at] = len(turns)
                turns.append(Turn(text=said.content, session=name, said=_instant(session.date)))
    questions = tuple(_question(asked, numbers) for asked in read.questions)
    digest = hashlib.sha256(body).hexdigest()
    return Corpus(name="LongMemEval, pooled", digest=digest, turns=tuple(turns), questions=questions)


def _question(asked: _Asked, numbers: dict[tuple[str, int], int]) -> Question:
    if asked.question_id.endswith("_abs"):
        return Question(text=asked.question)
    gold = tuple(numbers[name, at] for name, at in asked.gold_turns if (name, at) in numbers)
    return Question(text=asked.question, turns=gold, sessions=tuple(asked.gold_sessions))


def _instant(written: str) -> str:
    """`2023/04/10 (Mon) 17:50` as an instant."""
    day, _, hour = written.split()
    return datetime.strptime(f"{day} {hour}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC).isoformat()


class Score(Value):
    """Of the questions that the first `n` texts can answer, the share answered: by conversation, by the very text."""

    questions: int
    recall: float
    turn_recall: float | None


def score(corpus: Corpus, n: int, found: tuple[tuple[int, ...], ...]) -> Score:
    held = {turn.session for turn in corpus.turns[:n]}
    by_session, by_turn = [], []
    for question, numbers in zip(corpus.questions, found, strict=True):
        if sessions := held.intersection(question.sessions):
            by_session.append(any(corpus.turns[number].session in sessions for number in numbers))
        if turns := {number for number in question.turns if number < n}:
            by_turn.append(not turns.isdisjoint(numbers))
    return Score(questions=len(by_session), recall=_share(by_session) or 0.0, turn_recall=_share(by_turn))


def _share(hits: list[bool]) -> float | None:
    return sum(hits) / len(hits) if hits else None
