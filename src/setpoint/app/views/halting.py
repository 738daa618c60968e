"""Halting policies side by side on logged runs, and how far the project's own log reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from setpoint.errors import UsageError, WorkspaceError
from setpoint.history.logged_runs import read_logged_runs
from setpoint.history.own_runs import own_run
from setpoint.history.queries import RunState, runs
from setpoint.model.halter.policies import NAMED, Made
from setpoint.model.halter.prediction import HaltingTerms
from setpoint.model.halting import Economics, LoggedPolicy, LoggedRun, TurnState
from setpoint.model.halting_replay import compare
from setpoint.model.halting_tables import ReplayTable, calibration
from setpoint.model.run import Action
from setpoint.model.value import Value
from setpoint.model.wording import counted
from setpoint.plugins import Group, Plugin, PluginError, attempt, load_policies
from setpoint.ports.policy import ReplayablePolicy
from setpoint.wiring.plugins import enabled
from setpoint.wiring.project import Project, open_project

INCUMBENT = "rules-v1"
"""The policy that decides unless a plug-in does, and that the others are compared with."""
RUNS_TO_COMPARE = 300
"""Runs of the same agent with a known outcome, below which a comparison misled in tests on public logs."""
MOST_RUNS = 5000
"""Newest finished runs that are read."""


class AgentLog(Value):
    """The own runs of one agent."""

    agent: str
    runs: int
    labelled: int
    """Runs that a replay can use."""
    outcomes: int
    """Runs of which it is known whether the delivered work was right."""
    missing: int
    """Runs with a known outcome that a comparison still needs."""


class HaltingStatus(Value):
    """Which policy decides, and what a comparison with other ones still needs."""

    decides: str
    """`rules-v1`, or the enabled plug-in in its place with its package."""
    needed: int = RUNS_TO_COMPARE
    """Runs of the same agent with a known outcome that a comparison needs."""
    agents: tuple[AgentLog, ...] = ()


def halting_status(where: Path, found: Collection[Plugin] | None = None) -> HaltingStatus:
    """Return who decides and what the log of the project holds for each agent, those with most runs first.

    `found` are the installed plug-ins; those of Setpoint's environment where it is left out.
    """
    project = open_project(where)
    used, _ = enabled(project.settings.plugins, found)
    plugged = [each for each in used if each.group == Group.HALTING]
    decides = (
        f"plug-in '{plugged[0].name}' ({plugged[0].package} {plugged[0].version})" if plugged else INCUMBENT
    )
    logs = tuple(_log_of(each) for each in by_agent(own_runs(project)).values())
    return HaltingStatus(decides=decides, agents=logs)


def logged_runs(files: Sequence[Path], where: Path) -> tuple[LoggedRun, ...]:
    """Return the runs of these files, or those that the project has recorded where no file is given."""
    if not files:
        found = own_runs(open_project(where))
        if not found:
            raise UsageError(
                "the project has no finished run with a measured iteration, so nothing can be replayed",
                hint="`setpoint lab halting replay LOGS.csv` replays logged runs of a file",
            )
        return found
    read = [(path, each) for path in files for each in read_logged_runs(path)]
    counts = Counter(each.run for _, each in read)
    if twice := [(path, each.run) for path, each in read if counts[each.run] > 1]:
        path, run = twice[-1]
        raise UsageError(f"{path}: another file holds the run '{run}' too", hint="name each file once")
    return tuple(each for _, each in read)


def own_runs(project: Project) -> tuple[LoggedRun, ...]:
    """Return the newest finished runs of a project, as far as they measured an iteration."""
    listed = runs(project.store, lambda _: None, limit=MOST_RUNS, recorded=(RunState.FINISHED,))
    made = (own_run(project.log.replay(each.trace_id)) for each in listed)
    return tuple(each for each in made if each is not None)


def replay_tables(
    logged: Sequence[LoggedRun],
    policies: Sequence[str],
    economics: Economics,
    *,
    agent: str = "",
    restarts: bool = False,
    plugged: Mapping[str, LoggedPolicy] | None = None,
) -> tuple[ReplayTable, ...]:
    """Replay policies, all of them where none is named, on the runs of each agent apart.

    `UsageError` for a policy or an agent that is unknown.
    """
    made: dict[str, Made] = {name: _always(each) for name, each in (plugged or {}).items()} | dict(NAMED)
    if unknown := [each for each in policies if each not in made]:
        raise UsageError(f"no halting policy is named '{unknown[0]}'", hint=f"one of {', '.join(made)}")
    chosen = {name: each for name, each in made.items() if not policies or name in (*policies, INCUMBENT)}
    terms = HaltingTerms(economics=economics, budget_usd=0, may_restart=restarts)
    return tuple(_table(name, each, chosen, terms) for name, each in by_agent(logged, agent).items())


def plugged_policies(where: Path, found: Collection[Plugin] | None = None) -> Mapping[str, LoggedPolicy]:
    """Return the enabled halting policies of plug-ins that can decide over logged turns, by name.

    `found` are the installed plug-ins; those of Setpoint's environment where it is left out.
    """
    try:
        project = open_project(where)
    except WorkspaceError:
        return {}
    loaded: Mapping[str, object] = load_policies(project.settings.plugins, found).usable
    return {name: _named(name, each) for name, each in loaded.items() if isinstance(each, ReplayablePolicy)}


def _named(name: str, policy: ReplayablePolicy) -> LoggedPolicy:
    def decide(turns: tuple[TurnState, ...]) -> Action:
        action: object = attempt(lambda: policy.over_turns(turns))
        if isinstance(action, Action):
            return action
        shown = action.shown if isinstance(action, PluginError) else f"it returned {action!r}, no Action"
        raise UsageError(
            f"the halting policy '{name}' of a plug-in broke in a replay: {shown}",
            hint="`setpoint admin plugins` names its package; take it out of the setting plugins",
        )

    return decide


def _always(policy: LoggedPolicy) -> Made:
    return lambda _: policy


def _table(
    agent: str, logged: Sequence[LoggedRun], made: Mapping[str, Made], terms: HaltingTerms
) -> ReplayTable:
    known = [each for each in logged if is_labelled(each)]
    table = ReplayTable(agent=agent, logged=len(logged), labelled=len(known), restarts=terms.may_restart)
    if not any(_passes(each) for each in known):
        return table.model_copy(update={"refused": _unusable(logged)})
    longest = terms.model_copy(update={"max_turns": max(len(each.turns) for each in known)})
    policies = {name: each(longest) for name, each in made.items()}
    figures = compare(known, policies, INCUMBENT, terms.economics)
    return table.model_copy(update={"figures": figures, "calibration": calibration(known, longest)})


def _unusable(logged: Sequence[LoggedRun]) -> str:
    passed, of = sum(_passes(each) for each in logged), counted(len(logged), "run")
    if not passed:
        return f"0 of {of} passed the gates, so no policy delivers anything"
    return f"{passed} of {of} passed the gates, and whether the work was right is not known"


def _log_of(found: Sequence[LoggedRun]) -> AgentLog:
    outcomes = sum(any(label is not None for label in each.verified) for each in found)
    return AgentLog(
        agent=found[0].agent,
        runs=len(found),
        labelled=sum(is_labelled(each) for each in found),
        outcomes=outcomes,
        missing=max(0, RUNS_TO_COMPARE - outcomes),
    )


def by_agent(logged: Sequence[LoggedRun], agent: str = "") -> dict[str, list[LoggedRun]]:
    """Return the runs of each agent, those with most runs first; `UsageError` for an unknown agent."""
    found: dict[str, list[LoggedRun]] = {}
    for each in logged:
        found.setdefault(each.agent, []).append(each)
    if agent and agent not in found:
        raise UsageError(f"the log holds no run of the agent '{agent}'", hint=f"one of {', '.join(found)}")
    chosen = {agent: found[agent]} if agent else found
    return dict(sorted(chosen.items(), key=lambda item: -len(item[1])))


def _passes(run: LoggedRun) -> bool:
    return any(each.gates for each in run.turns)


def is_labelled(run: LoggedRun) -> bool:
    """Whether the outcome of every turn that a policy may deliver is known."""
    pairs = zip(run.turns, run.verified, strict=True)
    return all(label is not None for turn, label in pairs if turn.gates)
