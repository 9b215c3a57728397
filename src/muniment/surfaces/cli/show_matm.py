"""What the MATM commands answer, for a person."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from muniment.contracts.strict.values import Json, JsonObject
from muniment.surfaces.cli.layout import counted, line, short, table
from muniment.surfaces.cli.output import plain
from muniment.surfaces.cli.shapes_matm import BatchShape, ExampleShape, FigureShape, LevelShape

_STYLES = {"discard": "bold red", "hold": "bold yellow"}


def report(document: JsonObject) -> RenderableType:
    decision = str(document["decision"])
    heading = Text.assemble(
        (decision, _STYLES.get(decision, "bold green")), plain(f": {document['event_id']}, {document['reason']}")
    )
    named = ("record_id", "duplicate_of", "suggested_scope", "suggested_kind", "next_review_at")
    rows = [line(name.replace("_", " "), str(document[name])) for name in named if document.get(name) is not None]
    where = line("where", f"{document['kind']} in {document['scope']}, answered for by {document['reviewer']}")
    ran = [step for step in _objects(document["steps"]) if step.get("note") and step["outcome"] != "not_run"]
    steps = [[str(step["step"]), str(step["outcome"]), str(step["note"])] for step in ran]
    return Group(heading, where, *rows, *([table(("step", "outcome", "note"), steps)] if steps else []))


def reports(documents: list[JsonObject]) -> RenderableType:
    if not documents:
        return plain("nothing that the curator may answer for")
    rows = [[str(one[name]) for name in ("event_id", "decision", "scope", "kind", "reason")] for one in documents]
    return table(("event", "decision", "scope", "kind", "why"), rows)


def tickets(documents: list[JsonObject]) -> RenderableType:
    if not documents:
        return plain("nothing waits")
    rows = [[str(one[name]) for name in ("ticket_id", "opened_at", "title", "reason")] for one in documents]
    return table(("ticket", "since", "what", "why it waits"), rows)


def response(document: JsonObject) -> RenderableType:
    found = _objects(document["results"])
    parts: list[RenderableType] = []
    if document["abstained"]:
        reasons = document["abstain_reasons"]
        told = ", ".join(str(one) for one in reasons) if isinstance(reasons, list) else ""
        parts.append(plain(f"no answer: {told}", "bold yellow"))
    for one in found:
        parts.append(plain(f"{one['presented_as']}: {one['statement']}", "bold"))
        parts.append(line("record", f"{one['record_id']}, {one['kind']} in {one['scope']}, {one['status']}"))
        parts.append(line("sources", _joined(one["source_refs"])))
        parts.append(line("report", _joined(one["curation_report_ids"])))
        warnings = one["warnings"]
        parts += (line("warning", str(words)) for words in (warnings if isinstance(warnings, list) else []))
    parts += (line(f"notice ({one['kind']})", str(one["message"])) for one in _objects(document["notices"]))
    return Group(*parts, line("receipt", str(document.get("receipt_id"))))


def example(shape: ExampleShape) -> RenderableType:
    again = "a second run decided the same to the byte" if shape["same_again"] else "A SECOND RUN DECIDED OTHERWISE"
    return Group(
        plain("the worked example on a scratch vault", "bold"),
        reports(shape["reports"]),
        plain("the consumer asks, and is told", "bold"),
        response(shape["response"]),
        plain(again),
    )


def batch(shape: BatchShape) -> RenderableType:
    counts = ", ".join(f"{count:,} {name}" for name, count in shape["counts"].items()) or "nothing"
    head = "nothing was changed; if it were let in: " if shape["preview"] else f"batch {shape['batch']} waits; let in: "
    rows = [[one["origin"], one["would"], one["outcome"], short(one["reason"])] for one in shape["entries"]]
    return Group(plain(head + counts, "bold"), table(("memory", "would", "now", "why"), rows))


def level(shape: LevelShape) -> RenderableType:
    parts: list[RenderableType] = [plain(f"level: {shape['level']}", "bold")]
    for one in shape["levels"]:
        met = sum(check["met"] for check in one["checks"])
        mark = ("holds", "green") if one["met"] else ("does not hold", "yellow")
        words = f"{one['level']} {one['title']}: {met} of {counted(len(one['checks']), 'check', 'checks')}, "
        parts.append(Text.assemble(plain(words), mark))
    parts += (line("missing", words) for words in shape["missing"])
    evaluation = shape["evaluation"]
    parts += [plain("field: this store", "bold"), _figures(evaluation["field"])]
    parts += [
        plain("probe: our labelled and adversarial suite on a scratch vault", "bold"),
        _figures(evaluation["probe"]),
    ]
    computed = [
        [one["setting"], f"{one['published']:.3f}", f"{one['formula']:.3f}"] for one in evaluation["simulation"]
    ]
    parts += [plain("simulation: algebra, no deployment", "bold"), table(("setting", "published", "formula"), computed)]
    quoted = [
        [one["setting"], one["name"], "" if one["before"] is None else f"{one['before']:g}", f"{one['after']:g}"]
        for one in evaluation["paper"]
    ]
    parts += [plain("paper: second-hand, not ours", "bold"), table(("setting", "figure", "without", "with"), quoted)]
    return Group(*parts, *(line("not claimed", words) for words in shape["non_claims"]))


def _figures(figures: list[FigureShape]) -> RenderableType:
    rows = [
        [one["family"], one["name"], "–" if one["value"] is None else f"{one['value']:.3g}", one["unit"]]
        for one in figures
    ]
    return table(("family", "figure", "value", "unit"), rows)


def _objects(value: Json) -> list[JsonObject]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _joined(value: Json) -> str:
    return ", ".join(str(one) for one in value) if isinstance(value, list) else ""
