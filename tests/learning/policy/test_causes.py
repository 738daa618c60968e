"""A change is credited with what went with it between two measured trees, and with nothing else."""

import difflib

import pytest

from setpoint.learning.policy.causes import causes, steps_of, to_take_out
from setpoint.learning.policy.changes import changes_of
from setpoint.learning.policy.commands import works_here
from setpoint.learning.policy.lessons import Account, lessons
from setpoint.model.attempt import ToolCall
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Failure
from setpoint.model.finding import Category, Finding, Fix, Severity
from setpoint.model.ids import Commit, TraceId
from setpoint.model.run import Round, Snapshot
from setpoint.testing import Scene, evaluation, failure

TREES = ("base", "one", "two", "three")
SHELL = Finding(
    source="bandit", rule="B602", severity=Severity.ERROR, category=Category.SECURITY,
    message="subprocess call with shell=True", file="app/shell.py", line=2,
)  # fmt: skip
FILE = "def first(a):\n    return a\n\n\ndef second(b):\n    x = 1\n    y = 2\n    z = 3\n    return b\n"
CALL = "def run(name):\n    return subprocess.run(f'x {name}', shell=True)\n"
LISTED = "def run(name):\n    return subprocess.run(['x', name])\n"


def diff(path, old, new):
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{path}", f"b/{path}")
    return f"diff --git a/{path} b/{path}\n{''.join(lines)}"


def red(test, error="KeyError", message="'vat'"):
    return Failure(**{**dict(failure(test, f"{error}: {message}")), "error": error})


def stepped(scenes, diffs):
    """Make the steps of a run whose trees look like the scenes, and which these diffs lead to."""
    seen = [evaluation(Stage.TEST, name, name, scene) for name, scene in zip(TREES, scenes, strict=False)]
    rounds = [
        Round(
            number=number,
            snapshot=Snapshot(label=name, commit=name, tree=name, parent=parent),
            evaluation=now,
            tests=now,
        )
        for number, (parent, name, now) in enumerate(zip(TREES, TREES[1:], seen[1:], strict=False), start=1)
    ]
    return steps_of((Commit("base"), seen[0]), rounds, lambda each: diffs[each.number - 1]), rounds, seen[0]


def taught(scenes, diffs, without=None, verified=True):
    steps, rounds, base = stepped(scenes, diffs)
    run = Account(
        trace_id=TraceId("run-1"), scope="here", title="t", verified=verified, reason="", base=base,
        rounds=tuple(rounds), steps=steps, without=without or {},
    )  # fmt: skip
    return [each.title for each in lessons(run)]


FIRST = diff("a.py", FILE, FILE.replace("return a\n", "return a or 0\n"))
BOTH = diff("a.py", FILE, FILE.replace("return a\n", "return a or 0\n").replace("return b", "return b + 1"))
TWO = [Scene(failing=(red("t::first"), red("t::second"))), Scene()]


def test_one_changed_place_is_credited_and_of_several_nobody_is():
    assert taught(TWO, [FIRST]) == [
        "In `first` (`a.py`) write `return a or 0`, not `return a`, or first fails with KeyError: 'vat'"
    ]
    assert taught(TWO, [BOTH]) == []


def test_of_several_places_each_is_taken_out_and_credited_with_what_fails_again():
    steps, *_ = stepped(TWO, [BOTH])
    ((number, changes),) = to_take_out(steps).items()
    assert [each.symbol for each in changes] == ["first", "second"]
    without = {(number, ("a.py", name)): frozenset({f"t::{name}"}) for name in ("first", "second")}
    found = causes(steps, without)
    assert [(each.wrong.test, each.changes[0].symbol) for each in found] == [
        ("t::first", "first"),
        ("t::second", "second"),
    ]
    assert causes(steps, dict.fromkeys(without)) == ()


def test_a_file_needs_another_only_where_one_failure_needs_both():
    other = diff("b.py", "x = 1\n", "x = 2\n")
    half = red("t::first", message="'rate'")
    scenes = [TWO[0], Scene(failing=(half, red("t::second"))), Scene(failing=(red("t::second"),))]
    steps, *_ = stepped(scenes, [FIRST, other])
    assert [list(each) for each in to_take_out(steps).items()] == [[1, steps[0].changes]]
    needed = {(1, ("a.py", "first")): frozenset({"t::first"})}
    (title,) = taught(scenes, [FIRST, other], needed)
    assert title.startswith("A change of `first` (`a.py`) also needs `b.py`, or first fails")
    (title,) = taught(scenes, [FIRST, other], {(1, ("a.py", "first")): frozenset()})
    assert title.startswith("In `b.py` write `x = 2`, not `x = 1`")
    apart = [TWO[0], Scene(failing=(red("t::second"),)), Scene()]
    assert not [each for each in taught(apart, [FIRST, other]) if "also needs" in each]


@pytest.mark.parametrize(
    "scene", [Scene(failing=(red("t::first"), red("t::second"))), Scene(flaky=("t::first", "t::second"))]
)
def test_what_is_still_red_or_flaky_was_cleared_by_nobody(scene):
    assert [each for each in taught([TWO[0], scene], [FIRST]) if "chance" not in each] == []


def test_a_new_feature_and_new_tests_are_no_lesson():
    new = "diff --git a/b.py b/b.py\nnew file mode 100644\n--- /dev/null\n+++ b/b.py\n@@ -0,0 +1 @@\n+x = 1\n"
    assert taught(TWO, [new]) == []
    tests = new.replace("b.py", "tests/test_b.py")
    assert len(taught(TWO, [FIRST + tests])) == 1


def test_a_rule_is_taught_with_its_words_its_place_and_what_was_written_instead():
    mended = diff("app/shell.py", CALL, LISTED)
    scenes = [Scene(), Scene(findings=(SHELL,)), Scene()]
    (title,) = taught(scenes, [diff("app/shell.py", LISTED, CALL), mended])
    assert title.startswith(
        "bandit refuses in `run` (`app/shell.py`): subprocess call with shell=True (B602); there write"
    )
    assert "['x', name]" in title
    beside = LISTED + "\n\ndef more():\n    return 1\n"
    assert taught(scenes, [diff("app/shell.py", LISTED, CALL), diff("app/shell.py", CALL, beside)]) == [title]


@pytest.mark.parametrize(
    "update",
    [
        {"source": "integrity", "rule": "under-test", "category": Category.INTEGRITY},
        {"source": "proof", "category": Category.TESTS},
        {"rule": "F401", "fix": Fix(description="", edits=(), safe=True)},
    ],
)
def test_what_says_nothing_of_the_project_is_no_lesson(update):
    scenes = [Scene(), Scene(findings=(SHELL.model_copy(update=update),)), Scene()]
    assert taught(scenes, [diff("app/shell.py", LISTED, CALL), diff("app/shell.py", CALL, LISTED)]) == []


def test_each_place_of_a_diff_has_a_patch_of_its_own():
    first, second = changes_of(BOTH)
    assert (first.out, first.put, first.at) == (["    return a"], ["    return a or 0"], [2, 3])
    assert "+    return a or 0" in first.patch
    assert "-    return b" not in first.patch
    assert "     return b + 1" in first.patch, "what stays is as in the new file"
    assert second.symbol == "second"


def called(*told):
    return [
        ToolCall(id=str(n), name="x", kind=kind, title=title, ok=ok)
        for n, (title, ok, kind) in enumerate((*each, "execute")[:3] for each in told)
    ]


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        (
            [("pytest tests/a.py", False), ("python -m pytest tests/a.py -q", True)],
            ("pytest", "python -m pytest"),
        ),
        ([("pytest tests/a.py", False), ("pytest tests", True)], None),
        ([("pytest", False), ("pytest -k unit", True)], None),
        ([("pytest", False), ("edit a.py", True, "edit"), ("python -m pytest", True)], None),
        ([("pytest", False), ("python -m pytest", True), ("pytest", True)], None),
        ([("npm test", False), ("pnpm test", True)], ("npm test", "pnpm test")),
        ([("TOKEN=abc make tset", False), ("TOKEN=abc make test", True)], ("make tset", "make test")),
        ([("make a | tail", False), ("make b", True)], None),
    ],
)
def test_a_command_that_works_is_told_from_one_that_found_a_red_test(calls, found):
    assert [each[1:] for each in works_here([called(*calls)])] == ([found] if found else [])
