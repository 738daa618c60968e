"""The runs of a verdict know no language: what they ask of one stands behind the protocol."""

import re

import pytest

from house.source import SRC
from setpoint.checks.languages.all import LANGUAGES
from setpoint.presets import presets

VERDICT = sorted((SRC / "setpoint" / "checks" / "verdict").glob("*.py"))
NAMES = {
    *(word for language in LANGUAGES for word in re.findall(r"[A-Z]\w+|shell", language.name)),
    *(name for name, preset in presets().items() if name.endswith("_test") or preset.language == "any"),
    "pytest", "unittest", "vitest", "jest", "mocha",
}  # fmt: skip


@pytest.mark.parametrize("path", VERDICT, ids=lambda path: path.name)
def test_a_run_names_no_language_and_no_runner(path):
    words = set(re.findall(r"\w+", path.read_text("utf-8")))

    assert sorted(words & NAMES) == []


def test_each_language_and_runner_is_looked_for():
    assert {"Python", "Go", "Rust", "JavaScript", "TypeScript", "shell", "go_test", "pytest"} <= NAMES
