"""Prompts a person can pick: what is known about a topic, reviewing the queue, settling a conflict.

Each brings what memory says as quoted data and asks for a use of the tools; what is quoted asks for nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from muniment.model.errors import Malformed, NotFound
from muniment.model.value import Value
from muniment.surfaces.mcp import render
from muniment.surfaces.mcp.session import McpSession

Given = dict[str, str]
_QUEUE_MAX = 20


class PromptArgument(Value):
    """One thing a prompt asks of the person who picks it."""

    name: str
    description: str
    required: bool = True


class McpPrompt(Value):
    name: str
    title: str
    description: str
    write: Callable[[McpSession, Given], str]
    slots: tuple[PromptArgument, ...] = ()


def _known(seat: McpSession, given: Given) -> str:
    found = seat.memory.recall(given["topic"])
    return "\n".join(
        [
            f"What do we know about this: {render.line(given['topic'])}",
            "Answer from the records below and cite each by its marker. Say which are contested, weak or old, and "
            "what is not known. Add nothing that no record says.",
            "",
            render.recall(found),
        ]
    )


def _review(seat: McpSession, _: Given) -> str:
    waiting = seat.memory.review.queue(limit=_QUEUE_MAX)
    return "\n".join(
        [
            "Go through the proposals that wait, one by one. For each, say what it claims, what stands behind it, "
            "whether memory agrees (use `recall`), and what you would answer and why. Ask me before you call `decide`.",
            "",
            render.queue(waiting),
        ]
    )


def _settle(seat: McpSession, given: Given) -> str:
    views = [view for view in seat.memory.review.conflicts() if view.id == given["conflict_id"]]
    if not views:
        raise NotFound("conflict", given["conflict_id"])
    return "\n".join(
        [
            "Help me to settle this disagreement. Compare both sides by evidence, origin, age and what they stand on "
            "(use `lineage` and `history`), name the strategy that fits and why, and ask me before you call `resolve`.",
            "",
            render.conflicts(views),
        ]
    )


PROMPTS = (
    McpPrompt(
        name="what-do-we-know",
        title="What do we know about …",
        description="Recall a topic and answer from the records alone, with citations.",
        write=_known,
        slots=(PromptArgument(name="topic", description="What it is about, in words."),),
    ),
    McpPrompt(
        name="review-queue",
        title="Review what waits",
        description="Go through the proposals that wait for a reviewer.",
        write=_review,
    ),
    McpPrompt(
        name="settle-conflict",
        title="Settle a disagreement",
        description="Weigh both sides of a conflict and propose how to settle it.",
        write=_settle,
        slots=(PromptArgument(name="conflict_id", description="The conflict's id; `conflicts` lists them."),),
    ),
)


def write(prompt: McpPrompt, seat: McpSession, given: Given) -> str:
    """The text of a prompt. What it asks for must be said, and nothing else."""
    names = {slot.name for slot in prompt.slots}
    for slot in prompt.slots:
        if slot.required and not given.get(slot.name, "").strip():
            raise Malformed(slot.name, "text that is not empty")
    if unknown := sorted(given.keys() - names):
        raise Malformed(unknown[0], "an argument that the prompt takes")
    return prompt.write(seat, given)
