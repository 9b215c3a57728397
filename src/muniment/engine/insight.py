"""The reader's part of the face beside recall: a record, its past and lineage, the queue, disputes, who knows what."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from muniment.engine.directory import Directory, directory_of
from muniment.engine.disputed import asked, conflict_of, conflicts_of
from muniment.engine.entities import EntityView, entity_of
from muniment.engine.impact import LINK_TYPES, LineageView, lineage_of
from muniment.engine.look import (
    ConflictView,
    History,
    QueueItem,
    history_of,
    queue_of,
    record_of,
)
from muniment.engine.metrics import condition_of
from muniment.engine.quality import Quality, quality_of
from muniment.engine.seat import Seat
from muniment.engine.stats import Stats, stats_of
from muniment.engine.watched import watched
from muniment.graph.walk import Direction
from muniment.model import checks
from muniment.model.arguments import checked
from muniment.model.errors import Malformed
from muniment.model.query import DEFAULT_PURPOSE, Disclosure
from muniment.policy.narrow import narrow
from muniment.trust.quality import QualityFormula

DEPTH_MAX = 1_000_000
NODES_MAX = 1_000


@checked
class Insight(Seat):
    """Looking without searching. Each look asks the policy first."""

    @watched("get")
    def get(self, record_id: str, *, revision: int | None = None) -> Disclosure:
        """A record as it stands, in any state, if the caller may see it."""
        with self._tenant.store.read() as snapshot:
            return record_of(snapshot, self.actor, self.policy, record_id, revision)

    @watched("history")
    def history(self, record_id: str) -> History:
        """Every revision of a record and what became of each, with who decided and why."""
        with self._tenant.store.read() as snapshot:
            return history_of(snapshot, self.actor, self.policy, record_id)

    @watched("lineage")
    def lineage(
        self,
        record_id: str,
        *,
        direction: str = Direction.BOTH.value,
        depth: int | None = None,
        types: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> LineageView:
        """What a record stands on (`up`), what stands on it (`down`), or `both`, at any depth unless one is given;
        by all links, or only those of some `types`. With a `limit` of nodes, the record itself counted, the nearest are
        told, of those that are equally far the oldest revisions."""
        checks.identifier("id", record_id)
        if depth is not None:
            checks.whole("depth", depth, least=0, most=DEPTH_MAX)
        if limit is not None:
            checks.whole("limit", limit, least=1, most=NODES_MAX)
        if isinstance(types, str) or any(type_ not in LINK_TYPES for type_ in types or ()):
            raise Malformed("types", "a list of link types: " + ", ".join(LINK_TYPES))
        towards = checks.read_word("direction", direction, Direction)
        with self._tenant.store.read() as snapshot:
            return lineage_of(
                snapshot,
                self.actor,
                self.policy,
                record_id,
                direction=towards,
                depth=depth,
                types=types,
                limit=limit,
            )

    @watched("queue")
    def queue(self, *, after: str | None = None, limit: int = 50) -> tuple[QueueItem, ...]:
        """What waits for a person: all of it for reviewers, their own for everybody else."""
        checks.whole("limit", limit, least=1, most=1_000)
        checks.optional_identifier("after", after)
        with self._tenant.store.read() as snapshot:
            return queue_of(snapshot, self.actor, self.policy, after=after, limit=limit)

    @watched("conflicts")
    def conflicts(
        self,
        *,
        record_id: str | None = None,
        status: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> tuple[ConflictView, ...]:
        """The disagreements whose both sides the caller may see, oldest first: all, or those in which a revision of one
        record is a side, or those in one state. With `after`, the position at which one was opened and its id
        (`12@cfl-1`), it goes on behind that one."""
        wanted = asked(record_id, status, after, limit)
        with self._tenant.store.read() as snapshot:
            return conflicts_of(snapshot, self.actor, self.policy, wanted)

    @watched("conflict")
    def conflict(self, conflict_id: str) -> ConflictView:
        """One disagreement, if the caller may see both its sides."""
        with self._tenant.store.read() as snapshot:
            return conflict_of(snapshot, self.actor, self.policy, conflict_id)

    @watched("directory")
    def directory(self, about: str | None = None, *, limit: int = 50) -> Directory:
        """Who knows what, of what the caller may see; with `about`, who knows about these words."""
        checks.whole("limit", limit, least=1, most=10_000)
        if about is not None:
            checks.text("about", about)
        with self._tenant.store.read() as snapshot:
            now = self._tenant.clock.now()
            words = self._clean(about) if about is not None else None
            return directory_of(
                snapshot, self.actor, self.policy, sums=self._tenant.tallies, about=words, now=now, limit=limit
            )

    @watched("entity")
    def entity(self, name: str, *, limit: int = 20) -> EntityView:
        """What is known of a thing by name: its names, the records that mention it, and what is mentioned with it."""
        checks.text("name", name)
        checks.whole("limit", limit, least=1, most=1_000)
        with self._tenant.store.read() as snapshot:
            return entity_of(snapshot, self.actor, self.policy, self._clean(name), limit=limit)

    @watched("quality")
    def quality(
        self,
        *,
        namespace: str | None = None,
        session: str | None = None,
        profile: str = QualityFormula.MUNIMENT.value,
        progress: Callable[[int], None] = lambda _: None,
    ) -> Quality:
        """How good the memory is, or one namespace or session of it, by our formulas or by memledger's."""
        if namespace is not None:
            checks.namespace("namespace", namespace)
        checks.optional_identifier("session", session)
        chosen = checks.read_word("profile", profile, QualityFormula)
        with self._tenant.store.read() as snapshot:
            return quality_of(
                snapshot,
                self.actor,
                self.policy,
                namespace=namespace,
                session=session,
                profile=chosen,
                progress=progress,
            )

    @watched("namespaces")
    def namespaces(self) -> tuple[str, ...]:
        """Every namespace that holds a current record the caller may see."""
        with self._tenant.store.read() as snapshot:
            visible, _ = narrow(self.policy, self.actor, DEFAULT_PURPOSE)
            return tuple(sorted({tally.namespace for tally in self._tenant.tallies.survey(snapshot, visible)}))

    @watched("stats")
    def stats(self) -> Stats:
        """How much there is, of what the caller may see."""
        condition = condition_of(self._tenant)
        with self._tenant.store.read() as snapshot:
            return stats_of(snapshot, self.actor, self.policy, sums=self._tenant.tallies, condition=condition)
