"""Tests search by words alone unless they say otherwise: no model is loaded for them."""

from __future__ import annotations

import os

os.environ["VIGENT_EMBEDDER"] = "none"
