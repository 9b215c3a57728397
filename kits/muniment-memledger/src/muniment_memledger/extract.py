"""Find in a text what may be worth remembering, by rule, and keep out what is about somebody in private."""

from __future__ import annotations

import re

import msgspec

from muniment_memledger.records import RecordType
from muniment_memledger.strategies.llm import extract_json

RULE_CONFIDENCE = 0.6
SENTENCE_MIN = 20
TEXT_MAX = 8000

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_PRIVATE = re.compile(
    r"\b\d{3}-\d{2}-\d{4}\b"
    r"|\b(?:\d[ -]?){15}\d\b"
    r"|[\w.%+-]@[\w-]+\.[\w-]"
    r"|(?<!\w)(?:\+\d{1,3}[ .-]?)?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}\b"
    r"|\b(?:salary|ssn|social security)\b[^.\n]{0,200}\d"
    r"|\bapi[ _-]?key\b\W{0,32}\S{20}",
    re.IGNORECASE,
)
_RULES = (
    ("procedure", RecordType.PROCEDURAL, r"first\b.*\bthen|to \w+, (?:first|run|use)|steps? (?:to|are)|how to"),
    ("episode", RecordType.EPISODIC, r"failed|crashed|succeeded|fixed|deployed|yesterday|last (?:night|week)|outage"),
    ("fact", RecordType.SEMANTIC, r"always|never|prefers?|decided|must|requires?|because|is located|uses?|is called"),
)
_FORMS = tuple((name, type_, re.compile(rf"\b(?:{form})\b", re.IGNORECASE)) for name, type_, form in _RULES)


class Extraction(msgspec.Struct, frozen=True):
    """Something worth proposing, and which rule or model found it."""

    content: str
    record_type: RecordType
    confidence: float
    pattern_name: str


def sentences(text: str) -> list[str]:
    """The sentences of a text. A dot inside an address or a number ends none."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def is_private(text: str) -> bool:
    """Whether a text holds what must not be remembered by the way: an address, a number of a person, a key."""
    return _PRIVATE.search(text) is not None


def public_text(text: str) -> str:
    """A text without its private sentences: what a model may be shown."""
    return " ".join(part for part in sentences(text) if not is_private(part))[:TEXT_MAX]


def by_rule(text: str) -> list[Extraction]:
    """What the rules find, in the order of the text."""
    found = []
    for sentence in sentences(text):
        if len(sentence) < SENTENCE_MIN:
            continue
        rule = next(((name, type_) for name, type_, form in _FORMS if form.search(sentence)), None)
        if rule is not None:
            words = sentence.rstrip(".!?").strip()
            found.append(Extraction(words, rule[1], RULE_CONFIDENCE, f"{rule[0]}_pattern"))
    return found


def by_answer(answer: str) -> list[Extraction]:
    """What a model says it found. Entries without a text are left out; a confidence that is none is the rule's."""
    said = extract_json(answer)
    if isinstance(said, dict):
        said = said.get("memories", said.get("extractions"))
    found = []
    for one in said if isinstance(said, list) else []:
        content = one.get("content") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(content, str) or not content.strip():
            continue
        word, sure = one.get("record_type"), one.get("confidence")
        type_ = RecordType(str(word)) if word in {*RecordType} else RecordType.SEMANTIC
        valid = isinstance(sure, (int, float)) and not isinstance(sure, bool) and 0.0 <= sure <= 1.0
        found.append(
            Extraction(content.strip(), type_, float(sure) if valid else RULE_CONFIDENCE, "llm")  # type: ignore[arg-type]  # valid: it is a number
        )
    return found


PROMPT = (
    "List what is worth remembering from the text as a JSON list of objects with content, record_type "
    "(semantic, episodic or procedural) and confidence (0 to 1).\nTEXT: "
)
