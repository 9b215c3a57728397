"""What is erased, held, withdrawn or kept apart, as a person reads it. Decides nothing, opens nothing."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from muniment.surfaces.cli.layout import Branch, Hanging, counted, grow, line, pairs, short, table
from muniment.surfaces.cli.output import plain
from muniment.surfaces.cli.shapes_guard import (
    CertificateShape,
    CertificatesShape,
    CheckedCertificateShape,
    DoomedShape,
    ErasurePlanShape,
    HoldShape,
    HoldsShape,
    QuarantineShape,
    SignedCertificateShape,
    TracesShape,
    WithdrawalShape,
)
from muniment.surfaces.cli.show import verdict

_FATES = {"erased": "bold red", "redacted": "bold yellow", "reviewed": "bold yellow", "kept": "green"}
_WORDS = {"erased": "is erased", "redacted": "loses what it took over", "reviewed": "waits for a look", "kept": "stays"}
_MARKS = {True: ("yes", "green"), False: ("NO", "bold red"), None: ("not looked at", "dim")}
_TOP = ""


def plan(shape: ErasurePlanShape) -> RenderableType:
    """The plan of an erasure as a tree: what goes, what goes with it, what stays, and why."""
    end = "it cannot be done while a hold stands" if shape["holds"] else "nothing was changed"
    return Group(*_planned(shape), plain(f"  this is a plan: {end}", "dim"))


def asked(shape: ErasurePlanShape) -> RenderableType:
    """The same before the question whether it shall be done."""
    return Group(*_planned(shape))


def _planned(shape: ErasurePlanShape) -> Iterator[RenderableType]:
    nodes = {node["id"]: node for node in shape["nodes"]}
    yield Text.assemble(("erase", "bold red"), plain(f"  by {shape['by']}; what was derived: {shape['derived']}"))
    if not nodes:
        yield plain("  no record is reached", "dim")
    under: dict[str, list[str]] = {}
    for node in shape["nodes"]:
        for above in [one for one in node["under"] if one in nodes] or [_TOP]:
            under.setdefault(above, []).append(node["id"])
    held = {name: one["hold"] for one in shape["holds"] for name in one["records"]}
    for branch in grow(_TOP, under):
        yield _doomed(branch, nodes[branch.name], held.get(branch.name))
    if summed := _summed(shape):
        yield plain(f"  {summed}")
    yield from _lost(shape["traces"], "loses its words", "lose their words")
    if unsure := _unsure(shape):
        yield line("probable", unsure)
    for one in shape["holds"]:
        kept = counted(len(one["records"]) + len(one["proposals"]), "thing", "things")
        yield line("on hold", f"{one['hold']} keeps {kept}: {one['reason']}")


def _doomed(branch: Branch, node: DoomedShape, hold: str | None) -> Hanging:
    body = Text.assemble(plain(node["id"], "cyan"), "  ", (_WORDS[node["fate"]], _FATES[node["fate"]]))
    if branch.again:
        body.append("  see above", "dim")
    else:
        revisions = f"  {counted(node['revisions'], 'revision', 'revisions')}" if node["revisions"] > 1 else ""
        body.append_text(plain(f"{revisions}  {node['why']}"))
        if node["certainty"] == "probable":
            body.append_text(plain("  PROBABLE", "bold yellow"))
        if hold is not None:
            body.append_text(plain(f"  ON HOLD {hold}", "bold yellow"))
    return Hanging(f"  {branch.drawn}", f"  {branch.beside}", body)


def _summed(shape: ErasurePlanShape) -> str:
    parts = [(shape["erased"], "erased"), (shape["redacted"], "redacted"), (shape["reviewed"], "to be looked at")]
    told = ", ".join(f"{count:,} {word}" for count, word in parts if count)
    kept = f"{shape['kept']:,} kept" if shape["kept"] else ""
    nothing = "" if any(shape["traces"].values()) else "nothing to erase"
    return "; ".join(part for part in (told, kept) if part) or nothing


def _unsure(shape: ErasurePlanShape) -> str:
    """How to have erased what only may be meant."""
    maybe = sum(1 for node in shape["nodes"] if node["certainty"] == "probable" and node["fate"] == "kept")
    told = [
        counted(count, one, many)
        for count, one, many in (
            (maybe, "record", "records"),
            (shape["traces"]["probable"], "waiting proposal", "waiting proposals"),
        )
        if count
    ]
    return f"{' and '.join(told)} may be meant and stay: --include-probable erases them too" if told else ""


def _lost(traces: TracesShape, one: str, many: str) -> Iterator[Text]:
    """What else goes, as far as there is any."""
    if traces["proposals"]:
        yield line("waiting", f"{counted(traces['proposals'], 'proposal goes', 'proposals go')} too")
    for count, name, names in (
        (traces["receipts"], "receipt", "receipts"),
        (traces["reports"], "report", "reports"),
        (traces["notes"], "note", "notes"),
    ):
        if count:
            yield line(names, f"{counted(count, name, names)} {one if count == 1 else many}")
    if traces["names"]:
        yield line("names", f"{counted(traces['names'], 'name that was given goes', 'names that were given go')} too")


def erased(shape: SignedCertificateShape) -> RenderableType:
    """What was done, shortly, and where the certificate is."""
    told = shape["certificate"]
    counts = told["counts"]
    heading = (
        f"  {counted(counts['records'], 'record', 'records')}, "
        f"{counted(counts['revisions'], 'revision', 'revisions')}{_waited(counts['proposals'])}  entry {told['seq']}"
    )
    lines = [Text.assemble(("erased", "bold red"), plain(heading)), line("why", told["reason"])]
    if counts["redacted"]:
        lines.append(line("redacted", ", ".join(told["redacted"])))
    if counts["reviewed"]:
        lines.append(line("to be looked at", ", ".join(told["reviewed"])))
    lines.append(line("certificate", told["id"]))
    lines.append(line("next", f"muniment certificate show {told['id']} --json > certificate.json"))
    return Group(*lines)


def _waited(proposals: int) -> str:
    return f", {counted(proposals, 'waiting proposal', 'waiting proposals')}" if proposals else ""


def certificate(shape: SignedCertificateShape) -> RenderableType:
    told = shape["certificate"]
    rows = [
        ("certificate", told["id"]),
        ("erased", f"{', '.join(told['erased']) or 'no record'} ({_taken(told)})"),
        ("redacted", ", ".join(told["redacted"]) or "-"),
        ("to be looked at", ", ".join(told["reviewed"]) or "-"),
        ("by whom", f"{told['actor']} of tenant {told['tenant']}"),
        ("when", told["at"]),
        ("why", told["reason"]),
        ("asked for", f"by {told['by']}, as committed to by {told['digest']}"),
        ("in the ledger", f"entry {told['seq']}, {told['entry']}"),
        ("signed by", told["key"]),
        ("signature", shape["signature"]),
    ]
    return pairs(rows)


def _taken(told: CertificateShape) -> str:
    counts = told["counts"]
    beside = ((counts["proposals"], "proposals"), (counts["reports"], "reports"), (counts["receipts"], "receipts"))
    more = [f"{count:,} {name}" for count, name in (*beside, (counts["notes"], "notes"), (counts["names"], "names"))]
    return ", ".join([counted(counts["revisions"], "revision", "revisions"), *more])


def certificates(shape: CertificatesShape) -> RenderableType:
    if not shape["certificates"]:
        return plain("nothing was erased")
    rows = [
        [
            told["id"],
            told["at"],
            told["actor"],
            told["by"],
            str(told["counts"]["records"]),
            str(told["seq"]),
            told["reason"],
        ]
        for told in (one["certificate"] for one in shape["certificates"])
    ]
    return table(("certificate", "when", "who", "by", "records", "entry", "why"), rows)


def checked(shape: CheckedCertificateShape) -> RenderableType:
    """What was checked of a certificate, and what came of it."""
    verdict_ = ("genuine", "bold green") if shape["genuine"] else ("NOT GENUINE", "bold red")
    after = "  the ledger was put back to before it" if shape["state"] == "restored" else ""
    lines: list[RenderableType] = [Text.assemble(verdict_, plain(f"  {shape['id']}{after}"))]
    lines += (
        Text.assemble("  ", _MARKS[one["holds"]], plain(f"  {one['what']}{': ' if one['note'] else ''}{one['note']}"))
        for one in shape["checks"]
    )
    return Group(*lines)


def hold(shape: HoldShape) -> RenderableType:
    return Group(
        Text.assemble(("held", "bold yellow"), plain(f"  {shape['id']}  by {shape['by']}: {shape['value']}")),
        line("why", shape["reason"]),
        line("lift it", f"muniment hold lift {shape['id']} --reason ..."),
    )


def lifted(shape: HoldShape) -> RenderableType:
    return plain(f"lifted: {shape['id']}, by {shape['by']}: {shape['value']}")


def holds(shape: HoldsShape) -> RenderableType:
    if not shape["holds"]:
        return plain("no hold stands")
    rows = [[one["id"], one["by"], one["value"], one["actor"], one["at"], one["reason"]] for one in shape["holds"]]
    return table(("hold", "by", "what", "who", "since", "why"), rows)


def withdrawal(shape: WithdrawalShape) -> RenderableType:
    """What was taken back, or would be, and who was told of it."""
    if shape["verdict"] is None:
        return Group(to_withdraw(shape), plain("  this is a plan: nothing was changed", "dim"))
    return Group(verdict(shape["verdict"]), *_withdrawn(shape))


def to_withdraw(shape: WithdrawalShape) -> RenderableType:
    """The same before the question whether it shall be done."""
    heading = Text.assemble(("withdraw", "bold red"), plain(f"  by {shape['by']}: {shape['value']}"))
    return Group(heading, *_withdrawn(shape))


def _withdrawn(shape: WithdrawalShape) -> Iterator[RenderableType]:
    for name, found in (
        ("taken back", shape["records"]),
        ("judged anew", shape["judged"]),
        ("look at", shape["followed"]),
        ("not put back", shape["replaced"]),
        ("no longer wait", shape["dismissed"]),
    ):
        if found:
            yield line(name, f"{len(found):,}: {', '.join(found)}")
    if not shape["records"] and not shape["dismissed"]:
        yield plain("  nothing of it is in force", "dim")
    if shape["receipts"]:
        yield plain(f"  it was told by {counted(len(shape['receipts']), 'receipt', 'receipts')}:")
        rows = [
            [one["receipt_id"], one["at"], one["actor"], one["purpose"], str(len(one["records"]))]
            for one in shape["receipts"]
        ]
        yield table(("receipt", "when", "to whom", "what for", "records"), rows)


def quarantine(shape: QuarantineShape) -> RenderableType:
    if not shape["records"]:
        return plain("no record is kept apart that you may review")
    rows = [
        [one["citation"], one["actor"], one["origin"], one["kind"], short(one["content"])] for one in shape["records"]
    ]
    after = line("next", "muniment quarantine release ID --reason ..., or muniment retract ID --reason ...")
    return Group(table(("record", "from", "origin", "kind", "content"), rows), after)
