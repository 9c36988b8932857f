"""Settings come from option, environment, file and default, in this order."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tools.settings_reference import PAGE, page
from vigent.edges.cli.app import app
from vigent.effective import effective_settings, every_setting
from vigent.errors import InvalidInput

RUN = CliRunner()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "vigent.toml"
    path.write_text('[server]\nport = 1\nhost = "10.0.0.1"\n[limits]\nrate_per_second = 5\n')
    return str(path)


def test_each_source_yields_to_the_one_before_it(file):
    env = {"VIGENT_SERVER_HOST": "10.0.0.2", "VIGENT_SERVER_PORT": "2"}
    found = effective_settings({"server.port": 3}, config=file, env=env)
    assert found.settings.server.port == 3
    assert found.settings.server.host == "10.0.0.2"
    assert found.settings.limits.rate_per_second == 5.0
    assert found.settings.limits.body_bytes == 4 * 1024 * 1024
    assert found.origins["server.port"] == "option"
    assert found.origins["server.host"] == "environment VIGENT_SERVER_HOST"
    assert found.origins["limits.rate_per_second"] == f"file {file}"
    assert found.origins["limits.body_bytes"] == "default"


def test_the_file_may_be_named_by_the_environment(file):
    assert effective_settings(env={"VIGENT_CONFIG": file}).settings.server.port == 1


def test_an_empty_variable_is_not_set():
    assert effective_settings(env={"VIGENT_DB": ""}).settings.store.db == "vigent.db"


@pytest.mark.parametrize(
    ("name", "variable", "text", "problem"),
    [
        ("server.port", "VIGENT_SERVER_PORT", "http", "must be a whole number"),
        ("server.port", "VIGENT_SERVER_PORT", "70000", "must be at most 65535"),
        ("server.workers", "VIGENT_SERVER_WORKERS", "0", "must be at least 1"),
        ("store.busy_seconds", "VIGENT_STORE_BUSY_SECONDS", "nan", "must be a number"),
        ("metrics.enabled", "VIGENT_METRICS_ENABLED", "maybe", "must be true or false"),
        ("logs.level", "VIGENT_LOGS_LEVEL", "loud", "is one of debug, info, warning, error"),
    ],
)
def test_a_bad_setting_is_named_with_its_source(name, variable, text, problem):
    with pytest.raises(InvalidInput) as caught:
        effective_settings(env={variable: text})
    assert caught.value.field == name
    assert caught.value.message == f"{name}: {problem} (set by {variable})"


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("[server]\nprot = 1\n", "server.prot"),
        ("[severs]\nport = 1\n", "severs"),
        ("port = 1\n", "port"),
        ('[server]\nport = "8080"\n', "server.port"),
        ("[server]\nport = true\n", "server.port"),
        ("[server\n", "config"),
    ],
)
def test_a_bad_file_is_refused_and_the_place_is_named(tmp_path, text, field):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InvalidInput) as caught:
        effective_settings(config=str(path), env={})
    assert caught.value.field == field
    assert "bad.toml" in caught.value.message


def test_a_named_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="there is no file"):
        effective_settings(config=str(tmp_path / "none.toml"), env={})


def test_a_secret_is_in_no_error_and_masked_in_what_is_shown():
    env = {
        "VIGENT_EMBEDDER_KEY": "sk-very-secret",
        "VIGENT_EMBEDDER": "https://me:pass-word@models.example/v1#m",
    }
    found = effective_settings(env=env)
    shown = json.dumps(found.shown())
    assert "sk-very-secret" not in shown + repr(found.settings)
    assert "pass-word" not in shown
    assert "https://********@models.example/v1#m" in shown
    assert found.settings.embedder.embedder_key == "sk-very-secret"


def test_the_command_shows_value_and_origin(file):
    done = RUN.invoke(
        app, ["config", "--config", file, "--json"], env={"VIGENT_EMBEDDER_KEY": "sk-1"}
    )
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    rows = {row["name"]: row for row in told["settings"]}
    assert told["file"] == file
    assert rows["server.port"] == {"name": "server.port", "value": 1, "from": f"file {file}"}
    assert rows["store.embedder_key"]["value"] == "********"
    assert set(rows) == {setting.name for setting in every_setting()}
    plain = RUN.invoke(app, ["config", "--config", file])
    assert plain.exit_code == 0
    assert "server.host" in plain.output
    assert "10.0.0.1" in plain.output


def test_every_variable_is_one_settings_alone():
    variables = [setting.variable for setting in every_setting()]
    assert len(set(variables)) == len(variables)


def test_the_page_of_settings_is_as_the_settings_are():
    assert PAGE.read_text(encoding="utf-8") == page()
