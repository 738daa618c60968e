"""Tests in another language than the code are tried on code that cannot be loaded."""

from __future__ import annotations

import json

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.evidence import NO_SUITE, CheckState
from setpoint.presets.check_settings import ChecksSettings

CODE = "def total(prices):\n    return sum(prices)\n"
ALONE = "if (1 + 1 !== 2) process.exit(1)\n"
STARTING = "require('node:child_process').execFileSync('python3', ['shop.py'])\n"


def project(test: str, **more: str) -> dict[str, str]:
    return {
        ".gitignore": ".setpoint\n",
        "package.json": json.dumps({"scripts": {"test": "node check.js"}}),
        "check.js": "require('./tests/total.js')\n",
        "tests/total.js": test,
        "shop.py": CODE,
        **more,
    }


@pytest.mark.parametrize(
    ("files", "reached"),
    [
        (project(ALONE), False),
        (project(STARTING), True),
        (project(ALONE, **{"lib/more.js": "module.exports = 1\n"}), True),
    ],
    ids=["tests alone", "tests that start the code", "code in the language of the tests"],
)
async def test_a_suite_that_does_not_reach_the_code_is_named(bench, files, reached):
    made = await bench(files, settings=ChecksSettings(reruns=0))

    base = await made.measure(Stage.BASE)

    assert base.evidence_of("own_tests").state is CheckState.PASS
    assert (base.evidence_of(NO_SUITE) is None) is reached
    if not reached:
        assert "(own_tests) pass where every file in Python fails" in base.evidence_of(NO_SUITE).reason
