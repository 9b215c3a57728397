"""Terms under which something is written: what must still hold in the moment of the write, and what is other than the
policy says of disputes."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from muniment.model.value import Value
from muniment.policy.rules import DisputePolicy
from muniment.ports.store import Unit
from muniment.write.pipeline import Bench


def _always(_: Unit) -> None:
    """Nothing has to hold."""


class WriteTerms(Value):
    """`hold` looks at the store inside the transaction and raises if the write must not happen; `disputes` takes the
    place of what the policy says of them. Never on a surface: whoever sets terms answers for them."""

    hold: Callable[[Unit], None] = _always
    disputes: DisputePolicy | None = None

    def bench(self, bench: Bench) -> Bench:
        if self.disputes is None:
            return bench
        policy = msgspec.structs.replace(bench.policy, disputes=self.disputes)
        return msgspec.structs.replace(bench, policy=policy)


UNCONDITIONAL = WriteTerms()
