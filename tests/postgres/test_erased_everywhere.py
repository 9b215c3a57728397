"""What was erased between two runs of a move, or before an old archive is taken in, is at no end of the way: whichever
way it goes, and whatever waited, was derived or quoted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.copies.erased import KNOWN_BY_ALL, SUBJECT, WORDS, decide, forget, say, still_there
from tests.postgres.moving import everything, move, opened
from tests.postgres.test_moving import words_at, words_below

from muniment.engine.copies.transfer import export_archive, import_archive


def left_at(place: str | Path, handle: str, *, but: tuple[str, ...] = ()) -> list[str]:
    """Which words an end of the way still holds."""
    held = words_below(place) if isinstance(place, Path) else words_at(place)
    sorts = KNOWN_BY_ALL if handle == "record" else tuple(WORDS)
    return [word for sort in sorts if sort not in but for word in WORDS[sort] if word.lower() in held]


@pytest.mark.parametrize("handle", ["record", "subject"])
@pytest.mark.parametrize("from_database", [False, True], ids=["from a folder", "from a database"])
def test_what_waited_and_is_erased_between_two_runs_of_a_move_is_at_neither_end(
    vault: Path, dsn: str, tmp_path: Path, from_database: bool, handle: str
) -> None:
    source, target = (dsn, tmp_path / "new") if from_database else (vault, dsn)
    with opened(source) as memory:
        told = say(memory)
    move(source, target, standby=True)
    assert left_at(target, handle), "the search finds what is there"
    with opened(source) as memory:
        decide(memory, told)
        forget(memory, handle, told)
    done = move(source, target)
    assert done.open
    assert everything(target) == everything(source)
    for place in (source, target):
        assert left_at(place, handle) == []
    with opened(target, create=False) as memory:
        still_there(memory)
        assert (
            handle == "record" or [one for one in memory.review.queue() if SUBJECT in one.proposal.claim.content] == []
        )


def test_a_plan_is_the_same_before_and_after_a_move(vault: Path, dsn: str) -> None:
    with opened(vault) as memory:
        say(memory)
        here = [memory.forget(subject=SUBJECT, reason="x", dry_run=True).plan]
    move(vault, dsn)
    with opened(dsn, create=False) as memory:
        assert [memory.forget(subject=SUBJECT, reason="x", dry_run=True).plan] == here


def test_an_archive_from_before_an_erasure_is_taken_into_a_database_without_what_was_erased(
    vault: Path, dsn: str, tmp_path: Path
) -> None:
    with opened(vault) as memory:
        told = say(memory)
    export_archive(vault, "default", tmp_path / "old.ndjson")
    with opened(vault) as memory:
        decide(memory, told)
        signed = forget(memory, "actor", told).certificate
    assert signed is not None
    taken = import_archive(dsn, tmp_path / "old.ndjson", signing_key=vault / "keys" / "signing.key", erasures=(signed,))
    assert (taken.redone.certificates, taken.redone.proposals) == ((signed.certificate.id,), 3)
    assert left_at(dsn, "actor", but=("discarded",)) == []
    with opened(dsn, create=False) as memory:
        still_there(memory)
        assert len(memory.review.queue()) == 1, "what had been discarded before the erasure: no certificate knows of it"
