"""The facts of a proposal in one statement, put together of the parts that are asked for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

import apsw
import msgspec

from muniment.backends.nearness import NEAR_POSTINGS_MAX
from muniment.backends.sqlite.connection import listed
from muniment.backends.sqlite.lexicon import quoted
from muniment.backends.statements import named
from muniment.model.card import Card
from muniment.ports.facts import FactsAsked

Row = tuple[Any, ...]  # the columns of different parts differ in type
_COLUMNS = len(Card.__struct_fields__)
_ALWAYS = ("twin", "past_twins")
_OF_RECORDS = ("revisions", "buried")


@cache
def _statement(parts: tuple[str, ...]) -> str:
    texts = named(__package__, "facts.sql")
    return " UNION ALL ".join(
        re.sub(r"\{(\d+)\}", lambda found: ", NULL" * (_COLUMNS - int(found[1])), texts[part]) for part in parts
    )


def ask(
    connection: apsw.Connection, asked: FactsAsked, terms: Sequence[str], more: tuple[str, ...] = ()
) -> dict[str, list[Row]]:
    """The rows of each part, without the name of the part. Of `terms`, words of the index, the latest revisions that
    hold them are wanted; `more` are parts to be asked for besides."""
    hearing = asked.hearing
    parts = (
        *more,
        *_ALWAYS,
        *(("filed",) if asked.proposal is not None else ()),
        *(("occupants", "past_answers") if asked.slot is not None else ()),
        *(_OF_RECORDS if asked.records else ()),
        *(("pace",) if asked.burst is not None else ()),
        *(("heard",) if hearing is not None else ()),
        *(("about",) if asked.subjects else ()),
        *(("holding",) if terms else ()),
    )
    found: dict[str, list[Row]] = defaultdict(list)
    rows: list[Row] = connection.execute(_statement(parts), _bindings(asked, terms)).fetchall()
    for row in rows:
        found[row[0]].append(row[1:])
    return found


def _bindings(asked: FactsAsked, terms: Sequence[str]) -> dict[str, str | bytes | int | None]:
    hearing = asked.hearing
    return {
        "proposal": asked.proposal,
        "fingerprint": asked.fingerprint,
        "slot": asked.slot,
        "answers_max": asked.answers_max,
        "records": listed(asked.records),
        "actor": asked.actor,
        "burst": asked.burst,
        "listener": hearing.actor if hearing is not None else None,
        "below": hearing.below if hearing is not None else None,
        "heard_max": hearing.keep if hearing is not None else None,
        "subjects": listed(asked.subjects),
        "subjects_max": asked.subjects_max,
        "terms": msgspec.json.encode({term: quoted(term) for term in terms}).decode(),
        "postings": NEAR_POSTINGS_MAX,
    }
