"""What a claim owes to what its author was told: does it share content with that, in any field and any spelling?

Pure: it is handed the records and compares words. The question is not whether a claim says the same, which wording can
always hide, but whether it has enough in common with what was told for that to be where it comes from.
"""

from __future__ import annotations

import codecs
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from muniment.model.actor import Actor
from muniment.model.card import standing_of
from muniment.model.claim import Claim
from muniment.model.record import Record
from muniment.model.value import Value
from muniment.model.vocabulary import LABEL_RANK, ActorType, Label
from muniment.text.words import telling
from muniment.write.facts import Facts, Held
from muniment.write.poison.encoded_text import DEPTH_MAX, decoded
from muniment.write.poison.hidden_characters import latin, readable, smuggled
from muniment.write.poison.look import texts

READ_MAX = 65_536
TURNED_MAX = 2_000
"""In a text of so many characters every turn of the alphabet is tried, in a longer one only the usual one."""
_OWN = LABEL_RANK[Label.AGENT]
_SHARE = 0.34
_SHARE_OF_ALL = 0.6
_SHARE_UNTOLD = 0.75
_WEIGHT_MIN = 0.75
"""Words that are in most of what somebody was told weigh little: sharing a few of them is sharing a subject."""
ALIKE_LEAST = 0.55
"""From this cosine on a model finds two texts to be about the same: paraphrases are above it, other subjects below."""
PIECES_MAX = 4
_PIECE_LEAST = 20
_ROOT = 6
_WINDOW = 24
_PASSAGES_MAX = 400
_CONTENT = "content"
_ALONE = "alone"
"""The field of a content that has one word to say, as what is sent word by word has."""
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n+")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_APART = re.compile(r"(?:(?<![^\W_])[^\W_][ ._*|/-]{1,2}){3,}[^\W_](?![^\W_])")
_NOT_WORD = re.compile(r"[\W_]+")
_LEET = (
    str.maketrans("013456789@$!|+(€", "oieasgtbgasiltce"),
    str.maketrans("013456789@$!|+(€", "oleasbtbgaslltce"),
)
_MIXED = re.compile(r"[^\W\d_][013456789@$!|+(€]|[013456789@$!|+(€][^\W\d_]")
_SMALL_WORDS = """
der die das den dem des ein eine einen einem einer eines und oder aber nicht ist sind war wird werden wurde hat haben
kann soll muss auf aus bei mit nach von vor zu zum zur im am als wie dass es sie er wir ich ihr sich
le la les un une des du de et ou mais ne pas est sont sera ont il elle nous vous ils ce cette ces dans sur pour par avec
sans que qui au aux se son sa ses leur el los las una unos y o pero no es son fue ha han en con por para sin del al lo
su sus como mas il gli i e ma non sono stato di da nel con per tra che si uno os as um uma ou mas nao foi em na nos nas
com sem dos het een van op te dat en maar niet zijn voor met aan bij ook w z ze do nie jest sie po od za
и в на с по не что это как из у от до для bir ve bu ile icin
"""
_SMALL = frozenset(_SMALL_WORDS.split())
"""Words of other languages that say how, not what."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TURNS = tuple(str.maketrans(_LETTERS, _LETTERS[by:] + _LETTERS[:by]) for by in range(1, 26) if by != 13)
_MIRROR = str.maketrans(_LETTERS, _LETTERS[::-1])


class Exposure(Value):
    """What an author was told and may have written from: `shared` is what the claim has content in common with,
    `lately` all of low origin that the author was told within the window, `cited` what the claim names."""

    shared: tuple[Held, ...] = ()
    lately: tuple[Held, ...] = ()
    cited: tuple[Held, ...] = ()

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels a claim may not stand above. Who writes from one page writes with all the others in mind."""
        owed = (*self.shared, *self.lately) if self.shared else ()
        return tuple(standing_of(held.card).footing.label for held in (*owed, *self.cited))

    @property
    def idle(self) -> bool:
        """Whether the author was lately told something of low origin that the claim shares nothing with."""
        return bool(self.lately) and not self.shared

    @property
    def names(self) -> tuple[str, ...]:
        """The records it owes to, what it shares content with first."""
        return tuple(dict.fromkeys(held.card.id for held in (*self.shared, *self.lately)))


NOT_EXPOSED = Exposure()


def exposure(
    claim: Claim, facts: Facts, actor: Actor, *, seen: Callable[[Held], bool], alike: frozenset[int] = frozenset()
) -> Exposure:
    """What a claim of an actor owes. A person answers for their own words. `seen` tells what the actor may see: of
    nothing else is anything to be learned here; `alike` are near in meaning, as far as a model was asked."""
    named = tuple(held for held in facts.cited if held.card.rid in facts.told or seen(held))
    if actor.type is ActorType.PERSON:
        return Exposure(cited=named)
    heard = {held.card.rid for held in facts.heard}
    others = [held for held in facts.kin if held.card.label < _OWN and held.card.rid not in heard]
    told = [*facts.heard, *(held for held in others if held.card.rid in facts.told or held.record.actor == actor.id)]
    untold = [held for held in others if held not in told and seen(held)]
    shared = _sharing(claim, [held.record for held in told], actor.id) | _repeating(
        claim, [held.record for held in untold]
    )
    return Exposure(
        shared=tuple(held for held in (*told, *untold) if held.record.id in shared or held.card.rid in alike),
        lately=tuple(held for held in facts.heard if held.card.rid in facts.lately),
        cited=named,
    )


class ExposedPassage(Value):
    """A sentence or so: the roots of its words, and the field it stands in."""

    field: str
    words: frozenset[str]


class ExposureSources(Value):
    """What an author was told, by its words: the passages each root stands in, what it weighs, and how words read."""

    by_root: dict[str, tuple[tuple[str, ExposedPassage], ...]]
    weights: dict[str, float]
    spelled: frozenset[str]


Told = tuple[str, tuple[tuple[str, str], ...]]
"""A record by its id, and its texts by their fields."""


@lru_cache(maxsize=32)  # what an author was told is the same for the next thing they write
def _sources(told: tuple[Told, ...]) -> ExposureSources:
    found = [(name, _passages(texts)) for name, texts in told]
    spread = Counter(root for _, passages in found for root in {root for one in passages for root in one.words})
    by_root: dict[str, list[tuple[str, ExposedPassage]]] = {}
    for name, passages in found:
        for passage in passages:
            for root in passage.words:
                by_root.setdefault(root, []).append((name, passage))
    return ExposureSources(
        by_root={root: tuple(where) for root, where in by_root.items()},
        weights={root: 1 / (1 + math.log(count)) for root, count in spread.items()},
        spelled=frozenset(
            word for _, texts in told for field, text in texts if field == _CONTENT for word in _spellings(text)
        ),
    )


def _sharing(claim: Claim, told: Sequence[Record], author: str) -> set[str]:
    """The records, of those an author was told, that a claim shares content with. Of what the author wrote from what
    they were told, only that part counts that shares content with it: what they added is their own."""
    own = [record for record in told if record.actor == author and record.exposed_to]
    others = tuple((record.id, tuple(fields(record.claim))) for record in told if record not in own)
    if not told:
        return set()
    first = _sources(others)
    derived = [(record.id, _derived(tuple(fields(record.claim)), others)) for record in own]
    sources = _sources((*others, *((name, texts) for name, texts in derived if texts))) if derived else first
    return {name for unit in units_of(claim, sources.spelled) for name in _met(unit, sources)}


@lru_cache(maxsize=1024)
def _derived(texts: tuple[tuple[str, str], ...], told: tuple[Told, ...]) -> tuple[tuple[str, str], ...]:
    """The sentences of a text that share content with what was told."""
    sources = _sources(told)
    return tuple(
        (field, part)
        for field, text in texts
        for part in _SENTENCE.split(text)
        if any(True for words in parts(part) for _ in _met(ExposedPassage(field=field, words=words), sources))
    )


def _met(unit: ExposedPassage, sources: ExposureSources) -> Iterator[str]:
    """The records that a part of a claim shares content with."""
    known = sources.by_root
    met = {id(one): (name, one) for root in unit.words if root in known for name, one in known[root]}
    return (name for name, passage in met.values() if _shares(unit, passage, sources.weights))


def _shares(unit: ExposedPassage, passage: ExposedPassage, weights: dict[str, float]) -> bool:
    """Whether a part of a claim has enough in common with a part of what was told. What stands in the same side field
    of both, such as a purpose, is how their authors fill that in."""
    if unit.field == passage.field != _CONTENT:
        return False
    common = unit.words & passage.words
    if unit.field == "":
        return len(common) >= 3 and _sum(common, weights) >= _SHARE_OF_ALL * _sum(passage.words, weights)
    if len(common) < 2:
        return unit.field == _ALONE and common == unit.words
    weight = _sum(common, weights)
    least = min(_sum(unit.words, weights), _sum(passage.words, weights))
    return weight >= _SHARE * least and (weight >= _WEIGHT_MIN or common == unit.words)


def _sum(words: frozenset[str], weights: dict[str, float]) -> float:
    return math.fsum(weights.get(word, 1.0) for word in words)


def _repeating(claim: Claim, untold: Sequence[Record]) -> set[str]:
    """The same of what the author was not told as far as anybody knows, though it could read it: nearly all of either's
    words are the other's."""
    own = _all_words(claim.content)
    return {
        record.id
        for record in untold
        if len(own & (theirs := _all_words(record.content))) >= 3
        and len(own & theirs) >= _SHARE_UNTOLD * max(len(own), len(theirs))
    }


def pieces_of(claim: Claim) -> tuple[str, ...]:
    """The texts of a claim that are long enough to have a meaning, the longest first, so many at most."""
    found = [text for _, text in fields(claim) if len(text) >= _PIECE_LEAST]
    return tuple(sorted(dict.fromkeys(found), key=len, reverse=True)[:PIECES_MAX])


@lru_cache(maxsize=1024)
def _all_words(text: str) -> frozenset[str]:
    return frozenset(roots(text))


def _passages(told: Iterable[tuple[str, str]]) -> tuple[ExposedPassage, ...]:
    """What was told, in parts: its content as it stands and as it is spelled, and the other texts beside it."""
    return tuple(
        ExposedPassage(field=field, words=words) for field, text in told for words in _spelled(text, field == _CONTENT)
    )


@lru_cache(maxsize=2048)
def _spellings(text: str) -> frozenset[str]:
    """The words of a text as they stand, but for those that are in every text."""
    words = _WORD.findall(latin(readable(text[:READ_MAX])))
    return frozenset(word for word in words if len(word) > 3 and telling(word) is not None)


@lru_cache(maxsize=2048)
def _spelled(text: str, every: bool) -> tuple[frozenset[str], ...]:
    forms = (text, *_plainer(text)) if every else (text,)
    return tuple(words for form in dict.fromkeys(forms) for words in parts(form))


def units_of(claim: Claim, spelled: frozenset[str]) -> Iterator[ExposedPassage]:
    """A claim in parts, in every spelling its words may hide in; last, all of its words at once, of no field. `spelled`
    are the words that were told: a text with its letters turned that spells none of them is none of theirs."""
    whole: set[str] = set()
    for field, text in fields(claim):
        turned = (form for form in _turned(text) if sum(word in spelled for word in _WORD.findall(form)) > 1)
        for form in dict.fromkeys((text, *_plainer(text), *turned)):
            for words in parts(form):
                yield ExposedPassage(field=field, words=words)
        whole.update(roots(text))
    if len(alone := frozenset(roots(claim.content))) == 1:
        yield ExposedPassage(field=_ALONE, words=alone)
    yield ExposedPassage(field="", words=frozenset(whole))


def fields(claim: Claim) -> Iterator[tuple[str, str]]:
    """Every text of a claim under the name of its field; several in one field read as one text."""
    belief, slot, intent, origin, lineage = claim.belief, claim.slot, claim.intent, claim.origin, claim.lineage
    yield _CONTENT, claim.content[:READ_MAX]
    if slot is not None:
        yield _CONTENT, f"{slot.subject} {slot.key} {slot.value}"
    place = claim.place
    named: dict[str, Iterable[str | None]] = {
        "reasoning": (belief.reasoning,),
        "evidence": belief.evidence,
        "assumptions": belief.assumptions,
        "purpose": (intent.purpose,),
        "question": (intent.question,),
        "source": (origin.source, origin.triggered_by, origin.external_id),
        "entities": lineage.entities,
        "relations": (relation.description for relation in lineage.relations),
        "nature": (claim.nature.experience, claim.nature.lifecycle),
        "place": (place.namespace, place.workflow_id, place.task_id),
    }
    for field, said in named.items():
        text = " ".join(one for one in said if one)
        if text:
            yield field, text[:READ_MAX]
    if claim.extensions:
        known = {claim.content, *(one for said in named.values() for one in said if one)}
        text = " ".join(one for one in texts(claim) if one not in known)
        yield "extensions", text[:READ_MAX]


def _plainer(text: str) -> Iterator[str]:
    """A text with digits read as the letters they look like, letters that stand apart joined, and what is encoded."""
    plain = latin(readable(text))
    if _MIXED.search(plain):
        yield from (plain.translate(table) for table in _LEET)
    if _APART.search(plain):
        yield _APART.sub(lambda run: _NOT_WORD.sub("", run.group()), plain)
    yield from _inside(text, 1)


def _inside(text: str, depth: int) -> Iterator[str]:
    if depth > DEPTH_MAX:
        return
    for inner in (*decoded(text), smuggled(text)):
        if inner:
            yield inner
            yield from _inside(inner, depth + 1)


def _turned(text: str) -> Iterator[str]:
    """A text read backwards, and with its letters turned."""
    plain = latin(readable(text))
    yield plain[::-1]
    yield codecs.decode(plain, "rot13")
    if len(plain) <= TURNED_MAX:
        yield from (plain.translate(table) for table in (*_TURNS, _MIRROR))


@lru_cache(maxsize=4096)
def parts(text: str) -> tuple[frozenset[str], ...]:
    """A text as the sets of words of its sentences; short ones join the next, long ones are cut."""
    found: list[frozenset[str]] = []
    open_: list[str] = []
    for sentence in _SENTENCE.split(text):
        open_ += roots(sentence)
        if len(open_) < 3:
            continue
        found += (frozenset(open_[first : first + _WINDOW]) for first in range(0, len(open_), _WINDOW))
        open_ = []
        if len(found) >= _PASSAGES_MAX:
            break
    if open_:
        found.append(frozenset(open_))
    return tuple(dict.fromkeys(found))


def roots(text: str) -> list[str]:
    """The roots of the words that say what a text is about, figures among them; of letters that are words, pairs."""
    plain = latin(readable(text))
    found: list[str] = []
    before = ""
    for word in _WORD.findall(plain):
        if _WIDE.match(word):
            found += [before + word] if before else []
            before = word
            continue
        before = ""
        root = telling(word) if (len(word) > 1 or word.isdigit()) and word not in _SMALL else None
        if root is not None:
            found.append(root[:_ROOT])
    return found
