"""Read the figures out of a run of tokens: numbers with their unit, dates, clock times, versions and numbered names.

Two figures can be compared only when they measure the same thing in the same way, so each is brought to one unit here:
100 ms is 0.1 s, 1,000 is 1000, and two is 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from muniment.model.value import Value
from muniment.text.stems import stem
from muniment.text.word_tables import (
    AUXILIARY,
    BE,
    BOUNDS,
    COMPARED,
    MONTHS,
    MULTIPLIERS,
    NUMBER_WORDS,
    RATES,
    STOP,
    SUFFIXES,
    UNITS,
    VERBS,
    WEEKDAYS,
)
from muniment.text.words import Token

DATE = "date"
CLOCK = "clock"
WEEKDAY = "weekday"
LABEL = "#"
_TIMES = frozenset((DATE, CLOCK, WEEKDAY))
_ORDINALS = frozenset(("st", "nd", "rd", "th"))
_YEARS = range(1900, 2101)
_YEAR_BEFORE = frozenset(("in", "since", "until", "year", "by", "of", "from"))
_PER = frozenset(("per", "a", "an", "each", "every", "/"))
_RANGE = frozenset(("-", "–", "/"))
_LISTING = frozenset((",", "and", "or", ":"))
_NO_NOUNS = frozenset(
    (
        "after",
        "against",
        "across",
        "along",
        "among",
        "behind",
        "near",
        "without",
        "ago",
        "later",
        "yesterday",
        "tomorrow",
    )
)
_HEAD_WITHIN = 4
_FIGURE_KINDS = frozenset(("number", "date", "clock", "version"))
_FIGURE_WORDS = frozenset((*MONTHS, *WEEKDAYS, *NUMBER_WORDS))
_NEARLY = 0.1
_SAME = 1e-9


class Quantity(Value):
    """One figure. `unit` says what may be compared with it, `kind` which of those are counted: problems, coin problems.

    `label` marks a number that is part of a name (rack 3, version 2.3.1), `timed` a point in time, and `former` the
    first of "from 5 to 7", which no longer holds.
    """

    unit: str
    value: tuple[float | str, ...]
    shown: str
    at: int
    end: int
    bound: str = ""
    kind: frozenset[str] = frozenset()
    label: bool = False
    timed: bool = False
    former: bool = False


def differ(one: Quantity, other: Quantity) -> bool:
    """Whether two figures of one unit cannot both be right. A part that one of them leaves open agrees with any."""
    if one.unit == DATE:
        return any(a and b and a != b for a, b in zip(one.value, other.value, strict=True))
    a, b = one.value[0], other.value[0]
    if isinstance(a, str) or isinstance(b, str):
        return a != b
    if a * b < 0:
        return True
    gap, large = abs(a - b), max(abs(a), abs(b))
    if "about" in (one.bound, other.bound):
        return gap > _NEARLY * large
    if one.bound != other.bound:
        return False
    return gap > _SAME * large


def equal(one: Quantity, other: Quantity) -> bool:
    """Whether two figures of one unit say the same number. What is only near is another one, also after an "about"."""
    plain = [msgspec.structs.replace(figure, bound="") for figure in (one, other)]
    return one.bound == other.bound and not differ(*plain)


def quantities(tokens: Sequence[Token]) -> list[Quantity]:
    """Every figure among the tokens, in order, none counted twice."""
    found: list[Quantity] = []
    end = 0
    for at, token in enumerate(tokens):
        if at < end or (token.form not in _FIGURE_WORDS and token.kind not in _FIGURE_KINDS):
            continue
        figure = _figure(tokens, at)
        if figure is not None:
            found.append(figure)
            end = figure.end
    return _former(tokens, found) if found else found


def _figure(tokens: Sequence[Token], at: int) -> Quantity | None:
    token = tokens[at]
    if token.kind == "number" and token.form[0] in "+-−":
        return _number(tokens, at)
    match token.kind:
        case "number":
            return _day_first(tokens, at) or _year(tokens, at) or _number(tokens, at)
        case "date":
            year, month, day = (float(part) for part in token.form[:10].split("-"))
            return _of(tokens, DATE, (year, month, day), at, at + 1)
        case "clock":
            return _of(tokens, CLOCK, (_minutes(token.form),), at, at + 1)
        case "version":
            return _of(tokens, LABEL + _before(tokens, at), (token.form.removeprefix("v"),), at, at + 1)
        case "word" if token.form in MONTHS:
            return _month_first(tokens, at)
        case "word" if token.form in WEEKDAYS and token.shown[:1].isupper():
            return _of(tokens, WEEKDAY, (float(WEEKDAYS[token.form]),), at, at + 1)
        case "word" if token.form in NUMBER_WORDS:
            return _spelled(tokens, at)
        case _:
            return None


def _of(
    tokens: Sequence[Token], unit: str, value: tuple[float | str, ...], at: int, end: int, bound: str = ""
) -> Quantity:
    shown = " ".join(token.shown for token in tokens[at:end] if token.kind != "mark" or token.form != "\n")
    return Quantity(
        unit=unit,
        value=value,
        shown=shown.replace(" ,", ","),
        at=at,
        end=end,
        bound=bound,
        label=unit.startswith(LABEL),
        timed=unit in _TIMES,
    )


def _form(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].form if 0 <= at < len(tokens) else ""


def _minutes(form: str) -> float:
    """Minutes since midnight."""
    digits = form.rstrip("apm. ")
    hour, _, rest = digits.partition(":")
    after = "p" in form and int(hour) < 12
    midnight = "a" in form and int(hour) == 12
    return (int(hour) + (12 if after else -12 if midnight else 0)) * 60 + float(rest[:2] or 0)


def _day(tokens: Sequence[Token], at: int) -> float:
    """A day of the month at this place, or 0."""
    if at >= len(tokens) or tokens[at].kind != "number" or tokens[at].unit not in ("", *_ORDINALS):
        return 0.0
    form = tokens[at].form
    return float(form) if form.isdigit() and 1 <= int(form) <= 31 else 0.0


def _whole_year(tokens: Sequence[Token], at: int) -> float:
    form = _form(tokens, at)
    plain = at < len(tokens) and tokens[at].kind == "number" and not tokens[at].unit and len(form) == 4
    return float(form) if plain and form.isdigit() and int(form) in _YEARS else 0.0


def _month_first(tokens: Sequence[Token], at: int) -> Quantity | None:
    """March 15, 2024; Mar 15; March 2024; in May, though otherwise May only where a number follows it."""
    month = float(MONTHS[tokens[at].form])
    day = _day(tokens, at + 1)
    after = at + 2 if day else at + 1
    comma = after + (_form(tokens, after) == ",")
    year = _whole_year(tokens, comma)
    if year:
        return _of(tokens, DATE, (year, month, day), at, comma + 1)
    if day:
        return _of(tokens, DATE, (0.0, month, day), at, after)
    named = tokens[at].shown[:1].isupper() and (len(tokens[at].form) > 3 or _form(tokens, at - 1) in _YEAR_BEFORE)
    return _of(tokens, DATE, (0.0, month, 0.0), at, at + 1) if named else None


def _day_first(tokens: Sequence[Token], at: int) -> Quantity | None:
    day = _day(tokens, at)
    month = MONTHS.get(_form(tokens, at + 1), 0)
    if not day or not month or not tokens[at + 1].shown[:1].isupper():
        return None
    year = _whole_year(tokens, at + 2)
    return _of(tokens, DATE, (year, float(month), day), at, at + 3 if year else at + 2)


def _year(tokens: Sequence[Token], at: int) -> Quantity | None:
    year = _whole_year(tokens, at)
    if year and _form(tokens, at - 1) in _YEAR_BEFORE and not _noun(tokens, at + 1):
        return _of(tokens, DATE, (year, 0.0, 0.0), at, at + 1)
    return None


def _number(tokens: Sequence[Token], at: int) -> Quantity:
    token = tokens[at]
    unsigned = token.form.lstrip("+-−")
    sign = unsigned[0] if unsigned[0] in "$€£~" else ""
    value = float(unsigned.lstrip("$€£~").replace(",", "")) * (-1.0 if token.form[0] in "-−" else 1.0)
    bound = "about" if sign == "~" else _bound(tokens, at)
    if sign in ("$", "€", "£"):
        return _measured(tokens, at, at + 1, value * SUFFIXES.get(token.unit, 1), (sign, 1.0), bound)
    if token.unit in SUFFIXES:
        return _counted(tokens, at, at + 1, value * SUFFIXES[token.unit], bound)
    if stem(token.unit) in UNITS:
        return _measured(tokens, at, at + 1, value, UNITS[stem(token.unit)], bound)
    if token.unit in _ORDINALS:
        return _of(tokens, LABEL + "th", (token.form,), at, at + 1)
    if token.unit:
        return _of(tokens, token.unit, (value,), at, at + 1, bound)
    return _counted(tokens, at, at + 1, value, bound)


def _spelled(tokens: Sequence[Token], at: int) -> Quantity | None:
    """Two; twenty-five; one hundred and twenty. A lone "one" is a pronoun more often than a number."""
    total, current, end = 0.0, 0.0, at
    while end < len(tokens):
        form = tokens[end].form
        if form in NUMBER_WORDS:
            current += NUMBER_WORDS[form]
        elif form in MULTIPLIERS:
            current = max(current, 1.0) * MULTIPLIERS[form]
            if MULTIPLIERS[form] >= 1_000:
                total, current = total + current, 0.0
        elif form not in ("-", "and") or end == at or _form(tokens, end + 1) not in NUMBER_WORDS:
            break
        end += 1
    lone = end == at + 1 and tokens[at].form == "one"
    if lone and stem(_form(tokens, end)) not in UNITS:
        return None
    figure = _counted(tokens, at, end, total + current, _bound(tokens, at))
    return None if figure.label else figure


def _counted(tokens: Sequence[Token], at: int, end: int, value: float, bound: str) -> Quantity:
    """A number by its unit, by the noun it counts, or as part of the name before it."""
    while _form(tokens, end) in MULTIPLIERS:
        value *= MULTIPLIERS[tokens[end].form]
        end += 1
    skip = end + (_form(tokens, end) == "-")
    name = _form(tokens, skip)
    unit = UNITS.get(stem(name))
    if unit is not None:
        return _measured(tokens, at, skip + 1, value, unit, bound)
    before = _before(tokens, at)
    head = _head(tokens, skip, verbs=not before)
    if head is not None:
        rate, after = _rate(tokens, head + 1)
        counted = stem(tokens[head].form)
        unit_name = counted + ("/s" if rate else "")
        figure = _of(tokens, unit_name, (value / (rate or 1.0),), at, max(after, head + 1), bound)
        return msgspec.structs.replace(figure, kind=frozenset(stem(token.form) for token in tokens[skip:head]))
    if before and not bound:
        return _of(tokens, LABEL + before, (tokens[at].form,), at, end)
    return _of(tokens, "", (value,), at, end, bound)


def _measured(
    tokens: Sequence[Token], at: int, end: int, value: float, unit: tuple[str, float], bound: str
) -> Quantity:
    rate, after = _rate(tokens, end)
    name = unit[0] + ("/s" if rate else "")
    return _of(tokens, name, (value * unit[1] / (rate or 1.0),), at, after if rate else end, bound)


def _rate(tokens: Sequence[Token], at: int) -> tuple[float, int]:
    """`per minute`, `/minute`, `a day`: how many seconds, and where it ends."""
    place = at + 1 if _form(tokens, at) in _PER else at
    seconds = RATES.get(stem(_form(tokens, place)), 0.0)
    return seconds, place + 1 if seconds else at


def _noun(tokens: Sequence[Token], at: int, *, verbs: bool = False) -> bool:
    """Whether a noun may stand here. `verbs` lets pass what is a verb elsewhere: after a number, calls are calls."""
    if at >= len(tokens) or tokens[at].kind not in ("word", "code"):
        return False
    form = tokens[at].form
    if form in STOP or form in _NO_NOUNS or form in BE or form in AUXILIARY or form[0] == "'":
        return False
    return verbs or form not in VERBS


def _head(tokens: Sequence[Token], at: int, *, verbs: bool) -> int | None:
    """Where the noun is that a number counts: the first plural of the next few words, else the very next one."""
    end = at
    while end < min(len(tokens), at + _HEAD_WITHIN) and _noun(tokens, end, verbs=verbs):
        if tokens[end].form.endswith("s") and not tokens[end].form.endswith("ss"):
            return end
        end += 1
    return at if end > at else None


def _before(tokens: Sequence[Token], at: int) -> str:
    """The noun right before a number, of whose name it is a part."""
    if at == 0 or tokens[at - 1].kind != "word" or not _noun(tokens, at - 1):
        return ""
    form = tokens[at - 1].form
    return "" if form in BOUNDS or form.endswith("ed") else stem(form)


def _bound(tokens: Sequence[Token], at: int) -> str:
    """Whether a number is said to be near, a floor, a ceiling, an end of a range or one of a list."""
    before, second = _form(tokens, at - 1), _form(tokens, at - 2)
    if before == "than":
        return "least" if second in ("more", "greater", "higher") else "most"
    if before == "to" and second == "up":
        return "most"
    if before in _RANGE and at >= 2 and tokens[at - 2].kind == "number":
        return "range"
    if _form(tokens, at + 1) in _RANGE and at + 2 < len(tokens) and tokens[at + 2].kind == "number":
        return "range"
    if _listed(tokens, at):
        return "list"
    if before in COMPARED:
        return before
    return BOUNDS.get(before, "range" if before == "and" and "between" in _forms(tokens, at - 4, at) else "")


def _listed(tokens: Sequence[Token], at: int) -> bool:
    """Whether a number stands beside another with only a comma or an "and" between them: sides 7, 24 and 25."""
    before = at >= 2 and tokens[at - 1].form in _LISTING and tokens[at - 2].kind == "number"
    return before or (
        at + 2 < len(tokens) and tokens[at + 1].form in _LISTING and tokens[at + 2].kind == "number" and at > 0
    )


def _forms(tokens: Sequence[Token], start: int, end: int) -> list[str]:
    return [token.form for token in tokens[max(start, 0) : end]]


def _former(tokens: Sequence[Token], found: list[Quantity]) -> list[Quantity]:
    """Mark the first of "from 5 to 7": it is what was, not what is."""
    kept: list[Quantity] = []
    for number, figure in enumerate(found):
        after = found[number + 1] if number + 1 < len(found) else None
        moved = (
            after is not None
            and not figure.label
            and _form(tokens, figure.at - 1) == "from"
            and _form(tokens, after.at - 1) == "to"
            and after.at - figure.end <= _HEAD_WITHIN
        )
        kept.append(msgspec.structs.replace(figure, former=True) if moved else figure)
    return kept
