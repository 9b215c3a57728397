"""What a store on PostgreSQL finds wrong with itself: its schema, its counts, its word index, its vectors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.postgres.formed import asking
from tests.postgres.server import connect, schema_of
from tests.support.world import simulated_memory

from muniment import Memory
from muniment.backends.postgres import schema_check
from muniment.backends.postgres.partitions import partition_of
from muniment.backends.postgres.revisions import newest, revisions
from muniment.backends.postgres.server import role_name
from muniment.backends.postgres.store import PostgresTenant
from muniment.backends.postgres.transaction import tenant_number
from muniment.backends.postgres.vault import PostgresVault
from muniment.model.errors import IntegrityError

TENANT = "default"


@contextmanager
def opened(dsn: str) -> Iterator[PostgresTenant]:
    vault = PostgresVault(dsn)
    try:
        yield vault.open(TENANT, create=True)
    finally:
        vault.close()


def test_the_form_that_is_written_down_is_the_one_the_scripts_make(dsn: str) -> None:
    """When a script is added, `python -m tests.postgres.formed` writes it down."""
    with connect(dsn) as connection:
        found = schema_check.parts(asking(connection), schema_of(dsn))
    assert found == schema_check.made()
    assert len(found) > 300


FORM = {
    "an index is dropped": ("DROP INDEX cards_by_actor", "the index cards_by_actor is missing"),
    "an index is added": ("CREATE INDEX strange ON cards (actor)", "there is one index that is not ours"),
    "an index is another": (
        "DROP INDEX told_by_actor; CREATE INDEX told_by_actor ON told (tenant_id, actor)",
        "the index told_by_actor is not as it was made",
    ),
    "a table is added": ("CREATE TABLE strange (x text)", "there is one table that is not ours"),
    "a table is lost in a crash": ("ALTER TABLE told SET UNLOGGED", "the table told is not as it was made"),
    "a column is added": ("ALTER TABLE told ADD strange text", "there is one column that is not ours"),
    "a column need not be there": (
        "ALTER TABLE documents ALTER body DROP NOT NULL",
        "the column documents.body is not as it was made",
    ),
    "what is said is sampled": (
        "ALTER TABLE documents ALTER body SET STATISTICS 10",
        "the column documents.body is not as it was made",
    ),
    "a view is added": ("CREATE VIEW strange AS SELECT * FROM cards", "there is one table that is not ours"),
    "a function is added": (
        "CREATE FUNCTION strange() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        "there is one function that is not ours",
    ),
    "a trigger is added": (
        "CREATE TRIGGER strange BEFORE UPDATE ON cards FOR EACH ROW EXECUTE FUNCTION "
        "suppress_redundant_updates_trigger()",
        "there is one trigger that is not ours",
    ),
    "a rule is added": (
        "CREATE RULE strange AS ON DELETE TO told DO INSTEAD NOTHING",
        "there is one rule that is not ours",
    ),
    "a wall is down": ("ALTER TABLE cards DISABLE ROW LEVEL SECURITY", "the table cards is not as it was made"),
    "the owner is before a wall": (
        "ALTER TABLE entries NO FORCE ROW LEVEL SECURITY",
        "the table entries is not as it was made",
    ),
    "a wall has a hole": ("CREATE POLICY strange ON notes USING (true)", "there is one policy that is not ours"),
    "a wall is elsewhere": (
        "ALTER POLICY tenant_wall ON notes USING (true)",
        "the policy notes.tenant_wall is not as it was made",
    ),
    "a wall is gone": ("DROP POLICY tenant_wall ON notes", "the policy notes.tenant_wall is missing"),
    "the ledger may be changed": (
        "GRANT UPDATE ON entries TO {writer}",
        "the right entries {writer} is not as it was made",
    ),
    "a column of the ledger may be changed": (
        "GRANT UPDATE (body) ON entries TO {writer}",
        "there is one right that is not ours",
    ),
    "the reader may write": ("GRANT INSERT ON told TO {reader}", "the right told {reader} is not as it was made"),
    "everybody may read": ("GRANT SELECT ON documents TO PUBLIC", "there is one right that is not ours"),
    "the writer may not write": (
        "REVOKE INSERT ON told FROM {writer}",
        "the right told {writer} is not as it was made",
    ),
    "a key is gone": (
        "ALTER TABLE tenants DROP CONSTRAINT tenants_name_key",
        "the constraint tenants.tenants_name_key is missing",
    ),
    "another script was applied": (
        "UPDATE schema_migrations SET digest = 'x' WHERE revision = 1",
        "0001 tables (pre) was applied as another script",
    ),
    "a script is said not to be applied": (
        "DELETE FROM schema_migrations WHERE revision = 3",
        "0003 unsampled (pre) is not applied",
    ),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("what", FORM)
def test_a_schema_that_is_not_made_as_we_make_it_is_complained_about(bare_dsn: str, what: str) -> None:
    statement, complaint = FORM[what]
    names = {part: role_name(schema_of(bare_dsn), part) for part in ("writer", "reader")}
    with opened(bare_dsn) as store:
        assert store.integrity() == ()
        with connect(bare_dsn) as connection:
            for one in statement.format(**names).split("; "):
                connection.execute(one.encode())
        assert complaint in store.integrity()


def test_a_schema_that_a_newer_release_has_prepared_is_not_compared(bare_dsn: str) -> None:
    with opened(bare_dsn) as store, connect(bare_dsn) as connection:
        connection.execute("ALTER TABLE told ADD later text")
        added = "INSERT INTO schema_migrations (revision, phase, name, digest) VALUES (%s, 'pre', 'later', 'x')"
        connection.execute(added, [newest(revisions()) + 1])
        assert store.integrity() == ()


def test_a_large_tenants_own_partition_must_have_its_wall(bare_dsn: str) -> None:
    with opened(bare_dsn) as store, connect(bare_dsn) as connection:
        own, number = partition_of(tenant_number(TENANT)), tenant_number(TENANT)
        connection.execute(f"CREATE TABLE {own} PARTITION OF vectors FOR VALUES IN ({number})".encode())
        assert store.integrity() == ("the partition of a large tenant is not behind its wall",)
        for statement in (
            f"ALTER TABLE {own} ENABLE ROW LEVEL SECURITY",
            f"ALTER TABLE {own} FORCE ROW LEVEL SECURITY",
            f"CREATE POLICY tenant_wall ON {own} "
            "USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint)",
        ):
            connection.execute(statement.encode())
        assert store.integrity() == ()


COUNTS = {
    "seq = seq + 1": "the ledger does not end where the tenant's row says",
    "hash = '\\x00'": "the ledger does not end where the tenant's row says",
    "receipts = receipts - 1": "the receipts do not end where the tenant's row says",
    "receipts_hash = '\\x00'": "the receipts do not end where the tenant's row says",
    "notes = 99": "the notes do not end where the tenant's row says",
    "erasure = 99, scrubbed = 99": "the last erasure is not the one that the tenant's row names",
    "texts = texts + 1": "the word index has not as many texts and terms as the tenant's row counts",
    "terms = 0": "the word index has not as many texts and terms as the tenant's row counts",
    "last_text = last_text - 1": "the last text of the word index is not the one that the tenant's row names",
    "last_text = last_text + 1": "the last text of the word index is not the one that the tenant's row names",
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("change", COUNTS)
def test_a_tenants_row_that_counts_wrong_is_complained_about(dsn: str, change: str) -> None:
    with opened(dsn) as store, connect(dsn) as connection:
        memory = simulated_memory(store)
        memory.remember("the build is green")
        memory.recall("build")
        assert store.integrity() == ()
        connection.execute(f"UPDATE tenant_head SET {change}".encode())
        assert store.integrity() == (COUNTS[change],)


def test_a_tenant_without_its_row_is_complained_about(dsn: str) -> None:
    with opened(dsn) as store, connect(dsn) as connection:
        connection.execute("DELETE FROM tenant_head")
        assert store.integrity() == (f"tenant {TENANT}: the row that says where its ledger stands is missing",)
    with pytest.raises(IntegrityError), opened(dsn):
        pass


INDEX = {
    "UPDATE postings SET spots = '\\x09000000' WHERE term = 'green'": (
        "the word index does not have what 1 revisions say",
    ),
    "UPDATE postings SET term = 'greener' WHERE term = 'green'": ("the word index does not have what 1 revisions say",),
    "UPDATE postings SET nth = 7 WHERE term = 'build' AND rid = (SELECT max(rid) FROM postings WHERE term = 'build')": (
        "the word index counts 1 terms wrong",
    ),
    "DELETE FROM postings WHERE rid = (SELECT min(rid) FROM postings) AND term = 'build'": (
        "the word index does not have what 1 revisions say",
        "the word index counts 1 terms wrong",
    ),
    "INSERT INTO postings SELECT tenant_id, 9999, 1, 1, 'strange', '\\x00000000' FROM tenants": (
        "the word index does not have what 1 revisions say",
        "the word index has not as many texts and terms as the tenant's row counts",
    ),
    "DELETE FROM postings": (
        "the word index does not have what 3 revisions say",
        "the word index has not as many texts and terms as the tenant's row counts",
    ),
    "DELETE FROM documents WHERE doc = (SELECT max(rid) FROM cards)": (
        "the word index does not have what 1 revisions say",
    ),
    "UPDATE documents SET body = 'x' WHERE doc = (SELECT max(rid) FROM cards)": (
        "the word index does not have what 1 revisions say",
    ),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("change", INDEX)
def test_a_word_index_that_differs_from_the_texts_is_complained_about(dsn: str, change: str) -> None:
    with opened(dsn) as store, connect(dsn) as connection:
        memory = simulated_memory(store)
        for text in ("the build is green", "the build was red", "👍"):
            assert memory.remember(text).record_id is not None
        assert store.integrity() == ()
        connection.execute(change.encode())
        assert store.integrity() == INDEX[change]


def test_vectors_of_nothing_and_of_another_width_are_complained_about(dsn: str) -> None:
    with opened(dsn) as store, connect(dsn) as connection:
        memory = simulated_memory(store)
        memory.remember("the build is green")
        number = tenant_number(TENANT)
        connection.execute("INSERT INTO reaches (tenant_id, dimensions) VALUES (%s, 2)", [number])
        added = "INSERT INTO vectors SELECT tenant_id, %s, 0, 4, %s::halfvec FROM tenants"
        rid = connection.execute("SELECT max(rid) FROM cards").fetchone()
        assert rid is not None
        connection.execute(added, [rid[0], "[1,0]"])
        assert store.integrity() == ()
        connection.execute(added, [9999, "[1,0]"])
        assert store.integrity() == ("there are 1 vectors of revisions that are not there",)
        connection.execute("DELETE FROM vectors")
        connection.execute(added, [rid[0], "[1,0,0]"])
        assert store.integrity() == ("there are 1 vectors that are not as wide as the tenant's are said to be",)


def test_one_tenants_damage_is_not_anothers(dsn: str) -> None:
    with connect(dsn) as connection:
        vault = PostgresVault(dsn)
        stores = {name: vault.open(name, create=True) for name in ("blue", "red")}
        for store in stores.values():
            simulated_memory(store).remember("the build is green")
        connection.execute("DELETE FROM postings WHERE tenant_id = %s", [tenant_number("red")])
        assert stores["blue"].integrity() == ()
        assert len(stores["red"].integrity()) == 2
        vault.close()


def test_verify_tells_what_the_store_complains_about(dsn: str) -> None:
    with Memory.open(dsn, embedder=None) as memory, connect(dsn) as connection:
        memory.remember("the build is green")
        assert memory.ledger.verify().findings == ()
        connection.execute("UPDATE tenant_head SET texts = 7")
        assert [(one.code, one.message) for one in memory.ledger.verify().findings] == [
            ("store_damaged", "the word index has not as many texts and terms as the tenant's row counts")
        ]
