"""Answers as a person reads them: what, why, how it was sought, and what to do when there is nothing to tell."""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.text import Text

from muniment.model.form import DisclosureShape, DisputeShape
from muniment.model.receipt import ReceiptState
from muniment.surfaces.cli.layout import counted, line, numbered, pairs, short, table
from muniment.surfaces.cli.output import plain
from muniment.surfaces.cli.proofs import ExplanationShape
from muniment.surfaces.cli.shapes_recall import AliasShape, EntityShape, ReachShape, RecallShape, SearchedShape
from muniment.surfaces.cli.show import caution, confidence

_PRESENTED = {
    "claim": "",
    "hypothesis": "a guess, not a fact",
    "support": "support, not a claim",
    "contested": "disputed: neither side is asserted",
}
_ABSTAINED = {
    "no_match": ("nothing that is remembered matches these words", "other words, or fewer of them"),
    "no_searchable_words": ("the query has no word to search by", "use at least one word that carries meaning"),
    "nothing_eligible": ("what matches is ruled out, see the counts", "loosen the bounds that are counted"),
    "not_authorized": (
        "the policy lets this actor read nothing for this purpose",
        "act as somebody else with --as, or name another --purpose",
    ),
    "nothing_fits": ("what matches does not fit the limit or the budget", "raise --limit or --budget-tokens"),
    "nothing_relevant": ("what was found is too weak to be told", "other words, or a lower --floor"),
}
_RANKED = "ranked by "
SMALL_SHARE = 0.05


def recall(shape: RecallShape) -> RenderableType:
    return _told(shape, _no_answer(shape) if shape["abstained"] is not None else [])


def attuned(shape: RecallShape) -> RenderableType:
    """The same for a recall without a question, and where the next one may begin."""
    nothing: list[RenderableType] = []
    ruled_out = shape["abstained"] == "nothing_eligible" and bool(shape["excluded"])
    if shape["abstained"] in ("no_match", "no_searchable_words", "nothing_eligible") and not ruled_out:
        nothing.append(plain("nothing to tell: nothing is new, and no topic leads to anything", "bold yellow"))
    elif shape["abstained"] is not None:
        nothing += _no_answer(shape)
    return Group(_told(shape, nothing), plain(f"for what is new after this: --since {shape['epoch']}", "dim"))


def _told(shape: RecallShape, nothing: list[RenderableType]) -> RenderableType:
    lines: list[RenderableType] = [_answer(number, one) for number, one in enumerate(shape["records"], start=1)]
    lines += nothing
    lines += [Text.assemble(("notice: ", "bold yellow"), plain(notice)) for notice in shape["notices"]]
    lines += [
        Text.assemble(("no longer rely on ", "bold yellow"), plain(f"{one['id']}: {one['why']}, entry {one['since']}"))
        for one in shape["withdrawn"]
    ]
    if shape["excluded"]:
        counts = ", ".join(f"{rule} {count}" for rule, count in shape["excluded"].items())
        lines.append(plain(f"left out of {shape['considered']} that matched: {counts}", "dim"))
    lines += [plain(said, "dim") for said in _sought(shape["searched"])]
    lines.append(plain(f"receipt {shape['receipt_id']}; `muniment explain` tells how it came about", "dim"))
    return Group(*lines)


def _no_answer(shape: RecallShape) -> list[RenderableType]:
    assert shape["abstained"] is not None, "only an abstention is explained"
    why, instead = _ABSTAINED[shape["abstained"]]
    if "user" in shape["excluded"]:
        instead = "name the user whose memory is meant: --user NAME"
    fit, floor = shape["searched"]["fit"], shape["searched"]["floor"]
    if shape["abstained"] == "nothing_relevant" and fit is not None and floor is not None:
        why = f"nothing fits well enough: a fit was judged {fit:.0%} likely, and the floor is {floor:.0%}"
        instead = f"other words, or a lower floor: --floor {math.floor(fit * 100) / 100:g}"
    return [Text.assemble(("no answer: ", "bold yellow"), plain(why)), line("try", instead)]


def _answer(number: int, one: DisclosureShape) -> RenderableType:
    facts = f"{one['kind']}  score {one['score']:.2f}  confidence {confidence(one)}  trust {one['trust']}"
    why = "; ".join(reason for reason in one["reasons"] if not reason.startswith(_RANKED))
    lines: list[RenderableType] = [*_content(one), Text.assemble(plain(f"[{one['citation']}]", "cyan"), f"  {facts}")]
    if remark := _PRESENTED[one["presented"]]:
        lines.insert(1, plain(remark, "yellow"))
    lines.append(plain(f"why: {why}", "dim"))
    if parts := ranking(one["parts"]):
        lines.append(plain(f"ranked by: {parts}", "dim"))
    if warning := caution(one):
        lines.append(plain(warning, "yellow"))
    lines += [_dispute(side) for side in one["disputed_by"]]
    told = {side["conflict"] for side in one["disputed_by"]}
    lines += [plain(notice, "yellow") for notice in one["notices"] if not any(name in notice for name in told)]
    return numbered(f"{number}.", Group(*lines))


def _dispute(side: DisputeShape) -> RenderableType:
    """What disputes a record, and where both can be read."""
    content = side["content"] if side["whole"] else f"{side['content'].strip()} ..."
    who = f"{side['id']}@{side['revision']} by {side['actor']}, confidence {side['confidence']:.2f}"
    source = f"  ({who}; {side['conflict']})"
    return Text.assemble(("disputed by: ", "yellow"), plain(content), plain(source, "dim"))


def _content(one: DisclosureShape) -> list[RenderableType]:
    """All of a record, or of a long one the passage that matched and where it stands."""
    passage = one["passage"]
    if passage is None:
        return [plain(one["content"], "bold")]
    before, after = "... " if passage["start"] else "", " ..." if passage["end"] < len(one["content"]) else ""
    place = f"characters {passage['start'] + 1:,} to {passage['end']:,} of {len(one['content']):,}"
    whole = f"{place}; `muniment get {one['id']}` shows all"
    return [plain(f"{before}{passage['text'].strip()}{after}", "bold"), plain(whole, "dim")]


def ranking(parts: dict[str, float]) -> str:
    """What a score is the sum of, the largest first; small parts are told as one.

    >>> ranking({"words": 0.25, "meaning": 0.5, "kind": 0.01, "origin": 0.01, "faded": -0.1})
    'meaning 0.50, words 0.25, faded -0.10, the rest 0.02'
    """
    whole = sum(abs(value) for value in parts.values())
    told = {name: value for name, value in parts.items() if abs(value) >= SMALL_SHARE * whole}
    rest = sum(value for name, value in parts.items() if name not in told)
    said = [f"{name} {value:.2f}" for name, value in sorted(told.items(), key=lambda part: -part[1])]
    return ", ".join([*said, f"the rest {rest:.2f}"] if round(rest, 2) else said)


def _sought(searched: SearchedShape) -> list[str]:
    """How an answer was sought: by which means and how far vectors reach; and what was understood of the question."""
    if searched["model"] is not None:
        lines = [f"sought by words, links and meaning ({model_name(searched['model'])})"]
    else:
        lines = ["sought by words and links only" + (f": {searched['why']}" if searched["why"] else "")]
    if behind := searched["trailing"]:
        lines.append(f"vectors trail by {counted(behind, 'entry', 'entries')}; `muniment flush` waits for them")
    if understood := _understood(searched):
        lines.append(f"understood: {understood}")
    return lines


def _understood(searched: SearchedShape) -> str:
    span, names = searched["span"], searched["names"]
    said = [f"time {_days(span['first'], span['last'])}"] if span is not None else []
    return "; ".join([*said, f"names {', '.join(names)}"] if names else said)


def model_name(model: str) -> str:
    """A model without its digest.

    >>> model_name("all-MiniLM-L6-v2@53aa5117")
    'all-MiniLM-L6-v2'
    """
    return model.partition("@")[0]


def _days(first: str, last: str) -> str:
    return first[:10] if first[:10] == last[:10] else f"{first[:10]} to {last[:10]}"


def explanation(shape: ExplanationShape) -> RenderableType:
    how = "rebuilt and searched again" if shape["replayed"] else "decided again"
    plan = shape["plan"]
    rows = [
        [
            str(one["rank"]),
            f"{one['id']}@{one['revision']}",
            f"{one['score']:.4f}",
            one["excluded"] or "told",
            one["via"] or ranking(one["parts"]),
        ]
        for one in shape["candidates"]
    ]
    counts = ", ".join(f"{rule} {count}" for rule, count in shape["excluded"].items())
    return Group(
        _outcome(shape, how),
        pairs(
            [
                ("asked", f"{_asked(shape)} (by {shape['actor']} for {shape['purpose']}, {shape['at']})"),
                (
                    "searched for",
                    ", ".join([*plan["terms"]["words"], *(" ".join(one) for one in plan["terms"]["phrases"])]),
                ),
                ("too common", ", ".join(plan["terms"]["common"]) or "-"),
                ("how", "; ".join(_sought(shape["searched"]))),
                ("granted by", ", ".join(plan["grants"]) or "no rule"),
                ("filters", ", ".join(shape["filters"])),
                ("left out", counts or "-"),
                ("told then", ", ".join(shape["selected"]) or (shape["abstained"] or "-")),
                ("told again", ", ".join(shape["again"]) or "-"),
            ]
        ),
        *([line("note", shape["note"])] if shape["note"] is not None else []),
        table(("rank", "candidate", "score", "came to", "how it was found"), rows) if rows else "",
    )


def _outcome(shape: ExplanationShape, how: str) -> Text:
    """What came of deciding it again, and what became of the receipt."""
    by, as_of = ", ".join(shape["by"]), plain(f", {how} as of entry {shape['plan']['as_of']}")
    match shape["state"]:
        case ReceiptState.ALTERED:
            words = "the receipt was ALTERED: it is not what the log commits to"
            same = "the same records" if shape["same_ids"] else "NOT the same records"
            return Text.assemble((words, "bold red"), plain(f"; {same}"), as_of)
        case ReceiptState.DROPPED:
            words = "most of the receipt was dropped by retention"
            return Text.assemble((words, "bold yellow"), plain(f" ({by}); who was told what is left"))
        case ReceiptState.ERASED if shape["consistent"]:
            lost = f"; of what was told, {', '.join(shape['lost'])} is gone" if shape["lost"] else ""
            words = "words of the receipt were erased" if not lost else "records it told of were erased"
            same = "the rest is the same" if lost else "the records are the same"
            return Text.assemble((words, "bold yellow"), plain(f" (certificate {by}){lost}; {same}"), as_of)
        case _ if shape["same_ids"]:
            return Text.assemble(("the same records", "bold green"), as_of)
        case _:
            return Text.assemble(("NOT the same records", "bold red"), as_of)


def _asked(shape: ExplanationShape) -> str:
    """The question, or what the asker was about."""
    about = shape["attuned"]
    if about is None:
        return shape["query"]
    said = [
        about["role"],
        about["task"],
        *about["interests"],
        f"since entry {about['since']}" if about["since"] else "",
    ]
    return "what to know: " + (", ".join(word for word in said if word) or "whatever is new")


def alias(shape: AliasShape) -> RenderableType:
    others = ", ".join(shape["names"][1:])
    if not others:
        return plain(f"{shape['entity']} stands alone: no other name means the same")
    return plain(f"{shape['entity']} is also called {others}; a question that uses one of them finds them all")


def entity(shape: EntityShape) -> RenderableType:
    others = [name for name in shape["names"] if name != shape["entity"]]
    lines: list[RenderableType] = [plain(shape["entity"], "bold")]
    if others:
        lines.append(line("also called", ", ".join(others)))
    if not shape["records"]:
        return Group(*lines, line("records", "none that you may see speaks of it"))
    rows = [[one["citation"], one["kind"], short(one["content"])] for one in shape["records"]]
    lines.append(table(("spoken of in", "kind", "content"), rows))
    if shape["related"]:
        related = [[one["entity"], str(one["records"]), f"{one['salience']:.2f}"] for one in shape["related"]]
        lines.append(table(("mentioned with", "records", "telling"), related))
    return Group(*lines)


def reach(shape: ReachShape) -> RenderableType:
    if shape["model"] is None:
        return Text.assemble(("no vectors are made", "bold yellow"), plain(f": {shape['why'] or 'there is no model'}"))
    upto = counted(shape["upto"], "entry has its", "entries have their")
    lines: list[RenderableType] = [
        Text.assemble(("done", "bold green"), plain(f": {upto} vectors, made by {model_name(shape['model'])}"))
        if not shape["trailing"]
        else plain(f"{upto} vectors; {shape['trailing']:,} more came since")
    ]
    return Group(*lines)
