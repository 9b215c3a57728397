"""Which capitalised words are names: those inside a sentence, and at its start those that are no ordinary words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from muniment.text.word_tables import AUXILIARY, BE, MONTHS, STOP, VERBS, WEEKDAYS

_STARTERS_TEXT = """
absolutely according additionally admin after afterwards agree agreed ah alert almost alright although always
amazing among another anyone anything anytime anyway anyways apparently apply appreciate around aside ask
assistant assume aw awesome aww awww back based basically beautiful believe besides best bet better big boy
bring btw build built bummer buy bye call came care catch certainly change changes check cheers choose clean
clearly click close come commit compare congrats congratulations consider context cool copy count crazy create
customer customers cute dang date day dear decision definitely delete deploy description despite detail details
different discuss double draft dream due earlier early easy edit enjoy enjoyed ensure error eventually everybody
everyone everything exactly example excellent expect explain false fantastic fast feels few final finally find
first fix focus follow food forget fortunately found four friends from fun generally girl give given glad go
goal going good got gotcha gotta great guess guys ha hah haha half hang happy hard heh hello help hence hey hi
high hm hmm hold home honestly hope hopefully hour hours house huh human idea ideas imagine immediately
important impressive in include including incredible indeed info input inside install instead interesting issue
issues join keep kids knowing kudos last lastly late later latest learn leave less life like list little local
lol long look looks lots love lovely low lucky made main make makes making man many maybe mean meanwhile meet
meeting merge message might mixed mm mmm model money month months moreover morning most mostly move much music
nah name near need needs new next nice night nobody nope normally note notes nothing notice number obviously oh
ok okay old omg oof oops open order others otherwise ouch output outside overall owner parents part past people
perfect perhaps person personally phew pick place plan play plus possibly prefer pretty previous probably
problem project proud providing put question questions quick quickly ran read ready real recall recently
regarding remember remind reminder remove replace reply report result results return right risk run said say
says second see seeing seems seen select send sent server service set several shared show sign similarly simply
single six small somebody someone something sometimes soon sorry sounds speaking special spend start status stay
step steps stop store story strong stuff subject such suddenly summary super support sure surely switch system
take talk task tasks team tell ten test tests thank thanks thing things think thinking three till time times tip
title today todo together tomorrow tonight took total tough traveling treat true truly try trying turn two type
ugh understand unfortunately unless unlike update updated use used user users using usually version very visit
wait walk wanna want wanted warning watch way week weekend weeks welcome well went whatever whenever wherever
whoa whoever wish woah women wonderful woohoo words work world worry wow write writing wrong ya yay yea yeah
year years yep yesterday yet yo young yum yup
"""
_STARTERS = frozenset(_STARTERS_TEXT.split())
"""Words that begin a sentence more often than they name somebody."""

_CALENDAR = frozenset(MONTHS) | frozenset(WEEKDAYS)
_NAMELIKE = frozenset(("will", "mark", "rose", "art"))
"""Stop words that are somebody's name when they are capitalised inside a sentence."""

_IDLE = (STOP - _NAMELIKE) | frozenset(word for word in _CALENDAR if len(word) > 3)
_FORMED = ("ing", "ed", "ly", "tion", "ness", "ment", "able", "ful", "less")
_FORMED_MIN = 6
_SHOUTED_MIN = 3
_CLOSERS = " \t\u00a0\"'“‘(["
_AFTER_NAME = STOP | VERBS | BE
_OF_ONE = VERBS | BE | AUXILIARY
_OF_MANY = frozenset(("are", "were", "have", "do"))
_JOINED = frozenset(("s", "re", "ve", "ll", "d", "m"))
_NEXT = re.compile(r"\s*([a-z]+)")


class NameMention(NamedTuple):
    """A name and where it stands. It is not `sure` when it may be an ordinary word that begins a sentence."""

    start: int
    end: int
    sure: bool


def names(text: str, start: int, end: int) -> list[NameMention]:
    """The names in a run of capitalised words. What belongs to somebody is another name than who it belongs to."""
    words = text[start:end].split()
    if len(words) >= _SHOUTED_MIN and all(word.isupper() and len(word) > 1 for word in words):
        return []
    if len(words) > 1 and words[-1][0].isdigit() and _counts(text, end):
        words.pop()
    first = begins_sentence(text, start)
    skipped = 0
    while skipped < len(words) and _idle(words[skipped], first=first and skipped == 0, more=len(words) > 1):
        start += len(words[skipped]) + 1
        skipped += 1
    words = words[skipped:]
    while words and _plain(words[-1]) in _IDLE:
        words.pop()
    if len(words) == 1 and _plain(words[0]) in _CALENDAR:
        return []
    return _parts(words, text, start, first=first and not skipped)


def _parts(words: list[str], text: str, start: int, *, first: bool) -> list[NameMention]:
    """Cut a run behind each possessive: Maria's Honda names Maria, and a Honda. A Valentine's Day is one thing."""
    found: list[NameMention] = []
    end = start - 1
    for at, word in enumerate(words):
        end += len(word) + 1
        last = at == len(words) - 1
        owned = word[-2:] in ("'s", "’s") and (last or words[at + 1] not in ("Day", "Eve"))
        if not last and not owned:
            continue
        stop = end - 2 if owned else end
        if stop - start > 1 and (at == 0 or any(len(one) > 1 for one in words)):
            doubted = first and at == 0 and _doubtful(word, text, stop)
            found.append(NameMention(start, stop, not doubted))
        start = end + 1
    return found


def begins_sentence(text: str, start: int) -> bool:
    """Whether a word at this place is the first of its sentence, of its line or of what is quoted."""
    at = start - 1
    while at >= 0 and text[at] in _CLOSERS:
        at -= 1
    return at < 0 or text[at] in ".!?:\n\r…•*-–—>|#"


def _idle(word: str, *, first: bool, more: bool) -> bool:
    """Whether a capitalised word at the head of a run says nothing about who or what is named."""
    plain = _plain(word)
    return plain in _IDLE or (first and (plain in _STARTERS or plain in STOP or (more and _formed(plain))))


@lru_cache(maxsize=8_192)
def _plain(word: str) -> str:
    """A word in lower case, without what an apostrophe joined on.

    >>> _plain("Don't"), _plain("You’re"), _plain("Maria's"), _plain("O'Brien")
    ('dont', 'you', 'maria', "o'brien")
    """
    lower = word.lower()
    if lower.isalnum():
        return lower
    head, mark, tail = lower.replace("’", "'").partition("'")
    if tail in _JOINED:
        return head
    return f"{head}t" if tail == "t" else head + mark + tail


def _formed(word: str) -> bool:
    return len(word) >= _FORMED_MIN and word.endswith(_FORMED)


def _doubtful(word: str, text: str, end: int) -> bool:
    """Whether a lone word at the start of a sentence may be an ordinary one: it is written in lower case elsewhere, it
    looks formed, or nothing after it says that somebody or something of that name does something."""
    if not word[1:].islower():
        return False
    plain = _plain(word)
    if _formed(plain) or f" {plain}" in text:
        return True
    if text[end : end + 1] in (":", "'", "’"):
        return False
    after = _NEXT.match(text, end)
    if after is None:
        return True
    verb = after.group(1)
    return (plain[-1] == "s" and verb in _OF_MANY) or not (verb in _OF_ONE or verb.endswith("ed"))


def _counts(text: str, end: int) -> bool:
    """Whether the number at the end of a run counts what follows it: Acme 30 people."""
    after = _NEXT.match(text, end)
    return after is not None and after.group(1) not in _AFTER_NAME
