"""The conformance suite for whoever writes a store; it is the distribution `muniment-store-conformance`."""

from muniment.kits import stand_in

stand_in(__name__, "muniment_store_conformance", "muniment-store-conformance")
