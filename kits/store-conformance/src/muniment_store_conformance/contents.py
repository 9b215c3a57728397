"""Everything a store holds, as one value that can be compared with another. Knows the ports and no store."""

from __future__ import annotations

from dataclasses import dataclass

from muniment.model.card import Card
from muniment.model.entry import Document, SignedCheckpoint, StoredEntry
from muniment.model.note import Note
from muniment.model.receipt import StoredReceipt
from muniment.model.rows import AliasRow, ConflictRow, EdgeRow, MentionRow, ProposalRow, StandingRow, ToldRow
from muniment.ports.store import Snapshot, TenantStore


@dataclass(frozen=True, slots=True)
class Contents:
    """One moment of a store, table by table, each in its own order."""

    entries: tuple[StoredEntry, ...] = ()
    documents: tuple[Document, ...] = ()
    cards: tuple[Card, ...] = ()
    standings: tuple[StandingRow, ...] = ()
    edges: tuple[EdgeRow, ...] = ()
    mentions: tuple[MentionRow, ...] = ()
    aliases: tuple[AliasRow, ...] = ()
    notes: tuple[Note, ...] = ()
    proposals: tuple[ProposalRow, ...] = ()
    conflicts: tuple[ConflictRow, ...] = ()
    receipts: tuple[StoredReceipt, ...] = ()
    told: tuple[ToldRow, ...] = ()
    checkpoints: tuple[SignedCheckpoint, ...] = ()


def contents(store: TenantStore) -> Contents:
    """What `store` holds now."""
    with store.read() as snapshot:
        return contents_of(snapshot)


def contents_of(snapshot: Snapshot) -> Contents:
    return Contents(
        entries=tuple(snapshot.ledger.entries(0, 2**62)),
        documents=tuple(snapshot.documents.all()),
        cards=tuple(snapshot.catalogue.all()),
        standings=tuple(snapshot.catalogue.moves()),
        edges=tuple(snapshot.links.all()),
        mentions=tuple(snapshot.names.all_mentions()),
        aliases=tuple(snapshot.names.all_aliases()),
        notes=tuple(snapshot.notes.all()),
        proposals=tuple(snapshot.desk.proposals()),
        conflicts=tuple(snapshot.desk.conflicts()),
        receipts=tuple(snapshot.receipts.all()),
        told=tuple(snapshot.receipts.all_told()),
        checkpoints=tuple(snapshot.ledger.checkpoints()),
    )
