"""The situations of the table of agents: what the model does, and what breaks meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from setpoint.testing.model_server import Conversation, Fault, Read, Say, Scenario, Shell, Step, Use, Write

BUGGY = "def add(a, b):\n    return a - b\n"
WRONG = "def add(a, b):\n    return b - a\n"
FIXED = "def add(a, b):\n    return a + b\n"
MARK = "SUBAGENT-7"
BREAK = 2
"""The step at which things break: the right change is made, and the agent's turn goes on."""
PLANNERS = ("EnterPlanMode", "enter_plan_mode")
PLANNED = ("ExitPlanMode", "exit_plan_mode", "plan_exit")
SUBAGENTS = ("Agent", "Task", "agent", "task", "invoke_agent", "spawn_agent", "generalist")

_READ = Read(read="calc.py")
_WRONG, _RIGHT = Write(write="calc.py", text=WRONG), Write(write="calc.py", text=FIXED)
_WORK: tuple[Step, ...] = (_READ, _RIGHT, Shell(shell="cat calc.py"), Say(say="Fixed."))


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One agent in one situation."""

    agent: str
    outside: str
    """A folder outside of the work copy."""


@dataclass(frozen=True, kw_only=True)
class Situation:
    """One column of the table."""

    title: str
    scenario: Callable[[Cell], Scenario]
    needs: tuple[str, ...] = ()
    """Names of tools, one of which the agent has to offer."""
    strike: str = ""
    """Happens once, at the step `BREAK`: `agent` or `adapter` is killed, or Setpoint gets Ctrl-C."""
    asks: bool = False
    """Whether the agent is set up to ask for permission."""


def _work(*faults: Fault, steps: tuple[Step, ...] = _WORK) -> Callable[[Cell], Scenario]:
    def make(cell: Cell) -> Scenario:
        # The tools of qwen want absolute paths, which no scenario knows.
        return Scenario(steps=steps, faults=faults, own_tools=not cell.agent.startswith("qwen"))

    return make


def _outside(cell: Cell) -> Scenario:
    steps: tuple[Step, ...] = (
        Write(write=f"{cell.outside}/written", text="x\n"),
        Shell(shell=f"echo x > {cell.outside}/redirected"),
        *_WORK,
    )
    return Scenario(steps=steps, own_tools=not cell.agent.startswith("qwen"))


def _planned(cell: Cell) -> Scenario:
    plan = {"plan": "1. Fix add.", "reason": "to plan", "plan_path": "plan.md", "plan_filename": "plan.md"}
    steps: tuple[Step, ...] = (
        Use(use=(*PLANNERS, *PLANNED), arguments=plan),
        Use(use=PLANNED, arguments=plan),
        Say(say="This is my plan. May I begin?"),
        *_WORK,
    )
    return Scenario(steps=steps, own_tools=not cell.agent.startswith("qwen"))


def _delegated(cell: Cell) -> Scenario:
    kind = {"opencode": "general", "gemini": "generalist"}.get(
        cell.agent.removesuffix("-cli"), "general-purpose"
    )
    told = f"{MARK}: fix calc.py"
    arguments = {
        **dict.fromkeys(("prompt", "request", "message", "query", "objective"), told),
        **dict.fromkeys(("subagent_type", "agent_type", "agent_name"), kind),
        **dict.fromkeys(("description", "name", "task_name"), "fix"),
    }
    steps: tuple[Step, ...] = (Use(use=SUBAGENTS, arguments=arguments), Say(say="The subagent fixed it."))
    inner = Conversation(when=MARK, steps=_WORK)
    # In a second round the agent does the work itself.
    return Scenario(
        steps=(*steps, *_WORK), conversations=(inner,), own_tools=not cell.agent.startswith("qwen")
    )


def _limit(status: int, *, told: bool) -> Fault:
    hint = {"retry_after_s": 4, "resets_in_s": 4} if told else {}
    return Fault(kind="status", status=status, step=BREAK, and_later=True, lasts_s=4, **hint)


SITUATIONS: dict[str, Situation] = {
    "wrong-first": Situation(
        title="first change wrong",
        scenario=_work(
            steps=(
                _READ,
                Write(write="calc.py", text=WRONG),
                Say(say="Fixed."),
                _READ,
                _RIGHT,
                Say(say="Now."),
            )
        ),
    ),
    "permission": Situation(title="permission asked", scenario=_work(), asks=True),
    "plan": Situation(title="plan mode", scenario=_planned, needs=(*PLANNERS, *PLANNED)),
    "subagent": Situation(title="subagent", scenario=_delegated, needs=SUBAGENTS),
    "long": Situation(
        title="long command",
        scenario=_work(
            steps=(_READ, _RIGHT, Shell(shell="python3 -c 'import time; time.sleep(15)'"), Say(say="Fixed."))
        ),
    ),
    "outside": Situation(title="write outside", scenario=_outside),
    "refused": Situation(
        title="network refused", scenario=_work(Fault(kind="down", step=BREAK, times=1, seconds=4))
    ),
    "401": Situation(
        title="401", scenario=_work(Fault(kind="status", status=401, step=BREAK, and_later=True))
    ),
    "429": Situation(title="429 with reset", scenario=_work(_limit(429, told=True))),
    "529": Situation(title="529", scenario=_work(_limit(529, told=False))),
    "cut": Situation(
        title="cut stream", scenario=_work(Fault(kind="cut", step=BREAK, times=2, after_bytes=300))
    ),
    "overflow": Situation(title="overflow", scenario=_work(Fault(kind="overflow", step=BREAK, times=2))),
    "agent-crash": Situation(title="agent crash", scenario=_work(), strike="agent"),
    "adapter-crash": Situation(title="adapter crash", scenario=_work(), strike="adapter"),
    "hang": Situation(title="hang", scenario=_work(Fault(kind="hang", step=BREAK, times=1))),
    "interrupt": Situation(
        title="Ctrl-C and resume",
        scenario=_work(Fault(kind="slow", step=BREAK, times=1, seconds=20)),
        strike="interrupt",
    ),
}
