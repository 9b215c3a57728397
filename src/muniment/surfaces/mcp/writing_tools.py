"""The tools that put something forward or tell how it did: remember, propose, outcome, retract."""

from __future__ import annotations

from typing import cast

from muniment.engine import Memory
from muniment.model.claim_options import ClaimOptions, make_claim, revise_claim
from muniment.model.errors import NotFound
from muniment.model.query import Disclosure
from muniment.surfaces.cli.shapes_trust import AfterShape, after_shape
from muniment.surfaces.cli.verdicts import VerdictShape, verdict_shape
from muniment.surfaces.mcp import render
from muniment.surfaces.mcp.arguments import MemoryArguments, OutcomeArguments, ProposalArguments, RetractArguments
from muniment.surfaces.mcp.schemas import schema_of
from muniment.surfaces.mcp.session import McpSession
from muniment.surfaces.mcp.tool import ADDS, CHANGES, ToolAnswer, ToolDescription, said, spoken, tool
from muniment.surfaces.reception.principal import Grant

_NOT_THE_CLAIM = ("content", "proposal_id", "target", "expected_revision", "draft")


def _remember(seat: McpSession, offer: MemoryArguments) -> ToolAnswer:
    options = cast(ClaimOptions, spoken(offer, *_NOT_THE_CLAIM))
    verdict = seat.memory.remember(offer.content, proposal_id=said(offer.proposal_id), **options)
    return ToolAnswer(document=verdict_shape(verdict), text=render.verdict(verdict))


def _propose(seat: McpSession, offer: ProposalArguments) -> ToolAnswer:
    """A revision takes over what is not said from the present one; a new record begins from nothing."""
    memory, options, target = seat.memory, _options(offer), said(offer.target)
    if target is None:
        claim = make_claim(offer.content, memory.actor, options)
    else:
        claim = revise_claim(memory.get(target).record.claim, offer.content, memory.actor, options)
    verdict = memory.propose(
        claim,
        proposal_id=said(offer.proposal_id),
        target=target,
        expected_revision=said(offer.expected_revision),
        draft=said(offer.draft) or False,
    )
    return ToolAnswer(document=verdict_shape(verdict), text=render.verdict(verdict))


def _options(offer: ProposalArguments) -> ClaimOptions:
    words = spoken(offer, *_NOT_THE_CLAIM)
    links = said(offer.relations)
    if links is not None:
        words["relations"] = [(link.type.value, link.id) for link in links]
    return cast(ClaimOptions, words)


def _outcome(seat: McpSession, report: OutcomeArguments) -> ToolAnswer:
    verdict = seat.memory.review.outcome(
        report.record_id,
        report.result,
        weight=report.weight,
        evidence=said(report.evidence),
        expected_revision=said(report.expected_revision),
        proposal_id=said(report.proposal_id),
    )
    now = _as_it_is(seat.memory, report.record_id)
    after = [] if now is None else [f"It is believed with {now.standing.footing.effective:.2f} now."]
    return ToolAnswer(document=after_shape(verdict, now), text="\n".join([render.verdict(verdict), *after]))


def _as_it_is(memory: Memory, record_id: str) -> Disclosure | None:
    """The record after the act. One may be let judge a record and not read it; then there is nothing more to tell."""
    try:
        return memory.get(record_id)
    except NotFound:
        return None


def _retract(seat: McpSession, asked: RetractArguments) -> ToolAnswer:
    revision = said(asked.expected_revision)
    verdict = seat.memory.review.retract(asked.record_id, reason=asked.reason, expected_revision=revision)
    return ToolAnswer(document=verdict_shape(verdict), text=render.verdict(verdict))


_WHAT_HAPPENS = (
    "Nothing enters memory without a decision: the answer says `committed` (it is a record now), `held` (it waits for "
    "a person and nobody recalls it yet) or `refused` (nothing was remembered; the reason says why, and sending the "
    "same again does not help). What is kept: the text, what you say about it, that you said it and when, and the "
    "decision, refusals included. Secrets are taken out or refused."
)

WRITING = (
    tool(
        ToolDescription(
            name="remember",
            title="Remember something",
            description=(
                f"Propose one statement for the shared memory, in your own name. {_WHAT_HAPPENS} Others will read "
                "it: write it so that it can be understood alone, and give evidence and an honest confidence."
            ),
        ),
        ADDS,
        Grant.WRITE,
        MemoryArguments,
        schema_of(VerdictShape),
        _remember,
    ),
    tool(
        ToolDescription(
            name="propose",
            title="Propose a record or a revision",
            description=(
                "Like `remember`, with everything that can be said of a record. With `target` it is a new revision of "
                "that record, which takes over what you do not say; the old revision is kept and superseded. With "
                f"`draft` it is yours alone until a proposal supersedes it. {_WHAT_HAPPENS}"
            ),
        ),
        ADDS,
        Grant.WRITE,
        ProposalArguments,
        schema_of(VerdictShape),
        _propose,
    ),
    tool(
        ToolDescription(
            name="outcome",
            title="Tell how a record turned out",
            description=(
                "Say that a record you used was helpful or misleading. Its confidence moves, and that of everything "
                "that stands on it. Reports about your own records may be noted without counting."
            ),
        ),
        ADDS,
        Grant.WRITE,
        OutcomeArguments,
        schema_of(AfterShape),
        _outcome,
    ),
    tool(
        ToolDescription(
            name="retract",
            title="Take a record back",
            description=(
                "Take a record back: it no longer answers, what stands on it alone falls with it, and its history is "
                "kept. Authors may retract their own; others need the right to. To erase content, use `forget`."
            ),
        ),
        CHANGES,
        Grant.WRITE,
        RetractArguments,
        schema_of(VerdictShape),
        _retract,
    ),
)
