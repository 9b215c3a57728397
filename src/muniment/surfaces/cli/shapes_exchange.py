"""What the commands of exchange answer, as the JSON the command line promises. Decides nothing."""

from __future__ import annotations

from typing import TypedDict

from muniment.compat.exchange import CheckedDocument, Fate, Imported
from muniment.contracts.contract import Narrowing
from muniment.contracts.finding import Finding


class ContractFindingShape(TypedDict):
    code: str
    severity: str
    path: str
    message: str


class CheckedDocumentShape(TypedDict):
    file: str
    contract: str
    result: str
    findings: list[ContractFindingShape]


def checked_shape(file: str, checked: CheckedDocument) -> CheckedDocumentShape:
    return {
        "file": file,
        "contract": checked.contract.value,
        "result": checked.result.value,
        "findings": [finding_shape(one) for one in checked.findings],
    }


def finding_shape(finding: Finding) -> ContractFindingShape:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "path": finding.path,
        "message": finding.message,
    }


class NarrowedShape(TypedDict):
    id: str
    path: str
    kept: bool


def narrowed_shape(narrowed: tuple[Narrowing, ...]) -> list[NarrowedShape]:
    return [{"id": one.id, "path": one.path, "kept": one.kept} for one in narrowed]


class LooseShape(TypedDict):
    type: str
    target: str
    why: str


class FateShape(TypedDict):
    number: int
    id: str
    outcome: str
    proposal_id: str | None
    record_id: str | None
    rule: str | None
    reason: str
    duplicate_of: str | None
    conflict_ids: list[str]
    loose: list[LooseShape]


class ImportedShape(TypedDict):
    batch: str
    contract: str
    preview: bool
    committed: int
    held: int
    refused: int
    errors: int
    tenants: list[str]
    memories: list[FateShape]


def imported_shape(imported: Imported) -> ImportedShape:
    return {
        "batch": imported.batch,
        "contract": imported.contract.value,
        "preview": imported.preview,
        "committed": imported.count("committed"),
        "held": imported.count("held"),
        "refused": imported.count("refused"),
        "errors": imported.count("error"),
        "tenants": list(imported.tenants),
        "memories": [_fate_shape(one) for one in imported.fates],
    }


def _fate_shape(fate: Fate) -> FateShape:
    verdict = fate.verdict
    return {
        "number": fate.number,
        "id": fate.id,
        "outcome": fate.outcome,
        "proposal_id": verdict.proposal_id if verdict is not None else None,
        "record_id": verdict.record_id if verdict is not None else None,
        "rule": verdict.rule if verdict is not None else None,
        "reason": verdict.reason if verdict is not None else (fate.error or ""),
        "duplicate_of": verdict.duplicate_of if verdict is not None else None,
        "conflict_ids": list(verdict.conflict_ids) if verdict is not None else [],
        "loose": [{"type": one.type, "target": one.target, "why": one.why} for one in fate.loose],
    }
