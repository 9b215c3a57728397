"""Figures from results: a row for each contestant, way and size, and ours against each peer's."""

from __future__ import annotations

import statistics

import msgspec

from bench.peers.corpus import Corpus, score
from bench.peers.job import Job, Lap, Mark, Result, Way
from bench.report import Row
from muniment.model.value import Value

OURS = "muniment"
Load = tuple[float, float]


class Figures(Value, omit_defaults=False):
    """One contestant, one way of writing, one size.

    `ingest_per_s` counts embedding and ends when everything can be found; `accepted_per_s` ends when the last write is
    acknowledged. Those named `given` were taken with every vector known beforehand: the store alone. `embed_share` is
    the time spent in the model against the time of the ingest; where embedding runs beside writing both pass at once.
    `embedded` counts texts or passages given to the model.
    """

    peer: str
    version: str
    way: Way
    settings: str
    n: int
    kept: int
    ingest_per_s: float
    accepted_per_s: float
    embed_share: float
    embedded: int
    write_p50_ms: float
    write_p95_ms: float
    search_p50_ms: float
    search_p95_ms: float
    search_embed_ms: float
    given_ingest_per_s: float | None
    given_accepted_per_s: float | None
    given_search_p50_ms: float | None
    given_search_p95_ms: float | None
    questions: int
    recall: float = msgspec.field(name="recall@10")
    turn_recall: float | None = msgspec.field(name="turn_recall@10")
    disk_bytes: int
    asked_disk_bytes: int
    resident_mb: float
    load: Load

    @property
    def name(self) -> str:
        return f"{self.peer}/{self.way}/{self.n}"


class Ratios(Value, omit_defaults=False):
    """Ours against a peer's. More than one always means that ours is the better."""

    ingest: float
    given_ingest: float | None
    search_p95: float
    given_search_p95: float | None
    recall: float | None = msgspec.field(name="recall@10")
    disk: float | None


def rows(peer: str, job: Job, result: Result, corpus: Corpus, load: Load) -> list[Figures]:
    """A row for every size that was reached. The second lap may have stopped earlier than the first."""
    given = {mark.n: mark for mark in result.given.marks}
    return [_row(peer, job, result, corpus, mark, given.get(mark.n), load) for mark in result.live.marks]


def _row(peer: str, job: Job, result: Result, corpus: Corpus, live: Mark, given: Mark | None, load: Load) -> Figures:
    found = score(corpus, live.n, live.found)
    return Figures(
        peer=peer,
        version=result.version,
        way=job.way,
        settings=result.settings,
        n=live.n,
        kept=live.kept,
        ingest_per_s=live.n / live.ingest_seconds,
        accepted_per_s=live.n / live.accepted_seconds,
        embed_share=live.embed_seconds / live.ingest_seconds,
        embedded=live.embedded,
        write_p50_ms=percentile(live.write_ms, 50),
        write_p95_ms=percentile(live.write_ms, 95),
        search_p50_ms=percentile(live.search_ms, 50),
        search_p95_ms=percentile(live.search_ms, 95),
        search_embed_ms=live.search_embed_seconds * 1_000 / len(live.search_ms),
        given_ingest_per_s=None if given is None else given.n / given.ingest_seconds,
        given_accepted_per_s=None if given is None else given.n / given.accepted_seconds,
        given_search_p50_ms=None if given is None else percentile(given.search_ms, 50),
        given_search_p95_ms=None if given is None else percentile(given.search_ms, 95),
        questions=found.questions,
        recall=found.recall,
        turn_recall=found.turn_recall,
        disk_bytes=live.disk_bytes,
        asked_disk_bytes=live.asked_disk_bytes,
        resident_mb=live.resident_mb,
        load=load,
    )


def percentile(times: tuple[float, ...], share: int) -> float:
    return statistics.quantiles(times, n=100, method="inclusive")[share - 1]


def remarks(peer: str, job: Job, result: Result) -> dict[str, str]:
    """What must be known beside the figures: laps that stopped early, and work that was not done as for the others."""
    laps: dict[str, Lap] = {"embedding": result.live, "vectors given": result.given}
    said = {f"{peer}/{job.way}, {name}": lap.stopped for name, lap in laps.items() if lap.stopped is not None}
    for mark in result.live.marks:
        if mark.search_embedded != len(job.questions):
            counts = f"{mark.search_embedded} texts embedded for {len(job.questions)} questions"
            said[f"{peer}/{job.way}/{mark.n}"] = counts
    if result.missed:
        said[f"{peer}/{job.way}, given"] = f"{result.missed} texts were embedded after all"
    return said


def ratios(found: list[Figures]) -> dict[str, dict[str, Ratios]]:
    """Each of our rows against each peer's row of the same size, whichever way either was written."""
    ours = [row for row in found if row.peer == OURS]
    theirs = [row for row in found if row.peer != OURS]
    return {our.name: {their.name: _against(our, their) for their in theirs if their.n == our.n} for our in ours}


def _against(our: Figures, their: Figures) -> Ratios:
    return Ratios(
        ingest=our.ingest_per_s / their.ingest_per_s,
        given_ingest=_quotient(our.given_ingest_per_s, their.given_ingest_per_s),
        search_p95=their.search_p95_ms / our.search_p95_ms,
        given_search_p95=_quotient(their.given_search_p95_ms, our.given_search_p95_ms),
        recall=_quotient(our.recall, their.recall),
        disk=_quotient(their.disk_bytes, our.disk_bytes) if their.disk_bytes else None,
    )


def _quotient(top: float | None, bottom: float | None) -> float | None:
    return None if top is None or not bottom else top / bottom


def goals(found: list[Figures]) -> list[Row]:
    """What we hold ourselves to, for the sizes that were raced. Ours is the row written in batches."""
    at = {(row.peer, row.n): row for row in found if row.peer != OURS and row.way is Way.SINGLE}
    ours = {row.n: row for row in found if row.peer == OURS and row.way is Way.BATCH}
    judged = []
    for peer, n, floor in (("memledger", 5_000, 30), ("mem0", 10_000, 5)):
        if n in ours and (peer, n) in at:
            ratio = _against(ours[n], at[peer, n])
            judged.append(Row(f"ingest at {n:,} against {peer}, embedding counted", ratio.ingest, "×", floor=floor))
            if ratio.given_ingest is not None:
                judged.append(
                    Row(f"ingest at {n:,} against {peer}, vectors given", ratio.given_ingest, "×", floor=floor)
                )
    return judged + _against_the_best(ours, found, 10_000)


def _against_the_best(ours: dict[int, Figures], found: list[Figures], n: int) -> list[Row]:
    theirs = [row for row in found if row.peer != OURS and row.n == n]
    if n not in ours or not theirs:
        return []
    our, p95 = ours[n], min(row.search_p95_ms for row in theirs)
    judged = [Row(f"search p95 at {n:,}, the fastest peer's against ours", p95 / our.search_p95_ms, "×", floor=3)]
    given = [row.given_search_p95_ms for row in theirs if row.given_search_p95_ms is not None]
    if given and our.given_search_p95_ms is not None:
        ratio = min(given) / our.given_search_p95_ms
        judged.append(Row("the same, vectors given", ratio, "×", floor=3))
    best = max(row.recall for row in theirs)
    return [*judged, Row(f"recall@10 at {n:,}, ours less the best peer's", our.recall - best, "", floor=0)]
