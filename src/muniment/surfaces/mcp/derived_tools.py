"""Tools made from the table of operations: they take the request and answer with the JSON form of the answer."""

from __future__ import annotations

from operator import attrgetter

import msgspec

from muniment.contracts.strict.values import JsonObject
from muniment.model.value import Value
from muniment.operations import OPERATIONS, OperationSpec
from muniment.operations.wire import shape_of
from muniment.surfaces.mcp.render import QUOTED
from muniment.surfaces.mcp.schemas import schema_of
from muniment.surfaces.mcp.session import McpSession
from muniment.surfaces.mcp.tool import ADDS, CHANGES, READS, McpTool, ToolAnswer, ToolDescription, problem
from muniment.surfaces.reception.principal import Grant


def tool_of(row: OperationSpec) -> McpTool:
    """The tool of an operation, called as the method is."""
    takes, grant = _request(row), Grant(row.grant.value)

    def perform(seat: McpSession, given: JsonObject) -> ToolAnswer:
        shape = shape_of(takes)
        asked = shape.settle(shape.sketch_plain(given))
        said = {name: value for name in takes.__struct_fields__ if (value := getattr(asked, name)) is not None}
        found: Value = attrgetter(row.name)(seat.memory)(**said)
        document = found.to_dict()
        return ToolAnswer(document=document, text=f"{QUOTED}\n{msgspec.json.encode(document).decode()}")

    return McpTool(
        words=ToolDescription(name=row.name.rpartition(".")[2], title=row.summary, description=row.help),
        hints=READS if not row.changes else CHANGES if row.grant is Grant.REVIEW else ADDS,
        grant=grant,
        takes=schema_of(takes),
        answers={"type": "object"},
        needs=lambda _: grant,
        perform=perform,
        fails=problem,
    )


def _request(row: OperationSpec) -> type[Value]:
    """What is said in the path, the parameters and the body of a request, as one struct."""
    if not row.places and row.body is None and row.query is not None:
        return row.query
    fields: list[tuple[str, object] | tuple[str, object, object]] = [(place, str) for place in row.places]
    for kind in (row.query, row.body):
        for field in msgspec.structs.fields(kind) if kind is not None else ():
            known = field.default if field.default is not msgspec.NODEFAULT else None
            fields.append((field.name, field.type) if field.required else (field.name, field.type, known))
    made = msgspec.defstruct(row.name.replace(".", "_"), fields, bases=(Value,), kw_only=True, frozen=True)
    assert issubclass(made, Value)
    return made


DERIVED: tuple[McpTool, ...] = tuple(tool_of(row) for row in OPERATIONS if row.tool)
