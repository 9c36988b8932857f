"""Runs a suite of measurements and writes what it found to ``bench/results``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bench.engine import measure_engine
from bench.recall import measure_recall
from bench.service import measure_service

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Measure, print a line a figure, and write the report; 1 where a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("suite", choices=["engine", "recall", "service", "postgres"])
    parser.add_argument("--scale", choices=["tiny", "full"], default="full")
    parser.add_argument("--out", type=Path, help="default: bench/results/<suite>.json")
    parser.add_argument("--only", help="parts to run, with commas between (default: all)")
    parser.add_argument("--data", type=Path, help="recall: folder of locomo and longmemeval")
    args = parser.parse_args()
    parts = args.only.split(",") if args.only else None
    if args.suite == "engine":
        report = measure_engine(args.scale, parts)
    elif args.suite == "service":
        report = measure_service(args.scale, parts)
    elif args.suite == "postgres":
        # Other suites need neither psycopg nor a server.
        from bench.postgres import measure_postgres  # noqa: PLC0415

        report = measure_postgres(args.scale, parts)
    else:
        report = measure_recall(args.scale, parts, args.data)
    out = args.out or RESULTS / f"{args.suite}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    missed = [f["name"] for f in report["figures"] if f["pass"] is False]
    print(f"{len(report['figures'])} figures, {len(missed)} missed; written to {out}")
    for name in missed:
        print(f"  missed: {name}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
