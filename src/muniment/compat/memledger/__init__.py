"""memledger's interface over our engine. It lives in the distribution `muniment-memledger`; this is its other name."""

import sys
from importlib import import_module
from pkgutil import walk_packages

try:
    import muniment_memledger
except ModuleNotFoundError as error:
    if error.name != "muniment_memledger":
        raise
    raise ModuleNotFoundError(
        "muniment_memledger needs the distribution muniment-memledger: pip install muniment-memledger, "
        "or in a checkout pip install ./kits/muniment-memledger",
        name=error.name,
    ) from None

from muniment_memledger import *  # noqa: F403  # the same names, for type checkers

# Every module has both names, so that a class imported by one is the class imported by the other.
for _found in walk_packages(muniment_memledger.__path__, "muniment_memledger."):
    sys.modules[__name__ + _found.name.removeprefix("muniment_memledger")] = import_module(_found.name)
sys.modules[__name__] = muniment_memledger
