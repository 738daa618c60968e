"""Find out which agents work here, and select the first one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from setpoint.agents.command.agent import CommandAgent
from setpoint.agents.explain import lacking, way_out
from setpoint.agents.launch import Launch
from setpoint.agents.login import refused_login
from setpoint.agents.model_api.provider import placed, shorthand
from setpoint.agents.named_variables import NamedVariable, lacking_variables
from setpoint.agents.probing import probe
from setpoint.agents.registry import BUILT_IN
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.agents.sessions import Sessions
from setpoint.agents.spending.prices import Prices
from setpoint.errors import NoUsableAgent
from setpoint.model.attempt import PASSING, Breakage, BreakageKind, Role
from setpoint.model.value import Value
from setpoint.ports import Agent
from setpoint.settings import whole_environment
from setpoint.system.files.artifacts import Artifacts

if TYPE_CHECKING:
    from setpoint.agents.acp.agent import AcpAgent

TRY_OUT_S = 20.0
"""Seconds an agent may take to open a session when `auto` tries it."""


class PassedOver(Value):
    """An agent that `auto` did not take."""

    name: str
    reason: str


class Choice(Value):
    """The agent that `auto` took."""

    name: str
    passed_over: tuple[PassedOver, ...] = ()
    """Those before it in the order, with the reasons."""


class Plugged(NamedTuple):
    """The agents that plug-ins bring, the built-in ones among them."""

    make: Mapping[str, Callable[[], Agent]] = {}
    """Makes each, by name."""
    why_not: Mapping[str, str] = {}
    """Why one cannot be used, by name."""
    left_out: tuple[str, ...] = ()
    """Notes on plug-ins that failed."""


class Agents:
    """Creates agents by name and selects one for `auto`; remembers the result of each trial."""

    def __init__(
        self,
        launches: Mapping[str, Launch],
        *,
        artifacts: Artifacts,
        scratch: Path,
        prices: Prices | None = None,
        sandbox: Sandbox | None = None,
        plugged: Plugged | None = None,
    ) -> None:
        """Take the agents that are known; `scratch` is a folder for what they write while they run."""
        self.plugged = plugged or Plugged()
        self._launches = launches
        self._artifacts = artifacts
        self._scratch = scratch
        self._root = scratch
        self._sessions = Sessions(scratch / "sessions")
        self._prices = prices or Prices()
        self._sandbox = sandbox or Sandbox()
        self._tried: dict[str, Breakage | None] = {}

    def within(self, root: Path) -> Agents:
        """Name the repository whose files may configure the agents, too."""
        self._root = root
        return self

    def make(self, name: str) -> Agent:
        """Create the agent of that name, a plug-in's first; raises `NoUsableAgent` if there is none."""
        if name in self.plugged.make:
            return self.plugged.make[name]()
        launch = self._launch(name)
        if launch is None and name in self.plugged.why_not:
            reason, _, hint = self.plugged.why_not[name].partition("; hint: ")
            raise NoUsableAgent(f"the plug-in '{name}' cannot be used: {reason}", hint=hint)
        if launch is None:
            known = ", ".join(sorted({*self._launches, *BUILT_IN, *self.plugged.make}))
            hint = f"choose one of {known}, or add [agent.{name}]"
            if name in BUILT_IN:
                hint = (
                    "this installation is older than the agent; install Setpoint again: "
                    "python -m pip install --force-reinstall --no-deps setpoint (from its source: -e FOLDER)"
                )
            raise NoUsableAgent(f"there is no agent '{name}'", hint=hint)
        if launch.protocol == "model":
            return self._model(launch)
        if launch.protocol == "command":
            return CommandAgent(
                launch,
                artifacts=self._artifacts,
                sessions=self._sessions,
                prices=self._prices,
                sandbox=self._sandbox,
            )
        return self._acp(launch)

    async def held_by(self, name: str) -> str:
        """Describe an agent's sandbox in one line; empty for agents without their own process.

        Raises `SandboxUnavailable` if the configured sandbox does not work here.
        """
        launch = self._launches.get(name)
        if launch is None or launch.protocol == "model":
            return ""
        return await self._sandbox.told(launch)

    def shows_sessions(self, name: str) -> str:
        """Say whether other agents find what an agent wrote as test designer; empty where they do not."""
        launch = self._launches.get(name)
        kept = launch is None or launch.protocol == "model" or launch.is_private(Role.TEST_DESIGNER)
        return "" if kept else f"the sessions of {name} lie where other agents read"

    def model(self, name: str) -> str:
        """Return the model that an agent is set to work with; empty where it is its default."""
        launch = self._launch(name)
        return launch.model if launch else ""

    def has_model(self, name: str) -> bool:
        """Whether an agent has a model of its own; a command has none unless its settings name one."""
        launch = self._launch(name)
        if launch is None or launch.protocol != "command":
            return launch is not None
        return bool(launch.vendor or launch.model or launch.stream)

    def vendor(self, name: str) -> str:
        """Return the vendor of an agent's models; an unknown agent is its own vendor."""
        launch = self._launch(name)
        return (launch.vendor if launch else "") or name

    async def choose(self, order: Sequence[str], unfit: Mapping[str, str] | None = None) -> Choice:
        """Take the first of the order that is installed and opens a session; the built-in ones always work.

        `unfit` holds agents that cannot do this kind of work, with the reason. Raises `NoUsableAgent` with
        the reason for each.
        """
        passed: list[PassedOver] = []
        for name in order:
            reason = (unfit or {}).get(name) or await self.why_not(name)
            if not reason:
                return Choice(name=name, passed_over=tuple(passed))
            passed.append(PassedOver(name=name, reason=reason))
        table = "\n".join(f"  {one.name}: {one.reason}" for one in passed)
        installs = (self._launch(one.name) for one in passed)
        easiest = next((launch.way_in for launch in installs if launch and launch.way_in), "")
        hint = f"install one of them, for example: {easiest}" if easiest else "install an agent and log in"
        hint += "; then log in, or name another one with --agent (`setpoint agents` lists them)"
        raise NoUsableAgent(f"no agent can be used:\n{table or '  agents.order is empty'}", hint=hint)

    async def installed(self, name: str) -> bool:
        """Whether an agent that runs as a program is installed; it is not started."""
        launch = self._launch(name)
        return launch is not None and (await probe(launch)).installed

    async def why_not(self, name: str) -> str:
        """Try an agent and return why it cannot be used here; empty if it works."""
        broken = await self.tried(name, TRY_OUT_S)
        return broken.message if broken else ""

    async def require(self, name: str) -> None:
        """Start an agent as a run would, without a prompt; raise `NoUsableAgent` where it cannot work.

        The agent's own words come first. What may pass by itself, such as a limit, is left to the run.
        """
        broken, launch = await self.tried(name), self._launch(name)
        if broken is None or broken.kind in PASSING or launch is None:
            return
        lacking = self.lacking(name)
        if needed := next((each for each in lacking if each.needed), None):
            raise NoUsableAgent(f"{name}: {needed.told}", hint=needed.hint(name))
        hint = way_out(launch, broken)
        if lacking and broken.kind is BreakageKind.AUTH:
            hint = f"{lacking[0].told}; {lacking[0].hint(name)}"
        raise NoUsableAgent(f"{name}: {broken.said or broken.message}", hint=hint)

    def lacking(self, name: str) -> tuple[NamedVariable, ...]:
        """Return the variables that an agent's own configuration names and that it would not get."""
        launch = self._launch(name)
        return lacking_variables(launch, whole_environment(), self._root) if launch else ()

    async def tried(self, name: str, open_s: float | None = None) -> Breakage | None:
        """Return why an agent cannot be used here; none if it opens a session, or needs no start."""
        if name not in self._tried:
            self._tried[name] = await self._try(name, open_s)
        return self._tried[name]

    async def _try(self, name: str, open_s: float | None) -> Breakage | None:
        if name in self.plugged.why_not:
            return Breakage(kind=BreakageKind.MISSING, message=self.plugged.why_not[name])
        if name in BUILT_IN or name in self.plugged.make:
            return None
        launch = self._launch(name)
        if launch is None:
            message = f"not known; add [agent.{name}] to the settings, or correct agents.order"
            return Breakage(kind=BreakageKind.MISSING, message=message)
        return await self._lack(launch) or await self._refusal(launch, open_s)

    async def _lack(self, launch: Launch) -> Breakage | None:
        """Return what an agent lacks, found out without a start."""
        found = await probe(launch)
        if not found.installed:
            what = lacking(launch, found).what
            return Breakage(kind=BreakageKind.MISSING, message=found.why_not, said=what)
        lacks = next((each for each in self.lacking(launch.name) if each.needed), None)
        if lacks is None:
            return None
        message = f"{lacks.told}; {lacks.hint(launch.name)}"
        return Breakage(kind=BreakageKind.AUTH, message=message, said=lacks.told)

    async def _refusal(self, launch: Launch, open_s: float | None) -> Breakage | None:
        """Return why an agent that is started opens no session, or has no login."""
        if launch.protocol == "model":
            return None
        # Outside the repository: an agent reads settings in the folders above, and starts servers they name.
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            if launch.protocol == "acp":
                met = await self._acp(launch, open_s).try_out(Path(folder))
                if isinstance(met, Breakage):
                    return met
            return await refused_login(launch, self._sandbox, Path(folder))

    def _launch(self, name: str) -> Launch | None:
        return self._launches.get(name) or shorthand(name)

    def _model(self, launch: Launch) -> Agent:
        where = placed(launch)
        from setpoint.agents.model_api.agent import ModelAgent  # noqa: PLC0415 - an extra, and it takes a second
        from setpoint.agents.model_api.client import model_at  # noqa: PLC0415 - as above

        secrets = {launch.api_key_env or "api key": where.key} if where.key else {}
        return ModelAgent(
            launch,
            lambda: model_at(where),
            artifacts=self._artifacts,
            secrets=secrets,
            prices=self._prices,
        )

    def _acp(self, launch: Launch, open_s: float | None = None) -> AcpAgent:
        from setpoint.agents.acp.agent import AcpAgent, Patience  # noqa: PLC0415 - the protocol library takes 0.5 s

        patience = None if open_s is None else Patience(open_s=open_s)
        return AcpAgent(
            launch,
            artifacts=self._artifacts,
            scratch=self._scratch,
            patience=patience,
            prices=self._prices,
            sandbox=self._sandbox,
        )
