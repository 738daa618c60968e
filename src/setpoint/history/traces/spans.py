"""A run's events as spans: run, iterations, phases, and in them agents, tools, models, checks and questions.

Names follow OpenTelemetry's semantic conventions for generative AI as of `SCHEMA_URL`; what they have no name
for is under `setpoint.`. No text of an agent, a tool, a story or a person is sent, nor a message of an
error, which may quote them: names, figures and outcomes alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import singledispatchmethod

from setpoint.history.replay import history
from setpoint.history.traces.span_tree import SpanTree
from setpoint.model import events as e
from setpoint.model.attempt import Breakage, Usage
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import CheckState
from setpoint.model.reports.span import Attribute, Note, Span
from setpoint.model.value import Instant
from setpoint.model.verdict import Judgement

SCHEMA_URL = "https://opentelemetry.io/schemas/1.44.0"
"""The version of the conventions by which everything here is named."""
_PROVIDERS = {"openai-chat": "openai", "openai-responses": "openai", "gemini": "gcp.gemini"}
_BAD = (
    Ending.SELF_TESTED,
    Ending.UNPROVEN,
    Ending.UNPROVABLE,
    Ending.STOPPED,
    Ending.ESCALATED,
    Ending.BROKEN_AGENT,
)
_REFUSED = 400
"""The lowest HTTP status that reports a failure."""
_RUN = "run"
_LOST = "lost"


def spans(events: Sequence[e.Event]) -> tuple[Span, ...]:
    """Tell a run as spans, parents first; one that is under way ends with its newest event.

    Raises `RecordedDataError` where the events do not begin with `run.started`.
    """
    told = history(events)
    trace = _Trace(events)
    for event in events:
        trace.take(event)
    trace.tree.set(
        _RUN,
        {
            "setpoint.run.cost_usd": float(told.account.cost_usd),
            "setpoint.run.cost_known": told.account.known,
            "setpoint.run.tokens": told.account.tokens,
            "setpoint.run.active_s": told.active_s,
        },
    )
    return trace.tree.closed(told.last_at)


class _Trace:
    """Follows a run and opens and closes spans as it goes."""

    def __init__(self, events: Sequence[e.Event]) -> None:
        self.tree = SpanTree()
        self._iteration = ""
        self._phase = ""
        self._agents: dict[str, str] = {}
        self._began = events[0].at
        started = events[0].body
        assert isinstance(started, e.RunStarted)  # noqa: S101 - `history` has refused everything else
        self._order = order = started.order
        name = order.pipeline.name
        attributes: dict[str, Attribute] = {
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.workflow.name": name,
            "gen_ai.conversation.id": order.trace_id,
            "setpoint.run.id": order.trace_id,
            "setpoint.story.id": order.story.id,
            "setpoint.agents": tuple(f"{role}={agent}" for role, agent in order.agents.items()),
            "setpoint.base": order.base,
        }
        self.tree.open(_RUN, None, f"invoke_workflow {name}", self._began, attributes)

    def take(self, event: e.Event) -> None:
        """Add the next event; events after the end of a run change nothing."""
        if self.tree.over(_RUN):
            return
        number = getattr(event.body, "iteration", 0)
        if number:
            self._in_iteration(number, event.at)
        self._take(event.body, event.at)

    def _in_iteration(self, number: int, at: Instant) -> None:
        path = f"iteration-{number}"
        if path != self._iteration:
            self._leave_phase(at)
            self._leave_iteration()
            self._iteration = path
            self.tree.open(path, _RUN, "iteration", at, {"setpoint.iteration": number})
        self.tree.reach(path, at)

    def _leave_phase(self, at: Instant) -> None:
        if self._phase:
            self.tree.close(self._phase, at)
        self._phase = ""

    def _leave_iteration(self) -> None:
        if self._iteration:
            self.tree.end(self._iteration)

    @property
    def _here(self) -> str:
        return self._phase or self._iteration or _RUN

    def _note(self, name: str, at: Instant, attributes: dict[str, Attribute]) -> None:
        self.tree.note(self._iteration or _RUN, Note(name=name, at=at, attributes=attributes))

    @singledispatchmethod
    def _take(self, body: e.Body, at: Instant) -> None:
        """Leave out events that change no span."""

    @_take.register
    def _(self, body: e.PhaseEntered, at: Instant) -> None:
        self._leave_phase(at)
        if body.iteration == 0:
            self._iteration = ""
        path = self.tree.free(f"{self._iteration or _RUN}/{body.phase}")
        attributes: dict[str, Attribute] = {"setpoint.phase": body.phase}
        self.tree.open(path, self._iteration or _RUN, f"phase {body.phase}", at, attributes)
        self._phase = path

    @_take.register
    def _(self, body: e.PhaseCompleted, at: Instant) -> None:
        role = next((phase.role for phase in self._order.pipeline.phases if phase.name == body.phase), None)
        agent = self._order.agents.get(str(role), "rules")
        self._spoke(agent, at, body.usage, str(body.breakage.kind) if body.breakage else None)
        self._leave_phase(at)

    @_take.register
    def _(self, body: e.HiddenTestsWritten | e.HiddenTestsAnswered, at: Instant) -> None:
        if body.agent:  # beside the maker, so no phase begins or ends here
            self._spoke(body.agent, at, body.usage, None)

    @_take.register
    def _(self, body: e.ReviewAnswered, at: Instant) -> None:
        failed = "the reviewer broke" if body.verdict.judgement is Judgement.FAILED else None
        self._spoke(body.verdict.reviewer, at, body.usage, failed)

    @_take.register
    def _(self, body: e.ReviewCompleted, at: Instant) -> None:
        failed = "the reviewer broke" if body.verdict.judgement is Judgement.FAILED else None
        if not self.tree.has_children(self._here):
            self._spoke(body.verdict.reviewer, at, body.usage, failed)
        told: dict[str, Attribute] = {
            "setpoint.review.judgement": str(body.verdict.judgement),
            "setpoint.review.findings": len(body.verdict.findings),
            "setpoint.review.blocking": len(body.verdict.blocking),
        }
        self.tree.set(self._here, told)

    def _spoke(self, agent: str, at: Instant, usage: Usage, failed: str | None) -> None:
        """Add the span of an agent that worked for the whole phase: no event records its begin."""
        path = self.tree.free(f"{self._here}/{agent}")
        began = self.tree.began(self._here)
        self.tree.open(path, self._here, f"invoke_agent {agent}", began, _agent(agent, usage))
        self.tree.close(path, at, failed)

    @_take.register
    def _(self, body: e.AgentStarted, at: Instant) -> None:
        if body.label in self._agents:
            self.tree.close(self._agents[body.label], at, _LOST, {"error.type": _LOST})
        path = self.tree.free(f"{self._here}/{body.label}")
        told: dict[str, Attribute] = {
            **_agent(body.agent, Usage()),
            "setpoint.attempt.label": body.label,
            "setpoint.attempt.number": body.attempt,
            "setpoint.attempt.mode": str(body.mode),
        }
        self.tree.open(path, self._here, f"invoke_agent {body.agent}", at, told)
        self._agents[body.label] = path

    @_take.register
    def _(self, body: e.AgentFinished | e.CandidateMade, at: Instant) -> None:
        path, attempt = self._agents.pop(body.snapshot.label, ""), body.snapshot.attempt
        if not path or attempt is None:
            return
        told: dict[str, Attribute] = {
            **_agent(attempt.agent, attempt.usage),
            "setpoint.attempt.stop": str(attempt.stop),
            "setpoint.attempt.tool_calls": attempt.tool_calls,
            "setpoint.attempt.files": len(body.snapshot.files),
        }
        if attempt.version:
            told["gen_ai.agent.version"] = attempt.version
        broke: Breakage | None = attempt.breakage
        if broke is not None:
            told["error.type"] = str(broke.kind)
        self.tree.close(path, at, str(broke.kind) if broke else None, told)

    @_take.register
    def _(self, body: e.ToolExecuted, at: Instant) -> None:
        parent, call = self._agents.get(body.label, self._here), body.call
        path = self.tree.free(f"{parent}/{call.name}")
        began = at - timedelta(seconds=call.duration_s or 0.0)
        told: dict[str, Attribute] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.call.id": call.id,
            "setpoint.tool.kind": call.kind,
        }
        if call.ok is not None:
            told["setpoint.tool.ok"] = call.ok
        self.tree.open(path, parent, f"execute_tool {call.name}", began, told)
        self.tree.close(path, at, "the tool failed" if call.ok is False else None)

    @_take.register
    def _(self, body: e.ModelCalled, at: Instant) -> None:
        parent, call = self._agents.get(body.label, self._here), body.call
        model = call.model or "unknown"
        path = self.tree.free(f"{parent}/{model}")
        told: dict[str, Attribute] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": _PROVIDERS.get(call.api, call.api),
            **_tokens(Usage.model_validate({**call.model_dump(include=set(Usage.model_fields))})),
        }
        if call.status:
            told["http.response.status_code"] = call.status
        bad = "no whole answer" if call.fault else "" if call.status < _REFUSED else f"status {call.status}"
        if bad:
            told["error.type"] = str(call.status or "no_answer")
        began = at - timedelta(seconds=call.duration_s)
        self.tree.open(path, parent, f"chat {model}", began, told, client=True)
        self.tree.close(path, at, bad or None)

    @_take.register
    def _(self, body: e.BaselineMeasured, at: Instant) -> None:
        self._measured(body.evaluation, at)

    @_take.register
    def _(self, body: e.IterationEvaluated, at: Instant) -> None:
        self._measured(body.evaluation, at)

    def _measured(self, evaluation: Evaluation, at: Instant) -> None:
        path = self.tree.free(f"{self._here}/evaluate-{evaluation.stage}")
        # What was taken from a cache was run at another time, so it has no span.
        ran = [each for each in evaluation.evidence if not each.cached and each.argv]
        begins = [each.started_at for each in ran if self._began <= each.started_at <= at]
        told: dict[str, Attribute] = {
            "setpoint.evaluation.stage": str(evaluation.stage),
            "setpoint.evaluation.tree": evaluation.tree,
            "setpoint.evaluation.failures": len(evaluation.failures),
            "setpoint.evaluation.blocking": len(evaluation.blocking),
            "setpoint.evaluation.cached": sum(each.cached for each in evaluation.evidence),
        }
        self.tree.open(path, self._here, f"evaluate {evaluation.stage}", min(begins, default=at), told)
        for each in ran:
            check = self.tree.free(f"{path}/{each.check}")
            began = min(max(each.started_at, self._began), at)
            known: dict[str, Attribute] = {
                "setpoint.check.name": each.check,
                "setpoint.check.state": str(each.state),
                "setpoint.check.tool": each.tool,
                "setpoint.evidence.id": each.id,
            }
            if each.exit_code is not None:
                known["process.exit.code"] = each.exit_code
            self.tree.open(check, path, f"check {each.check}", began, known)
            broke = "the tool broke" if each.state is CheckState.ERROR else None
            self.tree.close(check, min(began + timedelta(seconds=each.duration_s), at), broke)
        if evaluation.score is not None:
            result: dict[str, Attribute] = {
                "gen_ai.evaluation.name": "quality",
                "gen_ai.evaluation.score.value": evaluation.score,
            }
            self.tree.note(path, Note(name="gen_ai.evaluation.result", at=at, attributes=result))
        self.tree.close(path, at)

    @_take.register
    def _(self, body: e.HaltingDecided, at: Instant) -> None:
        self._leave_phase(at)
        decision = body.decision
        figures = {name: value for name, value in decision.figures.items() if isinstance(value, int | float)}
        told: dict[str, Attribute] = {
            "setpoint.halting.policy": decision.policy,
            "setpoint.halting.action": str(decision.action),
            **{f"setpoint.halting.figure.{name}": value for name, value in figures.items()},
        }
        self._note("setpoint.halting.decided", at, told)
        for gate in body.gates:
            result: dict[str, Attribute] = {
                "gen_ai.evaluation.name": f"gate {gate.name}",
                "gen_ai.evaluation.score.label": str(gate.state),
                "gen_ai.evaluation.score.value": float(gate.passed),
            }
            self._note("gen_ai.evaluation.result", at, result)

    @_take.register
    def _(self, body: e.PhaseBounce, at: Instant) -> None:
        told: dict[str, Attribute] = {
            "setpoint.bounce.source": body.source,
            "setpoint.bounce.target": body.target,
            "setpoint.bounce.number": body.bounce,
        }
        self._note("setpoint.bounce", at, told)

    @_take.register
    def _(self, body: e.GuardFired, at: Instant) -> None:
        self._note("setpoint.guard_fired", at, {"setpoint.guard": body.halt.guard})

    @_take.register
    def _(self, body: e.GateOpened, at: Instant) -> None:
        self._leave_phase(at)
        path, kind = f"gate-{body.gate.id}", body.gate.kind
        self.tree.open(path, _RUN, f"wait {kind}", at, {"setpoint.gate.id": body.gate.id})

    @_take.register
    def _(self, body: e.GateAnswered, at: Instant) -> None:
        path = f"gate-{body.gate}"
        if self.tree.knows(path):
            answer = body.answer
            told: dict[str, Attribute] = {
                "setpoint.gate.choice": str(answer.choice),
                "setpoint.gate.via": str(answer.via),
            }
            self.tree.close(path, at, None, told)

    @_take.register
    def _(self, body: e.RunFinished, at: Instant) -> None:
        self._leave_phase(at)
        self._leave_iteration()
        outcome = body.outcome
        told: dict[str, Attribute] = {
            "setpoint.run.ending": str(outcome.ending),
            "setpoint.run.verified": outcome.ending is Ending.VERIFIED,
            "setpoint.run.iterations": outcome.iterations,
            "setpoint.run.bounces": outcome.bounces,
            "setpoint.branch": outcome.branch,
        }
        if outcome.score is not None:
            told["setpoint.run.score"] = outcome.score
        if outcome.halt is not None:
            told["setpoint.guard"] = outcome.halt.guard
        self.tree.close(_RUN, at, str(outcome.ending) if outcome.ending in _BAD else None, told)


def _agent(name: str, usage: Usage) -> dict[str, Attribute]:
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, **_tokens(usage)}


def _tokens(usage: Usage) -> dict[str, Attribute]:
    figures = {
        "gen_ai.request.model": usage.model or None,
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
        "setpoint.cost_usd": None if usage.cost_usd is None else float(usage.cost_usd),
        "setpoint.cost_by": usage.priced_by or None,
    }
    return {name: value for name, value in figures.items() if value is not None}
