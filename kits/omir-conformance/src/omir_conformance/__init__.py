"""Does an implementation read OMIR R1 as the text and the reference validator do? Vectors, a runner, and a report."""

from omir_conformance.run import Case, Outcome, Seen, cases, judge, run

__all__ = ["Case", "Outcome", "Seen", "cases", "judge", "run"]
