"""The failure of an embedder."""

from __future__ import annotations

from muniment.model.errors import OperationalError


class MindUnavailable(OperationalError):
    """An embedder cannot be reached, or cannot work."""

    code = "mind_unavailable"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint or "Check the embedder: `muniment model status`, or the endpoint's address and key."
