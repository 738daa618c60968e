"""Events about hidden tests: they were written, and their author answered for those that fail."""

from __future__ import annotations

from typing import Literal

from setpoint.model.attempt import Usage
from setpoint.model.proof import AnsweredTest, HiddenTest
from setpoint.model.value import Text, Value


class HiddenTestsWritten(Value):
    """A test designer wrote tests from the request alone, and Setpoint measured them at the base."""

    __test__ = False

    kind: Literal["tests.hidden", "tests.sealed"] = "tests.hidden"
    design: int
    """1 for the first design, 2 where it was asked once more; 0 for the tests of a person."""
    agent: str
    """Who wrote them; empty for a person."""
    kept: tuple[HiddenTest, ...] = ()
    """Tests that fail at the base for the lack of the work; the maker never sees them."""
    dropped: tuple[Text, ...] = ()
    """Why others prove nothing, or why there are none."""
    answered: bool = True
    """Whether the designer gave an answer that could be read."""
    usage: Usage = Usage()


class HiddenTestsAnswered(Value):
    """The author of hidden tests that fail for the second time said whether they ask for too much."""

    kind: Literal["tests.answered"] = "tests.answered"
    iteration: int
    agent: str
    tests: tuple[AnsweredTest, ...]
    usage: Usage = Usage()
