"""How far a memory keeps to the MATM profile: the worked example, the probe, the figures, and the level they permit."""

from matm_evaluation.example import play
from matm_evaluation.labels import Labels, read_labels
from matm_evaluation.level import LevelReport, level_report

__all__ = ["Labels", "LevelReport", "level_report", "play", "read_labels"]
