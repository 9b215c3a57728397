"""The commands about belief: where it comes from, what follows, how it did, how disputes end, how good it is."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from muniment.engine import ConflictView, Memory
from muniment.model import checks
from muniment.model.claim_options import ClaimOptions
from muniment.model.curation import Verdict
from muniment.model.errors import NotFound
from muniment.model.query import Disclosure
from muniment.model.status import Status
from muniment.model.vocabulary import ConflictStatus, Label, Strategy
from muniment.surfaces.cli import show, show_trust
from muniment.surfaces.cli.flags import SYNTHESIS, Given
from muniment.surfaces.cli.forget import Expected
from muniment.surfaces.cli.output import working
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.cli.shapes_trust import (
    after_shape,
    cascade_shape,
    conflicts_shape,
    directory_shape,
    foreseen_shape,
    lineage_shape,
    quality_shape,
    settled_shape,
    swept_shape,
)
from muniment.surfaces.cli.verdicts import verdict_shape
from muniment.surfaces.cli.write import ExpectedRevision, RecordId
from muniment.surfaces.problems import ExitCode


def _words(*words: str) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


@command(app, "lineage", example="muniment lineage rec_1 --direction up --depth 3")
def lineage(
    call: CommandCall,
    record_id: RecordId,
    direction: Annotated[
        str, typer.Option("--direction", help="up (what it stands on), down (what stands on it) or both.")
    ] = "both",
    depth: Annotated[int | None, typer.Option("--depth", help="At most so many steps away (default: any).")] = None,
    types: Annotated[
        list[str] | None, typer.Option("--type", help="Only links of this type, such as derived_from. Repeatable.")
    ] = None,
) -> ExitCode:
    """Show what a record stands on and what stands on it, as a tree, with how far each of them is believed."""
    with call.memory() as memory:
        found = memory.insight.lineage(record_id, direction=direction, depth=depth, types=types)
    call.tell(lineage_shape(found), show_trust.lineage)
    return ExitCode.ANSWERED


@command(app, "cascade", example="muniment cascade rec_1 --becomes superseded")
def cascade(
    call: CommandCall,
    record_id: RecordId,
    becomes: Annotated[
        str,
        typer.Option("--becomes", help="How it would end: retracted, deprecated, superseded, expired or contested."),
    ] = Status.RETRACTED.value,
) -> ExitCode:
    """Show what would follow if a record ended: every record it reaches, before and after. Changes nothing."""
    with call.memory() as memory:
        plan = memory.insight.foresee(record_id, becomes=becomes)
    call.tell(cascade_shape(plan), show_trust.cascade)
    return ExitCode.ANSWERED


@command(app, "outcome", example='muniment outcome rec_1 misleading --evidence "the deploy failed"')
def outcome(
    call: CommandCall,
    record_id: RecordId,
    result: Annotated[str, typer.Argument(metavar="helpful|misleading", help="How it turned out.", show_default=False)],
    weight: Annotated[float, typer.Option("--weight", help="How much it counts, above 0 and at most 1.")] = 1.0,
    evidence: Annotated[str | None, typer.Option("--evidence", metavar="TEXT", help="What shows it.")] = None,
    expected_revision: ExpectedRevision = None,
    proposal_id: Annotated[
        str | None, typer.Option("--proposal-id", metavar="ID", help="A name for it; the same again counts once.")
    ] = None,
) -> ExitCode:
    """Tell how a record turned out when it was used. Its confidence moves, and that of all that stands on it."""
    with call.memory() as memory:
        verdict = memory.review.outcome(
            record_id,
            result,
            weight=weight,
            evidence=evidence,
            expected_revision=expected_revision,
            proposal_id=proposal_id,
        )
        now = _as_it_is(memory, record_id)
    _tell_after(call, verdict, now)
    return ExitCode.ANSWERED


@command(app, "vouch", example='muniment vouch rec_1 --origin person --reason "read in the contract itself"')
def vouch(
    call: CommandCall,
    record_id: RecordId,
    origin: Annotated[str, typer.Option("--origin", help=f"What it counts as: {_words(*Label)}.", show_default=False)],
    reason: Annotated[str, typer.Option("--reason", help="How you know.", show_default=False)],
    expected_revision: ExpectedRevision = None,
) -> ExitCode:
    """Answer, as a reviewer, for where a record comes from. Nobody lends more than they have themselves."""
    with call.memory() as memory:
        verdict = memory.review.vouch(record_id, origin=origin, reason=reason, expected_revision=expected_revision)
        now = _as_it_is(memory, record_id)
    _tell_after(call, verdict, now)
    return ExitCode.ANSWERED


def _as_it_is(memory: Memory, record_id: str) -> Disclosure | None:
    """The record after the act. One may be let judge a record and not read it; then there is nothing more to tell."""
    try:
        return memory.get(record_id)
    except NotFound:
        return None


def _tell_after(call: CommandCall, verdict: Verdict, now: Disclosure | None) -> None:
    call.tell(after_shape(verdict, now), show_trust.after)


@command(
    app,
    "promote",
    example="muniment promote rec_1 --scope agent_team --scope-id core --evidence ci:9 --owner team-lead",
)
def promote(
    call: CommandCall,
    record_id: RecordId,
    scope: Annotated[str, typer.Option("--scope", help="The wider scope.", show_default=False)],
    scope_id: Annotated[str, typer.Option("--scope-id", help="Which one.", show_default=False)],
    evidence: Annotated[
        list[str],
        typer.Option("--evidence", metavar="REF", help="What stands behind it. Repeatable.", show_default=False),
    ],
    owner: Annotated[
        str, typer.Option("--owner", metavar="ACTOR", help="Who answers for it there.", show_default=False)
    ],
    reason: Annotated[str | None, typer.Option("--reason", help="Why it should count there.")] = None,
) -> ExitCode:
    """Propose that a record counts in a wider scope. It always waits for a reviewer with the right to promote."""
    with call.memory() as memory:
        verdict = memory.review.promote(
            record_id, scope=scope, scope_id=scope_id, evidence=evidence, owner=owner, reason=reason
        )
    call.tell(verdict_shape(verdict), show.verdict)
    return ExitCode.ANSWERED


@command(app, "conflicts", example="muniment conflicts --all --limit 50")
def conflicts(
    call: CommandCall,
    everything: Annotated[bool, typer.Option("--all", help="Show resolved ones too.")] = False,
    limit: Annotated[int, typer.Option("--limit", help="At most so many.")] = 20,
    after: Annotated[
        str | None, typer.Option("--after", metavar="CURSOR", help="Go on after the last one of the page before.")
    ] = None,
) -> ExitCode:
    """Show the open disagreements, both sides of each, oldest first and a page at a time. The content of a long record
    is cut; with --json it is whole."""
    checks.whole("limit", limit, least=1, most=1_000)
    shown: list[ConflictView] = []
    stretch, more = max(limit + 1, 200), True  # resolved ones are passed over
    with call.memory() as memory:
        while more and len(shown) <= limit:
            views = memory.review.conflicts(after=after, limit=stretch)
            shown += [view for view in views if everything or view.status is not ConflictStatus.RESOLVED]
            more = len(views) == stretch
            after = _cursor(views[-1]) if views else None
    page = tuple(shown[:limit])
    call.tell(conflicts_shape(page, following=_cursor(page[-1]) if len(shown) > limit else None), show_trust.conflicts)
    return ExitCode.ANSWERED


def _cursor(view: ConflictView) -> str:
    return f"{view.opened}@{view.id}"


@command(
    app,
    "resolve",
    example='muniment resolve cfl_1 --strategy evidence_count --rationale "the log settles it"',
    flags=(SYNTHESIS,),
)
def resolve(
    call: CommandCall,
    conflict_id: Annotated[str, typer.Argument(metavar="CONFLICT", help="The conflict's id.", show_default=False)],
    strategy: Annotated[str, typer.Option("--strategy", help=f"{_words(*Strategy)}.", show_default=False)],
    rationale: Annotated[str, typer.Option("--rationale", help="Why; it is kept.", show_default=False)],
    winner: Annotated[
        str | None, typer.Option("--winner", metavar="ID", help="The side to keep; in a vote, your ballot.")
    ] = None,
    synthesis: Annotated[
        str | None,
        typer.Option(
            "--synthesis", metavar="TEXT", help="The record that takes the place of both (strategy synthesis)."
        ),
    ] = None,
    expected: Expected = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show where it would stand and what would fall, and change nothing.")
    ] = False,
    *,
    claim: Given,
) -> ExitCode:
    """Settle a conflict by a declared strategy. One that cannot tell the sides apart says so and changes nothing."""
    # What was not said is left out: without a synthesis there must be nothing that describes one.
    options = cast(ClaimOptions, {name: value for name, value in claim.items() if value is not None})
    with call.memory() as memory:
        settled = memory.review.resolve(
            conflict_id,
            strategy=strategy,
            rationale=rationale,
            winner=winner,
            synthesis=synthesis,
            expected=expected,
            dry_run=dry_run,
            **options,
        )
    if dry_run:
        call.tell(foreseen_shape(settled), show_trust.foreseen)
    else:
        call.tell(settled_shape(settled), show_trust.settled)
    return ExitCode.ANSWERED


SWEPT_NAMED = 20
"""So many records of each kind a sweep names to a person."""


@command(app, "sweep", example="muniment sweep --json")
def sweep(
    call: CommandCall,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", help="Name at most so many of each (default: 20; with --json all).", show_default=False
        ),
    ] = None,
) -> ExitCode:
    """Run maintenance: expire what is past its time, count use, move tiers, and name what is due for review."""
    if limit is not None:
        checks.whole("limit", limit, least=0, most=1_000_000)
    with call.memory() as memory:
        swept = memory.review.sweep()
    most = SWEPT_NAMED if limit is None and not call.as_json else limit
    call.tell(swept_shape(swept, limit=most), show_trust.swept)
    return ExitCode.ANSWERED


@command(app, "directory", example='muniment directory "nightly build" --limit 5')
def directory(
    call: CommandCall,
    about: Annotated[
        str | None, typer.Argument(metavar="[ABOUT]", help="Only who knows about these words.", show_default=False)
    ] = None,
    limit: Annotated[int, typer.Option("--limit", help="At most so many.")] = 50,
) -> ExitCode:
    """Show who knows what, of what the caller may see."""
    checks.whole("limit", limit, least=1, most=10_000)
    with call.memory() as memory:
        found = memory.insight.directory(about, limit=limit)
    call.tell(directory_shape(found), show_trust.directory)
    return ExitCode.ANSWERED


@command(app, "quality", example="muniment quality --namespace /ops")
def quality(
    call: CommandCall,
    namespace: Annotated[
        str | None, typer.Option("--namespace", metavar="/A/B", help="Only this namespace and what is below it.")
    ] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Only this session.")] = None,
    profile: Annotated[str, typer.Option("--profile", help="By which formulas: muniment or memledger.")] = "muniment",
) -> ExitCode:
    """Score every current record the caller may see, and say how good they are together and which are the worst."""
    with call.memory() as memory, working("scoring records") as progress:
        found = memory.insight.quality(namespace=namespace, session=session, profile=profile, progress=progress)
    call.tell(quality_shape(found), show_trust.quality)
    return ExitCode.ANSWERED
