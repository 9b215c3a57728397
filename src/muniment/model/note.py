"""What agents have agreed on beside what they know: who is registered, which sessions and tasks there are."""

from __future__ import annotations

from muniment.model import checks
from muniment.model.value import Value


class NoteDraft(Value):
    """Something to be noted under a topic and a key: JSON text, or nothing to take the note away."""

    topic: str
    key: str
    body: str | None = None

    def __post_init__(self) -> None:
        checks.identifier("topic", self.topic)
        checks.text("key", self.key)
        if self.body is not None:
            checks.text("body", self.body, limit=checks.CONTENT_BYTES_MAX)


class Note(Value):
    """A jot as the ledger holds it: in which entry, when, by whom, and as which document."""

    topic: str
    key: str
    seq: int
    doc: int
    at: int
    actor: str
    body: str | None = None
