"""``python -m vigent`` is the command line."""

from __future__ import annotations

from vigent.edges.cli.app import main

if __name__ == "__main__":
    main()
