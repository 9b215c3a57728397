"""How far records are believed, as a person reads it: trees, disputes, tables. Decides nothing, opens nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Group, RenderableType
from rich.text import Text

from muniment.model.vocabulary import ConflictStrength, ConflictType, Strategy
from muniment.surfaces.cli.layout import Branch, Hanging, counted, grow, line, pairs, short, table
from muniment.surfaces.cli.output import plain
from muniment.surfaces.cli.shapes_trust import (
    AfterShape,
    CascadeShape,
    ConflictShape,
    ConflictsShape,
    DirectoryShape,
    FallShape,
    ForeseenShape,
    IntegrityShape,
    JudgedShape,
    KnowerShape,
    LineageShape,
    NodeShape,
    QualityShape,
    SettledShape,
    SweptShape,
)
from muniment.surfaces.cli.show import OUTCOMES, verdict
from muniment.surfaces.cli.verdicts import RehearsedShape

_GATES = {"PASS": "green", "FLAG": "bold yellow", "FILTER": "bold red"}
_SETTLED = {
    "resolved": "bold green",
    "pending_vote": "bold yellow",
    "escalated": "bold yellow",
    "established": "bold yellow",
    "held": "bold yellow",
    "detected": "bold yellow",
    "undecided": "bold yellow",
    "refused": "bold red",
}
_NEXT = {
    "pending_vote": "more voices: muniment resolve {conflict} --strategy vote --winner ID --rationale ...",
    "escalated": "a person settles it: muniment resolve {conflict} --strategy authority --winner ID --rationale ...",
    "held": "a person answers for the synthesis: muniment queue",
}
USUAL_LINK = "derived_from"


def lineage(shape: LineageShape) -> RenderableType:
    """What a record stands on above it, what stands on it below, each record once."""
    nodes = {node["id"]: node for node in shape["nodes"]}
    lines: list[RenderableType] = []
    if shape["direction"] != "down":
        above = _links(shape, up=True)
        lines += _branches("what it stands on", "it stands on nothing else", shape["id"], above, nodes)
    lines.append(_node(nodes[shape["id"]], (), content_style="bold"))
    if shape["direction"] != "up":
        below = _links(shape, up=False)
        lines += _branches("what stands on it", "nothing stands on it", shape["id"], below, nodes)
    return Group(*lines)


Links = dict[str, dict[str, list[str]]]


def _links(shape: LineageShape, *, up: bool) -> Links:
    """The other ends of each record's links, and by which types they are linked."""
    found: Links = {}
    for edge in shape["edges"]:
        here, there = (edge["source"], edge["target"]) if up else (edge["target"], edge["source"])
        found.setdefault(here, {}).setdefault(there, []).append(edge["type"])
    return found


def _branches(
    title: str, nothing: str, start: str, links: Links, nodes: Mapping[str, NodeShape]
) -> Iterable[RenderableType]:
    if not links.get(start):
        yield plain(f"  {nothing}", "dim")
        return
    yield plain(f"  {title}", "dim")
    for branch in grow(start, {name: list(others) for name, others in links.items()}):
        node, types = nodes[branch.name], links[branch.under][branch.name]
        yield _hung(branch, _again(node, types) if branch.again else _node(node, types))


def _hung(branch: Branch, body: Text) -> Hanging:
    return Hanging(f"  {branch.drawn}", f"  {branch.beside}", body)


def _again(node: NodeShape, types: Iterable[str]) -> Text:
    return Text.assemble(plain(node["citation"], "cyan"), _unusual(types), ("  see above", "dim"))


def _unusual(types: Iterable[str]) -> Text:
    """The types of a link, where it is not simply the usual one."""
    return plain("".join(f"  {type_}" for type_ in types if type_ != USUAL_LINK), "magenta")


def _node(node: NodeShape, types: Iterable[str], *, content_style: str = "") -> Text:
    """One record on one line: which, how far it is believed, what is doubtful about it, what it says."""
    doubts = [node["support"]] if node["support"] != "standing" else []
    doubts += [node["status"]] if node["status"] != "active" else []
    return Text.assemble(
        plain(node["citation"], "cyan"),
        f"  {node['effective_confidence']:.2f} ",
        (node["gate"], _GATES[node["gate"]]),
        plain("".join(f"  {doubt}" for doubt in doubts), "yellow"),
        _unusual(types),
        plain(f"  {short(node['content'])}", content_style),
    )


def cascade(shape: CascadeShape) -> RenderableType:
    """The plan of a change as a tree: each record it reaches, as it is and as it would be."""
    heading = Text.assemble(plain(shape["id"], "cyan"), plain(f"  would become {shape['becomes']}"))
    falls = {fall["id"]: fall for fall in shape["falls"]}
    if not falls:
        return Group(heading, plain("  nothing that stands on it would be judged otherwise", "dim"), _unchanged())
    under: dict[str, list[str]] = {}
    for fall in shape["falls"]:
        # Where the record between may not be seen, what is reached through it stands under the change itself.
        under.setdefault(fall["under"] if fall["under"] in falls else shape["id"], []).append(fall["id"])
    lines = [_fall(branch, falls[branch.name]) for branch in grow(shape["id"], under)]
    return Group(heading, *lines, plain(f"  {counted(shape['reached'], 'record', 'records')} reached"), _unchanged())


def _unchanged() -> Text:
    return plain("  this is a plan: nothing was changed", "dim")


def _fall(branch: Branch, fall: FallShape) -> Hanging:
    body = Text.assemble(
        plain(f"{fall['id']}@{fall['revision']}", "cyan"),
        "  ",
        _judged(fall["before"]),
        " to ",
        _judged(fall["after"]),
        plain(f"  {short(fall['content'])}"),
    )
    return _hung(branch, body)


def _judged(judged: JudgedShape) -> Text:
    doubts = [word for word in (judged["support"], judged["status"]) if word not in ("standing", "active")]
    return Text.assemble(
        f"{judged['effective_confidence']:.2f} ",
        (judged["gate"], _GATES[judged["gate"]]),
        plain("".join(f" {doubt}" for doubt in doubts), "yellow"),
    )


def after(shape: AfterShape) -> RenderableType:
    """A verdict, and what the record counts for now."""
    if shape["own_confidence"] is None or shape["effective_confidence"] is None:
        return verdict(shape)
    now = f"{shape['own_confidence']:.2f} of its own, {shape['effective_confidence']:.2f} effective"
    return Group(verdict(shape), line("believed now", f"{now}, {shape['gate']}; origin {shape['origin']}"))


def conflicts(shape: ConflictsShape) -> RenderableType:
    if not shape["conflicts"]:
        return plain("no disagreement")
    more = [plain(f"more: --after {shape['next']}", "dim")] if shape["next"] is not None else []
    return Group(*(_conflict(one) for one in shape["conflicts"]), *more)


def _conflict(one: ConflictShape) -> RenderableType:
    rows = [
        [side["citation"], side["status"], side["actor"], f"{side['effective_confidence']:.2f}", short(side["content"])]
        for side in (one["a"], one["b"])
    ]
    noted = "" if one["strength"] == "established" else ", suspected"
    found = f"{one['type']} ({one['why']}{noted}), found in entry {one['opened']}"
    heading = Text.assemble(plain(one["id"], "cyan"), plain(f"  {one['status']}  {found}"))
    return Group(heading, table(("side", "status", "from", "believed", "content"), rows), *_taken_up(one))


def _taken_up(one: ConflictShape) -> Iterable[Text]:
    """How far it was taken up, or how to."""
    if one["strategy"] is not None:
        who = f" by {one['resolved_by']} in entry {one['epoch_resolved']}" if one["resolved_by"] is not None else ""
        winner = f", in favour of {one['winner']}" if one["winner"] is not None else ""
        yield line("taken up", f"{one['strategy']}{who}{winner}")
    if one["rationale"]:
        yield line("why", one["rationale"])
    for ballot in one["ballots"]:
        yield line("voted", f"{ballot['actor']} for {ballot['winner']}")
    if one["status"] == "detected":
        newer = one["type"] == ConflictType.UPDATE and one["strength"] == ConflictStrength.SUSPECTED
        strategy = Strategy.LAST_WRITE_WINS.value if newer else "..."
        yield line("next", f"muniment resolve {one['id']} --strategy {strategy} --rationale ...")


def settled(shape: SettledShape) -> RenderableType:
    status = shape["status"]
    words = {"pending_vote": "waits for more voices"}.get(status, status)
    lines = [
        Text.assemble((words, _SETTLED[status]), plain(f"  {shape['conflict']}  entry {shape['epoch']}")),
        line("why", f"{shape['reason']} ({shape['rule']})"),
    ]
    if shape["winner"] is not None:
        lines.append(
            line("winner", shape["winner"] + (", which takes the place of both" if shape["synthesis"] else ""))
        )
    lines += [line("superseded", name) for name in shape["superseded"]]
    lines += [line("voted", f"{ballot['actor']} for {ballot['winner']}") for ballot in shape["ballots"]]
    if status in _NEXT:
        lines.append(line("next", _NEXT[status].format(conflict=shape["conflict"])))
    return Group(*lines)


def foreseen(shape: ForeseenShape) -> RenderableType:
    """Where a conflict would stand, nothing of it done. A synthesis has no id yet."""
    status, synthesis = shape["status"], shape["synthesis"] is not None
    words = {"pending_vote": "would wait for more voices"}.get(status, f"would be {status}")
    winner = "one new record, which takes the place of both" if synthesis else shape["winner"]
    lines = [
        Text.assemble((words, _SETTLED[status]), plain(f"  {shape['conflict']}")),
        line("why", f"{shape['reason']} ({shape['rule']})"),
    ]
    lines += [line("winner", winner)] if winner is not None else []
    lines += [line("superseded", name) for name in shape["superseded"]]
    lines += [line("voted", f"{ballot['actor']} for {ballot['winner']}") for ballot in shape["ballots"]]
    lines += [line("falls", name) for name in shape["falls"]]
    lines += [line("rises", name) for name in shape["rises"]]
    return Group(*lines, _unchanged())


def rehearsed(shape: RehearsedShape) -> RenderableType:
    """What a decision would come to, nothing of it done. What is new has no id yet."""
    outcome, opened = shape["outcome"], len(shape["conflict_ids"])
    lines = [
        Text.assemble((f"would be {outcome}", OUTCOMES[outcome]), plain(f"  {shape['decision']}")),
        line("why", f"{shape['reason']} ({shape['rule']})"),
    ]
    lines += [line("duplicate", f"says what {shape['duplicate_of']} says")] if shape["duplicate_of"] else []
    lines += [line("conflict", f"would open {counted(opened, 'conflict', 'conflicts')}")] if opened else []
    return Group(*lines, _unchanged())


def swept(shape: SweptShape) -> RenderableType:
    counts = shape["counts"]
    if not any((*counts.values(), shape["moved"])):
        return plain("nothing to do: nothing has expired, moved or is due for review")
    return pairs(
        [
            ("expired", _named(shape["expired"], counts["expired"])),
            ("fell with it", _named(shape["fallen"], counts["fallen"])),
            ("moved", f"{counted(shape['moved'], 'record', 'records')} in use or tier"),
            ("due for review", _named(shape["due"], counts["due"])),
        ]
    )


def _named(names: list[str], count: int) -> str:
    """The names that are shown, and how many more there are."""
    more = [f"and {count - len(names):,} more"] if count > len(names) else []
    return ", ".join([*names, *more]) or "-"


def directory(shape: DirectoryShape) -> RenderableType:
    about = f" about {shape['about']}" if shape["about"] is not None else ""
    if not shape["knowers"]:
        return plain(f"nobody you may know of has recorded anything{about}")
    columns = ("who", "records", "kinds", "topics", "believed", "turned out", "latest", "teams")
    lines: list[RenderableType] = [table(columns, [_knower(one) for one in shape["knowers"]])]
    if shape["teams"]:
        lines.append(line("by team", ", ".join(f"{team} {count}" for team, count in shape["teams"].items())))
    return Group(plain(f"who knows{about or ' what'}, the most first"), *lines)


def _knower(one: KnowerShape) -> list[str]:
    return [
        one["actor"],
        str(one["records"]),
        ", ".join(f"{kind} {count}" for kind, count in one["kinds"].items()),
        ", ".join(f"{topic} {count}" for topic, count in one["topics"].items()),
        f"{one['confidence']:.2f}",
        f"+{one['helpful']:g} -{one['misleading']:g}" if one["helpful"] or one["misleading"] else "",
        one["last"],
        ", ".join(one["teams"]),
    ]


def _integrity(shape: IntegrityShape) -> str:
    found = ", ".join(f"{one['what']} {one['count']}" for one in shape["findings"])
    return f"{shape['band']}, {shape['score']:.2f}" + (f" ({found})" if found else "")


def quality(shape: QualityShape) -> RenderableType:
    told = [
        ("records", f"{shape['records']:,}"),
        ("mean quality", "-" if shape["mean"] is None else f"{shape['mean']:.1f} of 100"),
        ("bands", ", ".join(f"{name} {count}" for name, count in shape["bands"].items())),
        ("attribution", _integrity(shape["integrity"])),
        ("formula", shape["profile"]),
    ]
    if shape["structure"] is not None:
        told.insert(4, ("how it was built", _integrity(shape["structure"])))
    rows = [
        [
            str(one["quality"]),
            one["id"],
            f"{one['effective_confidence']:.2f}",
            str(one["conflicts"]),
            short(one["content"]),
        ]
        for one in shape["worst"]
    ]
    worst = [table(("quality", "weakest", "believed", "disputes", "content"), rows)] if rows else []
    return Group(pairs(told), *worst)
