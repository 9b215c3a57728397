"""The answer to a query: what is told, what was kept back and why, how it was sought."""

from __future__ import annotations

from muniment.model.one_line import Parts
from muniment.model.query import Abstention, Disclosure, Searched, Withdrawn
from muniment.model.render import Context, render
from muniment.model.value import Value

SCREEN = 15
"""So many records are told of an answer that is printed."""


class Recall(Value):
    """The answer to a query. `considered` is how many of what the caller may see was looked at closely;
    it equals the records found on their own merit plus everything in `excluded`. `withdrawn` is what the caller was
    told before and may no longer rely on."""

    records: tuple[Disclosure, ...]
    excluded: dict[str, int]
    considered: int
    abstained: Abstention | None
    receipt_id: str
    epoch: int
    notices: tuple[str, ...] = ()
    searched: Searched = Searched()
    withdrawn: tuple[Withdrawn, ...] = ()

    def __rich_repr__(self) -> Parts:
        told: Parts = [("records", [str(one) for one in self.records[:SCREEN]])]
        told += [("abstained", self.abstained.value)] if self.abstained is not None else []
        told += [("excluded", self.excluded)] if self.excluded else []
        return [*told, ("receipt_id", self.receipt_id)]

    def __repr__(self) -> str:
        return f"<Recall of {len(self.records)} records, receipt {self.receipt_id}>"

    def __str__(self) -> str:
        """The answer for a screen; `render` makes the one for a prompt."""
        told = [f"[{rank}] {one}" for rank, one in enumerate(self.records[:SCREEN], start=1)]
        more = len(self.records) - SCREEN
        told += [f"… and {more} more"] if more > 0 else []
        if not told:
            told = [f"nothing: {self.abstained}" if self.abstained is not None else "nothing was asked for"]
        told += [f"left out by {rule}: {count}" for rule, count in sorted(self.excluded.items())]
        told += [f"no longer rely on {one.id}: {one.why} in entry {one.since}" for one in self.withdrawn]
        told += [*self.notices, f"receipt {self.receipt_id}"]
        return "\n".join(told)

    def render(self, *, budget_tokens: int | None = None) -> Context:
        """A ready block for a prompt: each record fenced as data with its marker, its flags and its disputes, as many
        as the budget holds."""
        return render(self, budget_tokens=budget_tokens)
