"""The bench of the service runs at its smallest scale, over the routes as they are."""

from __future__ import annotations

from bench.service import measure_service


def test_the_tiny_scale_measures_every_kind_of_call():
    report = measure_service("tiny")
    figures = {figure["name"]: figure for figure in report["figures"]}
    for connections in (4, 32):
        label = f"1,000 memories, {connections} connections"
        for call in ("bare", "state", "write", "search", "context"):
            found = figures[f"{call}: requests per second, {label}"]
            assert found["value"] > 0
            assert 0 < found["p50_ms"] <= found["p95_ms"]
        # How fast it must be is told at full scale alone.
        share = figures[f"state read / bare POST, {label}"]
        assert share["target"] == ">= 0.65"
    kinds = figures["keys that open nothing: slowest median / quickest"]["us"]
    assert kinds.keys() == {"wrong", "right beginning", "revoked"}
