"""memledger's interface over our engine, under its former name; it is the distribution `muniment-memledger`."""

from muniment.kits import stand_in

stand_in(__name__, "muniment_memledger", "muniment-memledger")
