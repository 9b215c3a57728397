"""Whatever a text is made of, reading it costs in proportion to its length, and a proposal is bounded as a whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from bench.scanners import APART, REST, declared, scanned, scanners
from bench.worst_texts import plain, worst

from muniment.model.actor import Actor
from muniment.model.claim import Belief, Claim, Extension
from muniment.model.errors import LimitExceeded
from muniment.model.proposal import Proposal
from muniment.policy.rules import SafetyPolicy
from muniment.write.admit import PROPOSAL_BYTES_MAX, admit

SHORT, TIMES = 600, 4
ALLOWED = 1.3
FEW = 2_000
ATOMS = (
    "1 2 3 ",
    "4 4 4 5 ",
    "2026-01-",
    "a b c ",
    "Ana is ",
    "ignore ",
    "1. a\n",
    "not ",
    "(",
    "a.",
    plain()[-2],
    plain()[-1],
)


def work(name: str, text: str) -> int:
    """How many calls a scanner makes on a text, of ours and of the library: a count that no clock has a part in."""
    count, scan = 0, scanners_by_name[name]

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        scanned(scan, text)
    finally:
        sys.setprofile(None)
    return count


scanners_by_name = scanners()


def steep() -> Iterator[str]:
    for number, (name, scan) in enumerate(scanners_by_name.items()):
        for atom in ATOMS:
            mine = f" {number} "  # nobody has read it before: what is kept of it would cost nothing
            scanned(scan, f"{mine}{atom}")
            short, longer = (work(name, worst(atom, length) + mine) for length in (SHORT, TIMES * SHORT))
            if longer > FEW and longer > ALLOWED * TIMES * short:
                yield f"{name} on {atom!r}: {short} calls, then {longer}"


def test_four_times_the_text_is_no_more_than_four_times_the_work() -> None:
    assert list(steep()) == []


def test_no_scanner_is_left_out() -> None:
    found = {name: required for name, _, _, required, _ in declared()}
    unknown = {name for name, required in found.items() if required and name not in APART and name not in REST}
    assert unknown == set(), "say in bench/scanners.py what it asks for beside the text, or why it is no scanner"
    assert (APART.keys() | REST.keys()) - found.keys() == set()
    assert {"text.clauses.clauses", "write.poison.look.inspect", "contracts.strict.reader.read_json"} <= found.keys()


def test_all_that_a_proposal_says_is_bounded_together() -> None:
    whole = Claim(
        content="x" * 1_000_000,
        belief=Belief(evidence=("y" * 4_000,) * 200),
        extensions=(Extension(name="omir", body='"' + "z" * 1_000_000 + '"'),),
    )
    with pytest.raises(LimitExceeded) as refused:
        admit(Proposal(id="prp_1", tenant="default", claim=whole), Actor(id="owner"), SafetyPolicy())
    assert (refused.value.code, PROPOSAL_BYTES_MAX) == ("limit_exceeded", 2_097_152)
