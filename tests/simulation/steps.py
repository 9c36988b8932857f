"""How many commands the agreement machines of the tests send."""

from __future__ import annotations

import os

from vigent.testing.agreement import SHORT_RUN

STEPS = int(os.environ.get("VIGENT_AGREEMENT_STEPS") or SHORT_RUN)
