"""The terms of the four predictions of `halter-v1`, with what is believed of each before any run is seen."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from pydantic import Field, model_validator

from setpoint.model.value import Text, Value

HALTER = "halter-v1"
"""Name and version of the policy that predicts."""


class Term(NamedTuple):
    """One term of a logistic regression: its weight is log-odds for each unit."""

    words: str
    """What it looks at."""
    mean: float
    """Its weight where no run of the agent was seen."""
    sd: float
    """How far runs may move it: the standard deviation of its Gaussian prior."""


_STATE = (
    Term("every failing turn", 0.9, 0.8),
    Term("turns so far", -0.35, 0.5),
    Term("open problems", -0.7, 0.5),
    Term("not the first turn", 0.0, 0.5),
    Term("how fast the problems fall", 0.5, 0.6),
    Term("the same problems again", -0.9, 0.6),
    Term("the same problems in several turns", -0.35, 0.4),
    Term("worse than the best turn", -0.3, 0.6),
    Term("problems that rise and fall", -0.2, 0.4),
    Term("every gate passed earlier", 0.3, 0.6),
    Term("security findings", -0.1, 0.6),
    Term("review findings", 0.1, 0.6),
    Term("turns until the problems are gone at this rate", -0.45, 0.4),
)
HAZARD = (
    *_STATE,
    Term("how far ahead the turn is", -0.3, 0.3),
    Term("open problems, further ahead", 0.2, 0.3),
    Term("the same problems again, further ahead", 0.2, 0.4),
    Term("how fast the problems fall, further ahead", 0.1, 0.4),
    Term("worse than the best turn, further ahead", 0.1, 0.4),
    Term("the turn at which the problems would be gone", 0.5, 0.5),
    Term("turns until the problems are gone, further ahead", 0.1, 0.3),
)
"""That a turn ahead is the first to pass every gate, from a failing one."""
RESTART = (
    Term("every restart", -0.6, 0.8),
    Term("restarts so far", -0.3, 0.5),
    Term("open problems at the first try", -0.5, 0.4),
    Term("the same problems again in this chain", 0.2, 0.5),
    Term("fewest open problems so far", -0.1, 0.3),
    Term("turns so far", -0.2, 0.4),
    Term("the first turn of the new chain", 0.2, 0.5),
    Term("how far ahead the turn is", -0.3, 0.4),
)
"""The same for the turns of a fresh chain."""
VERIFIED = (
    Term("every turn that passes", 1.5, 0.7),
    Term("it passed twice in a row", 0.6, 0.5),
    Term("it passed three times in a row", 0.3, 0.4),
    Term("turns it took", -0.35, 0.4),
    Term("fewer tests passed than in a turn before", -0.25, 0.3),
    Term("passes that were lost again", -0.4, 0.4),
    Term("quality score", 0.15, 0.3),
    Term("open problems at the first try", -0.1, 0.3),
)
"""That hidden tests pass too, where every gate passes."""
CONFIRMED = tuple(
    term._replace(mean=mean)
    for term, mean in zip(VERIFIED, (1.3, 0.5, 0.2, -0.1, -0.3, -0.4, 0.1, -0.1), strict=True)
)
"""That every gate passes again, where every gate passes."""


def _means(terms: tuple[Term, ...]) -> tuple[float, ...]:
    return tuple(term.mean for term in terms)


class HalterModel(Value):
    """The weights of the four predictions for one agent and version of its model; by default the priors."""

    agent: Text = ""
    """Agent and version of its model; empty for the priors, which are of none."""
    runs: int = Field(default=0, ge=0)
    """Runs it was fitted to."""
    hazard: tuple[float, ...] = _means(HAZARD)
    """Weights of the chance to pass so many turns ahead, in the order of their terms."""
    restart: tuple[float, ...] = _means(RESTART)
    """Weights of the same chance in a fresh chain."""
    verified: tuple[float, ...] = _means(VERIFIED)
    """Weights of the chance that what passes every gate is right."""
    confirmed: tuple[float, ...] = _means(CONFIRMED)
    """Weights of the chance that what passes every gate passes again."""
    turn_cost_usd: float = Field(default=0.45, ge=0)
    """Of the first turn of a chain, in US dollars; each later one costs 15 % of it more."""

    @property
    def id(self) -> str:
        """Name the weights by a hash of their content; empty for the priors."""
        return sha256(self.model_dump_json().encode()).hexdigest()[:12] if self.agent else ""

    @model_validator(mode="after")
    def _a_weight_for_each_term(self) -> HalterModel:
        for name, terms in (
            ("hazard", HAZARD),
            ("restart", RESTART),
            ("verified", VERIFIED),
            ("confirmed", CONFIRMED),
        ):
            if len(getattr(self, name)) != len(terms):
                raise ValueError(f"{name}: {len(getattr(self, name))} weights for {len(terms)} terms")
        return self


PRIORS = HalterModel()
"""What is believed where no run of an agent was seen."""
