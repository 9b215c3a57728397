"""The tools of the Field beside its operations: the three views, what push would carry, and taking a unit back."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from muniment.compat.akashik import debounced
from muniment.contracts.akashik.notices import LastNotified as Heard
from muniment.contracts.akashik.nouns import EPOCH_MAX
from muniment.contracts.shape import Wire
from muniment.contracts.strict.values import JsonObject
from muniment.surfaces.mcp.render_akashik import ANSWER, DATA, credential_of, refused, told
from muniment.surfaces.mcp.session import McpSession
from muniment.surfaces.mcp.tool import CHANGES, READS, ToolAnswer, ToolDescription, said, tool
from muniment.surfaces.reception.principal import Grant

POSITIONS, POSITIONS_MAX = 256, 10_000

Name = Annotated[str, Meta(min_length=1)]


class Looking(Wire):
    agent_id: Annotated[Name, Meta(description="The agent that looks (default: your own name).")] | UnsetType = UNSET
    session_id: Annotated[Name, Meta(description="Only this session.")] | UnsetType = UNSET


class Polling(Wire):
    agent_id: Annotated[Name, Meta(description="The agent whose subscriptions are looked at.")]
    after_epoch: Annotated[int, Meta(ge=0, le=EPOCH_MAX, description="The epoch of the last answer; 0 at first.")] = 0
    limit: Annotated[int, Meta(ge=1, le=POSITIONS_MAX, description="How many epochs one answer looks at.")] = POSITIONS


class Retracting(Wire):
    agent_id: Annotated[Name, Meta(description="The agent that takes it back: its author, or one who may.")]
    memory_unit_id: Name
    reason: Annotated[Name, Meta(description="Why; kept in the log.")]
    session_id: Annotated[Name, Meta(description="The session the agent speaks in.")] | UnsetType = UNSET


class Failing(Wire):
    agent_id: Annotated[Name, Meta(description="The agent that reports it.")]
    reason: Annotated[Name, Meta(description="What happened; kept in the log.")]
    failed_agent_id: Annotated[Name, Meta(description="Which agent failed (default: the one that reports).")] | (
        UnsetType
    ) = UNSET
    session_id: Annotated[Name, Meta(description="The session the agent speaks in.")] | UnsetType = UNSET


def _status(seat: McpSession, look: Looking) -> ToolAnswer:
    return told(seat.field().status(credential_of(seat), said(look.agent_id), said(look.session_id)))


def _agents(seat: McpSession, look: Looking) -> ToolAnswer:
    return told(seat.field().agents(credential_of(seat), said(look.agent_id), said(look.session_id)))


def _conflicts(seat: McpSession, look: Looking) -> ToolAnswer:
    return told(seat.field().conflicts(credential_of(seat), said(look.agent_id), said(look.session_id)))


def _notices(seat: McpSession, poll: Polling) -> ToolAnswer:
    """What is due of the epochs looked at. Within one answer a subscription's debounce holds; between two there is
    nobody who would remember what was told."""
    found = seat.field().notices(poll.agent_id, credential_of(seat), poll.after_epoch, poll.limit)
    due, _ = debounced(found.documents, found.waits, Heard(), 0)
    document: JsonObject = {"notices": [*due], "epoch": found.epoch}
    return told(document)


def _retract(seat: McpSession, asked: Retracting) -> ToolAnswer:
    session = said(asked.session_id)
    return told(seat.field().retract(credential_of(seat), asked.agent_id, asked.memory_unit_id, asked.reason, session))


def _fail(seat: McpSession, report: Failing) -> ToolAnswer:
    failed, session = said(report.failed_agent_id), said(report.session_id)
    return told(seat.field().fail(credential_of(seat), report.agent_id, report.reason, failed=failed, session=session))


BESIDE = (
    tool(
        ToolDescription(
            name="akashik_status",
            title="Akashik: State of the Field",
            description="The Field's epoch, level and counts, of what the agent may see.",
        ),
        READS,
        Grant.READ,
        Looking,
        ANSWER,
        _status,
        fails=partial(refused, operation="STATUS"),
    ),
    tool(
        ToolDescription(
            name="akashik_agents",
            title="Akashik: Agents of the Field",
            description="The agents that are registered, of what the agent may see.",
        ),
        READS,
        Grant.READ,
        Looking,
        ANSWER,
        _agents,
        fails=partial(refused, operation="AGENTS"),
    ),
    tool(
        ToolDescription(
            name="akashik_conflicts",
            title="Akashik: Conflicts of the Field",
            description=f"The conflicts of which the agent may see both sides. {DATA}",
        ),
        READS,
        Grant.READ,
        Looking,
        ANSWER,
        _conflicts,
        fails=partial(refused, operation="CONFLICTS"),
    ),
    tool(
        ToolDescription(
            name="akashik_notices",
            title="Akashik: What happened",
            description=(
                "The notices of what an agent subscribed to, after an epoch, in order. Ask again with the epoch of the "
                f"answer: nothing is missed and nothing comes twice. {DATA}"
            ),
        ),
        READS,
        Grant.READ,
        Polling,
        ANSWER,
        _notices,
        fails=partial(refused, operation="NOTICES"),
    ),
    tool(
        ToolDescription(
            name="akashik_retract",
            title="Akashik: Take a unit back",
            description=(
                "Take a unit back, or discard a draft (an operation of our extension). It no longer answers; the log "
                "keeps that it was there."
            ),
        ),
        CHANGES,
        Grant.WRITE,
        Retracting,
        ANSWER,
        _retract,
        fails=partial(refused, operation="RETRACT"),
    ),
    tool(
        ToolDescription(
            name="akashik_fail",
            title="Akashik: Report a failed agent",
            description=(
                "Report that an agent failed: yourself, or another if your authority reaches that far (an operation of "
                "our extension). What it had in hand is flagged for others; it returns by registering again."
            ),
        ),
        CHANGES,
        Grant.WRITE,
        Failing,
        ANSWER,
        _fail,
        fails=partial(refused, operation="FAIL"),
    ),
)
