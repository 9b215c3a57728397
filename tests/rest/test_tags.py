"""Tags say which revision was read, and whether anything about it is different now."""

from __future__ import annotations

import pytest

from muniment.model.errors import Malformed
from muniment.rest.tags import read_match, revision_tag, same_tag, tag_of


def test_a_tag_names_the_revision_and_changes_with_the_body() -> None:
    assert tag_of(3, b"a").startswith('"r3.')
    assert tag_of(3, b"a") != tag_of(3, b"b")
    assert tag_of(3, b"a") != tag_of(4, b"a")


def test_what_is_expected_can_be_read_from_a_tag() -> None:
    whole = tag_of(12, b"x")

    assert read_match(whole) == (12, whole)
    assert read_match(revision_tag(12)) == (12, None)
    assert read_match(" * ") == (None, None)


@pytest.mark.parametrize("header", ["", "r3", '"3"', '"r0"', '"r3.xyz"', 'W/"r3"', '"r3", "r4"', '"r99999999999"'])
def test_what_is_no_tag_of_ours_is_refused(header: str) -> None:
    with pytest.raises(Malformed, match="If-Match"):
        read_match(header)


def test_a_reader_may_hold_several_tags_weak_ones_too() -> None:
    assert same_tag('"r1.0000000000000000", W/"r2.1111111111111111"', '"r2.1111111111111111"')
    assert not same_tag('"r1.0000000000000000"', '"r2.1111111111111111"')
