"""Settings of language models: where they come from, and that keys are never shown."""

from __future__ import annotations

import pytest

from vigent.effective import effective_settings
from vigent.errors import InvalidInput

KEY = "sk-test-AAAA1111BBBB2222"


def found(**env: str):
    return effective_settings(env=env)


def test_a_model_comes_from_the_environment():
    settings = found(VIGENT_MODEL="https://h/v1#m", VIGENT_MODELS_ATTEMPTS="2").settings.models
    assert (settings.model, settings.attempts, settings.max_tokens) == ("https://h/v1#m", 2, 4096)
    assert found().settings.models.model == ""


def test_a_key_may_lie_in_a_file(tmp_path):
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    effective = found(VIGENT_MODEL_KEY_FILE=str(path))
    assert effective.settings.models.key == KEY
    assert effective.origins["models.key"] == "environment VIGENT_MODEL_KEY_FILE"
    assert found(VIGENT_MODEL_KEY_FILE=str(path), VIGENT_MODEL_KEY="k2").settings.models.key == "k2"
    assert found(VIGENT_EMBEDDER_KEY_FILE=str(path)).settings.store.embedder_key == KEY
    assert found(VIGENT_MODEL_FILE=str(path)).settings.models.model == "", "no secret, no file"


def test_a_file_that_cannot_be_read_is_named_and_not_shown(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe" + KEY.encode())
    for name in ("none", "bytes"):
        with pytest.raises(InvalidInput) as caught:
            found(VIGENT_MODEL_KEY_FILE=str(tmp_path / name))
        assert caught.value.field == "models.key"
        assert "VIGENT_MODEL_KEY_FILE" in caught.value.message
        assert KEY not in caught.value.message


def test_keys_are_masked_and_passwords_in_addresses():
    effective = found(
        VIGENT_MODEL_KEY=KEY, VIGENT_ANTHROPIC_KEY=KEY, VIGENT_GOOGLE_KEY=KEY,
        VIGENT_MODEL="https://u:hunter22@h/v1#m", VIGENT_MODEL_BASE_URL="https://u:hunter22@h/v1",
    )  # fmt: skip
    shown = {row["name"]: row["value"] for row in effective.shown()}
    for name in ("models.key", "models.anthropic_key", "models.google_key"):
        assert shown[name] == "********"
    assert shown["models.model"] == "https://********@h/v1#m"
    for text in (str(shown), repr(effective.settings.models)):
        assert KEY not in text
    assert "hunter22" not in str(shown)
