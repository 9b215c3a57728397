"""The words of a RECORD that a record of ours has no field for, kept beside it and told again: the role its author had
then, and names of tasks and sessions that our ids cannot spell."""

from __future__ import annotations

import json

from muniment.contracts.akashik.units import NOT_STATED
from muniment.contracts.json_diff import Rest, lay_on, spell, unspell
from muniment.contracts.strict.values import JsonObject
from muniment.model.claim import Claim, Extension

_NAME = "akashik"
_ROLE, _SESSION, _TASK = ("source", "agent_role"), ("source", "session_id"), ("intent", "task_id")
_PLACES = frozenset({_ROLE, _SESSION, _TASK})


def kept(role: str, *, session: tuple[str, str] | None, task: tuple[str, str] | None) -> tuple[Extension, ...]:
    """What is kept: the role, and each name that is held otherwise than it was said; the pairs are held and said."""
    rests = [Rest(path=_ROLE, was=(NOT_STATED,), now=(role,))] if role != NOT_STATED else []
    for path, pair in ((_SESSION, session), (_TASK, task)):
        if pair is not None and pair[0] != pair[1]:
            rests.append(Rest(path=path, was=(pair[0],), now=(pair[1],)))
    return (Extension(name=_NAME, body=spell(tuple(rests))),) if rests else ()


def told_again(unit: JsonObject, claim: Claim) -> JsonObject:
    """A unit with those words in their places. Whatever else was kept of a document is none of a Field's business."""
    own = next((one.body for one in claim.extensions if one.name == _NAME), None)
    if own is None:
        return unit
    return lay_on(unit, tuple(rest for rest in unspell(json.loads(own)) if rest.path in _PLACES and _is_text(rest)))


def _is_text(rest: Rest) -> bool:
    return len(rest.now) == 1 and isinstance(rest.now[0], str) and bool(rest.now[0])
