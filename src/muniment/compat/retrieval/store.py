"""The runtime layer's store: records of all tenants in one process, found by shared words. Empty until it is filled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from muniment.compat.retrieval import checks, messages
from muniment.compat.retrieval.records import REPLACE, MemoryCandidate, MemoryRecord, checked
from muniment.compat.retrieval.seeding import read_seeds
from muniment.contracts.retrieval.seeds import seed_name
from muniment.contracts.retrieval.words import trust_of
from muniment.model.vocabulary import TRUST_RANK

LIMIT_DEFAULT = 3
CLASS_BONUS = {"profile": 0.15, "long_term": 0.10, "short_term": 0.05}
TRUSTED_BONUS = 0.10


class MemoryStore:
    """Records in the order they came. What a later revision stands for is kept, and no longer retrieved."""

    def __init__(self, records: Iterable[MemoryRecord] | None = None) -> None:
        self._records = _records(() if records is None else records)
        self._used = {one.memory_id for one in self._records}
        self._count = len(self._records)

    @classmethod
    def from_dict(cls, config: object) -> MemoryStore:
        """A store with the seed records of a configuration `{"memory": {"seed_records": […]}}`."""
        return cls(read_seeds(config))

    def all(self) -> list[MemoryRecord]:
        """Everything there is, of every tenant, old revisions too."""
        return list(self._records)

    def current(self, tenant_id: str) -> list[MemoryRecord]:
        """What a tenant's memory says now. A revision above the first stands for all of its chain that came before."""
        kept: list[MemoryRecord] = []
        for record in (one for one in self._records if one.tenant_id == tenant_id):
            if record.revision > 1:
                kept = [one for one in kept if one.chain != record.chain or one.revision >= record.revision]
            kept.append(record)
        return kept

    def retrieve(self, query: str, tenant_id: str, limit: int = LIMIT_DEFAULT) -> list[MemoryRecord]:
        """The best of what a tenant's memory says now; of equals the one that came first."""
        words, tenant, most = lookup("query", query), lookup("tenant_id", tenant_id), lookup_limit(limit)
        return sorted(self.current(tenant), key=lambda record: -score(words, record))[:most]

    def persist(self, candidate: MemoryCandidate) -> MemoryRecord:
        """Keep a candidate as a new record, or refuse it and change nothing. What is derived is believed and trusted no
        more than the least of what it is derived from."""
        said = checked(candidate)
        chain = (said.tenant_id, said.memory_class, said.kind)
        last = max((one.revision for one in self._records if one.chain == chain), default=0)
        grounds = [
            one for one in self._records if one.memory_id in said.derived_from and one.tenant_id == said.tenant_id
        ]
        trust = [trust_of(said.source, said.confidence), *(one.trust for one in grounds)]
        record = MemoryRecord(
            memory_id=self._fresh(),
            tenant_id=said.tenant_id,
            memory_class=said.memory_class,
            kind=said.kind,
            content=said.content,
            source=said.source,
            confidence=min([said.confidence, *(one.confidence for one in grounds)]),
            provenance=said.provenance,
            revision=last + 1 if said.revision_mode == REPLACE else 1,
            trust_level=min(trust, key=TRUST_RANK.__getitem__) if grounds else None,
            derived_from=tuple(one.memory_id for one in grounds),
        )
        self._records.append(record)
        return record

    def compact(self, tenant_id: str) -> int:
        """Drop a tenant's exact duplicates by class, kind and content, and say how many. The newest revision of each
        stays, so that saying the same again never takes a number back."""
        tenant = lookup("tenant_id", tenant_id)
        best: dict[tuple[str, str, str], MemoryRecord] = {}
        for record in (one for one in self._records if one.tenant_id == tenant):
            triple = (record.memory_class, record.kind, record.content)
            held = best.get(triple)
            if held is None or record.revision > held.revision:
                best[triple] = record
        stays = {id(record) for record in best.values()}
        before = len(self._records)
        self._records = [one for one in self._records if one.tenant_id != tenant or id(one) in stays]
        return before - len(self._records)

    def _fresh(self) -> str:
        """A name that no record of this store ever had."""
        self._count += 1
        while (name := seed_name(self._count)) in self._used:
            self._count += 1
        self._used.add(name)
        return name


def score(query: str, record: MemoryRecord) -> float:
    """How well a record fits: the words it shares with the query, its confidence, its class, its source."""
    shared = len(set(query.lower().split()) & set(record.content.lower().split()))
    trusted = TRUSTED_BONUS if record.source.startswith("trusted") else 0.0
    return shared + record.confidence + CLASS_BONUS.get(record.memory_class, 0.0) + trusted


def lookup(name: str, value: object) -> str:
    """A text of a lookup."""
    must, needed = messages.LOOKUP_TEXT.format(field=name), messages.LOOKUP_REQUIRED.format(field=name)
    return checks.text(value, must=must, needed=needed)


def lookup_limit(value: object) -> int:
    return checks.whole(value, least=0, must=messages.LOOKUP_INTEGER, within=messages.LOOKUP_NEGATIVE)


def _records(values: object) -> list[MemoryRecord]:
    """Records, and nothing that only looks like one or like a list of them."""
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes, Mapping)):
        raise TypeError(messages.STORE_RECORDS)
    return [_record(one) for one in values]


def _record(value: object) -> MemoryRecord:
    if not isinstance(value, MemoryRecord):
        raise TypeError(messages.STORE_RECORDS)
    return value
