"""Settings of the forge on which people work with Setpoint."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from setpoint.model.value import Value


class ForgeKind(StrEnum):
    """Which forge it is."""

    NONE = ""
    GITHUB = "github"
    FORGEJO = "forgejo"


class ForgeSettings(Value):
    """The forge that holds the repository: issues become stories, results become pull requests."""

    kind: ForgeKind = ForgeKind.NONE
    """Which forge: `github` or `forgejo`; empty: none, and nothing is sent anywhere."""
    repository: str = Field(default="", pattern=r"^$|^[\w.-]+/[\w.-]+$")
    """Its full name, `owner/name`; empty: read from the address of `remote`."""
    api_url: str = ""
    """Address of the API; empty: GitHub's own, or `/api/v3` (Forgejo: `/api/v1`) at the host of `remote`."""
    remote: str = "origin"
    """Git remote that branches are pushed to."""
    into: str = ""
    """Branch that pull requests are to be merged into; empty: the default branch of the remote."""
    token_variable: str = "FORGE_TOKEN"  # noqa: S105 - the name of a variable
    """Environment variable that holds the token."""
    app_id: str = ""
    """Id of a GitHub App; with `app_installation` and `app_key_file` instead of a token."""
    app_installation: str = ""
    """Id of the installation of the app."""
    app_key_file: str = ""
    """File with the private key of the app, outside the repository."""
    secret_variable: str = "FORGE_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable
    """Environment variable that holds the secret of the webhook."""
    label: str = Field(default="setpoint", min_length=1)
    """Issues with this label become stories, where a person who may push put it on."""
    poll_s: float = Field(default=60.0, ge=5)
    """Seconds between two looks at the forge."""
    decisions: bool = False
    """Whether comments of people who may push can accept, approve or cancel.

    Only where the agent cannot write comments under the name of such a person.
    """
