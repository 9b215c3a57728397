"""The assertions of the Akashik protocol as one suite over any binding, for whoever builds a Field."""

from muniment.testing.akashik.bench import Bench
from muniment.testing.akashik.binding import Answer, Binding, Examined, Settings, Stage, Unobservable
from muniment.testing.akashik.registry import Assertion, assertions
from muniment.testing.akashik.run import Outcome, Report, run

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
