"""How much each reason to tell a record counts. Declared, so that a score can be taken apart and changed."""

from __future__ import annotations

from muniment.model import checks
from muniment.model.errors import Malformed
from muniment.model.value import Value

WEIGHT_MAX = 10.0


class Weights(Value):
    """What each part of a score is multiplied with; each lies between 0 and 1 before that.

    `words` and `meaning` say how well a record fits the question. `nearby`, `session` and `linked` carry over from
    what stands beside it, belongs to the same session, or shares names and links with it. `subject` is for what was
    written by whom the question is about: a name in it, or the caller who says "I". `time` is for what falls into the
    time asked about, `future` is taken off what happened only after the question is asked. The rest prefers, among what
    fits alike, the recent, the sure, the important, the well sourced and the weighty kinds.
    """

    words: float = 0.7
    meaning: float = 0.3
    nearby: float = 0.2
    session: float = 0.1
    linked: float = 0.01
    subject: float = 0.1
    time: float = 0.3
    future: float = 0.4
    recency: float = 0.01
    confidence: float = 0.01
    importance: float = 0.01
    origin: float = 0.01
    kind: float = 0.01

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            checks.number(name, value)
            if not 0 <= value <= WEIGHT_MAX:
                raise Malformed(name, f"a weight from 0 to {WEIGHT_MAX:g}")


USUAL_WEIGHTS = Weights()
