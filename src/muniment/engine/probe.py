"""Ask our own recall for what is about to be erased, as if it were gone already: in a transaction that is given up.

The questions are made of what the records say. They leave no receipt, since a receipt would keep their words.
"""

from __future__ import annotations

from muniment.engine.session import Session
from muniment.model.card import normalise
from muniment.model.erasure import ErasureOutcome, ErasureRequest, ProbeResult
from muniment.model.query import LIMIT_MAX, Listing, Query
from muniment.model.record import Record
from muniment.ports.store import Snapshot, Unit
from muniment.read.fetch import record_of
from muniment.read.pipeline import ReadContext, answer
from muniment.read.question import texts_of
from muniment.text.features import salient
from muniment.write.erase.execute import erase, plan_erasure

RECORDS_MAX, NAMES_MAX = 20, 8
"""So many of the records, and so many of the names in each, are asked for."""
RECEIPTS_MAX = 2_000
_WORDS_LEAST = 3


def probe(session: Session, request: ErasureRequest) -> ProbeResult:
    """Erase, ask, and give the erasure up: how many questions were asked, and to how many something came back."""
    with session.store.read() as snapshot:
        plan = plan_erasure(snapshot, request, session.actor, session.bench)
        gone = frozenset(plan.of(ErasureOutcome.ERASED))
        records = _records(snapshot, gone)
    indexer = session.tenant.indexer
    questions = [(query, indexer.asking(texts_of(query))) for query in _questions(records)]
    said = [text for record in records if len((text := normalise(record.content)).split()) >= _WORDS_LEAST]
    reading = ReadContext(actor=session.actor, policy=session.policy, policy_doc=session.bench.policy_doc)
    now = session.tenant.clock.now()

    def job(unit: Unit) -> int:
        done = erase(unit, request, session.actor, session.bench, session.tenant.signing)
        if done.verdict is None or not done.verdict.committed:
            return 0
        found = 0
        for query, ask in questions:
            told = answer(unit, query, reading, ask, now=now, receipt_id="").recall.records
            found += any(one.record.id in gone or _says(one.record, said) for one in told)
        return found + _in_receipts(unit, said)

    return ProbeResult(questions=len(questions) + 1, came_back=session.rehearse(job))


def _records(snapshot: Snapshot, names: frozenset[str]) -> list[Record]:
    cards = [card for name in sorted(names) for card in snapshot.catalogue.revisions(name)][:RECORDS_MAX]
    documents = snapshot.documents.many([card.rid for card in cards])
    return [record_of(documents[card.rid].body) for card in cards if card.rid in documents]


def _questions(records: list[Record]) -> list[Query]:
    """What the records say, their telling words, and the names in them; and everything there is."""
    texts: dict[str, None] = {}
    for record in records:
        texts[record.content] = None
        texts[" ".join(salient(record.content))] = None
        texts.update(dict.fromkeys(one.text for one in record.mentions[:NAMES_MAX]))
    asked = [Query(text=text, floor=0.0, limit=LIMIT_MAX) for text in texts if text.strip()]
    return [*asked, Query(text="", listing=Listing(), limit=LIMIT_MAX)]


def _says(record: Record, said: list[str]) -> bool:
    content = normalise(record.content)
    return any(text in content for text in said)


def _in_receipts(unit: Unit, said: list[str]) -> int:
    """Whether a receipt still quotes a text, word by word."""
    first = max(0, unit.receipts.head()[0] - RECEIPTS_MAX)
    kept = (normalise(stored.account.decode(errors="replace")) for stored in unit.receipts.since(first))
    return int(any(text in account for account in kept for text in said))
