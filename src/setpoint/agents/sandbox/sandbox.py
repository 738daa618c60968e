"""Sandbox for agent processes: they write to the work copy and to their own files only.

What they may write to beside the work copy is a temporary folder of their own, their own state (the
registry's `writes`) and the caches of package tools. Not Setpoint's state, in which events, measurements
and Setpoint's own repositories lie; not the user's tree; not the rest of the home folder.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.agents.launch import Launch
from setpoint.agents.sandbox.forge_credentials import hidden_places, passed_on, without_credentials
from setpoint.agents.sandbox.private_state import PrivateSession
from setpoint.model.config.sandbox import Means, SandboxSettings
from setpoint.system.git.history import borrowed
from setpoint.system.processes import Command, Confinement, Trial, clean_environment
from setpoint.system.processes.available import AvailableMeans
from setpoint.system.processes.confinement import lies_in, usable_devices
from setpoint.system.processes.writable_paths import Places, existing


@dataclass(frozen=True, kw_only=True)
class ConfinedCommand:
    """A command to start, with its sandbox."""

    command: Command
    by: str
    """landlock, bwrap or none."""
    folder: Path | None = None
    """A folder of its own, removed by `release`."""
    state: PrivateSession | None = None
    """The agent's state, where the session has one of its own."""

    async def release(self) -> None:
        """Remove the temporary folder; to be called when the process has ended."""
        if self.state is not None:
            await asyncio.to_thread(self.state.end)
        if self.folder is not None:
            await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)


class Sandbox:
    """Confines the agents of a project; each means is tried once while this lives."""

    def __init__(
        self,
        settings: SandboxSettings | None = None,
        protected: Iterable[Path] = (),
        code: Iterable[Path] = (),
        covered: Iterable[Path] = (),
        sessions: Path | None = None,
    ) -> None:
        """Take what is asked for.

        Nothing in or above a `protected` folder is made writable but the work copy, and nothing in a folder
        of `code`, which Setpoint or the tests of the project run. Nothing in a `covered` folder can be read
        but the work copy and the objects that its repository borrows. `sessions` takes private copies of
        agents' own state.
        """
        self._settings = settings or SandboxSettings(agents=Means.NONE)
        self._protected = [path.resolve() for path in protected]
        self._code = [path.resolve() for path in code]
        self._covered = [path.resolve() for path in covered]
        self._sessions = sessions
        self._available = AvailableMeans(hides=bool(self._settings.hide))

    async def hold(self, launch: Launch, command: Command, *, private: bool = False) -> ConfinedCommand:
        """Confine the command that starts an agent, and give it a temporary folder.

        It gets no credentials of forges unless the settings give them. With `private` it has a copy of the
        agent's own state, and no cache that others read.

        Raises `SandboxUnavailable` if the configured sandbox does not work here.
        """
        chosen, wanted = await self.chosen(launch), self._settings
        environment = dict(clean_environment() if command.environment is None else command.environment)
        places = Places(environment, self._protected, self._code)
        folder = Path(tempfile.mkdtemp(prefix="setpoint-")).resolve()
        state = PrivateSession.made(launch.private, environment, self._sessions) if private else None
        own = launch.writes if state is None else tuple(map(str, state.logins.values()))
        caches = wanted.caches and not private
        opened = places.opened(wanted.writes, own, caches=caches) if chosen else []
        environment |= state.environment if state else {}
        hidden = [] if wanted.forge_credentials else hidden_places(environment)
        environment = await self._of_forges(launch, folder, environment)
        environment |= _in_login_shells(folder, environment)
        if chosen is None:
            free = replace(command, environment=environment)
            return ConfinedCommand(command=free, by=str(Means.NONE), folder=folder, state=state)
        environment |= {**launch.when_held, "TMPDIR": str(folder), **places.apart(folder, caches=caches)}
        kept = (str(state.folder),) if state else ()
        writable = tuple(dict.fromkeys((str(command.cwd), str(folder), *kept, *opened)))
        open_to_it = [Path(path).resolve() for path in writable]
        covered = [path for path in self._covered if path.exists() and not lies_in(path, open_to_it)]
        confinement = Confinement(
            means=chosen.means,
            writable=writable,
            covered=tuple(map(str, covered)),
            lent=tuple(str(path) for path in borrowed(command.cwd) if lies_in(path, covered)),
            devices=usable_devices(wanted.devices),
            hidden=tuple(dict.fromkeys((*existing(wanted.hide, environment), *hidden))),
        )
        confined = replace(command, environment=environment, confinement=confinement)
        return ConfinedCommand(command=confined, by=str(chosen.means), folder=folder, state=state)

    async def _of_forges(self, launch: Launch, folder: Path, given: dict[str, str]) -> dict[str, str]:
        """Give or take away credentials of forges; what the settings of the agent name stays as it is."""
        if self._settings.forge_credentials:
            return {**passed_on(), **given}
        instead = await without_credentials(folder, given)
        stated = {*launch.environment, *launch.pass_environment} - {"PATH"}
        return {**given, **{name: value for name, value in instead.items() if name not in stated}}

    async def chosen(self, launch: Launch) -> Trial | None:
        """Return the sandbox that works here, as tried; none if no sandbox works or is configured.

        Raises `SandboxUnavailable` if the configured sandbox does not work here.
        """
        where = f"agent.{launch.name}.sandbox" if launch.sandbox else "sandbox.agents"
        return await self._available.usable(launch.sandbox or self._settings.agents, where)

    async def told(self, launch: Launch) -> str:
        """Describe in one line the sandbox of an agent, or why there is none."""
        chosen = await self.chosen(launch)
        if chosen is not None:
            return chosen.words
        if (launch.sandbox or self._settings.agents) is Means.NONE:
            return "none, by setting"
        return f"none; {await self._available.why_none()}"

    async def trials(self) -> tuple[Trial, ...]:
        """Try each means that `auto` may take, in its order."""
        return await self._available.trials()


def _in_login_shells(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what keeps the agent's PATH in the login shells in which it runs commands."""
    path = environment.get("PATH", "")
    if "BASH_ENV" in environment or not path:
        return {}
    quoted = path.replace("'", "'\\''")
    begun = folder / "shell.sh"
    begun.write_text(
        f"case \"$PATH\" in *'{quoted}'*) ;; *) export PATH='{quoted}':\"$PATH\" ;; esac\n", "utf-8"
    )
    return {"BASH_ENV": str(begun)}
