"""Notes on hosts from which packages come now and did not at the base."""

from __future__ import annotations

import re
from collections.abc import Iterator

from setpoint.checks.notes.change import Change
from setpoint.model.finding import Note

_LOCKS = frozenset(
    {
        "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "deno.lock",
        "uv.lock", "poetry.lock", "pdm.lock", "pipfile.lock", "cargo.lock", "go.sum", "gradle.lockfile",
        ".npmrc", ".yarnrc.yml", "pip.conf", "requirements.txt",
    }
)  # fmt: skip
_HOST = re.compile(r"\b(?:https?|ssh|git)(?:\+\w+)?://(?:[^/@\s\"']*@)?([\w.-]+)", re.IGNORECASE)


def of_lock_hosts(change: Change) -> Iterator[Note]:
    """Yield a note for each host that a lock file or a list of packages names now and did not before."""
    for path, text in change.after.items():
        if path.rpartition("/")[2].casefold() not in _LOCKS:
            continue
        known = {each.casefold() for each in _HOST.findall(change.before.get(path, ""))}
        for number, line in enumerate(text.splitlines(), start=1):
            for host in _HOST.findall(line):
                if host.casefold() not in known and (known or path in change.before):
                    known.add(host.casefold())
                    message = f"packages come from a host that was not there: {host}"
                    yield Note(rule="lock-host", message=message, file=path, line=number)
