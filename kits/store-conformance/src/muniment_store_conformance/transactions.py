"""Whole or absent, in order, apart: what every store promises about writing. Knows the ports and no store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from muniment.model.card import Card
from muniment.model.errors import IntegrityError, NotFound, StoreUnavailable
from muniment.model.status import Status
from muniment.ports.store import TenantStore, Unit
from muniment_store_conformance.contents import Contents, contents
from muniment_store_conformance.makers import (
    TENANT,
    Made,
    append_next,
    keep,
    log,
    make_card,
    make_checkpoint,
    make_conflict,
    make_document,
    make_edge,
    make_proposal,
    make_receipt,
    make_standing,
    make_telling,
    next_entry,
    project,
    put_cards,
    raises,
)

WAIT_S = 300
_EMPTY = Contents()


class Died(BaseException):
    """What a job raises when it is to fail in a way no store can expect."""


def touch_everything(unit: Unit) -> None:
    """One write of every sort."""
    append_next(unit)
    unit.keep(make_document(1))
    unit.keep(make_document(2))
    unit.drop(2)
    rows = (
        make_card(1),
        make_standing(1, 2, Status.RETRACTED),
        make_edge(1, "rec-2"),
        make_proposal("p", 1),
        make_conflict("c", 1, 2, opened=1),
    )
    unit.project(rows, {1: "the build is green"})
    unit.append_receipt(make_receipt(1))
    unit.tell((make_telling(1),))
    unit.checkpoint(make_checkpoint(1))


class TransactionConformance(Made):
    """Atomicity, isolation, order of writers, and the locks no decision may get past."""

    def test_a_new_store_is_empty(self) -> None:
        with self.make(TENANT) as store:
            assert contents(store) == _EMPTY
            assert store.tenant == TENANT
            with store.read() as snapshot:
                assert snapshot.ledger.head() is None
                assert snapshot.ledger.last_checkpoint() is None
                assert snapshot.receipts.head() == (0, bytes(32))
                assert snapshot.catalogue.count() == {}

    def test_a_write_returns_what_its_job_returns_and_is_there_afterwards(self) -> None:
        with self.make(TENANT) as store:
            assert store.write(append_next) == 1
            assert [stored.seq for stored in contents(store).entries] == [1]

    def test_a_job_that_raises_leaves_nothing(self) -> None:
        for error in (ValueError("no"), IntegrityError("no"), AssertionError("no"), Died()):
            with self.make(TENANT) as store:

                def job(unit: Unit, error: BaseException = error) -> None:
                    touch_everything(unit)
                    raise error

                with raises(type(error)):
                    store.write(job)
                assert contents(store) == _EMPTY
                assert store.write(append_next) == 1, "a failed job is in nobody's way"

    def test_a_job_that_raises_leaves_what_was_there(self) -> None:
        with self.make(TENANT) as store:
            store.write(touch_everything)
            before = contents(store)
            assert (len(before.entries), len(before.documents), len(before.cards)) == (1, 1, 1)
            assert (len(before.standings), len(before.edges), len(before.told)) == (2, 1, 1)

            def job(unit: Unit) -> None:
                append_next(unit)
                unit.drop(1)
                unit.tell((make_telling(1),))
                unit.clear_projections()
                unit.checkpoint(make_checkpoint(1, signature="ff"))
                raise ValueError

            with raises(ValueError):
                store.write(job)
            assert contents(store) == before

    def test_nothing_is_visible_before_the_job_is_done(self) -> None:
        with self.make(TENANT) as store:

            def job(unit: Unit) -> Contents:
                touch_everything(unit)
                return contents(store)

            assert store.write(job) == _EMPTY
            assert len(contents(store).cards) == 1

    def test_a_unit_reads_its_own_writes(self) -> None:
        with self.make(TENANT) as store:

            def job(unit: Unit) -> tuple[int, Card | None, int]:
                touch_everything(unit)
                head = unit.ledger.head()
                assert head is not None
                return head.seq, unit.catalogue.card(1), unit.receipts.head()[0]

            retracted = make_card(1, status="retracted", since=2)
            assert store.write(job) == (1, retracted, 1)

    def test_a_snapshot_does_not_see_later_writes(self) -> None:
        with self.make(TENANT) as store:
            store.write(touch_everything)
            with store.read() as snapshot:
                assert snapshot.ledger.head() is not None
                store.write(append_next)
                store.write(put_cards(make_card(7)))
                store.write(lambda unit: unit.drop(1))
                assert [stored.seq for stored in snapshot.ledger.entries(1, 9)] == [1]
                assert [card.rid for card in snapshot.catalogue.all()] == [1]
                assert snapshot.documents.get(1) == make_document(1)
                assert snapshot.documents.many(iter((2, 1, 1))) == {1: make_document(1)}
            assert [card.rid for card in contents(store).cards] == [1, 7]

    def test_a_snapshot_is_of_the_moment_it_was_opened(self) -> None:
        with self.make(TENANT) as store:
            store.write(append_next)
            with store.read() as snapshot:
                store.write(append_next)
                head = snapshot.ledger.head()
                assert head is not None
                assert head.seq == 1

    def test_snapshots_of_different_moments_live_side_by_side(self) -> None:
        with self.make(TENANT) as store, store.read() as empty:
            assert empty.ledger.head() is None
            store.write(append_next)
            with store.read() as one:
                assert one.ledger.entry(1) is not None
                store.write(append_next)
                assert (empty.ledger.entry(1), one.ledger.entry(2)) == (None, None)

    def test_tenants_are_apart(self) -> None:
        with self.make(TENANT) as ours, self.make("other") as theirs:
            ours.write(touch_everything)
            assert contents(theirs) == _EMPTY
            assert theirs.tenant == "other"

    def test_a_scratch_store_is_empty_and_leaves_no_trace(self) -> None:
        with self.make(TENANT) as store:
            store.write(touch_everything)
            before = contents(store)
            with store.scratch() as scratch:
                assert contents(scratch) == _EMPTY
                assert scratch.tenant == TENANT
                scratch.write(append_next)
            assert contents(store) == before

    def test_a_closed_store_refuses_to_work(self) -> None:
        with self.make(TENANT) as store:
            store.close()
            with raises(StoreUnavailable):
                store.write(append_next)
            with raises(StoreUnavailable), store.read():
                pass

    def test_a_sound_store_has_no_complaints_and_a_size(self) -> None:
        with self.make(TENANT) as store:
            store.write(keep(make_document(1, "the build is green")))
            store.write(put_cards(make_card(1)))
            assert store.integrity() == ()
            assert store.size_bytes() > 0

    def test_an_index_that_differs_from_the_records_is_complained_about(self) -> None:
        with self.make(TENANT) as store:
            store.write(keep(make_document(1, "the build is green")))
            store.write(put_cards(make_card(1), text="the build is red"))
            assert len(store.integrity()) == 1

    def test_what_contradicts_the_store_is_refused_and_leaves_nothing(self) -> None:
        first = next_entry(None)
        contradictions: tuple[tuple[str, Callable[[Unit], None]], ...] = (
            ("entry", lambda unit: unit.append(first)),
            ("document", keep(make_document(1))),
            ("card", put_cards(make_card(1, id="else"))),
            ("revision", put_cards(make_card(9, id="rec-1", status="retracted"))),
            ("receipt number", log(make_receipt(1, name="else"))),
            ("receipt id", log(make_receipt(9, name="rcp-1"))),
            ("standing", project(make_standing(1, 2, Status.EXPIRED))),
            ("standing at birth", project(make_standing(1, 1, Status.EXPIRED))),
            ("link", project(make_edge(1, "rec-2"))),
            ("proposal", project(make_proposal("else", 1))),
        )
        with self.make(TENANT) as store:
            store.write(touch_everything)
            before = contents(store)
            for name, contradiction in contradictions:

                def job(unit: Unit, contradiction: Callable[[Unit], None] = contradiction) -> None:
                    unit.keep(make_document(50))
                    contradiction(unit)

                try:
                    store.write(job)
                except IntegrityError:
                    assert contents(store) == before, name
                    continue
                raise AssertionError(f"a second {name} was taken")

    def test_two_revisions_of_a_record_never_speak_at_once(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(1), make_card(2, id="rec-1", revision=2, status="superseded")))
            for status in ("active", "contested"):
                with raises(IntegrityError):
                    store.write(put_cards(make_card(3, id="rec-1", revision=3, status=status)))
            with raises(IntegrityError):
                store.write(project(make_standing(2, 5, Status.CONTESTED)))
            rows = (make_standing(1, 5, Status.SUPERSEDED), make_card(3, id="rec-1", revision=3))
            store.write(project(*rows, texts={3: "newer"}))
            with store.read() as snapshot:
                current = snapshot.catalogue.current("rec-1")
            assert current is not None
            assert current.rid == 3

    def test_dropping_what_is_not_there_is_no_error(self) -> None:
        with self.make(TENANT) as store:
            store.write(lambda unit: unit.drop(77))
            assert contents(store) == _EMPTY

    def test_jobs_of_many_threads_keep_one_order_and_get_their_own_results(self) -> None:
        """Each job takes the next position and says who took it; the ledger must agree with every one of them."""
        with self.make(TENANT) as store, ThreadPoolExecutor(8) as pool:

            def write(number: int) -> tuple[int, str]:
                actor = f"actor-{number}"
                return store.write(lambda unit: append_next(unit, actor=actor)), actor

            told = sorted(pool.map(write, range(120), timeout=WAIT_S))
            assert [seq for seq, _ in told] == list(range(1, 121))
            for stored, (_, actor) in zip(contents(store).entries, told, strict=True):
                assert f'"{actor}"'.encode() in stored.body

    def test_a_job_that_fails_among_many_fails_alone(self) -> None:
        """Every third job fails, each in its own way: its caller gets its error, the others their results."""
        errors: tuple[BaseException, ...] = (IntegrityError("a"), ValueError("b"), NotFound("c", "c"), KeyError("d"))
        with self.make(TENANT) as store:
            outcomes = in_one_rush(store, [_keeps(n, errors[n % 4] if n % 3 == 0 else None) for n in range(1, 25)])
            for number, outcome in enumerate(outcomes, start=1):
                assert outcome is errors[number % 4] if number % 3 == 0 else outcome == number, number
            kept = [document.doc for document in contents(store).documents]
            assert kept == [number for number in range(1, 25) if number % 3]

    def test_a_contradiction_among_many_jobs_is_refused_alone(self) -> None:
        with self.make(TENANT) as store:
            store.write(keep(make_document(5)))
            outcomes = in_one_rush(store, [_keeps(n, None) for n in range(1, 11)])
            assert [n for n, outcome in enumerate(outcomes, start=1) if isinstance(outcome, IntegrityError)] == [5]
            assert [document.doc for document in contents(store).documents] == list(range(1, 11))


def _keeps(number: int, error: BaseException | None) -> Callable[[Unit], int]:
    def job(unit: Unit) -> int:
        unit.keep(make_document(number))
        if error is not None:
            raise error
        return number

    return job


def in_one_rush(store: TenantStore, jobs: list[Callable[[Unit], int]]) -> list[int | BaseException]:
    """Run jobs from as many threads while another holds the writer, so that they pile up behind it."""
    released, holding = threading.Event(), threading.Event()
    piled = threading.Barrier(len(jobs) + 1)

    def hold(_: Unit) -> None:
        holding.set()
        assert released.wait(WAIT_S)

    def run(job: Callable[[Unit], int]) -> int:
        piled.wait(WAIT_S)
        return store.write(job)

    with ThreadPoolExecutor(len(jobs) + 1) as pool:
        first = pool.submit(store.write, hold)
        assert holding.wait(WAIT_S)
        futures = [pool.submit(run, job) for job in jobs]
        piled.wait(WAIT_S)
        released.set()
        first.result(WAIT_S)
        return [future.exception(WAIT_S) or future.result() for future in futures]
