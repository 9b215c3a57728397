"""Whatever sort of secret is said in whatever field of whatever call: it is in no file, no error and no log."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

import pytest
from tests.unit.world import all_bytes, open_memory
from tests.unit.write.planted import STRICT, found_in, planted, spellings
from tests.unit.write.test_nothing_leaks import CALLS

from muniment import Memory
from muniment.model.errors import MunimentError

RULES = (
    """\
version: 1
name: test
actors: {owner: {type: person, roles: [owner]}, worker: {projects: [default]}}
write:
  - {id: no-directives, roles: [], kinds: [directive], decision: refuse, reason: none}
  - {id: worker-waits, actors: [worker], kinds: [decision], decision: hold, reason: a person decides}
  - {id: all, decision: commit, reason: may}
read: [{id: all-read, member: false}]
review:
  - id: all-review
    roles: [owner]
    actions: [accept, discard, retract, queue, audit, forget, hold, observe, vouch, name, import, sweep, archive]
"""
    + STRICT
)


def told_by(error: BaseException) -> str:
    """Everything an error can say: its words, its parts, its causes, and how a crash would print it."""
    said = "".join(traceback.format_exception(error))
    seen: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in seen:
        seen.append(at)
        said += f"{at!r} {at.args!r} {vars(at)!r}"
        at = at.__cause__ or at.__context__
    return said


def _call(memory: Memory, name: str, text: str) -> str:
    try:
        CALLS[name](memory, text)
    except MunimentError as error:
        return told_by(error)
    return ""


@pytest.mark.sampled(11)
@pytest.mark.parametrize("name", CALLS)
def test_no_sort_of_secret_is_kept_or_told_whatever_field_it_is_in(
    vault: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    values = planted(name)
    sought = spellings(values)
    with caplog.at_level(logging.DEBUG), open_memory(vault, policy=RULES) as memory:
        told = "\n".join(_call(memory, name, one.text) for one in values)
        told += repr(memory.review.queue()) + repr(memory.ledger.entries())
    assert found_in(all_bytes(vault), sought) == []
    assert found_in(told.encode() + caplog.text.encode(), sought) == []


def test_the_search_finds_what_is_there(vault: Path) -> None:
    """Without a detector for them, values are in the file; so a search that finds none means something."""
    values = [one for one in planted("seen") if one.sort in ("email", "phone", "ip address", "birth date")]
    sought = spellings(values)
    with Memory.open(vault) as memory:
        for one in values:
            memory.remember(f"it is {one.text}")
    assert {name.partition(":")[0] for name in found_in(all_bytes(vault), sought)} == {one.sort for one in values}


def test_a_secret_in_a_guarded_act_is_nowhere(vault: Path) -> None:
    """What is held, lifted, forgotten, withdrawn and quarantined is so for a reason, and a reason is free text."""
    values = planted("acts")
    sought, told = spellings(values), ""
    with open_memory(vault, policy=RULES) as memory:
        for one in values:
            record = memory.remember(f"note about {one.sort}").record_id or ""
            held = memory.erasure.hold(record, reason=one.text)
            told += repr(memory.erasure.holds())
            memory.erasure.lift(held.id, reason=one.text)
            memory.review.quarantine(record, reason=one.text)
            memory.review.release(record, reason=one.text)
            memory.review.outcome(record, "helpful", evidence=one.text)
            memory.erasure.withdraw("source", one.sort.replace(" ", "-"), reason=one.text, dry_run=True)
            told += repr(memory.forget(record, reason=one.text))
        told += repr(memory.erasure.certificates())
    assert found_in(all_bytes(vault), sought) == []
    assert found_in(told.encode(), sought) == []
