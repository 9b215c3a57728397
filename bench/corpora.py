"""Read the public conversation sets, and put them into a memory turn by turn as their speakers would have."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypedDict, cast

from muniment import Memory
from muniment.model.claim_options import make_claim
from muniment.model.value import Value

BATCH = 200
POLICY = """
version: 1
name: conversations
actors:
  "*": {type: person, roles: [speaker], projects: [default]}
  assistant: {type: agent, roles: [speaker], projects: [default]}
  asker: {type: person, roles: [speaker], projects: [default]}
write:
  - {id: speak, scopes: [project], decision: commit, reason: what was said was said}
read:
  - {id: listen, scopes: [project], member: true}
disputes: {detector: ignore}
"""


class Turn(Value):
    """One thing that was said."""

    id: str
    session: str
    speaker: str
    text: str
    at: datetime


class Ask(Value):
    """One question: who asks it and when, and which turns and sessions hold the answer; none if nothing does."""

    id: str
    type: str
    text: str
    asker: str
    at: datetime
    turns: frozenset[str]
    sessions: frozenset[str]

    @property
    def answerable(self) -> bool:
        return bool(self.turns or self.sessions)


class Corpus(Value):
    """One store's worth of turns, and the questions put to it."""

    name: str
    turns: tuple[Turn, ...]
    asks: tuple[Ask, ...]


class _Said(TypedDict, total=False):
    role: str
    content: str
    id: str
    speaker: str
    text: str
    caption: str | None


def load(path: Path) -> tuple[str, list[Corpus]]:
    """Which set a file holds, and its stores."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        document = json.load(file)
    if "conversations" in document:
        return "locomo", [_conversation(one) for one in document["conversations"]]
    if "sessions" in document:
        return "longmemeval", [_pooled(document)]
    if "chats" in document:
        return "beam", [_chat(one) for one in document["chats"]]
    raise SystemExit(f"{path.name} is none of the sets this bench reads")


def _pooled(document: dict[str, object]) -> Corpus:
    sessions = cast("dict[str, dict[str, object]]", document["sessions"])
    turns = [turn for name, session in sessions.items() for turn in _session_turns(name, session)]
    questions = cast("list[dict[str, object]]", document["questions"])
    return Corpus(name="pooled", turns=tuple(turns), asks=tuple(_pooled_ask(one) for one in questions))


def _session_turns(name: str, session: dict[str, object]) -> Iterator[Turn]:
    start = _day(str(session["date"]))
    for number, said in enumerate(cast("list[_Said]", session["turns"])):
        yield Turn(
            id=f"{name}:{number}",
            session=name,
            speaker="asker" if said["role"] == "user" else said["role"],
            text=said["content"],
            at=start + timedelta(seconds=number),
        )


def _pooled_ask(question: dict[str, object]) -> Ask:
    gone = str(question["question_id"]).endswith("_abs")
    turns = cast("list[tuple[str, int]]", question["gold_turns"])
    return Ask(
        id=str(question["question_id"]),
        type=str(question["type"]),
        text=str(question["question"]),
        asker="asker",
        at=_day(str(question["question_date"])),
        turns=frozenset() if gone else frozenset(f"{session}:{number}" for session, number in turns),
        sessions=frozenset() if gone else frozenset(cast("list[str]", question["gold_sessions"])),
    )


def _conversation(conversation: dict[str, object]) -> Corpus:
    turns: list[Turn] = []
    for session in cast("list[dict[str, object]]", conversation["sessions"]):
        start = _hour(str(session["date"]))
        for number, said in enumerate(cast("list[_Said]", session["turns"])):
            caption = f" [image: {said['caption']}]" if said.get("caption") else ""
            turns.append(
                Turn(
                    id=said["id"],
                    session=str(session["id"]),
                    speaker=said["speaker"],
                    text=f"{said['speaker']}: {said['text']}{caption}",
                    at=start + timedelta(seconds=number),
                )
            )
    known = {turn.id: turn.session for turn in turns}
    last = max(turn.at for turn in turns) + timedelta(hours=1)
    asks = []
    for number, question in enumerate(cast("list[dict[str, object]]", conversation["questions"])):
        gold = frozenset(one for one in cast("list[str]", question["evidence"]) if one in known)
        if not gold:
            continue  # nobody has said where the answer is, so nothing can be counted
        asks.append(
            Ask(
                id=f"{conversation['conversation']}:{number}",
                type=f"category {question['category']}",
                text=str(question["question"]),
                asker="somebody",
                at=last,
                turns=gold,
                sessions=frozenset(known[one] for one in gold),
            )
        )
    return Corpus(name=str(conversation["conversation"]), turns=tuple(turns), asks=tuple(asks))


def _chat(chat: dict[str, object]) -> Corpus:
    """A chat with labelled pairs of messages, each with the question it is about."""
    messages = cast("list[dict[str, object]]", chat["user_messages"])
    dated = next(str(one["date"]) for one in messages if one["date"])
    turns: list[Turn] = []
    for number, one in enumerate(messages):
        dated = str(one["date"] or dated)
        at = datetime.strptime(dated, "%B-%d-%Y").replace(tzinfo=UTC) + timedelta(seconds=number)
        turns.append(Turn(id=str(one["id"]), session=dated, speaker="asker", text=str(one["text"]), at=at))
    last = max(turn.at for turn in turns) + timedelta(hours=1)
    sessions = {turn.id: turn.session for turn in turns}
    asks = [
        Ask(
            id=f"{chat['chat']}:{number}",
            type=type_,
            text=text,
            asker="asker",
            at=last,
            turns=gold,
            sessions=frozenset(sessions[one] for one in gold),
        )
        for number, (type_, text, gold) in enumerate(_labels(chat, frozenset(sessions)))
    ]
    return Corpus(name=str(chat["chat"]), turns=tuple(turns), asks=tuple(asks))


def _labels(chat: dict[str, object], known: frozenset[str]) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Each labelled pair: what it is, the question it is about, and the messages of both its sides."""
    for type_, sides in (("contradictions", ("first", "second")), ("updates", ("original", "updated"))):
        for pair in cast("list[dict[str, object]]", chat[type_]):
            gold = (str(message) for side in sides for message in cast("list[int]", pair[side]))
            yield type_, str(pair["question"]), frozenset(gold) & known


def _day(text: str) -> datetime:
    return datetime.strptime(re.sub(r" \(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


def _hour(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def remember(memory: Memory, corpus: Corpus) -> tuple[dict[str, str], int]:
    """Put a corpus into a memory; returns which turn each record is, and the last ledger position that was
    acknowledged."""
    turn_of: dict[str, str] = {}
    written = 0
    speakers = {name: memory.as_actor(name) for name in sorted({turn.speaker for turn in corpus.turns})}
    for start in range(0, len(corpus.turns), BATCH):
        run: list[Turn] = []
        for turn in corpus.turns[start : start + BATCH]:
            if run and run[-1].speaker != turn.speaker:
                written = _say(speakers[run[-1].speaker], run, turn_of)
                run = []
            run.append(turn)
        written = _say(speakers[run[-1].speaker], run, turn_of)
    return turn_of, written


def _say(speaker: Memory, run: list[Turn], turn_of: dict[str, str]) -> int:
    claims = [
        make_claim(
            turn.text,
            speaker.actor,
            {
                "session_id": turn.session,
                "namespace": "/" + re.sub(r"[^A-Za-z0-9_.-]", "-", turn.session),
                "event_time": turn.at.isoformat(),
            },
        )
        for turn in run
    ]
    verdicts = speaker.propose(claims)
    for turn, verdict in zip(run, verdicts, strict=True):
        if verdict.record_id is not None:
            turn_of[verdict.record_id] = turn.id
    return max(verdict.epoch for verdict in verdicts)
