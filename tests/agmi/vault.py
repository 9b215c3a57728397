"""A vault as agmi sees it: rows of a SQLite file that it edits behind our back, and the question whether we noticed.

The store's files are the vault folder without its private key; the witness lies outside and is not theirs to edit. Two
contexts share the tenant's file, told apart by session.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import apsw
from agmi.adapters.base import MemoryAdapter, Record

from muniment import Memory
from muniment.engine.audit import verify_vault
from muniment.model.errors import IntegrityError

OURS, THEIRS = "session-ours", "session-theirs"
_WORDS = ("harbour", "orchard", "quarry", "bakery", "foundry", "library", "kennel", "dairy")
_SELECT = (
    "SELECT c.rid, c.id, d.salt, CAST(d.body AS TEXT) FROM cards c JOIN documents d ON d.doc = c.rid "
    "WHERE c.session_id = ? ORDER BY c.rid"
)


def sentence(context: str, number: int) -> str:
    return f"The {_WORDS[number]} of {context} opens at {6 + number} in the morning"


class VaultAdapter(MemoryAdapter):
    """What every point of detection shares. An edit is made to the rows a record is kept in."""

    name = "muniment"
    detection_point = "audit"
    supports_replay = True
    supports_metadata = True
    supports_snapshot = True

    def setup(self) -> None:
        self._root = Path(tempfile.mkdtemp(prefix="muniment-agmi-"))
        self.vault = self._root / "vault"
        self.witness: Path | None = self._root / "witness"
        self.witness.mkdir()

    def teardown(self) -> None:
        shutil.rmtree(self._root)

    def open(self) -> Memory:
        return Memory.open(self.vault, witness=self.witness, embedder=None)

    def raw(self) -> apsw.Connection:
        return apsw.Connection(str(self.vault / "default.sqlite"))

    # What the tool does itself.

    def seed(self, n: int) -> None:
        self._remember(OURS, range(n))

    def seed_other(self, n: int) -> None:
        self._remember(THEIRS, range(n))

    def append_genuine(self) -> None:
        self._remember(OURS, [len(self.read_all_raw())])

    def _remember(self, session: str, numbers: range | list[int]) -> None:
        with self.open() as memory:
            for number in numbers:
                told = memory.remember(sentence(session, number), session_id=session, kind="observation")
                assert told.record_id is not None, told.reason

    def reload(self) -> None:
        self.verify_detail = None

    # What the attacker does: edits of the file.

    def read_all_raw(self) -> list[Record]:
        return self._rows(OURS)

    def read_other_raw(self) -> list[Record]:
        return self._rows(THEIRS)

    def _rows(self, session: str) -> list[Record]:
        connection = self.raw()
        rows = list(connection.execute(_SELECT, (session,)))
        connection.close()
        found = []
        for seq, (rid, id_, salt, body) in enumerate(rows):
            fields = {"id": id_, "rid": rid, "salt": salt.hex(), "body": body, "session": session}
            found.append(Record(seq=seq, fields=fields))
        return found

    def _slot(self, seq: int) -> int:
        """The number of the revision at a position of our context."""
        return int(self.read_all_raw()[seq].fields["rid"])

    def write_raw(self, record: Record) -> None:
        before = self.read_all_raw()
        if record.seq == len(before):
            self._insert(before[-1], record)
        else:
            self._put(int(before[record.seq].fields["rid"]), said(record))

    def _put(self, rid: int, content: str) -> None:
        """Change what a stored record says, and leave it well-formed."""
        connection = self.raw()
        body = json.loads(connection.execute("SELECT CAST(body AS TEXT) FROM documents WHERE doc = ?", (rid,)).get)
        body["claim"]["content"] = content
        connection.execute("UPDATE documents SET body = ? WHERE doc = ?", (_spelled(body), rid))
        connection.close()

    def _insert(self, template: Record, forged: Record) -> None:
        """A card and a document of a revision that nobody ever committed, made after the newest genuine one."""
        connection = self.raw()
        doc = connection.execute("SELECT max(doc) + 1 FROM documents").get
        body = json.loads(template.fields["body"])
        body["id"], body["claim"]["content"] = "rec_forged", said(forged)
        columns = [row[1] for row in connection.execute("PRAGMA table_info(cards)")]
        fresh = {"rid": "?", "id": "'rec_forged'", "fingerprint": "randomblob(32)"}
        chosen = ", ".join(fresh.get(column, column) for column in columns)
        connection.execute(f"INSERT INTO cards SELECT {chosen} FROM cards WHERE rid = ?", (doc, template.fields["rid"]))
        connection.execute("INSERT INTO documents VALUES (?, randomblob(16), ?)", (doc, _spelled(body)))
        connection.close()

    def delete_raw(self, seq: int) -> None:
        rid = self._slot(seq)
        connection = self.raw()
        for statement in (
            "DELETE FROM cards WHERE rid = ?",
            "DELETE FROM documents WHERE doc = ?",
            "DELETE FROM standings WHERE rid = ?",
            "DELETE FROM edges WHERE rid = ?",
            "DELETE FROM mentions WHERE rid = ?",
        ):
            connection.execute(statement, (rid,))
        connection.close()

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        self._put(self._slot(victim_seq), said(donor))

    def read_meta(self, seq: int) -> dict[str, object]:
        return {"actor": json.loads(self.read_all_raw()[seq].fields["body"])["actor"]}

    def write_meta(self, seq: int, meta: dict[str, object]) -> None:
        """Make somebody else the author. The mark that agmi adds has no column here; the author's name carries it."""
        rid = self._slot(seq)
        connection = self.raw()
        body = json.loads(connection.execute("SELECT CAST(body AS TEXT) FROM documents WHERE doc = ?", (rid,)).get)
        body["actor"] = f"{body['actor']}-tampered"
        connection.execute("UPDATE documents SET body = ? WHERE doc = ?", (_spelled(body), rid))
        connection.execute("UPDATE cards SET actor = ? WHERE rid = ?", (body["actor"], rid))
        connection.close()

    def snapshot_store(self) -> object:
        return self._copy_store(self.vault)

    def restore_store(self, token: object) -> None:
        assert isinstance(token, str)
        self._restore_store(token, self.vault)
        shutil.rmtree(Path(token).parent)

    # What agmi compares edits by.

    def identity_of(self, record: Record) -> str:
        return str(record.fields["id"])

    def payload_of(self, record: Record) -> str:
        return said(record)

    def owner_of(self, record: Record) -> str:
        return str(record.fields["session"])

    def mutate_payload(self, record: Record) -> Record:
        return saying(record, f"{said(record)}, and to strangers at night")

    def forge_record(self, template: Record) -> Record:
        return saying(
            Record(seq=template.seq + 1, fields=dict(template.fields)), "The vault of the bank opens to whoever asks"
        )

    # Whether we noticed.

    def verify(self) -> bool:
        """Open the vault and have it checked, as `muniment ledger verify` does. What is refused at once is rejected."""
        self.detection_point = "audit"
        try:
            with self.open() as memory:
                found = memory.ledger.verify().findings
        except IntegrityError as refused:
            self.detection_point, self.verify_detail = "read", f"refused: {refused}"
            return False
        self.verify_detail = ", ".join(sorted({one.code for one in found})) or None
        return not found


class ReadingAdapter(VaultAdapter):
    """The same edits, met by whoever opens the vault and reads: nobody has it checked."""

    name = "muniment (reading)"
    detection_point = "read"

    def verify(self) -> bool:
        try:
            with self.open() as memory:
                for number, record in enumerate(self.read_all_raw()):
                    memory.get(str(record.fields["id"]))
                    memory.recall(f"when does the {_WORDS[min(number, 7)]} open?", limit=10)
        except IntegrityError as refused:
            self.verify_detail = f"refused: {refused}"
            return False
        return True


class UnwitnessedAdapter(VaultAdapter):
    """The same without a witness: what the vault alone can tell."""

    name = "muniment (no witness)"

    def setup(self) -> None:
        super().setup()
        self.witness = None

    def verify(self) -> bool:
        found = verify_vault(self.vault, "default").findings
        self.verify_detail = ", ".join(sorted({one.code for one in found})) or None
        return not found


def said(record: Record) -> str:
    content = json.loads(record.fields["body"])["claim"]["content"]
    assert isinstance(content, str)
    return content


def saying(record: Record, content: str) -> Record:
    body = json.loads(record.fields["body"])
    body["claim"]["content"] = content
    record.fields["body"] = _spelled(body)
    return record


def _spelled(body: object) -> str:
    """As our own canonical spelling has it: an edit is not to be found by its white space."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
