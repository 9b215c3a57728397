"""The promises every store keeps, as test classes to inherit from. Needs pytest to run them and no store to exist.

class TestMyStore(StoreConformance):
    @contextmanager
    def make(self, tenant: str) -> Iterator[TenantStore]:
        store = MyStore(tenant)
        yield store
        store.close()
"""

from muniment.testing.conformance.catalogue import CatalogueConformance
from muniment.testing.conformance.erasing import ErasureConformance
from muniment.testing.conformance.facts import FactsConformance
from muniment.testing.conformance.health import HealthConformance
from muniment.testing.conformance.links import LinkConformance
from muniment.testing.conformance.lookups import LookupConformance
from muniment.testing.conformance.meanings import MeaningConformance
from muniment.testing.conformance.names import NameConformance
from muniment.testing.conformance.near import NearConformance
from muniment.testing.conformance.notes import NoteConformance
from muniment.testing.conformance.parity import ParityConformance
from muniment.testing.conformance.search import SearchConformance
from muniment.testing.conformance.transactions import TransactionConformance
from muniment.testing.conformance.vault import VaultConformance

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
