"""What is wrong with a document: one finding each, with a stable code, how grave it is, and where."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from muniment.model.errors import CallerError, LimitExceeded, Malformed, Unreadable
from muniment.model.value import Value


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Finding(Value):
    """One thing found in a document. `path` is a JSON pointer; `/` is the document itself."""

    code: str
    severity: Severity
    path: str
    message: str


def passes(findings: Iterable[Finding]) -> bool:
    """Whether nothing found is an error."""
    return all(finding.severity is not Severity.ERROR for finding in findings)


def finding_of(error: CallerError) -> Finding:
    """An error that a reader or a decoder raised, as a finding."""
    where = error.field if isinstance(error, (Malformed, Unreadable, LimitExceeded)) else "/"
    path = where if where.startswith("/") else f"/{where}"
    return Finding(code=error.code, severity=Severity.ERROR, path=path, message=str(error))
