"""Reads the environment once, into frozen settings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class BadSetting(Exception):
    """A setting that cannot be used; `args[0]` names it and says what is wanted."""


class Settings(BaseSettings):
    """What a host may choose, each as `KNOBEL_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="KNOBEL_", frozen=True, extra="ignore", env_ignore_empty=True)

    database_url: str | None = None
    data_dir: Path = Path("./var")
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    public_url: str | None = None
    workers: Annotated[int, Field(ge=1, le=64)] = 1
    rate_limits: Literal["on", "off"] = "on"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    metrics_token: Annotated[SecretStr | None, Field(min_length=16)] = None

    @field_validator("database_url")
    @classmethod
    def _postgres_only(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            usable = urlsplit(value).scheme in {"postgresql", "postgres"} and urlsplit(value).port != 0
        except ValueError:
            usable = False
        if not usable:
            raise ValueError("must be a postgresql:// address")
        return value

    @field_validator("public_url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("must be an http:// or https:// address without query")
        return value.rstrip("/")

    @field_validator("log_level", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @property
    def origin(self) -> str:
        """The address people open: `public_url`, or the one we serve."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url or f"http://{host}:{self.port}"

    @property
    def https(self) -> bool:
        """Whether people come by https, so that cookies may be Secure."""
        return self.origin.startswith("https://")


def read_settings() -> Settings:
    """Return the settings of this environment. Raises BadSetting with a sentence that names the setting."""
    try:
        return Settings()
    except ValidationError as problem:
        error = problem.errors(include_url=False)[0]
        name = "KNOBEL_" + str(error["loc"][0]).upper()
        wanted = error["msg"].removeprefix("Value error, ")
        # the address of a database may hold a password
        secret = name in {"KNOBEL_DATABASE_URL", "KNOBEL_METRICS_TOKEN"}
        given = "cannot be used" if secret else f"is {error['input']!r}"
        raise BadSetting(f"{name} {given}: {wanted}.") from None
