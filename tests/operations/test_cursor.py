"""A cursor leads on in one list, and nowhere else."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment.model.errors import Malformed
from muniment.model.vocabulary import Kind
from muniment.operations.cursor import seal, unseal
from muniment.operations.queries import Browse, PageQuery

FACTS = Browse(kinds=(Kind.FACT,))


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200))
def test_a_cursor_leads_to_where_it_was_made(position: str) -> None:
    assert unseal("browse", FACTS, seal("browse", FACTS, position)) == position


def test_a_cursor_of_another_list_is_refused() -> None:
    with pytest.raises(Malformed, match="cursor"):
        unseal("queue", PageQuery(), seal("ledger.entries", PageQuery(), "7"))


def test_a_cursor_is_refused_under_other_bounds() -> None:
    with pytest.raises(Malformed, match="cursor"):
        unseal("browse", Browse(), seal("browse", FACTS, "rec-1@1"))


@given(st.integers(0, 200), st.integers(1, 255))
def test_a_cursor_that_was_touched_is_refused(place: int, change: int) -> None:
    raw = bytearray(base64.urlsafe_b64decode(seal("browse", FACTS, "rec-1@1") + "=="))
    raw[place % len(raw)] ^= change

    with pytest.raises(Malformed, match="cursor"):
        unseal("browse", FACTS, base64.urlsafe_b64encode(bytes(raw)).decode().rstrip("="))


@each("text", ["", "x", "====", "not-a-cursor", "é", "A" * 2000])
def test_what_was_never_a_cursor_is_refused(text: str) -> None:
    with pytest.raises(Malformed, match="cursor"):
        unseal("queue", PageQuery(), text)
