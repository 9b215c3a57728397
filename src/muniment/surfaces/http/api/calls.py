"""How the engine is called for each operation: by the keywords that were said, except where a frame is needed."""

from __future__ import annotations

from collections.abc import Callable

from muniment.contracts.registry import ContractName
from muniment.engine import Memory
from muniment.model import checks
from muniment.model.claim import Claim
from muniment.model.errors import NotPermitted
from muniment.model.query import Disclosure
from muniment.model.value import Value
from muniment.operations import OperationSpec, answers
from muniment.operations import bodies as said
from muniment.policy.decide import may_somewhere
from muniment.surfaces.http.api import paging
from muniment.surfaces.http.api.asking import ReadRequest
from muniment.surfaces.http.api.lines import form_of
from muniment.surfaces.http.bodies import JSON
from muniment.surfaces.reception.principal import Grant

Options = dict[str, object]
Call = Callable[[ReadRequest, Options], Value]
_FLUSH_SECONDS = 5.0


def call_of(operation: OperationSpec) -> Call:
    """What an operation comes to."""
    return _FRAMED.get(operation.name) or _plain(operation.name)


def _plain(name: str) -> Call:
    def call(asked: ReadRequest, options: Options) -> Value:
        return _method(asked.memory, name)(**asked.said(), **options)

    return call


def _method(memory: Memory, name: str) -> Callable[..., Value]:
    place, _, last = name.rpartition(".")
    found: Callable[..., Value] = getattr(getattr(memory, place) if place else memory, last)
    return found


def _caller(asked: ReadRequest, _: Options) -> Value:
    visitor = asked.visitor
    return answers.Caller(
        actor=visitor.actor,
        tenant=visitor.tenant,
        grants=tuple(grant.value for grant in visitor.grants),
        credential=visitor.credential,
        agents=visitor.agents,
        may=tuple(action.value for action in may_somewhere(asked.memory.insight.policy, asked.memory.actor)),
    )


def _form(asked: ReadRequest, _: Options) -> Value:
    contract = checks.read_word("contract", asked.places["contract"], ContractName)
    told = asked.memory.get(asked.places["record_id"])
    encoded = form_of(asked.memory, contract, told)
    return answers.Form(
        contract=contract.value,
        media=JSON,
        document=encoded.data.decode(),
        losses=tuple(answers.Loss(path=one.path, kept=one.kept) for one in encoded.narrowed),
    )


def _propose_many(asked: ReadRequest, options: Options) -> Value:
    assert isinstance(asked.body, said.ProposeMany)
    key = options.get("proposal_id")
    claims: list[Claim | tuple[str, Claim]] = []
    for number, one in enumerate(asked.body.proposals, start=1):
        name = one.proposal_id if one.proposal_id is not None or key is None else f"{key}.{number}"
        claims.append(one.claim if name is None else (name, one.claim))
    return answers.Verdicts(verdicts=asked.memory.propose(claims))


def _preview(asked: ReadRequest, _: Options) -> Value:
    assert isinstance(asked.body, said.Preview)
    return answers.Verdicts(verdicts=asked.memory.imports.preview(asked.body.claims))


def _resolve_all(asked: ReadRequest, _: Options) -> Value:
    body = asked.body
    assert isinstance(body, said.ResolveAll)
    settled = asked.memory.review.resolve_all(
        strategy=body.strategy, rationale=body.rationale, dry_run=bool(body.dry_run)
    )
    return answers.ConflictResults(conflicts=settled)


def _apply(asked: ReadRequest, _: Options) -> Value:
    assert isinstance(asked.body, said.Reason)
    return answers.Verdicts(verdicts=asked.memory.imports.apply(asked.places["batch"], reason=asked.body.reason))


def _alias(asked: ReadRequest, _: Options) -> Value:
    assert isinstance(asked.body, said.AliasRequest)
    return answers.AliasNames(names=asked.memory.review.alias(asked.body.name, asked.body.means))


def _detect(asked: ReadRequest, _: Options) -> Value:
    return answers.FoundConflicts(conflict_ids=asked.memory.review.detect(asked.places["record_id"]))


def _namespaces(asked: ReadRequest, _: Options) -> Value:
    return answers.Namespaces(namespaces=asked.memory.insight.namespaces())


def _lookup(asked: ReadRequest, _: Options) -> Value:
    lookup: Callable[..., tuple[Disclosure, ...]] = asked.memory.insight.lookup
    return answers.Occupants(records=lookup(**asked.said()))


def _flush(asked: ReadRequest, _: Options) -> Value:
    assert isinstance(asked.body, said.Flush)
    return asked.memory.flush(timeout=_FLUSH_SECONDS if asked.body.timeout is None else asked.body.timeout)


def _forget_record(asked: ReadRequest, options: Options) -> Value:
    return _method(asked.memory, "forget")(**asked.said(), **options)


def _explain(asked: ReadRequest, _: Options) -> Value:
    """A replay rebuilds the store, which is an auditor's business."""
    spoken = asked.said()
    if spoken.get("replay") and Grant.AUDIT not in asked.visitor.grants:
        raise NotPermitted(asked.visitor.actor.id, f"use this credential to {Grant.AUDIT}")
    return _method(asked.memory, "explain")(**spoken)


def _keys(asked: ReadRequest, _: Options) -> Value:
    return answers.Keys(keys=asked.memory.ledger.keys())


_FRAMED: dict[str, Call] = {
    "caller": _caller,
    "form": _form,
    "propose_many": _propose_many,
    "imports.preview": _preview,
    "imports.apply": _apply,
    "review.alias": _alias,
    "review.detect": _detect,
    "insight.lookup": _lookup,
    "insight.namespaces": _namespaces,
    "flush": _flush,
    "explain": _explain,
    "forget_record": _forget_record,
    "erasure.certificates": paging.certificates,
    "erasure.holds": paging.holds,
    "erasure.tombstones": paging.tombstones,
    "review.resolve_all": _resolve_all,
    "review.quarantined": paging.quarantined,
    "denied": paging.denied,
    "review.queue": paging.queue,
    "insight.browse": paging.browse,
    "review.conflicts": paging.conflicts,
    "insight.directory": paging.directory,
    "ledger.chain": paging.chain,
    "ledger.checkpoints": paging.checkpoints,
    "ledger.entries": paging.entries,
    "ledger.keys": _keys,
    "ledger.receipts": paging.receipts,
    "insight.receipts_of": paging.receipts_of,
}
