"""A small agent runtime over the store of the memory and retrieval contract: runs, sessions, consolidation."""

from examples.retrieval_runtime.background import BackgroundWorker, Consolidated, Finished
from examples.retrieval_runtime.runtime import Run, RunRequest, RunStatus, Runtime, ToolFailed, replay, run_demo
from examples.retrieval_runtime.sessions import RunRecord, Sessions

__all__ = [
    "BackgroundWorker",
    "Consolidated",
    "Finished",
    "Run",
    "RunRecord",
    "RunRequest",
    "RunStatus",
    "Runtime",
    "Sessions",
    "ToolFailed",
    "replay",
    "run_demo",
]
