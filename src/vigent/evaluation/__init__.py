"""Replay of public data sets as real writes, and every question their files can answer.

``gold`` reads operations and expected answers from the files alone; the rest performs them on
a real memory, through its public API.
"""

from __future__ import annotations

from vigent.evaluation.run import DATASETS, Progress, evaluate

__all__ = ["DATASETS", "Progress", "evaluate"]
