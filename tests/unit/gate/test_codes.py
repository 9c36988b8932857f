"""The page of reason codes says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from tools import gate_reference
from vigent.domain.gate.codes import CODES, OUTCOMES

GATE = Path(__file__).parents[3] / "src" / "vigent" / "domain" / "gate"


def test_the_page_is_what_its_code_writes():
    assert gate_reference.TARGET.read_text(encoding="utf-8") == gate_reference.page(), "make docs"


def test_every_code_is_given_somewhere_and_every_one_given_is_a_code():
    source = "".join(p.read_text(encoding="utf-8") for p in GATE.glob("*.py") if p.stem != "codes")
    given = set(re.findall(r'finding\(\s*"(\w+)"', source))
    labels = {"joked", "past", "supposed", "denied", "asked"}
    written = (GATE.parents[1] / "write" / "candidates.py").read_text(encoding="utf-8")
    held = {"unknown_attribute", "unknown_type", "schema_mismatch"}
    kinds = {"secret", "account_number", "identity_number", "contact_data"}
    assert given - set(CODES) == set()
    assert set(CODES) - given - labels - held - kinds - {"negated"} == set()
    assert '"schema_mismatch"' in written
    assert {code.outcome for code in CODES.values()} <= set(OUTCOMES)
