"""The Akashik Field over a memory: the protocol's twelve operations, durable, for many agents at once."""

from __future__ import annotations

from muniment.compat.akashik.agent import FieldAgentHandle
from muniment.compat.akashik.feed import NotificationPage, debounced
from muniment.compat.akashik.field import Field
from muniment.compat.akashik.settings import Credential, FieldSettings

__all__ = ["Credential", "Field", "FieldAgentHandle", "FieldSettings", "NotificationPage", "debounced"]
