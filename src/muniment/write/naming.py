"""Give a thing another name. Names are vocabulary of the tenant: every question is read with them."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.model.alias import Alias
from muniment.model.change import ChangeSet, NewDocument
from muniment.model.entry import DocumentRole, EntryKind
from muniment.ports.store import Unit
from muniment.write.commit import commit
from muniment.write.pipeline import Bench, next_place


def give_name(unit: Unit, alias: str, entity: str, actor: str, bench: Bench) -> tuple[tuple[str, ...], int]:
    """Make `alias` another name for what `entity` names, both given as keys; return all its names, and the ledger's
    position. A name given to itself stands alone again; everything that was known by `alias` comes along otherwise."""
    at, head = next_place(unit, bench)
    groups = unit.names.groups([alias, entity], as_of=head.seq)
    given = _apart(alias, groups) if alias == entity else _joined(alias, entity, groups)
    if not given:
        return groups.get(entity, (entity,)), head.seq
    change = ChangeSet(
        kind=EntryKind.NAMED,
        actor=actor,
        at=at,
        position=head.seq,
        policy=bench.policy_doc,
        decided_on=(),
        drafts=tuple(
            NewDocument(doc=head.last_doc + number, role=DocumentRole.ALIAS, value=Alias(alias=name, entity=chief))
            for number, (name, chief) in enumerate(given.items(), start=1)
        ),
    )
    entry = commit(unit, change, tenant=bench.tenant, pepper=bench.pepper, ids=bench.ids)
    return unit.names.groups([alias], as_of=entry.seq).get(alias, (alias,)), entry.seq


def _joined(alias: str, entity: str, groups: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Whom each name belongs to once `alias`, and all it was known by, is a name of what `entity` names."""
    here, there = groups.get(alias, (alias,)), groups.get(entity, (entity,))
    return {} if here[0] == there[0] else dict.fromkeys(here, there[0])


def _apart(alias: str, groups: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The same once `alias` stands alone. If it was the chief name, the next one takes its place."""
    others = [name for name in groups.get(alias, ()) if name != alias]
    if not others:
        return {}
    led = groups[alias][0] == alias
    return {alias: alias, **(dict.fromkeys(others, others[0]) if led else {})}
