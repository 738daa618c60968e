"""What each metric means: its written definition, and the two figures of the tallies it is the ratio of."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from setpoint.model.loop_metric import Better, Loop, Unit
from setpoint.model.value import Value


class Measure(Value):
    """One metric as it is defined in `measures.toml`: `total` over `n`, each named `tally.figure`."""

    name: str
    words: str = ""
    """Its name for people; empty for a metric of a plug-in."""
    least: int = 5
    """Sample in each window below which it is not compared."""
    loop: Loop
    unit: Unit
    definition: str
    source: str
    """The design that asks for it: R0 or R3; or own, or the package of a plug-in."""
    total: str = ""
    """Empty where nothing that is recorded today gives it."""
    n: str = ""
    """What is counted in the sample size."""
    less: str = ""
    """What is subtracted, over `less_n`; empty where the metric is one ratio alone."""
    less_n: str = ""
    split: str = ""
    """What the parts are, where there are any."""
    better: Better = ""
    why_null: str
    """Why it is not measured where `n` is 0, or at all where `total` is empty."""


@cache
def measures() -> tuple[Measure, ...]:
    """Return every metric, in the order in which it is shown."""
    text = resources.files("setpoint.history.metrics").joinpath("definitions.toml").read_text("utf-8")
    return tuple(Measure.model_validate(each) for each in tomllib.loads(text)["measure"])
