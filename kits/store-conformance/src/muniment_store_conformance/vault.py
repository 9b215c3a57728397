"""What every vault promises: tenants by name, apart from each other, found again. Knows the ports and no store."""

from __future__ import annotations

from contextlib import AbstractContextManager

from muniment.model.errors import Malformed, NotFound, StoreUnavailable
from muniment.ports.store import Vault
from muniment_store_conformance.contents import contents
from muniment_store_conformance.makers import append_next, raises

LOOKALIKES = ("a", "A", "a.", "..", "a:b", "a-b", "a_b", "con", "x" * 128)
"""Names that a file system may take for one another, or for something else."""


class VaultConformance:
    """Everything a `Vault` promises."""

    def make(self) -> AbstractContextManager[Vault]:
        """An empty vault, gone when the block ends."""
        raise NotImplementedError("a conformance class says how to make its vault")

    def test_a_new_vault_has_no_tenants_and_opens_none_that_is_not_there(self) -> None:
        with self.make() as vault:
            assert vault.tenants() == ()
            with raises(NotFound):
                vault.open("acme", create=False)
            assert vault.tenants() == ()

    def test_a_tenant_is_the_same_store_each_time_it_is_opened(self) -> None:
        with self.make() as vault:
            assert vault.open("acme", create=True) is vault.open("acme", create=False)
            assert vault.tenants() == ("acme",)

    def test_tenants_with_names_alike_are_apart_and_listed_in_the_order_of_bytes(self) -> None:
        with self.make() as vault:
            for number, name in enumerate(LOOKALIKES, start=1):
                store = vault.open(name, create=True)
                for _ in range(number):
                    store.write(append_next)
            assert vault.tenants() == tuple(sorted(LOOKALIKES))
            for number, name in enumerate(LOOKALIKES, start=1):
                assert len(contents(vault.open(name, create=False)).entries) == number

    def test_a_name_that_is_none_is_refused(self) -> None:
        with self.make() as vault:
            for name in ("", "a/b", "a\x00", "ä", "x" * 129, "a b"):
                with raises(Malformed):
                    vault.open(name, create=True)
            assert vault.tenants() == ()

    def test_a_closed_vault_closes_its_stores_and_a_reopened_one_finds_them_whole(self) -> None:
        with self.make() as vault:
            store = vault.open("acme", create=True)
            store.write(append_next)
            before = contents(store)
            vault.close()
            with raises(StoreUnavailable):
                store.write(append_next)
            assert contents(vault.open("acme", create=False)) == before
