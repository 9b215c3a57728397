"""The tools of the Akashik protocol: one per operation. Each takes the fields of the envelope and fills in the rest."""

from __future__ import annotations

from functools import partial
from uuid import uuid4

from muniment.contracts.akashik.nouns import EPOCH_MAX
from muniment.contracts.akashik.wire import REQUESTS
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import Malformed
from muniment.surfaces.http.akashik_answers import GRANTS, grant_of
from muniment.surfaces.http.akashik_messages import PROTOCOL, VERSION
from muniment.surfaces.mcp.akashik_views import BESIDE
from muniment.surfaces.mcp.render_akashik import ANSWER, DATA, credential_of, refused, told
from muniment.surfaces.mcp.schemas import schema_of
from muniment.surfaces.mcp.session import McpSession
from muniment.surfaces.mcp.tool import ADDS, CHANGES, READS, McpTool, ToolAnswer, ToolDescription, ToolHints
from muniment.surfaces.reception.principal import Grant

_NAME: JsonObject = {"type": "string", "minLength": 1}
_WORDS: dict[FieldOperation, tuple[str, str, ToolHints]] = {
    FieldOperation.REGISTER: ("Join the Field", "Make an agent known to the Field, with its role. Needed first.", ADDS),
    FieldOperation.DEREGISTER: ("Leave the Field", "Take an agent off the roster. What it wrote stays.", ADDS),
    FieldOperation.RECORD: (
        "Record a unit",
        "Write one unit into the Field: its intent is required, and its confidence unless it is a draft. A draft is "
        "its author's alone. What is refused is not stored; the error says why.",
        ADDS,
    ),
    FieldOperation.ATTUNE: (
        "Attune to the Field",
        "What an agent should know, by role, task and interests, within a budget. With scope.since_epoch it is "
        "everything written or changed since: ask again with the epoch of the answer and nothing is lost.",
        READS,
    ),
    FieldOperation.DETECT: ("Look for conflicts", "List conflicts, check one unit, or scan for new ones.", ADDS),
    FieldOperation.MERGE: (
        "Settle a conflict",
        "Resolve, or vote on, a conflict by a named strategy. The losing unit is superseded and kept.",
        CHANGES,
    ),
    FieldOperation.SUBSCRIBE: (
        "Subscribe to events",
        "Say which events an agent wants. There is no push over MCP: fetch them with akashik_notices.",
        ADDS,
    ),
    FieldOperation.REPLAY: (
        "Replay what happened",
        "The events behind a unit, decision, conflict, task or session.",
        READS,
    ),
    FieldOperation.COMPACT: (
        "Compact the Field",
        "Summarise, archive or purge units. A purge erases content for good; the log stays.",
        CHANGES,
    ),
    FieldOperation.COORDINATE: ("Coordinate tasks", "Create, claim, block, finish or look at tasks.", ADDS),
    FieldOperation.HANDOFF: (
        "Hand a task over",
        "Offer a task with its context to another agent, or answer an offer.",
        ADDS,
    ),
    FieldOperation.SESSION: ("Sessions", "Create, join, leave, close or look at a session.", ADDS),
}


def _operation(operation: FieldOperation) -> McpTool:
    title, words, hints = _WORDS[operation]
    return McpTool(
        words=ToolDescription(
            name=f"akashik_{operation.value.lower()}",
            title=f"Akashik: {title}",
            description=f"Akashik {operation.value}. {words} {DATA}",
        ),
        hints=hints,
        grant=Grant.READ if operation is FieldOperation.DETECT else GRANTS[operation],
        takes=_envelope(operation),
        answers=ANSWER,
        needs=lambda given: grant_of(operation, given.get("payload")),
        perform=partial(_send, operation),
        fails=partial(refused, operation=operation.value),
    )


def _envelope(operation: FieldOperation) -> JsonObject:
    fields: JsonObject = {
        "agent_id": {**_NAME, "description": "The agent that speaks; your credential must be good for it."},
        "payload": schema_of(REQUESTS[operation]),
        "session_id": {"type": ["string", "null"], "description": "The session the agent speaks in."},
        "epoch": {
            "type": "integer",
            "minimum": 0,
            "maximum": EPOCH_MAX,
            "description": "The latest epoch the agent knows (default: 0).",
        },
        "id": {**_NAME, "description": "The message's id (default: a new one). The same id again changes nothing."},
        "message_id": {**_NAME, "description": "Another name for id."},
        "protocol": {"type": "string", "enum": [PROTOCOL]},
        "version": {"type": "string", "enum": [VERSION]},
        "operation": {"type": "string", "enum": [operation.value]},
    }
    needed: JsonObject = {"required": ["agent_id", "payload"], "additionalProperties": False}
    return {"type": "object", "properties": fields, **needed}


def _send(operation: FieldOperation, seat: McpSession, given: JsonObject) -> ToolAnswer:
    return told(seat.field().send(_message(operation, given), credential_of(seat)))


def _message(operation: FieldOperation, given: JsonObject) -> JsonObject:
    """The whole envelope. What is in it is the Field's to check, except which operation and which id are meant."""
    said = dict(given)
    if said.get("operation", operation.value) != operation.value:
        raise Malformed("operation", f"{operation.value}, which is this tool's operation")
    if "message_id" in said:
        name = said.pop("message_id")
        if said.setdefault("id", name) != name:
            raise Malformed("message_id", "what id says, or only one of the two")
    filled: JsonObject = {
        "protocol": PROTOCOL,
        "version": VERSION,
        "id": f"mcp-{uuid4().hex}",
        "operation": operation.value,
        "session_id": None,
        "epoch": 0,
    }
    return filled | said


AKASHIK = (*(_operation(one) for one in FieldOperation), *BESIDE)
