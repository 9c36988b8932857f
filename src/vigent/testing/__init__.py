"""Tools for testing adapters and programs that use Vigent.

``vigent.testing.contract`` (needs pytest) and ``vigent.testing.agreement`` (needs hypothesis) are
imported by their own names; the extra ``vigent[testing]`` brings both.
"""

from __future__ import annotations

from vigent.testing.clock import FakeClock
from vigent.testing.embedding import EmbeddingServer, HashEmbedder
from vigent.testing.modelscript import ModelScript, read_script
from vigent.testing.modelserver import ModelServer
from vigent.testing.modelwire import Answer, ModelRequest
from vigent.testing.pairs import Disagreement, Pair

__all__ = [
    "Answer",
    "Disagreement",
    "EmbeddingServer",
    "FakeClock",
    "HashEmbedder",
    "ModelRequest",
    "ModelScript",
    "ModelServer",
    "Pair",
    "read_script",
]
