"""The assertions of the Akashik protocol as one suite over any binding, for whoever builds a Field."""

from akashik_conformance.bench import Bench
from akashik_conformance.binding import Answer, Binding, Examined, Settings, Stage, Unobservable
from akashik_conformance.registry import Assertion, assertions
from akashik_conformance.run import Outcome, Report, run

__all__ = [
    "Answer",
    "Assertion",
    "Bench",
    "Binding",
    "Examined",
    "Outcome",
    "Report",
    "Settings",
    "Stage",
    "Unobservable",
    "assertions",
    "run",
]
