"""A repository opened by a program: run, check, answer and look back, without a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from setpoint.app.library.answering import AnswerOptions, record_answer
from setpoint.app.library.outcomes import check_outcome_of, outcome_of, question_of
from setpoint.app.library.own_loop import Listener, OwnLoop, at_once, in_background, refuse_in_loop
from setpoint.app.library.results import CheckOutcome, Outcome, Question
from setpoint.app.people.gates import open_gates
from setpoint.app.runs.options import RunOptions, settings_of
from setpoint.errors import RunWaiting, UsageError
from setpoint.model.changes.slug import slug
from setpoint.model.config.layers import overlaid
from setpoint.model.evaluation import Stage
from setpoint.model.events import Event
from setpoint.model.evidence import CheckResult, Evidence
from setpoint.model.gate import Choice
from setpoint.model.proof import Obligation
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import Story
from setpoint.settings import load
from setpoint.wiring.plugins import with_checks
from setpoint.wiring.project import Project as Opened
from setpoint.wiring.project import find_run, open_project, recorded_order

OnEvent = Callable[[Event], None]
"""Receives each event of a run after it is recorded; what it raises ends the call, not the run."""
OnResult = Callable[[Evidence], None]
"""Receives the record of each check as soon as it is known."""


class Project:
    """A git repository opened with its settings.

    A call whose name begins with `a` is awaited; its twin without blocks, and raises `UsageError` where an
    event loop runs. All other calls are short and can be made anywhere.
    """

    def __init__(self, path: Path | str = ".", *, settings: Mapping[str, Any] | None = None) -> None:
        """Open the repository that `path` lies in; `settings`, shaped like `setpoint.toml`, override its own.

        Raises `WorkspaceError` where there is no git repository, and `SettingsError` for a wrong setting.
        """
        self._settings = dict(settings or {})
        self._opened = at_once(lambda: open_project(Path(path), self._settings))

    @property
    def root(self) -> Path:
        """The root of the repository's work tree."""
        return self._opened.root

    def run(
        self,
        request: str | Story,
        *,
        accept: Sequence[str] = (),
        base: str = "HEAD",
        on_event: OnEvent | None = None,
        **options: Unpack[RunOptions],
    ) -> Outcome:
        """Drive an agent until its change is verified, a guard stops it, or a person has to answer.

        `request` is a sentence, the id or path of a story, or a `Story`. Each command of `accept` must exit
        with 0. Nothing is printed and nobody is asked: a question comes back in the outcome.
        """
        refuse_in_loop("run")
        wanted = _wanted(request, accept, base, options)
        return self._begun(OwnLoop(), Listener(on_event), wanted)

    async def arun(
        self,
        request: str | Story,
        *,
        accept: Sequence[str] = (),
        base: str = "HEAD",
        on_event: OnEvent | None = None,
        **options: Unpack[RunOptions],
    ) -> Outcome:
        """Do as `run` in a thread; `on_event` is called in the caller's event loop.

        Cancelling the call ends the agent's processes; `resume` continues the run.
        """
        wanted, heard = _wanted(request, accept, base, options), Listener(on_event)
        return await in_background(lambda own: self._begun(own, heard, wanted))

    def resume(self, run: str = "", *, on_event: OnEvent | None = None) -> Outcome:
        """Continue a run that was answered or interrupted; by default the newest one that is not finished."""
        refuse_in_loop("resume")
        return self._resumed(OwnLoop(), run, Listener(on_event))

    async def aresume(self, run: str = "", *, on_event: OnEvent | None = None) -> Outcome:
        """Do as `resume` in a thread; `on_event` is called in the caller's event loop."""
        heard = Listener(on_event)
        return await in_background(lambda own: self._resumed(own, run, heard))

    def check(
        self, *, fast: bool = False, fresh: bool = False, on_result: OnResult | None = None
    ) -> CheckOutcome:
        """Run every check on the working tree, including uncommitted changes.

        With `fast`, only the tests run that the changes can affect. With `fresh`, no cached result counts.
        """
        refuse_in_loop("check")
        return self._checked(OwnLoop(), Listener(on_result), fast=fast, fresh=fresh)

    async def acheck(
        self, *, fast: bool = False, fresh: bool = False, on_result: OnResult | None = None
    ) -> CheckOutcome:
        """Do as `check` in a thread; `on_result` is called in the caller's event loop."""
        told = Listener(on_result)
        return await in_background(lambda own: self._checked(own, told, fast=fast, fresh=fresh))

    def outcome(self, run: str = "") -> Outcome:
        """Return what became of a recorded run, or its state so far; by default of the newest one."""
        return at_once(lambda: outcome_of(self._opened, find_run(self._opened, run).trace_id))

    def questions(self) -> tuple[Question, ...]:
        """Return the open questions of all runs, the newest run's first."""
        return tuple(question_of(each.trace_id, each.gate) for each in open_gates(self._opened))

    def answer(self, question: Question, choice: Choice | str, **options: Unpack[AnswerOptions]) -> None:
        """Record the answer to a question; then `resume` continues the run.

        What `continue` adds is taken from the question's offer where no figure is given. Raises `UsageError`
        where the question does not allow the choice, or somebody else answered first.
        """
        at_once(lambda: record_answer(self._opened, question, choice, options))

    def _begun(self, own: OwnLoop, heard: Listener[Event], wanted: _Wanted) -> Outcome:
        from setpoint.app.people.deliveries import notice_deliveries
        from setpoint.app.runs.order import make_order
        from setpoint.app.runs.ready_makers import require_makers

        opened = self._with(settings_of(wanted.options))
        notice_deliveries(opened)
        order = require_makers(opened, make_order(opened, wanted.story(opened), wanted.base))
        return _driven(opened, order, own, heard)

    def _resumed(self, own: OwnLoop, run: str, heard: Listener[Event]) -> Outcome:
        found = find_run(self._opened, run, unfinished=True)
        return _driven(self._with({}), recorded_order(self._opened, found.trace_id), own, heard)

    def _checked(self, own: OwnLoop, told: Listener[Evidence], *, fast: bool, fresh: bool) -> CheckOutcome:
        from setpoint.app.checks.watch import WITHOUT_SUSPECTS, measure_once

        opened = self._with(WITHOUT_SUSPECTS)

        def heard(_: Stage, result: CheckResult | Obligation) -> None:
            if isinstance(result, CheckResult):
                told(result.evidence)

        measuring = measure_once(opened, heard, fast=fast, fresh=fresh)
        with told.heard():
            return check_outcome_of(own.run(measuring), fast=fast)

    def _with(self, settings: Mapping[str, Any]) -> Opened:
        """Return the project with its settings read again, and with these over them."""
        now = load(self.root, overlaid(self._settings, settings))
        return self._opened._replace(settings=with_checks(now))


class _Wanted(NamedTuple):
    """What a run is asked for."""

    request: str | Story
    accept: Sequence[str]
    base: str
    options: RunOptions

    def story(self, opened: Opened) -> Story:
        """Return what is asked for as a story."""
        from setpoint.app.runs.order import resolve_story

        commands = (self.accept,) if isinstance(self.accept, str) else tuple(self.accept)
        if isinstance(self.request, str):
            return resolve_story(opened, self.request, commands)
        if slug(self.request.id) != self.request.id:
            message = f"'{self.request.id}' cannot be the id of a story: it names a branch and a file"
            raise UsageError(message, hint=f"for example StoryId('{slug(self.request.id)}')")
        return self.request.model_copy(update={"acceptance": (*self.request.acceptance, *commands)})


def _wanted(request: str | Story, accept: Sequence[str], base: str, options: RunOptions) -> _Wanted:
    unknown = sorted(options.keys() - RunOptions.__annotations__.keys())
    if unknown:
        known = ", ".join(RunOptions.__annotations__)
        raise UsageError(f"a run has no option '{unknown[0]}'", hint=f"options are accept, base, {known}")
    return _Wanted(request, accept, base, options)


def _driven(opened: Opened, order: RunOrder, own: OwnLoop, heard: Listener[Event]) -> Outcome:
    from setpoint.app.runs.drive import drive_run

    with suppress(RunWaiting), heard.heard():  # the outcome holds the question
        drive_run(opened, order, heard=heard, runner=own.run)
    return outcome_of(opened, order.trace_id)
