"""The conflict detector: are the neighbours found that a statement may disagree with, and is what it says right?

Four measurements: neighbours among labelled messages, found the way the store finds them; the detector over those
neighbours; false alarms among templated facts; planted pairs. A label names one pair where a chat may hold several like
it, so the precision measured against labels is a lower bound.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TypedDict

from bench.conflict_cases import planted, templated
from bench.conflict_families import FAMILIES, HELD_OUT, Mould, facts, notes
from bench.conflict_planted import CONTRADICTIONS, UPDATES, told
from bench.report import Row, publish
from muniment.backends.sqlite.store import SqliteVault
from muniment.model.vocabulary import ConflictType
from muniment.ports.store import Unit
from muniment.text.compare import ComparisonResult, compare, salient, text_features
from muniment.text.identity import about, meet
from muniment_store_conformance.makers import TENANT, make_card, make_document

SEED = 20_261_115
NEAR = 10
JUDGED = 16
FACTS = 200

Pair = tuple[int, int]


class Message(TypedDict):
    id: int
    text: str


class Contradiction(TypedDict):
    first: list[int]
    second: list[int]


class Update(TypedDict):
    original: list[int]
    updated: list[int]


class Chat(TypedDict):
    chat: str
    user_messages: list[Message]
    contradictions: list[Contradiction]
    updates: list[Update]


class Neighbours:
    """One chat in a store of its own, written message by message. What is near to a message is asked just before it is
    written, as curation asks it."""

    def __init__(self, texts: dict[int, str]) -> None:
        self._near: dict[int, list[int]] = {}
        with tempfile.TemporaryDirectory() as folder:
            vault = SqliteVault(Path(folder))
            store = vault.open(TENANT, create=True)
            for number, text in texts.items():
                with store.read() as snapshot:
                    found = snapshot.lexicon.near(salient(text), keep=JUDGED)
                self._near[number] = [one.rid - 1 for one in found]
                store.write(partial(_add, number=number + 1, text=text))
            vault.close()

    def near(self, number: int, keep: int) -> list[int]:
        return self._near[number][:keep]


def _add(unit: Unit, *, number: int, text: str) -> None:
    unit.keep(make_document(number, text))
    unit.project((make_card(number),), {number: text})


class Labelled:
    """One chat with its labels. A label that names one message twice has nothing to find and is left out."""

    def __init__(self, chat: Chat) -> None:
        self.texts = {message["id"]: message["text"] for message in chat["user_messages"]}
        self.neighbours = Neighbours(self.texts)
        told = [(ConflictType.CONTRADICTION, one["first"], one["second"]) for one in chat["contradictions"]]
        told += [(ConflictType.UPDATE, one["original"], one["updated"]) for one in chat["updates"]]
        found = [
            (kind, {(min(a, b), max(a, b)) for a in firsts for b in seconds if a != b and {a, b} <= set(self.texts)})
            for kind, firsts, seconds in told
        ]
        self.labels = [(kind, pairs) for kind, pairs in found if pairs]
        self.empty = len(found) - len(self.labels)


def candidate_recall(chats: list[Labelled], keep: int) -> float:
    """Of how many labels some earlier message is among the nearest neighbours of the later one."""
    met = [
        any(old in chat.neighbours.near(new, keep) for old, new in pairs) for chat in chats for _, pairs in chat.labels
    ]
    return sum(met) / len(met)


def judged(chats: list[Labelled]) -> Iterator[tuple[Labelled, Pair, ComparisonResult]]:
    """Every message against its neighbours among those before it, as a write would meet them."""
    for chat in chats:
        for new in chat.texts:
            for old in chat.neighbours.near(new, JUDGED):
                finding = compare(text_features(chat.texts[new]), text_features(chat.texts[old]))
                if finding is not None and finding.type is not ConflictType.DUPLICATE:
                    yield chat, (old, new), finding


def messages(path: Path, details: dict[str, list[float]]) -> list[Row]:
    """Neighbours and detector on labelled chats."""
    body = path.read_bytes()
    chats = [Labelled(chat) for chat in json.loads(gzip.decompress(body) if path.suffix == ".gz" else body)["chats"]]
    found = list(judged(chats))
    hits = [(chat, pair) for chat, pair, _ in found if any(pair in pairs for _, pairs in chat.labels)]
    empty = sum(chat.empty for chat in chats)
    details["labels, of them without two messages"] = [sum(len(chat.labels) for chat in chats) + empty, empty]
    details["candidate_recall_at_5_10_16"] = [candidate_recall(chats, keep) for keep in (5, 10, 16)]
    for why, count in sorted(Counter(finding.why for _, _, finding in found).items()):
        right = sum(1 for chat, pair, finding in found if finding.why == why and (chat, pair) in hits)
        details[f"findings by {why}, of them labelled"] = [count, right]
    return [
        Row("neighbours @10 of a message when it is written", candidate_recall(chats, NEAR), "", floor=0.80),
        Row("messages: findings", len(found), ""),
        Row("messages: precision against the labels", len(hits) / max(len(found), 1), ""),
        *(Row(f"messages: recall, {kind.value}", _recall(chats, hits, kind), "") for kind in _CONFLICTS),
    ]


_CONFLICTS = (ConflictType.CONTRADICTION, ConflictType.UPDATE)


def _recall(chats: list[Labelled], hits: list[tuple[Labelled, Pair]], kind: ConflictType) -> float:
    asked = [(chat, pairs) for chat in chats for labelled, pairs in chat.labels if labelled is kind]
    return sum(any(chat is hit and pair in pairs for hit, pair in hits) for chat, pairs in asked) / max(len(asked), 1)


def alarms() -> list[Row]:
    """Findings among facts of which no two are about the same thing, every one against every other."""
    facts = [text_features(text) for text in templated(FACTS, SEED)]
    found = sum(compare(new, old) is not None for new in facts for old in facts if new is not old)
    return [Row("templated facts: false alarms of 39,800 pairs", found, "", floor=0, most=True)]


def families() -> list[Row]:
    """Conflicts among facts about different things: none may be established, and hardly any suspected."""
    rows = []
    for label, group in (("families", FAMILIES), ("families held out", HELD_OUT)):
        found, count = _among(group)
        rows.append(
            Row(f"{label} ({len(group)}): established", sum(one.proven for one in found), "", floor=0, most=True)
        )
        suspected = 100 * sum(not one.proven for one in found) / count
        rows.append(Row(f"{label}: suspected of {count} pairs", suspected, "%", floor=0.5, most=True))
    pairs = [compare(text_features(new), text_features(old)) for new, old in notes(SEED)]
    proven = sum(one is not None and one.proven for one in pairs)
    rows.append(Row(f"notes of two clauses ({len(pairs)} pairs): established", proven, "", floor=0, most=True))
    return rows


def _among(group: dict[str, Mould]) -> tuple[list[ComparisonResult], int]:
    found, count = [], 0
    for mould in group.values():
        told_of = [(text_features(text), about(text)) for text in facts(mould, SEED)]
        for (new, mine), (old, theirs) in combinations(told_of, 2):
            count += 1
            finding = compare(new, old) if meet(mine, theirs) else None
            found += [finding] if finding is not None else []
    return found, count


def disagreements() -> list[Row]:
    """Of the contradictions and updates we planted, in three styles, how many are found with either strength."""
    rows = []
    for label, cases, floor in (("contradictions", CONTRADICTIONS, 0.8), ("updates", UPDATES, 0.6)):
        findings = [_found(old, new) for _, old, new in told(cases)]
        rows.append(
            Row(f"{label} in three styles ({len(findings)}): found", sum(findings) / len(findings), "", floor=floor)
        )
    return rows


def _found(old: str, new: str) -> bool:
    finding = compare(text_features(new), text_features(old)) if meet(about(new), about(old)) else None
    return finding is not None and finding.type is not ConflictType.DUPLICATE


def pairs(details: dict[str, list[float]]) -> list[Row]:
    """The planted pairs: how many of the findings are right, and how many of the conflicts are found."""
    told = [(kind, compare(text_features(new), text_features(old))) for new, old, kind in planted()]
    details["planted_pairs"] = [len(told)]
    rows = []
    for kind in (*_CONFLICTS, ConflictType.DUPLICATE):
        said = [right for right, finding in told if finding is not None and finding.type is kind]
        meant = [finding for right, finding in told if right is kind]
        right = sum(one is kind for one in said)
        rows.append(Row(f"planted {kind.value}s: precision", right / max(len(said), 1), "", floor=0.95))
        rows.append(Row(f"planted {kind.value}s: recall", right / max(len(meant), 1), "", floor=0.80))
    return rows


def speed() -> list[Row]:
    """Microseconds for two sentences: read already, and met for the first time."""
    old = "The API rate limit for the billing gateway in production is 100 requests per minute for each customer"
    new = "The API rate limit for the billing gateway in production is now 200 requests per minute for each customer"
    other = "Our quarterly hiring plan foresees four engineers and a designer for the Lisbon office by the end of June"
    one, two, three = text_features(new), text_features(old), text_features(other)
    fresh = [f"{old} number {number}" for number in range(400)]
    started = time.perf_counter()
    for text in fresh:
        compare(one, text_features(text))
    cold = (time.perf_counter() - started) / len(fresh) * 1e6
    return [
        Row("compare two related sentences", _microseconds(lambda: compare(one, two)), "µs", floor=30, most=True),
        Row("compare two unrelated sentences", _microseconds(lambda: compare(one, three)), "µs"),
        Row("read a new related sentence and compare", cold, "µs"),
    ]


def _microseconds(work: Callable[[], object], count: int = 1_000, rounds: int = 7) -> float:
    """The quickest of several rounds: what is slower was slowed by something else."""
    work()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        for _ in range(count):
            work()
        times.append(time.perf_counter() - started)
    return min(times) / count * 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--data", type=Path, help="labelled chats as JSON, also gzipped; without it only our own cases run"
    )
    chosen = options.parse_args()
    details: dict[str, list[float]] = {}
    rows = messages(chosen.data, details) if chosen.data else []
    rows += alarms() + families() + disagreements() + pairs(details) + speed()
    publish("conflicts", rows, seed=SEED, details=details)


if __name__ == "__main__":
    main()
