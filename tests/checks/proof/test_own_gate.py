"""The project's own gate, with its thresholds."""

import json

import pytest

from setpoint.checks.proof.kinds.gate_commands import gate_commands
from setpoint.model.proof import ObligationState

PRICE = "def price(n):\n    return n * 100\n"
TEST = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
GATED = '[tool.coverage.run]\nsource_pkgs = ["shop"]\n\n[tool.coverage.report]\nfail_under = 80\n'
LOOSE = "\n\ndef half(n):\n    if n > 1:\n        n = n + 2\n        n = n - 2\n    return n // 2\n"


@pytest.mark.parametrize(
    ("texts", "shown", "demands"),
    [
        ({"pyproject.toml": GATED}, "coverage run -m pytest && coverage report", "fail_under = 80"),
        ({"setup.cfg": "[coverage:report]\nfail_under = 90\n", "pytest.ini": "[pytest]\naddopts = --cov=a\n"},
         "pytest", "fail_under = 90"),
        ({"tox.ini": "[pytest]\naddopts = -q --cov-fail-under=75\n"}, "pytest", "--cov-fail-under=75"),
        ({"package.json": json.dumps({"scripts": {"test": "jest"}, "jest": {"coverageThreshold": {"a": 1}}})},
         "npm test", "jest's coverageThreshold"),
        ({"package.json": json.dumps({"scripts": {"test": "vitest"}})}, "npm test", ""),
    ],
)  # fmt: skip
def test_commands_that_judge_the_tests_are_found(texts, shown, demands):
    (found,) = gate_commands(texts, "python", ())

    assert (found.shown, found.demands) == (shown, demands)


@pytest.mark.parametrize(
    "texts",
    [
        {},
        {"pyproject.toml": "[tool.coverage.report]\nfail_under = 0\n", "package.json": "{"},
        {"package.json": json.dumps({"scripts": {"test": 'echo "Error: no test specified" && exit 1'}})},
        {"package.json": json.dumps({"scripts": {"test": "jest", "posttest": "npm publish"}})},
        {"package.json": json.dumps({"scripts": {"build": "tsc"}})},
    ],
)
def test_what_judges_no_test_or_reaches_others_is_never_run(texts):
    assert list(gate_commands(texts, "python", ())) == []


@pytest.mark.parametrize(
    ("more", "state"), [("", ObligationState.MET), (LOOSE.replace("half", "third"), ObligationState.NOT_MET)]
)
async def test_a_threshold_that_the_base_reaches_is_reached_by_the_result(obligations, more, state):
    base = {"shop.py": PRICE, "tests/test_shop.py": TEST, "pyproject.toml": GATED, "conftest.py": ""}
    new = f"{PRICE}{LOOSE}{more}"
    test = "import shop\n\n\ndef test_half():\n    assert shop.half(4) == 2 and shop.half(1) == 0\n"
    said = await obligations(base, {"shop.py": new, "tests/test_half.py": test}, "add half of a number")

    assert said["own gate"].state is state
    assert ("is green at the base and not on the result" in said["own gate"].reason) is (
        state is ObligationState.NOT_MET
    )
