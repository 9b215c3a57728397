"""The clock of a Field: every position has one epoch, later ones have later ones, and nobody can use it up."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from muniment.compat.akashik.epochs import CLOCK_MAX, JUMP_MAX, PUSH_MAX, Epochs, EpochShift, beyond, push

PUSHES = st.lists(st.tuples(st.integers(1, 20), st.integers(0, 60), st.booleans()), max_size=6)


def pushed(pushes: list[tuple[int, int, bool]]) -> tuple[Epochs, int]:
    """A clock after messages that came some entries apart, each some epochs ahead; and where the ledger stands."""
    clock, head = Epochs(), 1
    for entries, ahead, writes in pushes:
        head += entries
        step = push(clock, head, clock.at(head) + ahead, writes=writes)
        if step is not None:
            clock, head = clock.pushed(step), head + 1
    return clock, head


@given(PUSHES)
def test_epochs_rise_with_positions_and_lead_back_to_them(pushes: list[tuple[int, int, bool]]) -> None:
    clock, head = pushed(pushes)
    epochs = [clock.at(seq) for seq in range(1, head + 5)]
    assert all(earlier < later for earlier, later in pairwise(epochs))
    for seq, epoch in enumerate(epochs, start=1):
        assert clock.first(epoch) == seq
        assert clock.first(epoch + 1) == seq + 1


@given(PUSHES, st.integers(0, 200))
def test_the_first_position_at_or_after_an_epoch_is_the_first(pushes: list[tuple[int, int, bool]], epoch: int) -> None:
    clock, _ = pushed(pushes)
    first = clock.first(epoch)
    assert clock.at(first) >= epoch
    assert first <= 0 or clock.at(first - 1) < epoch


def test_a_push_takes_the_clock_to_the_message_and_a_write_past_it() -> None:
    assert push(Epochs(), 5, 5, writes=False) is None
    assert push(Epochs(), 5, 100, writes=False) == EpochShift(first=6, offset=94)
    assert push(Epochs(), 5, 100, writes=True) == EpochShift(first=6, offset=95)


def test_no_message_pushes_the_clock_far_or_past_its_half() -> None:
    clock = Epochs()
    assert not beyond(clock, 5, 5 + JUMP_MAX)
    assert beyond(clock, 5, 6 + JUMP_MAX)
    late = Epochs(steps=(EpochShift(first=2, offset=PUSH_MAX - 10),))
    assert not beyond(late, 9, PUSH_MAX)
    assert beyond(late, 9, PUSH_MAX + 1)
    assert not beyond(late, 20, PUSH_MAX + 9)
    assert CLOCK_MAX - PUSH_MAX > 2**51
