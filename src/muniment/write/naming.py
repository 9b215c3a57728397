"""Give a thing another name. Names are vocabulary of the tenant: every question is read with them."""

from __future__ import annotations

from muniment.model.alias import Alias
from muniment.model.change import ChangeSet, Draft
from muniment.model.entry import EntryKind, Role
from muniment.ports.store import Unit
from muniment.write.commit import commit
from muniment.write.pipeline import Bench, next_place


def give_name(unit: Unit, alias: str, entity: str, actor: str, bench: Bench) -> tuple[tuple[str, ...], int]:
    """Make `alias` another name for what `entity` names, both given as keys; return all its names, and the ledger's
    position. A name given to itself stands alone again; everything that was known by `alias` comes along otherwise."""
    at, head = next_place(unit, bench)
    groups = unit.names.groups([alias, entity], as_of=head.seq)
    chief = entity if alias == entity else groups.get(entity, (entity,))[0]
    others = [name for name in groups.get(alias, ()) if name != chief] if alias != entity else []
    changed = tuple(dict.fromkeys([alias, *others]))
    if all(unit.names.groups([name], as_of=head.seq).get(name, (name,))[0] == chief for name in changed):
        return groups.get(entity, (entity,)), head.seq
    change = ChangeSet(
        kind=EntryKind.NAMED,
        actor=actor,
        at=at,
        position=head.seq,
        policy=bench.policy_doc,
        decided_on=(),
        drafts=tuple(
            Draft(doc=head.last_doc + number, role=Role.ALIAS, value=Alias(alias=name, entity=chief))
            for number, name in enumerate(changed, start=1)
        ),
    )
    entry = commit(unit, change, tenant=bench.tenant, pepper=bench.pepper, ids=bench.ids)
    return unit.names.groups([chief], as_of=entry.seq).get(chief, (chief,)), entry.seq
