"""How two statements about the same thing differ: in one value, in a sign, in what somebody does now. Who
said them, and what follows from it, is not known here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

import msgspec

from muniment.model.card import SPEAKER
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictType
from muniment.text.identity import NO_SUBJECT, TALK_MIN, StatementOutline, TextPiece, outline, statements, topics
from muniment.text.quantities import Quantity, differ
from muniment.text.stems import done, stem
from muniment.text.word_tables import (
    BE,
    COMPARED,
    FUNCTIONAL,
    MEASURES,
    NOISE,
    OPPOSITES,
    SELF,
    SINGLE,
    STOP,
    TIMED,
    VALUE_SETS,
)

_SLOT_MAX = 4


class Difference(Value):
    """The one place in which two statements about the same thing differ."""

    type: ConflictType
    why: str
    new: str
    old: str
    proven: bool


def apart(new: str, old: str, aside: Iterable[str] = ()) -> bool:
    """Whether two texts are about different things, leaving `aside` the pieces in which they were found to differ.

    They are when each names something that the other does not: a number, a code, a name, or a word of its subject.

    >>> apart("Order 1003 shipped on Tuesday", "Order 1004 shipped on Monday")
    True
    """
    a, b = outline(new), outline(old)
    if a is None or b is None:
        return False
    if _talk(a) and _talk(b):
        return False
    if a.subject.open or b.subject.open:
        return True
    if a.subject.anchors != b.subject.anchors:
        return True
    only_a = a.subject.words - b.subject.words - {piece.key for piece in b.pieces}
    only_b = b.subject.words - a.subject.words - {piece.key for piece in a.pieces}
    if only_a and only_b:
        return True
    left = frozenset(word for text in aside for word in text.lower().split())
    mine, theirs = _own(a, b, left), _own(b, a, left)
    return bool(mine) and bool(theirs)


def strayed(new: str, old: str, said: str, against: str) -> bool:
    """Whether two short texts differ only in what they add to statements about different things: in "the tent is up and
    the queue was 70 long" the queue is that of the tent."""
    a, b = outline(new), outline(old)
    if a is None or b is None or not (_added(a, said) and _added(b, against)):
        return False
    heads = [_telling(msgspec.structs.replace(one, pieces=one.pieces[: one.ends_at])) for one in (a, b)]
    return not heads[0] & heads[1] - SELF


def _added(one: StatementOutline, said: str) -> bool:
    """Whether something is said only after the first statement of a text."""
    words = set(said.lower().split())
    first = {word for piece in one.pieces[: one.ends_at] for word in piece.shown.lower().split()}
    return one.ends_at < len(one.pieces) <= TALK_MIN and not words & first


def _talk(one: StatementOutline) -> bool:
    """Whether somebody talks, of themselves and at some length: such a text names more than it is about."""
    return len(one.pieces) > TALK_MIN and (one.subject.speaker or one.first_person)


def _own(one: StatementOutline, other: StatementOutline, aside: frozenset[str]) -> list[TextPiece]:
    """The naming pieces and figures of one text that are neither in the other nor in what is left aside."""
    there = {piece.key for piece in other.pieces}
    return [
        piece
        for piece in one.pieces
        if (piece.anchor or piece.figure is not None)
        and piece.key not in there
        and not aside.issuperset(piece.shown.lower().replace(",", "").split())
        and not aside & set(piece.shown.lower().split())
    ]


def difference(new: str, old: str) -> Difference | None:
    """The one place in which two statements of one frame differ, if what stands there cannot both be so.

    >>> difference("The API rate limit is 200 requests", "The API rate limit is 100 requests").why
    'number'
    >>> difference("Order 1003 is late", "Order 1004 is late") is None
    True
    """
    found = _difference(new, old)
    more = _first(new) + _first(old) != new + old
    if found is None and more and not _in_short(new, old) and not apart(new, old, _first(new).split()):
        return _difference(_first(new), _first(old))
    return found


def _in_short(new: str, old: str) -> bool:
    """Whether both speak of themselves, and not at length: what their first sentences are about is then not sure."""
    a, b = outline(new), outline(old)
    if a is None or b is None or (_talk(a) and _talk(b)):
        return False
    return a.subject.speaker and b.subject.speaker


def _first(text: str) -> str:
    """The first sentence of a text: what comes after it says more of the same."""
    return _SENTENCE.split(text.strip(), maxsplit=1)[0]


_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|\n+")


def _difference(new: str, old: str) -> Difference | None:
    a, b = outline(new), outline(old)
    if a is None or b is None or a.asking or b.asking or a.supposing or b.supposing:
        return None
    if a.subject.open or b.subject.open or a.subject.anchors != b.subject.anchors:
        return None
    blocks = _blocks(a.keys, b.keys)
    if len(blocks) != 1:
        return None
    i, j, k, m = blocks[0]
    one, other = a.pieces[i:j], b.pieces[k:m]
    if min(i, k) < min(a.verb_at, b.verb_at):
        return None
    found = _denied(one, other) or _valued(a, one, other, i)
    if found is None:
        return None
    why, sure = found
    sure = sure and i < a.ends_at and k < b.ends_at and not _attendant(a, i)
    return Difference(
        type=ConflictType.UPDATE if a.marked else ConflictType.CONTRADICTION,
        why=why,
        new=_said(one, a),
        old=_said(other, b),
        proven=sure and not (a.marked or any(one.past or one.indefinite or one.unsure for one in (a, b))),
    )


def _attendant(one: StatementOutline, at: int) -> bool:
    """Whether what stands at a place only goes with what is said already: "we use it a lot with 16 warnings"."""
    said = [piece.shown.lower() for piece in one.pieces[one.verb_at : at - 1]]
    return one.keys[at - 1] in ("with", "after") and any(
        word not in STOP and word != one.verb and not done(word) for word in said
    )


def _blocks(a: tuple[str, ...], b: tuple[str, ...]) -> list[tuple[int, int, int, int]]:
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return [(i, j, k, m) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"]


def _said(pieces: tuple[TextPiece, ...], whole: StatementOutline) -> str:
    if len(pieces) == 1 and pieces[0].figure is not None:
        return pieces[0].figure.shown
    return " ".join(piece.shown for piece in (pieces or whole.pieces))


def _denied(one: tuple[TextPiece, ...], other: tuple[TextPiece, ...]) -> tuple[str, bool] | None:
    """A denial on one side and nothing on the other."""
    keys = sorted(([piece.key for piece in one], [piece.key for piece in other]), key=len)
    return ("negation", True) if keys == [[], ["not"]] else None


def _valued(
    a: StatementOutline, one: tuple[TextPiece, ...], other: tuple[TextPiece, ...], at: int
) -> tuple[str, bool] | None:
    """Two values in one place, and whether that is sure: figures of one unit, opposites, operators, values of one sort,
    or names where only one can stand."""
    if not one or not other or max(len(one), len(other)) > _SLOT_MAX:
        return None
    if len(one) == len(other) == 1:
        mine, theirs = one[0], other[0]
        if mine.figure is not None and theirs.figure is not None:
            return _figures(a, mine.figure, theirs.figure, at)
        if mine.key in COMPARED and theirs.key in COMPARED:
            return "number", True
        if theirs.key in OPPOSITES.get(mine.key, ()):
            return "antonym", at == a.verb_at
        group = VALUE_SETS.get(mine.key)
        if group is not None and VALUE_SETS.get(theirs.key) == group:
            if at and a.keys[at - 1] in _LIKING:
                return None
            return "exclusive", at == a.verb_at
    if any(piece.figure is not None or piece.key in COMPARED for piece in (*one, *other)):
        return None
    return _exclusive(a, one, other, at)


def _figures(a: StatementOutline, mine: Quantity, theirs: Quantity, at: int) -> tuple[str, bool] | None:
    if mine.label or theirs.label:
        same = mine.unit == theirs.unit and ("." in mine.shown or _takes_one(a, at - 1))
        return ("exclusive", True) if same and differ(mine, theirs) else None
    measured = mine.timed or theirs.timed or {mine.unit, theirs.unit} & MEASURES
    if (measured and mine.unit != theirs.unit) or {mine.bound, theirs.bound} & {"range", "list"}:
        return None
    if not (differ(mine, theirs) if mine.unit == theirs.unit else mine.value != theirs.value):
        return None
    if mine.timed:
        sure = not TIMED.isdisjoint(a.keys) or mine.unit == "clock"
        return None if not sure and a.past and a.keys[a.verb_at] in _AGAIN else ("date", sure)
    return "number", True


_AGAIN = frozenset(map(stem, ("failed", "crashed", "ran", "restarted", "deployed", "succeeded", "rained", "snowed")))
"""What happens on one day can have happened on another."""
_LIKING = frozenset(map(stem, ("like", "likes", "love", "loves", "enjoy", "enjoys", "hate", "hates", "dislikes")))
"""Who likes one thing can like another."""


def _exclusive(
    a: StatementOutline, one: tuple[TextPiece, ...], other: tuple[TextPiece, ...], at: int
) -> tuple[str, bool] | None:
    """Names or nouns after a verb, or in a subject, that takes one of them at a time."""
    if any(piece.key in STOP for piece in (*one, *other)):
        return None
    subject = a.subject.words | a.subject.anchors
    if subject & FUNCTIONAL and at == a.verb_at:
        return "exclusive", True
    labels = one[0].anchor and other[0].anchor and at > a.verb_at + 1 and not a.pieces[at - 1].anchor
    takes_one = _takes_one(a, at) or (labels and _takes_one(a, at - 1))
    return ("exclusive", True) if subject and takes_one else None


def _takes_one(one: StatementOutline, at: int) -> bool:
    """Whether what stands before a place, a verb or a verb with its preposition, is followed by one thing at a time."""
    head = [piece.key for piece in one.pieces[:at]]
    last, before = (head[-1] if head else ""), (head[-2] if len(head) > 1 else "be")
    return last in SINGLE or f"{before}@{last}" in SINGLE or (at - 1 == one.verb_at and f"be@{last}" in SINGLE)


def changed(new: str, old: str) -> bool:
    """Whether a text says of the subject of another that it is no longer so. That is a suspicion: it goes by cue words,
    and these count for the statement in which they stand.

    >>> changed("I switched from Neovim to Zed", "I use Neovim"), changed("I moved to Bremen", "I live in Hamburg")
    (True, True)
    >>> changed("The mixer is up and I have 8 left now", "The mixer is slow")
    False
    """
    a = outline(new)
    if a is None or a.asking or not (a.marked or a.anew):
        return False  # most texts end here, before the other is read
    b = outline(old)
    if b is None or b.asking or b.supposing:
        return False
    if max(len(a.pieces), len(b.pieces)) > TALK_MIN or (b.marked and len(_blocks(a.keys, b.keys)) == 1):
        return False  # more than one thing is said, or the same change is told of two things
    said, before = statements(new), statements(old)[:1]
    first = next((one.subject for one in said), NO_SUBJECT)
    return any(
        _changed(msgspec.structs.replace(one, subject=first) if one.subject.open else one, b)
        for one in said
        if one.marked or one.anew
        for b in before
    )


def _changed(a: StatementOutline, b: StatementOutline) -> bool:
    if a.subject.open or b.subject.open:
        return False
    if a.subject.speaker != b.subject.speaker or a.subject.anchors != b.subject.anchors:
        return _names_subject(a, b)
    words, others = _telling(a), _telling(b)
    mine, theirs = a.subject.words, b.subject.words
    moved = not _MOVES.isdisjoint(a.keys)
    if mine == theirs and mine != {SPEAKER} and a.anew and b.verb in BE:
        return True
    if not a.marked or (a.past and b.past and _own(a, b, frozenset()) and _own(b, a, frozenset())):
        return False
    if a.subject.speaker:
        if (mine == theirs and mine != {SPEAKER} and (moved or _same_kind(a, b))) or _names_subject(a, b):
            return True
        if topics(a) & topics(b) or (moved and mine == theirs and _object(a) == _object(b) is not None):
            return True
        alike = 2 * len(words & others) >= max(1, min(len(words), len(others)))
        return alike and not (a.past and _own(a, b, frozenset()) and _own(b, a, frozenset()))
    if not (mine <= theirs or theirs <= mine):
        return _names_subject(a, b)
    if moved and (mine == theirs or bool((words & others) - (mine & theirs))):
        return True
    return bool((words | topics(a)) & (others | topics(b))) and (
        bool(topics(a) & topics(b)) or bool((words & others) - mine - theirs) or _same_kind(a, b)
    )


def _object(one: StatementOutline) -> str | None:
    """What a statement says its verb of: the first telling word after it."""
    after = one.pieces[one.verb_at + 1 :]
    return next((piece.key for piece in after if piece.figure is None and piece.key not in STOP), None)


def _names_subject(new: StatementOutline, old: StatementOutline) -> bool:
    """Whether a text tells of a change to what another is about, although it begins with something else: "we moved the
    server" after "the server is in Frankfurt", "yoga is on Wednesdays now" after "we have yoga on Mondays"."""
    if new.subject.anchors and old.subject.anchors and new.subject.anchors != old.subject.anchors:
        return False
    moved = not _MOVES.isdisjoint(new.keys)
    told = (old.subject.words - {SPEAKER}) | old.subject.anchors
    named = told & set(new.keys)
    most = moved and old.subject.anchors <= named and 3 * len(named) >= 2 * len(told)
    if named and ((named == told and moved) or ((named == told or most) and _same_kind(new, old))):
        return True
    begun = new.subject.words - {SPEAKER}
    if not begun or not (begun | new.subject.anchors) <= set(old.keys):
        return False
    shared = (_telling(new) & _telling(old)) - begun
    return _same_kind(new, old) or (moved and bool(shared))


_MOVES = frozenset(
    map(
        stem,
        [
            *("moved", "migrated", "relocated", "switched", "transferred", "renamed", "replaced", "reassigned"),
            *("postponed", "rescheduled", "delayed", "slipped", "upgraded", "downgraded", "raised", "lowered"),
            *("increased", "reduced", "cut", "extended", "shortened", "shifted", "converted", "promoted", "swapped"),
            *("took", "renewed", "discontinued", "retired", "resigned", "left"),
        ],
    )
)
"""Verbs by which a thing is no longer where, what, or as much as it was."""


def _telling(one: StatementOutline) -> frozenset[str]:
    return (
        frozenset(
            piece.key
            for piece in one.pieces
            if piece.figure is None and piece.key not in STOP and piece.key not in NOISE
        )
        - _IDLE
    )


_IDLE = frozenset(map(stem, ("use", "get", "have", "go", "make", "take", "now", "moved", "switched", "not", "no")))


def _same_kind(one: StatementOutline, other: StatementOutline) -> bool:
    """Whether both say a figure of one unit, or a value of one sort."""
    units = [{p.figure.unit for p in o.pieces if p.figure is not None and not p.figure.label} for o in (one, other)]
    sorts = [{VALUE_SETS[p.key] for p in o.pieces if p.key in VALUE_SETS} for o in (one, other)]
    return bool(units[0] & units[1]) or bool(sorts[0] & sorts[1])
