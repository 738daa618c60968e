"""Settings below the root hold for what lies beside them, and none of the user's own tree do."""

from __future__ import annotations

import pytest

from setpoint.checks.discovery.layout import configuration, read_layout
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.settings import ChecksSettings

CHECKS = ChecksSettings(bandit=False, coverage=False, pytest=False, ruff=True)
FILES = {"b.py": "import os\n", "svc/a.py": "X = 1\n"}


@pytest.mark.parametrize(
    "settings",
    [
        {"svc/ruff.toml": 'lint.select = ["D"]\n'},
        {"svc/pyproject.toml": '[tool.ruff.lint]\nselect = ["D"]\n'},
    ],
    ids=["ruff.toml", "pyproject.toml"],
)
async def test_ruff_obeys_settings_below_the_root(bench, settings: dict[str, str]) -> None:
    made = await bench({**FILES, **settings}, settings=CHECKS)
    await made.measure(Stage.BASE)
    await made.change({"b.py": "import os\nimport re\n", "svc/c.py": "Y = 2\n"})

    found = await made.measure(Stage.EVALUATE)

    assert {(each.file, each.rule) for each in found.findings} == {("b.py", "F401"), ("svc/c.py", "D100")}
    assert "--isolated" not in found.evidence_of("ruff").argv


async def test_settings_above_the_tree_do_not_reach_the_copy_that_is_measured(bench) -> None:
    made = await bench({**FILES, "svc/ruff.toml": 'lint.select = ["D"]\n'}, settings=CHECKS)
    (made.root / "ruff.toml").write_text("lint.ignore = ['F']\n")  # in the user's own tree, not committed

    base = await made.measure(Stage.BASE)

    assert base.evidence_of("ruff").state is CheckState.PASS
    assert base.evidence_of("ruff").reason == ""


def test_settings_below_the_root_are_found_by_tool() -> None:
    texts = {
        "svc/pyproject.toml": "[tool.other]\n",
        "web/eslint.config.js": "",
        "web/package.json": "{}",
        "node_modules/x/ruff.toml": "",
        "node_modules/x/pyproject.toml": "[tool.ruff]\n",
        "web/pytest.ini": "",
    }
    named = configuration(tuple(texts))

    assert not [file for file in named if file.startswith("node_modules")]
    assert read_layout(tuple(texts), {file: texts[file] for file in named}).nested == {
        "eslint": "web/eslint.config.js"
    }
    rooted = {**{file: texts[file] for file in named}, "eslint.config.js": ""}
    assert read_layout((*texts, "eslint.config.js"), rooted).nested == {}
