"""Describe each event in one line, for the live view, the timeline and the dashboard."""

from __future__ import annotations

from typing import assert_never

from setpoint.cli.render.agent_lines import broken, of_agent, of_live
from setpoint.cli.render.check_lines import checks_in_words
from setpoint.cli.render.forge_lines import of_forge
from setpoint.cli.render.hook_lines import of_hook, of_own_agent
from setpoint.cli.render.landing_lines import of_landing
from setpoint.cli.render.learning_lines import of_memory
from setpoint.cli.render.line import Line as Line  # noqa: PLC0414 - what this module makes
from setpoint.cli.render.production_lines import of_production
from setpoint.cli.render.proof_lines import DELIVERED, NOT_VERIFIED, of_proof, outcome_line
from setpoint.model import events as e
from setpoint.model.evaluation import Evaluation
from setpoint.model.events import Body, people
from setpoint.model.events import learning as m
from setpoint.model.events.candidates import CandidateResult
from setpoint.model.events.production import AboutProduction
from setpoint.model.facts.halting import decision_line, shadow_line
from setpoint.model.facts.spending import amount, in_time
from setpoint.model.gate import Answer
from setpoint.model.run import Action
from setpoint.model.wording import counted

_MOST_NAMED = 5
_OTHERS = (
    m.AboutMemory
    | people.Feedback
    | AboutProduction
    | e.AboutHooks
    | e.AboutOwnAgents
    | e.AboutForge
    | e.AboutWork
    | e.AboutLanding
    | e.AboutLive
    | e.ProofMeasured
    | e.HiddenTestsWritten
    | e.HiddenTestsAnswered
    | e.ProductShown
)
_LOOP = (
    e.PhaseBounce | e.LoopRestarted | e.DiminishingReturns | e.LoopStagnated | e.GuardFired | e.GuardUnable
)

_ACTION_STYLE = {
    Action.HALT: "bold green",
    Action.CONFIRM: "green",
    Action.CONTINUE: "yellow",
    Action.RESTART: "bold yellow",
    Action.ESCALATE: "bold red",
}


def line(body: Body) -> Line:
    """Return the line for an event."""
    if isinstance(body, _OTHERS):
        return _of_others(body)
    if isinstance(body, _LOOP):
        return _of_loop(body)
    match body:
        case (
            e.RunStarted()
            | e.RunResumed()
            | e.BaselineMeasured()
            | e.TestsQuarantined()
            | e.Delivered()
            | e.RunFinished()
        ):
            shown = _of_run(body)
        case e.GateOpened() | e.GateAnswered() | e.GateExpired() | e.CancelRequested():
            shown = _of_person(body)
        case e.ChangeRequested() | e.ChangeReviewed() | e.ChangeSettled() | e.ReasonsGiven():
            shown = _of_requests(body)
        case (
            e.PhaseEntered() | e.PhaseCompleted() | e.PhaseApproved() | e.PhasePassed() | e.ReviewCompleted()
        ):
            shown = _of_phase(body)
        case (
            e.ReviewAnswered()
            | e.FindingDeclined()
            | e.AnswerRejected()
            | e.CandidateMade()
            | e.CandidateMeasured()
            | e.CandidateChosen()
        ):
            shown = _of_opinion(body)
        case (
            e.AgentStarted()
            | e.ToolExecuted()
            | e.ModelCalled()
            | e.AgentSpent()
            | e.AgentBroke()
            | e.AgentFinished()
        ):
            shown = of_agent(body)
        case e.IterationEvaluated() | e.BudgetWarned() | e.HaltingDecided():
            shown = _of_figures(body)
        case _:
            assert_never(body)
    return shown


def _of_others(body: _OTHERS) -> Line:
    if isinstance(body, e.AboutHooks | e.AboutOwnAgents):
        return of_hook(body) if isinstance(body, e.AboutHooks) else of_own_agent(body)
    if isinstance(body, e.AboutForge | e.AboutLanding):
        return of_forge(body) if isinstance(body, e.AboutForge) else of_landing(body)
    if isinstance(body, e.AboutWork):
        return Line(body.kind.partition(".")[2].replace("_", " "), detail=True)
    if isinstance(body, e.AboutLive):
        return of_live(body)
    if isinstance(body, e.ProofMeasured | e.HiddenTestsWritten | e.HiddenTestsAnswered | e.ProductShown):
        return of_proof(body)
    return of_production(body) if isinstance(body, AboutProduction) else of_memory(body)


def _of_figures(body: e.IterationEvaluated | e.BudgetWarned | e.HaltingDecided) -> Line:
    if isinstance(body, e.IterationEvaluated):
        return _measured(body.evaluation)
    if isinstance(body, e.BudgetWarned):
        share = max(body.share, body.used / body.limit) if body.limit else body.share
        text = f"budget: {share:.0%} of {body.budget} used ({body.used:.2f} of {body.limit:.2f})"
        return Line(text, "yellow")
    return _decided(body)


def _decided(body: e.HaltingDecided) -> Line:
    made, figures = body.decision, body.decision.figures
    style, more = _ACTION_STYLE[made.action], f" ({made.policy})"
    if not body.iteration:
        said = made.reason.partition(", because ")[0]  # the ending says why
        return Line(f"{made.action.upper()}: {said}", style, more=more)
    score, red, every = (figures.get(name) for name in ("score", "failing_tests", "open_problems"))
    parts = [f"score {score:.2f}"] if isinstance(score, float) else []
    if isinstance(red, int) and isinstance(every, int):
        parts += [f"{counted(red, 'test')} {'fails' if red == 1 else 'fail'}"] if red else []
        parts += [f"{counted(every - red, 'other problem')}"] if every > red else []
    shown = " · ".join((*parts, decision_line(made)))
    return Line(f"#{body.iteration} {shown}", style, more=f"{more} {shadow_line(made)}".rstrip())


def _of_person(body: e.GateOpened | e.GateAnswered | e.GateExpired | e.CancelRequested) -> Line:
    match body:
        case e.GateOpened():
            return Line(f"waits for a person: {body.gate.question}", "bold magenta")
        case e.GateAnswered():
            return Line(
                f"answered by {body.answer.by} ({body.answer.via}): {answer_text(body.answer)}", "cyan"
            )
        case e.GateExpired():
            return Line(f"no answer in time: {body.choice} is the default answer", "yellow")
        case e.CancelRequested():
            why = f": {body.reason}" if body.reason else ""
            return Line(f"{body.by} cancels the run{why}", "yellow")
        case _:
            assert_never(body)


def _of_requests(body: e.ChangeRequested | e.ChangeReviewed | e.ChangeSettled | e.ReasonsGiven) -> Line:
    match body:
        case e.ChangeRequested():
            wanted = "; ".join(f"{each.path} ({each.reason})" for each in body.requests)
            return Line(f"the maker requests permission to change {wanted}", "magenta")
        case e.ChangeReviewed():
            words = {True: "for it", False: "against it", None: "undecided"}
            said = "; ".join(f"{each.path}: {words[each.grant]}" for each in body.opinions) or "no opinion"
            return Line(f"{body.reviewer} on the request: {said}", "", detail=True)
        case e.ChangeSettled():
            word = "may be changed" if body.granted else "may not be changed"
            why = f": {body.reason}" if body.reason else ""
            return Line(f"{', '.join(body.paths)} {word} ({body.by}{why})", "cyan")
        case e.ReasonsGiven():
            return Line(f"the maker explains {len(body.reasons)} signals", "", detail=True)
        case _:
            assert_never(body)


def answer_text(answer: Answer) -> str:
    """Return one line about an answer."""
    parts = [f"{answer.choice}{f' by `{answer.acceptance}`' if answer.acceptance else ''}"]
    grant = answer.grant
    if grant.iterations:
        parts.append(counted(grant.iterations, "more iteration"))
    if grant.cost_usd:
        parts.append(f"${grant.cost_usd:.2f} more")
    if grant.wall_s:
        parts.append(f"{in_time(grant.wall_s)} more")
    if grant.tokens:
        parts.append(f"{grant.tokens} more tokens")
    if answer.new_approach:
        parts.append("with a new approach")
    if answer.instruction:
        parts.append(f"instruction: {answer.instruction}")
    if answer.reason:
        parts.append(f"because {answer.reason}")
    return ", ".join(parts)


def _of_run(
    body: e.RunStarted | e.RunResumed | e.BaselineMeasured | e.TestsQuarantined | e.Delivered | e.RunFinished,
) -> Line:
    match body:
        case e.RunStarted():
            order = body.order
            maker = ", ".join(order.makers) or "?"
            others = "".join(f"\n  {role}: {name}" for role, name in order.others.items())
            notes = "".join(f"\n  {note}" for note in order.notes)
            told = {name: reason for name, reason in body.checks.items() if reason != "always"}
            checks = "".join(f"\n  {name}: {reason}" for name, reason in told.items())
            head = f"{order.story.title} (maker {maker}, base {order.base[:10]})"
            more = "".join(f"\n  {each}" for each in (f"run: {order.trace_id}", *order.passed_over))
            return Line(f"{head}{others}{checks}{notes}", "bold", more=more)
        case e.RunResumed():
            return Line(
                f"resumed by process {body.process}{f': {body.reason}' if body.reason else ''}", "cyan"
            )
        case e.TestsQuarantined():
            return _quarantined(body)
        case e.BaselineMeasured():
            return Line(f"base{' known' * body.evaluation.tests_kept}: {_summary(body.evaluation)}", "cyan")
        case e.Delivered():
            state = "(verified)" if body.verified else f"({DELIVERED.get(body.ending, NOT_VERIFIED)})"
            branch = f"{body.branch} {'; '.join((state, *body.notes))}"
            return Line(
                f"delivered {body.commit[:10]} to branch {branch}",
                "green" if body.verified else "yellow",
            )
        case e.RunFinished():
            return outcome_line(body.outcome)
        case _:
            assert_never(body)


def _quarantined(body: e.TestsQuarantined) -> Line:
    held = ", ".join(f"{each.test} until {each.until:%Y-%m-%d}" for each in body.quarantine[:_MOST_NAMED])
    more = f" and {len(body.quarantine) - _MOST_NAMED} more" if len(body.quarantine) > _MOST_NAMED else ""
    parts = [f"{held}{more} (failures do not count)"] if held else []
    if ended := ", ".join(each.test for each in body.ended[:_MOST_NAMED]):
        parts.append(f"expired, failures count again: {ended}")
    return Line(f"quarantine: {'; '.join(parts)}", "yellow")


def _of_phase(
    body: e.PhaseEntered | e.PhaseCompleted | e.PhaseApproved | e.PhasePassed | e.ReviewCompleted,
) -> Line:
    match body:
        case e.PhaseEntered():
            number = f" #{body.iteration}" if body.iteration else ""
            return Line(f"{body.phase}{number}", "bold blue")
        case e.PhaseCompleted():
            if body.breakage is not None:
                return Line(f"{body.phase}: skipped, {body.breakage.message}", "yellow")
            first = next((text for text in body.text.splitlines() if text.strip()), "no text")
            return Line(f"{body.phase}: {first}", "", detail=True)
        case e.PhaseApproved():
            return Line(f"{body.phase}: approved", "green", detail=True)
        case e.PhasePassed():
            return Line(f"{body.phase}: passed", "green", detail=True)
        case e.ReviewCompleted():
            verdict = body.verdict
            found = (
                f", {counted(len(verdict.findings), 'finding')} ({len(verdict.blocking)} blocking)"
                if verdict.findings
                else ""
            )
            style = "yellow" if verdict.blocking or verdict.missing else "green"
            missing = f"; review missing: {verdict.missing}" if verdict.missing else ""
            return Line(f"review by {verdict.reviewer}: {verdict.judgement}{found}{missing}", style)
        case _:
            assert_never(body)


def _of_opinion(
    body: e.ReviewAnswered
    | e.FindingDeclined
    | e.AnswerRejected
    | e.CandidateMade
    | e.CandidateMeasured
    | e.CandidateChosen,
) -> Line:
    if isinstance(body, e.CandidateMade | e.CandidateMeasured | e.CandidateChosen):
        return _of_candidates(body)
    if isinstance(body, e.AnswerRejected):
        then = "asked again" if body.asked_again else "no answer"
        return Line(f"{body.agent} gave an invalid answer ({body.label}): {body.reason}; {then}", "yellow")
    if isinstance(body, e.ReviewAnswered):
        verdict = body.verdict
        return Line(f"{verdict.reviewer} says {verdict.judgement}: {verdict.feedback}", "", detail=True)
    return Line(f"the maker declines {body.fingerprint}: {body.reason}", "yellow")


def _of_candidates(body: e.CandidateMade | e.CandidateMeasured | e.CandidateChosen) -> Line:
    match body:
        case e.CandidateMade():
            snapshot, broke = body.snapshot, broken(body.snapshot.attempt)
            change = f"{counted(len(snapshot.files), 'file')}, +{snapshot.insertions} -{snapshot.deletions}"
            text = f"candidate {body.candidate} ({body.agent}), {snapshot.commit[:10]}: {change}{broke}"
            return Line(text, "red" if broke else "")
        case e.CandidateMeasured():
            measured = _measured(body.evaluation)
            return Line(f"candidate {body.candidate}: {measured.text}", measured.style)
        case e.CandidateChosen():
            stand = "".join(f"\n  {_standing(each)}" for each in body.standings)
            return Line(f"{body.reason}{stand}", "bold" if body.candidate else "red")
        case _:
            assert_never(body)


def _standing(each: CandidateResult) -> str:
    cost = amount(each.cost_usd)
    failing = f"not passed: {', '.join(each.failing)}; " if each.failing else ""
    score = "" if each.score is None else f"quality {each.score:.2f}, "
    return (
        f"{each.candidate} {each.agent}: {failing}{each.red} red, {each.blocking} blocking, {score}"
        f"{counted(each.findings, 'finding')}, {counted(each.lines, 'line')}, {cost}"
    )


def _stagnated(body: e.LoopStagnated) -> Line:
    then = "sent one reminder" if body.nudged else "evaluating the current state"
    what = body.call.title or body.call.name
    return Line(
        f"the agent repeats itself: {what}, {body.times} times with the same result; {then}", "yellow"
    )


def _of_loop(
    body: e.PhaseBounce
    | e.LoopRestarted
    | e.DiminishingReturns
    | e.LoopStagnated
    | e.GuardFired
    | e.GuardUnable,
) -> Line:
    match body:
        case e.PhaseBounce():
            count = f"rework {body.bounce}/{body.allowed}" if body.allowed else f"bounce {body.bounce}"
            return Line(f"{count}: {body.source} -> {body.target}: {body.reason}", "yellow")
        case e.LoopRestarted():
            return Line(f"restart from {body.commit[:10]}: {body.reason}", "yellow")
        case e.DiminishingReturns():
            return Line(f"diminishing returns: open problems {' -> '.join(map(str, body.counts))}", "yellow")
        case e.LoopStagnated():
            return _stagnated(body)
        case e.GuardFired(halt=halt):
            breaker = halt.guard == "max_refinement_attempts"
            head = f"🛑 {halt.reason[0].upper()}" if breaker else f"guard {halt.guard}: {halt.reason[0]}"
            return Line(f"{head}{halt.reason[1:]}; hint: {halt.go_on}", "red")
        case e.GuardUnable():
            return Line(f"guard {body.guard} cannot judge this run: {body.reason}", "yellow", detail=True)
        case _:
            assert_never(body)


def _measured(evaluation: Evaluation) -> Line:
    bad = bool(evaluation.failures or evaluation.blocking or evaluation.broken)
    return Line(f"{evaluation.stage}: {_summary(evaluation)}", "red" if bad else "green")


def _of_our_making(evaluation: Evaluation) -> list[str]:
    """Name tests that fail only where they are measured, and what the checks get because of it."""
    more = f" and {len(evaluation.ours) - 1} more" if len(evaluation.ours) > 1 else ""
    told = [f"the checks get {evaluation.carried}"] * bool(evaluation.carried)
    return told + [f"not counted: {each}{more}" for each in evaluation.ours[:1]]


def _summary(evaluation: Evaluation) -> str:
    parts = []
    if evaluation.test_counts:
        parts.append(
            "tests " + ", ".join(f"{count} {name}" for name, count in evaluation.test_counts.items())
        )
    if evaluation.cannot_build:
        parts.append(evaluation.cannot_build)
    if evaluation.failures:
        parts.append(f"{len(evaluation.failures)} to fix")
    parts += [f"{len(evaluation.known_red)} known red"] * bool(evaluation.known_red)
    parts += _of_our_making(evaluation)
    apart = {
        "flaky": evaluation.flaky,
        "of the base contradicted": evaluation.contradicted,
        "in quarantine": evaluation.quarantined,
    }
    parts += [f"{len(tests)} {words}" for words, tests in apart.items() if tests]
    held = sum(bool(each.suppressed) for each in evaluation.findings)
    told = f", {held} suppressed by people" if held else ""
    found = f"{counted(len(evaluation.findings), 'finding')} ({len(evaluation.blocking)} blocking{told})"
    parts += [found] * bool(evaluation.findings)
    parts += [f"coverage {evaluation.coverage.lines:.0%}"] if evaluation.coverage is not None else []
    parts += [f"{each.check} broke: {each.reason}" for each in evaluation.broken]
    parts += checks_in_words(evaluation)
    if evaluation.score_shown is not None:
        marks = evaluation.quality.measured.items()
        told = ", ".join(f"{key.replace('_', ' ')} {at:.2f}" for key, at in marks if not isinstance(at, int))
        parts.append(f"quality {evaluation.score_shown:.2f}{f' ({told})' if told else ''}")
    return "; ".join(parts)
