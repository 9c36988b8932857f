"""Makes vectors of a store, and is killed; run by ``test_index.py``."""

from __future__ import annotations

import sys
import time

from vigent import Memory
from vigent.testing import HashEmbedder


class Slow(HashEmbedder):
    """Takes its time, so that it can be stopped half way."""

    def embed_passages(self, texts):
        time.sleep(0.05)
        return super().embed_passages(texts)


def main(path: str) -> None:
    with Memory.open(path, embedder=Slow(16, "slow")) as memory:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        for number in range(10_000):
            memory.write(text=f"zinnia written {number}")
            memory.search("zinnia", limit=1)


if __name__ == "__main__":
    main(sys.argv[1])
