"""The arguments of each tool; their docstrings become the descriptions that an agent reads."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from setpoint.model.value import Text, Value

_RUN = Field(default="", max_length=200)


class NoArguments(Value):
    """A tool without arguments."""


class CheckArguments(Value):
    """What is measured."""

    whole: bool = False
    """Run every test instead of only those that the change can reach; this takes longer."""
    since: Text = Field(default="", max_length=200)
    """Commit or branch to compare with, as in `main`; empty: what was checked out when the session began."""


class OfArguments(Value):
    """Which measurement is shown."""

    of: Text = _RUN
    """`check`: the last check of this session; `run`: the newest run; or the name of a run or its beginning.

    Empty: the last check of this session if there was one, otherwise the newest run.
    """


class FailureArguments(OfArguments):
    """Which failing test is explained."""

    test: Text = Field(min_length=1, max_length=1000)
    """The test as `check` or `findings` names it, or the end of its name."""


class RecallArguments(Value):
    """What memory is asked."""

    about: Text = Field(min_length=1, max_length=4000)
    """What you are working on, in a sentence or two: files, errors, the request."""


class FeedbackArguments(Value):
    """What is suggested to the person."""

    action: Literal["dismiss", "comment"]
    """`dismiss`: a finding is wrong; `comment`: a line deserves attention."""
    text: Text = Field(min_length=1, max_length=2000)
    """The reason, or the comment."""
    finding: Text = Field(default="", max_length=64)
    """For `dismiss`: the id of the finding or its beginning."""
    place: Text = Field(default="", max_length=1000)
    """For `comment`: FILE:LINE, as in src/a.py:12."""
    run: Text = _RUN
    """The run that it is about, or the beginning of its name; empty: the newest run."""


class StoryArguments(Value):
    """Which story is shown."""

    story: Text = Field(default="", max_length=200)
    """Id or file name of a story; empty: the board with all open stories."""


class StartArguments(Value):
    """What a run is started for."""

    request: Text = Field(min_length=1, max_length=20_000)
    """The request in a sentence, or the id of a story."""


class RunArguments(Value):
    """Which run is shown."""

    run: Text = _RUN
    """The name of a run or its beginning; empty: the newest run."""
