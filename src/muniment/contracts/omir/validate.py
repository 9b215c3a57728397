"""Validate a bundle: the verdict of the reference validator, or that of the text of OMIR R1 itself."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.contracts.finding import Finding, Severity
from muniment.contracts.omir.parity import parity
from muniment.contracts.omir.profiles import Claims, Predicates, Profile, r1_profiles
from muniment.contracts.omir.reading import LIMITS, Opened, open_bundle
from muniment.contracts.omir.report import Level, Report, ReportNotice, ReportRequest, ReportVerdict, assemble
from muniment.contracts.omir.scan import Scan
from muniment.contracts.omir.spec import Looker, newer_release, spec
from muniment.contracts.strict.reader import ReaderLimits
from muniment.model.errors import LimitExceeded, Unreadable
from muniment.model.value import Value


class Options(Value):
    """What may be asked beside verdict and level.

    `profiles` are known besides the three of R1; `required` names those that every eligible resource must claim. Either
    asks that every claim be looked into, at any level, as level `profile` does; otherwise a broken claim of a profile
    of R1 is a warning. `tells_drafts`: draft fields of R1.x are told as information.
    """

    profiles: tuple[Profile, ...] = ()
    required: tuple[str, ...] = ()
    predicates: Predicates = Predicates()
    tells_drafts: bool = True
    limits: ReaderLimits = LIMITS


OPTIONS = Options()


def validate(
    data: bytes,
    *,
    verdict: ReportVerdict = ReportVerdict.SPEC,
    level: Level = Level.CORE,
    target: str = "-",
    options: Options = OPTIONS,
) -> Report:
    """Say whether a bundle is as it should be. Raises `Unreadable` (E000) if it is no JSON, and `LimitExceeded`.

    >>> validate(b'{"resourceType": "Bundle", "omirVersion": "R1", "entry": []}').result
    <ReportStatus.PASS: 'pass'>
    """
    asked = ReportRequest(target=target, verdict=verdict, level=level)
    opened = open_bundle(data, options.limits)
    if verdict is ReportVerdict.PARITY:
        scan = Scan(opened)
        return _report(asked, scan, list(parity(opened, scan, level)))
    newer = newer_release(opened.envelope())
    if newer is not None:
        return assemble(asked, by_type={}, total=len(opened.entries or ()), findings=[newer])
    return _by_spec(asked, opened, options)


def _by_spec(asked: ReportRequest, opened: Opened, options: Options) -> Report:
    claims = _claims(asked.level, options)
    looker = Looker(opened, tells_drafts=options.tells_drafts, claims=claims)
    scan = Scan(opened, looker)
    return _report(asked, scan, spec(opened, scan, looker, asked.level), profiled=claims.asked)


def _report(asked: ReportRequest, scan: Scan, found: Sequence[ReportNotice], *, profiled: bool = False) -> Report:
    return assemble(asked, by_type=scan.by_type, total=len(scan.holders), findings=found, profiled=profiled)


def _claims(level: Level, options: Options) -> Claims:
    named = bool(options.profiles or options.required)
    return Claims(
        (*r1_profiles(), *options.profiles),
        required=options.required,
        asked=named or level is Level.PROFILE,
        every=named,
        predicates=options.predicates,
    )


def findings(data: bytes) -> tuple[Finding, ...]:
    """Everything the spec verdict at core level finds, as findings of any contract. E000: it cannot be read."""
    try:
        report = validate(data)
    except (Unreadable, LimitExceeded) as error:
        path = error.field if error.field.startswith("/") else f"/{error.field}"
        return (Finding(code="E000", severity=Severity.ERROR, path=path, message=str(error)),)
    return tuple(
        Finding(code=one.code, severity=one.severity, path=one.path, message=one.message) for one in report.findings
    )
