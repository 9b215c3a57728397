"""Signs that a text is meant to steer whoever reads it: found by looking at the text alone, told without quoting it."""

from muniment.write.poison.letters import unreadable
from muniment.write.poison.look import inspect, inspect_claim, texts
from muniment.write.poison.signal import Signal

__all__ = ["Signal", "inspect", "inspect_claim", "texts", "unreadable"]
