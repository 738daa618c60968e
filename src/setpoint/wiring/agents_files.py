"""Files of a project that steer agents, as an agent may find them in its work copy for one attempt."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.model.changes.agent_files import steers_agents
from setpoint.model.ids import Commit, Tree
from setpoint.model.tool_server import ToolServers
from setpoint.ports import WorkCopy
from setpoint.system.files.untrusted_folder import entered, put
from setpoint.wiring.tool_servers import approvals, is_approved, ready, sorted_out
from setpoint.workspace.tool_servers import empty, files_with_servers, servers_in, without
from setpoint.workspace.work_copy import GitWorkspace


@dataclass(kw_only=True)
class _Shown:
    """What is shown in a work copy now, and to how many agents."""

    users: int = 0
    tree: Tree | None = None
    """The files of the base that are shown in place of the maker's."""
    swapped: dict[str, str] = field(default_factory=dict)
    """Content, at the base, of the files that are shown without some of their servers."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class AgentsFiles:
    """Shows them for the time of an attempt and puts what was there before in their place again."""

    def __init__(self, workspace: GitWorkspace, root: Path) -> None:
        """Take what records work copies, and the user's repository, for which servers were approved."""
        self._workspace, self._root = workspace, root
        self._files: dict[Commit, dict[str, str]] = {}
        self._shown: dict[str, _Shown] = {}

    async def servers(self, copy: WorkCopy) -> ToolServers:
        """Return the servers of the base, ready to start, by what is approved now."""
        return ready(sorted_out(await self._named(copy), approvals(self._root)))

    @asynccontextmanager
    async def shown(self, copy: WorkCopy, request: str, *, maker: bool) -> AsyncIterator[None]:
        """Show them in a work copy without servers that nobody approved; reviewers find those of the base.

        A file that the request names stays whole, since the maker has to change it.
        Those who work at the same time in one copy share what is shown; the last one puts it away.
        """
        held = self._shown.setdefault(copy.path, _Shown())
        async with held.lock:
            if held.users == 0:
                held.tree = None if maker else await self._workspace.show_base(copy, steers_agents)
                held.swapped = await self._swapped(copy, request)
            held.users += 1
        try:
            yield
        finally:
            async with held.lock:
                held.users -= 1
                if held.users == 0:
                    for path, text in held.swapped.items():
                        await _written(copy, path, text)
                    if held.tree is not None:
                        await self._workspace.hide_base(copy, held.tree)

    async def _swapped(self, copy: WorkCopy, request: str) -> dict[str, str]:
        """Write files without the servers that are not approved; return what has to be in them afterwards."""
        approved, made = approvals(self._root), dict[str, str]()
        for path, text in (await self._named(copy)).items():
            allowed = _allowed(path, text, approved)
            if allowed != text and not _names(request, path):
                made[path] = text
                await _written(copy, path, allowed)
        return made

    async def _named(self, copy: WorkCopy) -> dict[str, str]:
        if copy.base not in self._files:
            self._files[copy.base] = await files_with_servers(copy.repository, copy.base)
        return self._files[copy.base]


def _names(request: str, path: str) -> bool:
    """Whether a request names a file, by its path or its name."""
    found = rf"(?<![\w/.-])(?:\./)?(?:{re.escape(path)}|{re.escape(path.rpartition('/')[2])})(?![\w/-])"
    return re.search(found, request) is not None


def _allowed(path: str, text: str, approved: Mapping[str, str]) -> str:
    """Return a file without the servers that are not approved; one that cannot be read says nothing."""
    try:
        named = servers_in(path, text)
        return without(path, text, [each.name for each in named if not is_approved(each, approved)])
    except ValueError:
        return empty(path)


async def _written(copy: WorkCopy, path: str, text: str) -> None:
    with contextlib.suppress(OSError):  # an agent put a link or a file in the way of its folder
        await asyncio.to_thread(_write, Path(copy.path), path, text)


def _write(root: Path, path: str, text: str) -> None:
    *folders, name = path.split("/")
    with entered(root, folders) as folder:
        put(folder, name, text.encode())
