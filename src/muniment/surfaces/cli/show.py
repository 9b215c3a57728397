"""Shapes as a person reads them: short lines, tables, and always what to do next. Decides nothing, opens nothing."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from muniment.engine.audit import VerificationState
from muniment.model.form import DisclosureShape
from muniment.surfaces.cli.layout import counted, line, pairs, short, table
from muniment.surfaces.cli.output import plain
from muniment.surfaces.cli.proofs import (
    CheckpointShape,
    EntriesShape,
    FindingShape,
    PolicyCheckShape,
    ReplayShape,
    TrimmedShape,
    VerifiedShape,
)
from muniment.surfaces.cli.shapes import HistoryShape, RevisionShape, StatsShape, VaultShape
from muniment.surfaces.cli.verdicts import QueueShape, VerdictShape

OUTCOMES = {"committed": "bold green", "held": "bold yellow", "refused": "bold red"}
_SUPPORT = {
    "flagged": "something it stands on is in doubt or gone",
    "fallen": "what it stands on is gone",
    "deprecated": "what it stood on ended, and the policy ends it too",
}


def vault(shape: VaultShape) -> RenderableType:
    made = "made a vault at" if shape["created"] else "there is a vault at"
    return Group(
        plain(f"{made} {shape['vault']}, tenant {shape['tenant']}"),
        plain('next: muniment remember "..." --kind observation'),
    )


def verdict(shape: VerdictShape) -> RenderableType:
    outcome = shape["outcome"]
    cited = f"{shape['record_id']}@{shape['revision']}" if shape["record_id"] is not None else shape["proposal_id"]
    lines: list[RenderableType] = [
        Text.assemble((outcome, OUTCOMES[outcome]), plain(f"  {shape['decision']}  {cited}  entry {shape['epoch']}")),
        line("why", f"{shape['reason']} ({shape['rule']})"),
    ]
    lines += [line("redacted", f"{one['what']} in {one['field']}, {one['count']}x") for one in shape["redactions"]]
    lines += [line("echo", f"says again what {name} says: no new evidence") for name in shape["echoes"]]
    lines += [line("conflict", f"{name}; see `muniment conflicts`") for name in shape["conflict_ids"]]
    if outcome == "held":
        lines.append(line("next", f"muniment decide {shape['proposal_id']} accept --reason ..."))
    return Group(*lines)


def confidence(one: DisclosureShape) -> str:
    """What was declared, and what is left of it if that is another number."""
    declared, effective = f"{one['confidence']:.2f}", f"{one['effective_confidence']:.2f}"
    told = declared if declared == effective else f"{declared}, effective {effective}"
    return told if one["confidence_stated"] else f"{told} (not stated)"


def caution(one: DisclosureShape) -> str | None:
    """A warning, if the gate has one. It says what is wrong in words, not only that something is.

    A record that no longer speaks is told of by its status, which is the better answer.
    """
    if one["gate"] == "PASS" or one["status"] not in ("active", "contested"):
        return None
    believed, own = one["effective_confidence"], one["own_confidence"]
    weak = "it stands on something" if believed < own else "it is"
    reason = _SUPPORT.get(one["support"], f"{weak} believed no more than {believed:.2f}")
    care = "treat with care" if one["gate"] == "FLAG" else "kept back from answers"
    return f"{care}: {reason}"


def record(shape: DisclosureShape) -> RenderableType:
    lines: list[RenderableType] = [plain(shape["content"], "bold")]
    if warning := caution(shape):
        lines.append(plain(f"  {warning}", "yellow"))
    return Group(*lines, Padding(pairs(_record_pairs(shape)), (0, 0, 0, 2)))


def _record_pairs(shape: DisclosureShape) -> list[tuple[str, str]]:
    """What is worth a line: everything that was said, nothing that was not."""
    slot = shape["slot"]
    said: list[tuple[str, str | None]] = [
        ("record", shape["citation"]),
        ("status", f"{shape['status']} since entry {shape['since']}"),
        ("replaced by", shape["successor"]),
        ("told as", shape["presented"]),
        ("kind", shape["kind"]),
        ("place", f"{shape['scope']} {shape['scope_id']} {shape['namespace']}"),
        ("session", shape["session_id"]),
        ("confidence", confidence(shape) + (", hedged" if shape["hedged"] else "")),
        ("gate", f"{shape['gate']}, support {shape['support']}"),
        ("outcomes", _outcomes(shape)),
        ("reasoning", shape["reasoning"]),
        ("evidence", ", ".join(shape["evidence"])),
        ("assumes", ", ".join(shape["assumptions"])),
        ("source", shape["source"]),
        ("slot", None if slot is None else f"{slot['subject']} / {slot['key']} = {slot['value']}"),
        ("derived from", ", ".join(shape["derived_from"])),
        ("says again", ", ".join(shape["echoes"])),
        ("parent", shape["parent"]),
        ("supersedes", shape["supersedes"]),
        ("relations", ", ".join(f"{one['type']} {one['id']}" for one in shape["relations"])),
        ("conflicts", ", ".join(shape["conflicts"])),
        ("happened", shape["event_time"]),
        ("valid from", shape["valid_from"]),
        ("valid until", shape["valid_until"]),
        ("expires", shape["expires_at"]),
        ("recorded", shape["created_at"]),
        ("by", f"{shape['actor_type']} {shape['actor']}, trust {shape['trust']}, origin {shape['origin']}"),
        ("reviewed by", shape["reviewer"]),
        ("review again", shape["next_review_at"]),
        ("sensitivity", shape["sensitivity"]),
        ("charter", _charter(shape)),
        ("presence", _presence(shape)),
        ("notices", "; ".join(shape["notices"])),
    ]
    return [(name, text) for name, text in said if text]


def _outcomes(shape: DisclosureShape) -> str | None:
    """How it did so far, once anything is known of it: two pseudo-counts, from which its own confidence is told."""
    if shape["own_confidence"] == shape["confidence"]:
        return None
    return f"alpha {shape['alpha']:g}, beta {shape['beta']:g}: own confidence {shape['own_confidence']:.2f}"


def _charter(shape: DisclosureShape) -> str | None:
    charter = shape["charter"]
    if charter is None:
        return None
    said = {
        "basis": charter["lawful_basis"],
        "access": ", ".join(charter["access"]),
        "erasure": charter["erasure"],
        "kept for days": charter["retention_days"],
        "source": charter["source_quality"],
        "reviewer": charter["reviewer"],
        "barred": ", ".join(charter["barred_scopes"]),
    }
    return "; ".join(f"{name}: {text}" for name, text in said.items() if text)


def _presence(shape: DisclosureShape) -> str:
    """How present it is, as far as that is anything but the usual."""
    hours, told = shape["half_life_hours"], shape["accesses"]
    said = [
        f"{shape['tier']} memory" if shape["tier"] != "working" else "",
        "never fades" if shape["anchored"] else f"half as present after {hours:g} hours" if hours else "",
        f"told {counted(told, 'time', 'times')}" if told else "",
    ]
    return ", ".join(part for part in said if part)


def history(shape: HistoryShape) -> RenderableType:
    parts: list[RenderableType] = [_revision(one) for one in shape["revisions"]]
    if shape["replaced"]:
        parts.append(line("took the place of", ", ".join(shape["replaced"])))
    if shape["replaced_by"]:
        parts.append(line("its place was taken by", ", ".join(shape["replaced_by"])))
    return Group(*parts)


def _revision(one: RevisionShape) -> RenderableType:
    heading = Text.assemble(
        plain(one["citation"], "cyan"), plain(f"  {one['status']}  "), plain(one["content"], "bold")
    )
    rows = [
        [str(event["epoch"]), event["at"], event["actor"], event["what"], event["reason"]] for event in one["events"]
    ]
    return Group(heading, table(("entry", "when", "who", "what", "why"), rows))


def queue(shape: QueueShape) -> RenderableType:
    if not shape["proposals"]:
        return plain("nothing waits")
    rows = [
        [
            one["proposal_id"],
            one["actor"],
            one["kind"],
            f"{one['scope']} {one['scope_id']}",
            short(one["content"]),
            f"{one['reason']}; promotes {one['promotes']}" if one["promotes"] is not None else one["reason"],
        ]
        for one in shape["proposals"]
    ]
    more = [plain(f"more: --after {shape['next']}", "dim")] if shape["next"] is not None else []
    return Group(
        table(("proposal", "from", "kind", "place", "content", "waits because"), rows),
        *more,
        line("next", "muniment decide PROPOSAL accept --reason ..."),
    )


def stats(shape: StatsShape) -> RenderableType:
    hidden = "only for those who may audit"
    told = [("tenant", shape["tenant"]), ("current records", str(shape["current"]))]
    told += [(f"revisions {status}", str(count)) for status, count in shape["revisions"].items()]
    told.append(("open conflicts", str(shape["open_conflicts"])))
    for name, value in (
        ("waiting", shape["held"]),
        ("ledger entries", shape["entries"]),
        ("receipts", shape["receipts"]),
    ):
        told.append((name, hidden if value is None else str(value)))
    for name, size in (
        ("bytes on disk", shape["bytes"]),
        ("of them receipts", shape["receipts_bytes"]),
        ("write-ahead log", shape["wal_bytes"]),
        ("entries without vectors", shape["vectors_trailing"]),
    ):
        told.append((name, hidden if size is None else f"{size:,}"))
    return pairs(told)


def entries(shape: EntriesShape) -> RenderableType:
    rows = [
        [
            str(one["seq"]),
            one["at"],
            one["kind"],
            one["actor"],
            f"{one['outcome'] or ''} {one['disposition'] or ''}".strip(),
            f"{one['record_id']}@{one['revision']}" if one["record_id"] is not None else one["proposal_id"] or "",
        ]
        for one in shape["entries"]
    ]
    return table(("entry", "when", "kind", "who", "outcome", "about"), rows) if rows else plain("no such entries")


def checkpoint(shape: CheckpointShape) -> RenderableType:
    return pairs(
        [
            ("signed", f"entries 1 to {shape['seq']}, receipts 1 to {shape['receipts']}, {shape['at']}"),
            ("head", shape["head"]),
            ("root", shape["root"]),
            ("key", shape["key"]),
            ("signature", shape["signature"]),
        ]
    )


def verified(shape: VerifiedShape) -> RenderableType:
    entries, receipts = counted(shape["entries"], "entry", "entries"), counted(shape["receipts"], "receipt", "receipts")
    checked = f"{entries} and {receipts} checked"
    if shape["ok"]:
        return Text.assemble(("nothing is wrong", "bold green"), plain(f": {checked}"))
    if shape["state"] == VerificationState.RESTORED:
        return Group(
            Text.assemble(("RESTORED", "bold yellow"), plain(f": {checked}; nothing is damaged")),
            *(plain(f"  {one['message']}") for one in shape["findings"]),
            line("next", "keep a new head: `muniment ledger head > head.json`"),
        )
    found = counted(len(shape["findings"]), "finding", "findings")
    return Group(
        Text.assemble(("DAMAGED", "bold red"), plain(f": {checked}, {found}")),
        table(("code", "entry", "record", "what"), [_finding(one) for one in shape["findings"]]),
        line("next", "keep this copy as it is and restore one that verifies"),
    )


def _finding(one: FindingShape) -> list[str]:
    return [one["code"], "" if one["seq"] is None else str(one["seq"]), one["record"] or "", one["message"]]


def rebuilt(shape: ReplayShape) -> RenderableType:
    result = "they were already what the ledger says" if shape["identical"] else "they were different and are now right"
    return plain(f"rebuilt every table from {shape['entries']} entries: {result}")


def trimmed(shape: TrimmedShape) -> RenderableType:
    if shape["dry_run"]:
        return plain(f"{shape['receipts']} receipts would be trimmed; nothing was changed")
    return plain(f"trimmed {shape['receipts']} receipts; they take {shape['saved_bytes']} bytes less")


def policy_check(shape: PolicyCheckShape) -> RenderableType:
    rules = f"{shape['write']} write, {shape['read']} read and {shape['review']} review rules"
    return plain(f"{shape['file']} is a policy: {shape['name']}, {rules}")


def policy_put(shape: PolicyCheckShape) -> RenderableType:
    rules = f"{shape['write']} write, {shape['read']} read and {shape['review']} review rules"
    told = f"{shape['file']} is the vault's policy from its next opening on: {shape['name']}, {rules}"
    return plain(f"{told}. Servers that are running are to be started again.")
