"""Language models by name: the one that is set, those of its server, and those of two providers."""

from __future__ import annotations

import threading
from typing import Final, NamedTuple, Protocol

from vigent.errors import InvalidInput, ModelUnavailable
from vigent.models.language.openai import OpenAILanguageModel
from vigent.ports.models import LanguageModel
from vigent.settings import LanguageSettings

__all__ = ["ModelDirectory"]

_KNOWN: Final = {"openai": "https://api.openai.com/v1", "ollama": "http://127.0.0.1:11434/v1"}
"""Servers that have a short name."""
_NATIVE: Final = ("anthropic", "google")
_MOST: Final = 200
"""How many models are kept ready."""


class _Closing(LanguageModel, Protocol):
    def close(self) -> None: ...


class _Place(NamedTuple):
    """Where the model that is set is: a server's address, or a provider, and the model's name."""

    base_url: str
    model: str


class ModelDirectory:
    """Gives the language models that settings reach, and makes each once.

    ``anthropic:NAME`` and ``google:NAME`` are those of the providers, where their key is set;
    any other name is a model of the server that is set. Addresses are taken from settings alone:
    a name that callers give can lead nowhere else.
    """

    def __init__(self, settings: LanguageSettings) -> None:
        self._settings = settings
        self._place = _placed(settings)
        self._offered = tuple(n.strip() for n in settings.offered.split(",") if n.strip())
        self._models: dict[str, _Closing] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"ModelDirectory({self.default!r})"

    @property
    def default(self) -> str:
        """The name of the model that is used where none is named; empty for none."""
        return self._place.model

    @property
    def helper(self) -> str:
        """The name of the model for small work."""
        return self._settings.helper_model or self.default

    @property
    def analysis(self) -> str:
        """The name of the model that judges what may be shared."""
        return self._settings.analysis_model or self.default

    def offers(self, name: str) -> bool:
        """Whether a model may be named, and can be reached as far as settings tell."""
        set_here = (self.default, self.helper, self.analysis)
        if self._offered and name not in self._offered and name not in set_here:
            return False
        provider, native = _native(name)
        return bool(self._key_of(provider)) if native else bool(name and self._place.base_url)

    def get(self, name: str) -> LanguageModel:
        """Give a model, the same one each time; raises InvalidInput for one that is not offered.

        Raises ModelUnavailable where it needs an extra that is not installed.
        """
        with self._lock:
            found = self._models.get(name)
            if found is None:
                if not self.offers(name):
                    raise InvalidInput("model", f"{name[:100]!r} is not offered")
                if len(self._models) >= _MOST:
                    self._models.pop(next(iter(self._models))).close()
                found = self._models[name] = self._made(name)
            return found

    def close(self) -> None:
        """Close every connection; a model that is asked again opens new ones."""
        with self._lock:
            models = list(self._models.values())
            self._models.clear()
        for model in models:
            model.close()

    def _key_of(self, provider: str) -> str:
        keys = {"anthropic": self._settings.anthropic_key, "google": self._settings.google_key}
        return keys.get(provider, "")

    def _made(self, name: str) -> _Closing:
        s = self._settings
        provider, native = _native(name)
        if native:
            return self._native(provider, native)
        return OpenAILanguageModel(
            self._place.base_url, name, api_key=s.key or None, timeout=s.timeout_seconds,
            total=s.total_seconds, attempts=s.attempts, max_tokens=s.max_tokens,
        )  # fmt: skip

    def _native(self, provider: str, model: str) -> _Closing:
        s = self._settings
        # The providers' packages take seconds to import, and are an extra.
        try:
            from vigent.models.language.native import NativeLanguageModel  # noqa: PLC0415
        except ImportError:
            raise ModelUnavailable(
                f"models of {provider} need an extra: pip install 'vigent[models]'"
            ) from None
        return NativeLanguageModel(
            "anthropic" if provider == "anthropic" else "google", model,
            api_key=self._key_of(provider), timeout=s.timeout_seconds, total=s.total_seconds,
            attempts=s.attempts, max_tokens=s.max_tokens,
        )  # fmt: skip


def _native(name: str) -> tuple[str, str]:
    """Give provider and model of a name like ``anthropic:NAME``; empty for any other."""
    provider, _, model = name.partition(":")
    return (provider, model) if provider in _NATIVE and model else ("", "")


def _placed(settings: LanguageSettings) -> _Place:
    """Read where the model that is set is; raises InvalidInput naming the setting."""
    model, base_url = settings.model.strip(), settings.base_url.strip()
    if model.lower() in {"", "none"}:
        return _checked(_Place(base_url, ""), settings)
    if model.lower().startswith(("http://", "https://")):
        address, _, named = model.partition("#")
        if not named.strip():
            raise InvalidInput("models.model", "an address needs the model after a #")
        if base_url and base_url.rstrip("/") != address.rstrip("/"):
            raise InvalidInput("models.model", "names another address than models.base_url")
        return _checked(_Place(address, named.strip()), settings)
    provider, _, named = model.partition(":")
    if provider in _KNOWN and named:
        return _checked(_Place(base_url or _KNOWN[provider], named), settings)
    if _native(model)[1]:
        return _checked(_Place(base_url, model), settings)
    if not base_url:
        raise InvalidInput("models.model", "needs models.base_url, or an address before a #")
    return _checked(_Place(base_url, model), settings)


def _checked(place: _Place, settings: LanguageSettings) -> _Place:
    """Refuse an address or key that cannot be used, before the first call."""
    if place.base_url:
        try:
            OpenAILanguageModel(
                place.base_url, place.model or "any", api_key=settings.key or None
            ).close()
        except InvalidInput as error:
            setting = "models.key" if error.field == "api_key" else "models.base_url"
            raise InvalidInput(setting, error.message.partition(": ")[2]) from None
    provider, native = _native(place.model)
    if native and not getattr(settings, f"{provider}_key"):
        raise InvalidInput("models.model", f"needs models.{provider}_key")
    return place
