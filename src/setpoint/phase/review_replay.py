"""Ask a reviewer about a tree that was reviewed before, with all that was known of it then."""

from __future__ import annotations

from setpoint.model.pipeline import Phase, PhaseKind, Pipeline
from setpoint.model.run import Round
from setpoint.phase.review import Opinion, ask_reviewer
from setpoint.phase.verification import submission
from setpoint.ports import Agent
from setpoint.runs.context import RunContext


async def ask_again(
    run: RunContext, rounds: tuple[Round, ...], texts: dict[str, str], kind: str, agent: Agent
) -> Opinion:
    """Ask an agent for a review of the last round, as a reviewer of this kind.

    `run` holds the events up to that review; `rounds` are those before it and the one that is judged.
    """
    change = await submission(run, review_phase(run.order.pipeline, kind), rounds, texts)
    return await ask_reviewer(run, change, kind, agent, f"{change.key}:{kind}")


def review_phase(pipeline: Pipeline, kind: str) -> Phase:
    """Return the phase of a pipeline that asks for this kind of review, for this kind alone."""
    phases = [each for each in pipeline.behind_making() if each.kind is PhaseKind.REVIEW]
    phase = next((each for each in phases if kind in each.reviews), phases[0])
    return phase.model_copy(update={"reviews": (kind,)})
