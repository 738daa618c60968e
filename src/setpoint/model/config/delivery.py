"""Settings of the commits that a run delivers."""

from __future__ import annotations

import re

from pydantic import Field

from setpoint.model.value import Value

NAMED = re.compile(r"(?P<name>[^<>\n]*[^<>\n ]) <(?P<mail>[^<>\s]+)>")


class DeliverySettings(Value):
    """Who the author of delivered commits is."""

    author: str = Field(default="user", pattern=rf"^(?:user|setpoint|{NAMED.pattern})$")
    """`user`: you are author and committer, as git knows you; `setpoint`: Setpoint is both; `Name <mail>`:
    that is the author of what you commit."""
