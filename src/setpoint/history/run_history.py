"""All that is known of a run, as its events tell it."""

from __future__ import annotations

from glob import escape

from setpoint.history.attempts import GateQuestion as GateQuestion  # noqa: PLC0414 - part of a history
from setpoint.history.attempts import Try as Try  # noqa: PLC0414 - part of a history
from setpoint.history.run_figures import RunFigures
from setpoint.model.attempt import ToolCall
from setpoint.model.config.limits import Limits
from setpoint.model.evaluation import Evaluation
from setpoint.model.events import learning as m
from setpoint.model.events import people
from setpoint.model.events.candidates import CandidateChosen, CandidateMade, FindingDeclined
from setpoint.model.events.hidden_tests import HiddenTestsAnswered, HiddenTestsWritten
from setpoint.model.events.requests import AboutIntegrity, ChangeSettled
from setpoint.model.events.run import (
    BudgetWarned,
    CancelRequested,
    Delivered,
    DiminishingReturns,
    GuardFired,
    GuardUnable,
    HaltingDecided,
    LoopRestarted,
    LoopStagnated,
    ModelCalled,
    PhaseBounce,
    ReviewAnswered,
    RunResumed,
)
from setpoint.model.facts.spending import Expenses
from setpoint.model.gate import Gate
from setpoint.model.ids import Commit, TraceId
from setpoint.model.run import Round, RunOrder, RunOutcome
from setpoint.model.value import Instant, Value
from setpoint.model.wording import counted


class History(Value):
    """All that happened in a run, folded from its events; the same events give the same history."""

    trace_id: TraceId
    order: RunOrder
    limits: Limits
    """The limits of the order, with what people added to them since."""
    workdir: str
    python: str = ""
    checks: dict[str, str] = {}
    """Checks that run, with the reason each was chosen."""
    started_at: Instant
    last_at: Instant
    """When the newest event was recorded."""
    base: Evaluation | None = None
    """The base commit's evaluation."""
    rounds: tuple[Round, ...] = ()
    """Iterations that were measured, oldest first."""
    tries: tuple[Try, ...] = ()
    """The maker's tries, oldest first."""
    calls: dict[str, tuple[ToolCall, ...]] = {}
    """Tool calls of all agents, by the label of the attempt."""
    asked: tuple[ModelCalled, ...] = ()
    """Calls of models that the proxy saw, in order."""
    texts: dict[str, str] = {}
    """What each thinking phase wrote last."""
    answers: tuple[ReviewAnswered, ...] = ()
    """What each reviewer said, in order."""
    declined: tuple[FindingDeclined, ...] = ()
    """Objections that the maker declined."""
    decisions: tuple[HaltingDecided, ...] = ()
    bounces: tuple[PhaseBounce, ...] = ()
    restarts: tuple[LoopRestarted, ...] = ()
    diminishing: tuple[DiminishingReturns, ...] = ()
    candidates: tuple[CandidateMade, ...] = ()
    """Attempts at the same work, of which one was chosen."""
    contests: tuple[CandidateChosen, ...] = ()
    """Which candidate was chosen, and how the others compared."""
    stagnations: tuple[LoopStagnated, ...] = ()
    """Turns that were ended because the agent went in circles."""
    guards: tuple[GuardFired, ...] = ()
    unable: tuple[GuardUnable, ...] = ()
    """Guards that could not judge the run."""
    warnings: tuple[BudgetWarned, ...] = ()
    resumptions: tuple[RunResumed, ...] = ()
    gates: tuple[GateQuestion, ...] = ()
    """Every question to a person, oldest first."""
    requests: tuple[AboutIntegrity, ...] = ()
    """What was asked for, said and decided about protected files, oldest first."""
    hidden: tuple[HiddenTestsWritten, ...] = ()
    answered: tuple[HiddenTestsAnswered, ...] = ()
    """Tests that were written from the request alone, before the maker began."""
    memory: tuple[m.AboutMemory, ...] = ()
    """What was recalled for the run, what it taught, and whose belief it moved, oldest first."""
    feedback: tuple[people.Feedback, ...] = ()
    """What people said or did about it, oldest first."""
    cancel: CancelRequested | None = None
    """Who wanted the run ended, where someone did."""
    figures: RunFigures = RunFigures()
    """What every list of runs shows of it."""
    account: Expenses = Expenses()
    """What was used, lost tries and those under way included."""
    active_s: float = 0.0
    """Seconds the run has worked; time between a crash and the resumption does not count."""
    delivered: Delivered | None = None
    outcome: RunOutcome | None = None
    """None while the run is not finished."""

    @property
    def phase(self) -> str:
        """The phase entered last; empty before the first."""
        return self.figures.phase

    @property
    def may_change(self) -> tuple[str, ...]:
        """Protected paths that were released, by the order or since, as globs."""
        settled = [each for each in self.requests if isinstance(each, ChangeSettled) and each.granted]
        return (*self.order.story.may_change, *(escape(path) for each in settled for path in each.paths))

    @property
    def waiting(self) -> Gate | None:
        """The question that the run waits for."""
        if self.outcome is not None or self.cancel is not None:
            return None
        return next((asked.gate for asked in self.gates if asked.answer is None), None)

    @property
    def fixes(self) -> tuple[people.Fix, ...]:
        """Fixes that people accepted since the run ended, each on top of those before it, oldest first."""
        found: list[people.Fix] = []
        at = self.outcome.best if self.outcome else None
        for each in self.feedback:
            if isinstance(each, people.Fix) and each.kept and each.start == at:
                found.append(each)
                at = each.commit
        return tuple(found)

    @property
    def newest(self) -> Commit:
        """The best state of a run that ended, with the fixes that people accepted since; else the base."""
        best = self.outcome.best if self.outcome else self.order.base
        return self.fixes[-1].commit if self.fixes else best

    @property
    def fixes_in_words(self) -> str:
        """Say which accepted fixes are on which branch; empty without one."""
        if not self.fixes:
            return ""
        named = [f"{each.finding[:8]} in {each.file}" for each in self.fixes]
        return f"{self.fixes[-1].branch} has {counted(len(named), 'accepted fix')}: {', '.join(named)}"
