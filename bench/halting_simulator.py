"""An invented world for comparing halting policies: tasks, chains of turns, and the truth behind them.

Only relative figures mean something. A task has a kind and a difficulty; each chain of it is one conversation
of an agent, whose turns repair, break and hide defects with the chances of the kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from setpoint.model.halter.features import best_place
from setpoint.model.halting import Economics, LoggedRun, TurnState
from setpoint.model.run import Action

TESTS = 20
TURNS = 10
"""Turns of a chain, and of a run with all its chains."""
CHAINS = 4
BUDGET_USD = 5.0
WEIGHTS = np.array([0.25, 0.30, 0.20, 0.15, 0.05, 0.05])
"""R0's weights of coverage, tests, security, quality, documentation and types."""
START = np.array([0.50, 0.0, 1.0, 0.55, 0.40, 0.50])
GAIN = np.array([0.40, 0.0, 0.0, 0.35, 0.50, 0.40])
NOISY = np.array([1.0, 0.0, 0.5, 1.0, 1.0, 1.0])
SETTLED = 2
"""Turns of a chain before one may leave all as it was."""
STUCK_GOES, UNSAFE_GOES, UNSAFE_SEEN = 0.04, 0.55, 0.85
"""Chances, for each turn, that a stuck defect goes, a security finding goes, and one is seen."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What tasks of a kind do."""

    share: float
    """Of all tasks."""
    least: int = 0
    """Defects that the tests show at the first turn, at least."""
    more: float
    """Mean of those beyond."""
    scaled: bool = True
    """Whether the difficulty multiplies that mean."""
    fixes: float
    """Chance that a turn fixes a defect."""
    breaks: float
    """Chance that a turn brings a new one."""
    unsafe: float = 0.025
    """Chance that a turn brings a security finding."""
    stuck: float = 0.0
    """Chance that one defect hardly ever goes."""
    repeats: float = 0.0
    """Chance that a turn from the third on leaves all as it was."""
    swings: float = 0.0
    """Chance that a turn undoes what the one before did."""
    hides: float = 0.0
    """Chance that a turn brings a defect that no test shows."""
    flaky: float = 0.01
    """Chance that a test fails by itself."""
    noise: float = 0.012
    """Standard deviation of a measured metric."""
    pace: float = 1.0
    """How fast the other metrics rise; below 0 they fall."""


KINDS = {
    "easy": Kind(share=0.36, more=0.6, fixes=0.70, breaks=0.04),
    "improving": Kind(share=0.16, least=3, more=3.0, fixes=0.42, breaks=0.06),
    "stagnating": Kind(share=0.11, least=1, more=2.0, fixes=0.45, breaks=0.05, stuck=0.70, pace=0.4),
    "oscillating": Kind(share=0.07, least=1, more=2.0, scaled=False, fixes=0.55, breaks=0.10, swings=0.70),
    "degrading": Kind(share=0.09, more=0.9, fixes=0.40, breaks=0.35, unsafe=0.12, hides=0.25, pace=-0.3),
    "cycling": Kind(
        share=0.07, least=1, more=2.0, fixes=0.40, breaks=0.03, stuck=0.65, repeats=0.75, pace=0.4
    ),
    "flaky": Kind(share=0.07, more=1.0, fixes=0.55, breaks=0.06, flaky=0.22),
    "noisy": Kind(share=0.07, more=1.5, fixes=0.50, breaks=0.06, noise=0.07),
}


@dataclass(frozen=True)
class Turn:
    """A turn as it is measured, and the truth that no policy sees."""

    state: TurnState
    right: bool


@dataclass(frozen=True)
class Task:
    """All that an agent would do on a task, whatever the policy decides."""

    kind: str
    chains: tuple[tuple[Turn, ...], ...]


@dataclass
class _Code:
    """The state of the code in a chain."""

    shown: int
    """Defects that tests show."""
    stuck: int
    hidden: int
    unsafe: int
    open: int = 0
    """Findings of the review."""
    progress: float = 0.0
    swung: bool = False
    repeated: bool = False
    problems: list[tuple[int, int, int]] = field(default_factory=list)


def tasks(count: int, seed: int) -> tuple[Task, ...]:
    """Draw so many tasks."""
    random = np.random.default_rng(seed)
    return tuple(_task(random) for _ in range(count))


def _task(random: Generator) -> Task:
    name = str(random.choice(list(KINDS), p=[kind.share for kind in KINDS.values()]))
    difficulty = float(random.gamma(4, 0.25))
    return Task(name, tuple(_chain(KINDS[name], difficulty, random) for _ in range(CHAINS)))


def _chain(kind: Kind, difficulty: float, random: Generator) -> tuple[Turn, ...]:
    shown = kind.least + int(random.poisson(kind.more * (difficulty if kind.scaled else 1)))
    stuck = int(random.random() < kind.stuck)
    code = _Code(
        shown=max(shown, stuck),
        stuck=stuck,
        hidden=int(random.poisson(0.18 * difficulty)),
        unsafe=int(random.random() < 0.12 * difficulty),
        progress=float(random.uniform(0.2, 0.5)),
    )
    turns = []
    for place in range(TURNS):
        if place:
            _work(code, kind, place, random)
        turns.append(_measured(code, kind, place, random))
    return tuple(turns)


def _work(code: _Code, kind: Kind, place: int, random: Generator) -> None:
    code.repeated = place >= SETTLED and random.random() < kind.repeats
    if code.repeated:
        return
    fixed = int(random.binomial(max(code.shown - code.stuck, 0), kind.fixes * 0.93 ** (place - 1)))
    code.shown -= fixed
    code.hidden += int(random.binomial(fixed, 0.05))  # repairs that please the tests alone
    if code.stuck and random.random() < STUCK_GOES:
        code.stuck -= 1
        code.shown -= 1
    if random.random() < kind.breaks:
        code.shown += 1 + int(random.poisson(0.3))
    if random.random() < kind.swings:
        code.swung = not code.swung
        code.shown = code.shown + 2 if code.swung else max(code.shown - 2, 0)
    code.open -= int(random.binomial(code.open, 0.65))
    if code.unsafe and random.random() < UNSAFE_GOES:
        code.unsafe -= 1
    code.unsafe += int(random.random() < kind.unsafe)
    code.hidden += int(random.random() < kind.hides)
    code.progress = float(np.clip(code.progress + random.uniform(0.05, 0.22) * kind.pace, 0, 1))


def _measured(code: _Code, kind: Kind, place: int, random: Generator) -> Turn:
    found = int(random.binomial(code.hidden, 0.30))
    code.hidden -= found
    code.open += found
    red = code.shown
    if random.random() < kind.flaky:
        red = code.shown + 1 + int(random.poisson(0.5))
    if code.shown == 1 and random.random() < kind.flaky * 0.6:
        red = 0
    unsafe = int(code.unsafe > 0 and random.random() < UNSAFE_SEEN)
    share = max(0.0, 1 - red / TESTS)
    metrics = START + GAIN * code.progress - 0.03 * code.open * np.array([0, 0, 4 / 3, 1, 0, 0])
    metrics = metrics + np.array([0, share, -0.45 * unsafe, 0, 0, 0])
    metrics = np.clip(metrics + random.normal(0, kind.noise, 6) * NOISY, 0, 1)
    problems = (red, code.open, unsafe)
    before = code.problems[-1] if code.problems else None
    same = any(problems) and (
        code.repeated or (problems == before and random.random() < (0.6 if code.stuck else 0.25))
    )
    code.problems.append(problems)
    cost = float(random.lognormal(np.log(0.33), 0.4)) * (1 + 0.15 * place) * (1.15 if place == 0 else 1)
    state = TurnState(
        number=place + 1,
        quality=float(min(1.0, WEIGHTS @ metrics)),
        gates=not any(problems),
        failing=sum(problems),
        tests_share=share,
        security=unsafe,
        review=code.open,
        repeated=bool(same),
        cost_usd=cost,
    )
    return Turn(state, not (code.shown or code.hidden or code.open or code.unsafe))


@dataclass(frozen=True)
class Ended:
    """What became of a task under a policy."""

    value: float
    """US dollars: what the delivery is worth, less the cost."""
    right: bool
    wrong: bool
    """Whether something was delivered that is not right."""
    cost: float
    turns: tuple[Turn, ...]
    delivered: int | None
    """Place of the delivered turn; none where nothing was delivered."""


def run(
    task: Task,
    policy: Callable[[tuple[TurnState, ...]], Action],
    economics: Economics = Economics(),  # noqa: B008 - a frozen value
    *,
    best: bool = True,
) -> Ended:
    """Run a task under a policy; deliver the best turn, or the last, where its gates pass or it says so."""
    seen: list[Turn] = []
    chain = place = 0
    while True:
        turn = task.chains[chain][place]
        state = turn.state.model_copy(update={"number": len(seen) + 1, "chain": chain})
        seen.append(Turn(state, turn.right))
        states = tuple(each.state for each in seen)
        action = policy(states)
        spent = sum(each.cost_usd for each in states)
        if len(seen) >= TURNS or spent >= BUDGET_USD:
            break
        if action is Action.RESTART and chain + 1 < CHAINS:
            chain, place = chain + 1, 0
        elif action in (Action.CONTINUE, Action.RESTART) and place + 1 < TURNS:
            place += 1
        else:
            break
    chosen = best_place(states) if best else len(states) - 1
    delivered = chosen if states[chosen].gates or action is Action.HALT else None
    right = delivered is not None and seen[delivered].right
    worth = economics.escalation_usd
    if delivered is not None:
        worth = economics.worth_usd if right else -economics.wrong_usd
    return Ended(worth - spent, right, delivered is not None and not right, spent, tuple(seen), delivered)


def logged(name: str, ended: Ended, agent: str = "simulated") -> LoggedRun:
    """Return a run as a log would hold it: the outcome is known of what was delivered alone."""
    known = [turn.right if place == ended.delivered else None for place, turn in enumerate(ended.turns)]
    return LoggedRun(
        run=name,
        agent=agent,
        group=name,
        turns=tuple(turn.state for turn in ended.turns),
        verified=tuple(known),
        full=False,
    )
