"""The six grounds on which an event is discarded, and the step at which each is asked for."""

from __future__ import annotations

from enum import StrEnum

from muniment.model.vocabulary import Step


class Ground(StrEnum):
    MALFORMED = "malformed"
    UNSAFE = "unsafe"
    UNAUTHORIZED = "unauthorized"
    OUTSIDE = "outside-every-scope"
    UNSUPPORTED = "unsupported"
    REDUNDANT = "redundant"


GROUND_STEP = {
    Ground.MALFORMED: Step.ADMISSION,
    Ground.UNSAFE: Step.SAFETY,
    Ground.UNAUTHORIZED: Step.PROVENANCE,
    Ground.OUTSIDE: Step.SCOPE,
    Ground.UNSUPPORTED: Step.EVIDENCE,
    Ground.REDUNDANT: Step.DEDUPE,
}
