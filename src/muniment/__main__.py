"""`python -m muniment` is the command line."""

import sys

from muniment.surfaces.cli import run

if __name__ == "__main__":
    sys.exit(run())
