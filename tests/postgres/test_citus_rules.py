"""Every statement of the PostgreSQL store keeps the rules under which its tables can be spread over a cluster.

No cluster is needed to see it: the statements are parsed by PostgreSQL's own parser and held to the rules one by one,
those in files, those in code, and those that are put together and sent while a memory is used.
"""

from __future__ import annotations

import ast as python
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import ClassVar, Self

import psycopg
import pytest
from psycopg.abc import Params, Query
from tests.cases import each
from tests.postgres.citus_rules import Tables, faults
from tests.postgres.server import connect

import muniment.backends.postgres
from muniment import Memory
from muniment.backends.embedders.wrapped import Wrapped
from muniment.backends.postgres.distribution import EVERYWHERE
from muniment.backends.postgres.partitions import partition_of
from muniment.backends.postgres.pipeline import Pipeline
from muniment.backends.postgres.ranking import standing_join
from muniment.backends.postgres.revisions import revisions
from muniment.backends.postgres.transaction import CARD, COLUMNS, Row, inserting
from muniment.backends.statements import named
from muniment.model import times

ROOM = Path(muniment.backends.postgres.__file__).parent
OURS = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?(?:\{schema\}\.)?(\w+)")
TABLES = Tables(
    tenants=frozenset(OURS.findall("".join(one.text for one in revisions()))) - frozenset(EVERYWHERE),
    everywhere=frozenset(EVERYWHERE),
)
NAMES = {"schema": '"muniment"', "writer": '"muniment_writer"', "reader": '"muniment_reader"'}
FILLED = {
    "visible": "true",
    "conditions": "true",
    "standing": "",
    "depth": "5",
    "kept": "3",
    "dimensions": "4",
    "home": "public",
}
LEADING = re.compile(
    r"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|CREATE|ALTER|DROP|GRANT|REVOKE|LOCK TABLE|SET|TRUNCATE|VACUUM|"
    r"LISTEN|UNLISTEN|NOTIFY|COPY|MERGE|DO|CALL|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|DECLARE|FETCH|CLOSE)\s"
)
SENT = frozenset({"pipeline.py", "transaction.py", "phrases.py", "ranking.py"})
"""Where statements are put together from parts. They are looked at when they are sent."""
PUT_IN = {
    "WALL": "(tenant_id = 7)",
    "depth": "40",
    "how": "READ ONLY",
    "home": "public",
    "index": "an_index",
    "most": "30s",
    "name": "lock_timeout",
    "number": "7",
    "own": partition_of(7),
    "partition_of(tenant.number)": partition_of(7),
    "place": "muniment.entries",
    "quoted(asking.schema)": "muniment",
    "quoted(name)": "somebody",
    "quoted(role)": "muniment_writer",
    "quoted(schema)": "muniment",
    "quoted(role.name)": "muniment_writer",
    "quoted(roles.reader.name)": "muniment_reader",
    "quoted(roles.writer.name)": "muniment_writer",
    "role": "muniment_writer",
    "schema": "muniment",
    "self.path": "muniment, public",
    "size": "4",
    "step.path": "muniment, public",
    "step.tenant": "7",
    "tenant": "7",
    "tenant.dimensions": "4",
    "tenant.number": "7",
    "wait_ms": "500",
    "PATIENCE": "30s",
    "beside": "muniment.tenant_head",
    "quoted(str(owner[0]))": "owner",
}
"""What may stand for what is put into statements in code."""
SWEEPING = frozenset({"lock_timeout"})
"""Set round a VACUUM, which no transaction can hold; it concerns the node that was connected to."""


def filled(text: str, **more: str) -> str:
    for name, value in {**NAMES, **FILLED, "own": "vectors_shared", "card": CARD, **more}.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def in_files() -> Iterator[tuple[str, str]]:
    for file in sorted(ROOM.glob("*.sql")):
        for name, statement in named("muniment.backends.postgres", file.name).items():
            yield f"{file.name}:{name}", filled(statement)
            if "{standing}" in statement:
                yield f"{file.name}:{name} in the past", filled(statement, standing=standing_join("$9") + " ")
    for one in revisions():
        for number, statement in enumerate(one.statements(NAMES), 1):
            yield f"{one.title}:{number}", statement


IN_FILES = dict(in_files())


def test_a_statement_in_a_file_keeps_the_rules() -> None:
    assert {name: found for name, statement in IN_FILES.items() if (found := faults(statement, TABLES))} == {}


def test_no_mention_of_the_tenant_can_be_left_out_unnoticed() -> None:
    """Take each `tenant_id = $1` of each statement away in turn: the statement is found out every time."""
    tried = 0
    for name, statement in IN_FILES.items():
        for found in re.finditer(r"(\w+\.)?tenant_id = \$1", statement):
            without = f"{statement[: found.start()]}true{statement[found.end() :]}"
            assert faults(without, TABLES), f"{name}: {without}"
            tried += 1
    assert tried > 150


def test_every_file_of_statements_is_looked_at() -> None:
    assert {name.split(":")[0] for name in IN_FILES if ".sql" in name} == {file.name for file in ROOM.glob("*.sql")}
    assert len(IN_FILES) > 200
    assert len(TABLES.tenants) >= 20
    assert sorted(file.name for file in files("muniment.backends.postgres").joinpath("migrations").iterdir()) == [
        f"{one.number:04d}_{one.name}.{one.phase}.sql" for one in revisions()
    ]


def test_rows_that_are_added_together_keep_the_rules() -> None:
    asked = [(table, rows) for table in COLUMNS for rows in (1, 64)]
    assert {one: found for one in asked if (found := faults(inserting(*one).decode(), TABLES))} == {}


def in_code() -> Iterator[tuple[str, str]]:
    """The statements that stand in code, with what is put into them in braces."""
    for path in sorted(ROOM.glob("*.py")):
        tree = python.parse(path.read_text())
        inner = {id(part) for node in python.walk(tree) if isinstance(node, python.JoinedStr) for part in node.values}
        for node in python.walk(tree):
            if id(node) not in inner and (text := _text(node)) is not None and LEADING.match(text):
                yield f"{path.name}:{text}", text


def _text(node: python.AST) -> str | None:
    match node:
        case python.Constant(value=str() as text):
            return text
        case python.Constant(value=bytes() as text):
            return text.decode()
        case python.JoinedStr(values=values):
            return "".join(_text(part) or "" for part in values)
        case python.FormattedValue(value=value):
            return f"{{{python.unparse(value)}}}"
        case _:
            return None


IN_CODE = {name: text for name, text in in_code() if name.split(":")[0] not in SENT}


def faults_in_code(name: str, written: str) -> list[str]:
    for expression, value in PUT_IN.items():
        written = written.replace(f"{{{expression}}}", value)
    if unknown := re.findall(r"\{[^}]+\}", written):
        return [f"say in PUT_IN what {unknown} may stand for"]
    migrates = name.startswith("partitions.py:")
    lasting = SWEEPING if name.startswith(("settings.py:", "scrubbing.py:")) else frozenset[str]()
    return faults(written, TABLES, literal=migrates, lasting=lasting)


def test_a_statement_in_code_keeps_the_rules() -> None:
    assert {name: found for name, written in IN_CODE.items() if (found := faults_in_code(name, written))} == {}


class Recorded(psycopg.RawCursor[Row]):
    """A cursor that writes down what is sent through it."""

    sent: ClassVar[set[str]] = set()

    def execute(self, query: Query, params: Params | None = None, **how: bool | None) -> Self:
        assert isinstance(query, bytes | str)
        Recorded.sent.add(query.decode() if isinstance(query, bytes) else query)
        return super().execute(query, params, **how)


def record(patch: pytest.MonkeyPatch) -> None:
    """Write down whatever is sent from now on, through the driver's cursors or past them."""
    Recorded.sent.clear()
    patch.setattr(psycopg, "RawCursor", Recorded)
    tell, once = Pipeline.tell, Pipeline.once

    def telling(self: Pipeline, statement: bytes, values: Sequence[object] = ()) -> None:
        Recorded.sent.add(statement.decode())
        tell(self, statement, values)

    def telling_once(self: Pipeline, statement: bytes, values: Sequence[object]) -> None:
        Recorded.sent.add(statement.decode())
        once(self, statement, values)

    patch.setattr(Pipeline, "tell", telling)
    patch.setattr(Pipeline, "once", telling_once)


def use(dsn: str) -> None:
    """A little of everything that a memory is used for."""
    with Memory.open(
        dsn, tenant="acme", embedder=Wrapped("toy", lambda texts: [[1.0, float(len(text))] for text in texts])
    ) as memory:
        first = memory.remember("The build of Billing is green", entities=["Billing"], kind="observation")
        assert first.record_id is not None
        memory.remember("Ana drinks tea", subject="ana", key="drink", value="tea", session_id="s1")
        memory.remember("Ana drinks mate", subject="ana", key="drink", value="mate", session_id="s1")
        memory.review.alias("Billing", "The invoicing team")
        memory.revise(first.record_id, "The build of Billing is red")
        memory.review.outcome(first.record_id, "helpful")
        memory.flush()
        found = memory.recall('"build of Billing" red')
        assert found.records
        memory.recall("what does Ana drink", known_at=times.show(found.records[0].record.created_at))
        memory.explain(found.receipt_id)
        memory.history(first.record_id)
        memory.insight.quality()
        memory.insight.lineage(first.record_id)
        memory.review.conflicts()
        memory.review.queue()
        memory.insight.stats()
        memory.insight.directory()
        memory.review.sweep()
        memory.forget(first.record_id, reason="asked for")
        memory.ledger.verify()
        memory.ledger.replay()


def test_a_statement_that_is_put_together_and_sent_keeps_the_rules(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record(monkeypatch)
    use(dsn)

    questions = {sent for sent in Recorded.sent if not sent.startswith(("FETCH", "CLOSE"))}
    assert any("WITH best AS MATERIALIZED" in sent for sent in questions), "a ranking was sent"
    assert any("FROM postings AS p0" in sent for sent in questions), "a phrase was looked for"
    assert any(sent.startswith("DECLARE") for sent in questions), "a long answer was fetched in parts"
    assert len(questions) > 80
    assert {sent: found for sent in questions if (found := faults(sent, TABLES, lasting=SWEEPING))} == {}


BROKEN = {
    "SELECT body FROM entries WHERE seq = $1": "names entries without",
    "SELECT body FROM entries WHERE tenant_id = $2": "names entries without",
    "SELECT body FROM entries WHERE tenant_id = $1 OR seq = $2": "names entries without",
    "SELECT body FROM entries WHERE tenant_id <> $1": "names entries without",
    "SELECT body FROM entries WHERE NOT (tenant_id = $1)": "names entries without",
    "SELECT body FROM entries WHERE tenant_id = 7": "names entries without",
    "SELECT 1 FROM cards c JOIN edges e ON e.rid = c.rid WHERE c.tenant_id = $1": "names edges without",
    "SELECT 1 FROM cards c JOIN edges e ON e.tenant_id = c.tenant_id WHERE c.tenant_id = $1": "names edges without",
    "SELECT 1 FROM cards c, edges e WHERE tenant_id = $1": "names cards without",
    "SELECT 1 FROM cards c WHERE c.tenant_id = $1 AND EXISTS (SELECT FROM edges e WHERE e.rid = c.rid)": "names edges",
    "SELECT (SELECT max(seq) FROM entries) FROM cards WHERE tenant_id = $1": "names entries without",
    "SELECT 1 FROM cards c CROSS JOIN LATERAL (SELECT rid FROM told WHERE rid = c.rid) t WHERE c.tenant_id = $1": (
        "names told without"
    ),
    "SELECT 1 FROM cards WHERE tenant_id = $1 UNION SELECT 1 FROM edges": "names edges without",
    "SELECT 1 FROM cards WHERE tenant_id = $1 ORDER BY (SELECT max(seq) FROM entries)": "names entries without",
    "WITH a AS (SELECT rid FROM cards) SELECT rid FROM a": "names cards without",
    "WITH RECURSIVE a AS (SELECT rid FROM edges WHERE tenant_id = $1 UNION ALL "
    "SELECT e.rid FROM edges e JOIN a ON a.rid = e.rid) SELECT rid FROM a": "names edges without",
    "WITH entries AS (SELECT 1) SELECT 1 FROM muniment.entries": "names entries without",
    "DECLARE c CURSOR FOR SELECT body FROM entries": "names entries without",
    "SELECT body FROM entries WHERE tenant_id = $1 FOR UPDATE": "has a lock on rows",
    "SELECT pg_advisory_xact_lock($1)": "has an advisory lock",
    "SELECT pg_try_advisory_lock(1)": "has an advisory lock",
    "SELECT pg_notify('a', 'b') FROM entries WHERE tenant_id = $1": "notifies beside",
    "UPDATE cards SET since = 1 WHERE rid = $1": "names cards without",
    "UPDATE cards c SET since = e.seq FROM entries e WHERE c.tenant_id = $1": "names entries without",
    "UPDATE cards SET tenant_id = $2 WHERE tenant_id = $1": "changes tenant_id",
    "UPDATE cards SET since = random() WHERE tenant_id = $1": "calls random in an UPDATE",
    "UPDATE cards SET since = clock_timestamp() WHERE tenant_id = $1": "calls clock_timestamp in an UPDATE",
    "DELETE FROM cards": "names cards without",
    "DELETE FROM cards c USING edges e WHERE c.tenant_id = $1 AND e.rid = c.rid": "names edges without",
    "INSERT INTO edges (rid, tenant_id) VALUES ($2, $1)": "without naming tenant_id first",
    "INSERT INTO edges VALUES ($1, $2, $3, $4)": "without naming tenant_id first",
    "INSERT INTO edges (tenant_id, rid) VALUES ($1, 1), ($2, 2)": "whose tenant_id is not $1",
    "INSERT INTO edges (tenant_id, rid) SELECT c.rid, c.rid FROM cards c WHERE c.tenant_id = $1": "is not $1",
    "INSERT INTO edges (tenant_id, rid) SELECT c.tenant_id, c.rid FROM cards c": "names cards without",
    "INSERT INTO edges (tenant_id, rid) SELECT $1, c.rid FROM cards c WHERE c.tenant_id = $1": "pulled to the first",
    "INSERT INTO edges (tenant_id, rid) SELECT $1, a.rid FROM unnest($2::bigint[]) AS a (rid)": "pulled to the first",
    "INSERT INTO edges (tenant_id, rid) SELECT c.tenant_id, 1 FROM cards c WHERE c.tenant_id = $1 LIMIT 1": "a limit",
    "INSERT INTO edges (tenant_id, rid) SELECT c.tenant_id, row_number() OVER (PARTITION BY c.kind) "
    "FROM cards c WHERE c.tenant_id = $1": "counts over a window",
    "INSERT INTO edges (tenant_id, rid) SELECT c.tenant_id, 1 FROM cards c WHERE c.tenant_id = $1 "
    "UNION SELECT c.tenant_id, 2 FROM cards c WHERE c.tenant_id = $1": "a UNION",
    "INSERT INTO told (tenant_id, rid) VALUES ($1, 2) ON CONFLICT (tenant_id) DO UPDATE SET rid = 1 "
    "WHERE told.last < now()": "calls now in an ON CONFLICT clause",
    "INSERT INTO told (tenant_id, rid) VALUES ($1, 2) ON CONFLICT (tenant_id) DO UPDATE SET last = CURRENT_TIMESTAMP": (
        "looks at the clock in an ON CONFLICT clause"
    ),
    "SELECT EXISTS (SELECT FROM cards WHERE tenant_id = $1)": "selects no columns",
    "SELECT count(*) FROM (SELECT FROM vectors WHERE tenant_id = $1 LIMIT 5) AS few": "selects no columns",
    "SELECT EXISTS (SELECT FROM deployment)": "selects no columns",
    "INSERT INTO told (tenant_id, rid) VALUES ($1, 2) ON CONFLICT (rid) DO NOTHING": "conflict target on told",
    "INSERT INTO told (tenant_id, rid) VALUES ($1, 2) ON CONFLICT DO NOTHING": "conflict target on told",
    "INSERT INTO told (tenant_id, rid) VALUES ($1, 2) ON CONFLICT ON CONSTRAINT a DO NOTHING": "conflict target",
    "INSERT INTO told (tenant_id, rid) VALUES ($1, 2) ON CONFLICT (tenant_id) DO UPDATE SET tenant_id = 3": (
        "changes tenant_id"
    ),
    "INSERT INTO told (tenant_id, rid) VALUES ($1, 2) ON CONFLICT (tenant_id) DO UPDATE SET rid = random()": (
        "calls random in an UPDATE"
    ),
    "CREATE TABLE a (tenant_id bigint, id bigint PRIMARY KEY)": "a key that does not begin with tenant_id",
    "CREATE TABLE a (tenant_id bigint, id bigint, PRIMARY KEY (id, tenant_id))": "a key that does not begin",
    "CREATE TABLE a (tenant_id bigint PRIMARY KEY, id bigint UNIQUE)": "a key that does not begin",
    "CREATE TABLE a (tenant_id bigint PRIMARY KEY REFERENCES tenant_head (tenant_id))": "a foreign key when it is made",
    "ALTER TABLE cards ADD FOREIGN KEY (tenant_id, rid) REFERENCES edges (tenant_id, rid)": "without a name",
    "ALTER TABLE cards ADD CONSTRAINT a FOREIGN KEY (rid) REFERENCES edges (rid)": "does not begin with tenant_id",
    "ALTER TABLE cards ADD CONSTRAINT a UNIQUE (id)": "a key that does not begin",
    "ALTER TABLE cards ADD COLUMN a bigint UNIQUE": "a key that does not begin",
    "CREATE UNIQUE INDEX a ON cards (id, tenant_id)": "a unique index that does not begin",
    "CREATE INDEX a ON vectors USING hnsw (vector halfvec_ip_ops)": "one index over the vectors of many tenants",
    "CREATE INDEX a ON vectors_shared USING hnsw (vector halfvec_ip_ops)": "one index over the vectors",
    "CREATE TRIGGER a BEFORE UPDATE ON cards EXECUTE FUNCTION b()": "has a trigger",
    "CREATE FUNCTION b() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'": "has a function",
    "DO 'BEGIN END'": "has a block of code",
    "TRUNCATE cards": "empties a table",
    "COPY entries (tenant_id, seq) FROM STDIN": "has COPY",
    "SET muniment.tenant = '7'": "longer than a transaction",
    "SET SESSION statement_timeout = 5": "longer than a transaction",
    "CREATE TABLE a (tenant_id bigint); CREATE TABLE b (tenant_id bigint)": "2 statements in one message",
    "SELEC 1": "is not SQL",
}


REFUSED_BY_A_CLUSTER = {
    "put_postings": """
        INSERT INTO postings (tenant_id, rid, nth, size, term, spots)
        SELECT $1, fresh.rid, coalesce(final.nth, 0) + row_number() OVER (PARTITION BY fresh.term ORDER BY fresh.rid),
            fresh.size, fresh.term, fresh.spots
        FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bytea[]) AS fresh (rid, size, term, spots)
        LEFT JOIN LATERAL (
            SELECT p.nth FROM postings AS p WHERE p.tenant_id = $1 AND p.term = fresh.term ORDER BY p.rid DESC LIMIT 1
        ) AS final ON TRUE""",
    "tell": """
        INSERT INTO told AS known (tenant_id, rid, actor, count, last)
        SELECT $1, heard.rid, heard.actor, heard.count, heard.last
        FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[]) AS heard (rid, actor, count, last)
        ON CONFLICT (tenant_id, rid, actor) DO UPDATE SET count = known.count + excluded.count""",
    "claim_vectors": """
        INSERT INTO reaches (tenant_id, maker, until)
        VALUES ($1, $2, now() + $3::double precision * interval '1 second')
        ON CONFLICT (tenant_id) DO UPDATE SET maker = excluded.maker, until = excluded.until
        WHERE reaches.maker IS NULL OR reaches.until < now()""",
    "vectors_of": """
        SELECT (SELECT count(*) FROM (SELECT FROM muniment.vectors WHERE tenant_id = $1 LIMIT $2) AS few)""",
}
"""Statements as a cluster refused them, or ran them on two nodes."""


def test_statements_that_a_cluster_refused_are_found_out() -> None:
    assert [name for name, statement in REFUSED_BY_A_CLUSTER.items() if not faults(statement, TABLES)] == []


def test_a_statement_that_breaks_a_rule_is_found_out() -> None:
    missed = [one for one, why in BROKEN.items() if not any(why in fault for fault in faults(one, TABLES))]
    assert missed == []


@each(
    "statement",
    [
        "SELECT body FROM entries WHERE $1 = tenant_id AND seq > 1",
        "SELECT 1 FROM cards c LEFT JOIN edges e ON e.tenant_id = $1 AND e.rid = c.rid WHERE c.tenant_id = $1",
        "SELECT pg_notify('a', 'b')",
        "NOTIFY a, 'b'",
        "SET LOCAL muniment.tenant = '7'",
        "UPDATE reaches SET until = now() WHERE tenant_id = $1",
        "SELECT name FROM tenants",
        "SELECT EXISTS (SELECT FROM pg_class)",
        "INSERT INTO edges (tenant_id, rid) SELECT h.tenant_id, a.rid + row_number() OVER (PARTITION BY h.tenant_id) "
        "FROM tenant_head h CROSS JOIN unnest($2::bigint[]) AS a (rid) WHERE h.tenant_id = $1",
        "INSERT INTO told AS t (tenant_id, rid) VALUES ($1, 2) ON CONFLICT (tenant_id) DO UPDATE "
        "SET last = greatest(t.last, excluded.last)",
        "ALTER TABLE cards ADD CONSTRAINT a FOREIGN KEY (tenant_id, rid) REFERENCES edges (tenant_id, rid)",
    ],
)
def test_a_statement_that_keeps_the_rules_is_left_alone(statement: str) -> None:
    assert faults(statement, TABLES) == []


def test_no_table_has_a_trigger_or_a_foreign_key(dsn: str) -> None:
    with connect(dsn) as connection:
        here = "current_schema()::regnamespace"
        triggers = f"SELECT tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = {here}"
        foreign = f"SELECT conname FROM pg_constraint WHERE connamespace = {here} AND contype = 'f'"
        assert connection.execute(triggers.encode()).fetchall() == []
        assert connection.execute(foreign.encode()).fetchall() == []
