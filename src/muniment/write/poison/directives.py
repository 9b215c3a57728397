"""What a text does to its reader as a whole, weighed: one order is a ticket, an order with haste, silence and an
authority nobody can ask is something else. And claims about who rules here and who may do what, which weigh alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from muniment.model.claim import Claim
from muniment.model.speech import SpeechAct, acts, plays_a_part, sentences
from muniment.model.vocabulary import Suspicion
from muniment.policy.rules import DirectiveWeights
from muniment.write.poison.hidden_characters import latin, readable
from muniment.write.poison.phrases import TALKED_ABOUT
from muniment.write.poison.signal import PoisonSignal

_RANK = (
    r"(?:admins?|administrators?|root|superusers?|super-?admins?|sysadmins?|sudoers?|unrestricted|privileged|"
    r"system (?:operator|owner|user|agent)|trusted (?:operator|agent|administrator|principal))"
)
_RIGHTS = r"(?:access|rights?|permissions?|privileges?|clearance|authority|authori[sz]ation)"
_CHECKS = (
    r"(?:approval|review|confirmation|verification|authori[sz]ation|oversight|checks?|polic(?:y|ies)|gates?|limits?)"
)
_STANDING = re.compile(
    rf"\b(?:am|is|are|becomes?|became|remains?|made|named|appointed|promoted to|acts? as|acting as|treated as"
    rf"|counts? as)"
    rf"(?: now| hereby| also| our| your| my| the| an?| new| sole| system| verified| effectively)* {_RANK}\b"
    rf"(?! (?:panel|page|console|tool|guide|interface|ui|area|password|account|user|team|port|role|endpoint))"
    rf"|\b(?:ha[sv]e?|holds?|enjoys?|gets?|given|granted|receives?|received)\b[^.\n]{{0,30}}\b(?:full|root|unlimited|"
    rf"unrestricted|elevated|admin|administrator|super-?user|owner|standing)(?: \w+)? {_RIGHTS}\b"
    rf"|\b(?:grant|granted|granting|grants (?:you|me|us|this|all|every|any))\b[^.\n]{{0,60}}\b(?:{_RIGHTS}|role)\b"
    rf"|\b(?:authori[sz]ed|permitted|allowed|entitled|cleared|empowered|free"
    rf"|pre-?approved)(?: \w+)? to (?:approve|bypass|"
    rf"skip|override|transfer|delete|wire|pay|grant|sign off|deploy|ignore|access|change|disable)\b"
    rf"|\b(?:exempt(?:ed)?|excused|waived|released) from(?: \w+){{0,3}} {_CHECKS}"
    rf"|\bno (?:further |more |additional |human )?{_CHECKS}(?: is| are)? (?:needed|required|necessary)\b"
    rf"|\b(?:role|user[_ ]role|access[_ ]level|clearance|trust[_ ]level|privileges?|permissions?)\"?\s*[:=]\s*[\"']?"
    rf"(?:admin|root|owner|full|all|super|unlimited|write|elevated|highest|maximum)"
    rf"|\b(?:system|developer) (?:prompt|message|instructions?)\b[^.\n]{{0,20}}(?:\bsays?\b|:|=|\bnow\b"
    rf"|\b(?:is|are) (?:that|to|as follows|you|replaced|overridden|superseded|void)\b)"
    rf"|\b(?:safety|security|guard) ?(?:rules?|polic(?:y|ies)|rails?|filters?)\b[^.\n]{{0,30}}\b(?:disabled"
    rf"|suspended|"
    rf"revoked|lifted|no longer|do not apply|does not apply|void)\b",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"\b(?:ask(?:s|ed|ing)?|mention(?:s|ed)?|request(?:s|ed)?|wants?|says?|inquires?|enquires?|brings? up"
    r"|talks? about|"
    r"prompts?|prompted|quer(?:y|ies)|conversations?|questions?|answers?|repl(?:y|ies)|responses?|sessions?)\b",
    re.IGNORECASE,
)
_HASTE = re.compile(
    r"\b(?:immediately|(?:do|act|pay|send|stop|reply|answer|comply|respond|report)(?: \w+){0,3} at once"
    r"|right away|right now|urgent(?:ly)?|asap|without delay|before it is too late"
    r"|within the hour|"
    r"time[- ]sensitive|critical:|no time)\b",
    re.IGNORECASE,
)
_SILENCE = re.compile(
    r"\b(?:do not|don't|never|must not|should not|without) (?:tell|telling|inform|informing|mention|mentioning"
    r"|reveal|"
    r"revealing|disclose|disclosing|notify|notifying|alert|alerting|warn|warning|log|logging)\b"
    r"|\b(?:keep|remain|stay) (?:this|it|that)?(?: \w+)? ?(?:secret|quiet|silent|hidden|between us|to yourself)\b",
    re.IGNORECASE,
)
_RULERS = re.compile(
    r"\b(?:ceo|cto|ciso|cfo|management|leadership|head office|headquarters|(?:the |our |your )?(?:security"
    r"|compliance|"
    r"legal|platform|it|audit|admin|administration) (?:team|department|office|desk)|administrators?|the owner|"
    r"the developers?|your (?:creators?|operators?|owner|developers?)|anthropic|openai"
    r"|the vendor)\b[^.\n]{0,40}\b(?:has |have |"
    r"had |was |were )?(?:approved|approves|requires?|required|orders?|ordered|confirms?|confirmed|mandates?"
    r"|mandated|"
    r"instructs?|instructed|authori[sz]es?|authori[sz]ed|asks?|asked|wants?|demands?|signed off|directs?|directed)\b"
    r"|\b(?:approved|authori[sz]ed|mandated|ordered|confirmed|verified|signed off) by\b|\bofficial (?:policy"
    r"|notice|order)\b"
    r"|\bverified (?:fact|memory|instruction|information|source)\b",
    re.IGNORECASE,
)
_OUTWARD = re.compile(
    r"https?://|[\w.+-]@[\w-]+\.\w|\b(?:iban|wallet|account number|webhook|external (?:address|endpoint))\b",
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    r"\b(?:always|never|from now on|every time|in (?:all|every|any) (?:future|case|conversation|session)"
    r"|henceforth|for all future|"
    r"permanently|going forward|regardless of|no matter what|must be followed)\b",
    re.IGNORECASE,
)
_BYPASS = re.compile(
    rf"(?<!not )(?<!never )(?<!n't )\b(?:skip|skips|bypass|ignore|disregard|override|disable"
    rf"|turn off|circumvent|avoid|suspend|drop|forget|set aside)\b"
    rf"(?: \w+){{0,4}} (?:{_CHECKS}|instructions?|rules?|guidelines?|restrictions?|safeguards?|guardrails?|"
    rf"second factor|two-factor|alerts?|logging|confirmations?)\b|\bwithout (?:\w+ ){{0,2}}{_CHECKS}\b"
    rf"(?! (?:no|nothing|nobody|none|never)\b)",
    re.IGNORECASE,
)
_REPLAY = re.compile(
    r"\[[ ]?(?:user|system|agent|assistant|memory|mem|preference|pref|instruction|policy|role|context|profile"
    r"|admin|owner|"
    r"persona|rule|fact|verified|override)[\w .-]{0,40}[=:][^\]\n]{1,400}\]"
    r"|\b(?:user_memory|system_memory|agent_memory|memory_key|user_preference|system_prompt|core_memory"
    r"|long_term_memory)\s*[=:]",
    re.IGNORECASE,
)
_CARRIER = re.compile(
    r"!\[[^\]\n]{0,200}\]\([^)\s]{0,500}[?{$][^)\s]{0,500}\)|https?://\S{0,300}[=/](?:\{|%7b|\$\{?"
    r"|<)\w+",
    re.IGNORECASE,
)
_SLOT = re.compile(
    r"(?:^|[_ .-])(?:role|roles|permission|permissions|privileges?|access[_ ]level|clearance|is[_ ]?admin"
    r"|system[_ ]prompt|"
    r"trust[_ ]level|identity|authority|persona)$",
    re.IGNORECASE,
)
_NOTES = {
    "order": "gives an order",
    "trigger": "wants to rule over talks to come",
    "persona": "says who its reader is",
    "secrecy": "asks for silence",
    "urgency": "asks for haste",
    "authority": "calls on an authority that cannot be asked",
    "outward": "points out of here",
    "always": "is to hold for all time",
    "bypass": "wants to get round a check",
    "part": "takes a part in a conversation",
    "replay": "plays back a key of a memory",
    "carrier": "has a link that carries data",
}
_STANDS = PoisonSignal(family=Suspicion.STANDING, code="standing", note="says who rules, or what somebody may do")
_PATTERNS = (
    ("secrecy", _SILENCE),
    ("urgency", _HASTE),
    ("authority", _RULERS),
    ("outward", _OUTWARD),
    ("always", _ALWAYS),
    ("bypass", _BYPASS),
    ("replay", _REPLAY),
    ("carrier", _CARRIER),
)
_QUOTED = re.compile(
    r"(?<![^\W_])'[^'\n]{0,400}'(?![^\W_])|\"[^\"\n]{0,400}\"|`[^`\n]{0,400}`|“[^”\n]{0,400}”|«[^»\n]{0,400}»"
)
_BY_MACHINE = re.compile(
    r"^[ \t]*+(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S* .*|File \"[^\"\n]*\", line \d.*|"
    r".*(?:\(\);|\) ?\{|===|; ?\}).*|[\w.-]{1,60}:[ \t]*(?:[\w.-]{1,40})?[ \t]*)$",
    re.MULTILINE | re.IGNORECASE,
)
"""Lines that a machine wrote: they order nobody."""
TOGETHER = 3
"""So many sentences in a row are weighed together."""
READ_MAX = 20_000
_NUMBER = 4


def speaking(text: str, marks: DirectiveWeights) -> Iterator[PoisonSignal]:
    """What a text does to its reader, if it weighs enough, in words of ours."""
    plain = _spoken(latin(readable(text[:READ_MAX])))
    if _STANDING.search(plain):
        yield _STANDS
    most = max(
        (sorted(found) for found in done(_BY_MACHINE.sub("", plain))),
        key=lambda found: _weight(found, marks),
        default=[],
    )
    if _weight(most, marks) >= marks.least:
        note = ", ".join(_NOTES[name] for name in most if getattr(marks, name) > 0)
        yield PoisonSignal(family=Suspicion.INSTRUCTION, code="weighed", note=note)


def _weight(found: Iterable[str], marks: DirectiveWeights) -> float:
    return float(sum(getattr(marks, name) for name in found))


def _spoken(text: str) -> str:
    """What a text says itself: without what it quotes to speak of attacks."""
    return _QUOTED.sub(" … ", text) if any(word in text for word in TALKED_ABOUT) else text


def of_standing(claim: Claim) -> Iterator[PoisonSignal]:
    """Whether a slot is about a role or a right."""
    if claim.slot is not None and _SLOT.search(claim.slot.key):
        yield _STANDS


@lru_cache(maxsize=128)
def done(text: str) -> tuple[frozenset[str], ...]:
    """The things a text does to its reader, by the names of their weights: in each few sentences in a row, since what
    is done together stands together. A long manual has an order here and haste there."""
    each = [_done(sentence) for sentence in sentences(text) if len(sentence) > _NUMBER]
    together = (frozenset().union(*each[first : first + TOGETHER]) for first in range(max(1, len(each) - TOGETHER + 1)))
    part = {"part"} if plays_a_part(text) else set()
    return tuple({one | part for one in together})


def _done(sentence: str) -> frozenset[str]:
    found = {name for name, pattern in _PATTERNS if pattern.search(sentence)}
    seen = acts(sentence)
    if not seen.isdisjoint((SpeechAct.ORDER, SpeechAct.DUTY)):
        found.add("order")
        if SpeechAct.TRIGGER in seen and _TALK.search(sentence):
            found.add("trigger")
    if SpeechAct.PERSONA in seen:
        found.add("persona")
    return frozenset(found)
