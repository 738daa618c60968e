from __future__ import annotations

import sys

import pytest

from setpoint.model.attempt import AttemptLimits, Brief, Role
from setpoint.model.finding import Category, Edit, Finding, Fix, Severity
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint_mechanic.repair.edits import wanted
from setpoint_mechanic.repair.fixing import fixed

SHOP = """\
import os
import json


def price(order):
    if order == None:
        return 0
    return order["price"]
"""
TESTS = """\
import shop


def test_none_is_free():
    assert shop.price(None) == 0


def test_price():
    assert shop.price({"price": 3}) == 3


def test_what_others_read():
    assert shop.json
"""


def finding(line, column, text, *, file="shop.py", safe=True, source="ruff", rule="F401", until=None):
    end_line, end_column = until or (line + 1, 1)
    edit = Edit(start_line=line, start_column=column, end_line=end_line, end_column=end_column, text=text)
    return Finding(
        source=source,
        rule=rule,
        severity=Severity.WARNING,
        category=Category.STYLE,
        message="wrong",
        file=file,
        line=line,
        fix=Fix(description="mend it", edits=(edit,), safe=safe),
    )


@pytest.fixture
def brief(tmp_path):
    root = tmp_path / "work"
    root.mkdir()
    (root / "shop.py").write_text(SHOP)
    (root / "test_shop.py").write_text(TESTS)

    def make(*findings, **keys):
        standard = {
            "role": Role.MAKER,
            "session": "s1",
            "label": "implement-1",
            "prompt": "mend it",
            "workdir": str(root),
            "python": sys.executable,
            "story": Story(id=StoryId("mend"), title="Mend"),
            "limits": AttemptLimits(wall_s=200.0),
            "findings": findings,
        }
        return Brief(**{**standard, **keys})

    return make


async def test_each_fix_is_kept_or_taken_back_by_what_the_tests_say(brief, tmp_path, toolkit):
    harmless = finding(1, 1, "")
    harmful = finding(2, 1, "", safe=True)
    curated = finding(6, 14, "is", safe=False, rule="E711", until=(6, 16))
    done = {each.finding.line: each for each in await fixed(toolkit, brief(harmless, harmful, curated), ())}
    assert [done[line].ok for line in (1, 2, 6)] == [True, False, True]
    assert "3 tests pass" in done[1].note
    assert "breaks test_shop.py::test_what_others_read" in done[2].note
    mended = SHOP.replace("import os\n", "").replace("order == None", "order is None")
    assert (tmp_path / "work" / "shop.py").read_text() == mended


async def test_where_no_test_passes_only_safe_fixes_are_applied_and_it_is_said(brief, tmp_path, toolkit):
    (tmp_path / "work" / "test_shop.py").write_text("def test_nothing():\n    assert False\n")
    doubtful = finding(6, 14, "is", safe=False, rule="E711", until=(6, 16))
    (done,) = await fixed(toolkit, brief(finding(1, 1, ""), doubtful), ())
    assert done.ok
    assert "tested by nothing: no test passes" in done.note
    assert (tmp_path / "work" / "shop.py").read_text() == SHOP.replace("import os\n", "")


async def test_files_that_no_test_reads_are_told_apart(brief, tmp_path, toolkit):
    (tmp_path / "work" / "app.js").write_text("let a = 1\n")
    (done,) = await fixed(toolkit, brief(finding(1, 1, "const", file="app.js", until=(1, 4))), ())
    assert done.ok
    assert "tested by nothing" in done.note
    assert (tmp_path / "work" / "app.js").read_text() == "const a = 1\n"


def test_a_reviewers_edits_and_curated_rules_are_tried_others_must_be_safe():
    assert wanted(finding(1, 1, "", safe=False, source="review:code", rule=""))
    assert wanted(finding(1, 1, "", safe=False, rule="SIM102"))
    assert not wanted(finding(1, 1, "", safe=False, rule="T201"))
    assert not wanted(finding(1, 1, "").model_copy(update={"fix": None}))
