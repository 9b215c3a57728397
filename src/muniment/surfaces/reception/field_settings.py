"""What the server's settings say of a shared field, as the field takes it."""

from __future__ import annotations

import re

from muniment.compat.akashik.settings import FieldSettings
from muniment.contracts.akashik.sessions import TypeRule
from muniment.contracts.akashik.words import UnitType
from muniment.model.errors import ConfigurationError
from muniment.surfaces.reception.settings import ServerSettings


def field_settings(settings: ServerSettings) -> FieldSettings:
    return FieldSettings(
        level=settings.level,
        replay_limit=settings.replay_limit,
        detection_timeout_ms=settings.detection_timeout_ms,
        cross_session=settings.cross_session,
        commons_in_sessions=settings.commons_in_sessions,
        rules=tuple(_rule(text) for text in settings.type_rules),
    )


def _rule(text: str) -> TypeRule:
    """Read a rule such as `human_directive=6`.

    >>> _rule("human_directive=6").least
    6
    """
    found = re.fullmatch(r"(\w+)=(\d|10)", text)
    if found is None or found[1] not in set(UnitType):
        raise ConfigurationError("type_rules", "a type and its least authority, such as human_directive=6")
    return TypeRule(types=frozenset({UnitType(found[1])}), least=int(found[2]))
