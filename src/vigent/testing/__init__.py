"""Tools for testing adapters and programs that use Vigent."""

from __future__ import annotations

from vigent.testing.clock import FakeClock

__all__ = ["FakeClock"]
