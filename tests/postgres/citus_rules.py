"""The rules that keep a statement fit for a cluster whose tables are spread by tenant, over PostgreSQL's parse tree.

A statement is broken by one of them when it names a tenant's table in any of its parts without saying `tenant_id = $1`
there, has a key or a conflict target that does not begin with tenant_id, changes tenant_id, or does what a distributed
table cannot: triggers, foreign keys made with the table, volatile functions in an UPDATE, functions that are not
immutable in an ON CONFLICT clause, a SELECT without columns, an INSERT … SELECT that would be pulled to the first node,
locks that are not the table's, settings that outlive a transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pglast import ast, enums, parse_sql
from pglast.parser import ParseError

KEY = "tenant_id"
HARMLESS = frozenset({"now", "count", "max", "min", "sum", "unnest", "row_number", "octet_length", "any_value"})
"""The functions that may stand in a statement that changes rows. None is volatile."""
IMMUTABLE = HARMLESS - {"now"} | {"greatest", "least", "coalesce", "nullif"}
"""The functions that may stand in an ON CONFLICT clause."""
CLOCKS = (
    *(enums.SQLValueFunctionOp.SVFOP_CURRENT_TIMESTAMP, enums.SQLValueFunctionOp.SVFOP_CURRENT_TIMESTAMP_N),
    *(enums.SQLValueFunctionOp.SVFOP_LOCALTIMESTAMP, enums.SQLValueFunctionOp.SVFOP_CURRENT_DATE),
)
TOLD_ONCE = frozenset({"search_path", "role"})
"""What a connection is told when it is new. It concerns the node that was connected to and nothing else."""
FORBIDDEN: dict[type[ast.Node], str] = {
    ast.CreateTrigStmt: "a trigger",
    ast.CreateFunctionStmt: "a function",
    ast.DoStmt: "a block of code",
    ast.RuleStmt: "a rule",
    ast.MergeStmt: "MERGE",
    ast.CopyStmt: "COPY",
    ast.LockingClause: "a lock on rows (FOR UPDATE, FOR SHARE)",
    ast.CreateSeqStmt: "a sequence",
}


Sources = tuple[ast.Node | None, ...] | None


@dataclass(frozen=True, slots=True)
class Tables:
    """What is known of the tables: those of tenants, and those that everybody has a copy of."""

    tenants: frozenset[str]
    everywhere: frozenset[str]


def faults(
    statement: str, tables: Tables, *, literal: bool = False, lasting: frozenset[str] = frozenset()
) -> list[str]:
    """What is wrong with a statement. With `literal` a number may stand for `$1`: in a migration of one tenant. What is
    `lasting` may be set for longer than a transaction."""
    try:
        parsed = parse_sql(statement)
    except ParseError as error:
        return [f"is not SQL: {error}"]
    if len(parsed) != 1:
        return [f"is {len(parsed)} statements in one message"]
    tree = parsed[0].stmt
    assert tree is not None, "a statement that was parsed is there"
    return list(_Check(tables, literal, TOLD_ONCE | lasting).statement(tree))


class _Check:
    def __init__(self, tables: Tables, literal: bool, lasting: frozenset[str]) -> None:
        self._tables = tables
        self._literal = literal
        self._lasting = lasting

    def statement(self, node: ast.Node) -> Iterator[str]:
        yield from self._forbidden(node)
        yield from self._functions(node)
        yield from self._conflicts(node)
        yield from self._without_columns(node)
        match node:
            case ast.VariableSetStmt():
                yield from _setting(node, self._lasting)
            case ast.CreateStmt():
                yield from self._table(node)
            case ast.IndexStmt():
                yield from self._index(node)
            case ast.AlterTableStmt():
                yield from self._alter(node)
            case ast.TruncateStmt():
                yield "empties a table for every tenant (TRUNCATE)"
            case _:
                yield from self._queries(node, frozenset())

    def _forbidden(self, node: ast.Node) -> Iterator[str]:
        for part in _within(node):
            if type(part) in FORBIDDEN:
                yield f"has {FORBIDDEN[type(part)]}"

    def _functions(self, node: ast.Node) -> Iterator[str]:
        changes = any(isinstance(part, ast.UpdateStmt) or _upserts(part) for part in _within(node))
        for call in _within(node):
            if not isinstance(call, ast.FuncCall):
                continue
            name = str(_each(call.funcname)[-1].sval)
            if "advisory" in name:
                yield "has an advisory lock"
            elif name == "pg_notify" and not _alone(node):
                yield "notifies beside doing something else"
            elif changes and name not in HARMLESS:
                yield f"calls {name} in an UPDATE, and it is not known to be harmless"

    def _conflicts(self, node: ast.Node) -> Iterator[str]:
        """A row that is already there is decided about on the worker, which takes no function for that whose answer the
        first node could give another time."""
        for clause in (part for part in _within(node) if isinstance(part, ast.OnConflictClause)):
            for part in _within((clause.whereClause, clause.targetList)):
                if isinstance(part, ast.FuncCall):
                    name = str(_each(part.funcname)[-1].sval)
                    if name not in IMMUTABLE:
                        yield f"calls {name} in an ON CONFLICT clause, and it is not immutable"
                elif isinstance(part, ast.SQLValueFunction) and part.op in CLOCKS:
                    yield "looks at the clock in an ON CONFLICT clause, which is not immutable"

    def _without_columns(self, node: ast.Node) -> Iterator[str]:
        """An answer of no columns cannot be carried from one node to another."""
        ours = self._tables.tenants | self._tables.everywhere
        for part in (part for part in _within(node) if isinstance(part, ast.SelectStmt)):
            if not part.targetList and any(one.relname in ours for one in _relations(part.fromClause)):
                yield "selects no columns (SELECT FROM …)"

    def _pulled(self, select: ast.Node | None) -> Iterator[str]:
        """An INSERT … SELECT runs on the worker when the tenant's number comes out of a tenant's table that is bound to
        it, and whatever counts over rows counts within the tenant. Otherwise its rows are fetched to the first node
        and copied back, which row-level security forbids, and which commits on two nodes."""
        if not isinstance(select, ast.SelectStmt) or select.valuesLists:
            return
        if select.op != enums.SetOperation.SETOP_NONE:
            yield "adds what a UNION or the like gives: it is pulled to the first node"
            return
        bound = set(self._bound(select.whereClause))
        names = {
            one.alias.aliasname if one.alias is not None else one.relname
            for one in _relations(select.fromClause)
            if one.relname in self._tables.tenants
        }
        first = _each(select.targetList)[0].val
        if not (_is_key(first) and _field_of(first) in bound & names):
            yield f"adds rows whose {KEY} is not that of a tenant's table in FROM: they are pulled to the first node"
        if select.limitCount is not None or select.sortClause:
            yield "adds rows in an order or up to a limit: they are pulled to the first node"
        for part in _within(select):
            if isinstance(part, ast.WindowDef) and not any(_is_key(key) for key in _each(part.partitionClause)[:1]):
                yield f"counts over a window that does not begin with {KEY}: it is pulled to the first node"

    def _queries(self, node: ast.Node | tuple[object, ...] | None, known: frozenset[str]) -> Iterator[str]:
        """Every query in it, each by itself: what one says of a tenant says nothing of another."""
        if isinstance(node, tuple):
            for part in node:
                if isinstance(part, ast.Node | tuple):
                    yield from self._queries(part, known)
            return
        if not isinstance(node, ast.Node):
            return
        if isinstance(node, ast.SelectStmt | ast.InsertStmt | ast.UpdateStmt | ast.DeleteStmt):
            known |= _defined(node)
            yield from self._query(node, known)
        for name in node:
            yield from self._queries(getattr(node, name), known)

    def _query(
        self, node: ast.SelectStmt | ast.InsertStmt | ast.UpdateStmt | ast.DeleteStmt, known: frozenset[str]
    ) -> Iterator[str]:
        match node:
            case ast.SelectStmt():
                yield from self._named(list(_relations(node.fromClause)), [node.whereClause], node.fromClause, known)
            case ast.UpdateStmt():
                yield from self._assigned(node.targetList)
                found = [*_relations((node.relation,)), *_relations(node.fromClause)]
                yield from self._named(found, [node.whereClause], node.fromClause, known)
            case ast.DeleteStmt():
                found = [*_relations((node.relation,)), *_relations(node.usingClause)]
                yield from self._named(found, [node.whereClause], node.usingClause, known)
            case ast.InsertStmt():
                yield from self._inserted(node)

    def _named(
        self,
        relations: list[ast.RangeVar],
        conditions: list[ast.Node | None],
        sources: Sources,
        known: frozenset[str],
    ) -> Iterator[str]:
        """Each tenant's table of one query is bound to the tenant in this query."""
        bound = {name for condition in (*conditions, *_joined(sources)) for name in self._bound(condition) if condition}
        counted = [one for one in relations if not (one.schemaname is None and one.relname in known)]
        for one in counted:
            alias = one.alias.aliasname if one.alias is not None else one.relname
            if one.relname in self._tables.tenants and alias not in bound and not ("" in bound and len(relations) == 1):
                yield f"names {one.relname} without {KEY} = $1 in the same query"

    def _bound(self, condition: ast.Node | None) -> Iterator[str]:
        """The names whose tenant a condition fixes, whatever else it says."""
        if isinstance(condition, ast.BoolExpr) and condition.boolop == enums.BoolExprType.AND_EXPR:
            for part in _each(condition.args):
                yield from self._bound(part)
        elif isinstance(condition, ast.A_Expr) and condition.kind == enums.A_Expr_Kind.AEXPR_OP:
            if [part.sval for part in _each(condition.name)] != ["="]:
                return
            for column, value in ((condition.lexpr, condition.rexpr), (condition.rexpr, condition.lexpr)):
                if isinstance(column, ast.ColumnRef) and self._is_tenant(value):
                    fields = [str(part.sval) for part in _each(column.fields) if isinstance(part, ast.String)]
                    if fields and fields[-1] == KEY:
                        yield fields[-2] if len(fields) > 1 else ""

    def _is_tenant(self, value: object) -> bool:
        if isinstance(value, ast.TypeCast):
            return self._is_tenant(value.arg)
        if isinstance(value, ast.ParamRef):
            return bool(value.number == 1)
        return self._literal and isinstance(value, ast.A_Const)

    def _inserted(self, node: ast.InsertStmt) -> Iterator[str]:
        table = _table_of(node)
        if table not in self._tables.tenants:
            return
        columns = [column.name for column in node.cols or ()]
        if columns[:1] != [KEY]:
            yield f"adds to {table} without naming {KEY} first"
            return
        for value in _first_values(node.selectStmt):
            if not (self._is_tenant(value) or _is_key(value)):
                yield f"adds to {table} a row whose {KEY} is not $1"
        if not self._literal:
            yield from self._pulled(node.selectStmt)
        if (clause := node.onConflictClause) is not None:
            yield from self._assigned(clause.targetList)
            elements = clause.infer.indexElems if clause.infer is not None else ()
            if not elements or elements[0].name != KEY:
                yield f"has a conflict target on {table} that does not begin with {KEY}"

    def _assigned(self, targets: tuple[ast.ResTarget, ...] | None) -> Iterator[str]:
        if any(target.name == KEY for target in targets or ()):
            yield f"changes {KEY}"

    def _table(self, node: ast.CreateStmt) -> Iterator[str]:
        table = _table_of(node)
        for part in node.tableElts or ():
            if isinstance(part, ast.ColumnDef):
                for constraint in part.constraints or ():
                    yield from self._constraint(table, constraint, [str(part.colname)], made_with=True)
            elif isinstance(part, ast.Constraint):
                yield from self._constraint(table, part, [key.sval for key in part.keys or ()], made_with=True)

    def _constraint(self, table: str, node: ast.Constraint, keys: list[str], *, made_with: bool) -> Iterator[str]:
        if node.contype in (enums.ConstrType.CONSTR_PRIMARY, enums.ConstrType.CONSTR_UNIQUE):
            if table not in self._tables.everywhere and keys[:1] != [KEY]:
                yield f"gives {table} a key that does not begin with {KEY}"
        elif node.contype == enums.ConstrType.CONSTR_FOREIGN:
            here = [key.sval for key in node.fk_attrs or ()] or keys
            there = [key.sval for key in node.pk_attrs or ()]
            if made_with:
                yield f"gives {table} a foreign key when it is made: it must be distributed first"
            if node.conname is None:
                yield f"gives {table} a foreign key without a name"
            if here[:1] != [KEY] or there[:1] != [KEY]:
                yield f"gives {table} a foreign key that does not begin with {KEY}"

    def _index(self, node: ast.IndexStmt) -> Iterator[str]:
        table, first = _table_of(node), _each(node.indexParams)[0].name
        if node.unique and table not in self._tables.everywhere and first != KEY:
            yield f"gives {table} a unique index that does not begin with {KEY}"
        if node.accessMethod == "hnsw" and table in self._tables.tenants:
            yield f"gives {table} one index over the vectors of many tenants"

    def _alter(self, node: ast.AlterTableStmt) -> Iterator[str]:
        table = _table_of(node)
        for command in node.cmds or ():
            if isinstance(command.def_, ast.Constraint):
                keys = [key.sval for key in command.def_.keys or ()]
                yield from self._constraint(table, command.def_, keys, made_with=False)
            elif command.subtype == enums.AlterTableType.AT_AddColumn:
                for constraint in command.def_.constraints or ():
                    yield from self._constraint(table, constraint, [str(command.def_.colname)], made_with=True)


def _each(parts: tuple[Any, ...] | None) -> tuple[Any, ...]:
    """The parts of a node; the parser says of none of them what it is."""
    return parts or ()


def _table_of(node: ast.InsertStmt | ast.CreateStmt | ast.IndexStmt | ast.AlterTableStmt) -> str:
    assert node.relation is not None, "it is about a table"
    return str(node.relation.relname)


def _setting(node: ast.VariableSetStmt, lasting: frozenset[str]) -> Iterator[str]:
    reset = node.kind in (enums.VariableSetKind.VAR_RESET, enums.VariableSetKind.VAR_RESET_ALL)
    if not node.is_local and not reset and str(node.name) not in lasting:
        yield f"sets {node.name} for longer than a transaction"


def _upserts(node: ast.Node) -> bool:
    if not isinstance(node, ast.OnConflictClause):
        return False
    return bool(node.action == enums.OnConflictAction.ONCONFLICT_UPDATE)


def _alone(node: ast.Node) -> bool:
    """Whether a statement is `SELECT pg_notify(…)` and nothing else."""
    if not isinstance(node, ast.SelectStmt):
        return False
    return node.fromClause is None and node.withClause is None and len(_each(node.targetList)) == 1


def _within(node: ast.Node | tuple[object, ...] | object) -> Iterator[ast.Node]:
    """A part of the tree and everything below it."""
    if isinstance(node, tuple):
        for part in node:
            yield from _within(part)
    elif isinstance(node, ast.Node):
        yield node
        for name in node:
            yield from _within(getattr(node, name))


def _defined(node: ast.SelectStmt | ast.InsertStmt | ast.UpdateStmt | ast.DeleteStmt) -> frozenset[str]:
    clause = node.withClause
    return frozenset(str(one.ctename) for one in _each(clause.ctes)) if clause is not None else frozenset()


def _relations(sources: Sources) -> Iterator[ast.RangeVar]:
    """The tables that a query itself names; those of its subqueries are theirs."""
    for source in sources or ():
        if isinstance(source, ast.RangeVar):
            yield source
        elif isinstance(source, ast.JoinExpr):
            yield from _relations((source.larg, source.rarg))


def _joined(sources: Sources) -> Iterator[ast.Node | None]:
    for source in sources or ():
        if isinstance(source, ast.JoinExpr):
            yield source.quals
            yield from _joined((source.larg, source.rarg))


def _is_key(value: object) -> bool:
    """Whether it is the tenant's number of some table."""
    if not isinstance(value, ast.ColumnRef):
        return False
    fields = [part.sval for part in _each(value.fields) if isinstance(part, ast.String)]
    return fields[-1:] == [KEY]


def _field_of(value: object) -> str:
    """The table by whose name a column is called."""
    assert isinstance(value, ast.ColumnRef)
    fields = [str(part.sval) for part in _each(value.fields) if isinstance(part, ast.String)]
    return fields[-2] if len(fields) > 1 else ""


def _first_values(select: ast.Node | None) -> Iterator[object]:
    """What an INSERT puts into its first column, in each of its rows and branches."""
    if not isinstance(select, ast.SelectStmt):
        yield None
    elif select.valuesLists:
        for row in select.valuesLists:
            yield row[0]
    elif select.larg is not None:
        yield from _first_values(select.larg)
        yield from _first_values(select.rarg)
    else:
        yield _each(select.targetList)[0].val
