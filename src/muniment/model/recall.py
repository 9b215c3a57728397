"""The answer to a query: what is told, what was kept back and why, how it was sought."""

from __future__ import annotations

from muniment.model.query import Abstention, Disclosure, Searched
from muniment.model.render import Context, render
from muniment.model.value import Value


class Recall(Value):
    """The answer to a query. `considered` is how many of what the caller may see was looked at closely;
    it equals the records found on their own merit plus everything in `excluded`."""

    records: tuple[Disclosure, ...]
    excluded: dict[str, int]
    considered: int
    abstained: Abstention | None
    receipt_id: str
    epoch: int
    notices: tuple[str, ...] = ()
    searched: Searched = Searched()

    def render(self, *, budget_tokens: int | None = None) -> Context:
        """A ready block for a prompt: each record fenced as data with its marker, its flags and its disputes, as many
        as the budget holds."""
        return render(self, budget_tokens=budget_tokens)
