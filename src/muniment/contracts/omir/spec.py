"""The verdict of the text of OMIR R1: what the reference validator finds, and what it lets pass."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import UNSET, Raw, UnsetType

from muniment.contracts.finding import Severity
from muniment.contracts.omir import parity
from muniment.contracts.omir.codes import CODES
from muniment.contracts.omir.explain import Violation, envelope_violations
from muniment.contracts.omir.profiles import Claims
from muniment.contracts.omir.reading import ENTRY_DEPTH, Opened, tokens
from muniment.contracts.omir.references import References
from muniment.contracts.omir.repeats import repeats
from muniment.contracts.omir.report import Level, ReportCheck, ReportNotice
from muniment.contracts.omir.scan import Bad, Link, Scan
from muniment.contracts.omir.semantics import DRAFT, doubts
from muniment.contracts.omir.wire import (
    CANONICAL_CONTEXT,
    DRAFT_FIELDS,
    Extension,
    Interference,
    MemoryRecord,
    Relationship,
    Resource,
)
from muniment.contracts.strict.pointer import below
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import json_decoder

PARENTS_MAX = 100
SUM_TOLERANCE = 1e-6

_NEWER = re.compile(r"R(?:[2-9]|[1-9][0-9]+)", re.ASCII)
_SEVERITIES = {"E": Severity.ERROR, "W": Severity.WARNING, "I": Severity.INFO}
_AT_ONCE = 256
_encode = msgspec.json.Encoder().encode


class _Fan:
    """The normalised strengths of one group of edges: their sum so far, and the last edge."""

    __slots__ = ("last", "sum")

    def __init__(self) -> None:
        self.sum = 0.0
        self.last = 0


class Looker:
    """Looks at each entry during the pass, and keeps what is to be told afterwards."""

    def __init__(self, opened: Opened, *, tells_drafts: bool, claims: Claims) -> None:
        self._opened = opened
        self._waiting: list[Resource] = []
        self._tokens = 0
        self._repeats_within = False
        self.tells_drafts = tells_drafts
        self.claims = claims
        self.doubts: list[tuple[int, str, str, str]] = []
        self.competitors: list[Link] = []
        self.fans: dict[tuple[str, str, str], _Fan] = {}
        self.profiled: list[tuple[int, Raw]] = []

    def __call__(self, index: int, one: Resource | None, raw: Raw) -> None:
        if one is None:
            self._tokens += tokens(_encode(self._opened.json(raw, ENTRY_DEPTH)))
            return
        self._waiting.append(one)
        if len(self._waiting) == _AT_ONCE:
            self._count()
        if found := doubts(one):
            self.doubts += [(index, *doubt) for doubt in found]
        if one.extension is not UNSET:
            self._within(one.extension)
        if isinstance(one, MemoryRecord):
            if one.interference is not UNSET:
                self._competitors(index, one.id, one.interference)
        elif isinstance(one, Relationship) and one.normalized_strength is not UNSET:
            self._fan(index, one, one.normalized_strength)
        if self.claims.asked or (one.meta is not UNSET and one.meta.profile is not UNSET):
            self.profiled.append((index, raw))

    def repeats_keys(self) -> bool:
        """Whether some key of the bundle is said twice; see `tokens`."""
        self._count()
        opened = self._opened
        if not opened.is_object:
            return _repeats(Raw(opened.data), opened)
        others = [raw for name, raw in opened.fields.items() if name != "entry" or opened.entries is None]
        read = 2 * len(opened.fields) + self._tokens + sum(tokens(bytes(raw)) for raw in others)
        return self._repeats_within or read != tokens(opened.data) or any(_repeats(raw, opened) for raw in others)

    def _count(self) -> None:
        """Write again what was read. A list of resources has no quotation marks of its own."""
        self._tokens += tokens(_encode(self._waiting))
        self._waiting.clear()

    def _within(self, extensions: list[Extension]) -> None:
        """The value of an extension is carried as it is written, so it is looked into by itself."""
        for one in extensions:
            if one.value_json is not UNSET and _repeats(one.value_json, self._opened):
                self._repeats_within = True

    def _competitors(self, index: int, id_: str, interference: Interference) -> None:
        others = interference.competes_with
        for number, other in enumerate(() if others is UNSET else others):
            place = f"interference/competesWith/{number}/ref"
            if other.ref == f"MemoryRecord/{id_}":
                self.doubts.append((index, "W205", place, "the record competes with itself"))
            else:
                self.competitors.append((index, place, other.ref, "MemoryRecord"))

    def _fan(self, index: int, one: Relationship, strength: float) -> None:
        norm = one.normalization
        if norm is UNSET or norm.scheme is UNSET or norm.scheme == "none" or norm.over is UNSET:
            return
        node = one.from_.ref if norm.over == "source" else one.to.ref
        fan = self.fans.setdefault((norm.scheme, norm.over, node), _Fan())
        fan.sum += strength
        fan.last = index


def _repeats(raw: Raw, opened: Opened) -> bool:
    text = bytes(raw)
    return b"{" in text and tokens(text) != tokens(_encode(opened.json(raw, 0)))


def newer_release(envelope: JsonObject) -> ReportNotice | None:
    """The one finding of a bundle of a release after ours: nothing else in it can be judged."""
    said = envelope.get("omirVersion")
    if not isinstance(said, str) or _NEWER.fullmatch(said) is None:
        return None
    what = f"release {said} is newer than R1; nothing else in the bundle was looked at"
    return _told("E300", ReportCheck.VERSION, "/omirVersion", what, value=said)


def spec(opened: Opened, scan: Scan, looker: Looker, level: Level) -> list[ReportNotice]:
    """All findings, in the order of the entries, each once."""
    envelope = opened.envelope()
    found = [
        *_envelope(opened, envelope, tells_drafts=looker.tells_drafts),
        *(one for bad in scan.bad for one in _entry(scan, bad)),
        *(parity.repeated(scan, index, Severity.ERROR) for index in scan.repeated),
        *_references(scan, looker),
        *_ancestors(scan),
        *_versions(scan, level),
        *_doubts(scan, looker),
        *_fans(scan, looker),
        *_profiles(scan, looker),
        *_repeated_keys(opened, looker),
    ]
    return _in_order(found)


def _envelope(opened: Opened, envelope: JsonObject, *, tells_drafts: bool) -> Iterator[ReportNotice]:
    if not opened.is_object:
        yield from parity.envelope_findings(opened, envelope)
    else:
        entry: Json = []
        if "entry" in opened.fields and opened.entries is None:
            entry = opened.json(opened.fields["entry"], 1)
        for one in envelope_violations(envelope, entry=entry, has_entry="entry" in opened.fields):
            yield _violated("E110", one, one.message)
    yield from parity.type_findings(envelope)
    yield from parity.release_findings(envelope)
    context = envelope.get("@context")
    if isinstance(context, str) and context != CANONICAL_CONTEXT:
        what = f"expected {CANONICAL_CONTEXT}, or an object that includes it"
        yield _told("W501", ReportCheck.SEMANTICS, "/@context", what, value=context)
    sketch = envelope.get("familiaritySketch")
    if isinstance(sketch, dict):
        yield from _sketch(sketch)
    for name in DRAFT_FIELDS["Bundle"]:
        if tells_drafts and name in envelope:
            yield _told(DRAFT, ReportCheck.SEMANTICS, f"/{name}", f"{name} is a draft field of R1.x")


def _sketch(sketch: JsonObject) -> Iterator[ReportNotice]:
    text, bits = sketch.get("data"), sketch.get("bits")
    if not isinstance(text, str) or not isinstance(bits, int):
        return
    path = "/familiaritySketch/data"
    try:
        size = len(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        yield _told("W560", ReportCheck.SEMANTICS, path, "expected base64")
        return
    if sketch.get("kind") == "bloom" and size != math.ceil(bits / 8):
        what = f"{bits} bits take {math.ceil(bits / 8)} bytes; there are {size}"
        yield _told("W560", ReportCheck.SEMANTICS, path, what)


def _entry(scan: Scan, bad: Bad) -> Iterator[ReportNotice]:
    path, holder = f"/entry/{bad.index}", scan.holder(bad.index)
    if bad.value is None:
        yield _told("E100", ReportCheck.STRUCTURAL, path, "an entry must be an object", scan=scan, index=bad.index)
    elif bad.kind is None:
        yield parity.unknown_type(scan, bad)
    else:
        for one in bad.violations:
            if one.sub == "together":
                where = below(path, "normalizedStrength")
                what = "a normalizedStrength needs its normalization"
                yield _told("E251", ReportCheck.REFERENCES, where, what, scan=scan, index=bad.index)
            else:
                told = _violated("E120", one, f"{bad.kind}: {one.message}")
                yield msgspec.structs.replace(told, entry=holder)


def _violated(code: str, one: Violation, message: str) -> ReportNotice:
    return ReportNotice(
        code=code,
        severity=Severity.ERROR,
        check=ReportCheck.STRUCTURAL,
        path=one.path,
        value=UNSET if one.value is None else one.value,
        message=message,
        sub=one.sub,
    )


def _references(scan: Scan, looker: Looker) -> Iterator[ReportNotice]:
    references = References(scan)
    wrong = {bad.index for bad in scan.bad}
    yield from references.unresolved([*scan.links, *looker.competitors])
    named = {link[2] for link in scan.links}
    for kind, code, what in (
        ("Entity", "I206", "nothing in the bundle refers to this entity"),
        ("Episode", "I207", "nothing in the bundle was derived from this episode"),
    ):
        for ref in sorted(references.known[kind] - named):
            index = scan.ids[kind][ref.partition("/")[2]]
            if index not in wrong:
                yield _told(code, ReportCheck.SEMANTICS, f"/entry/{index}", what, scan=scan, index=index)


def _ancestors(scan: Scan) -> Iterator[ReportNotice]:
    """Records that are their own ancestors, and records with too many. What has no id is nobody's ancestor, and of two
    records of one id the first counts."""
    named = scan.ids["MemoryRecord"]
    above = {
        id_: ref.partition("/")[2]
        for index, where, ref, _ in scan.links
        if where == "parentId" and named.get(id_ := scan.holders[index][1]) == index
    }
    depth: dict[str, int] = {}
    for start in above:
        way: dict[str, None] = {}
        one = start
        while one in above and one not in depth and one not in way:
            way[one] = None
            one = above[one]
        if one in way:
            circle = list(way)[list(way).index(one) :]
            yield from _circle(scan, circle)
            depth.update(dict.fromkeys(circle, 0))
        for name in reversed(way):
            if name not in depth:
                depth[name] = depth.get(above[name], 0) + 1
                if depth[name] == PARENTS_MAX + 1:
                    yield _of_parent(scan, name, "W204", f"the record has more than {PARENTS_MAX} ancestors")


def _circle(scan: Scan, circle: list[str]) -> Iterator[ReportNotice]:
    alone = len(circle) == 1
    for name in circle:
        what = "the record is its own parent" if alone else f"the record is its own ancestor, {len(circle)} steps up"
        told = _of_parent(scan, name, "E203", what)
        yield msgspec.structs.replace(told, sub="self" if alone else "cycle")


def _of_parent(scan: Scan, name: str, code: str, what: str) -> ReportNotice:
    index = scan.ids["MemoryRecord"][name]
    return _told(code, ReportCheck.REFERENCES, f"/entry/{index}/parentId", what, scan=scan, index=index)


def _versions(scan: Scan, level: Level) -> Iterator[ReportNotice]:
    """What entries do not say of their release; nothing of an entry that cannot be taken for one of ours."""
    strangers = {bad.index for bad in scan.bad if bad.kind is None}
    for one in scan.unversioned:
        if one.index not in strangers:
            yield parity.version_finding(scan, one, level)


def _doubts(scan: Scan, looker: Looker) -> Iterator[ReportNotice]:
    for index, code, place, message in looker.doubts:
        if code == DRAFT and not looker.tells_drafts:
            continue
        check = ReportCheck.REFERENCES if code == "W205" else ReportCheck.SEMANTICS
        yield _told(code, check, f"/entry/{index}/{place}", message, scan=scan, index=index)


def _fans(scan: Scan, looker: Looker) -> Iterator[ReportNotice]:
    for (scheme, over, node), fan in looker.fans.items():
        if fan.sum > 1 + SUM_TOLERANCE:
            what = f"the strengths of {node} ({scheme} over {over}) sum to {fan.sum:.6g}"
            path = f"/entry/{fan.last}/normalizedStrength"
            yield _told("E250", ReportCheck.REFERENCES, path, what, scan=scan, index=fan.last)


def _profiles(scan: Scan, looker: Looker) -> Iterator[ReportNotice]:
    """Claims that are not kept. Where nobody asked for profiles, a claim that is broken is a warning, and what is only
    recommended is left alone."""
    claims = looker.claims
    labels = _labels(scan) if looker.profiled else {}
    for index, raw in looker.profiled:
        for breach in claims.breaches(msgspec.json.decode(raw), labels):
            path = f"/entry/{index}/{breach.place}".rstrip("/")
            told = _told(
                breach.code, ReportCheck.PROFILE, path, breach.message, scan=scan, index=index, value=breach.value
            )
            if claims.asked:
                yield told
            elif told.severity is Severity.ERROR:
                yield msgspec.structs.replace(told, severity=Severity.WARNING)


class _Labelled(msgspec.Struct, gc=False):
    id: str
    labels: list[str] | UnsetType = UNSET


_labelled = json_decoder(_Labelled)


def _labels(scan: Scan) -> dict[str, frozenset[str]]:
    """The labels of every entity that is as it should be, by its id."""
    wrong = {bad.index for bad in scan.bad}
    entries = scan.opened.entries or []
    sound = [entries[index] for index, (kind, _) in enumerate(scan.holders) if kind == "Entity" and index not in wrong]
    return {one.id: frozenset(one.labels) for one in map(_labelled.decode, sound) if one.labels is not UNSET}


def _repeated_keys(opened: Opened, looker: Looker) -> Iterator[ReportNotice]:
    """Keys said twice. Which of the two counts is up to the reader, so such a bundle says no one thing; whoever decodes
    it is refused."""
    if not looker.repeats_keys():
        return
    for one in repeats(opened.data):
        where = [f"line {line}, column {column}" for line, column in (one.first, one.again)]
        yield _told("E500", ReportCheck.STRUCTURAL, one.path, f"the key is said at {where[0]}, and again at {where[1]}")


def _told(
    code: str,
    check: ReportCheck,
    path: str,
    message: str,
    *,
    scan: Scan | None = None,
    index: int = 0,
    value: str | UnsetType = UNSET,
) -> ReportNotice:
    """A finding of the severity its code begins with."""
    return ReportNotice(
        code=code,
        severity=_SEVERITIES[code[0]],
        check=check,
        entry=UNSET if scan is None else scan.holder(index),
        path=path,
        value=value,
        message=message,
    )


def _in_order(found: Iterable[ReportNotice]) -> list[ReportNotice]:
    """Each finding once, by entry, then by path and code; each with what to do."""
    once: dict[tuple[str, str, str], ReportNotice] = {}
    for one in found:
        once.setdefault((one.code, one.path, one.message), one)
    ordered = sorted(once.values(), key=_rank)
    return [
        one if one.hint is not UNSET else msgspec.structs.replace(one, hint=CODES[one.code].hint) for one in ordered
    ]


def _rank(one: ReportNotice) -> tuple[int, str, str, str]:
    return (-1 if isinstance(one.entry, UnsetType) else one.entry.index), one.path, one.code, one.message
