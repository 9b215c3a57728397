"""Signs that a text is meant to steer whoever reads it: found by looking at the text alone, told without quoting it."""

from muniment.write.poison.hidden_characters import unreadable
from muniment.write.poison.look import inspect, inspect_claim, texts
from muniment.write.poison.signal import PoisonSignal

__all__ = ["PoisonSignal", "inspect", "inspect_claim", "texts", "unreadable"]
