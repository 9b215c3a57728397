"""Cut a text into clauses and read what each one states: its words, figures, names and denials, and in which mode.

A clause is what can be true or false by itself. "I never used it, but can you show me how?" is a denial and a question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

import msgspec

from muniment.model.value import Value
from muniment.text.quantities import Quantity, quantities
from muniment.text.stems import done, stem
from muniment.text.word_tables import (
    ASKERS,
    AUXILIARY,
    BE,
    CHANGE_PHRASES,
    CHANGES,
    DOUBTS,
    FREE_SUBORDINATORS,
    HYPOTHETIC,
    IDLE_NEGATIONS,
    INTENTIONS,
    MONTHS,
    NEGATIONS,
    NUMBER_WORDS,
    PRONOUNS,
    RATES,
    STOP,
    SUBORDINATORS,
    UNITS,
    VERBS,
    WEEKDAYS,
)
from muniment.text.words import Token, telling, tokens

CLAUSES_MAX = 160
_ENDS = frozenset(".!?\n;")
_SCOPE_MAX = 14
_SUBJECTS = frozenset(("i", "we", "he", "she", "they", "it", "you"))
_ASKING_FIRST = frozenset(("can", "could", "should", "would", "how", "what", "why", "do", "does"))
_ASKING_SECOND = _SUBJECTS | {"can", "do", "does", "should", "is", "are", "could", "would", "to", "steps", "strategies"}
_ONCE = frozenset(("never", "ever"))
_ADVERBS = frozenset(("actually", "ever", "even", "really", "yet", "been", "be", "longer", "any", "the", "a", "an"))
_AFTER_DEEDS = frozenset(
    ("after", "since", "been", "from", "by", "was", "were", "am", "'m", "is", "are", "'re", "while")
)


_BEGINNERS = FREE_SUBORDINATORS | SUBORDINATORS | {"and", "that"}


class _Word(NamedTuple):
    """What a word is wherever it stands: its stem if it tells something, how it stands in a frame, whether it is a
    verb, and the stem of the deed it reports."""

    root: str
    framed: str
    verb: bool
    deed: str


@lru_cache(maxsize=16_384)
def _word(form: str) -> _Word:
    root = "" if form in NEGATIONS else telling(form) or ""
    verb = form in BE or form in AUXILIARY or form in VERBS or (form.endswith("ed") and len(form) > 4)
    return _Word(root, root or ("be" if form in BE else form), verb, stem(form) if done(form) else "")


class ClauseDenial(Value):
    """What a clause denies: the word right after the "not", the stems that follow, and whether it never was at all."""

    verb: str
    scope: frozenset[str]
    ever: bool
    options: bool = False


class Clause(Value):
    """One statement.

    `frame` is its words in order, as stems where they tell something, and `forms` the same without order. `subject` is
    what of them stands before the verb (all, if no verb is known), `person` the pronoun there, and `around` what its
    sentence says besides. `single` are the figures that are the only ones of their unit: of several, a clause does not
    say which is meant.
    """

    shown: str
    frame: tuple[str, ...]
    words: frozenset[str]
    around: frozenset[str]
    names: frozenset[str]
    forms: frozenset[str]
    figures: tuple[Quantity, ...]
    single: tuple[Quantity, ...]
    denials: tuple[ClauseDenial, ...]
    verb_at: int
    subject: frozenset[str]
    person: str
    changing: bool
    asking: bool
    supposing: bool
    doubting: bool
    done: frozenset[str]


@lru_cache(maxsize=256)  # one text is read for disagreement and for likeness, and meets several others
def clauses(text: str) -> tuple[Clause, ...]:
    """Read a text, sentence by sentence. The number of clauses is bounded: a longer text is read as far as that."""
    found: list[Clause] = []
    for sentence, asked in _sentences(tokens(text)):
        cut = islice(_parts(sentence), CLAUSES_MAX)
        parts = [_clause(part, first=number == 0, asked=asked) for number, part in enumerate(cut)]
        found += [_set_in(parts, number) for number in range(len(parts))]
        if len(found) >= CLAUSES_MAX:
            break
    return tuple(clause for clause in found[:CLAUSES_MAX] if clause.words or clause.figures)


def _sentences(found: Sequence[Token]) -> Iterator[tuple[list[Token], bool]]:
    """Runs of tokens up to a full stop, and whether a question mark ended them."""
    current: list[Token] = []
    for token in found:
        if token.kind == "mark" and token.form in _ENDS:
            if current:
                yield current, token.form == "?"
            current = []
        else:
            current.append(token)
    if current:
        yield current, False


def _parts(sentence: list[Token]) -> Iterator[list[Token]]:
    """The clauses of one sentence: a new one begins after a comma with a word that can begin one."""
    start = 0
    for at, token in enumerate(sentence):
        if at > start and (token.form in _BEGINNERS or token.kind == "mark") and _begins(sentence, at):
            yield sentence[start:at]
            start = at
    if sentence:
        yield sentence[start:]


def _begins(sentence: list[Token], at: int) -> bool:
    token, before = sentence[at], sentence[at - 1]
    if token.kind == "mark":
        return token.form in (":", "(", ")", "–", "—") or (token.form == "-" and before.kind == "mark")
    if token.form in FREE_SUBORDINATORS:
        return True
    if before.form == "," and before.kind == "mark":
        return token.form in SUBORDINATORS
    if token.form == "and" and at + 1 < len(sentence):
        return sentence[at + 1].form in _SUBJECTS
    return token.form == "that" and before.form == "fact"


def _clause(part: list[Token], *, first: bool, asked: bool) -> Clause:
    figures = quantities(part)
    inside = {at: figure for figure in figures for at in range(figure.at, figure.end)}
    roots = [_root(token, at in inside) for at, token in enumerate(part)]
    frame, verb_at = _framed(part, roots, inside)
    spoken = [token for token in part if token.kind != "mark"]
    plain = [token.form for token in spoken]
    words = frozenset(filter(None, roots))
    before = frame[: verb_at + 1 if verb_at >= 0 else 1]
    return Clause(
        shown=" ".join([token.shown for token in spoken]).replace(" '", "'"),
        frame=frame,
        words=words,
        around=frozenset(),
        names=frozenset([root for at, root in enumerate(roots) if root and _named(part[at], begins=first and at == 0)]),
        forms=frozenset(frame),
        figures=tuple(figures),
        single=tuple(_single(figures)) if figures else (),
        denials=tuple(_denials(part, roots)) if not NEGATIONS.isdisjoint(plain) else (),
        verb_at=verb_at,
        subject=words if verb_at < 0 else words.intersection(before[:-1]),
        person=next((PRONOUNS[word] for word in before if word in PRONOUNS), ""),
        changing=_changes(plain),
        asking=_asks(plain, asked),
        supposing=_supposes(plain),
        doubting=not DOUBTS.isdisjoint(plain),
        done=frozenset(_done(plain)),
    )


def _set_in(parts: list[Clause], number: int) -> Clause:
    """A clause with what its neighbours in the sentence speak of: "which is now 78%" says of what only there."""
    if len(parts) == 1:
        return parts[0]
    near = parts[max(number - 2, 0) : number] + parts[number + 1 : number + 2]
    return msgspec.structs.replace(parts[number], around=frozenset[str]().union(*(part.words for part in near)))


def _root(token: Token, figure: bool) -> str:
    """The stem of a token that tells what a clause is about, or nothing. Of a figure only the noun it counts does."""
    form = token.form
    if token.kind != "word":
        return form if token.kind in ("code", "wide") else ""
    root = _word(form).root
    if figure and (form in NUMBER_WORDS or form in MONTHS or form in WEEKDAYS or root in UNITS or root in RATES):
        return ""
    return root


def _named(token: Token, *, begins: bool) -> bool:
    """Whether a word is a name: it has a digit in it, or a capital that no sentence's beginning explains."""
    if token.kind == "code":
        return True
    return not begins and token.kind == "word" and token.shown[:1].isupper() and token.form not in STOP


def _framed(part: list[Token], roots: list[str], inside: dict[int, Quantity]) -> tuple[tuple[str, ...], int]:
    """The words in order, stems for what tells, `=` for a figure, the rest as it is; and where the first verb is."""
    frame: list[str] = []
    verb_at = -1
    for at, token in enumerate(part):
        figure = inside.get(at)
        if figure is not None:
            if figure.at == at:
                frame.append(f"={figure.unit}")
            if roots[at]:
                frame.append(roots[at])
        elif token.kind == "word":
            word = _word(token.form)
            if verb_at < 0 and word.verb:
                verb_at = len(frame)
            frame.append(word.framed)
        else:
            frame.append("" if token.kind == "mark" else roots[at] or ("be" if token.form in BE else token.form))
    return tuple(frame), verb_at


def _changes(forms: list[str]) -> bool:
    """Whether a clause says that something is not as it was."""
    if not CHANGES.isdisjoint(forms):
        return True
    joined = " ".join(forms)
    return any(phrase in joined for phrase in CHANGE_PHRASES)


def _asks(forms: list[str], asked: bool) -> bool:
    """Whether a clause asks. In talk the mark is often missing, so "can you" and "how do" ask without one."""
    begin = next((form for form in forms if form not in ("and", "so", "but", "or", ",")), "")
    if asked and begin in ASKERS:
        return True
    place = forms.index(begin) if begin else 0
    second = forms[place + 1] if place + 1 < len(forms) else ""
    return begin in _ASKING_FIRST and second in _ASKING_SECOND


def _supposes(forms: list[str]) -> bool:
    """Whether a clause speaks of what may be or is meant to be."""
    if not HYPOTHETIC.isdisjoint(forms):
        return True
    return "to" in forms and any(after == "to" and form in INTENTIONS for form, after in pairwise(forms))


def _single(figures: list[Quantity]) -> Iterator[Quantity]:
    present = [figure for figure in figures if not (figure.former or figure.label or figure.bound == "list")]
    units = Counter(figure.unit for figure in present)
    yield from (figure for figure in present if units[figure.unit] == 1)


def _done(forms: list[str]) -> Iterator[str]:
    """The stems of the verbs that a clause reports as done: past forms, and what somebody was or is at."""
    for at, form in enumerate(forms):
        deed = _word(form).deed
        if deed:
            yield deed
        elif form.endswith("ing") and at and forms[at - 1] in _AFTER_DEEDS:
            yield stem(form)


def _denials(part: list[Token], roots: list[str]) -> Iterator[ClauseDenial]:
    """Each "not" that denies something, with the words it denies."""
    forms = [token.form for token in part]
    last_or = max((at for at, form in enumerate(forms) if form == "or"), default=-1)
    for at, form in enumerate(forms):
        if form not in NEGATIONS:
            continue
        after = forms[at + 1] if at + 1 < len(forms) else ""
        if after in IDLE_NEGATIONS or (at and forms[at - 1] in ("if", "why", "or", "whether")):
            continue
        scope = [root for root in roots[at + 1 : at + 1 + _SCOPE_MAX] if root]
        if scope:
            verb = next((forms[spot] for spot in range(at + 1, len(forms)) if forms[spot] not in _ADVERBS), "")
            ever = form in _ONCE or "ever" in forms[at + 1 : at + 3]
            yield ClauseDenial(verb=stem(verb), scope=frozenset(scope), ever=ever, options=at < last_or)
