"""Tags say which revision was read, and whether anything about it is different now."""

from __future__ import annotations

import pytest
from tests.cases import each

from muniment.model.errors import Malformed
from muniment.operations.tags import Mark, read_match, revision_tag, same_tag, tag_of


def test_a_tag_names_the_revision_and_changes_with_the_body() -> None:
    assert tag_of(3, b"a").startswith('"r3.')
    assert tag_of(3, b"a") != tag_of(3, b"b")
    assert tag_of(3, b"a") != tag_of(4, b"a")


def test_what_is_expected_can_be_read_from_a_tag() -> None:
    whole = tag_of(12, b"x")

    assert read_match(whole) == (Mark(revision=12, tag=whole),)
    assert read_match(revision_tag(12)) == (Mark(revision=12),)
    assert read_match(" * ") is None


def test_a_writer_may_name_several_tags_of_which_only_ours_can_be_met() -> None:
    marks = read_match('"r3" ,W/"r4", "xyz", "r5", "r0", "r99999999999"')

    assert marks == (Mark(revision=3), Mark(revision=5))
    assert read_match('W/"r3"') == ()


def test_a_mark_is_met_by_its_revision_and_by_the_whole_tag_if_it_has_one() -> None:
    whole, other = tag_of(3, b"a"), tag_of(3, b"b")

    assert Mark(revision=3).meets(3, whole)
    assert Mark(revision=3, tag=whole).meets(3, whole)
    assert not Mark(revision=3, tag=whole).meets(3, other)
    assert not Mark(revision=3).meets(4, tag_of(4, b"a"))


@each("header", ["", "r3", '"r3', '*, "r3"', '"r3" "r4"', '"r3",', "W/r3", '"a b"'])
def test_what_is_no_tag_is_refused(header: str) -> None:
    with pytest.raises(Malformed, match="If-Match"):
        read_match(header)


def test_a_reader_may_hold_several_tags_weak_ones_too() -> None:
    assert same_tag('"r1.0000000000000000", W/"r2.1111111111111111"', '"r2.1111111111111111"')
    assert not same_tag('"r1.0000000000000000"', '"r2.1111111111111111"')
