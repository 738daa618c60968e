"""What makes the project's own test command fail though its tests pass, as its files say it."""

from __future__ import annotations

import pytest

from setpoint.checks.discovery.layout import read_layout

COV = "[pytest]\naddopts = --cov=shop{}\n"


@pytest.mark.parametrize(
    ("texts", "gate"),
    [
        ({"pytest.ini": COV.format(" --cov-fail-under=95")}, "--cov-fail-under in pytest.ini"),
        ({"pytest.ini": COV.format(""), ".coveragerc": "[report]\nfail_under = 9\n"},
         "fail_under in .coveragerc"),
        ({"pytest.ini": COV.format("")}, ""),
        ({".coveragerc": "[report]\nfail_under = 9\n", "Makefile": "test:\n\tpytest\n"}, ""),
        ({"Makefile": "test:\n\tcoverage run -m pytest\n\tcoverage report --fail-under=9\n"},
         "--fail-under in `make test`"),
        ({"Makefile": "test:\n\tcoverage run -m pytest\n\tcoverage report\n"}, ""),
        ({"Makefile": "test:\n\tpytest\n\tmypy .\n"}, ""),
        ({"Makefile": "test:\n\tpytest\n\t./sizes.sh\n"}, "what `make test` runs after its tests"),
        ({"package.json": '{"scripts": {"test": "jest"}, "jest": {"coverageThreshold": {}}}'},
         "coverageThreshold in package.json"),
        ({"package.json": '{"scripts": {"test": "jest"}}', "jest.config.js": "x = {coverageThreshold: 1}"},
         "coverageThreshold in jest.config.js"),
        ({"package.json": '{"scripts": {"test": "jest"}}'}, ""),
    ],
)  # fmt: skip
def test_what_asks_for_more_than_tests_that_pass_is_named(texts, gate):
    assert read_layout(tuple(texts), texts).gate == gate
