"""The commands that put something forward or answer for it: init, remember, revise, retract, decide."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, cast

import typer

from muniment.engine import Memory
from muniment.engine.vault import bring_policy
from muniment.model import checks
from muniment.model.actor import OWNER, Actor
from muniment.model.checks import CONTENT_BYTES_MAX
from muniment.model.claim_options import ClaimOptions, make_claim
from muniment.model.errors import LimitExceeded, Malformed, Stale
from muniment.model.proposal import RetractRequest
from muniment.surfaces.cli import show, show_trust
from muniment.surfaces.cli.confirm import confirmed, must_ask, note_one_node
from muniment.surfaces.cli.flags import CLAIM, Given
from muniment.surfaces.cli.output import note, read_standard_input
from muniment.surfaces.cli.root import CommandCall, app, command
from muniment.surfaces.cli.shapes import VaultShape
from muniment.surfaces.cli.shapes_trust import cascade_shape
from muniment.surfaces.cli.verdicts import rehearsed_shape, verdict_shape
from muniment.surfaces.problems import ExitCode

RecordId = Annotated[str, typer.Argument(metavar="ID", help="The record's id.", show_default=False)]
Content = Annotated[
    str,
    typer.Argument(
        metavar="TEXT",
        help="What to remember; - reads standard input, without its last line break.",
        show_default=False,
    ),
]
Session = Annotated[str | None, typer.Option("--session", metavar="ID", help="The session the actor is in.")]
ExpectedRevision = Annotated[
    int | None, typer.Option("--expected-revision", help="Refuse if the record has moved on from this revision.")
]


class DecideChoice(StrEnum):
    """What a person answers to a held proposal."""

    ACCEPT = "accept"
    DISCARD = "discard"


@command(app, "init", example="muniment init --vault ./muniment-data")
def init(call: CommandCall) -> ExitCode:
    """Make a vault. With --policy the file becomes the vault's own policy. An existing vault is left as it is."""
    new = not call.has_vault
    if call.config.policy is not None:
        bring_policy(call.place, Path(call.config.policy))
    with Memory.open(call.config.vault, tenant=call.config.tenant, content_keys=call.config.content_keys):
        shape: VaultShape = {"vault": call.where, "tenant": call.config.tenant, "created": new}
    call.tell(shape, show.vault)
    note_one_node(call.config.vault)
    return ExitCode.ANSWERED


@command(
    app,
    "remember",
    example='muniment remember "The build is green" --kind fact --evidence ci:1042 --confidence 0.9',
    flags=(CLAIM,),
)
def remember(
    call: CommandCall,
    text: Content,
    session: Session = None,
    proposal_id: Annotated[
        str | None,
        typer.Option("--proposal-id", metavar="ID", help="A name for the proposal; the same again changes nothing."),
    ] = None,
    *,
    claim: Given,
) -> ExitCode:
    """Propose a memory. The policy decides; the answer says what was decided and why."""
    content = _content(text)
    options = _claim_options(claim)
    if session is not None:
        options["session_id"] = session
    _refuse_early(content, proposal_id, options)
    with call.memory(session=session, create=True) as memory:
        verdict = memory.remember(content, proposal_id=proposal_id, **options)
    call.tell(verdict_shape(verdict), show.verdict)
    return ExitCode.ANSWERED


def _refuse_early(content: str, proposal_id: str | None, options: ClaimOptions) -> None:
    """Refuse what is malformed whoever says it, so that no vault is made for it. The stand-in belongs everywhere."""
    checks.optional_identifier("proposal_id", proposal_id)
    checks.optional_identifier("session_id", options.get("session_id"))
    make_claim(content, Actor(id=OWNER, teams=("any",), sessions=("any",)), options)


@command(
    app,
    "revise",
    example='muniment revise rec_1 "The build is red" --expected-revision 1 --evidence ci:1043',
    flags=(CLAIM,),
)
def revise(
    call: CommandCall,
    record_id: RecordId,
    text: Content,
    expected_revision: ExpectedRevision = None,
    session: Session = None,
    *,
    claim: Given,
) -> ExitCode:
    """Propose a new revision of a record. What is not said is taken over; the old revision is kept."""
    content = _content(text)
    options = _claim_options(claim)
    with call.memory(session=session) as memory:
        verdict = memory.revise(record_id, content, expected_revision=expected_revision, **options)
    call.tell(verdict_shape(verdict), show.verdict)
    return ExitCode.ANSWERED


@command(app, "retract", example='muniment retract rec_1 --reason "the test was wrong" --yes')
def retract(
    call: CommandCall,
    record_id: RecordId,
    reason: Annotated[str, typer.Option("--reason", help="Why it is taken back.", show_default=False)],
    expected_revision: ExpectedRevision = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would follow, and change nothing.")] = False,
) -> ExitCode:
    """Take a record back. It stays in its history and no longer answers; what stands on it alone falls with it."""
    if dry_run:
        return _foresee(call, RetractRequest(record=record_id, reason=reason, expected_revision=expected_revision))
    if must_ask(yes, "retract") and not confirmed(f"Retract {record_id}?"):
        note("nothing was changed")
        return ExitCode.ANSWERED
    with call.memory() as memory:
        verdict = memory.review.retract(record_id, reason=reason, expected_revision=expected_revision)
    call.tell(verdict_shape(verdict), show.verdict)
    return ExitCode.ANSWERED


def _foresee(call: CommandCall, retraction: RetractRequest) -> ExitCode:
    """Tell the plan of a retraction. What would make the retraction itself stale makes its plan stale too."""
    with call.memory() as memory:
        plan = memory.insight.foresee(retraction.record)
        expected = retraction.expected_revision
        revision = memory.get(retraction.record).record.revision
    if expected not in (None, revision):
        raise Stale(f"record {retraction.record}", yours=f"revision {expected}", present=f"revision {revision}")
    call.tell(cascade_shape(plan), show_trust.cascade)
    return ExitCode.ANSWERED


@command(app, "decide", example='muniment decide prp_1 accept --reason "checked against the ticket"')
def decide(
    call: CommandCall,
    proposal_id: Annotated[str, typer.Argument(metavar="PROPOSAL", help="The held proposal.", show_default=False)],
    answer: Annotated[str, typer.Argument(metavar="accept|discard", help="What becomes of it.", show_default=False)],
    reason: Annotated[str, typer.Option("--reason", help="Why.", show_default=False)],
    kind: Annotated[str | None, typer.Option("--kind", help="Correct what it is.")] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="Correct whose it is.")] = None,
    scope_id: Annotated[str | None, typer.Option("--scope-id", help="Correct which one.")] = None,
    contradicts: Annotated[
        list[str] | None,
        typer.Option("--contradicts", metavar="RECORD", help="A record it disagrees with; may be said again."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what it would come to, and change nothing.")] = False,
) -> ExitCode:
    """Answer for a proposal that waits for a person."""
    accept = checks.read_word("answer", answer, DecideChoice) is DecideChoice.ACCEPT
    with call.memory() as memory:
        verdict = memory.review.decide(
            proposal_id,
            accept=accept,
            reason=reason,
            kind=kind,
            scope=scope,
            scope_id=scope_id,
            contradicts=contradicts or (),
            dry_run=dry_run,
        )
    if dry_run:
        call.tell(rehearsed_shape(verdict), show_trust.rehearsed)
    else:
        call.tell(verdict_shape(verdict), show.verdict)
    return ExitCode.ANSWERED


def _content(text: str) -> str:
    if text != "-":
        return text
    sent = read_standard_input(CONTENT_BYTES_MAX + 2)
    if sent is None:
        raise Malformed("text", "standard input, which is closed")
    sent = sent.removesuffix(b"\n").removesuffix(b"\r")
    if len(sent) > CONTENT_BYTES_MAX:
        raise LimitExceeded("content", limit=CONTENT_BYTES_MAX, unit="bytes", sent=len(sent))
    try:
        return sent.decode()
    except UnicodeDecodeError:
        raise Malformed("text", "UTF-8 text on standard input") from None


def _claim_options(claim: Given) -> ClaimOptions:
    """The flags as the engine's keywords. A relation is typed as TYPE:ID and handed on as a pair."""
    relations = cast("list[str] | None", claim["relations"])
    options = cast(ClaimOptions, {**claim})
    options["relations"] = None if relations is None else [_relation(one) for one in relations]
    return options


def _relation(text: str) -> tuple[str, str]:
    kind, colon, target = text.partition(":")
    if not (kind and colon and target):
        raise Malformed("relations", "TYPE:ID, such as contradicts:rec_1")
    return kind, target
