"""Which servers of tools a person approved, by name and command or address; kept where no agent can write."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from setpoint.model.ids import Commit
from setpoint.model.tool_server import ToolServer, ToolServers
from setpoint.settings import inherited
from setpoint.system.files.atomic import write_atomic_bytes
from setpoint.system.files.data_folder import data_folder
from setpoint.system.files.locks import locked_file
from setpoint.system.processes import clean_environment
from setpoint.workspace.tool_servers import files_with_servers, servers_in

OWN = "setpoint"
"""The name of Setpoint's own server."""
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


def approvals(root: Path) -> dict[str, str]:
    """Return the approved servers of a repository: the fingerprint by name."""
    return dict(_stored().get(str(root.resolve()), {}))


def approve(root: Path, server: ToolServer) -> None:
    """Record that a person approves a server as it is now."""
    _change(root, {**approvals(root), server.name: server.fingerprint})


def revoke(root: Path, name: str) -> bool:
    """Take an approval away; false if there was none."""
    given = approvals(root)
    if given.pop(name, None) is None:
        return False
    _change(root, given)
    return True


async def tool_servers(repository: str, root: Path, base: Commit) -> ToolServers:
    """Return what a commit names, sorted by what the person approved for the repository at `root`."""
    return sorted_out(await files_with_servers(repository, base), approvals(root))


def is_approved(server: ToolServer, approved: Mapping[str, str]) -> bool:
    """Whether a server is approved as it is."""
    return server.name != OWN and approved.get(server.name) == server.fingerprint


def sorted_out(files: Mapping[str, str], approved: Mapping[str, str]) -> ToolServers:
    """Sort the servers of some files by what is approved."""
    named, unreadable = list[ToolServer](), list[str]()
    for path, text in files.items():
        try:
            named += servers_in(path, text)
        except ValueError:  # no JSON, or no TOML
            unreadable.append(path)
    return ToolServers(
        approved=tuple(each for each in named if is_approved(each, approved)),
        refused=tuple(each for each in named if not is_approved(each, approved)),
        unreadable=tuple(unreadable),
    )


def ready(servers: ToolServers) -> ToolServers:
    """Put the user's variables into approved servers, and note what keeps one from starting."""
    return servers.model_copy(update={"approved": tuple(_ready(each) for each in servers.approved)})


def _ready(server: ToolServer) -> ToolServer:
    words = [*server.command, *server.environment.values(), server.url, *server.headers.values()]
    wanted = {found.group(1) for word in words for found in _VARIABLE.finditer(word)}
    given = inherited(wanted)
    lacks = sorted(
        {found[1] for word in words for found in _VARIABLE.finditer(word) if found[2] is None} - given.keys()
    )

    def put(word: str) -> str:
        return _VARIABLE.sub(lambda found: given.get(found[1], found[2] or ""), word)

    made = server.model_copy(
        update={
            "command": tuple(put(word) for word in server.command),
            "environment": {name: put(value) for name, value in server.environment.items()},
            "url": put(server.url),
            "headers": {name: put(value) for name, value in server.headers.items()},
        }
    )
    fault = f"the variable {lacks[0]} is not set" if lacks else ""
    if not fault and made.command and "/" not in made.command[0]:
        found = shutil.which(made.command[0], path=clean_environment().get("PATH"))
        fault = "" if found else f"{made.command[0]} is not on PATH"
    return made.model_copy(update={"fault": fault})


def _file() -> Path:
    return data_folder() / "tool-servers.json"


def _stored() -> dict[str, dict[str, str]]:
    try:
        stored = json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {
        root: {str(name): str(mark) for name, mark in given.items()}
        for root, given in (stored.items() if isinstance(stored, dict) else ())
        if isinstance(given, dict)
    }


def _change(root: Path, given: Mapping[str, str]) -> None:
    with locked_file(_file().with_suffix(".lock")):
        stored = {**_stored(), str(root.resolve()): dict(given)}
        write_atomic_bytes(_file(), json.dumps(stored, indent=2).encode())
