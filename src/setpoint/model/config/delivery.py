"""Settings of the commits that a run delivers."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field

from setpoint.model.value import Value

NAMED = re.compile(r"(?P<name>[^<>\n]*[^<>\n ]) <(?P<mail>[^<>\s]+)>")


class DeliverySettings(Value):
    """How delivered commits are made."""

    author: str = Field(default="user", pattern=rf"^(?:user|setpoint|{NAMED.pattern})$")
    """`user`: you are author and committer, as git knows you; `setpoint`: Setpoint is both; `Name <mail>`:
    that is the author of what you commit."""
    commits: Literal["one", "series"] = "one"
    """`one`: a run delivers one commit; `series`: agents are asked to commit in steps, and their own commits
    are delivered before it, each as you make commits. Only the last commit of a series is verified."""
