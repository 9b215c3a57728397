"""The promises every store keeps, as test classes to inherit from. Needs pytest to run them and no store to exist.

class TestMyStore(StoreConformance):
    @contextmanager
    def make(self, tenant: str) -> Iterator[TenantStore]:
        store = MyStore(tenant)
        yield store
        store.close()
"""

from muniment_store_conformance.catalogue import CatalogueConformance
from muniment_store_conformance.erasing import ErasureConformance
from muniment_store_conformance.facts import FactsConformance
from muniment_store_conformance.health import HealthConformance
from muniment_store_conformance.links import LinkConformance
from muniment_store_conformance.lookups import LookupConformance
from muniment_store_conformance.meanings import MeaningConformance
from muniment_store_conformance.names import NameConformance
from muniment_store_conformance.near import NearConformance
from muniment_store_conformance.notes import NoteConformance
from muniment_store_conformance.parity import ParityConformance
from muniment_store_conformance.search import SearchConformance
from muniment_store_conformance.transactions import TransactionConformance
from muniment_store_conformance.vault import VaultConformance

__all__ = ["StoreConformance", "VaultConformance"]


class StoreConformance(
    TransactionConformance,
    CatalogueConformance,
    LookupConformance,
    FactsConformance,
    LinkConformance,
    ParityConformance,
    SearchConformance,
    NearConformance,
    NameConformance,
    NoteConformance,
    MeaningConformance,
    ErasureConformance,
    HealthConformance,
):
    """Everything a `TenantStore` promises."""
