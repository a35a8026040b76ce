"""Settings: what the environment may say, and the sentence for what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings import BadSetting, Settings, read_settings


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"KNOBEL_{name.upper()}", raising=False)


def settings(monkeypatch: pytest.MonkeyPatch, **values: str) -> Settings:
    for name, value in values.items():
        monkeypatch.setenv(f"KNOBEL_{name}", value)
    return read_settings()


def test_without_an_environment_the_defaults_of_the_contract_hold() -> None:
    found = read_settings()
    assert found.database_url is None
    assert found.data_dir == Path("./var")
    assert (found.host, found.port, found.workers, found.rate_limits) == ("127.0.0.1", 8000, 1, "on")
    assert (found.public_url, found.origin, found.https) == (None, "http://127.0.0.1:8000", False)


def test_every_setting_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    found = settings(
        monkeypatch,
        DATABASE_URL="postgres://me:secret@db/knobel",
        DATA_DIR="/srv/knobel",
        HOST="0.0.0.0",
        PORT="9000",
        PUBLIC_URL="https://dice.example/",
        WORKERS="4",
        RATE_LIMITS="off",
        LOG_LEVEL="WARNING",
    )
    assert found.database_url == "postgres://me:secret@db/knobel"
    assert (str(found.data_dir), found.host, found.port, found.workers) == ("/srv/knobel", "0.0.0.0", 9000, 4)
    assert (found.rate_limits, found.log_level) == ("off", "warning")
    assert (found.origin, found.https) == ("https://dice.example", True)


@pytest.mark.parametrize("name", [name.upper() for name in Settings.model_fields])
def test_an_empty_value_is_none_at_all(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings(monkeypatch, **{name: ""}) == Settings.model_construct()


def test_what_is_not_ours_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "1")
    monkeypatch.setenv("DATABASE_URL", "mysql://elsewhere")
    assert settings(monkeypatch, COLOUR="red").port == 8000


BAD = [
    ("PORT", "eighty"),
    ("PORT", "-1"),
    ("PORT", "65536"),
    ("PORT", "80.5"),
    ("WORKERS", "0"),
    ("WORKERS", "many"),
    ("WORKERS", "1000"),
    ("RATE_LIMITS", "maybe"),
    ("LOG_LEVEL", "loud"),
    ("DATABASE_URL", "mysql://db/knobel"),
    ("DATABASE_URL", "knobel"),
    ("PUBLIC_URL", "dice.example"),
    ("PUBLIC_URL", "ftp://dice.example"),
    ("PUBLIC_URL", "https://"),
    ("PUBLIC_URL", "http:///table"),
    ("PUBLIC_URL", "https://dice.example/?a=1"),
    ("PUBLIC_URL", "https://dice.example/#top"),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_value_is_told_in_one_sentence_that_names_the_setting_and_the_value(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadSetting) as caught:
        settings(monkeypatch, **{name: value})
    said = str(caught.value)
    assert said.startswith(f"KNOBEL_{name} ")
    assert said.endswith(".")
    assert "\n" not in said


@pytest.mark.parametrize("value", ["mysql://me:hunter2@db/knobel", "hunter2@db"])
def test_the_sentence_about_the_database_does_not_give_its_password_away(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadSetting) as caught:
        settings(monkeypatch, DATABASE_URL=value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "origin"), [("::1", "http://[::1]:8000"), ("localhost", "http://localhost:8000"), ("10.0.0.7", "http://10.0.0.7:8000")]
)
def test_the_address_is_one_that_can_be_opened(host: str, origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings(monkeypatch, HOST=host).origin == origin


def test_settings_cannot_be_changed_later() -> None:
    with pytest.raises(ValueError, match="frozen"):
        read_settings().port = 1
