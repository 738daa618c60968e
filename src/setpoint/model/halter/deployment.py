"""Which fitted weights and which halting policies a project uses for which agent."""

from __future__ import annotations

from hashlib import sha256

from setpoint.model.config.halting import HaltingSettings
from setpoint.model.halter.terms import PRIORS, HalterModel
from setpoint.model.halting import Economics
from setpoint.model.value import Instant, Text, Value


class GateCondition(Value):
    """One condition of a promotion, with its figure."""

    name: str
    figure: str
    """What was measured, and what is asked for, in words."""
    met: bool


class Promotion(Value):
    """A halting policy that decides in the place of `rules-v1` for one agent and version of its model."""

    agent: Text
    policy: str
    model: HalterModel = PRIORS
    """Weights that it was accepted with, and that drift is measured by; the priors where none were fitted."""
    economics: Economics = Economics()
    """What it was accepted with."""
    runs: int
    """Labelled runs on which it was accepted."""
    conditions: tuple[GateCondition, ...] = ()
    since: Instant


class Demotion(Value):
    """The end of a promotion."""

    agent: Text
    policy: str
    reason: str
    since: Instant


class HaltingBook(Value):
    """What a project keeps about halting between its runs."""

    models: dict[str, HalterModel] = {}
    """Newest weights of `halter-v1` by agent with its version and model."""
    promotions: dict[str, Promotion] = {}
    """Policies that decide, by agent with its version and model."""
    demotions: dict[str, Demotion] = {}
    """Newest promotion that ended, by agent with its version and model."""

    def model_for(self, agent: str) -> HalterModel:
        """Return the weights for an agent; the priors where none were fitted to its runs."""
        return self.models.get(agent, PRIORS)

    def with_model(self, model: HalterModel) -> HaltingBook:
        """Return the book with these weights in place of older ones of the same agent."""
        return self.model_copy(update={"models": {**self.models, model.agent: model}})

    def with_promotion(self, promotion: Promotion) -> HaltingBook:
        """Return the book with this policy in charge of its agent's runs."""
        return self.model_copy(update={"promotions": {**self.promotions, promotion.agent: promotion}})

    def with_demotion(self, demotion: Demotion) -> HaltingBook:
        """Return the book with `rules-v1` in charge of the agent's runs."""
        left = {agent: each for agent, each in self.promotions.items() if agent != demotion.agent}
        ended = {**self.demotions, demotion.agent: demotion}
        return self.model_copy(update={"promotions": left, "demotions": ended})


class ActiveHalting(Value):
    """What a run that begins or resumes needs to know about halting."""

    book: HaltingBook = HaltingBook()
    settings: HaltingSettings = HaltingSettings()
    canaries: tuple[Text, ...] = ()
    """Agents whose promoted policy decides on a share of the runs alone."""
    notices: dict[str, str] = {}
    """By agent, why its promotion has just ended."""


def drawn(purpose: str, run: str, share: float) -> bool:
    """Whether a run belongs to a share of all runs: by its name, so that it does after a crash too."""
    return int(sha256(f"{purpose}:{run}".encode()).hexdigest()[:8], 16) < share * 2**32
