"""One reason to doubt a text, by family and code, in words of ours that quote nothing of it."""

from __future__ import annotations

from muniment.model.value import Value
from muniment.model.vocabulary import Suspicion


class PoisonSignal(Value):
    """Something about a text that is seldom there by accident. `code` is stable, `note` is for a person."""

    family: Suspicion
    code: str
    note: str
