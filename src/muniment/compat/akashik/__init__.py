"""The Akashik Field over a memory: the protocol's twelve operations, durable, for many agents at once."""

from __future__ import annotations

from muniment.compat.akashik.agent import Agent
from muniment.compat.akashik.feed import Notices, debounced
from muniment.compat.akashik.field import Field
from muniment.compat.akashik.settings import Credential, FieldSettings

__all__ = ["Agent", "Credential", "Field", "FieldSettings", "Notices", "debounced"]
