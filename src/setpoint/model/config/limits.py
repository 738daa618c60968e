"""Bounds of a run, and of the board."""

from __future__ import annotations

import re
from datetime import time
from decimal import Decimal

from pydantic import Field, field_validator

from setpoint.model.value import Usd, Value

_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


class Limits(Value):
    """Every bound of a run; names and defaults are those of the settings."""

    max_iterations: int = Field(default=7, ge=1, le=10)
    """Full passes from making to testing."""
    max_review_bounces: int | None = Field(default=None, ge=1)
    """Bounces from review; none means as many as iterations."""
    max_test_bounces: int | None = Field(default=None, ge=1)
    """Bounces from testing; none means as many as iterations."""
    max_refinement_attempts: int | None = Field(default=None, ge=1, le=10)
    """Circuit breaker over all bounces of a story; none means as many as iterations."""
    freeze_reviews_after: int | None = Field(default=2, ge=1)
    """Reviews after which a reviewer is reminded that smaller things are recorded and send nothing back."""
    max_rounds_without_gain: int = Field(default=3, ge=0)
    """Rounds in a row in which no test gets nearer to green and nothing else gets better; 0: no limit."""
    max_rounds_worse: int = Field(default=2, ge=0)
    """Rounds in a row with more failing tests than the round before; 0: no limit."""
    max_same_review_issue: int = Field(default=3, ge=2)
    """The same blocking review finding in this many rounds in a row."""
    max_same_test_failure: int = Field(default=3, ge=2)
    """The same test failing in the same way in this many rounds in a row, whatever the numbers it shows."""
    repeated_findings: int = Field(default=2, ge=1)
    """The same set of problems again in this many rounds in a row: restart once, then escalate."""
    restart_on_repeat: bool = True
    """Whether repeated findings restart once from the best state; otherwise they stop the run at once."""
    max_empty_diffs: int = Field(default=2, ge=1)
    """Rounds in a row without a change, with the same change as before, or back in an earlier state."""
    stagnation: bool = False
    """R0's variance and non-increasing rules; off, as measured to stop good runs."""
    minimum_quality: float | None = Field(default=None, ge=0, le=1)
    """R0's quality floor after three rounds; none switches it off."""
    max_cost_usd: Usd = Field(default=Decimal(5), ge=0)
    """US dollars over all agents of the run; 0 for no limit."""
    max_wall_s: float = Field(default=1800.0, gt=0)
    """Seconds from the start of the run."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Tokens of all agents of the run, in and out, as far as they tell; none for no limit."""
    enough_left: bool = True
    """Stop when what is left of money or time would not pay for a round as cheap as the cheapest so far."""
    deadline_s: float | None = Field(default=None, gt=0)
    """Seconds from the start of the run by the clock, waiting for a person included; none for no deadline."""
    diminishing_returns: bool = False
    """R3's rule: no fewer problems after two bounces ask a person; off: the maker is told to think anew."""
    max_same_tool_call: int = Field(default=3, ge=2)
    """The same tool call with the same result this often in a row: the turn is ended, once with a nudge."""
    max_agent_breakages: int = Field(default=3, ge=1)
    """Tries of one attempt before the agent counts as broken."""
    max_limit_wait_s: float = Field(default=3600.0, ge=0)
    """Seconds to wait in one attempt for limits, overload and lost connections; not counted as work."""
    max_person_wait_s: float = Field(default=600.0, ge=0)
    """Seconds to wait for the person at the terminal when an agent asks something or has to be logged in."""


class AccountLimits(Value):
    """What the account of an agent allows, over all workers: limits of a key that they share."""

    at_once: int | None = Field(default=None, ge=1)
    """Stories at once."""
    starts_per_hour: int | None = Field(default=None, ge=1)
    """Stories that begin within an hour."""


class BoardLimits(Value):
    """How `setpoint work` and `setpoint run --auto` work through the board.

    Limits of stories, money and time are of one shift: the hours of one day, or one call of `run --auto`.
    """

    jobs: int = Field(default=1, ge=1, le=64)
    """Stories at once, each in a work copy and a process of its own."""
    all_jobs: int | None = Field(default=None, ge=1)
    """Stories at once over all workers, where several machines share a `database`; none for no limit."""
    hours: str = ""
    """When `setpoint work` begins runs, in local time, for example `22:00-07:00`; empty: at any time."""
    land: str = ""
    """Branch on which workers land what was delivered, each measured as it is merged; empty: none does."""
    land_push: bool = False
    """Whether that branch is pushed to `forge.remote` after each story; never by force."""
    drain_s: float = Field(default=300.0, ge=0)
    """Seconds that runs have to end once `setpoint work` is to stop; the next one resumes the others."""
    max_stories: int | None = Field(default=None, ge=1)
    """Stories taken up at most in a shift; none for no limit."""
    max_cost_usd: Usd = Field(default=Decimal(0), ge=0)
    """US dollars over all stories of a shift after which no more are taken up; 0 for no limit."""
    max_wall_s: float | None = Field(default=None, gt=0)
    """Seconds from the first story of a shift after which no more are taken up; none for no limit."""
    stop_for_person: bool = False
    """Whether no more stories are taken up once one of them needs a person."""
    accounts: dict[str, AccountLimits] = {}
    """Limits by agent, where several machines share a `database`: `[board.accounts.claude] at_once = 4`."""
    labels: tuple[str, ...] = ()
    """What else this machine can do, for stories that ask for it by `worker`, such as `gpu`."""
    lease_s: float = Field(default=30.0, ge=1)
    """Seconds without a sign of life after which a run is taken over by another machine, where several
    share a `database`.
    """

    @field_validator("hours")
    @classmethod
    def _is_a_window(cls, hours: str) -> str:
        begin, _, end = hours.replace(" ", "").partition("-")
        if hours and not (_CLOCK.fullmatch(begin) and _CLOCK.fullmatch(end) and begin != end):
            raise ValueError(f"'{hours}' is not a window of hours; for example 22:00-07:00")
        return hours and f"{begin}-{end}"

    @property
    def window(self) -> tuple[time, time] | None:
        """When the hours begin and end; none where there are no hours."""
        begin, _, end = self.hours.partition("-")
        return (time.fromisoformat(begin), time.fromisoformat(end)) if self.hours else None
