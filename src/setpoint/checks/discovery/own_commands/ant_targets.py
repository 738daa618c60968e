"""How people run the tests of a project that Ant builds, read from its `build.xml`."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TARGET = re.compile(r"<target\s(?:[^>]*\s)?name\s*=\s*[\"'](?P<name>[\w.:-]+)[\"']")
_TESTS = ("test", "tests", "unit-test", "unittest", "run-tests", "junit", "check")
"""What targets that run tests are called, the likeliest first."""


def test_command(text: str) -> str:
    """Return the command that runs the tests, for example `ant test`; empty where no target does."""
    targets = {found["name"] for found in _TARGET.finditer(_COMMENT.sub("", text))}
    name = next((each for each in _TESTS if each in targets), "")
    return f"ant {name}" if name else ""
