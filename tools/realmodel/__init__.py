"""A real, small language model on this machine, for ``make test-model``."""

from __future__ import annotations

from tools.realmodel.running import MODEL, RealModel

__all__ = ["MODEL", "RealModel"]
