"""Servers of tools (Model Context Protocol) that a project names for agents."""

from __future__ import annotations

import hashlib
import json
import shlex

from setpoint.model.value import Text, Value


class ToolServer(Value):
    """One server, as a file of the project describes it."""

    name: Text
    source: Text
    """The file that names it."""
    command: tuple[Text, ...] = ()
    """Program and arguments; empty for a server at an address."""
    environment: dict[str, Text] = {}
    """Its variables; `${NAME}` stands for one of the user's."""
    url: Text = ""
    """Address of a server that runs elsewhere."""

    fault: Text = ""
    """Why it cannot start here; empty if nothing is known to be missing."""

    @property
    def words(self) -> str:
        """Return what is approved, in one line: variables and command, or the address."""
        variables = [f"{name}={value}" for name, value in sorted(self.environment.items())]
        return shlex.join([*variables, *self.command]) if self.command else self.url

    @property
    def fingerprint(self) -> str:
        """Return what an approval holds for: another command, variable or address needs another one."""
        about = [list(self.command), sorted(self.environment.items()), self.url]
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()


class ToolServers(Value):
    """What a project names at its base commit, and what the user allows of it."""

    approved: tuple[ToolServer, ...] = ()
    refused: tuple[ToolServer, ...] = ()
    """Servers that no person approved as they are."""
    unreadable: tuple[Text, ...] = ()
    """Files that name servers and cannot be read; agents find them empty."""
