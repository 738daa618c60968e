"""Several attempts at the same work at once, each in its own work copy; the best by evidence continues.

The race is one step of the run, and every part is recorded under its own key. After a crash, what was
made or measured is reused.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from setpoint.inner.attempt import Start, made_in
from setpoint.inner.kept_edits import Bench, shows_the_end
from setpoint.inner.lost_copies import note_loss
from setpoint.model.attempt import Brief, Mode, Role
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.candidates import (
    CandidateChosen,
    CandidateMade,
    CandidateMeasured,
    CandidateResult,
)
from setpoint.model.events.run import AgentFinished
from setpoint.model.ids import TraceId, Tree
from setpoint.model.run import Round, RunOrder
from setpoint.phase.policy.candidates import (
    POLICY,
    best_first,
    broke,
    candidate_result,
    comes_to_an_end,
    finalists,
    is_clean,
    not_worth_starting,
    reason,
    was_cut_off,
)
from setpoint.ports import Measured
from setpoint.runs.context import RunContext

PREFIX = "candidate:"
"""Prefix of the candidates' roles in the agents of an order."""
_OF_CANDIDATE = re.compile(r"-c([0-9]+)$")
"""Ends the label of a candidate's attempt."""


@dataclass(kw_only=True)
class _Race:
    """The candidates of a contest while they work."""

    room: asyncio.Semaphore
    """Lets so many work at the same time."""
    bench: Bench
    made: list[CandidateMade] = field(default_factory=list)
    """Those that have ended."""
    spared: dict[int, str] = field(default_factory=dict)
    """Why candidates were not started."""

    @property
    def told(self) -> str:
        """Say which candidates were not started, and why; empty where all were."""
        if not self.spared:
            return ""
        numbers = ", ".join(map(str, sorted(self.spared)))
        return f"; not started: {numbers}, because {self.spared[min(self.spared)]}"


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Work that several candidates attempt."""

    start: Start
    brief: Brief
    suspects: tuple[str, ...]
    """Tests that failed before."""

    def key(self, candidate: int) -> str:
        """Name a candidate's attempt within the run."""
        return f"{self.brief.label}-c{candidate}"


def candidates_of(order: RunOrder) -> tuple[int, ...]:
    """Number the candidates of a run; none where the maker works alone."""
    return tuple(sorted(int(role.removeprefix(PREFIX)) for role in order.agents if role.startswith(PREFIX)))


def is_contested(run: RunContext, mode: Mode) -> bool:
    """Whether candidates race: at the start of the work and after each restart."""
    return mode is not Mode.FIX and bool(candidates_of(run.order))


def with_chosen_maker(run: RunContext) -> RunContext:
    """Return the run with the last chosen candidate as its maker."""
    chosen = [event.body for event in run.journal.events if isinstance(event.body, AgentFinished)]
    number = next((each.candidate for each in reversed(chosen) if each.candidate), 0)
    return _played_by(run, number) if number else run


async def contest(run: RunContext, asked: Contest) -> AgentFinished:
    """Let every candidate make its attempt, measure each, and continue with the best."""
    start = asked.start

    async def act() -> AgentFinished:
        race = _Race(room=asyncio.Semaphore(run.order.candidates_at_once), bench=Bench(copy=run.copy))
        made = await _all_made(run, asked, race)
        ordered = await _ordered(run, asked, made)
        number = ordered[0].candidate if ordered else 0
        best = next((each for each in made if each.candidate == number), None) or _of_no_use(made)
        body = CandidateChosen(
            iteration=start.iteration,
            candidate=number,
            reason=f"{reason(ordered)}{race.told}",
            standings=ordered,
            policy=POLICY,
        )
        run.journal.note(f"{asked.brief.label}:chosen", body)
        await run.ports.workspace.restore(run.copy, best.snapshot.commit)
        return AgentFinished(
            phase=start.phase.name,
            iteration=start.iteration,
            mode=start.mode,
            snapshot=best.snapshot,
            changed_against_base=best.changed_against_base,
            diff_hash=best.diff_hash,
            lines=best.lines,
            size=best.size,
            lost=best.lost,
            candidate=best.candidate,
        )

    return await run.journal.step(asked.brief.label, act, AgentFinished)


async def _ordered(
    run: RunContext, asked: Contest, made: Sequence[CandidateMade]
) -> tuple[CandidateResult, ...]:
    """Rank the candidates, the best first.

    One whose agent broke has perhaps not finished. So it counts where nobody else finished, or where it alone
    has no problems and tests or commands show that nothing is missing.
    """
    able = {each.candidate: each for each in made if comes_to_an_end(each)}
    ordered = best_first(await _standings(run, asked, able))
    cut = {each.candidate: each for each in made if was_cut_off(each)}
    if not cut or (ordered and (is_clean(ordered[0]) or not shows_the_end(run))):
        return ordered
    others = best_first(await _standings(run, asked, cut))
    if not ordered or is_clean(others[0]):
        return (*others, *ordered)
    return (*ordered, *others)


def _of_no_use(made: Sequence[CandidateMade]) -> CandidateMade:
    """Return the attempt to continue from if none made a change: one without a breakage, if any."""
    return next((each for each in made if not broke(each)), made[0])


async def _all_made(run: RunContext, asked: Contest, race: _Race) -> list[CandidateMade]:
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(_made(run, asked, number, race)) for number in candidates_of(run.order)]
    return [made for task in running if (made := task.result()) is not None]


async def _made(run: RunContext, asked: Contest, number: int, race: _Race) -> CandidateMade | None:
    """Run one candidate; its commit is then stored in the run's own work copy, whichever wins.

    None where those before it leave it too little to gain.
    """
    key = asked.key(number)
    known = run.journal.known(f"{key}:made")
    if isinstance(known, CandidateMade):
        race.made.append(known)
        return known
    async with race.room:
        if why := await _too_little(run, asked, race):
            race.spared[number] = why
            return None
        apart = await _apart(run, number)
        came = await made_in(apart, asked.start, _briefed(run, asked, number, apart.copy.path), race.bench)
    async with race.bench.lock:
        await run.ports.workspace.restore(run.copy, came.snapshot.commit, of=apart.copy)
    body = CandidateMade(
        phase=asked.start.phase.name,
        iteration=asked.start.iteration,
        candidate=number,
        agent=apart.ports.agents[Role.MAKER].name,
        **came._asdict(),
    )
    run.journal.note(f"{key}:made", body)
    race.made.append(body)
    return body


async def _too_little(run: RunContext, asked: Contest, race: _Race) -> str:
    """Say why another candidate is not worth its cost, by what the ended ones measure; empty where it is."""
    ended = [each for each in race.made if comes_to_an_end(each)]
    if run.order.halting.worth_usd is None or not ended:
        return ""
    async with race.bench.lock:  # what is measured here is recorded, and not measured again
        measured = [
            _as_round(each, await _measured(run, asked, each, Stage.EVALUATE), None) for each in ended
        ]
    results = [candidate_result(each, tests) for each, tests in zip(ended, measured, strict=True)]
    return not_worth_starting(results, run.order.halting)


async def _apart(run: RunContext, number: int) -> RunContext:
    """Return the run as one candidate sees it: with its own work copy."""
    own = TraceId(f"{run.order.trace_id}-c{number}")
    copy = await run.ports.workspace.open(own, run.order.base)
    apart = replace(_played_by(run, number), copy=copy)
    note_loss(apart)
    return apart


async def place_of(run: RunContext, label: str) -> RunContext:
    """Return the run as the attempt of a label saw it: in a candidate's work copy, or in the run's own."""
    number = _OF_CANDIDATE.search(label)
    if number is None or int(number[1]) not in candidates_of(run.order):
        return run
    return await _apart(run, int(number[1]))


def _played_by(run: RunContext, number: int) -> RunContext:
    agents = run.ports.agents
    maker = agents[f"{PREFIX}{number}"]
    return replace(run, ports=run.ports._replace(agents={**agents, Role.MAKER: maker}))


def _briefed(run: RunContext, asked: Contest, number: int, workdir: str) -> Brief:
    """Return a candidate's brief; all candidates share the remaining money."""
    brief, limits = asked.brief, asked.brief.limits
    if limits.cost_usd is not None:
        share = limits.cost_usd / len(candidates_of(run.order))
        limits = limits.model_copy(update={"cost_usd": share})
    own = {"label": asked.key(number), "session": f"{brief.session}:c{number}", "workdir": workdir}
    return brief.model_copy(update={**own, "limits": limits})


async def _standings(
    run: RunContext, asked: Contest, able: Mapping[int, CandidateMade]
) -> list[CandidateResult]:
    """Measure every candidate, those without problems in full; measure the same tree once."""
    early = {
        number: _as_round(each, await _measured(run, asked, each, Stage.EVALUATE), None)
        for number, each in able.items()
    }
    first = [candidate_result(each, early[number]) for number, each in able.items()]
    final = finalists(first)
    if len({able[number].snapshot.tree for number in final}) < 2:  # noqa: PLR2004 - one tree is its own equal
        return first
    full: dict[Tree, Evaluation] = {}
    for number in final:
        each = able[number]
        if each.snapshot.tree not in full:
            full[each.snapshot.tree] = await _measured(run, asked, each, Stage.TEST)
        tests = full[each.snapshot.tree]
        early[number] = early[number].model_copy(update={"tests": tests})
    return [candidate_result(each, early[number]) for number, each in able.items()]


async def _measured(run: RunContext, asked: Contest, made: CandidateMade, stage: Stage) -> Evaluation:
    key = f"{asked.key(made.candidate)}:{stage}"
    known = run.journal.known(key)
    if isinstance(known, CandidateMeasured):
        return known.evaluation
    snapshot = made.snapshot
    measured = Measured(run.copy, snapshot.commit, snapshot.tree, stage, asked.suspects)
    evaluation = await run.ports.evaluator.evaluate(run.judged_by, measured)
    body = CandidateMeasured(iteration=made.iteration, candidate=made.candidate, evaluation=evaluation)
    run.journal.note(key, body)
    return evaluation


def _as_round(made: CandidateMade, evaluation: Evaluation, tests: Evaluation | None) -> Round:
    return Round(
        number=made.iteration,
        snapshot=made.snapshot,
        changed_against_base=made.changed_against_base,
        diff_hash=made.diff_hash,
        lines=made.lines,
        evaluation=evaluation,
        tests=tests,
    )
