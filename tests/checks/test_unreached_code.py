"""Tests in another language than the code are tried on code that cannot be loaded."""

from __future__ import annotations

import json

import pytest

from setpoint.checks.unreached_code import unrun
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import NO_SUITE, CheckState
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.phase.policy.provable import unprovable
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


def story(title, **more):
    return Story(id=StoryId("work"), title=title, **more)


PYTHON = {
    "shop.py": CODE,
    "tests/test_shop.py": "import shop\n\n\ndef test_it():\n    assert shop.total([1]) == 1\n",
}


@pytest.mark.parametrize(
    ("title", "more", "names"),
    [
        ("Add a function total to lib/util.lua", {}, "lib/util.lua"),
        ("Write the command `tool.pl`", {}, "tool.pl"),
        ("Fix the crash of total", {"body": "It began in Objects/abstract.c."}, ""),
        ("Add a function total to lib/util.lua", {"acceptance": ("lua check.lua",)}, ""),
        ("Add a function total to lib/more.js", {}, ""),
        ("Add a function mean to shop.py", {}, ""),
        ("Document lib/util.lua in the README", {}, ""),
        ("Let total read prices.json and v1.2.r", {}, ""),
        ("Serve example.com/a.php like example.com", {}, ""),
    ],
)
def test_a_request_for_code_that_nothing_runs_is_named(title, more, names):
    files = (*PYTHON, "analysis/plot.r")

    said = unrun(story(title, **more), files)

    assert names in said
    assert bool(names) is bool(said)


def test_code_of_a_language_that_is_there_may_be_reached():
    assert unrun(story("Add a function total to lib/util.lua"), (*PYTHON, "lib/more.lua")) == ""


async def test_a_run_for_code_that_nothing_runs_has_no_suite(bench):
    made = await bench(PYTHON, settings=ChecksSettings(reruns=0))
    made.order = made.order.model_copy(update={"story": story("Add a function total to lib/util.lua")})

    base = await made.measure(Stage.BASE)

    assert base.evidence_of("pytest").state is CheckState.PASS
    assert "nothing in the project runs code in such files (.lua)" in base.evidence_of(NO_SUITE).reason
    assert "lib/util.lua" in unprovable(base, made.order)
