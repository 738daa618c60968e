"""`setpoint agents test`: one tiny change by an agent in a repository of its own, judged like any other."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

from setpoint.app.runs.drive import drive_run
from setpoint.app.runs.order import make_order, resolve_story
from setpoint.model.attempt import Usage
from setpoint.model.events import Body
from setpoint.model.events.run import AgentFinished, ToolExecuted
from setpoint.model.run import Ending, RunOutcome
from setpoint.model.value import Usd, Value
from setpoint.wiring.project import Project, open_project

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
    reason: str
    """Why the run ended so, in one sentence."""
    version: str = ""
    """As the agent tells it; empty where it does not."""
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


def try_agent(project: Project, name: str) -> Trial:
    """Have an agent make one tiny change, with this project's settings for it.

    Raises `NoUsableAgent` where there is no agent of that name.
    """
    with tempfile.TemporaryDirectory(prefix="setpoint-trial-") as folder:
        root = Path(folder).resolve() / "sum"
        _repository(root)
        settings = project.settings
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
        return _trial(name, outcome, bodies)


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
        verified=outcome.ending is Ending.VERIFIED,
        ending=outcome.ending,
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
