"""The verdict of the reference validator 0.1.0: its codes, severities, paths and order, nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET, UnsetType

from muniment.contracts.finding import Severity
from muniment.contracts.omir.explain import as_counted, envelope_violations
from muniment.contracts.omir.quoting import quoted
from muniment.contracts.omir.reading import Opened
from muniment.contracts.omir.references import References
from muniment.contracts.omir.report import Holder, Level, ReportCheck, ReportNotice
from muniment.contracts.omir.scan import Bad, Scan, Unversioned
from muniment.contracts.omir.wire import RELEASE
from muniment.contracts.strict.pointer import ROOT
from muniment.contracts.strict.values import Json, JsonObject


def parity(opened: Opened, scan: Scan, level: Level) -> Iterator[ReportNotice]:
    """All findings, in the order of the reference validator."""
    envelope = opened.envelope()
    yield from envelope_findings(opened, envelope)
    yield from (_no_object(bad.index) for bad in scan.bad if bad.value is None)
    yield from type_findings(envelope)
    for bad in scan.bad:
        yield from entry_findings(scan, bad)
    for index in scan.repeated:
        yield repeated(scan, index, Severity.ERROR if level is Level.STRICT else Severity.WARNING)
    yield from References(scan).unresolved(scan.links)
    yield from release_findings(envelope)
    for one in scan.unversioned:
        yield version_finding(scan, one, level)


def envelope_findings(opened: Opened, envelope: JsonObject) -> Iterator[ReportNotice]:
    """E110: the shape of the envelope."""
    if not opened.is_object:
        yield told("E110", ReportCheck.STRUCTURAL, ROOT, "expected an object")
        return
    entry: Json = []
    if "entry" in opened.fields and opened.entries is None:
        entry = opened.json(opened.fields["entry"], 1)
    found = envelope_violations(envelope, entry=entry, has_entry="entry" in opened.fields)
    for one in as_counted(found, envelope, ROOT):
        yield told("E110", ReportCheck.STRUCTURAL, one.path, one.message)


def type_findings(envelope: JsonObject) -> Iterator[ReportNotice]:
    """E111: the type of the bundle."""
    said = envelope.get("resourceType")
    if said != "Bundle":
        yield told("E111", ReportCheck.STRUCTURAL, "/resourceType", 'expected "Bundle"', value=_shown(said))


def release_findings(envelope: JsonObject) -> Iterator[ReportNotice]:
    """E300: the release of the bundle."""
    said = envelope.get("omirVersion")
    if said != RELEASE:
        what = f'expected "{RELEASE}"'
        yield told("E300", ReportCheck.VERSION, "/omirVersion", what, value=_shown(said))


def _no_object(index: int) -> ReportNotice:
    return told("E110", ReportCheck.STRUCTURAL, f"/entry/{index}", "expected an object")


def entry_findings(scan: Scan, bad: Bad) -> Iterator[ReportNotice]:
    """E100, E101, E120: the shape of one entry."""
    path = f"/entry/{bad.index}"
    if bad.value is None:
        yield told("E100", ReportCheck.STRUCTURAL, path, "an entry must be an object")
    elif bad.kind is None:
        yield unknown_type(scan, bad)
    else:
        holder = scan.holder(bad.index)
        for one in as_counted(bad.violations, bad.value, path):
            yield told("E120", ReportCheck.STRUCTURAL, one.path, f"{bad.kind}: {one.message}", entry=holder)


def unknown_type(scan: Scan, bad: Bad) -> ReportNotice:
    assert bad.value is not None
    said = bad.value.get("resourceType")
    what = "expected MemoryRecord, Entity, Relationship or Episode"
    path = f"/entry/{bad.index}/resourceType"
    return told("E101", ReportCheck.STRUCTURAL, path, what, entry=scan.holder(bad.index), value=_shown(said))


def repeated(scan: Scan, index: int, severity: Severity) -> ReportNotice:
    """W202: a second resource of the same type and id."""
    kind, id_ = scan.holders[index]
    return ReportNotice(
        code="W202",
        severity=severity,
        check=ReportCheck.REFERENCES,
        entry=scan.holder(index),
        path=f"/entry/{index}/id",
        value=id_,
        message=f"another {kind} before this one is called {quoted(id_)} too: what refers to it may mean either",
    )


def version_finding(scan: Scan, one: Unversioned, level: Level) -> ReportNotice:
    """E301, E302, I302: an entry that does not say that it is of R1."""
    path, holder = f"/entry/{one.index}", scan.holder(one.index)
    if one.has_meta:
        what = f'a meta block must say omirVersion "{RELEASE}"'
        value = UNSET if one.found is None else one.found
        return told("E301", ReportCheck.VERSION, f"{path}/meta/omirVersion", what, entry=holder, value=value)
    if level is Level.STRICT:
        what = f'every entry must have a meta block with omirVersion "{RELEASE}"'
        return told("E302", ReportCheck.VERSION, f"{path}/meta", what, entry=holder)
    return ReportNotice(
        code="I302",
        severity=Severity.INFO,
        check=ReportCheck.VERSION,
        entry=holder,
        path=path,
        message=f'no meta block says that the entry is of "{RELEASE}"',
    )


def told(
    code: str,
    check: ReportCheck,
    path: str,
    message: str,
    *,
    entry: Holder | UnsetType = UNSET,
    value: str | UnsetType = UNSET,
) -> ReportNotice:
    """An error."""
    return ReportNotice(
        code=code, severity=Severity.ERROR, check=check, entry=entry, path=path, value=value, message=message
    )


def _shown(said: Json) -> str | UnsetType:
    return said if isinstance(said, str) else UNSET
