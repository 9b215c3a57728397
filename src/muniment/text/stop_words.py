"""Words that tell nothing: so common in English that they say nothing of what a text is about."""

from __future__ import annotations

_STOP = (
    "a about after again all am an and any are as at be been before being but by can could did do does doing down "
    "during each few for from further had has have having he her here hers him his how i if in into is it its "
    "just me more most my no nor not now of off on once only or other our out over own s same she should so some "
    "such t than that the their them then there these they this those through to too under until up very was we "
    "were what when where which while who whom why will with would you your "
)
STOP_WORDS = frozenset(_STOP.split())
