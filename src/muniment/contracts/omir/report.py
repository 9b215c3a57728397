"""The conformance report: its findings, its verdicts and levels, and how a result comes out of what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec
from msgspec import UNSET, UnsetType

from muniment.contracts.finding import Severity
from muniment.contracts.omir.wire import RELEASE
from muniment.model.errors import CallerError
from muniment.model.value import Value

REPORT = "OMIRConformanceReport"
REFERENCE_VERSION = "0.1.0"
"""The version of the reference validator whose verdict `parity` gives."""


class ReportVerdict(StrEnum):
    """Whose judgement is asked for: the reference validator's, or that of the text itself."""

    PARITY = "parity"
    SPEC = "spec"


class Level(StrEnum):
    CORE = "core"
    STRICT = "strict"
    PROFILE = "profile"


class ReportCheck(StrEnum):
    """What a finding is about. `semantics` exists in the spec verdict only."""

    STRUCTURAL = "structural"
    REFERENCES = "referenceIntegrity"
    VERSION = "versionPresence"
    PROFILE = "profile"
    SEMANTICS = "semantics"


class ReportStatus(StrEnum):
    PASS = "pass"
    FAIL = "fail"
    SKIPPED = "skipped"
    UNREADABLE = "unreadable"


class Holder(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The entry a finding is about."""

    index: int
    resource_type: str
    id: str


class ReportNotice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One finding as a report tells it. `sub` says which sort of violation it is, `hint` what to do; the reference
    validator knows neither."""

    code: str
    severity: Severity
    check: ReportCheck
    entry: Holder | UnsetType = UNSET
    path: str
    value: str | UnsetType = UNSET
    message: str
    sub: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class Summary(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    entries_total: int
    entries_by_type: dict[str, int]
    errors: int
    warnings: int
    info: int


class Checks(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    structural: ReportStatus
    reference_integrity: ReportStatus
    version_presence: ReportStatus
    profile: ReportStatus
    semantics: ReportStatus | UnsetType = UNSET


class Report(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What was found in one file, under the keys and in the order of the reference validator. `verdict` is told only
    where it is not the reference's."""

    report: str = msgspec.field(default_factory=lambda: REPORT)
    omir_validate_version: str = msgspec.field(default_factory=lambda: REFERENCE_VERSION)
    schema_release: str = msgspec.field(default_factory=lambda: RELEASE)
    target: str
    level: Level
    result: ReportStatus
    summary: Summary
    checks: Checks
    findings: tuple[ReportNotice, ...]
    core_conformant: bool
    badge_eligible: bool
    verdict: ReportVerdict | UnsetType = UNSET

    @property
    def passed(self) -> bool:
        return self.result is ReportStatus.PASS


class ReportRequest(Value):
    """What a report is asked about: which file, whose verdict, at which level."""

    target: str
    verdict: ReportVerdict
    level: Level


_LEVEL_ONLY = frozenset({"E302", "E400", "E401"})
"""Errors of a level or a profile: a bundle with none but these is still conformant at core."""


def assemble(
    asked: ReportRequest,
    *,
    by_type: dict[str, int],
    total: int,
    findings: Sequence[ReportNotice],
    profiled: bool = False,
) -> Report:
    """The report of what was found, in the order it is given."""
    count = Counter(one.severity for one in findings)
    failed = {one.check for one in findings if one.severity is Severity.ERROR}
    fails = count[Severity.ERROR] > 0 or (asked.level is Level.STRICT and count[Severity.WARNING] > 0)
    core = not any(breaks_core(one, asked.verdict) for one in findings)
    return Report(
        target=asked.target,
        level=asked.level,
        result=ReportStatus.FAIL if fails else ReportStatus.PASS,
        summary=Summary(
            entries_total=total,
            entries_by_type=dict(sorted(by_type.items())),
            errors=count[Severity.ERROR],
            warnings=count[Severity.WARNING],
            info=count[Severity.INFO],
        ),
        checks=_checks(failed, spec=asked.verdict is ReportVerdict.SPEC, profiled=profiled),
        findings=tuple(findings),
        core_conformant=core,
        badge_eligible=core,
        verdict=UNSET if asked.verdict is ReportVerdict.PARITY else asked.verdict,
    )


def breaks_core(one: ReportNotice, verdict: ReportVerdict) -> bool:
    """Whether a finding takes core conformance away. The reference validator forgives a second resource of the same
    id; the text (CR-4) does not."""
    if one.code == "W202":
        return verdict is ReportVerdict.SPEC
    return one.severity is Severity.ERROR and one.code not in _LEVEL_ONLY


def _checks(failed: Iterable[ReportCheck], *, spec: bool, profiled: bool) -> Checks:
    def status(check: ReportCheck) -> ReportStatus:
        return ReportStatus.FAIL if check in failed else ReportStatus.PASS

    return Checks(
        structural=status(ReportCheck.STRUCTURAL),
        reference_integrity=status(ReportCheck.REFERENCES),
        version_presence=status(ReportCheck.VERSION),
        profile=status(ReportCheck.PROFILE) if profiled else ReportStatus.SKIPPED,
        semantics=status(ReportCheck.SEMANTICS) if spec else UNSET,
    )


def unreadable(asked: ReportRequest, error: CallerError) -> Report:
    """The report of a file that is no JSON at all (E000): the reference validator tells it beside its reports only."""
    field = getattr(error, "field", "/")
    told = ReportNotice(
        code="E000",
        severity=Severity.ERROR,
        check=ReportCheck.STRUCTURAL,
        path=field if field.startswith("/") else "/",
        message=str(error),
        hint=error.hint,
    )
    nothing = ReportStatus.SKIPPED
    return Report(
        target=asked.target,
        level=asked.level,
        result=ReportStatus.UNREADABLE,
        summary=Summary(entries_total=0, entries_by_type={}, errors=1, warnings=0, info=0),
        checks=Checks(
            structural=ReportStatus.FAIL, reference_integrity=nothing, version_presence=nothing, profile=nothing
        ),
        findings=(told,),
        core_conformant=False,
        badge_eligible=False,
        verdict=UNSET if asked.verdict is ReportVerdict.PARITY else asked.verdict,
    )
