"""What a text is about, and whether two texts are about the same thing.

Two statements can disagree only if they are about one thing. Their subject is read from the words before the verb: the
noun with its numbers, codes, names and initials. Where a text leaves its subject open, it meets no other text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from muniment.model.card import SPEAKER
from muniment.model.value import Value
from muniment.text.quantities import Quantity, quantities
from muniment.text.stems import done, stem
from muniment.text.word_tables import (
    AUXILIARY,
    BE,
    COMPARED,
    DOUBTS,
    HYPOTHETIC,
    MARKED,
    MEASURES,
    NEGATIONS,
    NOISE,
    OPEN_SUBJECTS,
    PREPOSITIONS,
    SELF,
    STATES,
    STOP,
    TOPICS,
    VALUE_SETS,
    VERBS,
)
from muniment.text.words import Token, spoken, tokens

READ_MAX = 600
"""Longer texts say several things; which of them is meant is not read from so many words."""
PIECES_MAX = 60
TALK_MIN = 24
"""A text of more pieces says more than one thing."""
_BREAKS = frozenset(".!?\n;:")
_PAST_BE = frozenset(("was", "were", "had", "did"))


class TextPiece(NamedTuple):
    """One word, figure or operator. `key` is what is compared; `anchor` marks what names one thing among its kind."""

    key: str
    shown: str
    anchor: bool = False
    figure: Quantity | None = None


class Subject(Value):
    """What a statement is about: the words of its subject, and among them those that name one of a kind."""

    words: frozenset[str]
    anchors: frozenset[str]
    speaker: bool = False

    @property
    def open(self) -> bool:
        """Whether the text leaves open what it is about."""
        return not self.words and not self.anchors

    @property
    def key(self) -> str:
        return " ".join(sorted(self.words | self.anchors))


class StatementOutline(Value):
    """A short text as its pieces in order, with its subject and the places where its predicate begins and where its
    first statement ends. What comes after that may be said of something else."""

    pieces: tuple[TextPiece, ...]
    subject: Subject
    verb_at: int
    ends_at: int
    marked: bool
    anew: bool
    verb: str
    past: bool
    indefinite: bool
    supposing: bool
    unsure: bool
    asking: bool
    first_person: bool

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(piece.key for piece in self.pieces)


NO_SUBJECT = Subject(words=frozenset(), anchors=frozenset())


def about(text: str) -> tuple[str, ...]:
    """What a text is about, under each name it can be looked for; nothing where it leaves that open.

    Of somebody who speaks of themselves it is the sides of their life that they speak of.

    >>> about("Order 1003 shipped on Tuesday"), about("It shipped on Tuesday"), about("I live in Hamburg")
    (('#1003 order',), (), ('@self', '@self home'))
    """
    found = outline(text)
    if found is None or found.subject.open or len(found.pieces) > TALK_MIN:
        return ()
    key = found.subject.key
    return (key, *(f"{key} {topic}" for topic in sorted(topics(found)))) if key == SPEAKER else (key,)


def about_speaker(text: str) -> bool:
    """Whether somebody speaks of themselves, or of their own."""
    found = outline(text)
    return found is not None and found.subject.speaker


def meet(one: tuple[str, ...], other: tuple[str, ...] | None) -> bool:
    """Whether what two texts are about can be the same: neither subject has a word that the other lacks while the
    other has one too.

    >>> meet(("#1003 order",), ("#1004 order",)), meet(("limit rate",), ("api limit rate",))
    (False, True)
    """
    if not one or not other or one[0] == other[0]:
        return True
    a, b = set(one[0].split(" ")), set(other[0].split(" "))
    return a <= b or b <= a


@lru_cache(maxsize=512)
def outline(text: str) -> StatementOutline | None:
    """Read a text as one outline; None for one that is too long to be about one thing."""
    said = _said_of(text)
    return _outlined(tokens(said), f" {' '.join(text.lower().split())} ") if len(said) <= READ_MAX else None


@lru_cache(maxsize=128)
def statements(text: str) -> tuple[StatementOutline, ...]:
    """The statements of a short text, each with the asides that follow it.

    >>> [one.subject.key for one in statements("Rex passed away, and our cat is called Tom now")]
    ['rex', '@self cat']
    """
    said = _said_of(text)
    left, parts = tokens(said) if len(said) <= READ_MAX else [], list[list[Token]]()
    begun: list[Token] = []
    while left and len(parts) < _STATEMENTS_MAX:
        read = _pieces(left)
        part, joint, left = left[: read.stop], left[read.stop : read.stop + 1], left[read.stop + 1 :]
        if read.verb_at >= 0:
            parts.append([*begun, *part])
            begun = []
        elif parts:
            parts[-1] += part
        elif joint and joint[0].kind == "mark":
            begun += part
    aside = [phrase for phrase in _MARKED_PHRASES if phrase in text.lower() and phrase not in said.lower()]
    found = (_outlined(part, f" {' '.join([token.form for token in part] + aside)} ") for part in parts if part)
    return tuple(one for one in found if one is not None)


_STATEMENTS_MAX = 6


def _said_of(text: str) -> str:
    return _TURNS_OUT.sub("", spoken(text), count=1)


def _outlined(cut: list[Token], whole: str) -> StatementOutline | None:
    asking = any(token.form == "?" for token in cut)
    pieces, verb_at, verb, ends_at, _ = _pieces(cut)
    if not pieces or len(pieces) > PIECES_MAX:
        return None
    forms = [token.form for token in cut if token.kind == "word"]
    subject = _subject(pieces, verb_at, forms)
    cues = [two.form for one, two in pairwise([cut[0], *cut]) if two.form in MARKED and one.kind != "number"]
    new = _NEW in subject.words and len(subject.words) > 1
    return StatementOutline(
        pieces=tuple(pieces),
        subject=Subject(words=subject.words - {_NEW}, anchors=subject.anchors, speaker=subject.speaker)
        if new
        else subject,
        verb_at=verb_at,
        ends_at=ends_at,
        marked=bool(cues) or any(f" {phrase}" in whole for phrase in _MARKED_PHRASES),
        anew=new or not _AS_BEFORE.isdisjoint(forms),
        verb=verb,
        past=verb in _PAST_BE or (done(verb) and verb not in BE),
        indefinite=bool(forms) and forms[0] in ("a", "an", "some", "any"),
        supposing=not HYPOTHETIC.isdisjoint(forms),
        unsure=not _UNSURE.isdisjoint(forms),
        asking=asking,
        first_person=not SELF.isdisjoint(forms),
    )


_NEW = "new"
_AS_BEFORE = frozenset(("again", "back", "reopened", "repaired", "restored", "recovered"))
"""Words by which a thing is said to be out of the state that was told of it."""
_TURNS_OUT = re.compile(r"^\s*(?:(?:as )?it )?(?:turns|turned) out,?(?: that)? ", re.IGNORECASE)
_MARKED_PHRASES = tuple(phrase for phrase in MARKED if " " in phrase)


class _Read(NamedTuple):
    """The pieces of a text, where its predicate begins among them, its first verb, and where its first statement ends:
    among the pieces and among the tokens."""

    pieces: list[TextPiece]
    verb_at: int
    verb: str
    ends_at: int
    stop: int


def _pieces(cut: list[Token]) -> _Read:
    figures = {figure.at: figure for figure in quantities(cut)}
    found: list[TextPiece] = []
    verb_at, verb, at, begins, ends_at, stop = -1, "", 0, True, -1, len(cut)
    stated = _stated(cut)
    while at < len(cut):
        token, figure = cut[at], figures.get(at)
        if ends_at < 0 and found and _breaks(cut, at, after_verb=verb_at >= 0):
            ends_at, stop = len(found), at
        if figure is not None:
            piece, at = _figure(cut, figure, named=verb_at < 0)
            found.append(piece)
            begins = False
            continue
        if verb_at < 0 and found and at < stated and (_equates(cut, at) or _is_verb(cut, at)):
            verb_at, verb = len(found), token.form
        if token.kind == "mark":
            begins = begins or token.form in _BREAKS
        else:
            after_name = at > 0 and cut[at - 1].shown[:1].isupper() and len(cut[at - 1].form) > 1
            piece_ = _word(token, begins=begins, after_name=after_name)
            if piece_ is None and token.form in _HEADINGS and at + 1 < len(cut) and cut[at + 1].form in BE:
                piece_ = TextPiece(stem(token.form), token.shown)
            found += [piece_] if piece_ is not None else []
            begins = False
        at += 1
    return _Read(found, verb_at, verb, ends_at if ends_at >= 0 else len(found), stop)


_HEADINGS = frozenset(("correction", "update", "reminder", "note"))
"""What is passed over before a statement, and is what a statement is about before its verb."""


def _stated(cut: list[Token]) -> int:
    """Up to where a text can state something of its subject: nowhere if it begins with what was done and leaves out by
    whom ("Ran the tests and the queue was full"), and else up to what is joined on ("Not sure about it, which is odd").
    """
    begins = (OPEN_SUBJECTS | _PAST_BE) - {"did"}
    at = next((at for at, token in enumerate(cut) if token.form in begins or token.form not in NOISE), len(cut))
    opening, after = [*cut[at : at + 2], None, None][:2]
    if opening is None or after is None or opening.kind != "word":
        return len(cut)
    leads = after.form in _LEADS or (after.kind == "word" and after.shown[:1].isupper())
    if opening.form == "there" or (leads and (done(opening.form) or opening.form in _PAST_BE)):
        return 0
    doing = leads and opening.form.endswith("ing")
    for n in range(at + 1, len(cut)):
        if cut[n].form in _JOINERS or (
            cut[n].form == "and" and (doing or (cut[n + 1 : n + 2] and cut[n + 1].form in _THEN))
        ):
            return n
        if _is_verb(cut, n):
            break
    return len(cut)


def _breaks(cut: list[Token], at: int, *, after_verb: bool) -> bool:
    """Whether another statement, or an aside, may begin at a place."""
    token = cut[at]
    if token.kind == "mark":
        return token.form not in (":", "/")
    if token.form in ("and", "or") and after_verb:
        end = next((n for n in range(at + 1, len(cut)) if cut[n].kind == "mark"), len(cut))
        return any(_is_verb(cut, n) for n in range(at + 2, end))
    return token.form in _JOINERS or token.form == "and"


_UNSURE = DOUBTS - {"should", "how"}
_JOINERS = frozenset(("but", "so", "which", "because", "while", "although", "whereas", "though", "then"))
_THEN = frozenset(("i", "we", "it", "he", "she", "they", "this", "that", "there"))
_LEADS = PREPOSITIONS.union(
    ("the", "a", "an", "my", "our", "his", "her", "their", "your", "this", "that", "these", "those", "it", "them"),
    ("up", "down", "out", "off", "back", "through", "about", "around", "some", "all", "another", "two", "no"),
)


def _equates(cut: list[Token], at: int) -> bool:
    """Whether a value follows what is before it: "priority: high". A heading before a sentence is part of its subject:
    "chess: player 3 lost" is about a player of chess."""
    if cut[at].form == "equals":
        return True
    if cut[at].form != ":":
        return False
    ends = next((n for n in range(at + 1, len(cut)) if cut[n].form in _BREAKS), len(cut))
    return not any(_is_verb(cut, n) for n in range(at + 2, ends))


def _figure(cut: list[Token], figure: Quantity, *, named: bool) -> tuple[TextPiece, int]:
    """A figure as one piece, and where it ends. A number right after a noun is part of a name, as in "order 1003"; the
    noun that a number counts is a piece of its own."""
    value = " ".join(str(part) for part in figure.value)
    measured = figure.timed or figure.unit.removesuffix("/s") in MEASURES
    plain = cut[figure.at].kind == "number" and not measured
    if figure.label or (plain and named and figure.at and _is_noun(cut[figure.at - 1])):
        return TextPiece(f"#{cut[figure.at].form if plain else value}", figure.shown, anchor=True, figure=figure), (
            figure.at + 1 if plain else figure.end
        )
    bound = "" if figure.bound in COMPARED else figure.bound
    key = f"={figure.unit if measured else ''}:{bound}:{value}"
    spelled = not plain or cut[figure.at].unit != ""
    end = figure.end if spelled else figure.at + 1
    shown = figure.shown if spelled else cut[figure.at].shown
    return TextPiece(key, shown, figure=figure), end


def _is_noun(token: Token) -> bool:
    form = token.form
    if token.kind == "code":
        return True
    verbal = form in VERBS or form in STATES or form in BE or form in AUXILIARY or done(form)
    return token.kind == "word" and not verbal and form not in STOP and form not in NOISE


def _word(token: Token, *, begins: bool, after_name: bool) -> TextPiece | None:
    form = token.form
    if len(form) == 1 and token.shown.isupper() and (after_name or not (begins or form in SELF)):
        return TextPiece(f"#{form}", f"{token.shown}." if after_name else token.shown, anchor=True)
    if form in NEGATIONS:
        return TextPiece("not", token.shown)
    if form in COMPARED:
        return TextPiece(form, token.shown)
    if form in BE or form in _SHORT_BE or form in NOISE:
        return None
    if token.kind in ("code", "version", "date", "clock", "number"):
        return TextPiece(f"#{form}", token.shown, anchor=True)
    named = token.shown[:1].isupper() and not begins and form not in STOP and form not in SELF
    return TextPiece(stem(form), token.shown, anchor=named or token.kind == "wide")


def _is_verb(cut: list[Token], at: int) -> bool:
    """Whether a word is the verb of its clause: by the tables, by its past form, after "I", or by its -s after a noun
    and before what verbs are followed by."""
    token, before = cut[at], cut[at - 1]
    form = token.form
    if token.kind != "word":
        return False
    if form == "'s":
        return before.form in OPEN_SUBJECTS
    if form in BE or form in AUXILIARY or form in _SHORT_BE:
        return True
    if before.form in _SPEAKERS and form not in NOISE:
        return True
    if form in VERBS or form in STATES or (f"{form}s" in VERBS and before.form.endswith("s")):
        return form.endswith("s") or done(form) or (before.form.endswith("s") and before.form not in STOP)
    if done(form) and before.form not in ("the", "a", "an"):
        return True
    if not form.endswith("s") or form.endswith(("ss", "us", "is")) or at + 1 >= len(cut):
        return False
    after = cut[at + 1]
    leads = after.form in STOP or after.kind != "word" or after.shown[:1].isupper() or stem(after.form) in _VALUES
    return leads and before.form not in STOP and before.kind != "mark"


_SHORT_BE = frozenset(("'m", "'re", "am"))
_SPEAKERS = frozenset(("i", "we", "they", "you"))
_VALUES = frozenset(VALUE_SETS)


def _subject(pieces: list[TextPiece], verb_at: int, forms: list[str]) -> Subject:
    """The words before the verb. Without a verb, a text is a heading, and what it is about is left open."""
    if verb_at < 0:
        return NO_SUBJECT
    before = pieces[:verb_at]
    said = frozenset(
        piece.key for piece in before if not piece.anchor and piece.key not in STOP and piece.figure is None
    )
    anchors = frozenset(piece.key for piece in before if piece.anchor or piece.figure is not None)
    opening = next((form for form in forms if form not in NOISE or form in OPEN_SUBJECTS), "")
    speaker = opening in SELF or any(piece.shown.lower() in SELF for piece in before)
    if speaker:
        return Subject(words=(said - SELF) | {SPEAKER}, anchors=anchors, speaker=True)
    if opening in OPEN_SUBJECTS:
        return NO_SUBJECT
    return Subject(words=said, anchors=anchors)


def topics(one: StatementOutline) -> frozenset[str]:
    """What a statement is about beside its subject: where somebody lives, what they eat."""
    keys = [piece.key for piece in one.pieces]
    said = {key for key, after in zip(keys, [*keys[1:], ""], strict=True) if key not in _MOVED or after in _WHERE}
    return frozenset(topic for topic, words in TOPICS.items() if said & words)


_MOVED = frozenset(map(stem, ("moved", "joined", "hired", "drive", "bus", "train")))
_WHERE = frozenset(("to", "from", "in", "into", "back", "out", "by", "as"))
