"""Read a question: its words, the names in it with all their aliases, the time it asks about, and its vector."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from muniment.model.query import Query
from muniment.model.receipt import Terms
from muniment.model.value import Value
from muniment.ports.store import Snapshot
from muniment.read.exact import codes_of
from muniment.read.words import read_terms, words_of
from muniment.text.entities import entities, entity_key
from muniment.text.stop_words import STOP_WORDS

NAME_WORDS_MAX = 4
ALIASES_MAX = 16
BYNAMES_FROM = 100
BYNAME_SHARE = 0.2
"""From so many records on, a name that more than this share of them hold is not put to the model."""

_EVERYWHERE = math.log((1 - BYNAME_SHARE) / BYNAME_SHARE)
_CAPITAL = re.compile(r"\b([A-Z]\w*)(?:['’]s\b)?")


class QuestionVector(Value):
    """A question as a vector and the model that made it, or why there is none."""

    vector: bytes | None = None
    model: str | None = None
    why: str | None = None


Ask = Callable[[str], QuestionVector]


class SearchTerms(Value):
    """What is searched for: the words of a question, and a vector for it or for each topic an agent is about. Without
    a `model` there are none, and `why` says why. `bynames` are other names of what it speaks of: nobody said them."""

    terms: Terms
    vectors: tuple[bytes, ...] = ()
    topics: tuple[Terms, ...] = ()
    model: str | None = None
    why: str | None = None
    bynames: tuple[str, ...] = ()


def texts_of(query: Query) -> tuple[str, ...]:
    """What is to be read as what to search for: the question, what an agent is about, or nothing."""
    if query.attuned is not None:
        return query.attuned.topics
    return (query.text,) if query.listing is None else ()


def seek(snapshot: Snapshot, query: Query, ask: Ask, *, as_of: int) -> SearchTerms:
    """Read a question, or what an agent is about, as what to search for."""
    texts = texts_of(query)
    read = [read_question(snapshot, text, as_of=as_of, spare=query.attuned is None) for text in texts]
    asked = [ask(text) for _, text, _ in read]
    vectors = tuple(one.vector for one in asked if one.vector is not None)
    whole = len(vectors) == len(read)
    return SearchTerms(
        terms=_joined([terms for terms, _, _ in read]),
        vectors=vectors if whole else (),
        topics=tuple(terms for terms, _, _ in read),
        model=asked[0].model if asked and whole and vectors else None,
        why=next((one.why for one in asked if one.why is not None), None),
        bynames=tuple(dict.fromkeys(name for _, _, others in read for name in others)),
    )


def _joined(terms: list[Terms]) -> Terms:
    if len(terms) == 1:
        return terms[0]
    return Terms(
        words=tuple(dict.fromkeys(word for one in terms for word in one.words)),
        common=tuple(dict.fromkeys(word for one in terms for word in one.common)),
        names=tuple(dict.fromkeys(name for one in terms for name in one.names)),
        codes=tuple(dict.fromkeys(code for one in terms for code in one.codes)),
    )


def read_question(
    snapshot: Snapshot, text: str, *, as_of: int, spare: bool = True
) -> tuple[Terms, str, tuple[str, ...]]:
    """Take a question apart: what to search for, what the model is to read, and which other names were added. A name
    that is known by others is searched under all of them. Without `spare`, a topic whose only word very many records
    hold is not searched by words: who attunes is told what is new anyway."""
    terms = read_terms(text)
    keys = tuple(dict.fromkeys([entity.key for entity in entities(text)]))
    wanted = [*keys, *_spoken(text)]
    snapshot.ahead(
        snapshot.meanings.reach,
        partial(snapshot.names.groups, wanted, as_of=as_of),
        partial(snapshot.lexicon.prune, terms, spare=spare),
    )
    groups = snapshot.names.groups(wanted, as_of=as_of)
    others = [name for key, group in groups.items() for name in group if name != key][:ALIASES_MAX]
    also = [word for name in others for word in words_of(name) if word not in STOP_WORDS]
    widened = msgspec.structs.replace(terms, words=tuple(dict.fromkeys([*terms.words, *also])))
    pruned = snapshot.lexicon.prune(widened, spare=spare)
    names = tuple(dict.fromkeys([*keys, *(name for group in groups.values() for name in group)]))
    read = _without_bynames(snapshot, text)
    read = f"{read} ({', '.join(others)})" if others else read
    said = {*keys, *groups}
    return (
        msgspec.structs.replace(pruned, names=names, codes=codes_of(text)),
        read,
        tuple(name for name in names if name not in said),
    )


def _without_bynames(snapshot: Snapshot, text: str) -> str:
    """A question as the model is to read it: without names that a good part of all records hold, a speaker's perhaps.
    A name that is everywhere tells nothing, and drowns what would."""
    if snapshot.lexicon.count() < BYNAMES_FROM:
        return text
    names = [match for match in _CAPITAL.finditer(text) if match[1].lower() not in STOP_WORDS]
    rare = snapshot.lexicon.weights(tuple(dict.fromkeys(match[1].lower() for match in names)))
    for match in reversed(names):
        if rare[match[1].lower()] < _EVERYWHERE:
            text = text[: match.start()] + text[match.end() :]
    return " ".join(text.split())


def _spoken(text: str) -> Iterator[str]:
    """Every run of a few words in a question, as the key it would have if it were a name."""
    words = words_of(text)
    for length in range(1, NAME_WORDS_MAX + 1):
        for start in range(len(words) - length + 1):
            yield entity_key(" ".join(words[start : start + length]))
