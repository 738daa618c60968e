"""What outcomes are worth to the person, and how a promoted halting policy is brought into runs."""

from __future__ import annotations

from pydantic import Field

from setpoint.model.halting_worth import HaltingWorth


class HaltingSettings(HaltingWorth):
    """What outcomes are worth, where a promoted policy decides, and which runs take an iteration more."""

    canary_share: float = Field(default=0.2, ge=0, le=1)
    """Share of the runs of its agent on which a policy decides that was just promoted; by name of the run."""
    canary_runs: int = Field(default=20, ge=1)
    """Runs it decides in without a sign of harm before it decides in all of them."""
    shadow_continue: float = Field(default=0.0, ge=0, le=1)
    """Share of the runs that take one more iteration where a lack of progress would stop them; 0: none."""

    @property
    def worth(self) -> HaltingWorth:
        """Return what outcomes are worth, as a run is ordered with it."""
        return HaltingWorth(
            worth_usd=self.worth_usd, wrong_usd=self.wrong_usd, question_usd=self.question_usd
        )
