"""What each metric means: its written definition, and the two figures of the tallies it is the ratio of."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Literal

from setpoint.model.value import Value


class Loop(StrEnum):
    """The loop whose health a metric tells."""

    INNER = "inner"
    """An agent and its tools."""
    PHASE = "phase"
    """Making, measuring, reviewing, bouncing."""
    RUN = "run"
    """What is learned from runs."""
    HUMAN = "human"
    """What people answer."""
    ACROSS = "across"
    """From run to run."""


class Measure(Value):
    """One metric as it is defined in `measures.toml`: `total` over `n`, each named `tally.figure`."""

    name: str
    loop: Loop
    unit: Literal["share", "USD", "s", "per run", "score"]
    """share: 0 to 1; score: a quality or Brier score, 0 to 1; s: seconds."""
    definition: str
    source: Literal["R0", "R3", "own"]
    """The design that asks for it."""
    total: str = ""
    """Empty where nothing that is recorded today gives it."""
    n: str = ""
    """What is counted in the sample size."""
    less: str = ""
    """What is subtracted, over `less_n`; empty where the metric is one ratio alone."""
    less_n: str = ""
    split: str = ""
    """What the parts are, where there are any."""
    better: Literal["higher", "lower", ""] = ""
    why_null: str
    """Why it is not measured where `n` is 0, or at all where `total` is empty."""


@cache
def measures() -> tuple[Measure, ...]:
    """Return every metric, in the order in which it is shown."""
    text = resources.files("setpoint.history.metrics").joinpath("definitions.toml").read_text("utf-8")
    return tuple(Measure.model_validate(each) for each in tomllib.loads(text)["measure"])
