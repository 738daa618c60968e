"""`setpoint agents test`: one tiny change by an agent in a repository of its own, judged like any other."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

from setpoint.agents.explain import Explanation, explained, lacking
from setpoint.agents.probing import probe
from setpoint.agents.registry import known
from setpoint.app.runs.drive import drive_run
from setpoint.app.runs.order import make_order, resolve_story
from setpoint.errors import WorkspaceError
from setpoint.model.attempt import Breakage, Usage
from setpoint.model.ending import EXAMINED, Ending
from setpoint.model.events import Body
from setpoint.model.events.run import AgentBroke, AgentFinished, ToolExecuted
from setpoint.model.run import RunOutcome
from setpoint.model.value import Usd, Value
from setpoint.settings import Settings, load
from setpoint.wiring.project import open_project

REQUEST = "make the failing test pass"
_FILES = {
    "calc.py": 'def add(a, b):\n    """Give the sum of two numbers."""\n    return a - b\n',
    "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
}


class Trial(Value):
    """What was seen of an agent that made one tiny change."""

    agent: str
    verified: bool
    """Whether Setpoint measured that the change does what was asked."""
    ending: Ending
    branch: str = ""
    """Where the result lies, in a repository that is gone."""
    reason: str
    """Why the run ended so, in one sentence."""
    version: str = ""
    """As the agent tells it; empty where it does not."""
    fault: str = ""
    """What is wrong with the agent, as a name: `adapter_missing`, `crash` ...; empty if nothing is."""
    hint: str = ""
    """What to do next."""
    attempts: int
    tool_calls: int
    tool_errors: int
    tools: tuple[str, ...] = ()
    """Names of the tools it called, each once."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    scope: str = "unknown"
    """What the figures of tokens cover: each attempt, the last call, none if no model is called, unknown."""
    cost_usd: Usd | None = None
    """None where it is not known, and where no model is called."""
    agent_s: float
    """Seconds that the agent worked."""
    duration_s: float
    """Seconds of the whole run, with all that Setpoint measured."""


def try_agent(settings: Settings, name: str) -> Trial:
    """Have an agent make one tiny change, with these settings for it.

    Raises `NoUsableAgent` where there is no agent of that name.
    """
    launch = known(settings.agent).get(name)
    if launch is not None and not (found := asyncio.run(probe(launch))).installed:
        return _unusable(name, lacking(launch, found), found.version)
    with tempfile.TemporaryDirectory(prefix="setpoint-trial-") as folder:
        root = Path(folder).resolve() / "sum"
        _repository(root)
        own = settings.agents.model_dump(include={"wall_s", "idle_s", "proxy"})
        flags: dict[str, Any] = {
            "agents": {"maker": name, **own},
            "agent": {key: each.model_dump(exclude_unset=True) for key, each in settings.agent.items()},
            "price": {key: each.model_dump(exclude_unset=True) for key, each in settings.price.items()},
            "sandbox": settings.sandbox.model_dump(exclude_unset=True),
            # The agent is on trial, not the tools: its change is judged by the test alone.
            "checks": {"python": sys.executable, "bandit": False, "coverage": False, "reruns": 0},
            "limits": {"max_iterations": 3, "max_agent_breakages": 1},
            "escalation": {"on_limit": "error"},
        }
        trial = open_project(root, flags)
        ordered = make_order(trial, resolve_story(trial, REQUEST))
        outcome = drive_run(trial, ordered)
        bodies = [event.body for event in trial.log.replay(ordered.trace_id)]
        seen = _trial(name, outcome, bodies)
        broken = _breakage(bodies) if outcome.ending is Ending.BROKEN_AGENT else None
        if launch is None or broken is None:
            return seen
        why = explained(launch, broken)
        return seen.model_copy(update={"fault": why.fault, "reason": why.what, "hint": why.hint})


def settings_here(where: Path) -> Settings:
    """Return the settings of the repository that a folder lies in; outside of one, the defaults."""
    try:
        return open_project(where).settings
    except WorkspaceError:
        return load(where)


def _breakage(bodies: list[Body]) -> Breakage | None:
    """Return the last breakage of the maker."""
    attempts = [body.snapshot.attempt for body in bodies if isinstance(body, AgentFinished)]
    found = [attempt.breakage for attempt in attempts if attempt is not None and attempt.breakage is not None]
    found += [body.breakage for body in bodies if isinstance(body, AgentBroke)]
    return found[-1] if found else None


def _unusable(name: str, why: Explanation, version: str) -> Trial:
    """Return the trial of an agent that cannot be started."""
    return Trial(
        agent=name,
        verified=False,
        ending=Ending.BROKEN_AGENT,
        reason=why.what,
        version=version,
        fault=why.fault,
        hint=why.hint,
        attempts=0,
        tool_calls=0,
        tool_errors=0,
        agent_s=0.0,
        duration_s=0.0,
    )


def _repository(root: Path) -> None:
    root.mkdir()
    for path, text in _FILES.items():
        (root / path).write_text(text, "utf-8")
    git = ["git", "-c", "user.name=Trial", "-c", "user.email=trial@localhost", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "A wrong sum"]):
        subprocess.run([*git, *words], cwd=root, check=True)


def _trial(name: str, outcome: RunOutcome, bodies: list[Body]) -> Trial:
    finished = [body.snapshot.attempt for body in bodies if isinstance(body, AgentFinished)]
    made = [attempt for attempt in finished if attempt is not None and attempt.agent == name]
    calls = [body.call for body in bodies if isinstance(body, ToolExecuted)]
    usages = [attempt.usage for attempt in made]
    return Trial(
        agent=name,
        verified=outcome.ending in EXAMINED,
        ending=outcome.ending,
        branch=outcome.branch,
        reason=outcome.reason,
        version=made[-1].version if made else "",
        attempts=len(made),
        tool_calls=sum(attempt.tool_calls for attempt in made),
        tool_errors=sum(attempt.tool_errors for attempt in made),
        tools=tuple(dict.fromkeys(call.name for call in calls)),
        input_tokens=_sum([usage.input_tokens for usage in usages]),
        output_tokens=_sum([usage.output_tokens for usage in usages]),
        scope=usages[-1].scope if usages else "unknown",
        cost_usd=_cost(usages),
        agent_s=round(sum(attempt.duration_s for attempt in made), 3),
        duration_s=round(outcome.duration_s, 3),
    )


def _sum(figures: list[int | None]) -> int | None:
    known = [each for each in figures if each is not None]
    return sum(known) if known and len(known) == len(figures) else None


def _cost(usages: list[Usage]) -> Decimal | None:
    known = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    return sum(known, Decimal(0)) if known and len(known) == len(usages) else None
