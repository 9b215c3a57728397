"""The same edits by somebody who knows our format: after each, the whole file is made to agree with it again.

Every digest, every hash of the chain and every table is computed anew with our own code; the signed checkpoints, which
cannot be made without the key, are taken away, and no entry binds them any more. What is left contradicts nothing
inside the vault.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from agmi.adapters.base import Record
from tests.agmi.vault import UnwitnessedAdapter, VaultAdapter

from muniment.backends.sqlite.store import SqliteTenant
from muniment.ledger.chain import ZERO, commitment, link
from muniment.model.entry import DocumentRef, DocumentRole, Entry, EntryKind, RevisionCreated
from muniment.model.value import canonical, read_canonical
from muniment.write.commit import rebuild

LAST = 2**63 - 1


class RewritingAdapter(VaultAdapter):
    name = "muniment (rewritten)"

    def setup(self) -> None:
        super().setup()
        self._edited = False

    def write_raw(self, record: Record) -> None:
        super().write_raw(record)
        self._edited = True

    def delete_raw(self, seq: int) -> None:
        super().delete_raw(seq)
        self._edited = True

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        super().replay_onto(victim_seq, donor)
        self._edited = True

    def write_meta(self, seq: int, meta: dict[str, object]) -> None:
        super().write_meta(seq, meta)
        self._edited = True

    def reload(self) -> None:
        super().reload()
        if self._edited:
            self._rewrite()
            self._edited = False

    def _rewrite(self) -> None:
        connection = self.raw()
        rows = connection.execute("SELECT doc, salt, CAST(body AS BLOB) FROM documents ORDER BY doc")
        digests = {int(doc): commitment(salt, body) for doc, salt, body in rows}
        bodies = [row[0] for row in connection.execute("SELECT body FROM entries ORDER BY seq")]
        entries = _agreeing([read_canonical(body, Entry) for body in bodies], digests)
        for table in ("entries", "checkpoints"):
            connection.execute(f"DELETE FROM {table}")
        before = ZERO
        for entry in entries:
            body = canonical(entry)
            before = link(before, body)
            connection.execute("INSERT INTO entries VALUES (?, ?, ?)", (entry.seq, body, before))
        known = {ref.doc for entry in entries for ref in entry.documents}
        for doc in digests.keys() - known:
            connection.execute("DELETE FROM documents WHERE doc = ?", (doc,))
        connection.close()
        store = SqliteTenant(self.vault / "default.sqlite", "default", create=False)
        store.write(lambda unit: rebuild(unit, None, upto=LAST))
        store.close()


class UnwitnessedRewritingAdapter(RewritingAdapter, UnwitnessedAdapter):
    name = "muniment (rewritten, no witness)"


def _agreeing(entries: list[Entry], digests: Mapping[int, str]) -> list[Entry]:
    """The entries as they would be if the documents had always been these."""
    kept = [entry for entry in entries if all(birth.rid in digests for birth in entry.births)]
    known = {ref.doc for entry in kept for ref in entry.documents}
    gone = {ref.doc for entry in entries for ref in entry.documents} - known
    unknown = sorted(digests.keys() - known - gone)
    kept += [_birth(kept[-1], doc) for doc in unknown]
    return [
        msgspec.structs.replace(
            entry,
            seq=seq,
            bound=None,
            documents=tuple(
                msgspec.structs.replace(ref, digest=digests[ref.doc]) for ref in entry.documents if ref.doc in digests
            ),
        )
        for seq, entry in enumerate(kept, start=1)
    ]


def _birth(last: Entry, doc: int) -> Entry:
    """An entry that brings in a record nobody proposed."""
    model = last.births[0]
    return Entry(
        v=last.v,
        tenant=last.tenant,
        seq=0,
        at=last.at,
        kind=EntryKind.CURATED,
        actor=last.actor,
        last_doc=max(doc, last.last_doc),
        documents=(DocumentRef(doc=doc, role=DocumentRole.RECORD, digest=""),),
        births=(RevisionCreated(rid=doc, id="rec_forged", revision=1, status=model.status, footing=model.footing),),
        policy=last.policy,
    )
