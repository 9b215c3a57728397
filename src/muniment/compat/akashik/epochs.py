"""The logical clock of a Field: ledger positions, pushed ahead wherever a message came from a later epoch."""

from __future__ import annotations

from bisect import bisect_right

from muniment.model.value import Value

CLOCK_MAX = 2**53 - 1
"""The last epoch that is ever given."""
PUSH_MAX = 2**52
"""No message pushes the clock past this: whatever others send, as much again is left for writing."""
JUMP_MAX = 2**40
"""No message pushes it further than this at once."""


class EpochShift(Value):
    """From a position on, epochs are this much ahead of positions."""

    first: int
    offset: int


class Epochs(Value):
    """Every push there was, in order. Without any an epoch is a position.

    >>> clock = Epochs(steps=(EpochShift(first=5, offset=10),))
    >>> [clock.at(seq) for seq in (4, 5, 6)], [clock.first(epoch) for epoch in (4, 5, 15, 16)]
    ([4, 15, 16], [4, 5, 5, 6])
    """

    steps: tuple[EpochShift, ...] = ()

    def at(self, seq: int) -> int:
        """The epoch of a position."""
        number = bisect_right(self.steps, seq, key=lambda step: step.first)
        return seq + (self.steps[number - 1].offset if number else 0)

    def first(self, epoch: int) -> int:
        """The first position that is at or after an epoch."""
        for step in reversed(self.steps):
            if epoch > self.at(step.first - 1):
                return max(step.first, epoch - step.offset)
        return epoch

    def pushed(self, step: EpochShift) -> Epochs:
        return Epochs(steps=(*self.steps, step))


def beyond(clock: Epochs, head: int, epoch: int) -> bool:
    """Whether a message's epoch is further ahead than anybody may push the clock."""
    present = clock.at(head)
    return epoch > present and (epoch - present > JUMP_MAX or epoch > PUSH_MAX)


def push(clock: Epochs, head: int, epoch: int, *, writes: bool) -> EpochShift | None:
    """The step that takes the clock to a message's epoch with the next entry, or past it if that entry already is the
    write; None if the clock is there."""
    if epoch <= clock.at(head):
        return None
    return EpochShift(first=head + 1, offset=epoch + (1 if writes else 0) - (head + 1))
