"""In a process of its own: reads conversations until it is killed."""

from __future__ import annotations

import sys
import threading

from tests.service.extracting import learning
from tests.simulation.processes import say
from vigent.service import Service
from vigent.service.working import extractor_of
from vigent.settings import LanguageSettings


def main(place: str, url: str) -> None:
    models = LanguageSettings(model=f"{url}#small", attempts=1)
    service = Service.open(place, embedder="none", models=models)
    one = extractor_of(service, learning(lease_seconds=2.0))
    assert one is not None
    one.start()
    say({"ready": True})
    sys.stdin.readline()
    threading.Event().wait()
