"""Holds the processes of agents: they write to the work copy, to what is their own, and nowhere else.

What they may write to beside the work copy is a temporary folder of their own, their own state (the
registry's `writes`) and the caches of package tools. Not Setpoint's state, in which events, measurements
and Setpoint's own repositories lie; not the user's tree; not the rest of the home folder.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.agents.launch import Launch
from setpoint.domain.sandbox import Means, SandboxSettings
from setpoint.errors import SandboxUnavailable, SettingsError
from setpoint.processes import Command, Confinement, Trial, clean_environment, trial

ORDER = (Means.LANDLOCK, Means.BWRAP)
"""What `auto` tries, in this order: the first takes no time and changes nothing else for the agent."""
CACHES = (
    "~/.cache", "~/.npm", "~/.cargo/registry", "~/.cargo/git", "~/go/pkg", "~/.bun/install/cache",
    "~/.gradle/caches", "~/.m2/repository", "~/Library/Caches",
    "$XDG_CACHE_HOME",
)  # fmt: skip
"""Caches of package tools, opened where they are."""
_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")


@dataclass(frozen=True, kw_only=True)
class Held:
    """A command that is about to be started, with what holds it."""

    command: Command
    by: str
    """landlock, bwrap or none."""
    folder: Path | None = None
    """Its temporary folder, removed by `release`."""

    async def release(self) -> None:
        """Remove the temporary folder; to be called when the process has ended."""
        if self.folder is not None:
            await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)


class Sandbox:
    """Confines the agents of a project; each means is tried once while this lives."""

    def __init__(self, settings: SandboxSettings | None = None, protected: Iterable[Path] = ()) -> None:
        """Take what is asked for; what holds a `protected` folder is never made writable as a whole."""
        self._settings = settings or SandboxSettings(agents=Means.NONE)
        self._protected = [path.resolve() for path in protected]
        self._tried: dict[Means, Trial] = {}

    async def hold(self, launch: Launch, command: Command) -> Held:
        """Confine the command that starts an agent, and give it a temporary folder.

        Raises `SandboxUnavailable` where the means that is asked for does not work here.
        """
        chosen = await self.chosen(launch)
        if chosen is None:
            return Held(command=command, by=str(Means.NONE))
        environment = dict(clean_environment() if command.environment is None else command.environment)
        places = self._places(launch, environment)
        folder = Path(tempfile.mkdtemp(prefix="setpoint-")).resolve()
        environment |= {**launch.when_held, "TMPDIR": str(folder)}
        confinement = Confinement(
            means=chosen.means,
            writable=tuple(dict.fromkeys((str(command.cwd), str(folder), *places))),
            hidden=tuple(_existing(self._settings.hide, environment)),
        )
        confined = replace(command, environment=environment, confinement=confinement)
        return Held(command=confined, by=str(chosen.means), folder=folder)

    async def chosen(self, launch: Launch) -> Trial | None:
        """Give what holds an agent here, as tried; none where nothing does, or shall.

        Raises `SandboxUnavailable` where the means that is asked for does not work here.
        """
        where = f"agent.{launch.name}.sandbox" if launch.sandbox else "sandbox.agents"
        return await self.usable(launch.sandbox or self._settings.agents, where)

    async def usable(self, wanted: Means, where: str) -> Trial | None:
        """Give the means that is wanted, as tried, or for `auto` the first that works; none for none.

        Raises `SandboxUnavailable`, naming the setting, where the means does not work here.
        """
        if wanted is Means.NONE:
            return None
        if wanted is Means.AUTO:
            return next((each for each in await self.trials() if each.works), None)
        if (tried := await self._trial(wanted)).works:
            return tried
        raise SandboxUnavailable(
            f"setting {where} = '{wanted}' cannot be kept on this machine: {tried.why_not}",
            mend=f"mend that, or set {where} to 'auto' (the first that works) or 'none'",
        )

    async def told(self, launch: Launch) -> str:
        """Say in a line what holds an agent here, and where nothing does, why."""
        chosen = await self.chosen(launch)
        if chosen is not None:
            return chosen.words
        if (launch.sandbox or self._settings.agents) is Means.NONE:
            return "none, by setting"
        return f"none; {'; '.join(f'{each.means}: {each.why_not}' for each in await self.trials())}"

    async def trials(self) -> tuple[Trial, ...]:
        """Try each means that `auto` may take, in its order."""
        return tuple([await self._trial(means) for means in ORDER])

    async def _trial(self, means: Means) -> Trial:
        if means is Means.LANDLOCK and self._settings.hide:
            return Trial(means=means, why_not="it cannot hide what sandbox.hide names", words=means)
        if means not in self._tried:
            self._tried[means] = await trial(means)
        return self._tried[means]

    def _places(self, launch: Launch, environment: Mapping[str, str]) -> list[str]:
        given = _existing(self._settings.writes, environment)
        for path in given:
            if self._opens(path):
                message = f"setting sandbox.writes: {path} holds the repository or Setpoint's own state"
                raise SettingsError(message, mend="name the folders that agents need, not one above them")
        caches = _existing(CACHES, environment) if self._settings.caches else []
        own = _existing(launch.writes, environment, make=True)
        return [*given, *(path for path in (*caches, *own) if not self._opens(path))]

    def _opens(self, path: str) -> bool:
        return any(each.is_relative_to(path) for each in self._protected)


def _existing(entries: Sequence[str], environment: Mapping[str, str], *, make: bool = False) -> list[str]:
    """Give the real paths of entries that exist; missing folders (`.../`) can be made, for the user alone."""
    found = []
    for entry in entries:
        path = _expanded(entry, environment)
        if path is None:
            continue
        if make and entry.endswith("/"):
            with contextlib.suppress(OSError):  # then the agent cannot make it either
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists():
            found.append(str(path.resolve()))
    return found


def _expanded(entry: str, environment: Mapping[str, str]) -> Path | None:
    """Replace `~` and variables; none where one is not set, or no absolute path comes of it."""
    home = entry == "~" or entry.startswith("~/")
    named = [*_VARIABLE.findall(entry), *(["HOME"] if home else [])]
    if not all(environment.get(name) for name in named):
        return None
    path = _VARIABLE.sub(lambda match: environment[match.group(1)], entry)
    path = environment["HOME"] + path[1:] if home else path
    return Path(path) if Path(path).is_absolute() else None
