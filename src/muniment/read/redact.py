"""What an answer says beside its records, without what the caller may not know: hidden successors, unsaid names."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from muniment.model.actor import Actor
from muniment.model.card import standing_of
from muniment.model.query import Disclosure, Query, Searched
from muniment.model.receipt import Account, Terms
from muniment.model.record import Record, RecordState
from muniment.policy.decide import decide_read, decide_review
from muniment.policy.rules import Action, Policy
from muniment.ports.store import Snapshot
from muniment.read.fetch import record_of
from muniment.read.words import words_of


def redacted_answer(
    snapshot: Snapshot, record: str, standing: RecordState, *, policy: Policy, actor: Actor, purpose: str
) -> RecordState:
    """A record's standing, without the name of a successor that the caller may not see."""
    name = standing.successor
    if name in (None, record):
        return standing
    card = snapshot.catalogue.latest([name]).get(name) if name is not None else None
    document = snapshot.documents.get(card.rid) if card is not None else None
    if card is not None and document is not None:
        present = standing_of(card)
        label, status = present.footing.label, present.status
        if decide_read(policy, actor, purpose, record_of(document.body), label, status=status) is not None:
            return standing
    return msgspec.structs.replace(standing, successor=None)


def tellable(
    searched: Searched, bynames: tuple[str, ...], query: Query, told: Iterable[Disclosure], actor: Actor, policy: Policy
) -> Searched:
    """How an answer was sought, without the other names of a thing that neither the question says nor a record that is
    told. Those who may give names know them all."""
    if not bynames or decide_review(policy, actor, Action.NAME, None, None) is not None:
        return searched
    records = [one.record for one in told]
    unsaid = {name for name in bynames if not any(_says(record, name) for record in records)}
    texts = query.attuned.topics if query.attuned is not None else (query.text,)
    said = {word for text in (*texts, *(set(bynames) - unsaid)) for word in words_of(text)}
    hushed = {word for name in unsaid for word in words_of(name)} - said
    return msgspec.structs.replace(
        searched,
        words=tuple(word for word in searched.words if word not in hushed),
        left_out=tuple(word for word in searched.left_out if word not in hushed),
        names=tuple(name for name in searched.names if name not in unsaid),
    )


def _says(record: Record, name: str) -> bool:
    return any(one.key == name for one in record.mentions) or set(words_of(name)) <= set(words_of(record.content))


def own_receipt(account: Account) -> Account:
    """An account as it may be read by whom the answer was for: searched with no more than the answer said."""
    plan, searched = account.plan, account.searched
    terms = Terms(
        words=searched.words,
        phrases=plan.terms.phrases,
        common=searched.left_out,
        names=searched.names,
        pairs=plan.terms.pairs,
    )
    return msgspec.structs.replace(account, plan=msgspec.structs.replace(plan, terms=terms))
