"""The commands about stores of other systems: look at one; and how taking one over is told."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict

import typer
from rich.console import Group, RenderableType

from muniment.importers.audit import MEANINGS, Audit, Trouble, audit
from muniment.importers.export import GivenOut
from muniment.importers.files import read_whole
from muniment.importers.foreign import Mapping
from muniment.importers.kinds import SourceKind, kind_of, read_source
from muniment.importers.omp.receive import Received
from muniment.importers.readers.tables import FIELDS
from muniment.importers.report import page
from muniment.importers.takeover import Loss, MovedIn, Refusal
from muniment.model import times
from muniment.model.errors import Malformed
from muniment.surfaces.cli.layout import line, table
from muniment.surfaces.cli.output import note, plain, working
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.problems import ExitCode, printable

PROMPT_MAX = 1 << 20

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A file or folder another system wrote; for langgraph also postgresql://… or sqlite://….",
        show_default=False,
    ),
]
From = Annotated[SourceKind | None, typer.Option("--from", help="Which system wrote it (default: seen by its files).")]
Maps = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="FIELD=NAME", help="Which column or key holds a field (jsonl, csv). Repeatable."),
]
Split = Annotated[
    str, typer.Option("--split", help="obsidian, omp: one memory a `note`, or one a statement (`bullets`).")
]


class WorstShape(TypedDict):
    id: str
    place: str
    why: list[str]
    weight: int
    excerpt: str


class CountShape(TypedDict):
    name: str
    count: int


class PlaceShape(TypedDict):
    trouble: str
    place: str
    what: str


class UnreadShape(TypedDict):
    place: str
    code: str
    message: str


class PartShape(TypedDict):
    trouble: str
    found: int
    cost: float
    most: int


class AuditShape(TypedDict):
    """An audit as it is told. `contradictions` holds those that are `stale` too; `secrets` are credentials."""

    kind: str
    records: int
    duplicates: int
    near_duplicates: int
    echoes: int
    secrets: int
    personal: int
    instructions: int
    contradictions: int
    stale: int
    no_author: int
    no_time: int
    no_source: int
    deleted_residue: int
    mixed_users: int
    unread: int
    deleted: int
    previous_versions: int
    score: float
    parts: list[PartShape]
    worst: list[WorstShape]
    authors: list[CountShape]
    users: list[CountShape]
    months: list[CountShape]
    sorts: list[CountShape]
    places: list[PlaceShape]
    unread_entries: list[UnreadShape]
    not_read: list[dict[str, str]]
    first: str | None
    last: str | None
    failed_on: list[str]


@command(app, "audit", example="muniment audit mem0-export/ --html report.html --fail-on secrets,deleted-residue")
def look(
    call: CommandCall,
    source: Source,
    kind: From = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write the report there as a page.")
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option("--fail-on", metavar="WORDS", help="End with code 1 if one of these was found, for CI."),
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option("--prompt", metavar="FILE", help="A system prompt; memories that repeat it are echoes."),
    ] = None,
    maps: Maps = None,
    split: Split = "note",
) -> ExitCode:
    """Look at the memories of another system: what they are, and what is wrong with them. Reads, and changes nothing;
    needs no vault. Exit code 0: looked at; 1: something of --fail-on was found; 2: it cannot be read."""
    watched = troubles(fail_on)
    mapping = mapping_of(maps, split)
    prompts = (read_whole(Path(prompt), PROMPT_MAX).decode("utf-8", "replace"),) if prompt is not None else ()
    found = kind if kind is not None else kind_of(source)
    with working(f"reading {found}") as progress:
        looked = audit(found.value, read_source(found, source, mapping), prompts=prompts, progress=progress)
    failed = [one for one in watched if looked.found(one)]
    if html is not None:
        Path(html).write_text(page(looked, _shown(source)), encoding="utf-8")
        note(f"wrote {printable(html)}")
    call.tell(audit_shape(looked, failed), _show)
    # The code linters use for "found something"; an audit can be no other failure of the store.
    return ExitCode.DAMAGED if failed else ExitCode.ANSWERED


def _shown(source: str) -> str:
    """The source by its last name: a report is handed on, a path or a password is not."""
    return "a database" if "://" in source else printable(Path(source).name or source)


def troubles(words: str | None) -> list[Trouble]:
    """The words of --fail-on, with hyphens or underscores."""
    named = [one.strip().replace("_", "-") for one in (words or "").split(",") if one.strip()]
    for one in named:
        if one not in set(Trouble):
            raise Malformed("fail_on", "some of " + ", ".join(Trouble))
    return [Trouble(one) for one in named]


def pairs_of(field: str, said: list[str] | None) -> dict[str, str]:
    """Texts of the form NAME=VALUE."""
    pairs = dict(one.partition("=")[::2] for one in said or [])
    if not all(name and value for name, value in pairs.items()):
        raise Malformed(field, "NAME=VALUE")
    return pairs


def mapping_of(maps: list[str] | None, split: str) -> Mapping:
    pairs = [one.partition("=")[::2] for one in maps or []]
    for field, name in pairs:
        if field not in FIELDS or not name:
            raise Malformed("map", f"FIELD=NAME, with a field of {', '.join(FIELDS)}")
    if split not in ("note", "bullets"):
        raise Malformed("split", "note or bullets")
    return Mapping(names=tuple(pairs), split=split)


def audit_shape(looked: Audit, failed: list[Trouble]) -> AuditShape:
    def counted(words: Trouble) -> int:
        return looked.found(words)

    return {
        "kind": looked.kind,
        "records": looked.records,
        "duplicates": counted(Trouble.DUPLICATES),
        "near_duplicates": counted(Trouble.NEAR_DUPLICATES),
        "echoes": counted(Trouble.ECHOES),
        "secrets": counted(Trouble.SECRETS),
        "personal": counted(Trouble.PERSONAL),
        "instructions": counted(Trouble.INSTRUCTIONS),
        "contradictions": counted(Trouble.CONTRADICTIONS) + counted(Trouble.STALE),
        "stale": counted(Trouble.STALE),
        "no_author": counted(Trouble.NO_AUTHOR),
        "no_time": counted(Trouble.NO_TIME),
        "no_source": counted(Trouble.NO_SOURCE),
        "deleted_residue": counted(Trouble.DELETED_RESIDUE),
        "mixed_users": counted(Trouble.MIXED_USERS),
        "unread": counted(Trouble.UNREAD),
        "deleted": looked.deleted,
        "previous_versions": looked.previous,
        "score": looked.score,
        "parts": [
            {"trouble": one.trouble.value, "found": one.found, "cost": one.cost, "most": one.most}
            for one in looked.parts
        ],
        "worst": [
            {"id": one.id, "place": one.place, "why": list(one.why), "weight": one.weight, "excerpt": one.excerpt}
            for one in looked.worst
        ],
        "authors": [{"name": one.name, "count": one.count} for one in looked.authors],
        "users": [{"name": one.name, "count": one.count} for one in looked.users],
        "months": [{"name": one.name, "count": one.count} for one in looked.months],
        "sorts": [{"name": one.name, "count": one.count} for one in looked.sorts],
        "places": [{"trouble": one.trouble.value, "place": one.place, "what": one.what} for one in looked.places],
        "unread_entries": [{"place": one.place, "code": one.code, "message": one.message} for one in looked.unread],
        "not_read": [{"place": one.place, "what": one.what} for one in looked.unsaid],
        "first": times.show(looked.first) if looked.first is not None else None,
        "last": times.show(looked.last) if looked.last is not None else None,
        "failed_on": [one.value for one in failed],
    }


def _show(shape: AuditShape) -> RenderableType:
    head = line("source", f"{shape['kind']}, {shape['records']:,} memories")
    when = (
        line("written", f"{shape['first'][:10]} to {shape['last'][:10]}") if shape["first"] and shape["last"] else None
    )
    who = ", ".join(f"{one['name']} ({one['count']:,})" for one in shape["authors"][:5])
    score = line("score", f"{shape['score']:g} of 100")
    counts = {one: shape[one.value.replace("-", "_")] for one in Trouble}  # type: ignore[literal-required]  # its names
    rows = [[one.value, f"{count:,}", MEANINGS[one]] for one, count in counts.items() if count]
    parts: list[RenderableType] = [head, *([when] if when else []), *([line("by", who)] if who else []), score]
    if rows:
        parts += [plain(""), table(("found", "how many", "memories that …"), rows)]
    if shape["worst"]:
        worst = [[one["place"], "; ".join(one["why"]), one["excerpt"]] for one in shape["worst"]]
        parts += [plain(""), plain("look at these first"), table(("where", "why", "excerpt"), worst)]
    if shape["unread_entries"]:
        unread = [[one["place"], one["message"]] for one in shape["unread_entries"]]
        parts += [plain(""), plain("could not be read"), table(("where", "what is wrong"), unread)]
    if shape["failed_on"]:
        parts += [plain(""), plain(f"failed on: {', '.join(shape['failed_on'])}")]
    return Group(*parts)


class LossShape(TypedDict):
    what: str
    count: int
    places: list[str]


class RefusalShape(TypedDict):
    place: str
    id: str
    why: str


class MovedShape(TypedDict):
    """What became of a store that was taken over."""

    kind: str
    batch: str
    preview: bool
    taken: int
    held: int
    refused: int
    already: int
    revisions: int
    tombstones: int
    unread: int
    lost: list[LossShape]
    lacks: list[LossShape]
    mapping: list[LossShape]
    refusals: list[RefusalShape]
    waiting: list[RefusalShape]
    unread_entries: list[UnreadShape]


def moved_shape(moved: MovedIn) -> MovedShape:
    return {
        "kind": moved.kind,
        "batch": moved.batch,
        "preview": moved.preview,
        "taken": moved.taken,
        "held": moved.held,
        "refused": moved.refused,
        "already": moved.already,
        "revisions": moved.revisions,
        "tombstones": moved.tombstones,
        "unread": moved.unread,
        "lost": [_loss(one) for one in moved.lost],
        "lacks": [_loss(one) for one in moved.lacks],
        "mapping": [_loss(one) for one in moved.mapping],
        "refusals": [_refusal(one) for one in moved.refusals],
        "waiting": [_refusal(one) for one in moved.waiting],
        "unread_entries": [
            {"place": one.place, "code": one.code, "message": one.message} for one in moved.unread_entries
        ],
    }


def _loss(one: Loss) -> LossShape:
    return {"what": one.what, "count": one.count, "places": list(one.places)}


def _refusal(one: Refusal) -> RefusalShape:
    return {"place": one.place, "id": one.id, "why": one.why}


def show_moved(shape: MovedShape) -> RenderableType:
    words = "would be" if shape["preview"] else "are"
    head = line("batch", shape["batch"] + (" (preview: nothing was changed)" if shape["preview"] else ""))
    counts = [
        ["taken", f"{shape['taken']:,}", f"{words} records here"],
        ["held", f"{shape['held']:,}", "wait for a person (`muniment queue`)"],
        ["refused", f"{shape['refused']:,}", "are not kept"],
        ["already", f"{shape['already']:,}", "were here before"],
        ["revisions", f"{shape['revisions']:,}", "earlier wordings, kept as history"],
        ["tombstones", f"{shape['tombstones']:,}", "deleted there; their text is not taken over"],
        ["unread", f"{shape['unread']:,}", "entries cannot be read"],
    ]
    parts: list[RenderableType] = [head, table(("memories", "how many", "that …"), counts)]
    said = [[one["what"], f"{one['count']:,}", ", ".join(one["places"])] for one in shape["mapping"]]
    if said and shape["preview"]:
        parts += [plain(""), table(("there", "how many", "here"), said)]
    for title, told in (("lost", shape["lost"]), ("not said by the source", shape["lacks"])):
        if told:
            rows = [[one["what"], f"{one['count']:,}", ", ".join(one["places"])] for one in told]
            parts += [plain(""), table((title, "how many", "where first"), rows)]
    for title, refused in (("refused", shape["refusals"]), ("held", shape["waiting"])):
        if refused:
            rows = [[one["place"], one["why"]] for one in refused[:10]]
            parts += [plain(""), table((title, "why"), rows)]
    if shape["unread_entries"]:
        rows = [[one["place"], one["message"]] for one in shape["unread_entries"][:10]]
        parts += [plain(""), table(("could not be read", "what is wrong"), rows)]
    if shape["taken"] and not shape["preview"]:
        parts += [plain(""), plain(f'undo: muniment rollback {shape["batch"]} --reason "…"')]
    return Group(*parts)


class GivenShape(TypedDict):
    """What was written for another system, and what that cannot say."""

    kind: str
    file: str
    written: int
    delicate: int
    lost: list[LossShape]


def given_shape(given: GivenOut, file: str) -> GivenShape:
    return {
        "kind": given.kind,
        "file": file,
        "written": given.written,
        "delicate": given.delicate,
        "lost": [_loss(one) for one in given.lost],
    }


def show_given(shape: GivenShape) -> RenderableType:
    parts: list[RenderableType] = [plain(f"wrote {shape['written']:,} memories to {shape['file']}")]
    if shape["delicate"]:
        parts.append(plain(f"{shape['delicate']:,} of them are more sensitive than internal"))
    if shape["lost"]:
        rows = [[one["what"], f"{one['count']:,}"] for one in shape["lost"]]
        parts += [plain(""), table((f"{shape['kind']} cannot say", "of how many"), rows)]
    return Group(*parts)


class ReceiptShape(TypedDict):
    target: str
    kind: str
    status: str
    record: str | None
    reason: str | None
    transformations: list[str]


class ReceivedShape(MovedShape):
    """What became of an exchange of the Open Memory Protocol (a draft): as of any store, and receipts."""

    exchange: str | None
    receipts: list[ReceiptShape]
    retry: list[str]
    move_complete: bool | None


def received_shape(received: Received) -> ReceivedShape:
    return {
        **moved_shape(received.moved),
        "exchange": received.exchange,
        "receipts": [
            {
                "target": one.target,
                "kind": one.kind,
                "status": one.status.value,
                "record": one.record,
                "reason": one.reason,
                "transformations": list(one.transformations),
            }
            for one in received.receipts
        ],
        "retry": list(received.retry),
        "move_complete": received.move_complete,
    }


def show_received(shape: ReceivedShape) -> RenderableType:
    rows = []
    for one in shape["receipts"]:
        why = [*([one["reason"]] if one["reason"] is not None else []), *one["transformations"]]
        rows.append([one["target"], one["kind"], one["status"], "; ".join(why)])
    return Group(show_moved(shape), plain(""), table(("receipt", "of", "status", "why"), rows))
