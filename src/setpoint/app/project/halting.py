"""Fit the halting policy that predicts, and put policies in charge of later runs of a project."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from setpoint.app.views.halting import INCUMBENT, by_agent, is_labelled, logged_runs
from setpoint.errors import UsageError
from setpoint.learning.halter_fit import fit
from setpoint.learning.halter_folds import held_out_error, held_out_models
from setpoint.model.halter.deployment import Demotion, GateCondition, Promotion
from setpoint.model.halter.policies import NAMED
from setpoint.model.halter.prediction import HaltingTerms
from setpoint.model.halter.promotion_gate import gate_conditions
from setpoint.model.halter.terms import HALTER, PRIORS
from setpoint.model.halting import Economics, LoggedRun
from setpoint.model.value import Value
from setpoint.wiring.halting import change_book, halting_book
from setpoint.wiring.project import Project, open_project


class Fitted(Value):
    """Weights that were fitted to the runs of one agent, and how well they predict."""

    agent: str
    runs: int
    weights: str
    """Id: a hash of the weights."""
    turns: int
    """Failing turns with a next one; the errors are of these."""
    error_before: float | None = None
    """Mean squared error of the chance that the next turn passes, by the priors; none without such turns."""
    error_held_out: float | None = None
    """The same by weights that were fitted to runs of other tasks."""


class Judged(Value):
    """What a policy showed on the labelled runs of an agent."""

    agent: str
    policy: str
    accepted: bool
    """Whether it met every condition, and so decides from now on."""
    conditions: tuple[GateCondition, ...]


def fit_weights(files: Sequence[Path], where: Path, agent: str = "") -> tuple[Fitted, ...]:
    """Fit `halter-v1` to the runs of each agent, of files or of the project, and keep the weights.

    Raises `UsageError` for an unknown agent, for a log without runs, and where numpy is not installed.
    """
    project = open_project(where)
    return tuple(_fitted(project, runs) for runs in by_agent(logged_runs(files, where), agent).values())


def _fitted(project: Project, runs: Sequence[LoggedRun]) -> Fitted:
    model = fit(runs)
    change_book(project, lambda book: book.with_model(model))
    held = held_out_error(runs, held_out_models(runs))
    return Fitted(
        agent=model.agent,
        runs=model.runs,
        weights=model.id,
        turns=held.turns if held else 0,
        error_before=held.by_priors if held else None,
        error_held_out=held.held_out if held else None,
    )


def promote(
    policy: str, agent: str, files: Sequence[Path], where: Path, economics: Economics | None = None
) -> Judged:
    """Put a policy in charge of an agent's runs where it meets every condition; otherwise nothing changes.

    `agent` names its version and model, as `setpoint lab halting status` lists it. Raises `UsageError` for
    a policy that is unknown or needs no promotion, for an unknown agent, and where numpy is missing.
    """
    names = [each for each in NAMED if each != INCUMBENT]
    if policy not in names:
        raise UsageError(f"no halting policy '{policy}' can be promoted", hint=f"one of {', '.join(names)}")
    project, worth = open_project(where), economics or Economics()
    found = by_agent(logged_runs(files, where), agent)[agent]
    known = [each for each in found if is_labelled(each)]
    longest = max((len(each.turns) for each in known), default=1)
    terms = HaltingTerms(economics=worth, max_turns=longest, budget_usd=0, may_restart=False)
    models = held_out_models(known) if policy == HALTER else [PRIORS] * len(known)
    policies = [NAMED[policy](terms.model_copy(update={"model": model})) for model in models]
    conditions = gate_conditions(known, policies, NAMED[INCUMBENT](terms), worth)
    judged = Judged(
        agent=agent, policy=policy, accepted=all(each.met for each in conditions), conditions=conditions
    )
    if judged.accepted:
        promotion = Promotion(
            agent=agent,
            policy=policy,
            model=fit(found) if policy == HALTER else halting_book(project).model_for(agent),
            economics=worth,
            runs=len(known),
            conditions=conditions,
            since=datetime.now(UTC),
        )
        change_book(project, lambda book: book.with_promotion(promotion))
    return judged


def demote(agent: str, where: Path) -> Demotion:
    """Let `rules-v1` decide in an agent's runs; `UsageError` where no policy was promoted for it."""
    project = open_project(where)
    book = halting_book(project)
    promotion = book.promotions.get(agent)
    if promotion is None:
        listed = ", ".join(f"'{each}'" for each in book.promotions) or "none"
        raise UsageError(
            f"no halting policy is promoted for the agent '{agent}'", hint=f"agents with one: {listed}"
        )
    ended = Demotion(
        agent=agent, policy=promotion.policy, reason="a person ended it", since=datetime.now(UTC)
    )
    change_book(project, lambda kept: kept.with_demotion(ended))
    return ended
