"""What the environment and the settings file set. The environment is read here alone.

A setting is a field of a frozen group. It comes, in this order, from an option of the command
line, from the environment, from the file (``vigent.toml``, or what ``VIGENT_CONFIG`` names), else
it is the default. Beside this the options of the command line read ``VIGENT_DB`` and
``VIGENT_SCHEMA`` by themselves.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

__all__ = [
    "CONFIG_FILE",
    "CONFIG_VARIABLE",
    "DATABASE",
    "EmbedderSettings",
    "LanguageSettings",
    "LearningSettings",
    "LimitSettings",
    "LogSettings",
    "McpSettings",
    "MetricSettings",
    "ServerSettings",
    "Settings",
    "StorePlace",
    "TraceSettings",
    "UpkeepSettings",
    "default_database",
    "embedder_settings",
    "environment",
    "metrics_folder",
    "set_metrics_folder",
    "shown_database",
]


DATABASE: Final = "vigent.db"
"""The store that is meant where none is named: a file in the working directory."""


def _set(
    default: Any,
    about: str,
    *,
    env: str | None = None,
    secret: bool = False,
    least: float | None = None,
    most: float | None = None,
    among: tuple[str, ...] = (),
) -> Any:
    """Declare one setting, with what is checked of it."""
    told = {
        "about": about, "env": env, "secret": secret, "least": least, "most": most, "among": among,
    }  # fmt: skip
    return field(default=default, repr=not secret, metadata=told)


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """Which embedder is used: what ``vigent.models.choose.embedder_of`` takes, and its key.

    ``named_by`` is what a wrong ``embedder`` is blamed on: the variable it was read from.
    """

    embedder: str | None = None
    embedder_key: str | None = field(default=None, repr=False)
    named_by: str = field(default="embedder", compare=False)


@dataclass(frozen=True, slots=True)
class StorePlace:
    """Where memory is kept, and what finds it by meaning."""

    db: str = _set(DATABASE, "The store: a file, `postgresql://…`, or `:memory:`.", env="VIGENT_DB")
    schema: str = _set(
        "", "Attribute definitions, a YAML file; empty for none.", env="VIGENT_SCHEMA"
    )
    durability: str = _set(
        "normal", "`normal`: a power cut may lose the last writes, never the file. `full`: none.",
        among=("normal", "full"),
    )  # fmt: skip
    busy_seconds: float = _set(
        10.0, "How long a write waits for the lock before it is answered with 503.",
        least=0.01, most=600,
    )  # fmt: skip
    embedder: str = _set(
        "local", "What finds by meaning: `local`, `none`, or a server's address.",
        env="VIGENT_EMBEDDER",
    )  # fmt: skip
    embedder_key: str = _set(
        "", "The key of the embedder's server.", env="VIGENT_EMBEDDER_KEY", secret=True
    )


@dataclass(frozen=True, slots=True)
class LanguageSettings:
    """Which language models the service can reach, and how it asks them.

    A secret may lie in a file, which the variable with `_FILE` behind its name then names.
    """

    model: str = _set(
        "", "The model that is used where none is named: `https://host/v1#model`, a model of "
        "`base_url`, `openai:…`, `ollama:…`, `anthropic:…` or `google:…`; empty for none.",
        env="VIGENT_MODEL",
    )  # fmt: skip
    base_url: str = _set(
        "", "An OpenAI-compatible server, as far as `/v1`.", env="VIGENT_MODEL_BASE_URL"
    )
    key: str = _set("", "The key of that server.", env="VIGENT_MODEL_KEY", secret=True)
    anthropic_key: str = _set(
        "", "Lets models named `anthropic:…` be used; needs the extra `models`.",
        env="VIGENT_ANTHROPIC_KEY", secret=True,
    )  # fmt: skip
    google_key: str = _set(
        "", "Lets models named `google:…` be used; needs the extra `models`.",
        env="VIGENT_GOOGLE_KEY", secret=True,
    )  # fmt: skip
    offered: str = _set(
        "", "Which models may be named, with commas between; empty: whatever can be reached. A "
        "tenant's own `models_offered` can only take from it.", env="VIGENT_MODELS_OFFERED",
    )  # fmt: skip
    helper_model: str = _set(
        "", "For small work behind the scenes, where a tenant names none; empty for `model`.",
        env="VIGENT_HELPER_MODEL",
    )  # fmt: skip
    analysis_model: str = _set(
        "", "For judging what may be shared, where a tenant names none; empty for `model`.",
        env="VIGENT_ANALYSIS_MODEL",
    )  # fmt: skip
    timeout_seconds: float = _set(60.0, "How long one request may take.", least=0.1, most=3600)
    total_seconds: float = _set(
        180.0, "How long one answer may take, with all tries and pauses.", least=0.1, most=7200
    )
    attempts: int = _set(
        4, "How often a server that is busy, fails or is late is asked.", least=1, most=20
    )
    max_tokens: int = _set(4096, "The longest answer, in tokens.", least=16, most=1_000_000)

    @property
    def reaches_any(self) -> bool:
        """Whether there is any model that could be asked."""
        named = self.model.strip().lower() not in {"", "none"}
        return named or any((self.base_url.strip(), self.anthropic_key, self.google_key))


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where the service listens, and how it stops."""

    host: str = _set("127.0.0.1", "The address it listens at.")
    port: int = _set(8080, "The port it listens at; 0 for any free one.", least=0, most=65535)
    workers: int = _set(1, "How many processes serve the one file.", least=1, most=64)
    stop_seconds: float = _set(
        30.0, "How long a stop waits for calls under way.", least=0, most=3600
    )


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """What is refused before any work is done for it."""

    body_bytes: int = _set(
        4 * 1024 * 1024, "The longest body of a request; beyond it 413.", least=1024, most=2**31
    )
    body_seconds: float = _set(
        60.0, "In how many seconds a body must be there; beyond it 408.", least=0.1, most=3600
    )
    rate_per_second: float = _set(
        0.0, "How many calls a key may make in a second, over time; 0 for no limit.", least=0
    )
    rate_burst: int = _set(
        0, "How many calls a key may make at once; 0 for twice the rate.", least=0
    )
    readers: int = _set(
        0, "How many reads run at once; 0 for one a processor, at least 2.", least=0, most=1000
    )
    writers: int = _set(
        4,
        "How many writes run at once; they take turns at the lock of the store.",
        least=1,
        most=1000,
    )
    waiting: int = _set(
        512, "How many calls may wait for a worker thread; beyond it 503 at once.", least=0
    )
    turns: int = _set(
        64, "How many turns may be under way in a process, each waiting for its model; beyond it "
        "503 at once.", least=1, most=10_000,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class McpSettings:
    """Memory for agents at `/mcp`; needs the extra `mcp`."""

    enabled: bool = _set(default=True, about="Whether it is there, where the extra is installed.")
    allowed_hosts: str = _set(
        "", "Which names it may be called by (the header Host), with commas between; `*` for any. "
        "Empty: those of this machine where the service listens to this machine alone, else any.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class UpkeepSettings:
    """What the service does by itself."""

    enabled: bool = _set(default=True, about="Whether it does any of it.")
    seal_seconds: float = _set(
        1.0, "At most so long an entry of the audit trail is without a seal.", least=0.05, most=3600
    )
    sweep_seconds: float = _set(
        60.0, "How often it looks for what is past its time.", least=0.1, most=86400
    )
    purge_quiet_seconds: float = _set(
        10.0, "An erasure is purged from the file after nobody wrote for so long …", least=0
    )
    purge_latest_seconds: float = _set(900.0, "… but at the latest after so long.", least=0)


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """How conversations are read, where a store's extraction switch is on."""

    enabled: bool = _set(
        default=True,
        about="Whether `vigent serve` reads them itself; `vigent worker` does it in any case.",
    )
    threads: int = _set(4, "How many windows are read at once.", least=1, most=64)
    look_seconds: float = _set(
        1.0, "How often it looks for what is to be read.", least=0.05, most=3600
    )
    lease_seconds: float = _set(
        300.0, "A window is one worker's for so long; the model may take 60 % of that.",
        least=1, most=86400,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class MetricSettings:
    """What is told to Prometheus."""

    enabled: bool = _set(default=True, about="Whether there are metrics at all.")
    port: int = _set(
        0, "A port of its own for `/metrics`; 0 for that of the service.", least=0, most=65535
    )
    host: str = _set("127.0.0.1", "The address of that port.")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """What is written about requests, to standard error."""

    requests: str = _set("json", "`json`: one line a request. `off`: none.", among=("json", "off"))
    level: str = _set(
        "info", "The least that is written.", among=("debug", "info", "warning", "error")
    )


@dataclass(frozen=True, slots=True)
class TraceSettings:
    """Where traces go; needs the extra `otel`."""

    endpoint: str = _set(
        "", "A collector's address for OTLP over HTTP, as http://localhost:4318; empty for none."
    )
    service: str = _set("vigent", "The name of this service in traces.")
    ratio: float = _set(1.0, "Which share of the requests is traced.", least=0, most=1)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting of the service, by group."""

    store: StorePlace = StorePlace()
    models: LanguageSettings = LanguageSettings()
    server: ServerSettings = ServerSettings()
    limits: LimitSettings = LimitSettings()
    mcp: McpSettings = McpSettings()
    upkeep: UpkeepSettings = UpkeepSettings()
    learning: LearningSettings = LearningSettings()
    metrics: MetricSettings = MetricSettings()
    logs: LogSettings = LogSettings()
    traces: TraceSettings = TraceSettings()

    @property
    def embedder(self) -> EmbedderSettings:
        """Which embedder is used, as it is handed to whoever makes it."""
        store = self.store
        return EmbedderSettings(
            store.embedder or "local", store.embedder_key or None, "store.embedder"
        )


CONFIG_VARIABLE: Final = "VIGENT_CONFIG"
CONFIG_FILE: Final = "vigent.toml"


def environment() -> Mapping[str, str]:
    """Give the environment as it is now."""
    return dict(os.environ)


def metrics_folder() -> str:
    """Give where several processes count together: ``PROMETHEUS_MULTIPROC_DIR``, or nothing."""
    return os.environ.get("PROMETHEUS_MULTIPROC_DIR") or ""


def set_metrics_folder(folder: str | None) -> None:
    """Tell that to the processes that are started from here; None takes it back."""
    if folder is None:
        os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)
    else:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder


def default_database() -> str:
    """Give the store's file: ``VIGENT_DB``, else ``vigent.db`` in the working directory."""
    return os.environ.get("VIGENT_DB") or DATABASE


def shown_database(place: str) -> str:
    """Give a database's URL without its password, and any other place as it is."""
    if "://" not in place:
        return place
    parts = urlsplit(place)
    who, at, host = parts.netloc.rpartition("@")
    name = who.partition(":")[0]
    query = "" if "password" in parts.query else parts.query
    return urlunsplit(parts._replace(netloc=f"{name}{at}{host}", query=query))


def embedder_settings() -> EmbedderSettings:
    """Give ``VIGENT_EMBEDDER``, else "local", and ``VIGENT_EMBEDDER_KEY``, else None."""
    return EmbedderSettings(
        embedder=os.environ.get("VIGENT_EMBEDDER") or "local",
        embedder_key=os.environ.get("VIGENT_EMBEDDER_KEY") or None,
        named_by="VIGENT_EMBEDDER",
    )
