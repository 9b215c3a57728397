"""Another name for the same thing, given by somebody who may."""

from __future__ import annotations

from muniment.model import checks
from muniment.model.value import Value


class Alias(Value):
    """That `alias` is another name for `entity`; both are keys. A name that is given to itself stands alone again."""

    alias: str
    entity: str

    def __post_init__(self) -> None:
        checks.text("alias", self.alias)
        checks.text("entity", self.entity)
