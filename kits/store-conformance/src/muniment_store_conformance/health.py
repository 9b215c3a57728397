"""What every store says about its own condition. Knows the ports and no store."""

from __future__ import annotations

from muniment.model.receipt import StoredReceipt
from muniment.ports.store import Unit
from muniment_store_conformance.makers import TENANT, Made, log, make_receipt, raises


def _bytes(receipt: StoredReceipt) -> int:
    parts = (receipt.id, receipt.body, receipt.hash, receipt.salt, receipt.account)
    return sum(map(len, parts))


def _fail() -> None:
    raise ZeroDivisionError


def _log_and_fail(unit: Unit) -> None:
    unit.append_receipt(make_receipt(2))
    _fail()


class HealthConformance(Made):
    """Everything `TenantStore.health` promises."""

    SEALING_BYTES = 0
    """How many bytes a store adds to each receipt that it encrypts by itself."""

    def test_an_empty_store_has_no_receipts_and_no_open_read(self) -> None:
        with self.make(TENANT) as store:
            health = store.health()
            assert (health.oldest_read_s, health.receipts_bytes) == (None, 0)
            assert health.total_bytes >= 0
            assert health.wal_bytes >= 0

    def test_the_oldest_open_read_is_told_until_it_ends(self) -> None:
        with self.make(TENANT) as store:
            with store.read():
                first = store.health().oldest_read_s
                assert first is not None
                with store.read():
                    second = store.health().oldest_read_s
                    assert second is not None
                    assert second >= first >= 0.0
                third = store.health().oldest_read_s
                assert third is not None
                assert third >= second
            assert store.health().oldest_read_s is None

    def test_a_read_whose_block_fails_is_no_longer_open(self) -> None:
        with self.make(TENANT) as store:
            with raises(ZeroDivisionError), store.read():
                _fail()
            assert store.health().oldest_read_s is None

    def test_the_bytes_of_receipts_are_those_that_are_stored(self) -> None:
        with self.make(TENANT) as store:
            expected = 0
            for seq in range(1, 6):
                receipt = make_receipt(seq)
                store.write(log(receipt))
                expected += _bytes(receipt) + self.SEALING_BYTES
                assert store.health().receipts_bytes == expected

    def test_a_receipt_that_is_not_kept_takes_no_bytes(self) -> None:
        with self.make(TENANT) as store:
            store.write(log(make_receipt(1)))
            before = store.health().receipts_bytes
            with raises(ZeroDivisionError):
                store.write(_log_and_fail)
            assert store.health().receipts_bytes == before

    def test_a_receipt_that_is_blanked_takes_what_is_left(self) -> None:
        with self.make(TENANT) as store:
            receipt = make_receipt(1)
            store.write(log(receipt))
            before = store.health().receipts_bytes
            store.write(lambda unit: unit.blank(1, receipt.salt, receipt.account + b"a word"))
            assert store.health().receipts_bytes == before + len(b"a word")
            store.write(lambda unit: unit.blank(1, receipt.salt, receipt.account))
            assert store.health().receipts_bytes == before
