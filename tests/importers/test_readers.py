"""What each reader says of a source of its kind, and that no file of a stranger does more than be read."""

from __future__ import annotations

import json
import pickle
import random
import shutil
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.importers.sources import SOURCES

from muniment.importers import sqlite
from muniment.importers.foreign import ForeignRecord, Mapping, Residue, Unread
from muniment.importers.kinds import SourceKind, kind_of, read_source
from muniment.importers.pickles import NotData, plain_data
from muniment.model.errors import LimitExceeded, SourceUnreadable
from muniment.model.vocabulary import Kind

TEXTS: dict[SourceKind, set[str]] = {
    SourceKind.MEM0: {"Ada prefers metric units"},
    SourceKind.LANGGRAPH: {"Ada prefers SI units", "The staging database moved to eu-west-2"},
    SourceKind.MCP_MEMORY: {
        "Ada: prefers SI units",
        "Ada: leads OPS",
        "Ada: timezone Europe/Berlin",
        "staging-db: in eu-west-2",
        "Ada owns staging-db",
    },
    SourceKind.LETTA: {"Ada leads OPS and prefers SI units", "You remember what people tell you.", "I am Sam"},
    SourceKind.GRAPHITI: {"Ada: I joined Acme", "Ada: leads OPS", "Ada works for Acme"},
    SourceKind.OPENMEMORY: {"Ada prefers SI units", "Der Prüfstand läuft nachts"},
    SourceKind.CLAUDE_CODE: {
        "Always run the linter before a commit",
        "Speak German with Ada",
        "Ada prefers SI units, see [[ada]]",
    },
    SourceKind.ANTHROPIC_MEMORY: {"timezone Europe/Berlin", "prefers SI units", "staging db is in eu-west-2"},
    SourceKind.CHATGPT: {"I moved to Lisbon", "Lives in Lisbon"},
    SourceKind.BASIC_MEMORY: {"Staging: moved to eu-west-2", "Staging owned by Ada", "Runs PostgreSQL 18."},
    SourceKind.OBSIDIAN: {"東京オフィスは閉鎖された #office [[Ada]]"},
    SourceKind.COGX: {"Ada works for Acme", "Ada prefers SI units", "human: leads OPS"},
    SourceKind.OMP: {"Ada leads OPS", "Ada prefers SI units"},
    SourceKind.JSONL: {"Ada prefers SI units"},
    SourceKind.CSV: {"Ada prefers, always, SI units", "Der Prüfstand läuft"},
}


def records(kind: SourceKind, source: Path | str, mapping: Mapping | None = None) -> dict[str, ForeignRecord]:
    items = read_source(kind, source, mapping or Mapping())
    return {one.text: one for one in items if isinstance(one, ForeignRecord)}


def test_every_kind_is_known_by_its_files_and_says_what_it_holds(tmp_path: Path) -> None:
    for kind, make in SOURCES.items():
        (tmp_path / kind.value).mkdir()
        source = make(tmp_path / kind.value)
        assert kind_of(source) is kind
        found = records(kind, source)
        assert {text for text, one in found.items() if not one.deleted} == TEXTS[kind], kind
        assert all(one.place for one in found.values())


def test_mem0_keeps_earlier_wordings_and_shows_what_was_deleted() -> None:
    items = list(read_source(SourceKind.MEM0, SOURCES[SourceKind.MEM0](Path())))
    (record,) = (one for one in items if isinstance(one, ForeignRecord) and not one.deleted)
    assert [one.text for one in record.previous] == ["Ada prefers SI units"]
    assert (record.user, record.author, record.source) == ("ada", "ada", "ticket:OPS-7")
    (left,) = (one for one in items if isinstance(one, Residue))
    assert left.text == "The staging db moved to eu-west-2"
    assert left.place == "history.db: history row 4"


def test_a_qdrant_folder_alone_is_read_without_unpickling(tmp_path: Path) -> None:
    qdrant = SOURCES[SourceKind.MEM0](tmp_path) / "qdrant"
    assert records(SourceKind.MEM0, qdrant)["Ada prefers metric units"].user == "ada"
    touched = tmp_path / "touched"

    class Evil:
        def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
            return Path.touch, (Path(touched),)  # type: ignore[return-value]  # what a stranger's file would do

    database = tmp_path / "collection" / "mem0" / "storage.sqlite"
    database.parent.mkdir(parents=True)
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
        connection.execute("INSERT INTO points VALUES ('x', ?)", (pickle.dumps(Evil()),))
    connection.close()
    (found,) = read_source(SourceKind.MEM0, tmp_path)
    assert isinstance(found, Unread)
    assert found.code == "no_text"
    assert not touched.exists()


def test_a_pickle_that_refers_to_itself_over_and_over_does_not_fill_the_memory() -> None:
    nested: list[object] = ["x"]
    for _ in range(30):
        nested = [nested] * 10
    with pytest.raises(NotData):
        plain_data(pickle.dumps(nested))


def test_times_links_and_rules_of_a_source_are_kept(tmp_path: Path) -> None:
    fact = records(SourceKind.GRAPHITI, SOURCES[SourceKind.GRAPHITI](tmp_path))["Ada works for Acme"]
    assert fact.valid_from is not None
    assert fact.valid_until is not None
    assert fact.entities == ("Ada", "Acme")
    assert [one.target for one in fact.links] == ["episode-1"]
    rules = records(SourceKind.CLAUDE_CODE, SOURCES[SourceKind.CLAUDE_CODE](tmp_path))
    assert rules["Speak German with Ada"].kind is Kind.DIRECTIVE
    assert rules["Speak German with Ada"].by_person
    assert not rules["Ada prefers SI units, see [[ada]]"].by_person
    note = records(SourceKind.BASIC_MEMORY, SOURCES[SourceKind.BASIC_MEMORY](tmp_path))["Staging: moved to eu-west-2"]
    assert (note.kind, note.source, note.tags) == (Kind.DECISION, "ticket OPS-7", ("ops",))


def test_two_objects_on_one_line_are_both_read_and_a_cut_line_is_told(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    entity = '{"type":"entity","name":"Ada","entityType":"person","observations":["%s"]}'
    path.write_text(entity % "likes tea" + entity % "leads OPS" + "\n" + '{"type":"entity","na')
    items = list(read_source(SourceKind.MCP_MEMORY, path))
    assert [one.text for one in items if isinstance(one, ForeignRecord)] == ["Ada: likes tea", "Ada: leads OPS"]
    (unread,) = (one for one in items if isinstance(one, Unread))
    assert (unread.place, unread.code) == ("memory.jsonl:2", "not_json")


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("nr;aussage;von\n1;Der Prüfstand läuft;Ada\n2;zu;viele;Spalten\n")
    mapping = Mapping(names=(("id", "nr"), ("text", "aussage"), ("author", "von")))
    items = list(read_source(SourceKind.CSV, path, mapping))
    assert [(one.id, one.author) for one in items if isinstance(one, ForeignRecord)] == [("1", "Ada")]
    assert [one.place for one in items if isinstance(one, Unread)] == ["own.csv:3"]


def test_free_pages_of_a_database_are_searched(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("CREATE TABLE store (prefix TEXT, key TEXT, value TEXT)")
        rows = [("users.ada", f"k{number}", json.dumps({"text": f"note {number} of the day"})) for number in range(200)]
        connection.executemany("INSERT INTO store VALUES (?, ?, ?)", rows)
        gone = json.dumps({"text": "Carla was treated in the Porto clinic"})
        connection.execute("INSERT INTO store VALUES ('users.carla', 'k', ?)", (gone,))
        connection.commit()
        connection.execute("DELETE FROM store WHERE key = 'k'")
    connection.close()
    found = [one.text for one in sqlite.residue(path)]
    assert any("Porto clinic" in text for text in found)


def test_a_database_that_would_run_something_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE real (prefix TEXT, key TEXT, value TEXT)")
        connection.execute("CREATE VIEW store AS SELECT prefix, key, writefile('x', value) AS value FROM real")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(SourceUnreadable):
        list(read_source(SourceKind.LANGGRAPH, path))
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["store.db"]


def test_an_archive_that_leads_outside_or_grows_without_end_is_refused(tmp_path: Path) -> None:
    outside, bomb, link = tmp_path / "outside.zip", tmp_path / "bomb.zip", tmp_path / "link.tar"
    with zipfile.ZipFile(outside, "w") as archive:
        archive.writestr("../../memories.json", "{}")
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("memories.json", b" " * (300 << 20))
    with tarfile.open(link, "w") as packed:
        member = tarfile.TarInfo("manifest.json")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(member)
    for kind, path in ((SourceKind.OPENMEMORY, outside), (SourceKind.OPENMEMORY, bomb), (SourceKind.COGX, link)):
        with pytest.raises(SourceUnreadable):
            list(read_source(kind, path))
    assert not (tmp_path.parent / "memories.json").exists()


def test_a_value_that_is_nested_without_end_is_told_and_left(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    deep = '{"content":' * 900 + '"x"' + "}" * 900
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE store (prefix TEXT, key TEXT, value TEXT)")
        connection.execute(
            "INSERT INTO store VALUES ('users.ada', 'a', ?), ('users.ada', 'b', '{\"text\":\"ok\"}')", (deep,)
        )
    connection.close()
    items = [one for one in read_source(SourceKind.LANGGRAPH, path) if not isinstance(one, Residue)]
    assert [isinstance(one, Unread) for one in items] == [True, False]


def test_a_link_in_a_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("Not of this vault at all")
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "own.md").write_text("Ada prefers SI units")
    (vault / "stray.md").symlink_to(tmp_path / "secret.md")
    assert set(records(SourceKind.OBSIDIAN, vault)) == {"Ada prefers SI units"}


def test_no_damaged_source_does_more_than_be_refused(tmp_path: Path) -> None:
    """Every reader is given its sample with bytes flipped, cut, doubled and put in, and answers with what it could read
    or with an error of ours."""
    chance = random.Random(26)
    for kind, make in SOURCES.items():
        home = tmp_path / kind.value
        home.mkdir()
        source = make(home)
        for turn in range(25):
            target = tmp_path / f"{kind}-{turn}"
            if source.is_dir():
                shutil.copytree(source, target)
                victim = chance.choice(sorted(one for one in target.rglob("*") if one.is_file()))
            else:
                target.mkdir()
                victim = target / source.name
                shutil.copyfile(source, victim)
            victim.write_bytes(_damaged(victim.read_bytes(), chance))
            with suppress(SourceUnreadable, LimitExceeded):
                for _ in read_source(kind, target if source.is_dir() else victim):
                    pass


def _damaged(data: bytes, chance: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(out) + 1)
        match chance.randrange(5):
            case 0:
                out[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del out[at:]
            case 2:
                out[at:at] = out[max(0, at - 200) : at]
            case 3:
                odd = [b"[" * 5_000, b'{"a":' * 3_000, b"\xff\xfe", b"\0" * 64, b"NaN", b'"', b"1e999"]
                out[at:at] = chance.choice(odd)
            case _:
                out[at : at + 4] = chance.randbytes(4)
    return bytes(out)
