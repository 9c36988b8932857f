"""Serve a model file over chat/completions: ``python serving.py MODEL.gguf THREADS``.

The server that comes with llama-cpp-python does not take ``response_format`` of type json_schema.
Needs nothing of Vigent: it runs in a Python of which only the runtime's folder is known.
"""

from __future__ import annotations

import json
import sys
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_cpp import Llama, LlamaGrammar

MODEL = Llama(
    sys.argv[1], n_ctx=8192, n_threads=int(sys.argv[2]), n_threads_batch=int(sys.argv[2]),
    verbose=False,
)  # fmt: skip
LOCK = threading.Lock()


@cache
def grammar(schema: str) -> LlamaGrammar:
    """The grammar of a schema, made once."""
    return LlamaGrammar.from_json_schema(schema, verbose=False)


def answer(asked: dict) -> dict:
    """Ask the model."""
    form = asked.get("response_format") or {}
    held = None
    if form.get("type") == "json_schema":
        held = grammar(json.dumps(form["json_schema"]["schema"]))
    elif form:
        raise ValueError(f"response_format of type {form.get('type')} is not supported")
    if asked.get("tools"):
        raise ValueError("tools are not supported")
    with LOCK:
        made = MODEL.create_chat_completion(
            asked["messages"], grammar=held, max_tokens=asked.get("max_tokens") or 512,
            temperature=asked.get("temperature", 0), seed=0, repeat_penalty=1.1,
        )  # fmt: skip
    return {**made, "model": asked.get("model", "")}


class Handler(BaseHTTPRequestHandler):
    """One request after the other."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer chat/completions."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            status, told = 200, answer(asked)
        except Exception as error:  # noqa: BLE001 - the boundary of a small program
            status, told = 400, {"error": {"message": f"{type(error).__name__}: {error}"}}
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
