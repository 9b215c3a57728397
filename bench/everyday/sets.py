"""Read the situations: facts in the order they were told, and questions with the facts that answer them now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import yaml

from bench.corpora import Ask, Corpus, Turn

FOLDER = Path(__file__).parent / "sets"
NOTHING = "nothing"
FIRST_DAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


class _Written(msgspec.Struct, forbid_unknown_fields=True):
    what: str
    language: str
    facts: dict[str, str]
    asks: dict[str, str]


def situations() -> list[Corpus]:
    return [read(path) for path in sorted(FOLDER.glob("*.yaml"))]


def read(path: Path) -> Corpus:
    """A situation as a corpus: a fact a day, and all questions on the day after the last."""
    written = msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), _Written)
    turns = tuple(
        Turn(id=name, session="", speaker="asker", text=text, at=FIRST_DAY + timedelta(days=day))
        for day, (name, text) in enumerate(written.facts.items())
    )
    at = FIRST_DAY + timedelta(days=len(turns))
    return Corpus(name=path.stem, turns=turns, asks=tuple(_ask(*one, written, at) for one in written.asks.items()))


def _ask(text: str, told: str, written: _Written, at: datetime) -> Ask:
    answers = frozenset(told.split()) - {NOTHING}
    assert answers <= written.facts.keys(), f"{text} is answered by facts that are not there"
    return Ask(id=text, type=written.language, text=text, asker="asker", at=at, turns=answers, sessions=frozenset())
