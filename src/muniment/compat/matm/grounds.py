"""The six grounds on which an event is discarded, and the step at which each is asked for."""

from __future__ import annotations

from enum import StrEnum

from muniment.model.vocabulary import Step


class RefusalGround(StrEnum):
    MALFORMED = "malformed"
    UNSAFE = "unsafe"
    UNAUTHORIZED = "unauthorized"
    OUTSIDE = "outside-every-scope"
    UNSUPPORTED = "unsupported"
    REDUNDANT = "redundant"


GROUND_STEP = {
    RefusalGround.MALFORMED: Step.ADMISSION,
    RefusalGround.UNSAFE: Step.SAFETY,
    RefusalGround.UNAUTHORIZED: Step.PROVENANCE,
    RefusalGround.OUTSIDE: Step.SCOPE,
    RefusalGround.UNSUPPORTED: Step.EVIDENCE,
    RefusalGround.REDUNDANT: Step.DEDUPE,
}
