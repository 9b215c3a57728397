"""`python -m akashik_conformance`."""

from akashik_conformance.command import main

raise SystemExit(main())
