"""A SonarQube server, as the settings describe it."""

from __future__ import annotations

from pydantic import Field

from setpoint.model.value import Value


class SonarQubeServer(Value):
    """A SonarQube server that analyses each tree; used where `url` and `project` are given."""

    url: str = Field(default="", pattern=r"^(https?://\S+)?$")
    """Address of the server, for example `https://sonar.example.org`."""
    project: str = ""
    """Key of a project of its own on the server: each analysis replaces the one before."""
    token_env: str = "SONAR_TOKEN"  # noqa: S105 - the name of a variable, no token
    """Name of the variable that holds the token, which may analyse and browse that project."""
    command: tuple[str, ...] = ("sonar-scanner",)
    """Program and arguments that analyse a tree."""
    timeout_s: float = Field(default=900.0, gt=0)
    """Seconds that the analysis may take, and again the server's work on it."""
