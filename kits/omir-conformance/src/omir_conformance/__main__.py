"""`python -m omir_conformance`."""

from omir_conformance.command import main

raise SystemExit(main())
