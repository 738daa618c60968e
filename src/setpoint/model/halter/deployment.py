"""Which fitted weights and which halting policies a project uses for which agent."""

from __future__ import annotations

from setpoint.model.halter.terms import PRIORS, HalterModel
from setpoint.model.value import Value


class HaltingBook(Value):
    """What a project keeps about halting between its runs."""

    models: dict[str, HalterModel] = {}
    """Newest weights of `halter-v1` by agent with its version and model."""

    def model_for(self, agent: str) -> HalterModel:
        """Return the weights for an agent; the priors where none were fitted to its runs."""
        return self.models.get(agent, PRIORS)

    def with_model(self, model: HalterModel) -> HaltingBook:
        """Return the book with these weights in place of older ones of the same agent."""
        return self.model_copy(update={"models": {**self.models, model.agent: model}})
