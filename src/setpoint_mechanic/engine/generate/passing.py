"""Whether the test of a case would pass where something else came of it, as of a changed program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from setpoint_probe.foreign_code import attempt

from .given.fixtures import FOLDER
from .trial import Outcome

_EQUALS, _IS = " == ", " is "


def would_pass(test: Outcome, came: Outcome, names: Mapping[str, Any]) -> bool:
    """Ask the assertions of a test about what came of its case.

    Values that are told by other words may be equal, as dictionaries in another order are; and what else
    came of the case, as a change of an argument of which the test says nothing, no test notices.
    """
    if test.told == came.told:
        return True
    if (test.kind, test.wrap, test.line) != (came.kind, came.wrap, came.line):
        return False
    names = {**names, FOLDER: Path("/", FOLDER)}
    if test.kind == "error":
        return test.error == came.error or _is_kind_of(came.error, test.error, names)
    if test.kind != "value":
        return False
    after = [(name, check.replace("{}", name, 1)) for name, check in came.after]
    return all(_holds(check, came.checks, names) for check in test.checks) and all(
        _holds(check.replace("{}", name, 1), [each for own, each in after if own == name], names)
        for name, check in test.after
    )


def _holds(check: str, told: Sequence[str], names: Mapping[str, Any]) -> bool:
    """Whether an assertion holds of what is told in other assertions, by comparing the values of both."""
    if check in told:
        return True
    subject, equals, wanted = check.partition(_EQUALS)
    for each in told if equals else ():
        own, _, given = each.partition(_EQUALS if _EQUALS in each else _IS)
        if own == subject:
            return _are_equal(given, wanted, names)
    return False


def _are_equal(one: str, other: str, names: Mapping[str, Any]) -> bool:
    def equal() -> bool:
        return bool(_value(one.format(), names) == _value(other.format(), names))

    return attempt(equal) is True


def _is_kind_of(error: str, wanted: str, names: Mapping[str, Any]) -> bool:
    return attempt(lambda: issubclass(_value(error, names), _value(wanted, names))) is True


def _value(text: str, names: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever an expression gives
    return eval(text, dict(names))  # noqa: S307 - expressions that the oracle wrote
