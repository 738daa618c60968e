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
    headers: dict[str, Text] = {}
    """Headers of each request to that address; `${NAME}` stands for one of the user's variables."""
    streams: bool = False
    """Whether the address is one of the older transport by server-sent events, and not plain HTTP."""
    fault: Text = ""
    """Why it cannot start here; empty if nothing is known to be missing."""

    @property
    def words(self) -> str:
        """Return what is approved, in one line: variables and command, or the address."""
        variables = [f"{name}={value}" for name, value in sorted(self.environment.items())]
        headers = [f"{name}: {value}" for name, value in sorted(self.headers.items())]
        return shlex.join([*variables, *self.command] if self.command else [self.url, *headers])

    @property
    def fingerprint(self) -> str:
        """Return what an approval holds for: with another command, address or the like it is void."""
        about = [list(self.command), sorted(self.environment.items()), self.url]
        if self.headers:
            about.append(sorted(self.headers.items()))
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()


class ToolServers(Value):
    """What a project names at its base commit, and what the user allows of it."""

    approved: tuple[ToolServer, ...] = ()
    refused: tuple[ToolServer, ...] = ()
    """Servers that no person approved as they are."""
    unreadable: tuple[Text, ...] = ()
    """Files that name servers and cannot be read; agents find them empty."""
