"""A light stemmer of our own: it takes off the endings that change a word's form and leaves its meaning.

What matters is only that two forms of one word meet and that two words stay apart; how a stem looks does not matter.
"""

from __future__ import annotations

from functools import lru_cache

_VOWELS = frozenset("aeiouy")
_ENDINGS = (
    ("ification", "ify", 3),
    ("ization", "iz", 3),
    ("isation", "iz", 3),
    ("ising", "iz", 4),
    ("ised", "iz", 4),
    ("ment", "", 4),
    ("ation", "at", 4),
    ("ion", "", 5),
    ("ly", "", 5),
    ("ing", "", 3),
    ("ied", "y", 2),
    ("ed", "", 3),
)
"""An ending, what stands in its place, and how much of the word must be left: `mission` is no form of `miss`."""

_IRREGULAR = {
    form: word
    for word, forms in {
        "use": "used using", "write": "wrote written", "take": "took taken", "build": "built", "run": "ran",
        "meet": "met", "send": "sent", "feel": "felt", "give": "gave given", "buy": "bought", "go": "went gone",
        "keep": "kept", "pay": "paid", "hold": "held", "lead": "led", "spend": "spent", "choose": "chose chosen",
        "speak": "spoke spoken", "teach": "taught", "begin": "began begun", "sell": "sold", "lose": "lost",
        "win": "won", "find": "found", "make": "made making", "know": "knew known", "rise": "rose risen",
        "fall": "fell fallen", "grow": "grew grown", "submit": "submission submissions", "forbid": "forbidden forbade",
        "hide": "hidden hid", "break": "broke broken", "drive": "drove driven", "tell": "told", "see": "saw seen",
        "come": "came", "say": "said", "stand": "stood", "sit": "sat", "eat": "ate eaten",
        "wear": "wore worn", "catch": "caught", "bring": "brought", "think": "thought", "forget": "forgot forgotten",
    }.items()
    for form in forms.split()
}  # fmt: skip
_PAST = frozenset(_IRREGULAR) - {"using", "making", "submission", "submissions"}
_STEM_MIN = 3


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Bring the forms of one word together.

    >>> [stem(word) for word in ("deploys", "deployed", "deploying", "deployment", "policies", "running", "class")]
    ['deploy', 'deploy', 'deploy', 'deploy', 'policy', 'run', 'class']
    """
    word = _IRREGULAR.get(word, word)
    if len(word) <= _STEM_MIN or not word.isascii() or not word.isalpha():
        return word
    root = _rest(_singular(word))
    return "note" if root == "not" else root


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > _STEM_MIN + 1:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _rest(word: str) -> str:
    if word.endswith(("greed", "teed")):
        return word[:-2]
    for ending, instead, left_min in _ENDINGS:
        if not word.endswith(ending):
            continue
        left = word[: -len(ending)]
        if len(left) >= left_min and _VOWELS & set(left):
            return _undoubled(left + instead)
    return _silent(word)


def _undoubled(word: str) -> str:
    """`runn` is `run`; `pass` and `bill` keep their two letters, and a silent e goes as it goes elsewhere."""
    if len(word) > _STEM_MIN and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return _silent(word)


def _silent(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > _STEM_MIN else word


def done(word: str) -> bool:
    """Whether a word is the past form or the participle of a verb, as far as its ending shows.

    >>> done("attended"), done("written"), done("attend"), done("need")
    (True, True, False, False)
    """
    return word in _PAST or (word.endswith("ed") and len(word) > _STEM_MIN + 1 and not word.endswith("eed"))
